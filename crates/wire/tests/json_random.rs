//! The JSON tape against another reader, over random documents and random damage.

use proptest::prelude::*;
use rehearsal_wire::json::{Kind, Likeness, Value, likeness, parse, write_value};
use serde_json::Value as Other;

fn documents() -> impl Strategy<Value = Other> {
    let leaf = prop_oneof![
        Just(Other::Null),
        any::<bool>().prop_map(Other::from),
        any::<i64>().prop_map(Other::from),
        any::<u64>().prop_map(Other::from),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Other::from),
        any::<String>().prop_map(Other::from),
        "[a-z\"\\\\/\n\t\u{0}-\u{1f}é😀]{0,24}".prop_map(Other::from),
    ];
    leaf.prop_recursive(6, 80, 30, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..30).prop_map(Other::from),
            prop::collection::btree_map("[a-d\"\\\\é]{0,4}", inner, 0..30)
                .prop_map(|entries| Other::Object(entries.into_iter().collect())),
        ]
    })
}

fn agree(ours: Value<'_>, theirs: &Other) -> bool {
    match (ours.kind(), theirs) {
        (Kind::Null, Other::Null) => true,
        (Kind::Bool, Other::Bool(value)) => ours.as_bool() == Some(*value),
        (Kind::Number, Other::Number(number)) => {
            ours.as_number() == Some(number.to_string().as_str())
                && number.as_i64().is_none_or(|whole| ours.as_i64() == Some(whole))
        }
        (Kind::String, Other::String(text)) => ours.as_str().as_deref() == Some(text) && ours.is_str(text),
        (Kind::Array, Other::Array(items)) => {
            ours.len() == items.len() && ours.items().zip(items).all(|(ours, theirs)| agree(ours, theirs))
        }
        (Kind::Object, Other::Object(entries)) => {
            ours.len() == entries.len()
                && entries.iter().all(|(key, theirs)| ours.get(key).is_some_and(|ours| agree(ours, theirs)))
        }
        _ => false,
    }
}

/// Whether the other reader takes the text; it must not build values, which would refuse numbers and nesting that are legal.
fn other_takes(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok() && serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_what_another_writer_wrote(document in documents(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&document) } else { serde_json::to_string(&document) };
        let text = text.unwrap();
        let tape = parse(text.as_bytes()).unwrap();
        prop_assert!(agree(tape.root(), &document), "{text}");
        prop_assert_eq!((tape.duplicate_key, tape.lone_surrogate), (None, None));
    }

    #[test]
    fn what_it_writes_reads_the_same(document in documents()) {
        let text = serde_json::to_string(&document).unwrap();
        let tape = parse(text.as_bytes()).unwrap();
        let (mut once, mut twice) = (Vec::new(), Vec::new());
        write_value(&mut once, tape.root());
        let again = parse(&once).unwrap();
        prop_assert_eq!(likeness(tape.root(), again.root()), Likeness::Same);
        write_value(&mut twice, again.root());
        prop_assert_eq!(&once, &twice);
        prop_assert!(agree(again.root(), &document));
    }

    #[test]
    fn takes_damaged_text_exactly_when_another_reader_does(
        document in documents(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, prop::sample::select(ALPHABET)), 1..4),
    ) {
        let mut bytes = serde_json::to_vec(&document).unwrap();
        for (place, how, byte) in damage {
            let at = place.index(bytes.len().max(1));
            match how {
                0 => bytes.insert(at.min(bytes.len()), byte),
                1 if !bytes.is_empty() => drop(bytes.remove(at)),
                _ => bytes.truncate(at),
            }
        }
        prop_assert_eq!(parse(&bytes).is_ok(), other_takes(&bytes), "{}", String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn takes_random_text_exactly_when_another_reader_does(
        bytes in prop::collection::vec(prop::sample::select(ALPHABET), 0..12),
    ) {
        prop_assert_eq!(parse(&bytes).is_ok(), other_takes(&bytes), "{}", String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn gives_up_inside_the_text(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Err(broken) = parse(&bytes) {
            prop_assert!(broken.offset <= bytes.len());
        }
    }
}

/// Bytes that matter to a reader.
const ALPHABET: &[u8] = b"{}[],:\"\\untre019-+.Ed8 \n\0\x1F\x7F\xC3\xA9";
