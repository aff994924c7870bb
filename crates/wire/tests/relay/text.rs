//! Plain text: the rule of whole tokens.

use super::named;
use rehearsal_wire::relay::text::{TextMap, mapped_text};

#[test]
fn an_id_counts_as_a_whole_token() {
    for (real, text, wanted) in [
        ("gpt-4", "gpt-4", "A"),
        ("gpt-4", "perm-gpt-4", "perm-A"),
        ("gpt-4", "xgpt-4", "xgpt-4"),
        ("gpt-4", "gpt-4o", "gpt-4o"),
        ("gpt-4", "gpt-4-o gpt-4.", "A-o A."),
        ("gpt-4", "égpt-4 gpt-4é 4gpt-4", "égpt-4 gpt-4é 4gpt-4"),
        ("gpt-4", "😀gpt-4😀", "😀A😀"),
        ("gpt-4", "_gpt-4_", "_A_"),
        ("gpt-4", "gpt-gpt-4 gpgpt-4 gpt-4", "gpt-A gpgpt-4 A"),
        ("a", "a an banana a", "A an banana A"),
        ("/models/x.gguf", "file:///models/x.gguf?q", "file://A?q"),
        ("/models/x.gguf", "perm-/models/x.gguf", "perm-A"),
        ("/models/x.gguf", "x/models/x.gguf", "xA"),
        ("/models/x.gguf", "/models/x.gguf2", "/models/x.gguf2"),
        ("m:", "m:8 m: xm:", "A8 A xm:"),
        ("a-a", "a-a-a", "A-a"),
        ("a-a", "xa-a-a", "xa-A"),
        ("aa", "aaa aa", "aaa A"),
        ("żó", "żó żół xżó", "A żół xżó"),
        ("😀", "x😀x", "xAx"),
        ("gpt-4", "", ""),
    ] {
        let mapped = mapped_text(&named(real, "A"), text.as_bytes());
        assert_eq!(String::from_utf8(mapped).unwrap(), wanted, "{real} in {text}");
    }
}

#[test]
fn bytes_that_are_no_text_pass_and_are_no_letters() {
    for (text, wanted) in [
        (&b"\xFFgpt-4\xFF"[..], &b"\xFFA\xFF"[..]),
        (b"\xC3gpt-4\xC3", b"\xC3A\xC3"),
        (b"\xA9gpt-4\xE2\x82", b"\xA9A\xE2\x82"),
        (b"gpt-4\xE2\x82x", b"A\xE2\x82x"),
        (b"\xF0\x9Fgpt-4", b"\xF0\x9FA"),
    ] {
        assert_eq!(mapped_text(&named("gpt-4", "A"), text), wanted, "{text:?}");
    }
}

#[test]
fn only_what_may_be_the_beginning_of_an_id_waits() {
    let mut map = TextMap::new(&named("gpt-4", "A"));
    for (piece, leaves, waits) in [
        ("hello ", "hello ", 0),
        ("g", "", 1),
        ("a", "ga", 0),
        // Behind a letter no id begins.
        ("gp", "gp", 0),
        (" gpt-", " ", 4),
        ("4", "", 5),
        (".", "A.", 0),
        (" gpt-4", " ", 5),
    ] {
        let mut out = Vec::new();
        map.push(piece.as_bytes(), &mut out);
        assert_eq!((String::from_utf8(out).unwrap().as_str(), map.pending()), (leaves, waits), "{piece}");
    }
    let mut out = Vec::new();
    map.push(b"\xC3", &mut out);
    assert_eq!((out.len(), map.pending()), (0, 6), "half a character tells nothing yet");
    map.push(b"\xA9", &mut out);
    assert_eq!((&out[..], map.pending()), ("gpt-4é".as_bytes(), 0));
    // An id that ends with no letter needs no look at what follows.
    let mut map = TextMap::new(&named("m:", "A"));
    let mut out = Vec::new();
    map.push(b"m:", &mut out);
    assert_eq!((&out[..], map.pending()), (&b"A"[..], 0));
}
