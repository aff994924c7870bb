//! Signatures of thinking blocks: they follow from the text, so that a changed block is told without any memory.

/// How the signatures of ours begin; no other provider's does.
const MARK: &str = "gate-thinking-";

/// The signature of a block with this text.
pub(crate) fn signature(thinking: &str) -> String {
    // FNV-1a, twice from two bases: a checksum against accidents, no secret.
    let hash = |base: u64| {
        thinking.bytes().fold(base, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    };
    format!("{MARK}{:016x}{:016x}", hash(0xcbf2_9ce4_8422_2325), hash(0x9e37_79b9_7f4a_7c15))
}

/// Whether a block with this signature was sent by us.
pub(crate) fn is_ours(signature: &str) -> bool {
    signature.starts_with(MARK)
}

/// Whether a block of ours came back as it was sent. One whose text was left out on request may come back empty.
pub(crate) fn is_whole(thinking: &str, sealed: &str) -> bool {
    signature(thinking) == sealed
}
