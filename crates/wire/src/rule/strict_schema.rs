//! Strict schemas are closed: each object names additionalProperties false and requires all of its properties.
//! The original stub took open ones, and scripts in its form are held to its answers, so `pinned` leaves this out.

use super::{Asked, Check, Example, OPENAI, Profile, Rule, Stage, Verdict, say};
use crate::json::{Kind, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;

pub(super) const ROW: Rule = Rule {
    name: "strict-schema",
    summary: "a strict schema with open objects or optional properties",
    codes: &["invalid_function_parameters", "invalid_json_schema", "null"],
    stage: Stage::Api,
    dialects: OPENAI,
    profiles: &[Profile::Api, Profile::Gate],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object","properties":{}}}}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    for (index, tool) in asked.top("tools").into_iter().flat_map(Value::items).enumerate() {
        let (nested, below) = match tool.get("function") {
            Some(function) => (function, "function"),
            None => (tool, ""),
        };
        let Some(function) = Some(nested).filter(|function| is_strict(*function)) else { continue };
        let Some(parameters) = function.get("parameters") else { continue };
        if let Some(why) = first_gap(parameters) {
            let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
            let message = format!("Invalid schema for function '{name}': {why}");
            let (dot, slash) = if below.is_empty() { ("", "") } else { (".", "/") };
            let param = format!("tools[{index}]{dot}{below}.parameters");
            let pointer = format!("/tools/{index}{slash}{below}/parameters");
            return Err(say::api(Some("invalid_function_parameters"), Some(param), pointer, message));
        }
    }
    formats(asked)
}

/// The schema that the answer is to follow, in either of its places.
fn formats(asked: &Asked<'_>) -> Verdict {
    if let Some(format) =
        asked.top("text").and_then(|text| text.get("format")).filter(|format| is_strict(*format))
    {
        let Some(why) = format.get("schema").and_then(first_gap) else { return Ok(()) };
        let name = format.get("name").and_then(Value::as_str).unwrap_or_default();
        let message = format!("Invalid schema for response_format '{name}': {why}");
        let (param, pointer) = ("text.format.schema".to_owned(), "/text/format/schema");
        return Err(say::api(Some("invalid_json_schema"), Some(param), pointer, message));
    }
    let format = asked.top("response_format").and_then(|format| format.get("json_schema"));
    let Some(format) = format.filter(|format| is_strict(*format)) else { return Ok(()) };
    let Some(why) = format.get("schema").and_then(first_gap) else { return Ok(()) };
    let name = format.get("name").and_then(Value::as_str).unwrap_or_default();
    let message = format!("Invalid schema for response_format '{name}': {why}");
    let pointer = "/response_format/json_schema/schema";
    Err(say::api(None, Some("response_format".to_owned()), pointer, message))
}

fn is_strict(holder: Value<'_>) -> bool {
    holder.get("strict").and_then(Value::as_bool) == Some(true)
}

/// The first place of a schema that is not closed, as the API words it.
fn first_gap(schema: Value<'_>) -> Option<String> {
    gap(schema, &mut Vec::new())
}

fn gap<'t>(schema: Value<'t>, path: &mut Vec<Cow<'t, str>>) -> Option<String> {
    if let Some(why) = open_object(schema) {
        let context: Vec<String> = path.iter().map(|part| format!("'{part}'")).collect();
        return Some(format!("In context=({}), {why}", context.join(", ")));
    }
    for (key, value) in schema.entries() {
        // A property may have the name of a keyword, so what stands under it is a schema whatever its name.
        let named = NAMED.iter().any(|name| key.is_str(name));
        let nested: &mut dyn Iterator<Item = (Option<Value<'t>>, Value<'t>)> = if named {
            &mut value.entries().map(|(name, value)| (Some(name), value))
        } else if NESTED.iter().any(|name| key.is_str(name)) {
            match value.kind() {
                Kind::Array => &mut value.items().map(|value| (None, value)),
                _ => &mut std::iter::once((None, value)),
            }
        } else {
            continue;
        };
        for (name, schema) in nested {
            let before = path.len();
            path.extend(key.as_str());
            path.extend(name.and_then(Value::as_str));
            if let Some(why) = gap(schema, path) {
                return Some(why);
            }
            path.truncate(before);
        }
    }
    None
}

/// Keywords that hold schemas under names.
const NAMED: &[&str] = &["properties", "$defs", "definitions"];
/// Keywords that hold a schema or a list of schemas.
const NESTED: &[&str] = &["items", "anyOf"];

fn open_object(schema: Value<'_>) -> Option<String> {
    let is_object = |kind: Value<'_>| kind.is_str("object") || kind.items().any(|kind| kind.is_str("object"));
    let properties = schema.get("properties");
    if !schema.get("type").is_some_and(is_object) && properties.is_none() {
        return None;
    }
    if schema.get("additionalProperties").and_then(Value::as_bool) != Some(false) {
        return Some("'additionalProperties' is required to be supplied and to be false.".to_owned());
    }
    // Sorted: a peer may send hundreds of thousands of either.
    let required: BTreeSet<_> =
        schema.get("required").into_iter().flat_map(Value::items).filter_map(Value::as_str).collect();
    let is_required = |name: Value<'_>| required.contains(&name.as_str().unwrap_or_default());
    let (name, _) = properties?.entries().find(|(name, _)| !is_required(*name))?;
    Some(format!(
        "'required' is required to be supplied and to be an array including every key in properties. Missing '{}'.",
        name.as_str().unwrap_or_default()
    ))
}
