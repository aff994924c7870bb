//! The corpus of the original stub's answers: the families that no script decides.

use super::script::Nothing;
use super::{Request, headers, lines};
use rehearsal_wire::rule::{Profile, RuleSet};
use serde_json::Value;

const STUB: &str = include_str!("../../../standin/tests/data/model-stub.jsonl");

/// Families whose answers no script decides.
const FAMILIES: &[&str] = &[
    "background",
    "lenient",
    "dialect-header",
    "dialect-top-key",
    "dialect-block",
    "tools-shape",
    "messages-shape",
    "tool-call-shape",
    "pairing",
    "mutate-one",
    "mutate-pair",
    "json-lenient",
];
/// Codes that only a script gives.
const SCRIPTED: &[&str] = &["gate_echo_mismatch", "gate_expect", "bad_json"];

fn cases(defects: bool) -> Vec<Value> {
    let wanted = |line: &Value| {
        let code = line["expect"]["code"].as_str().unwrap_or_default();
        FAMILIES.contains(&line["family"].as_str().unwrap())
            && line["body"].is_string()
            && line["seed_defect"].is_string() == defects
            && !SCRIPTED.contains(&code)
            && matches!(line["expect"]["status"].as_u64(), Some(200 | 400))
            && rehearsal_wire::json::parse(line["body"].as_str().unwrap().as_bytes()).is_ok()
    };
    lines(STUB).into_iter().filter(wanted).collect()
}

fn code_under(profile: Profile, line: &Value) -> Result<(), (&'static str, Option<&'static str>)> {
    let rules = RuleSet::new(profile, &[]).unwrap();
    let headers = headers(line);
    let request = Request::with(&headers, line["body"].as_str().unwrap());
    request.verdict(&rules, &Nothing).map_err(|reject| (reject.rule, reject.code))
}

#[test]
fn pinned_answers_as_the_seed_where_the_seed_is_right() {
    let cases = cases(false);
    assert!(cases.len() > 500, "{} cases left", cases.len());
    let mut wrong = Vec::new();
    for line in &cases {
        let got = code_under(Profile::Pinned, line).map_err(|(_, code)| code);
        let expected =
            if line["expect"]["status"] == 200 { Ok(()) } else { Err(line["expect"]["code"].as_str()) };
        if got != expected {
            wrong.push(format!("{} {}: expected {expected:?}, got {got:?}", line["id"], line["note"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lines that the corpus marks as defects of the original stub, with the rule and the code that answer them here. No rule: the
/// right answer is an acceptance, or (stream, n, Content-Type) is given elsewhere.
const RIGHT: &[(&str, &str, &str)] = &[
    ("background-057", "json-word", "null"),
    ("background-067", "tool-choice-needs-tools", "null"),
    ("background-068", "", ""),
    ("background-070", "", ""),
    ("background-079", "", ""),
    ("background-080", "", ""),
    ("background-081", "", ""),
    ("lenient-002", "model-given", "null"),
    ("lenient-005", "documented-shape", "missing_required_parameter"),
    ("lenient-006", "documented-shape", "invalid_type"),
    ("lenient-007", "documented-shape", "invalid_type"),
    ("lenient-009", "documented-shape", "invalid_value"),
    ("lenient-010", "documented-shape", "invalid_value"),
    ("lenient-012", "documented-shape", "missing_required_parameter"),
    ("lenient-014", "documented-shape", "null"),
    ("lenient-015", "documented-shape", "invalid_type"),
    ("lenient-016", "documented-shape", "invalid_type"),
    ("lenient-017", "documented-shape", "invalid_type"),
    ("lenient-018", "documented-shape", "empty_array"),
    ("lenient-021", "documented-shape", "invalid_type"),
    ("lenient-023", "documented-shape", "missing_required_parameter"),
    ("lenient-024", "documented-shape", "invalid_value"),
    ("lenient-025", "documented-shape", "null"),
    ("lenient-026", "assistant-content", "null"),
    ("lenient-027", "assistant-content", "null"),
    ("lenient-028", "documented-shape", "invalid_type"),
    ("lenient-032", "documented-shape", "invalid_type"),
    ("lenient-034", "unknown-parameter", "unknown_parameter"),
    ("lenient-035", "unknown-parameter", "unknown_parameter"),
    ("lenient-036", "unknown-parameter", "unknown_parameter"),
    ("lenient-041", "documented-shape", "empty_string"),
    ("lenient-043", "documented-shape", "invalid_value"),
    ("lenient-044", "call-ids-unique", "null"),
    ("lenient-047", "documented-shape", "invalid_type"),
    ("lenient-048", "documented-shape", "decimal_above_max_value"),
    ("lenient-049", "documented-shape", "integer_below_min_value"),
    ("lenient-050", "documented-shape", "integer_below_min_value"),
    ("lenient-051", "documented-shape", "integer_above_max_value"),
    ("lenient-054", "documented-shape", "empty_array"),
    ("lenient-055", "tool-choice-needs-tools", "null"),
    ("lenient-056", "parallel-needs-tools", "null"),
    ("lenient-057", "anthropic-fields", "gate_dialect_leak"),
    ("lenient-058", "tool-choice-offered", "null"),
    ("lenient-059", "documented-shape", "invalid_type"),
    ("lenient-060", "anthropic-fields", "gate_dialect_leak"),
    ("lenient-062", "anthropic-fields", "gate_dialect_leak"),
    ("lenient-063", "anthropic-fields", "gate_dialect_leak"),
    ("lenient-064", "anthropic-fields", "gate_dialect_leak"),
    ("lenient-065", "anthropic-fields", "gate_dialect_leak"),
    ("lenient-068", "anthropic-headers", "gate_dialect_leak"),
    ("lenient-069", "anthropic-headers", "gate_dialect_leak"),
    ("lenient-070", "anthropic-headers", "gate_dialect_leak"),
    ("dialect-top-key-026", "unknown-parameter", "unknown_parameter"),
    ("dialect-top-key-028", "unknown-parameter", "unknown_parameter"),
    ("dialect-block-037", "documented-shape", "invalid_value"),
    ("dialect-block-038", "documented-shape", "invalid_value"),
    ("dialect-block-039", "documented-shape", "invalid_value"),
    ("dialect-block-040", "documented-shape", "invalid_value"),
    ("dialect-block-042", "documented-shape", "invalid_type"),
    ("tools-shape-050", "tool-description", "gate_tools_shape"),
    ("tools-shape-052", "tool-description", "gate_tools_shape"),
    ("tools-shape-058", "tool-parameters-present", "gate_tools_shape"),
    ("tools-shape-065", "documented-shape", "invalid_value"),
    ("tools-shape-066", "documented-shape", "invalid_value"),
    ("tools-shape-068", "documented-shape", "string_above_max_length"),
    ("tools-shape-069", "documented-shape", "invalid_value"),
    ("tools-shape-072", "anthropic-fields", "gate_dialect_leak"),
    ("tools-shape-076", "documented-shape", "invalid_value"),
    ("tools-shape-097", "tool-parameters-present", "gate_tools_shape"),
    ("tool-call-shape-020", "tool-calls-function-only", "gate_tool_call_shape"),
    ("tool-call-shape-051", "unknown-parameter", "unknown_parameter"),
    ("mutate-one-010", "tool-parameters-present", "gate_tools_shape"),
    ("mutate-one-034", "model-given", "null"),
    ("mutate-one-043", "tool-description", "gate_tools_shape"),
    ("mutate-one-075", "tool-description", "gate_tools_shape"),
    ("mutate-one-076", "tool-parameters-present", "gate_tools_shape"),
    ("mutate-one-082", "model-given", "null"),
    ("mutate-one-091", "tool-description", "gate_tools_shape"),
    ("mutate-one-114", "anthropic-fields", "gate_dialect_leak"),
    ("mutate-one-117", "model-given", "null"),
    ("mutate-one-127", "parallel-needs-tools", "null"),
    ("json-lenient-009", "duplicate-keys", "gate_duplicate_key"),
    ("json-lenient-010", "duplicate-keys", "gate_duplicate_key"),
    ("json-lenient-011", "messages-list", "gate_messages_shape"),
    ("json-lenient-012", "duplicate-keys", "gate_duplicate_key"),
    ("json-lenient-013", "lone-surrogate", "null"),
    ("json-lenient-014", "lone-surrogate", "null"),
    ("json-lenient-019", "documented-shape", "decimal_above_max_value"),
    ("json-lenient-021", "", ""),
];

#[test]
fn pinned_answers_rightly_where_the_seed_is_wrong() {
    let cases = cases(true);
    let mut wrong = Vec::new();
    for line in &cases {
        let got = match code_under(Profile::Pinned, line) {
            Ok(()) => ("", ""),
            Err((rule, code)) => (rule, code.unwrap_or("null")),
        };
        let right = RIGHT.iter().find(|(id, ..)| line["id"] == *id).map(|(_, rule, code)| (*rule, *code));
        if right != Some(got) {
            wrong.push(format!("{} ({}): expected {right:?}, got {got:?}", line["id"], line["seed_defect"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(cases.len(), RIGHT.len());
}
