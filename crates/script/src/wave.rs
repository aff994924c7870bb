//! Wave files: several items of work with the files that each may change. Names and overlaps of files are judged by whoever writes them.

use crate::circle::groups;
use crate::finding::{Code, Finding, Findings, Severity};
use crate::node::{self, Node};
use crate::read::{File, Known};
use crate::scenario::Place;
use crate::schema;
use rehearsal_wire::names::{hint, nearest};
use std::collections::BTreeMap;

/// Items of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// Files that no item owns.
    pub protect: Vec<String>,
    /// The items, in the order of the file.
    pub items: Vec<Item>,
}

/// One item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub slug: String,
    /// What is to be done.
    pub prompt: String,
    /// The files that it may change, and whether each is to be made.
    pub owns: Vec<(String, bool)>,
    /// Names of the items before it.
    pub after: Vec<String>,
    /// The command that tests it: its own, or that of the wave.
    pub test: Option<String>,
    /// A command that the model is not told of.
    pub check: Option<String>,
    /// The part that its worker plays; `worker` by default.
    pub role: String,
    /// Its model, whatever its role.
    pub model: Option<String>,
    /// Where it stands in the file.
    pub place: Place,
}

/// The key of the top by which a file of this kind is known.
pub(crate) const KEY: &str = "items";

/// Reads a wave file.
///
/// # Errors
/// Every mistake of the file.
pub fn read(file: &File<'_>) -> Result<Wave, Vec<Finding>> {
    let (wave, mut findings) = load(file);
    findings.retain(|finding| finding.severity == Severity::Error);
    match wave {
        Some(wave) if findings.is_empty() => Ok(wave),
        Some(_) | None => Err(findings),
    }
}

/// All that can be said about wave files. Each is a wave of its own.
pub(crate) fn lint(files: &[File<'_>], _: &Known<'_>) -> Vec<Finding> {
    files.iter().flat_map(|file| load(file).1).collect()
}

fn load(file: &File<'_>) -> (Option<Wave>, Vec<Finding>) {
    let mut findings = Findings::new(file.name);
    let root = node::read(file.bytes, &mut findings);
    if let Some(root) = &root {
        schema::check(root, &schema::WAVE, false, &mut findings);
    }
    let wave = root.as_ref().map(|root| wave(root, &mut findings));
    (wave, findings.into_sorted(root.as_ref()))
}

fn wave(root: &Node, findings: &mut Findings<'_>) -> Wave {
    let test = root.text("test");
    let nodes = root.get("items").map_or(&[][..], Node::items);
    let items: Vec<Item> = nodes.iter().map(|node| item(node, test, findings)).collect();
    // The first item of each name.
    let mut slugs: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, (node, item)) in nodes.iter().zip(&items).enumerate() {
        let first = *slugs.entry(&item.slug).or_insert(at);
        if first != at && !item.slug.is_empty() {
            let line = items[first].place.line;
            let message = format!("two items are called {:?}; the first stands in line {line}", item.slug);
            findings.error(node.get("slug").map_or(node.at, |slug| slug.at), Code::Clash, message);
        }
    }
    waits(nodes, &items, &slugs, findings);
    if let Some(list) = root.get("items").filter(|list| list.items().is_empty()) {
        findings.error(list.at, Code::MissingField, "the wave holds no item");
    }
    Wave { protect: texts(root, "protect"), items }
}

/// Finds items that wait for one that is not there, or for themselves in the end.
fn waits(nodes: &[Node], items: &[Item], slugs: &BTreeMap<&str, usize>, findings: &mut Findings<'_>) {
    // Items of one name count as one.
    let mut edges = vec![Vec::new(); items.len()];
    for item in items {
        edges[slugs[item.slug.as_str()]]
            .extend(item.after.iter().filter_map(|after| slugs.get(after.as_str())));
    }
    let groups = groups(&edges);
    let mut unknown = 0;
    for (node, item) in nodes.iter().zip(items) {
        let own = slugs[item.slug.as_str()];
        for after in node.get("after").map_or(&[][..], Node::items) {
            let Some(slug) = after.as_text() else { continue };
            let Some(of) = slugs.get(slug) else {
                unknown += 1;
                // Each look for a near name goes over all items.
                let known = items.iter().map(|item| item.slug.as_str()).filter(|_| unknown <= HINTED);
                let message = format!("{:?} waits for {slug:?}, which is no item of the wave", item.slug);
                let hint = hint(nearest(slug, known), || "name the slug of another item".to_owned());
                findings.error_with_hint(after.at, Code::UnknownName, message, hint);
                continue;
            };
            if groups[own] == groups[*of] {
                let message = format!("{:?} waits for {slug:?}, which waits for it", item.slug);
                let message = if item.slug == slug { format!("{slug:?} waits for itself") } else { message };
                findings.error_with_hint(after.at, Code::Contradiction, message, "take one of them out");
            }
        }
    }
}

/// Unknown names for which a near one is sought: not more than anybody reads.
const HINTED: usize = 256;

fn item(node: &Node, test: Option<&str>, findings: &mut Findings<'_>) -> Item {
    let owned = |node: &Node| match node.as_text() {
        Some(path) => match path.strip_suffix(":create") {
            Some(path) => (path.to_owned(), true),
            None => (path.to_owned(), false),
        },
        None => {
            let path = node.text("path").unwrap_or_default().to_owned();
            (path, node.text("mode") == Some("create"))
        }
    };
    let test = node.text("test").or(test);
    if let Some(check) = node.get("check").filter(|_| test.is_none()) {
        let hint = "it runs beside the test: name one here or for the whole wave";
        findings.error_with_hint(check.at, Code::Contradiction, "`check` stands without a `test`", hint);
    }
    if test.is_none() {
        let hint = "name a `test` here or for the whole wave";
        findings.warning(node.at, "an item without a test is never verified", hint);
    }
    if let Some(list) = node.get("owns").filter(|list| list.items().is_empty()) {
        findings.error(list.at, Code::MissingField, "the item owns no file, so nothing could come of it");
    }
    Item {
        slug: node.text("slug").unwrap_or_default().to_owned(),
        prompt: node.text("prompt").unwrap_or_default().to_owned(),
        owns: node.get("owns").map_or(&[][..], Node::items).iter().map(owned).collect(),
        after: texts(node, "after"),
        test: test.map(str::to_owned),
        check: node.text("check").map(str::to_owned),
        role: node.text("role").unwrap_or(schema::ROLES[0]).to_owned(),
        model: node.text("model").map(str::to_owned),
        place: findings.place(node.at),
    }
}

fn texts(node: &Node, name: &str) -> Vec<String> {
    let items = node.get(name).map_or(&[][..], Node::items);
    items.iter().filter_map(Node::as_text).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Wave, Vec<String>> {
        let file = File { name: "wave.yaml", bytes: text.as_bytes() };
        read(&file).map_err(|findings| findings.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn items_are_read_with_what_the_wave_says_for_all() {
        let wave = read_text(
            "version: 1\ntest: make test\nprotect: [golden/]\nitems:\n  - {slug: a, prompt: Do a., owns: [x.py, 'y.py:create'], after: [b]}\n  \
             - {slug: b, prompt: Do b., owns: [{path: z.py, mode: create}], test: ./b, check: ./c, role: setup, model: m}\n",
        )
        .unwrap();
        assert_eq!(wave.protect, ["golden/"]);
        let owns = |item: &Item| item.owns.clone();
        assert_eq!(owns(&wave.items[0]), [("x.py".to_owned(), false), ("y.py".to_owned(), true)]);
        assert_eq!(owns(&wave.items[1]), [("z.py".to_owned(), true)]);
        let test: Vec<_> = wave.items.iter().map(|item| item.test.as_deref().unwrap()).collect();
        assert_eq!((test, wave.items[0].role.as_str()), (vec!["make test", "./b"], "worker"));
        assert_eq!((wave.items[0].place.line, wave.items[1].role.as_str()), (5, "setup"));
    }

    #[test]
    fn mistakes_have_a_place_and_a_hint() {
        for (text, words) in [
            ("items: []\n", "needs `version`"),
            ("version: 2\nitems: []\n", "`version`"),
            ("version: 1\nitems: []\n", "wave.yaml:2:8: the wave holds no item"),
            ("version: 1\nitems:\n  - {slug: a, prompt: p, own: [x]}\n", "did you mean `owns`?"),
            ("version: 1\nitems:\n  - {slug: a, prompt: p, owns: []}\n", "owns no file"),
            (
                "version: 1\ntest: t\nitems:\n  - {slug: a, prompt: p, owns: [x]}\n  - {slug: a, prompt: p, owns: [y]}\n",
                "wave.yaml:5:12: two items are called \"a\"; the first stands in line 4",
            ),
            (
                "version: 1\nitems:\n  - {slug: a, prompt: p, owns: [x], check: c}\n",
                "`check` stands without a `test`",
            ),
            ("version: 1\nitems:\n  - {slug: a, prompt: p, owns: [x], role: boss}\n", "`role`"),
            (
                "version: 1\ntest: t\nitems:\n  - {slug: parser, prompt: p, owns: [x]}\n  - {slug: b, prompt: p, owns: [y], after: [parsr]}\n",
                "wave.yaml:5:45: \"b\" waits for \"parsr\", which is no item of the wave\n  hint: did you mean `parser`?",
            ),
            (
                "version: 1\ntest: t\nitems:\n  - {slug: a, prompt: p, owns: [x], after: [b]}\n  - {slug: b, prompt: p, owns: [y], after: [c]}\n  - {slug: c, prompt: p, owns: [z], after: [a]}\n",
                "\"c\" waits for \"a\", which waits for it",
            ),
            (
                "version: 1\ntest: t\nitems:\n  - {slug: a, prompt: p, owns: [x], after: [a]}\n",
                "\"a\" waits for itself",
            ),
            (
                "version: 1\ntest: t\nitems:\n  - {slug: a, prompt: p, owns: [x], after: [b]}\n  - {slug: a, prompt: p, owns: [y], after: [c]}\n  - {slug: c, prompt: p, owns: [z], after: [a]}\n  - {slug: b, prompt: p, owns: [w]}\n",
                "\"c\" waits for \"a\", which waits for it",
            ),
            ("- a\n", "a wave file must be a map"),
        ] {
            let findings = read_text(text).unwrap_err();
            assert!(findings.iter().any(|finding| finding.contains(words)), "{text}: {findings:?}");
        }
    }

    #[test]
    fn many_items_are_each_held_beside_the_others() {
        // Each waits for the one behind it: a chain in which nobody waits for itself, closed by the last line.
        let item = |at: usize, after: &str| {
            format!("  - {{slug: i{at}, prompt: p, owns: [f{at}], after: [{after}]}}\n")
        };
        let chain: String = (0..3_000).map(|at| item(at, &format!("i{}", at + 1))).collect();
        let head = "version: 1\ntest: t\nitems:\n";
        let open = format!("{head}{chain}  - {{slug: i3000, prompt: p, owns: [z]}}\n");
        assert_eq!(read_text(&open).unwrap().items.len(), 3_001);
        let closed = format!("{head}{chain}{}", item(3_000, "i2999"));
        let findings = read_text(&closed).unwrap_err();
        assert_eq!(findings.len(), 2, "{:?}", findings.first());
        assert!(findings[0].contains("\"i2999\" waits for \"i3000\", which waits for it"), "{}", findings[0]);
        assert!(findings[1].contains("\"i3000\" waits for \"i2999\", which waits for it"), "{}", findings[1]);
    }
}
