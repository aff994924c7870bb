//! What models put around an answer that was to be nothing but its words.

use crate::fault::{Arrives, Dialects, Fault, Group, Work};
use crate::json::{Kind, parse};
use crate::reply::Reply;

pub(in crate::fault) const THINK: Fault = Fault {
    right_reaction: "the block is taken off where it leads; the same tags inside a text stay",
    ..around(
        "think-prefix",
        "the words begin with a `<think>` block",
        r#"{"fault": "think-prefix", "text": "hello"}"#,
        &["vllm-project/vllm#13375", "admonstrator/zettelrobbe#74", "msu-denver/bili-core#289"],
        &[Work::Words(|reply, _| {
            let made =
                reply.text.as_ref().map(|text| format!("<think>\nWhat is asked for?\n</think>\n\n{text}"));
            changed(reply, made)
        })],
    )
};

pub(in crate::fault) const FENCE: Fault = around(
    "code-fence",
    "words that are JSON stand in a Markdown fence",
    r#"{"fault": "code-fence", "text": "{\"done\": true}"}"#,
    &[
        "vectorize-io/hindsight#645",
        "ollama/ollama#15595",
        "microsoft/essex-toolkit#437",
        "crewAIInc/crewAI#4641",
    ],
    &[Work::Words(|reply, _| {
        let made = object(reply).map(|text| format!("```json\n{text}\n```"));
        changed(reply, made)
    })],
);

pub(in crate::fault) const OTHER_FENCE: Fault = Fault {
    right_reaction: "nothing is guessed: the answer goes back with what is wrong with it",
    ..around(
        "other-fence",
        "before words that are JSON stands a fence with something else in it",
        r#"{"fault": "other-fence", "text": "{\"done\": true}"}"#,
        &["NVIDIA-NeMo/labs-OO-Agents#238"],
        &[Work::Words(|reply, _| {
            let made = object(reply).map(|text| format!("```bash\nls\n```\n{text}"));
            changed(reply, made)
        })],
    )
};

pub(in crate::fault) const PROSE: Fault = around(
    "prose-around",
    "before and behind words that are JSON stands prose",
    r#"{"fault": "prose-around", "text": "{\"done\": true}"}"#,
    &["dspy-community/dspy-template-adapter#2"],
    &[Work::Words(|reply, _| {
        let made =
            object(reply).map(|text| format!("Here is what you asked for:\n{text}\nTell me if it fits."));
        changed(reply, made)
    })],
);

/// A row of the family.
const fn around(
    name: &'static str,
    summary: &'static str,
    example: &'static str,
    reports: &'static [&'static str],
    works: &'static [Work],
) -> Fault {
    Fault {
        name,
        group: Group::Endpoint,
        summary,
        dialects: Dialects::All,
        params: &[],
        example,
        reports,
        right_reaction: "strict first; then what stands around the one object is left out, and told",
        arrives: Arrives::AsSaid,
        may_give_up: true,
        hostile: false,
        works,
    }
}

/// The words, where they are an object of JSON.
fn object(reply: &Reply) -> Option<&str> {
    let text = reply.text.as_deref()?;
    parse(text.as_bytes()).is_ok_and(|tape| tape.root().kind() == Kind::Object).then_some(text)
}

fn changed(reply: &mut Reply, made: Option<String>) -> bool {
    let found = made.is_some();
    if found {
        reply.text = made;
    }
    found
}
