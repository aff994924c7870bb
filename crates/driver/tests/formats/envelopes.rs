//! The JSON envelope: what is taken as it is, what is taken with a leniency, what is refused and where.

use super::{fault, files, leniencies, read};
use rehearsal_driver::worker::format::At;

const GOOD: &str = r#"{"files":[{"path":"a.py","contents":"x = 1\n"}],"summary":"s","done":true}"#;

fn pointer(at: &str) -> At {
    At::Pointer(at.to_owned())
}

#[track_caller]
fn taken(text: &str, with: &[&str]) {
    let answer = read("json_patch", text, &[]).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(files(&answer), [("a.py", "x = 1\n")], "{text}");
    assert_eq!((answer.summary.as_deref(), answer.done), (Some("s"), true));
    assert_eq!(leniencies(&answer), with, "{text}");
}

#[track_caller]
fn refused(text: &str, code: &str) {
    assert_eq!(fault(read("json_patch", text, &[])).0, code, "{text}");
}

#[test]
fn a_strict_answer_needs_no_leniency() {
    taken(GOOD, &[]);
    taken(&format!("\n {GOOD}\n\n"), &[]);
}

#[test]
fn q14_a_leading_think_block_is_left_out() {
    taken(&format!("<think>\nlet me {{see}} \"x\n</think>\n\n{GOOD}"), &["think_block"]);
    taken(&format!("  <THINK></Think>{GOOD}"), &["think_block"]);
    taken(
        &format!("\u{FEFF}<think>é</think>```json\n{GOOD}\n```"),
        &["byte_order_mark", "think_block", "fence"],
    );
    refused(&format!("<think>one</think><think>{{</think>{GOOD}"), "not_json");
    refused(&format!("<think>never closed {GOOD} }}"), "stray_bracket");
}

#[test]
fn q15_think_tags_inside_a_string_are_not_touched() {
    let text = r#"{"files":[{"path":"a","contents":"<think>x</think>"}],"summary":"","done":true}"#;
    let answer = read("json_patch", text, &[]).unwrap();
    assert_eq!(files(&answer), [("a", "<think>x</think>")]);
    assert_eq!((leniencies(&answer), answer.summary), (vec![], None));
    let around = format!("<think>a</think>{text}");
    assert_eq!(files(&read("json_patch", &around, &[]).unwrap()), [("a", "<think>x</think>")]);
}

#[test]
fn q16_a_fence_around_the_whole_answer_is_unwrapped() {
    for (open, close) in [("```", "```"), ("```json", "```"), ("~~~JSON", "~~~"), ("````json", "````")] {
        taken(&format!("{open}\n{GOOD}\n{close}"), &["fence"]);
        taken(&format!("\n{open}\r\n{GOOD}\r\n{close}\r\n\n"), &["fence"]);
    }
}

#[test]
fn q17_another_fence_than_json_is_not_unwrapped() {
    for tag in ["bash", "python", "jsonc"] {
        refused(&format!("```{tag}\n{GOOD}\n```"), "other_fence");
        refused(&format!("```{tag}\nls\n```\n\n{GOOD}"), "other_fence");
        refused(&format!("{GOOD}\n```{tag}\nls\n```"), "other_fence");
    }
}

#[test]
fn q18_prose_around_exactly_one_object_is_left_out() {
    taken(&format!("Here it is: {GOOD}"), &["prose_around"]);
    taken(&format!("{GOOD}\nI hope \"this helps."), &["prose_around"]);
    taken(&format!("Sure!\n```json\n{GOOD}\n```\nDone."), &["prose_around"]);
    refused(&format!("{GOOD}\n{GOOD}"), "two_objects");
    refused(&format!("I use {{x}} here: {GOOD}"), "two_objects");
    refused(&format!("{GOOD} and {{"), "two_objects");
    refused(&format!("[{GOOD}, 1]x"), "stray_bracket");
    refused(&format!("{GOOD}}}"), "stray_bracket");
    refused("no object at all", "no_object");
    refused("", "no_object");
}

#[test]
fn q22_a_cut_answer_is_never_closed() {
    for end in 1..GOOD.len() {
        refused(&GOOD[..end], "cut");
        refused(&format!("```json\n{}", &GOOD[..end]), "cut");
    }
}

#[test]
fn q33_whatever_is_no_answer_by_the_schema_is_refused_where_it_is_wrong() {
    for (text, code, at) in [
        ("[]", "wrong_kind", ""),
        ("null", "wrong_kind", ""),
        (r#"{"files":[],"summary":""}"#, "missing_key", "/done"),
        (r#"{"files":[],"summary":null,"done":true}"#, "wrong_kind", "/summary"),
        (r#"{"files":{},"summary":"","done":true}"#, "wrong_kind", "/files"),
        (r#"{"files":[],"summary":"","done":"true"}"#, "wrong_kind", "/done"),
        (r#"{"files":[],"summary":"","done":true,"a/b~":1}"#, "unknown_key", "/a~1b~0"),
        (r#"{"files":["a"],"summary":"","done":true}"#, "wrong_kind", "/files/0"),
        (r#"{"files":[{"path":"a"}],"summary":"","done":true}"#, "missing_key", "/files/0/contents"),
        (
            r#"{"files":[{"path":"a","contents":"","mode":1}],"summary":"","done":true}"#,
            "unknown_key",
            "/files/0/mode",
        ),
        (
            r#"{"files":[{"path":"a","contents":""},{"path":7,"contents":""}],"summary":"","done":true}"#,
            "wrong_kind",
            "/files/1/path",
        ),
        (r#"{"files":[],"files":[],"summary":"","done":true}"#, "duplicate_key", "/files"),
        (
            r#"{"files":[{"path":"a","contents":"","path":"b"}],"summary":"","done":true}"#,
            "duplicate_key",
            "/files/0/path",
        ),
        (
            r#"{"files":[{"path":"a","contents":"\ud800x"}],"summary":"","done":true}"#,
            "lone_surrogate",
            "/files/0/contents",
        ),
    ] {
        assert_eq!(fault(read("json_patch", text, &[])), (code, pointer(at)), "{text}");
    }
}

#[test]
fn what_is_not_json_is_told_with_its_line() {
    for (text, line) in [
        ("{\"files\":[],\n\"summary\":NaN}", 2),
        ("{\"files\":[],\n\"summary\":Infinity}", 2),
        ("{'files':[]}", 1),
        ("{\"files\":[],}", 1),
        ("{\n\"summary\":\"a\nb\"}", 2),
        ("{\"summary\":\"\\x\"}", 1),
        ("<think>\n</think>\n{\"é\":tru}", 3),
    ] {
        assert_eq!(fault(read("json_patch", text, &[])), ("not_json", At::Line(line)), "{text}");
    }
    refused(&format!("{}1{}", "{\"a\":".repeat(3000), "}".repeat(3000)), "not_json");
}

#[test]
fn a_byte_order_mark_is_one_leniency_and_two_are_none() {
    taken(&format!("\u{FEFF}{GOOD}"), &["byte_order_mark"]);
    let twice = read("json_patch", &format!("\u{FEFF}\u{FEFF}{GOOD}"), &[]).unwrap();
    assert_eq!(leniencies(&twice), ["byte_order_mark", "prose_around"]);
}

#[test]
fn errors_are_bounded_whatever_they_repeat() {
    let long = "k".repeat(100_000);
    fault(read("json_patch", &format!("{{\"{long}\":1}}"), &[]));
    fault(read(
        "json_patch",
        &format!("{{\"files\":[{{\"{long}\":1}}],\"summary\":\"\",\"done\":true}}"),
        &[],
    ));
    fault(read("json_patch", &format!("```{long}\n{{}}"), &[]));
}
