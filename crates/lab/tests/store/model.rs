//! Random operations against a model that is a few maps: versions, heads, edges, refusals.

use crate::stand::{Place, ask, code, derived, edge, moments, save, text};
use proptest::prelude::*;
use rehearsal_lab::store::{Ask, Restore, Store};
use rehearsal_lab::{Code, Proof};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
enum Op {
    Save { name: u8, content: u8, sources: Vec<u8> },
    Edge { input: u8, output: u8 },
    Damage { version: u8 },
    Restore { version: u8, right_head: bool, given: bool },
    Ask { input: u8, output: u8, path: bool },
    Reopen,
}

fn operation() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (0..4_u8, 0..5_u8, prop::collection::vec(any::<u8>(), 0..3))
            .prop_map(|(name, content, sources)| Op::Save { name, content, sources }),
        4 => (any::<u8>(), any::<u8>()).prop_map(|(input, output)| Op::Edge { input, output }),
        1 => any::<u8>().prop_map(|version| Op::Damage { version }),
        2 => (any::<u8>(), any::<bool>(), any::<bool>())
            .prop_map(|(version, right_head, given)| Op::Restore { version, right_head, given }),
        3 => (any::<u8>(), any::<u8>(), any::<bool>()).prop_map(|(input, output, path)| Op::Ask { input, output, path }),
        1 => Just(Op::Reopen),
    ]
}

/// What must be in the store.
#[derive(Default)]
struct Model {
    /// Each version: its artifact's name and its content.
    versions: Vec<(String, u8, u8)>,
    edges: BTreeSet<(usize, usize)>,
    /// Contents whose bytes were changed.
    damaged: BTreeSet<u8>,
}

impl Model {
    fn head(&self, name: u8) -> Option<usize> {
        self.versions.iter().rposition(|(_, of, _)| *of == name)
    }

    fn leads(&self, from: usize, to: usize) -> bool {
        let mut reached = BTreeSet::from([from]);
        loop {
            let more: Vec<usize> = self
                .edges
                .iter()
                .filter(|(input, output)| reached.contains(input) && !reached.contains(output))
                .map(|(_, output)| *output)
                .collect();
            if more.is_empty() {
                return from != to && reached.contains(&to);
            }
            reached.extend(more);
        }
    }

    fn any(&self, number: u8) -> Option<usize> {
        (!self.versions.is_empty()).then(|| usize::from(number) % self.versions.len())
    }

    fn id(&self, at: usize) -> String {
        self.versions[at].0.clone()
    }
}

fn bytes(content: u8) -> String {
    format!("content {content}")
}

struct Pair {
    place: Place,
    store: Option<Store>,
    root: String,
    model: Model,
}

impl Pair {
    fn store(&mut self) -> &mut Store {
        self.store.as_mut().unwrap()
    }

    fn step(&mut self, op: Op) {
        match op {
            Op::Save { name, content, sources } => self.save(name, content, &sources),
            Op::Edge { input, output } => self.edge(input, output),
            Op::Damage { version } => {
                let Some(at) = self.model.any(version) else { return };
                let id = self.model.id(at);
                self.store().damage_artifact(&id).unwrap();
                let content = self.model.versions[at].2;
                // The same byte is turned back the second time.
                if !self.model.damaged.insert(content) {
                    self.model.damaged.remove(&content);
                }
            }
            Op::Restore { version, right_head, given } => self.restore(version, right_head, given),
            Op::Ask { input, output, path } => self.ask(input, output, path),
            Op::Reopen => {
                self.store = None;
                let mut store = Store::open(&self.place.root(), moments()).unwrap();
                store.resume_session(&self.root).unwrap();
                self.store = Some(store);
            }
        }
    }

    fn save(&mut self, name: u8, content: u8, sources: &[u8]) {
        let inputs: Vec<usize> = sources.iter().filter_map(|number| self.model.any(*number)).collect();
        let ids: Vec<String> = inputs.iter().map(|at| self.model.id(*at)).collect();
        let sources: Vec<_> = ids.iter().map(|id| derived(id)).collect();
        let saved = save(self.store(), &format!("name-{name}"), &bytes(content), &sources);
        // Bytes are healed before the rest is refused.
        self.model.damaged.remove(&content);
        if inputs.iter().collect::<BTreeSet<_>>().len() < inputs.len() {
            assert_eq!(code(saved), Code::Exists);
            return;
        }
        let saved = saved.unwrap();
        let ordinal = self.model.versions.iter().filter(|(_, of, _)| *of == name).count() + 1;
        assert_eq!(saved.observed()["version"], ordinal);
        assert_eq!(saved.observed()["edges"].as_array().unwrap().len(), inputs.len());
        let new = self.model.versions.len();
        self.model.versions.push((text(&saved, "version_id"), name, content));
        self.model.edges.extend(inputs.into_iter().map(|input| (input, new)));
    }

    fn edge(&mut self, input: u8, output: u8) {
        let (Some(input), Some(output)) = (self.model.any(input), self.model.any(output)) else { return };
        let (from, to) = (self.model.id(input), self.model.id(output));
        let made = edge(self.store(), &from, &to);
        if self.model.edges.contains(&(input, output)) {
            assert_eq!(code(made), Code::Exists);
        } else if input == output || self.model.leads(output, input) {
            assert_eq!(code(made), Code::Cycle);
        } else {
            made.unwrap();
            self.model.edges.insert((input, output));
        }
    }

    fn restore(&mut self, version: u8, right_head: bool, given: bool) {
        let Some(at) = self.model.any(version) else { return };
        let (id, name, content) = self.model.versions[at].clone();
        let head = self.model.head(name).unwrap();
        let expected = if right_head { self.model.id(head) } else { "v-000000000000".to_owned() };
        let said = bytes(content);
        let mut reader = said.as_bytes();
        let reader: Option<&mut dyn std::io::Read> = if given { Some(&mut reader) } else { None };
        let restore = Restore { version_id: &id, expected_head: &expected, content: reader, step: "restore" };
        let restored = self.store().restore_artifact(restore);
        if !right_head {
            assert_eq!(code(restored), Code::Invalid);
        } else if !given && self.model.damaged.contains(&content) {
            assert_eq!(code(restored), Code::Digest);
        } else {
            self.model.damaged.remove(&content);
            let new = self.model.versions.len();
            self.model.versions.push((text(&restored.unwrap(), "version_id"), name, content));
            self.model.edges.insert((at, new));
        }
    }

    fn ask(&mut self, input: u8, output: u8, path: bool) {
        let (Some(input), Some(output)) = (self.model.any(input), self.model.any(output)) else { return };
        let (from, to) = (self.model.id(input), self.model.id(output));
        let found = self.store().assert_lineage(&Ask { path, acyclic: true, ..ask(&from, &to) });
        let there = self.model.edges.contains(&(input, output)) || (path && self.model.leads(input, output));
        match found {
            Ok(fact) => {
                assert!(there);
                assert_eq!(fact.proofs(), [Proof::EdgeVerified]);
            }
            Err(_) if there => {
                assert_eq!(code(found), Code::Digest);
                assert!(!self.model.damaged.is_empty());
            }
            Err(_) => assert_eq!(code(found), Code::NoEdge),
        }
    }

    /// Compares all heads, and all bytes.
    fn compare(&mut self) {
        let heads: BTreeMap<String, bool> = self
            .store()
            .artifacts()
            .unwrap()
            .into_iter()
            .map(|stored| (stored.filename, stored.intact))
            .collect();
        let meant: BTreeMap<String, bool> = (0..4)
            .filter_map(|name| self.model.head(name).map(|head| (name, head)))
            .map(|(name, head)| {
                (format!("name-{name}"), !self.model.damaged.contains(&self.model.versions[head].2))
            })
            .collect();
        assert_eq!(heads, meant);
        for (id, _, content) in self.model.versions.clone() {
            let read = self.store().read_artifact(&id);
            if self.model.damaged.contains(&content) {
                assert_eq!(code(read), Code::Digest);
            } else {
                assert_eq!(text(&read.unwrap(), "text"), bytes(content));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn the_store_does_what_the_model_does(operations in prop::collection::vec(operation(), 1..60)) {
        let place = Place::in_memory("model");
        let mut store = place.create();
        let root = text(&store.open_session("benchmark").unwrap(), "root_frame_id");
        let mut pair = Pair { place, store: Some(store), root, model: Model::default() };
        for op in operations {
            pair.step(op);
        }
        pair.compare();
        pair.step(Op::Reopen);
        pair.compare();
    }
}
