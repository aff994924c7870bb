//! Captures of what is served beside conversations.

use super::chat::code;
use super::lane::Lane;

pub(super) const EMBEDDINGS: Lane = Lane {
    name: "openai-embeddings",
    captures: include_str!("../../../../wire/corpus/openai-embeddings/client-captures.jsonl"),
    count: 2,
    fit: |_| None,
    said: |_, answer| {
        assert_eq!(answer.json()["data"][0]["object"], "embedding");
        None
    },
    code,
    mutations: &[],
};

pub(super) const MODELS: Lane = Lane {
    name: "models",
    captures: include_str!("../../../../wire/corpus/models/client-captures.jsonl"),
    count: 2,
    fit: |_| None,
    said: |line, answer| {
        let (key, kind) =
            if line["client"] == "anthropic-py" { ("type", "model") } else { ("object", "model") };
        assert_eq!(answer.json()["data"][0][key], kind);
        None
    },
    code,
    mutations: &[],
};
