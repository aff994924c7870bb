//! Inputs that are made to crash a relay, to fill its memory or to keep it busy: each passes, and in the time of its bytes.

use super::{named, names};
use rehearsal_wire::json::parse;
use rehearsal_wire::relay::coding::{Coding, CodingError, Decoder};
use rehearsal_wire::relay::events::EventMap;
use rehearsal_wire::relay::json::JsonMap;
use rehearsal_wire::relay::request::{RequestFault, rename};
use rehearsal_wire::relay::same_input::{last_user_text, normal};
use rehearsal_wire::relay::text::TextMap;

/// Bytes that a map of the test ids may hold back, whatever comes.
const WAITING: usize = 6 * 14 + 15;

/// Texts of about a quarter of a megabyte.
fn texts() -> Vec<String> {
    const M: &str = "/models/x.gguf";
    let much = |part: &str| part.repeat((1 << 18) / part.len());
    vec![
        much("["),
        much("{\"a\":"),
        much("{\"choices\":["),
        much("[]"),
        much("\""),
        much("\\"),
        format!("\"{}", much("\\ud83d")),
        format!("\"{}", much("\\\\")),
        format!("[\"{}\"]", much("\\/")),
        format!("[\"{}\"]", much("/models/x.ggu")),
        format!("[\"{}\"]", much("\\/models\\/x.ggu")),
        format!("[\"{}\"]", much(M)),
        format!("{{\"{}\":1}}", much("\\u0063hoices")),
        format!("-{}", much("1")),
        format!("1.{}e", much("0")),
        much("null "),
        much("\u{FEFF}"),
        much("{} "),
        much(M),
        much("/"),
        format!("data: {}", much("[")),
        much("data: [\n"),
        much("data\n"),
        much("data: [DONE]\n"),
        much("data: [DON"),
        much("\r"),
        much(":"),
        much("d"),
        much("event: /models/\n\n"),
        much("\u{0}"),
    ]
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test of how long it takes")]
fn hostile_texts_pass_in_the_time_of_their_bytes_and_wait_in_little_memory() {
    let begun = std::time::Instant::now();
    for text in texts() {
        for size in [1 << 21, 7] {
            let mut json = JsonMap::new(&names(), &["choices"]);
            let mut events = EventMap::new(&names(), &["choices"]);
            let mut plain = TextMap::new(&names());
            let mut out = [Vec::new(), Vec::new(), Vec::new()];
            for piece in text.as_bytes().chunks(size) {
                json.push(piece, &mut out[0]);
                events.push(piece, &mut out[1]);
                plain.push(piece, &mut out[2]);
                assert!(json.pending().max(events.pending()).max(plain.pending()) <= WAITING);
            }
            json.finish(&mut out[0]);
            events.finish(&mut out[1]);
            plain.finish(&mut out[2]);
            let start: String = text.chars().take(40).collect();
            if !text.contains("/models/x.gguf") && !text.contains("\\/models") {
                assert!(out.iter().all(|out| out == text.as_bytes()), "{start}");
            }
        }
    }
    // Anything that grows with the square of its bytes would take hours.
    assert!(begun.elapsed().as_secs() < 240, "{:?}", begun.elapsed());
}

#[test]
fn an_id_that_repeats_itself_is_found_in_what_repeats_it() {
    let id = "a-".repeat(100);
    let mut map = TextMap::new(&named(&id, "b"));
    let mut out = Vec::new();
    for piece in "a-".repeat(20_000).as_bytes().chunks(3) {
        map.push(piece, &mut out);
        assert!(map.pending() < id.len() + 4);
    }
    map.finish(&mut out);
    assert_eq!(out, b"b".repeat(200));
}

#[test]
fn heads_without_end_and_parts_without_content_cost_no_memory() {
    let endless = [&b"\x1F\x8B\x08\x08\0\0\0\0\0\0"[..], &vec![b'x'; 1 << 20]].concat();
    let empty_blocks = [&b"\x28\xB5\x2F\xFD\x00\x58"[..], &[0; 3 << 16]].concat();
    let skipped = [&b"\x50\x2A\x4D\x18\xFF\xFF\xFF\xFF"[..], &vec![0; 1 << 20]].concat();
    let no_frames = b"\x50\x2A\x4D\x18\0\0\0\0".repeat(1 << 14);
    for (coding, body, result) in [
        (Coding::Gzip, endless, Err(CodingError::Cut(Coding::Gzip))),
        (Coding::Zstd, empty_blocks, Err(CodingError::Cut(Coding::Zstd))),
        (Coding::Zstd, skipped, Err(CodingError::Cut(Coding::Zstd))),
        (Coding::Zstd, no_frames, Ok(())),
        (Coding::Deflate, b"\x00\0\0\xFF\xFF".repeat(1 << 14), Err(CodingError::Cut(Coding::Deflate))),
    ] {
        for size in [1 << 21, 100] {
            let mut decoder = Decoder::new(&[coding], 1 << 20);
            let mut out = Vec::new();
            for piece in body.chunks(size) {
                decoder.push(piece, &mut out).unwrap();
            }
            assert_eq!((decoder.finish(&mut out), out.len()), (result.clone(), 0), "{coding:?}");
        }
    }
}

#[test]
fn requests_of_any_shape_are_judged() {
    for body in ["null", "5", "[]", "\"\"", "[{\"model\":1}]"] {
        assert_eq!(rename(&parse(body.as_bytes()).unwrap(), "x"), Err(RequestFault::NoObject), "{body}");
        assert_eq!(last_user_text(parse(body.as_bytes()).unwrap().root()), None, "{body}");
    }
    let keys: String = (0..100_000).map(|number| format!("\"k{number}\":{number},")).collect();
    let body = format!("{{{keys}\"model\":\"a\"}}");
    assert!(rename(&parse(body.as_bytes()).unwrap(), "b").unwrap().ends_with(b"\"model\":\"b\"}"));
    let parts = "{\"type\":\"text\",\"text\":\"\\ud800 * \\n\"},".repeat(50_000);
    let body = format!(
        "{{\"messages\":[{{\"role\":\"user\",\"content\":[{parts}{{\"type\":\"text\",\"text\":\"\"}}]}}]}}"
    );
    let text = last_user_text(parse(body.as_bytes()).unwrap().root()).unwrap();
    assert_eq!(normal(&text).lines().count(), 50_000);
}
