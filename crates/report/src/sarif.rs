//! SARIF 2.1.0, as code scanning reads it: a rule for each code, a result for each finding, at the place of its case in the suite.

use crate::rounds::name;
use crate::words::{moment, requests, visible};
use crate::{Report, Style};
use chrono::SecondsFormat;
use rehearsal_journal::run::{CaseResult, Finding, Place, RunFile, Severity, Verdict};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub(super) const ROW: Report = Report {
    name: "sarif",
    summary: "SARIF 2.1.0 for code scanning: a result for each finding, at its case's place in the suite",
    write,
};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

fn write(run: &RunFile, _style: Style) -> String {
    let codes = codes(run);
    let judged = run.cases.iter().filter(|case| case.verdict != Verdict::Broken);
    let results: Vec<_> =
        judged.flat_map(|case| case.findings.iter().map(|finding| result(&codes, case, finding))).collect();
    let (name, version) = run.program.split_once(' ').unwrap_or((&run.program, ""));
    let mut driver = object([("name", json!(if name.is_empty() { "rehearsal" } else { name }))]);
    if !version.is_empty() {
        driver.insert("version".to_owned(), json!(version));
    }
    driver.insert("rules".to_owned(), descriptors(run, &codes));
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver},
            "automationDetails": {"id": automation(run)},
            "columnKind": "unicodeCodePoints",
            "properties": common(run),
            "invocations": [invocation(run, &codes)],
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

/// What two runs must have in common to be compared.
fn common(run: &RunFile) -> Map<String, Value> {
    let mut out = object([("seed", json!(run.seed))]);
    if !run.suite_digest.is_empty() {
        out.insert("suiteSha256".to_owned(), json!(run.suite_digest));
    }
    out
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Each code with its place in the list of rules: those that the run file explains, then any that it does not.
fn codes(run: &RunFile) -> BTreeMap<&str, usize> {
    let found = run.cases.iter().flat_map(|case| &case.findings).map(|finding| finding.code.as_str());
    let mut codes = BTreeMap::new();
    for code in run.codes.iter().map(|text| text.code.as_str()).chain(found) {
        let next = codes.len();
        codes.entry(code).or_insert(next);
    }
    codes
}

fn descriptors(run: &RunFile, codes: &BTreeMap<&str, usize>) -> Value {
    let mut ordered: Vec<_> = codes.iter().map(|(code, index)| (*index, *code)).collect();
    ordered.sort_unstable();
    let rule = |(_, code): (usize, &str)| {
        let mut rule = object([("id", json!(code))]);
        if let Some(text) = run.codes.iter().find(|text| text.code == code) {
            rule.insert("shortDescription".to_owned(), message(&text.meaning));
            rule.insert("help".to_owned(), message(&text.remedy));
        }
        Value::Object(rule)
    };
    ordered.into_iter().map(rule).collect()
}

/// Which series of runs this is: shards are series of their own, else each would replace the one before.
fn automation(run: &RunFile) -> String {
    let shard = run.shard.map(|(part, of)| format!("shard-{part}-of-{of}/")).unwrap_or_default();
    format!("rehearsal/{shard}{}", run.run)
}

fn result(codes: &BTreeMap<&str, usize>, case: &CaseResult, finding: &Finding) -> Value {
    json!({
        "ruleId": finding.code,
        "ruleIndex": codes.get(finding.code.as_str()),
        "level": level(finding.severity),
        "message": sentence(finding),
        "locations": [location(&case.place)],
        "partialFingerprints": {"caseAndCode/v1": format!("{}/{}/{}", case.class, case.name(), finding.code)},
        "properties": properties(case, finding),
    })
}

fn properties(case: &CaseResult, finding: &Finding) -> Value {
    let mut properties = object([
        ("case", json!(name(case))),
        ("requests", json!(finding.exchanges)),
        ("round", json!(case.round)),
    ]);
    if let (Some(fault), Some(outcome)) = (&case.fault, case.outcome) {
        properties.insert("fault".to_owned(), json!(fault));
        properties.insert("outcome".to_owned(), json!(outcome.word()));
    }
    Value::Object(properties)
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// What was done and what was right, with its consequences.
fn sentence(finding: &Finding) -> Value {
    let mut text = format!("{}{}", visible(&finding.message), requests(finding));
    for also in &finding.also {
        text.push_str("\nalso: ");
        text.push_str(&visible(also));
    }
    message(&text)
}

/// A message whose text holds no link: `[a](b)` would be one.
fn message(text: &str) -> Value {
    json!({"text": text.replace("](", "] (")})
}

/// Where a case stands. A line or column that is not known is left out.
fn location(place: &Place) -> Value {
    let mut physical = object([("artifactLocation", json!({"uri": uri(&place.file)}))]);
    if place.line > 0 {
        let mut region = object([("startLine", json!(place.line))]);
        if place.column > 0 {
            region.insert("startColumn".to_owned(), json!(place.column));
        }
        physical.insert("region".to_owned(), Value::Object(region));
    }
    json!({"physicalLocation": physical})
}

/// A path as a reference: relative where the path is, with slashes forward and everything else encoded.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut rest = path.as_str();
    while let Some(shorter) = rest.strip_prefix("./") {
        rest = shorter;
    }
    let drive = matches!(rest.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic());
    let mut out = if drive {
        "file:///".to_owned()
    } else if rest.starts_with("//") {
        "file:".to_owned()
    } else if rest.starts_with('/') {
        "file://".to_owned()
    } else {
        String::new()
    };
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            b':' if drive && at == 1 => out.push(':'),
            plain if plain.is_ascii_alphanumeric() => out.push(char::from(plain)),
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}

/// How the run itself went: cases that could not be judged are its failures, not the agent's.
fn invocation(run: &RunFile, codes: &BTreeMap<&str, usize>) -> Value {
    let broken: Vec<_> = run.cases.iter().filter(|case| case.verdict == Verdict::Broken).collect();
    let mut out = object([("executionSuccessful", json!(broken.is_empty()))]);
    let mut time = |key: &str, at: u64| {
        if let Some(moment) = moment(at) {
            out.insert(key.to_owned(), json!(moment.to_rfc3339_opts(SecondsFormat::Millis, true)));
        }
    };
    time("startTimeUtc", run.started_unix_ms);
    time("endTimeUtc", run.started_unix_ms.saturating_add(run.took_ms));
    let notifications: Vec<_> = broken.iter().flat_map(|case| notifications(codes, case)).collect();
    if !notifications.is_empty() {
        out.insert("toolExecutionNotifications".to_owned(), json!(notifications));
    }
    Value::Object(out)
}

fn notifications(codes: &BTreeMap<&str, usize>, case: &CaseResult) -> Vec<Value> {
    let place = json!([location(&case.place)]);
    if case.findings.is_empty() {
        let text = format!("{} could not be judged", name(case));
        return vec![json!({"level": "error", "message": message(&text), "locations": place})];
    }
    let told = case.findings.iter().map(|finding| {
        json!({
            "level": level(finding.severity),
            "message": sentence(finding),
            "locations": place,
            "associatedRule": {"id": finding.code, "index": codes.get(finding.code.as_str())},
            "properties": properties(case, finding),
        })
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_references_that_a_reader_resolves_against_the_repository() {
        for (path, reference) in [
            ("suite.yaml", "suite.yaml"),
            ("./tests/my suite.yaml", "tests/my%20suite.yaml"),
            ("tests\\suite.yaml", "tests/suite.yaml"),
            ("../größe/a#b?c%.yaml", "../gr%C3%B6%C3%9Fe/a%23b%3Fc%25.yaml"),
            ("a:b/c.yaml", "a%3Ab/c.yaml"),
            ("ab:c/d.yaml", "ab%3Ac/d.yaml"),
            ("/home/me/suite.yaml", "file:///home/me/suite.yaml"),
            ("C:\\suites\\a.yaml", "file:///C:/suites/a.yaml"),
            ("\\\\host\\share\\a.yaml", "file://host/share/a.yaml"),
        ] {
            assert_eq!(uri(path), reference, "{path}");
        }
    }
}
