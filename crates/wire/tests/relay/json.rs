//! JSON: what is mapped, and that nothing else changes.

use super::{named, names};
use rehearsal_wire::relay::json::{JsonMap, MAX_DEPTH, mapped_json};

fn mapped(text: &str) -> String {
    String::from_utf8(mapped_json(&names(), &["choices"], text.as_bytes())).unwrap()
}

#[test]
fn values_are_mapped_keys_and_choices_are_not() {
    const M: &str = "/models/x.gguf";
    for (text, wanted) in [
        (format!(r#"{{"model":"{M}"}}"#), r#"{"model":"public"}"#.to_owned()),
        (format!(r#"["{M}", {{"a":["<{M}>"]}}]"#), r#"["public", {"a":["<public>"]}]"#.to_owned()),
        (format!(r#""{M}""#), r#""public""#.to_owned()),
        (format!(r#"{{"{M}":"{M} {M}"}}"#), format!(r#"{{"{M}":"public public"}}"#)),
        (format!(r#"{{"choices":"{M}","a":"{M}"}}"#), format!(r#"{{"choices":"{M}","a":"public"}}"#)),
        (
            format!(r#"{{"choices":[{{"choices":"{M}","m":"{M}"}},"{M}"],"a":"{M}"}}"#),
            format!(r#"{{"choices":[{{"choices":"{M}","m":"{M}"}},"{M}"],"a":"public"}}"#),
        ),
        (
            format!(r#"{{"x":{{"choices":{{"a":"{M}"}},"b":"{M}"}},"c":"{M}"}}"#),
            format!(r#"{{"x":{{"choices":{{"a":"{M}"}},"b":"public"}},"c":"public"}}"#),
        ),
        (format!(r#"{{"choices":1,"a":"{M}"}}"#), r#"{"choices":1,"a":"public"}"#.to_owned()),
        (format!(r#"{{"choices":[],"a":"{M}"}}"#), r#"{"choices":[],"a":"public"}"#.to_owned()),
        (format!(r#"{{"choices":{{}},"a":"{M}"}}"#), r#"{"choices":{},"a":"public"}"#.to_owned()),
        (
            format!(r#"{{"choice":"{M}","choicess":"{M}"}}"#),
            r#"{"choice":"public","choicess":"public"}"#.to_owned(),
        ),
        // A key is compared as it decodes; a value of that name is none.
        (
            format!(r#"{{"\u0063hoices":"{M}","a":"choices","b":"{M}"}}"#),
            format!(r#"{{"\u0063hoices":"{M}","a":"choices","b":"public"}}"#),
        ),
        (format!(r#"["choices","{M}"]"#), r#"["choices","public"]"#.to_owned()),
    ] {
        assert_eq!(mapped(&text), wanted, "{text}");
    }
}

#[test]
fn an_id_is_found_however_it_is_written() {
    for (text, wanted) in [
        (r#""\/models\/x.gguf""#, r#""public""#),
        (r#""\u002Fmodels\u002fx.gguf\n""#, r#""public\n""#),
        (r#""\u002f\u006d\u006f\u0064\u0065\u006c\u0073/x.\u0067guf""#, r#""public""#),
        (r#""/models/x.gguf\u0032""#, r#""/models/x.gguf\u0032""#),
        (r#""/models/x.gguf\u00e9""#, r#""/models/x.gguf\u00e9""#),
        (r#""/models/x.gguf\ud83d\ude00""#, r#""public\ud83d\ude00""#),
        (r#""/models/x.gguf\ud83d""#, r#""public\ud83d""#),
        (r#""/models/x.gguf\udc00x""#, r#""public\udc00x""#),
        (r#""\ud83d\/models\/x.gguf""#, r#""\ud83dpublic""#),
        (r#""\ud83d\ud83d\u002fmodels\/x.gguf""#, r#""\ud83d\ud83dpublic""#),
        (r#""\/models\/x.ggu""#, r#""\/models\/x.ggu""#),
        (r#""\/models\/y\/models\/x.gguf\\""#, r#""\/models\/ypublic\\""#),
    ] {
        assert_eq!(mapped(text), wanted, "{text}");
    }
    let of = |real, alias, text: &str| {
        String::from_utf8(mapped_json(&named(real, alias), &[], text.as_bytes())).unwrap()
    };
    assert_eq!(
        of("😀m", "é\"\\", r#"["\ud83d\ude00m","\uD83D\uDE00\u006d","😀m","\ud83d"]"#),
        r#"["é\"\\","é\"\\","é\"\\","\ud83d"]"#
    );
    assert_eq!(of("a\"b", "c", r#"["a\"b","a\u0022b"]"#), r#"["c","c"]"#);
    assert_eq!(of("gpt-4", "c", r#"["\u0078gpt-4","\u002dgpt-4"]"#), r#"["\u0078gpt-4","\u002dc"]"#);
}

#[test]
fn every_other_byte_leaves_as_it_came() {
    for text in [
        "{ \"a\": 1.0, \"b\" :1e5,\n\"c\":12345678901234567890, \"d\":0.1000000000000000055, \"dup\":1,\"dup\":2,\"e\":1E400 }\r\n",
        r#"{"n":"n\u00e9","s":"\ud800","t":"\b\f\n\r\t\"\\\/","u":"\uD83D\uDE00"}"#,
        "{\"a\":NaN,\"b\":[Infinity,-Infinity,true,false,null]}",
        "\u{FEFF}{\"a\":[]}",
        "{\"a\":1}\n{\"a\":2}\n\n[]\n\"x\" 5 null",
        "",
        " \n",
    ] {
        assert_eq!(mapped(text), text);
    }
    let text = b"{\"a\":\"\xFF\xC3\xE2\x82\",\"b\":\"\xED\xA0\x80\"}";
    assert_eq!(mapped_json(&names(), &["choices"], text), text);
}

#[test]
fn several_documents_are_each_mapped() {
    let text = "{\"m\":\"/models/x.gguf\"}\n{\"choices\":\"/models/x.gguf\"}\n[\"/models/x.gguf\"] \"/models/x.gguf\" 5\n\"/models/x.gguf\"";
    let wanted =
        "{\"m\":\"public\"}\n{\"choices\":\"/models/x.gguf\"}\n[\"public\"] \"public\" 5\n\"public\"";
    assert_eq!(mapped(text), wanted);
    let marked = "\u{FEFF}{\"m\":\"/models/x.gguf\",\"choices\":\"/models/x.gguf\"}";
    assert_eq!(mapped(marked), "\u{FEFF}{\"m\":\"public\",\"choices\":\"/models/x.gguf\"}");
}

#[test]
fn what_stops_being_json_is_text_from_there_on() {
    const M: &str = "/models/x.gguf";
    for (text, wanted) in [
        (format!("<html>{M}</html>"), "<html>public</html>".to_owned()),
        (format!("this is {M}, not {M}2"), format!("this is public, not {M}2")),
        (M.to_owned(), "public".to_owned()),
        (format!("{{\"choices\":[\"{M}\"]}} {M}"), format!("{{\"choices\":[\"{M}\"]}} public")),
        (format!("{{\"choices\":[\"{M}\" x \"{M}\"]}}"), format!("{{\"choices\":[\"{M}\" x \"public\"]}}")),
        (format!("{{\"choices\":\"\\x {M}\"}}"), "{\"choices\":\"\\x public\"}".to_owned()),
        (format!("{{\"choices\":\"a\nb {M}\"}}"), "{\"choices\":\"a\nb public\"}".to_owned()),
        (format!("{{\"a\":\"{M}\n\"}}"), "{\"a\":\"public\n\"}".to_owned()),
        (format!("{{\"a\":\"{M}\\u00g\"}}"), format!("{{\"a\":\"{}\\u00g\"}}", "public")),
        (format!("{{\"a\" \"{M}\"}}"), "{\"a\" \"public\"}".to_owned()),
        (format!("{{}}{{\"{M}\":1}}"), "{}{\"public\":1}".to_owned()),
        (format!("[1,]{M}"), "[1,]public".to_owned()),
        (format!("nul {M}"), "nul public".to_owned()),
        (format!("01 {M}"), "01 public".to_owned()),
        (format!("{{\"a\":\"{M}"), "{\"a\":\"public".to_owned()),
    ] {
        assert_eq!(mapped(&text), wanted, "{text}");
    }
    let of = |real, text: &str| {
        String::from_utf8(mapped_json(&named(real, "A"), &["choices"], text.as_bytes())).unwrap()
    };
    assert_eq!(of("null-model", "null-model is down"), "A is down");
    assert_eq!(of("4x", "4x is down, 14x not"), "A is down, 14x not");
    assert_eq!(of("4", "[4,\"4\"] 4x 4"), "[4,\"A\"] 4x A");
    assert_eq!(of("4x", "14x"), "14x");
    assert_eq!(of("true", "[true,\"true\"]"), "[true,\"A\"]");
    assert_eq!(of("tru", "tru"), "A");
    assert_eq!(of("gpt-4", "1gpt-4 gpt-4"), "1gpt-4 A");
    assert_eq!(of("\u{FEFE}", "\u{FEFE} x"), "A x");
}

#[test]
fn deeper_than_the_limit_is_text() {
    let depth = |levels: usize| {
        format!("{}{{\"/models/x.gguf\":1}}{}", "[".repeat(levels - 1), "]".repeat(levels - 1))
    };
    assert_eq!(mapped(&depth(MAX_DEPTH)), depth(MAX_DEPTH), "keys are not mapped");
    assert_eq!(mapped(&depth(MAX_DEPTH + 1)), depth(MAX_DEPTH + 1).replace("/models/x.gguf", "public"));
    let mut map = JsonMap::new(&names(), &["choices"]);
    let mut out = Vec::new();
    for _ in 0..1000 {
        map.push(&[b'['; 1000], &mut out);
    }
    assert_eq!((out.len(), map.pending()), (1_000_000, 0));
}

#[test]
fn only_what_may_be_the_beginning_of_an_id_waits() {
    let mut map = JsonMap::new(&names(), &["choices"]);
    for (piece, leaves, waits) in [
        (r#"{"model":"#, r#"{"model":"#, 0),
        (r#" "a/m"#, r#" "a"#, 2),
        ("u", "/mu", 0),
        (r"\", "", 1),
        (r"u002", "", 5),
        ("F", "", 6),
        ("models/x.gguf", "", 19),
        (r#"""#, r#"public""#, 0),
        (r#","choices":"/models/x.gguf"#, r#","choices":"/models/x.gguf"#, 0),
        (r"\u00", r"\u00", 0),
        (r#"41","/models"#, r#"41","/models"#, 0),
        (r#"":12.5"#, r#"":12.5"#, 0),
        (",\"b\":nul", ",\"b\":nul", 0),
        ("l}", "l}", 0),
    ] {
        let mut out = Vec::new();
        map.push(piece.as_bytes(), &mut out);
        assert_eq!((String::from_utf8(out).unwrap().as_str(), map.pending()), (leaves, waits), "{piece}");
    }
    assert!(map.is_one_value());
    map.push(b" ", &mut Vec::new());
    assert!(map.is_one_value());
    map.push(b"1", &mut Vec::new());
    assert!(!map.is_one_value());
}

#[test]
fn a_body_that_is_cut_gives_out_what_was_held_back() {
    for text in [
        r#"{"a":"/models"#,
        r#"{"a":"\u00"#,
        r#"{"a":"\ud83d\u"#,
        r#"{"/models"#,
        r#"{"a\u00"#,
        "nul",
        "-",
        "12",
        "\u{FEFF}",
        "{\"a\":1",
    ] {
        assert_eq!(mapped(text), text);
        let mut map = JsonMap::new(&names(), &["choices"]);
        let mut out = Vec::new();
        map.push(text.as_bytes(), &mut out);
        assert_eq!(map.is_one_value(), text == "12", "{text}");
        map.finish(&mut out);
        map.push(b"[\"/models/x.gguf\"]", &mut out);
        assert_eq!(out, format!("{text}[\"public\"]").into_bytes(), "{text}");
    }
    assert_eq!(mapped_json(&names(), &[], b"\xEF\xBB"), b"\xEF\xBB");
}
