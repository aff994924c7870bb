//! Event streams: lines, documents over lines, and how a stream ended.

use super::{named, names};
use rehearsal_wire::relay::events::{EventMap, StreamEnd};

const M: &str = "/models/x.gguf";

fn mapped(text: &str) -> String {
    let mut map = EventMap::new(&names(), &["choices"]);
    let mut out = Vec::new();
    map.push(text.as_bytes(), &mut out);
    map.finish(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn each_part_of_a_stream_is_mapped_and_keeps_its_form() {
    let event = format!("data: {{\"model\":\"{M}\",\"choices\":[\"{M}\"]}}\n\n");
    for (text, wanted) in [
        (event.clone(), event.replacen(M, "public", 1)),
        (event.replace('\n', "\r\n"), event.replace('\n', "\r\n").replacen(M, "public", 1)),
        (event.replace('\n', "\r"), event.replace('\n', "\r").replacen(M, "public", 1)),
        (event.replace("data: ", "data:"), event.replace("data: ", "data:").replacen(M, "public", 1)),
        (format!("\u{FEFF}{event}"), format!("\u{FEFF}{}", event.replacen(M, "public", 1))),
        (event.trim_end().to_owned(), event.trim_end().replacen(M, "public", 1)),
        (format!(": served by {M}\n\n"), ": served by public\n\n".to_owned()),
        (format!(":{M}\r\r"), ":public\r\r".to_owned()),
        (format!("event: {M}\nid:{M}\nretry: 1500\n"), "event: public\nid:public\nretry: 1500\n".to_owned()),
        (format!("x-{M}: {M}\n{M}"), "x-public: public\npublic".to_owned()),
        ("data: [DONE]\n\n".to_owned(), "data: [DONE]\n\n".to_owned()),
        (format!("data: [DONE] {M}\n\n"), "data: [DONE] public\n\n".to_owned()),
        (
            format!("data: not json {M}\n\ndata: {{\"choices\":\"{M}\"}}\n\n"),
            format!("data: not json public\n\ndata: {{\"choices\":\"{M}\"}}\n\n"),
        ),
        (
            format!("data: {{\"model\":\ndata: \"{M}\",\ndata:\ndata: \"choices\":\ndata: \"{M}\"}}\n\n"),
            format!("data: {{\"model\":\ndata: \"public\",\ndata:\ndata: \"choices\":\ndata: \"{M}\"}}\n\n"),
        ),
        (
            format!("data: {{\"choices\":\n: {M}\nid: {M}\ndata: [\"{M}\"],\"a\":\"{M}\"}}\n\n"),
            format!("data: {{\"choices\":\n: public\nid: public\ndata: [\"{M}\"],\"a\":\"public\"}}\n\n"),
        ),
        // Each event is a document of its own, also where the one before was cut.
        (
            format!("data: {{\"choices\":[\n\ndata: \"{M}\"\n\n"),
            "data: {\"choices\":[\n\ndata: \"public\"\n\n".to_owned(),
        ),
        (
            format!("data: [\"{M}\n\ndata\n\ndata: x\ndat"),
            "data: [\"public\n\ndata\n\ndata: x\ndat".to_owned(),
        ),
        (format!("data: {{\"m\":\"{M}"), "data: {\"m\":\"public".to_owned()),
        ("data: {\"m\":\"/models/x".to_owned(), "data: {\"m\":\"/models/x".to_owned()),
        ("data: [DO".to_owned(), "data: [DO".to_owned()),
        ("data: [DO\ndata: NE]\n\n".to_owned(), "data: [DO\ndata: NE]\n\n".to_owned()),
        (format!("data\n\ndata:  {M}\n\n"), "data\n\ndata:  public\n\n".to_owned()),
        (String::new(), String::new()),
    ] {
        assert_eq!(mapped(&text), wanted, "{text:?}");
    }
}

#[test]
fn names_of_fields_and_the_end_mark_stay_whatever_the_id() {
    for real in ["data", "event", "id", "retry", "DONE", "[DONE]", "["] {
        let stream = "event: x\nid: 1\nretry: 5\nretry\ndata: {\"a\":1}\n\ndata: [DONE]\n\ndata";
        let mut map = EventMap::new(&named(real, "A"), &[]);
        let mut out = Vec::new();
        map.push(stream.as_bytes(), &mut out);
        map.finish(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), stream, "{real}");
        assert!(map.done_seen());
    }
    let mut map = EventMap::new(&named("data-model", "A"), &[]);
    let mut out = Vec::new();
    map.push(b"data-model\ndata-model: x\ndata: data-model\n", &mut out);
    assert_eq!(String::from_utf8(out).unwrap(), "A\nA: x\ndata: A\n");
}

#[test]
fn lines_leave_as_soon_as_they_come() {
    let mut map = EventMap::new(&names(), &["choices"]);
    for (piece, leaves) in [
        ("da", ""),
        ("ta", ""),
        (":", "data:"),
        (" {\"choices\":[{\"delta\":\"/mod", " {\"choices\":[{\"delta\":\"/mod"),
        ("els/x.gguf\"}],\"model\":\"/mod", "els/x.gguf\"}],\"model\":\""),
        ("els/x.gguf", ""),
        ("\"", "public\""),
        ("}", "}"),
        ("\r", "\r"),
        ("\n", "\n"),
        ("\r", "\r"),
        ("data: [DONE", "data: "),
        ("]", "[DONE]"),
    ] {
        let mut out = Vec::new();
        map.push(piece.as_bytes(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), leaves, "{piece}");
    }
}

#[test]
fn it_tells_how_the_stream_ended() {
    use StreamEnd::{LastLineUnended, MidEvent, WholeEvents};
    for (text, end, done, events) in [
        ("", WholeEvents, false, 0),
        ("data: {}\n\n", WholeEvents, false, 1),
        ("data: {}\r\n\r", WholeEvents, false, 1),
        ("data: {}\r\r", WholeEvents, false, 1),
        ("data: {}\n\ndata: [DONE]\n\n", WholeEvents, true, 2),
        ("data: {}\n\n: pi", WholeEvents, false, 1),
        ("data: {}\n\nid: 5\n", WholeEvents, false, 1),
        ("\u{FEFF}", WholeEvents, false, 0),
        ("event: x\n\n", WholeEvents, false, 0),
        ("data\n\n", WholeEvents, false, 1),
        ("data: {}", LastLineUnended, false, 0),
        ("data: {}\n", LastLineUnended, false, 0),
        ("data: {}\nid: 1\n: x", LastLineUnended, false, 0),
        ("event: x\ndata: {\ndata: }", LastLineUnended, false, 0),
        ("data: {}\n\ndata: [DONE]", LastLineUnended, true, 1),
        ("data: [DONE] \n", LastLineUnended, true, 0),
        ("data: {\"a\":", MidEvent, false, 0),
        ("data: {\"a\":\n", MidEvent, false, 0),
        ("data: {}\nid: 1", MidEvent, false, 0),
        ("data: {} x", MidEvent, false, 0),
        ("data: {} {}", MidEvent, false, 0),
        ("data: ", MidEvent, false, 0),
        ("data: [DON", MidEvent, false, 0),
        ("data: [DONE]x", MidEvent, false, 0),
        ("data: {}\n\nda", MidEvent, false, 1),
        // A byte order mark is one at the start only.
        ("data: {}\n\n\u{FEFF}data: {}", MidEvent, false, 1),
        ("event: x", MidEvent, false, 0),
        ("event: x\n", MidEvent, false, 0),
        ("nonsense", MidEvent, false, 0),
    ] {
        let mut map = EventMap::new(&names(), &["choices"]);
        let mut out = Vec::new();
        map.push(text.as_bytes(), &mut out);
        assert_eq!((map.ended(), map.done_seen(), map.events()), (end, done, events), "{text:?}");
        map.finish(&mut out);
        assert_eq!((map.ended(), map.done_seen(), map.events()), (end, done, events), "{text:?}, finished");
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }
}
