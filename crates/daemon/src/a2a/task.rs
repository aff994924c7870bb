//! The tasks of A2A: what stands around a run, and tasks that have no run because they were rejected or wait for credentials.

use super::request::Wishes;
use rehearsal_script::runs::RunScript;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Most messages that one task takes from its user.
pub(crate) const MOST_SAID: usize = 10_000;

/// A key under which a message is known: its own id, or an `Idempotency-Key`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Message(String),
    Header(String),
}

/// What a key was used for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) digest: [u8; 32],
    pub(crate) task: String,
}

/// What a run is begun with.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) prompt: String,
    pub(crate) script: Arc<RunScript>,
    /// The id of the message that began it.
    pub(crate) key: String,
    pub(crate) wishes: Wishes,
}

/// How a task stands.
#[derive(Clone, Debug)]
pub(crate) enum Stand {
    /// As the run of its id does.
    Run,
    /// It was not taken on.
    Rejected { why: String, code: String, at_ms: u64 },
    /// It begins once somebody names another credential profile.
    Auth { plan: Box<Plan>, at_ms: u64 },
    /// It was cancelled before it began.
    Canceled { why: Option<String>, at_ms: u64 },
}

/// A message of the user.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// Rows that the run had before it.
    pub(crate) after: u64,
    /// As it is shown.
    pub(crate) message: Map<String, Value>,
}

/// A task.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// Its id, which is that of its run.
    pub(crate) id: String,
    pub(crate) context: String,
    /// Its number: later ones have greater numbers.
    pub(crate) number: u64,
    pub(crate) said: Vec<Said>,
    pub(crate) stand: Stand,
    keys: Vec<Key>,
}

/// All tasks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks {
    all: BTreeMap<String, Task>,
    keys: BTreeMap<Key, Known>,
    /// Tasks without a run, the oldest first.
    bare: VecDeque<String>,
    made: u64,
}

impl Tasks {
    pub(crate) fn get(&self, id: &str) -> Option<&Task> {
        self.all.get(id)
    }

    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut Task> {
        self.all.get_mut(id)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Task> {
        self.all.values()
    }

    /// What a key was used for.
    pub(crate) fn known(&self, key: &Key) -> Option<&Known> {
        self.keys.get(key)
    }

    /// Adds one. Of those without a run the oldest go where there are more than `keep`: gives their ids.
    pub(crate) fn add(&mut self, id: String, context: String, stand: Stand, keep: usize) -> Vec<String> {
        let mut gone = Vec::new();
        self.made += 1;
        if !matches!(stand, Stand::Run) {
            self.bare.push_back(id.clone());
        }
        let task =
            Task { id: id.clone(), context, number: self.made, said: Vec::new(), stand, keys: Vec::new() };
        self.all.insert(id, task);
        while self.bare.len() > keep {
            let Some(oldest) = self.bare.pop_front() else { break };
            if self.all.get(&oldest).is_some_and(|task| !matches!(task.stand, Stand::Run)) {
                self.let_go(&oldest);
                gone.push(oldest);
            }
        }
        gone
    }

    /// Takes a message down that a task took, and the keys that stand for it.
    pub(crate) fn said(&mut self, id: &str, said: Said, keys: &[Key], digest: [u8; 32]) {
        let Some(task) = self.all.get_mut(id) else { return };
        task.said.push(said);
        for key in keys {
            task.keys.push(key.clone());
            self.keys.insert(key.clone(), Known { digest, task: id.to_owned() });
        }
    }

    /// Takes the last message back: what it asked for could not be begun.
    pub(crate) fn unsaid(&mut self, id: &str, keys: &[Key]) {
        let Some(task) = self.all.get_mut(id) else { return };
        task.said.pop();
        task.keys.retain(|key| !keys.contains(key));
        for key in keys {
            self.keys.remove(key);
        }
    }

    /// Forgets a task and all that is known of it.
    pub(crate) fn let_go(&mut self, id: &str) {
        let Some(task) = self.all.remove(id) else { return };
        for key in task.keys {
            self.keys.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, Said, Stand, Tasks};
    use serde_json::Map;

    fn rejected() -> Stand {
        Stand::Rejected { why: "no".to_owned(), code: "c".to_owned(), at_ms: 0 }
    }

    #[test]
    fn keys_go_with_their_task_and_the_oldest_without_a_run_goes_first() {
        let mut tasks = Tasks::default();
        let key = |name: &str| Key::Message(name.to_owned());
        let said = || Said { after: 0, message: Map::new() };
        for (name, gone) in [("a", &[][..]), ("b", &[]), ("c", &["a"])] {
            let stand = if name == "b" { Stand::Run } else { rejected() };
            assert_eq!(tasks.add(name.to_owned(), "ctx".to_owned(), stand, 1), gone);
            tasks.said(name, said(), &[key(name), Key::Header(name.to_owned())], [7; 32]);
        }
        let left: Vec<_> = tasks.all().map(|task| (task.id.as_str(), task.number)).collect();
        assert_eq!(left, [("b", 2), ("c", 3)]);
        assert_eq!(tasks.known(&key("a")), None);
        assert_eq!(tasks.known(&key("b")).map(|known| known.task.as_str()), Some("b"));
        tasks.unsaid("c", &[key("c")]);
        assert_eq!(tasks.known(&key("c")), None);
        assert!(tasks.known(&Key::Header("c".to_owned())).is_some());
        tasks.let_go("c");
        assert_eq!(tasks.known(&Key::Header("c".to_owned())), None);
    }
}
