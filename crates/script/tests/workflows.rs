//! Workflow files in both forms: what good ones say, and every mistake with its place, its pointer, its code and its hint.
//!
//! `data/workflows.txt` holds blocks: `=== name`, the file, `~~~`, the findings without the file's name. Several files of one
//! suite follow each other with `+++ name`. A block that begins with `=== own` is a step list of our form, put into a case.

mod forms;

use forms::known;
use proptest::prelude::*;
use rehearsal_script::File;
use rehearsal_script::finding::Finding;
use rehearsal_script::workflow::{
    Check, Control, Form, Given, LooseCheck, Outcome, Part, Piece, Reference, Workflow, WorkflowCase, is_one,
    lint, read,
};
use serde_json::{Map, Value, json};
use std::time::Duration;

const TABLE: &str = include_str!("data/workflows.txt");

/// The head of a file of our form, up to the fields of its first case but its outcome and its steps.
const HEAD: &str = "version: 1\nworkflow: w\ncases:\n- id: c\n";

fn told(finding: &Finding) -> String {
    let Finding { line, column, pointer, code, message, .. } = finding;
    let hint = finding.hint.as_ref().map_or_else(String::new, |hint| format!("\n  hint: {hint}"));
    format!("{line}:{column} {pointer:?} {}: {message}{hint}\n", code.word())
}

#[test]
fn every_mistake_is_found_where_it_stands() {
    let (mut wrong, mut blocks, mut whole) = (Vec::new(), 0, String::new());
    for block in TABLE.split("=== ").skip(1) {
        let (text, wanted) = block.split_once("\n~~~\n").unwrap_or_else(|| panic!("no ~~~ in {block}"));
        let files: Vec<(&str, String)> = text
            .split("\n+++ ")
            .map(|file| {
                let (name, text) = file.split_once('\n').unwrap();
                if name.starts_with("own") {
                    (name, format!("{HEAD}{text}"))
                } else {
                    (name, text.to_owned())
                }
            })
            .collect();
        let files: Vec<File<'_>> =
            files.iter().map(|(name, text)| File { name, bytes: text.as_bytes() }).collect();
        let found: String = lint(&files, &known()).iter().map(told).collect();
        if found.trim_end() != wanted.trim_end() {
            wrong.push(text.lines().next().unwrap().to_owned());
        }
        whole.push_str(&format!("=== {text}\n~~~\n{found}\n"));
        blocks += 1;
    }
    assert!(blocks >= 50, "only {blocks} blocks");
    assert!(wrong.is_empty(), "{wrong:?} differ; the table as it comes out:\n{whole}");
}

fn one(name: &str, text: &str) -> Workflow {
    let read = read(&[File { name, bytes: text.as_bytes() }], &known());
    read.unwrap_or_else(|findings| panic!("{text}: {findings:?}")).remove(0)
}

fn name(row: usize) -> &'static str {
    forms::STEPS[row].name
}

const OWN: &str = include_str!("../fuzz/seeds/workflow/own.yaml");

#[test]
fn our_form_is_read_with_what_the_workflow_says_for_all_cases() {
    let workflow = one("w.yaml", OWN);
    assert_eq!(
        (workflow.id.as_str(), workflow.title.as_str(), workflow.form),
        ("lineage/first", "Lineage", Form::Own)
    );
    let [derived, missing, other] = &workflow.cases[..] else { panic!("{workflow:?}") };
    assert_eq!((derived.name.as_str(), derived.title.as_str()), ("lineage/first/derived", "Derived"));
    assert_eq!((derived.outcome, derived.place.line), (Outcome::Provenance, 8));
    assert_eq!(
        (&derived.permissions[..], &derived.artifacts[..]),
        (&["workspace:write".to_owned()][..], &["raw.csv".to_owned()][..])
    );
    assert_eq!(
        (derived.time_limit, &derived.needs[..]),
        (Some(Duration::from_secs(30)), &["git".to_owned()][..])
    );
    let steps: Vec<_> =
        derived.steps.iter().map(|step| (step.id.as_str(), name(step.row), step.called.as_str())).collect();
    let save = "save_artifact";
    assert_eq!(
        steps,
        [
            ("open_session", "open_session", "open_session"),
            ("raw", save, save),
            (save, save, save),
            ("save_artifact-2", save, save)
        ]
    );
    assert_eq!(derived.steps[1].time_limit, Some(Duration::from_secs(5)));
    // A case in which a step refuses does not take the workflow's artifacts over.
    assert_eq!((missing.refusal.clone(), missing.artifacts.len()), (Some((0, "E_NO_FILE".to_owned())), 0));
    assert_eq!((missing.control, missing.skip.as_deref()), (Some(Control::Cheat), Some("why not")));
    assert_eq!((missing.permissions.len(), missing.time_limit), (0, Some(Duration::from_secs(60))));
    assert_eq!((other.artifacts.len(), other.permissions.len()), (0, 1));
}

#[test]
fn references_lead_to_what_earlier_steps_observed() {
    let workflow = one("w.yaml", OWN);
    let step = &workflow.cases[0].steps[2];
    let Given::Text(pieces) = &step.with[0].1 else { panic!("{step:?}") };
    let reference = |step, path: Vec<Part>, text: &str| Reference { step, path, text: text.to_owned() };
    let key = |key: &str| Part::Key(key.to_owned());
    assert_eq!(
        pieces[..],
        [
            Piece::Reference(reference(1, vec![key("artifact_id")], "${raw.artifact_id}")),
            Piece::Text("-".to_owned()),
            Piece::Reference(reference(0, vec![key("project_id")], "${open_session.project_id}")),
            Piece::Text(".csv${x}".to_owned()),
        ]
    );
    let way = vec![key("inputs"), key("list"), Part::At(2)];
    assert_eq!(step.with[1].1, Given::Reference(reference(1, way, "${raw.inputs.list[2]}")));
    let observed: Vec<Map<String, Value>> = [
        json!({"project_id": 7}),
        json!({"artifact_id": "a", "version_id": "v", "version": 3, "inputs": {"list": [0, 1, {"x": null}]}}),
    ]
    .into_iter()
    .map(|value| value.as_object().unwrap().clone())
    .collect();
    let resolved: Vec<_> =
        step.with.iter().map(|(_, given)| given.resolve(&|at| observed.get(at)).unwrap()).collect();
    assert_eq!(resolved, [json!("a-7.csv${x}"), json!({"x": null}), json!(["v", "plain"])]);
    let lost = step.with[1].1.resolve(&|_| None).unwrap_err();
    assert_eq!(lost.to_string(), "${raw.inputs.list[2]} leads to nothing that was observed");

    let checks: Vec<_> =
        step.expect.iter().map(|expectation| (expectation.field.as_str(), &expectation.check)).collect();
    let checksum = reference(1, vec![key("checksum")], "${raw.checksum}");
    assert_eq!(
        checks,
        [
            ("checksum", &Check::Len(64)),
            ("checksum", &Check::Ne(Given::Reference(checksum))),
            ("edges[0].a", &Check::Absent),
            ("version", &Check::Eq(Given::Value(json!(1)))),
        ]
    );
    assert_eq!(step.expect[2].path, [key("edges"), Part::At(0), key("a")]);
    assert_eq!((step.expect[0].place.line, step.expect[0].place.column), (21, 11));
    let Check::Eq(Given::List(items)) = &workflow.cases[0].steps[3].expect[0].check else {
        panic!("{workflow:?}")
    };
    assert_eq!(items[0], Given::Value(json!("a")));
}

#[test]
fn every_operator_is_read() {
    let text = "version: 1\nworkflow: w\ncases:\n- id: a\n  outcome: success\n  steps:\n  - use: http_get\n    with: {url: u}\n    \
        expect: {a: {eq: {}}, b: {ne: null}, c: {absent: true}, d: {present: true}, e: {contains: x}, f: {matches: 'a|b'}, g: {len: 0}, \
        h: {gt: -1}, i: {ge: 18446744073709551615}, j: {lt: 1.5}, k: {le: 1e3}, l: {one_of: [1, [2]]}, m: {sha256_of: x.csv}, n: {exists: false}}\n";
    let workflow = one("w.yaml", text);
    let checks: Vec<_> =
        workflow.cases[0].steps[0].expect.iter().map(|expectation| &expectation.check).collect();
    let value = |value: Value| Given::Value(value);
    let wanted = [
        Check::Eq(value(json!({}))),
        Check::Ne(value(Value::Null)),
        Check::Absent,
        Check::Present,
        Check::Contains(value(json!("x"))),
        Check::Matches("a|b".to_owned()),
        Check::Len(0),
        Check::Gt(value(json!(-1))),
        Check::Ge(value(json!(u64::MAX))),
        Check::Lt(value(json!(1.5))),
        Check::Le(value(json!(1000.0))),
        Check::OneOf(vec![value(json!(1)), value(json!([2]))]),
        Check::Sha256Of(value(json!("x.csv"))),
        Check::Exists(false),
    ];
    assert_eq!(checks, wanted.iter().collect::<Vec<_>>());
    assert_eq!(wanted.len(), Check::WORDS.len());
}

#[test]
fn the_reference_s_form_is_read_with_inputs_by_the_name_of_a_step() {
    let text = r#"{"id": "w", "version": 1.5, "title": "t", "summary": "s", "permissions": ["anything"], "artifacts": ["a"],
        "steps": ["open_session", "save_raw", "save_derived", "save_raw"], "failure_conditions": ["f"], "cases": [
        {"id": "w/a", "title": "A", "outcome": "provenance",
         "inputs": {"*": {"filename": "all", "content": "c", "nobody": {}}, "save_raw": {"as": "${x}", "content": "own"}},
         "expect": {"a": null, "b__contains": ["x"], "c__len": 3, "d__e__truthy": false}},
        {"id": "w/b", "title": "B", "outcome": "cancelled", "steps": ["open_session"], "notes": "n"}]}"#;
    let workflow = one("w.json", text);
    assert_eq!((workflow.id.as_str(), workflow.form), ("w", Form::Reference));
    let [a, b] = &workflow.cases[..] else { panic!("{workflow:?}") };
    let text = |name: &str, text: &str| (name.to_owned(), Given::Value(json!(text)));
    let steps: Vec<_> =
        a.steps.iter().map(|step| (step.id.as_str(), name(step.row), step.called.as_str())).collect();
    let save = "save_artifact";
    assert_eq!(
        steps,
        [
            ("open_session", "open_session", "open_session"),
            ("save_raw", save, "save_raw"),
            ("save_derived", save, "save_derived"),
            ("save_raw-2", save, "save_raw")
        ]
    );
    assert_eq!(a.steps[0].with, []);
    assert_eq!(a.steps[1].with, [text("filename", "all"), text("content", "own"), text("as", "${x}")]);
    assert_eq!(a.steps[2].with, [text("filename", "all"), text("content", "c")]);
    assert_eq!(a.steps[3].with, a.steps[1].with);
    let expect: Vec<_> =
        a.expect.iter().map(|loose| (loose.field.as_str(), loose.check, &loose.wanted)).collect();
    assert_eq!(
        expect,
        [
            ("a", LooseCheck::Equal, &Value::Null),
            ("b", LooseCheck::Contains, &json!(["x"])),
            ("c", LooseCheck::Len, &json!(3)),
            ("d__e", LooseCheck::Truthy, &json!(false)),
        ]
    );
    assert_eq!(
        (b.outcome, b.steps.len(), b.expect.len(), &b.artifacts[..]),
        (Outcome::Cancelled, 1, 0, &["a".to_owned()][..])
    );
    assert_eq!((a.refusal.clone(), a.control, a.time_limit), (None, None, None));
}

#[test]
fn a_file_with_cases_at_its_top_is_a_workflow() {
    for (name, text, is) in [
        ("a.yaml", OWN, true),
        ("a.json", "{\"cases\": 1}", true),
        ("a.yaml", "version: 1\nclasses: {}\n", false),
        ("a.yaml", "[", false),
        ("a.json", "{\"a\": {\"cases\": []}}", false),
    ] {
        assert_eq!(is_one(&File { name, bytes: text.as_bytes() }), is, "{text}");
    }
    let known = known();
    let files = [File { name: "a.yaml", bytes: OWN.as_bytes() }];
    assert_eq!(rehearsal_script::lint(&files, &known), []);
}

#[test]
fn the_guide_speaks_of_every_word() {
    let guide = include_str!("../../../docs/guide/workflows.md");
    for word in Check::WORDS.iter().chain(&Outcome::WORDS).chain(&Control::WORDS) {
        assert!(
            guide.contains(&format!("`{word}")) || guide.contains(&format!("{word}`")),
            "the guide does not speak of {word}"
        );
    }
}

/// What stands once in a file can be given to many cases and steps: a small file must not become a large one.
#[test]
fn cases_hold_no_more_than_fits() {
    let step = "{use: open_session}, ".repeat(1001);
    let many = format!(
        "version: 1\nworkflow: w\ncases: [{{id: a, outcome: success, artifacts: [x], steps: [{step}]}}]\n"
    );
    let found = lint(&[File { name: "w.yaml", bytes: many.as_bytes() }], &known());
    assert_eq!(found[0].message, "the case has 1001 steps; 1000 is the most");
    let (name, case) = ("x".repeat(10_000), "{id: c, outcome: success, steps: [{use: open_session}]}");
    let cases: String =
        (0..10_000).map(|at| format!("- {}\n", case.replace('c', &format!("c{at}")))).collect();
    let wide = format!("version: 1\nworkflow: w\nartifacts: [{name}]\ncases:\n{}", cases.replace("c0", "c"));
    let found = lint(&[File { name: "w.yaml", bytes: wide.as_bytes() }], &known());
    assert!(
        found.iter().any(|finding| finding.message == "the cases up to this one hold too much"),
        "{}",
        found.len()
    );
    let steps = vec!["\"open_session\""; 1000].join(",");
    let cases: Vec<String> = (0..1000)
        .map(|at| format!("{{\"id\": \"{at}\", \"title\": \"t\", \"outcome\": \"success\", \"inputs\": {{\"*\": {{\"project\": \"{name}\"}}}}}}"))
        .collect();
    let deep = format!(
        "{{\"id\": \"w\", \"version\": 1, \"title\": \"t\", \"summary\": \"s\", \"steps\": [{steps}], \"failure_conditions\": [\"f\"], \"cases\": [{}]}}",
        cases.join(",")
    );
    let found = lint(&[File { name: "w.json", bytes: deep.as_bytes() }], &known());
    assert!(
        found.iter().any(|finding| finding.message == "the cases up to this one hold too much"),
        "{}",
        found.len()
    );
}

/// Ten workflows with twenty cases in the reference's form, which lie beside the checkout where they are kept.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test that reads files which are no part of this crate")]
fn the_reference_s_own_workflows_are_read_unchanged() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/workflows");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("left out: there is no {}", folder.display());
        return;
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let texts: Vec<(String, Vec<u8>)> =
        paths.iter().map(|path| (path.display().to_string(), std::fs::read(path).unwrap())).collect();
    let files: Vec<File<'_>> = texts.iter().map(|(name, bytes)| File { name, bytes }).collect();
    assert_eq!(lint(&files, &known()), []);
    let workflows = read(&files, &known()).unwrap();
    let cases: Vec<&WorkflowCase> = workflows.iter().flat_map(|workflow| &workflow.cases).collect();
    assert_eq!((workflows.len(), cases.len()), (10, 20));
    assert!(workflows.iter().all(|workflow| workflow.form == Form::Reference));
    let missing = cases.iter().find(|case| case.name == "artifact-lineage/missing-input").unwrap();
    let called: Vec<_> = missing.steps.iter().map(|step| step.called.as_str()).collect();
    assert_eq!(called, ["open_session", "save_raw", "save_derived", "assert_lineage"]);
    assert_eq!(
        (missing.expect[0].field.as_str(), &missing.expect[0].wanted),
        ("error_type", &json!("KeyError"))
    );
}

const REFERENCE: &str = include_str!("../fuzz/seeds/workflow/reference.json");

fn look_at(bytes: &[u8]) {
    for name in ["f.json", "f.yaml"] {
        let file = File { name, bytes };
        let (first, again) = (read(&[file], &known()), read(&[file], &known()));
        assert_eq!(first, again);
        assert!(first.err().is_none_or(|findings| !findings.is_empty()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        look_at(&bytes);
        let mut file = b"version: 1\nworkflow: w\ncases:\n".to_vec();
        file.extend(bytes);
        look_at(&file);
    }

    #[test]
    fn any_texts_of_steps_are_read_without_a_panic(text in "[${}.\\[\\]a0: '\"\\-]{0,40}") {
        let quoted = Value::String(text).to_string();
        let file = format!(
            "version: 1\nworkflow: w\ncases: [{{id: a, outcome: success, steps: [{{use: http_get, id: a, with: {{url: u}}}}, \
             {{use: http_get, with: {{url: {quoted}, {quoted}: 1}}, expect: {{{quoted}: {quoted}}}}}]}}]"
        );
        look_at(file.as_bytes());
    }

    #[test]
    fn a_damaged_file_is_read_without_a_panic(
        seed in 0..2_usize,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..6),
    ) {
        let mut bytes = [OWN, REFERENCE][seed].as_bytes().to_vec();
        for (place, byte, kind) in damage {
            if bytes.is_empty() {
                break;
            }
            let at = place.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        look_at(&bytes);
    }
}
