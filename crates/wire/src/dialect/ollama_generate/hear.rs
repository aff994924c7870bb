//! How a completion is heard, whole and in lines: thoughts and words.

use super::super::heard::{Draft, Hearing, words};
use super::super::ollama_chat::hear::{ending, finish};
use crate::json::{Kind, Value};

pub(super) const HEAR: Hearing = Hearing { take, finish, last: &[] };

fn take(draft: &mut Draft, document: Value<'_>, _: &str) -> bool {
    ending(draft, document);
    draft.thinking(&words(document.get("thinking")).unwrap_or_default());
    draft.block(&words(document.get("response")).unwrap_or_default());
    document.get("response").is_some_and(|said| said.kind() == Kind::String) || document.get("done").is_some()
}
