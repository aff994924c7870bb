//! q56 to q62: answers that would spoil files, and models that go round in circles.

use super::raw::said;
use super::{Has, Row, patch, row, step};
use serde_json::json;

pub(super) fn rows() -> Vec<Row> {
    [spoiling(), places(), circles()].into_iter().flatten().collect()
}

fn says(quirk: u32, texts: &[&str]) -> Row {
    row(quirk, Has::Script(texts.iter().map(|text| step(text)).collect()))
}

const LONG: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";

fn spoiling() -> Vec<Row> {
    let left_out = patch("one\n# ... rest of the code unchanged ...\n");
    let in_string = patch("one\nsay(\"rest of the code unchanged\")\n");
    let short = patch("1\n2\n");
    let diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
    vec![
        says(56, &[&left_out]).with(&["--repairs", "0"]).fails("format", Some("guard"), "a.py"),
        says(56, &[&in_string]).file("one\ntwo\n", "one\nsay(\"rest of the code unchanged\")\n"),
        says(57, &[&short]).file(LONG, LONG).with(&["--repairs", "0"]).fails("format", Some("guard"), "a.py"),
        says(57, &[&short]).with(&["--allow-shrink"]).file(LONG, "1\n2\n"),
        says(58, &[&patch("one\nthree\n")]).file("one\r\ntwo\r\n", "one\r\nthree\r\n"),
        says(58, &[diff]).with(&["--format", "diff"]).file("one\r\ntwo\nend\r\n", "one\r\nthree\nend\r\n"),
    ]
}

fn places() -> Vec<Row> {
    let half = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-nothing of the kind\n+x\n";
    let link = says(59, &[&patch("one\nthree\n")]).file("", "elsewhere\n").fails("unsafe_path", None, "a.py");
    let mode = "diff --git a/a.py b/a.py\nold mode 100644\nnew mode 120000\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1 @@\n-one\n-two\n+/etc/passwd\n";
    vec![
        says(59, &[mode]).with(&["--format", "diff", "--repairs", "0"]).fails(
            "format",
            Some("file_mode"),
            "old mode 100644",
        ),
        Row {
            set: |sandbox| {
                sandbox.write("elsewhere", b"elsewhere\n");
                std::os::unix::fs::symlink("../elsewhere", sandbox.path("tree/a.py")).unwrap();
            },
            left: b"elsewhere\n".into(),
            ..link
        }
        .requests(0),
        Row {
            set: |sandbox| {
                sandbox.write("elsewhere", b"elsewhere\n");
                std::fs::hard_link(sandbox.path("elsewhere"), sandbox.path("tree/a.py")).unwrap();
            },
            left: b"elsewhere\n".into(),
            ..says(59, &[&patch("one\nthree\n")]).file("", "").fails("unsafe_path", None, "a.py")
        }
        .requests(0),
        Row { set: |sandbox| sandbox.write("tree/b.py", b"b\n"), ..says(61, &[half]) }
            .with(&["--owns", "b.py", "--format", "diff", "--repairs", "0"])
            .fails("format", Some("hunk_not_found"), "b.py")
            .wants(&json!({"files": []})),
    ]
}

fn circles() -> Vec<Row> {
    let same = patch("one\ntwo\n");
    let three = patch("one\nthree\n");
    let fenced = "a.py\n```\none\nthree\n```\n";
    let again = row(62, Has::Raw(vec![said("no")])).hears(&["there is no JSON object in the answer"]);
    vec![
        again.fails("format", Some("no_object"), "").requests(2),
        says(60, &[&same]).file("one\ntwo\n", "one\ntwo\n").exits(1).wants(&json!({"outcome": "no_op"})),
        says(62, &["no", "no", &three])
            .fails("format", Some("no_object"), "there is no JSON object in the answer")
            .requests(2),
        says(62, &["no", "not yet", fenced])
            .wants(&json!({"repairs": 2, "steps": ["switched_format"]}))
            .requests(3),
    ]
}
