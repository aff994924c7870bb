//! Content codings, undone while they come.

use super::pieces;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use proptest::prelude::*;
use rehearsal_wire::relay::coding::{Coding, CodingError, Decoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;

const LIMIT: u64 = 1 << 20;

/// Three events of one stream; the later ones repeat most of the first.
fn events() -> [Vec<u8>; 3] {
    ["Hello", " from", " the real backend"].map(|word| {
        let choices = format!(r#"[{{"delta":{{"content":"{word}"}}}}]"#);
        format!("data: {{\"model\":\"/models/x.gguf\",\"choices\":{choices}}}\n\n").into_bytes()
    })
}

/// The events as libzstd 1.5 wrote them, flushed behind each, with a sum at the end.
const ZSTD: [&str; 4] = [
    "28b52ffd04583c020072c40f1690b90d136a989754d00865b57d372fd140e26407a625c6b4a2b5f3ae0ebfb7d2569c6777ec557446dc9726c2473eb8a1a4242c679ddf57112767c061230a0100299425",
    "9c0000602066726f6d227d7d5d7d0a0a01007da40004",
    "f40000c064746865207265616c206261636b656e64227d7d5d7d0a0a0100958010",
    "010000543f2fea",
];

/// The same by libbrotlienc 1.0.
const BROTLI: [&str; 4] = [
    "8b2580646174613a207b226d6f64656c223a222f6d6f64656c732f782e67677566222c2263686f69636573223a5b7b2264656c7461223a7b22636f6e74656e74223a2248656c6c6f227d7d5d7d0a0a",
    "580208646174613a207b226d6f64656c223a222f6d6f64656c732f782e67677566222c2263686f69636573223a5b7b2264656c7461223a7b22636f6e74656e74223a222066726f6d227d7d5d7d0a0a",
    "b802805f1a84accc4d0ba24827c7e82d367125252b5c4b29b56600",
    "03",
];

/// A million zero bytes, by the same writers.
const ZSTD_ZEROS: &str =
    "28b52ffd00585400001000000100fbff39c00202001000020010000200100002001000020010000200100002120a00010000";
const BROTLI_ZEROS: &str = "ab1fa1877f02201e0b04f2731e0c03";

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// What an encoder makes of the parts, flushed behind each.
fn flushed<E: Write>(mut encoder: E, taken: fn(&mut E) -> Vec<u8>, end: fn(E) -> Vec<u8>) -> Vec<Vec<u8>> {
    let mut made = Vec::new();
    for event in events() {
        encoder.write_all(&event).unwrap();
        encoder.flush().unwrap();
        made.push(taken(&mut encoder));
    }
    made.push(end(encoder));
    made
}

fn streams() -> Vec<(Coding, Vec<Vec<u8>>)> {
    let level = Compression::default;
    vec![
        (Coding::Identity, events().to_vec()),
        (
            Coding::Gzip,
            flushed(
                GzEncoder::new(Vec::new(), level()),
                |encoder| std::mem::take(encoder.get_mut()),
                |encoder| encoder.finish().unwrap(),
            ),
        ),
        (
            Coding::Deflate,
            flushed(
                ZlibEncoder::new(Vec::new(), level()),
                |encoder| std::mem::take(encoder.get_mut()),
                |encoder| encoder.finish().unwrap(),
            ),
        ),
        (
            Coding::Deflate,
            flushed(
                DeflateEncoder::new(Vec::new(), level()),
                |encoder| std::mem::take(encoder.get_mut()),
                |encoder| encoder.finish().unwrap(),
            ),
        ),
        (Coding::Brotli, BROTLI.map(bytes).to_vec()),
        (Coding::Zstd, ZSTD.map(bytes).to_vec()),
    ]
}

fn coded(list: &[Coding], body: &[u8]) -> Vec<u8> {
    list.iter().fold(body.to_vec(), |body, coding| match coding {
        Coding::Identity => body,
        Coding::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&body).unwrap();
            encoder.finish().unwrap()
        }
        Coding::Deflate => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&body).unwrap();
            encoder.finish().unwrap()
        }
        Coding::Zstd => compress_to_vec(&body[..], CompressionLevel::Fastest),
        Coding::Brotli => unreachable!("there is no writer of it here"),
    })
}

/// What comes out of the pieces, and the error where they fail.
fn decoded(list: &[Coding], limit: u64, pieces: &[&[u8]]) -> (Vec<u8>, Result<(), CodingError>) {
    let mut decoder = Decoder::new(list, limit);
    let mut out = Vec::new();
    for piece in pieces {
        if let Err(error) = decoder.push(piece, &mut out) {
            assert_eq!(decoder.push(b"x", &mut out), Err(error.clone()), "an error stays");
            return (out, Err(error));
        }
    }
    let result = decoder.finish(&mut out);
    (out, result)
}

#[test]
fn a_header_names_codings_in_any_letter_case() {
    use Coding::{Brotli, Deflate, Gzip, Identity, Zstd};
    for (value, list) in [
        ("", vec![]),
        ("gzip", vec![Gzip]),
        ("X-GZip", vec![Gzip]),
        ("gzip, br", vec![Gzip, Brotli]),
        (" ,Deflate ,\tZSTD,identity", vec![Deflate, Zstd, Identity]),
    ] {
        assert_eq!(Coding::list(value), Ok(list), "{value}");
    }
    assert_eq!(Coding::list("gzip, Compress"), Err(CodingError::Unknown("Compress".to_owned())));
    assert_eq!(Coding::list("gzip gzip"), Err(CodingError::Unknown("gzip gzip".to_owned())));
    assert_eq!(Coding::list("br,br,br,br,br"), Err(CodingError::TooMany));
    assert!(CodingError::Unknown("x".to_owned()).to_string().contains("\"x\""));
}

#[test]
fn each_flush_of_the_sender_comes_out_at_once() {
    for (coding, parts) in streams() {
        let mut decoder = Decoder::new(&[coding], LIMIT);
        for (part, event) in parts.iter().zip(events()) {
            let mut out = Vec::new();
            decoder.push(part, &mut out).unwrap();
            assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&event), "{coding:?}");
        }
        let mut out = Vec::new();
        if let Some(end) = parts.get(3) {
            decoder.push(end, &mut out).unwrap();
        }
        decoder.finish(&mut out).unwrap();
        assert_eq!(out, b"", "{coding:?}");
    }
}

#[test]
fn a_stream_that_is_cut_anywhere_is_an_error_and_gives_what_it_held() {
    for (coding, parts) in streams().into_iter().skip(1) {
        let whole = parts.concat();
        for cut in 1..whole.len() {
            let (out, result) = decoded(&[coding], LIMIT, &[&whole[..cut]]);
            assert_eq!(result, Err(CodingError::Cut(coding)), "{coding:?} at {cut}");
            assert!(events().concat().starts_with(&out), "{coding:?} at {cut}");
            if cut >= parts[0].len() {
                assert!(out.starts_with(&events()[0]), "{coding:?} at {cut}");
            }
        }
        assert_eq!(decoded(&[coding], LIMIT, &[]), (Vec::new(), Ok(())), "an empty body");
        let behind = [&whole[..], b"\0\0rest"].concat();
        assert_eq!(decoded(&[coding], LIMIT, &[&behind]), (events().concat(), Ok(())), "{coding:?}");
    }
}

#[test]
fn a_decoder_may_go_to_another_thread() {
    fn sent<T: Send>(_: &T) {}
    sent(&Decoder::new(&[Coding::Brotli, Coding::Zstd, Coding::Gzip, Coding::Deflate], LIMIT));
}

#[test]
fn lists_are_undone_in_reverse() {
    use Coding::{Deflate, Gzip, Identity, Zstd};
    for list in [&[Gzip, Deflate][..], &[Deflate, Gzip], &[Zstd, Gzip], &[Gzip, Identity, Zstd, Deflate], &[]]
    {
        let body = events().concat();
        let whole = coded(list, &body);
        let single: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(decoded(list, LIMIT, &[&whole]), (body.clone(), Ok(())), "{list:?}");
        assert_eq!(decoded(list, LIMIT, &single), (body, Ok(())), "{list:?}");
        let (_, cut) = decoded(list, LIMIT, &[&whole[..whole.len() - 1]]);
        assert_eq!(cut, list.last().map_or(Ok(()), |coding| Err(CodingError::Cut(*coding))));
    }
}

#[test]
fn several_members_and_frames_are_one_body() {
    for coding in [Coding::Gzip, Coding::Zstd] {
        let whole = [coded(&[coding], b"one "), coded(&[coding], b""), coded(&[coding], b"two")].concat();
        assert_eq!(decoded(&[coding], LIMIT, &[&whole]), (b"one two".to_vec(), Ok(())), "{coding:?}");
        let single: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(decoded(&[coding], LIMIT, &single), (b"one two".to_vec(), Ok(())), "{coding:?}");
    }
    let skipped =
        [b"\x50\x2A\x4D\x18\x03\0\0\0abc", &coded(&[Coding::Zstd], b"x")[..], b"\x5F\x2A\x4D\x18\0\0\0\0"];
    assert_eq!(decoded(&[Coding::Zstd], LIMIT, &[&skipped.concat()]), (b"x".to_vec(), Ok(())));
}

#[test]
fn every_field_of_a_gzip_head_is_passed_over() {
    let plain = coded(&[Coding::Gzip], b"hello");
    for (flags, fields) in [
        (4, &b"\x03\0abc"[..]),
        (4, b"\0\0"),
        (8, b"name\0"),
        (16, b"\0"),
        (2, b"xx"),
        (1 | 2 | 4 | 8 | 16, b"\x01\0anam\0com\0xx"),
    ] {
        let mut head = plain[..10].to_vec();
        head[3] = flags;
        let whole = [&head, fields, &plain[10..]].concat();
        assert_eq!(decoded(&[Coding::Gzip], LIMIT, &[&whole]), (b"hello".to_vec(), Ok(())), "{flags}");
    }
}

#[test]
fn what_is_not_in_the_coding_is_an_error() {
    let broken = |coding: Coding, body: &[u8]| {
        let (out, result) = decoded(&[coding], LIMIT, &[body]);
        assert_eq!(result, Err(CodingError::Broken(coding)), "{coding:?} {body:?}");
        out
    };
    for coding in [Coding::Gzip, Coding::Deflate, Coding::Zstd] {
        broken(coding, b"<html>this is no such thing at all, and it is long enough to tell</html>");
    }
    broken(Coding::Brotli, &[0xFF; 64]);
    let mut sums = coded(&[Coding::Gzip], b"hello");
    let at = sums.len() - 8;
    sums[at] ^= 1;
    assert_eq!(broken(Coding::Gzip, &sums), b"hello");
    let mut sums = coded(&[Coding::Deflate], b"hello");
    let at = sums.len() - 1;
    sums[at] ^= 1;
    assert_eq!(broken(Coding::Deflate, &sums), b"hello");
    // A window of 16 MiB, a dictionary, a reserved block, a block beyond its limit.
    for body in [
        &b"\x28\xB5\x2F\xFD\x00\x70\x01\0\0"[..],
        b"\x28\xB5\x2F\xFD\x01\x58\x05\x01\0\0",
        b"\x28\xB5\x2F\xFD\x00\x58\x07\0\0",
        b"\x28\xB5\x2F\xFD\x00\x58\x03\0\x11",
    ] {
        broken(Coding::Zstd, body);
    }
}

#[test]
fn nothing_of_a_damaged_block_comes_out() {
    let parts = ZSTD.map(bytes);
    let mut broken = 0;
    for place in 3..parts[1].len() {
        for damage in [0xFF, 0x10, 0x01] {
            let mut block = parts[1].clone();
            block[place] ^= damage;
            let (out, result) = decoded(&[Coding::Zstd], LIMIT, &[&[&parts[0][..], &block].concat()]);
            if result == Err(CodingError::Broken(Coding::Zstd)) {
                broken += 1;
                assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&events()[0]), "{place}");
            }
        }
    }
    assert!(broken > 5, "{broken} of the damages are seen");
    // The writer fills its blocks: the second one begins behind 128 KiB.
    let words = (0..20_000u32).map(|number| format!("word {} ", number.wrapping_mul(2_654_435_761) >> 22));
    let body = words.collect::<String>().into_bytes();
    let whole = coded(&[Coding::Zstd], &body);
    let mut broken = 0;
    for place in (20..whole.len()).step_by(61) {
        let mut whole = whole.clone();
        whole[place] ^= 0x55;
        let (out, result) = decoded(&[Coding::Zstd], LIMIT, &[&whole]);
        if result == Err(CodingError::Broken(Coding::Zstd)) {
            broken += 1;
            assert!([0, 128 << 10].contains(&out.len()), "{place}: {} bytes came out", out.len());
        }
    }
    assert!(broken > 5, "{broken} of the damages are seen");
}

#[test]
fn a_bomb_ends_at_the_limit() {
    let zeros = vec![0; 1_000_000];
    let bombs = [
        (Coding::Gzip, coded(&[Coding::Gzip], &zeros)),
        (Coding::Deflate, coded(&[Coding::Deflate], &zeros)),
        (Coding::Brotli, bytes(BROTLI_ZEROS)),
        (Coding::Zstd, bytes(ZSTD_ZEROS)),
        (Coding::Identity, zeros.clone()),
    ];
    for (coding, bomb) in &bombs {
        assert_eq!(decoded(&[*coding], 1_000_000, &[bomb]), (zeros.clone(), Ok(())), "{coding:?}");
        let (out, result) = decoded(&[*coding], 999_999, &[bomb]);
        assert_eq!((out.len(), result), (999_999, Err(CodingError::TooLong(999_999))), "{coding:?}");
        let twice = coded(&[Coding::Gzip], bomb);
        let (out, result) = decoded(&[*coding, Coding::Gzip], 1000, &[&twice]);
        assert!(out.len() <= 1000 && result == Err(CodingError::TooLong(1000)), "{coding:?}");
    }
}

#[test]
fn a_window_is_kept_over_many_flushes() {
    // Each piece repeats what came long before it, so that a frame's later blocks refer far back.
    let words: Vec<u8> =
        (0..60_000u32).flat_map(|number| (number.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()).collect();
    let body = [&words[..], &words, &words[..100_000], &words].concat().repeat(3);
    for coding in [Coding::Gzip, Coding::Zstd] {
        let whole = coded(&[coding], &body);
        for size in [7_000, 50_000, whole.len()] {
            let parts: Vec<&[u8]> = whole.chunks(size).collect();
            let (out, result) = decoded(&[coding], 4 * LIMIT, &parts);
            assert!(out == body && result.is_ok(), "{coding:?} in pieces of {size}: {result:?}");
        }
    }
}

fn lists() -> impl Strategy<Value = Vec<Coding>> {
    prop::collection::vec(
        prop::sample::select(&[Coding::Identity, Coding::Gzip, Coding::Deflate, Coding::Zstd][..]),
        0..3,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_coded_comes_back_in_any_chunking(
        body in prop_oneof!["[a-c ]{0,400}".prop_map(String::into_bytes), prop::collection::vec(any::<u8>(), 0..300)],
        list in lists(),
        cuts in prop::collection::vec(any::<usize>(), 0..20)
    ) {
        let whole = coded(&list, &body);
        prop_assert_eq!(decoded(&list, LIMIT, &[&whole]), (body.clone(), Ok(())));
        prop_assert_eq!(decoded(&list, LIMIT, &pieces(&whole, &cuts)), (body, Ok(())));
    }

    #[test]
    fn no_bytes_harm_a_decoder(
        part in 0..6usize,
        damage in prop::collection::vec((any::<usize>(), any::<u8>()), 0..6),
        tail in prop::collection::vec(any::<u8>(), 0..100),
        keep in any::<usize>(),
        cuts in prop::collection::vec(any::<usize>(), 0..20)
    ) {
        let (coding, parts) = streams().swap_remove(part);
        let mut body = parts.concat();
        body.truncate(keep % (body.len() + 1));
        body.extend(tail);
        for (place, byte) in damage {
            let length = body.len().max(1);
            if let Some(at) = body.get_mut(place % length) {
                *at = byte;
            }
        }
        let whole = decoded(&[coding], 4096, &[&body]);
        let cut = decoded(&[coding], 4096, &pieces(&body, &cuts));
        prop_assert!(whole.0.len() <= 4096);
        if whole.1.is_ok() {
            prop_assert_eq!(whole, cut);
        }
    }
}
