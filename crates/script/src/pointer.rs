//! JSON pointers (RFC 6901) of places in a file.

use crate::finding::{Finding, Findings, Spot};
use crate::node::{self, Content, Node};
use crate::read::File;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Findings with the pointers of their places.
pub(crate) fn filled(list: Vec<(Spot, Finding)>, root: &Node) -> Vec<Finding> {
    let found = Found::of(list.iter().map(|(at, _)| *at).collect(), root);
    let pointer = |at: Spot| found.pointers.get(&at).cloned().unwrap_or_default();
    list.into_iter().map(|(at, finding)| Finding { pointer: pointer(at), ..finding }).collect()
}

/// Fills in the pointers of findings of one file, of which nothing but line and column is known: there a value wins over a key.
pub(crate) fn fill(findings: Vec<&mut Finding>, file: &File<'_>) {
    if findings.is_empty() {
        return;
    }
    let Some(root) = node::read(file.bytes, &mut Findings::new(file.name)) else { return };
    let small = |number| u32::try_from(number).unwrap_or(u32::MAX);
    let spot =
        |finding: &Finding| Spot { line: small(finding.line), column: small(finding.column), key: false };
    let wanted = findings.iter().flat_map(|finding| [spot(finding), spot(finding).of_key()]).collect();
    let found = Found::of(wanted, &root);
    for finding in findings {
        let at = spot(finding);
        let pointer = found.pointers.get(&at).or_else(|| found.pointers.get(&at.of_key()));
        finding.pointer = pointer.cloned().unwrap_or_default();
    }
}

/// A walk through a tree in search of places.
struct Found {
    wanted: BTreeSet<Spot>,
    pointers: BTreeMap<Spot, String>,
}

impl Found {
    fn of(wanted: BTreeSet<Spot>, root: &Node) -> Self {
        let mut found = Self { wanted, pointers: BTreeMap::new() };
        if !found.wanted.is_empty() {
            found.walk(root, &mut String::new());
        }
        found
    }

    fn walk(&mut self, node: &Node, path: &mut String) {
        self.meet(node.at, path);
        let length = path.len();
        match &node.content {
            Content::Null | Content::Bool(_) | Content::Number(_) | Content::Text(_) => {}
            Content::List(items) => {
                for (place, item) in items.iter().enumerate() {
                    let _ = write!(path, "/{place}");
                    self.walk(item, path);
                    path.truncate(length);
                }
            }
            Content::Map(entries) => {
                for (key, value) in entries {
                    path.push('/');
                    path.push_str(&key.name.replace('~', "~0").replace('/', "~1"));
                    self.meet(key.at, path);
                    self.walk(value, path);
                    path.truncate(length);
                }
            }
        }
    }

    /// A list of YAML may begin where its first entry does: the inner one counts. What aliases repeat has the places of what they
    /// name, which comes first and stays.
    fn meet(&mut self, at: Spot, path: &str) {
        if self.wanted.contains(&at) {
            let found = self.pointers.entry(at).or_insert_with(|| path.to_owned());
            if path.strip_prefix(found.as_str()).is_some_and(|rest| rest.starts_with('/')) {
                path.clone_into(found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Code, point};

    #[test]
    fn a_place_leads_to_the_innermost_value_or_key_that_begins_there() {
        let text = "a:\n  - b/c: 1\n    d~: [x, {y: z}]\n  -\ne: &e {f: 1}\ng: *e\nh:\n- i\n";
        let mut findings = Findings::new("x.yaml");
        let root = node::read(text.as_bytes(), &mut findings).unwrap();
        let key = |line, column| Spot { line, column, key: true };
        let value = |line, column| Spot { line, column, key: false };
        for (at, pointer) in [
            (value(1, 1), ""),
            (key(1, 1), "/a"),
            (value(2, 5), "/a/0"),
            (key(2, 5), "/a/0/b~1c"),
            (value(2, 10), "/a/0/b~1c"),
            (key(3, 5), "/a/0/d~0"),
            (value(3, 10), "/a/0/d~0/0"),
            (value(3, 13), "/a/0/d~0/1"),
            (value(3, 17), "/a/0/d~0/1/y"),
            (value(5, 11), "/e/f"),
            (value(6, 4), "/g"),
            (value(8, 3), "/h/0"),
        ] {
            let mut findings = Findings::new("x.yaml");
            findings.error(at, Code::WrongValue, "m");
            assert_eq!(findings.into_sorted(Some(&root))[0].pointer, pointer, "{at:?}");
        }
    }

    #[test]
    fn findings_without_a_tree_are_pointed_at_later() {
        let file = File { name: "x.yaml", bytes: b"a:\n  - {b: 1}\n" };
        let mut findings = Findings::new("x.yaml");
        findings.error(Spot { line: 2, column: 5, key: false }, Code::WrongValue, "m");
        findings.error(Spot { line: 9, column: 9, key: false }, Code::WrongValue, "n");
        let mut list = findings.into_sorted(None);
        point(&mut list, &[File { name: "other.yaml", bytes: b"a: 1" }, file]);
        assert_eq!([list[0].pointer.as_str(), list[1].pointer.as_str()], ["/a/0", ""]);
    }
}
