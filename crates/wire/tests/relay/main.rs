//! What a relay changes in the bytes that pass it, and that it changes nothing else.
#![expect(clippy::unwrap_used, reason = "a helper of tests fails as they do")]

mod coding;
mod crash;
mod events;
mod json;
mod random;
mod request;
mod text;

use rehearsal_wire::relay::Names;

/// The ids of most tests.
fn names() -> Names {
    Names::new("/models/x.gguf", "public").unwrap()
}

fn named(real: &str, alias: &str) -> Names {
    Names::new(real, alias).unwrap()
}

/// A text in pieces that end at these places.
fn pieces<'b>(bytes: &'b [u8], cuts: &[usize]) -> Vec<&'b [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}
