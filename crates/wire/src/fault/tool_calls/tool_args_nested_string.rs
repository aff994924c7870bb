//! Lists and objects inside the arguments are sent as texts.

use super::argue;
use crate::fault::{Arrives, Dialects, Fault, Group, Params, Work};
use crate::json::quoted;
use crate::json::{Kind, Value, edit, parse};
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-args-nested-string",
    group: Group::ToolCalls,
    summary: "lists and objects inside the arguments are texts that hold their JSON",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "tool-args-nested-string", "tool_calls": [{"name": "read_files", "arguments": {"paths": ["a.md", "b.md"]}}]}"#,
    reports: &["MoonshotAI/kimi-cli#2513", "vercel/ai#6865"],
    right_reaction: "what the schema says of it goes to the model as an error",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, _: &Params<'_>) -> bool {
    argue(&mut reply.calls, |text| {
        let tape = parse(text.as_bytes()).ok()?;
        let nested = |(key, value): (Value<'_>, Value<'_>)| {
            let is_nested = matches!(value.kind(), Kind::Array | Kind::Object);
            is_nested.then(|| Some((key.as_str()?.into_owned(), quoted(value.text()))))?
        };
        let nested: Vec<(String, String)> = tape.root().entries().filter_map(nested).collect();
        nested.iter().try_fold(text.to_owned(), |text, (key, value)| edit::set(&text, "", key, value))
    })
}
