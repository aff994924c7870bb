//! What is checked of a cassette before any of it is used.

use crate::tape::{Exchange, Tape};
use rehearsal_bridge::cassette::{self, Ending};
use serde_json::json;

#[test]
fn recordings_come_in_the_order_of_their_numbers_with_all_that_is_needed_to_serve_them() {
    let mut cut = Exchange::of("two", "part");
    (cut.complete, cut.status) = (false, 203);
    cut.pieces = json!([[5, 4], [70_000, 1]]);
    let tape = Tape::new("order", &[Exchange::of("one", "whole").on("a"), cut, Exchange::models()]);
    let cassette = tape.open().unwrap();
    let names: Vec<_> = cassette.recordings.iter().map(|recording| recording.name.as_str()).collect();
    assert_eq!(names, ["0001-a", "0002-x", "0003-x"]);
    let [first, second, models] = &cassette.recordings[..] else { panic!("three") };
    assert_eq!((first.case.as_deref(), first.ending, first.status), (Some("a"), Ending::Whole, 200));
    assert_eq!((second.case.as_deref(), second.ending, second.status), (None, Ending::Cut, 203));
    // What no piece covers leaves with the last.
    let bytes = second.body.beginning(u64::MAX).unwrap().bytes;
    assert_eq!(second.pieces, [(5, 4), (70_000, 1), (70_000, bytes - 5)]);
    assert_eq!(second.body.beginning(3).unwrap().bytes, 3);
    assert_eq!(second.body.read(10).unwrap().len(), 10);
    assert_eq!((models.key.route.as_str(), models.key.turn), ("GET /v1/models", 0));
    assert_eq!(first.key.user_text, "one");
}

#[test]
fn one_exchange_is_a_cassette_and_a_folder_above_exchanges_is_one() {
    let tape = Tape::new("above/private/exchanges", &[Exchange::of("one", "1"), Exchange::of("two", "2")]);
    let folder = tape.path();
    let count = |path: &std::path::Path| cassette::open(path).unwrap().recordings.len();
    assert_eq!(count(&folder.join("0002-x.json")), 1);
    assert_eq!(count(folder), 2);
    assert_eq!(count(folder.parent().unwrap()), 2);
    assert_eq!(count(folder.parent().unwrap().parent().unwrap()), 2);
}

#[test]
fn a_changed_byte_of_any_file_names_the_file_and_what_can_be_done() {
    for (name, file) in [("request", "0001-x.request"), ("response", "0001-x.response")] {
        let tape = Tape::new(&format!("changed-{name}"), &[Exchange::of("one", "1")]);
        let mut bytes = std::fs::read(tape.path().join(file)).unwrap();
        bytes[3] ^= 1;
        tape.write(file, &bytes);
        let error = tape.open().unwrap_err().to_string();
        assert!(error.contains(file) && error.contains("0001-x.json"), "{error}");
        assert!(error.contains("Restore it"), "{error}");
        std::fs::remove_file(tape.path().join(file)).unwrap();
        let error = tape.open().unwrap_err().to_string();
        assert!(error.contains(file) && error.contains("is gone"), "{error}");
    }
}

#[test]
fn a_readable_file_of_another_form_is_refused_in_words() {
    let tape = Tape::new("forms", &[Exchange::of("one", "1")]);
    let text = std::fs::read_to_string(tape.path().join("0001-x.json")).unwrap();
    for (from, to, words) in [
        ("\"version\":1", "\"version\":2", "has version 2, and this program reads 1"),
        ("\"openai-chat\"", "\"esperanto\"", "esperanto"),
        ("\"clientLeft\":false", "\"clientLeft\":0", "/served/clientLeft"),
        ("\"sequence\":1", "\"sequence\":-1", "/sequence"),
        ("\"status\":200", "\"status\":70000", "status"),
        ("{", "", "not JSON"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        tape.write("0001-x.json", text.replacen(from, to, 1).as_bytes());
        let error = tape.open().unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("0001-x.json"), "{error}");
    }
}

#[test]
fn an_exchange_that_never_ended_is_named_and_not_served() {
    let tape = Tape::new("interrupted", &[Exchange::of("one", "1")]);
    tape.write("0002-y.request", b"{}");
    tape.write("0002-y.response", b"{\"half");
    // One that was refused has no response.
    tape.write("0003-z.request", b"{}");
    let cassette = tape.open().unwrap();
    assert_eq!(cassette.recordings.len(), 1);
    assert_eq!(cassette.interrupted, ["0002-y"]);
}

#[test]
fn the_whole_answer_of_a_client_that_left_is_mapped_as_its_beginning_was() {
    let mut left = Exchange::of("one", "m");
    left.client_left = true;
    let text = String::from_utf8(left.answered.clone()).unwrap().replacen(
        "\"model\":\"m\"",
        "\"model\":\"real\"",
        1,
    );
    left.answered = text.into_bytes();
    left.pieces = json!([[5, 10], [6, left.answered.len() - 10]]);
    let tape = Tape::new("left", &[left]);
    let sum = |bytes: &[u8]| rehearsal_journal::digest::text(&rehearsal_journal::digest::of(bytes));
    let asked = std::fs::read_to_string(tape.path().join("0001-x.request")).unwrap();
    let forwarded = asked.replace("\"m\"", "\"real\"");
    tape.write("0001-x.upstream-request", forwarded.as_bytes());
    tape.write("0001-x.served", b"{\"ch");
    let mut value: serde_json::Value =
        serde_json::from_slice(&std::fs::read(tape.path().join("0001-x.json")).unwrap()).unwrap();
    value["forward"] = json!({"bytes": forwarded.len(), "sha256": sum(forwarded.as_bytes())});
    value["served"]["file"] = json!(true);
    value["served"]["bytes"] = json!(4);
    value["served"]["sha256"] = json!(sum(b"{\"ch"));
    tape.write("0001-x.json", value.to_string().as_bytes());
    let cassette = tape.open().unwrap();
    let recording = &cassette.recordings[0];
    assert_eq!((recording.ending, recording.length, recording.pieces.len()), (Ending::ClientLeft, None, 2));
    let body = String::from_utf8(recording.body.read(10_000).unwrap()).unwrap();
    assert!(body.contains("\"model\":\"m\"") && !body.contains("real"), "{body}");
    assert_eq!(recording.body.beginning(u64::MAX).unwrap().bytes, body.len() as u64);
}

#[test]
fn nothing_at_all_says_what_a_cassette_is() {
    let tape = Tape::new("nothing", &[]);
    tape.write("notes.txt", b"");
    for path in [tape.path().to_owned(), tape.path().join("notes.txt"), tape.path().join("missing")] {
        let error = cassette::open(&path).unwrap_err().to_string();
        assert!(error.contains("rehearsal record --data"), "{error}");
    }
}
