//! Thought signatures: they follow from the call or the text that they stand with, so that a changed one is told without any
//! memory, and name the call to clients that send no ids back.

use crate::base64;
use crate::rule::ID_PREFIX;

/// How the bytes of a signature of ours begin; no other provider's do.
const MARK: &str = "gate-thought:";

/// Signatures that the API takes from clients which have none to send: of calls that another model made, or the client itself.
const DUMMIES: &[&str] = &["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

/// The signature of what was said, such as the id of a call.
pub(crate) fn signature(said: &str) -> String {
    base64::encode(format!("{MARK}{said}").as_bytes())
}

/// What a signature of ours stands for, the id of a call where it stands with one; none for that of another.
fn sealed(signature: &str) -> Option<String> {
    String::from_utf8(base64::decode(signature)?).ok()?.strip_prefix(MARK).map(str::to_owned)
}

/// The id of the call that a signature of ours stands with.
pub(super) fn call(signature: &str) -> Option<String> {
    sealed(signature).filter(|said| is_ours(said))
}

/// Whether the API takes this signature with the call of ours that has this id. Clients may spell the bytes in other letters.
pub(crate) fn fits(signature: &str, id: &str) -> bool {
    DUMMIES.contains(&signature)
        || DUMMIES.iter().any(|dummy| base64::decode(signature).as_deref() == Some(dummy.as_bytes()))
        || sealed(signature).is_some_and(|said| reply(&said) == reply(id))
}

/// Whether an id is one that we gave to a call.
pub(super) fn is_ours(id: &str) -> bool {
    id.starts_with(ID_PREFIX)
}

/// What the ids of all calls of one reply begin with.
fn reply(id: &str) -> Option<&str> {
    id.strip_prefix(ID_PREFIX)?.rsplit_once('_').map(|(reply, _)| reply)
}
