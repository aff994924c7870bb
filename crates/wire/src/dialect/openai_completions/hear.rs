//! How a legacy completion is heard, whole and in chunks: words alone.

use super::super::heard::{Draft, Hearing, words};
use super::super::openai_chat::hear::{first, usage};
use crate::json::{Kind, Value};
use crate::reply::Reply;

pub(super) const HEAR: Hearing = Hearing { take, finish, last: &["[DONE]", "DONE"] };

fn take(draft: &mut Draft, document: Value<'_>, _: &str) -> bool {
    draft.names(document, "id", "model");
    usage(draft, document.get("usage"));
    let Some(choices) = document.get("choices").filter(|choices| choices.kind() == Kind::Array) else {
        return false;
    };
    if let Some(choice) = first(draft, choices) {
        draft.block(&words(choice.get("text")).unwrap_or_default());
        draft.ended(choice.get("finish_reason"));
    }
    true
}

fn finish(word: &str, _: &Reply) -> Option<String> {
    (word != "stop").then(|| word.to_owned())
}
