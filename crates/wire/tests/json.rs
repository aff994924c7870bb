//! The JSON tape: what it reads, what it refuses and where, what it sees, how it compares and writes.

use rehearsal_wire::json::{
    self, Kind, Likeness, MAX_DEPTH, Tape, Value, Why, likeness, parse, write_string, write_value,
};

fn tape(text: &str) -> Tape<'_> {
    parse(text.as_bytes()).unwrap_or_else(|broken| panic!("{text:?}: {broken}"))
}

fn like(a: &str, b: &str) -> Likeness {
    let (a, b) = (tape(a), tape(b));
    let there = likeness(a.root(), b.root());
    assert_eq!(there, likeness(b.root(), a.root()), "likeness has no direction");
    there
}

#[test]
fn reads_every_kind_at_its_offset() {
    let cases: &[(&str, Kind, usize, &str)] = &[
        ("null", Kind::Null, 0, "null"),
        (" true ", Kind::Bool, 1, "true"),
        ("\t\r\nfalse", Kind::Bool, 3, "false"),
        ("0", Kind::Number, 0, "0"),
        ("-0", Kind::Number, 0, "-0"),
        ("-0.0e-0", Kind::Number, 0, "-0.0e-0"),
        ("1E+5", Kind::Number, 0, "1E+5"),
        ("10e999999999999999999999", Kind::Number, 0, "10e999999999999999999999"),
        ("\"\"", Kind::String, 0, "\"\""),
        (" \"é\\n\" ", Kind::String, 1, "\"é\\n\""),
        ("\"\u{7f}\u{2028}\"", Kind::String, 0, "\"\u{7f}\u{2028}\""),
        ("[]", Kind::Array, 0, "[]"),
        ("[ ]", Kind::Array, 0, "[ ]"),
        (" [1,[2]] ", Kind::Array, 1, "[1,[2]]"),
        ("{}", Kind::Object, 0, "{}"),
        ("{ \"a\" : { } }", Kind::Object, 0, "{ \"a\" : { } }"),
    ];
    for (text, kind, offset, own) in cases {
        let tape = tape(text);
        let root = tape.root();
        assert_eq!((root.kind(), root.offset(), root.text()), (*kind, *offset, *own), "{text:?}");
    }
}

#[test]
fn refuses_what_is_not_json_and_says_where() {
    let too_deep = "[".repeat(MAX_DEPTH + 1);
    let cases: &[(&[u8], usize, Why)] = &[
        (b"", 0, Why::Empty),
        (b" \n ", 3, Why::Empty),
        (b"\xEF\xBB\xBF{}", 0, Why::ByteOrderMark),
        (b"[\"\xFF\"]", 2, Why::NotUtf8),
        (b"\"\xED\xA0\x80\"", 1, Why::NotUtf8),
        (b"{\x00}", 1, Why::Expected("a key in double quotes or `}`")),
        (b"[", 1, Why::Cut),
        (b"[1", 2, Why::Cut),
        (b"[1,", 3, Why::Cut),
        (b"{\"a", 3, Why::Cut),
        (b"{\"a\"", 4, Why::Cut),
        (b"{\"a\":", 5, Why::Cut),
        (b"tru", 3, Why::Cut),
        (b"-", 1, Why::Cut),
        (b"1e", 2, Why::Cut),
        (b"\"\\", 2, Why::Cut),
        (b"\"\\u12", 5, Why::Cut),
        (b"trux", 3, Why::Expected("`true`")),
        (b"nul]", 3, Why::Expected("`null`")),
        (b"NaN", 0, Why::Expected("a value")),
        (b"[Infinity]", 1, Why::Expected("a value or `]`")),
        (b"'a'", 0, Why::Expected("a value")),
        (b"+1", 0, Why::Expected("a value")),
        (b".5", 0, Why::Expected("a value")),
        (b"[1,]", 3, Why::Expected("a value")),
        (b"[,1]", 1, Why::Expected("a value or `]`")),
        (b"[1 2]", 3, Why::Expected("`,` or `]`")),
        (b"[1}", 2, Why::Expected("`,` or `]`")),
        (b"{\"a\":1,}", 7, Why::Expected("a key in double quotes")),
        (b"{a:1}", 1, Why::Expected("a key in double quotes or `}`")),
        (b"{\"a\" 1}", 5, Why::Expected("`:`")),
        (b"{\"a\":}", 5, Why::Expected("a value")),
        (b"{\"a\":1 \"b\":2}", 7, Why::Expected("`,` or `}`")),
        (b"{\"a\":1]", 6, Why::Expected("`,` or `}`")),
        ("{\"a\":\"ééééé\",,}".as_bytes(), 18, Why::Expected("a key in double quotes")),
        (b"01", 1, Why::BadNumber),
        (b"-a", 1, Why::BadNumber),
        (b"[1.]", 3, Why::BadNumber),
        (b"[1.e5]", 3, Why::BadNumber),
        (b"[1e+]", 4, Why::BadNumber),
        (b"0x10", 1, Why::Trailing),
        (b"1 2", 2, Why::Trailing),
        (b"{}}", 2, Why::Trailing),
        (b"\"a\nb\"", 2, Why::ControlCharacter),
        (b"\"12345678\x1f\"", 9, Why::ControlCharacter),
        (b"\"a\\xb\"", 3, Why::BadEscape),
        (b"\"a\\u12G4\"", 6, Why::BadEscape),
        (b"\"a\\U0041\"", 3, Why::BadEscape),
        (too_deep.as_bytes(), MAX_DEPTH, Why::TooDeep),
    ];
    for (text, offset, why) in cases {
        let broken =
            parse(text).err().unwrap_or_else(|| panic!("{:?} is read", String::from_utf8_lossy(text)));
        assert_eq!((broken.offset, broken.why), (*offset, *why), "{:?}", String::from_utf8_lossy(text));
        assert!(broken.to_string().ends_with(&format!("at byte {offset}")));
    }
}

#[test]
fn decodes_escapes_wherever_they_fall_in_a_word() {
    let cases: &[(&str, &str)] = &[
        (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
        (r#""\u0041\u00e9\u20AC""#, "Aé€"),
        (r#""\ud83d\ude00!""#, "😀!"),
        (r#""\uD83D\uDE00\u0000""#, "😀\0"),
        (r#""a\\\"b""#, "a\\\"b"),
    ];
    for (text, wanted) in cases {
        for before in 0..17 {
            let padding = "x".repeat(before);
            let text = format!("[\"{padding}{}", &text[1..]) + "]";
            let tape = tape(&text);
            let value = tape.root().at("/0").unwrap();
            assert_eq!(value.as_str().unwrap(), format!("{padding}{wanted}"));
            assert!(value.is_str(&format!("{padding}{wanted}")) && !value.is_str(wanted) || before == 0);
            assert_eq!(tape.lone_surrogate, None);
        }
    }
}

#[test]
fn sees_half_a_surrogate_pair() {
    let cases: &[(&str, Option<usize>, &str)] = &[
        (r#""\ud800""#, Some(1), "\u{FFFD}"),
        (r#""ab\uDC00c""#, Some(3), "ab\u{FFFD}c"),
        (r#""\ud800\ud800\udc00""#, Some(1), "\u{FFFD}\u{10000}"),
        (r#""\ud800\n""#, Some(1), "\u{FFFD}\n"),
        (r#""\ud800\u0041""#, Some(1), "\u{FFFD}A"),
        (r#""\ud800x""#, Some(1), "\u{FFFD}x"),
        (r#""\udbff\udfff""#, None, "\u{10FFFF}"),
        (r#""\ud7ff\ue000""#, None, "\u{D7FF}\u{E000}"),
    ];
    for (text, place, wanted) in cases {
        let tape = tape(text);
        assert_eq!(
            (tape.lone_surrogate, tape.root().as_str().unwrap().as_ref()),
            (*place, *wanted),
            "{text}"
        );
    }
    assert_eq!(tape(r#"{"\ud800": 1}"#).lone_surrogate, Some(2), "in a key too");
}

#[test]
fn sees_the_first_repeated_key_however_it_is_spelt() {
    let many = |repeat: bool| {
        let keys: Vec<String> = (0..60).map(|i| format!("\"key{i}\":{i}")).collect();
        format!("{{{}{}}}", keys.join(","), if repeat { ",\"k\\u0065y7\":0" } else { "" })
    };
    let long = many(true);
    let cases: &[(&str, Option<usize>)] = &[
        (r#"{"a":1,"b":2}"#, None),
        (r#"{"a":1,"a":2}"#, Some(7)),
        (r#"{"a":1,"\u0061":2}"#, Some(7)),
        (r#"{"\u0061":1,"a":2}"#, Some(12)),
        (r#"{"\u0061":1,"\u0061":2}"#, Some(12)),
        (r#"{"a":1,"b":{"a":1}}"#, None),
        (r#"[{"a":1},{"a":1}]"#, None),
        (r#"{"a":{"b":1,"c":{},"b":2},"d":0}"#, Some(19)),
        (r#"{"a":1,"a":{"b":1,"b":2}}"#, Some(7)),
        (r#"{"a":{"b":1,"b":2},"a":3}"#, Some(12)),
        (r#"{"":1,"":2}"#, Some(6)),
        (r#"{"a":[[1,2],{"x":3}],"b":1,"a":2}"#, Some(27)),
        (&long, Some(long.rfind("\"k\\u").unwrap())),
    ];
    for (text, place) in cases {
        assert_eq!(tape(text).duplicate_key, *place, "{text}");
    }
    assert_eq!(tape(&many(false)).duplicate_key, None);
    let repeated = tape(r#"{"a":1,"a":2}"#);
    assert_eq!(repeated.root().get("a").unwrap().text(), "2", "the last value counts");
}

#[test]
fn finds_values_at_pointers() {
    let tape = tape(r#"{"a":[10,{"b/c":1,"d~e":2,"":3,"~1":4}],"é":true,"0":5}"#);
    let cases: &[(&str, Option<&str>)] = &[
        ("/a/0", Some("10")),
        ("/a/1/b~1c", Some("1")),
        ("/a/1/d~0e", Some("2")),
        ("/a/1/", Some("3")),
        ("/a/1/~01", Some("4")),
        ("/é", Some("true")),
        ("/0", Some("5")),
        ("/a/2", None),
        ("/a/-", None),
        ("/a/+0", None),
        ("/a/00", None),
        ("/a/", None),
        ("/a/99999999999999999999", None),
        ("/a/0/x", None),
        ("/b", None),
        ("a", None),
    ];
    for (pointer, wanted) in cases {
        assert_eq!(tape.root().at(pointer).map(Value::text), *wanted, "{pointer}");
    }
    assert_eq!(tape.root().at("").unwrap().kind(), Kind::Object);
}

#[test]
fn reads_whole_numbers_however_they_are_written() {
    let cases: &[(&str, Option<i64>)] = &[
        ("0", Some(0)),
        ("-0", Some(0)),
        ("-0.000e7", Some(0)),
        ("0e99999999999999999999999", Some(0)),
        ("1", Some(1)),
        ("1.0", Some(1)),
        ("1e0", Some(1)),
        ("10e-1", Some(1)),
        ("0.001e3", Some(1)),
        ("-12.50e1", Some(-125)),
        ("9223372036854775807", Some(i64::MAX)),
        ("9223372036854775807.0", Some(i64::MAX)),
        ("-9223372036854775808", Some(i64::MIN)),
        ("9223372036854775808", None),
        ("1e18", Some(1_000_000_000_000_000_000)),
        ("1e19", None),
        ("1.5", None),
        ("1e-1", None),
        ("1e400", None),
        ("1e999999999", None),
        ("1e99999999999999999999", None),
        ("1e-99999999999999999999", None),
        ("true", None),
        ("\"1\"", None),
    ];
    for (text, wanted) in cases {
        assert_eq!(tape(text).root().as_i64(), *wanted, "{text}");
    }
}

#[test]
fn compares_numbers_by_exact_value() {
    use Likeness::{Different, Same, ThroughDoubles};
    let nines = "9".repeat(5000);
    let cases: &[(&str, &str, Likeness)] = &[
        ("1", "1.0", Same),
        ("1", "1e0", Same),
        ("1", "10e-1", Same),
        ("1", "0.1E+1", Same),
        ("100", "1e2", Same),
        ("-0", "0", Same),
        ("-0.0", "0e5", Same),
        ("1", "-1", Different),
        ("1", "true", Different),
        ("0", "false", Different),
        ("0", "null", Different),
        ("1", "\"1\"", Different),
        ("9007199254740993", "9007199254740992", ThroughDoubles),
        ("9007199254740993", "9007199254740993.0", Same),
        ("9007199254740993", "9007199254740995", Different),
        ("0.1", "0.1000000000000000055511151231257827", ThroughDoubles),
        ("0.1", "0.10000000000000002", Different),
        ("1e400", "1e400", Same),
        ("1e400", "10e399", Same),
        ("1e400", "1e401", Different),
        ("1e400", "-1e400", Different),
        ("1e-400", "0", ThroughDoubles),
        ("1e999999999999999999999", "1e999999999999999999999", Same),
        ("1e999999999999999999999", "1e999999999999999999998", Different),
        ("0e999999999999999999999", "0", Same),
        (&nines, &nines, Same),
        (&nines, "1", Different),
    ];
    for (a, b, wanted) in cases {
        assert_eq!(like(a, b), *wanted, "{a} against {b}");
    }
}

#[test]
fn compares_structures_without_order_and_escapes() {
    use Likeness::{Different, Same, ThroughDoubles};
    let keys = |reverse: bool| {
        let mut keys: Vec<String> = (0..40).map(|i| format!("\"k{i}\": [{i}]")).collect();
        if reverse {
            keys.reverse();
        }
        format!("{{{}}}", keys.join(","))
    };
    let (forth, back) = (keys(false), keys(true));
    let cases: &[(&str, &str, Likeness)] = &[
        (r#"{"a":1,"b":[2]}"#, r#"{ "b": [2.0], "\u0061": 1 }"#, Same),
        (r#"{"a":1}"#, r#"{"a":1,"b":null}"#, Different),
        (r#"{"a":1,"b":2}"#, r#"{"a":1,"c":2}"#, Different),
        ("[1,2]", "[2,1]", Different),
        ("[1]", "[1,1]", Different),
        ("[]", "{}", Different),
        (r#""é""#, r#""\u00e9""#, Same),
        (r#""\/""#, r#""/""#, Same),
        (r#""é""#, "\"e\u{301}\"", Different),
        (r#"{"a":[1,{"b":9007199254740993}]}"#, r#"{"a":[1,{"b":9007199254740992}]}"#, ThroughDoubles),
        ("[9007199254740993,1]", "[9007199254740992,2]", Different),
        // Of a repeated key the last value counts.
        (r#"{"x":1,"x":1}"#, r#"{"x":1,"y":2}"#, Different),
        (r#"{"x":1,"x":2}"#, r#"{"x":2}"#, Same),
        (r#"{"x":1,"x":2}"#, r#"{"x":1}"#, Different),
        (&forth, &back, Same),
    ];
    for (a, b, wanted) in cases {
        assert_eq!(like(a, b), *wanted, "{a} against {b}");
    }
}

#[test]
fn bears_the_deepest_nesting_that_it_reads() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(MAX_DEPTH), close.repeat(MAX_DEPTH));
        assert_eq!(like(&deep, &deep), Likeness::Same);
        let tape = tape(&deep);
        let mut written = Vec::new();
        write_value(&mut written, tape.root());
        assert_eq!(String::from_utf8(written).unwrap().replace(": ", ":"), deep);
    }
}

#[test]
fn takes_linear_time_over_many_keys() {
    // All keys of one length with equal ends: a walk over the earlier ones for each would take minutes.
    let keys: Vec<String> = (0..100_000).map(|i| format!("\"k{i:06}x\":0")).collect();
    let text = format!("{{{}}}", keys.join(","));
    assert_eq!(tape(&text).duplicate_key, None);
}

#[test]
fn writes_values_with_the_separators_of_the_wire() {
    let text = r#"{"b":[1.50,"é\u0007\u001f\/\"\\\n\r\t\b\f",{}],"a":{"x":null,"y":[true,false]}}"#;
    let tape = tape(text);
    let mut written = Vec::new();
    write_value(&mut written, tape.root());
    assert_eq!(
        String::from_utf8(written).unwrap(),
        r#"{"b": [1.50, "é\u0007\u001f/\"\\\n\r\t\b\f", {}], "a": {"x": null, "y": [true, false]}}"#
    );
    let mut written = Vec::new();
    write_string(&mut written, "");
    assert_eq!(written, b"\"\"");
}

#[test]
fn names_kinds_as_messages_do() {
    let kinds: Vec<&str> =
        ["null", "true", "1", "\"\"", "[]", "{}"].map(|text| tape(text).root().kind().phrase()).to_vec();
    assert_eq!(kinds, ["null", "a boolean", "a number", "a string", "an array", "an object"]);
}

#[test]
fn gives_nothing_for_the_wrong_kind() {
    let tape = tape(r#"{"a":1,"b":"x"}"#);
    let root = tape.root();
    assert!(root.items().next().is_none() && root.as_str().is_none() && root.as_bool().is_none());
    let one = root.get("a").unwrap();
    assert!(one.entries().next().is_none() && one.get("a").is_none() && one.is_empty());
    assert_eq!((one.as_number(), root.len(), root.get("b").unwrap().len()), (Some("1"), 2, 0));
    assert!(json::parse(b"null").unwrap().root().is_null());
}

/// Text is read in pieces of several widths: what ends it must be seen at every place of each.
#[test]
fn sees_what_may_not_stand_in_a_string_at_any_place() {
    for place in 0..100 {
        let (before, after) = ("é".repeat(place / 2) + &"x".repeat(place % 2), "y".repeat(40));
        for (odd, why) in [("\u{1}", Why::ControlCharacter), ("\\q", Why::BadEscape)] {
            let broken = parse(format!("\"{before}{odd}{after}\"").as_bytes()).unwrap_err();
            let at = 1 + before.len() + usize::from(why == Why::BadEscape);
            assert_eq!((broken.why, broken.offset), (why, at), "{place}");
        }
        let text = format!("\"{before}\\\"\\u00e9{after}\"");
        let tape = tape(&text);
        assert_eq!(tape.root().as_str().unwrap(), format!("{before}\"é{after}"));
        assert!(tape.root().is_str(&format!("{before}\"é{after}")) && !tape.root().is_str(&before));
    }
}

#[test]
fn finds_each_key_of_an_object_and_no_other() {
    for count in [0, 1, 5, 24, 25, 90] {
        for escaped in [None, Some(0), Some(count / 2)] {
            let key = |number: usize| format!("{}{number}", "k".repeat(number % 7));
            let written = |number| match escaped {
                Some(this) if this == number => format!("\\u006b{number}: \\n"),
                _ => key(number),
            };
            let entries: Vec<_> =
                (0..count).map(|number| format!("\"{}\":{number}", written(number))).collect();
            let text = format!("{{{}}}", entries.join(","));
            let tape = tape(&text);
            for number in 0..count + 10 {
                let named = if escaped == Some(number) { format!("k{number}: \n") } else { key(number) };
                let found = tape.root().get(&named).map(|value| value.text().to_owned());
                assert_eq!(found, (number < count).then(|| number.to_string()), "{text} {named}");
            }
        }
    }
}

/// Each line end must cost what stands before it, never what comes after.
#[test]
fn writes_and_reads_text_of_nothing_but_escapes() {
    for text in ["\n".repeat(1 << 20), "\"".repeat(1 << 20), "a\n".repeat(1 << 20)] {
        let mut written = Vec::new();
        write_string(&mut written, &text);
        assert!(parse(&written).unwrap().root().is_str(&text));
    }
    assert_eq!(parse("\"\n".repeat(1 << 20).as_bytes()).unwrap_err().offset, 1);
}
