//! Properties of the maps, over random documents, random damage and any chunking.

use super::{named, pieces};
use proptest::prelude::*;
use rehearsal_wire::relay::Names;
use rehearsal_wire::relay::events::EventMap;
use rehearsal_wire::relay::json::{JsonMap, mapped_json};
use rehearsal_wire::relay::text::{TextMap, mapped_text};
use serde_json::Value;

/// Ids that begin and end in all ways, that overlap with themselves, and that look like parts of JSON.
const IDS: &[(&str, &str)] = &[
    ("gpt-4", "public"),
    ("/models/x.gguf", "a\"b\\é"),
    ("é-é", "e"),
    ("aa-aa", "aa"),
    ("😀m", "gpt-4"),
    ("4", "four"),
    ("a\"b", "c"),
    ("null-m", "n"),
];

/// Beginnings of characters and of a byte order mark.
const CUT_LETTERS: &[&[u8]] = &[&[0xEF, 0xBB], &[0xC3], &[0xE2, 0x82], &[0xF0, 0x9F, 0x98]];

fn ids() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop::sample::select(IDS)
}

/// Text in which the ids stand whole, in parts, and with neighbours of all kinds.
fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => ids().prop_map(|(real, _)| real.to_owned()),
        2 => (ids(), any::<prop::sample::Index>()).prop_map(|((real, _), at)| {
            let letters = real.chars().count();
            real.chars().take(at.index(letters + 1)).collect()
        }),
        4 => prop::sample::select(&["", "-", "x", "é", "😀", " ", "/", "\"", "\\", "\n", "4", "a", "\u{0}", "漢"][..])
            .prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

fn documents() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        texts().prop_map(Value::from),
        texts().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let key = prop_oneof![Just("choices".to_owned()), Just("model".to_owned()), texts()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// The rule as it is said: each place from the left, whole tokens only.
fn replaced(text: &str, (real, alias): (&str, &str)) -> String {
    let word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let (mut out, mut rest, mut before) = (String::new(), text, None);
    while let Some(letter) = rest.chars().next() {
        let after = rest.strip_prefix(real).filter(|after| {
            let joined_before = word(real.chars().next()) && word(before);
            let joined_after = word(real.chars().last()) && word(after.chars().next());
            !joined_before && !joined_after
        });
        if let Some(after) = after {
            out.push_str(alias);
            before = real.chars().last();
            rest = after;
        } else {
            out.push(letter);
            before = Some(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    out
}

/// What a map of values gives; the reference.
fn mapped(value: &Value, ids: (&str, &str)) -> Value {
    match value {
        Value::String(text) => Value::from(replaced(text, ids)),
        Value::Array(items) => items.iter().map(|item| mapped(item, ids)).collect(),
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| {
                (key.clone(), if key == "choices" { value.clone() } else { mapped(value, ids) })
            })
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A document in which letters are escaped, and blanks stand, as the bits say.
fn spelt(value: &Value, bits: &mut impl Iterator<Item = bool>) -> String {
    let mut coin = || bits.next().unwrap_or(false);
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => {
            let mut out = "\"".to_owned();
            for letter in text.chars() {
                let upper = coin();
                if coin() || letter == '"' || letter == '\\' || letter < ' ' {
                    for unit in letter.encode_utf16(&mut [0; 2]) {
                        out += &if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
                    }
                } else if letter == '/' && upper {
                    out += "\\/";
                } else {
                    out.push(letter);
                }
            }
            out + "\""
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| spelt(item, bits)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, value)| {
                    format!("{} :\t{}", spelt(&Value::from(key.as_str()), bits), spelt(value, bits))
                })
                .collect();
            format!("{{\r\n{}}}", entries.join(","))
        }
    }
}

/// Bytes that look like JSON, like events, and like neither.
fn soups() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        3 => texts().prop_map(String::into_bytes),
        8 => prop::sample::select(&[
            "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u", "00", "d83d", "\\ud83d", "\\ude00", "\\u002f", "\\/", "1", "-",
            ".5", "e", "0", "null", "nul", "true", "NaN", " ", "\n", "\r", "\r\n", "\n\n", "\"choices\":", "\"a\":\"", "data",
            "data:", "data: ", "event: ", ":", "id", "[DONE]", "data: {\"a\":\"", "\u{FEFF}", "{\"choices\":[\"",
        ][..]).prop_map(|part| part.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
        1 => prop::sample::select(CUT_LETTERS).prop_map(<[u8]>::to_vec),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

fn cuts() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(any::<usize>(), 0..40)
}

/// A map under test.
trait Map {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>);
    fn close(&mut self, out: &mut Vec<u8>);
    fn waits(&self) -> usize;
}

macro_rules! is_map {
    ($($map:ty),*) => {$(
        impl Map for $map {
            fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
                self.push(bytes, out);
            }
            fn close(&mut self, out: &mut Vec<u8>) {
                self.finish(out);
            }
            fn waits(&self) -> usize {
                self.pending()
            }
        }
    )*};
}
is_map!(TextMap, JsonMap, EventMap);

fn maps(names: &Names) -> Vec<(Box<dyn Map>, usize)> {
    let real = names.real().len();
    vec![
        (Box::new(TextMap::new(names)), real + 3),
        (Box::new(JsonMap::new(names, &["choices"])), 6 * real + 15),
        (Box::new(EventMap::new(names, &["choices"])), 6 * real + 15),
    ]
}

/// What a map makes of bytes in these pieces, each with what waited behind it.
fn fed(map: &mut dyn Map, pieces: &[&[u8]], limit: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in pieces {
        map.feed(piece, &mut out);
        assert!(map.waits() <= limit, "{} bytes wait", map.waits());
    }
    map.close(&mut out);
    assert_eq!(map.waits(), 0);
    out
}

proptest! {
    #[test]
    fn text_is_mapped_as_the_rule_says(text in texts(), ids in ids()) {
        let ours = mapped_text(&named(ids.0, ids.1), text.as_bytes());
        prop_assert_eq!(String::from_utf8(ours).unwrap(), replaced(&text, ids));
    }

    #[test]
    fn a_mapped_document_reads_as_the_map_of_the_document(
        value in documents(), ids in ids(), bits in prop::collection::vec(any::<bool>(), 0..400), cuts in cuts()
    ) {
        let names = named(ids.0, ids.1);
        for text in [value.to_string(), format!("{value:#}"), spelt(&value, &mut bits.into_iter())] {
            let ours = mapped_json(&names, &["choices"], text.as_bytes());
            let read: Value = serde_json::from_slice(&ours).unwrap();
            prop_assert_eq!(read, mapped(&value, ids), "{}", text);
            let mut map = JsonMap::new(&names, &["choices"]);
            let mut out = Vec::new();
            for piece in pieces(text.as_bytes(), &cuts) {
                map.push(piece, &mut out);
            }
            prop_assert!(map.is_one_value());
            map.finish(&mut out);
            prop_assert_eq!(out, ours);
        }
    }

    #[test]
    fn documents_over_lines_of_an_event_are_mapped_as_whole_ones(value in documents(), ids in ids(), cuts in cuts()) {
        let names = named(ids.0, ids.1);
        let whole = format!("{value:#}");
        let event = |text: &str| text.split('\n').map(|line| format!("data: {line}\n")).collect::<String>() + "\n";
        let mut map = EventMap::new(&names, &["choices"]);
        let stream = event(&whole);
        let ours = fed(&mut map, &pieces(stream.as_bytes(), &cuts), usize::MAX);
        let wanted = String::from_utf8(mapped_json(&names, &["choices"], whole.as_bytes())).unwrap();
        prop_assert_eq!(String::from_utf8(ours).unwrap(), event(&wanted));
        prop_assert_eq!(map.events(), 1);
    }

    #[test]
    fn any_chunking_gives_the_same_bytes(bytes in soups(), ids in ids(), cuts in cuts()) {
        let names = named(ids.0, ids.1);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        for ((mut one, limit), ((mut two, _), (mut three, _))) in
            maps(&names).into_iter().zip(maps(&names).into_iter().zip(maps(&names)))
        {
            let whole = fed(&mut *one, &[&bytes], limit);
            prop_assert_eq!(&fed(&mut *two, &pieces(&bytes, &cuts), limit), &whole);
            prop_assert_eq!(&fed(&mut *three, &single, limit), &whole);
        }
    }

    #[test]
    fn without_the_id_nothing_changes(bytes in prop_oneof![soups(), prop::collection::vec(any::<u8>(), 0..200)], cuts in cuts()) {
        // Begins as the soups do, and is in none of them.
        let names = named("gpt-4/models/\u{E000}", "public");
        for (mut map, limit) in maps(&names) {
            prop_assert_eq!(&fed(&mut *map, &pieces(&bytes, &cuts), limit), &bytes);
        }
    }

    #[test]
    fn no_id_of_text_survives_where_it_is_no_json(text in texts(), ids in ids()) {
        let names = named(ids.0, "-");
        let body = format!("<html>{text}");
        let ours = String::from_utf8(mapped_json(&names, &["choices"], body.as_bytes())).unwrap();
        prop_assert_eq!(ours, replaced(&body, (ids.0, "-")));
    }
}
