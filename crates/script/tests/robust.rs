//! No bytes make the reader panic, and it is quick about it; JSON and YAML of one meaning read alike.

use proptest::prelude::*;
use rehearsal_script::scenario::Scenarios;
use rehearsal_script::{File, Known, lint, read};
use rehearsal_wire::fault::FAULTS;

const SEEDS: [&str; 6] = [
    include_str!("../../../examples/quickstart/basics.yaml"),
    include_str!("../../../examples/quickstart/failures.yaml"),
    include_str!("../../../examples/quickstart/torture.json"),
    include_str!("../../../examples/hard/suite.yaml"),
    "{\"classes\": {\"a\": {\"script\": [{\"repeat\": 3, \"text\": \"{N} of {NN}\"}, {\"api_error\": {\"status\": 500, \"message\": \"m\"}}], \"phrasings\": [{\"id\": \"p\", \"marker\": \"m\"}]}}}",
    r#"{"version": 1, "agent": {"command": "a '{prompt}' \"b c\"", "env": {"A": 1, "B": true}, "files": {"{home}/a": "{model}"}, "stdin": "x", "time_limit": "1s"},
"findings": {"files": "off"}, "defaults": {"advance": "auto"}, "classes": {"a": {"script": [{"text": "x"}],
"conversations": [{"id": "c", "prompt": "sub", "script": [{"text": "y"}]}], "phrasings": [{"id": "p", "prompt": "do it",
"expect_agent": {"forbidden_files": ["**/a*", "?"], "files": {"b": ""}, "commands": {"ran": ["git commit"], "not_ran": "git push", "watch": []}},
"conversations": [{"id": "d", "marker": "other", "script": [{"text": "z"}], "advance": "request", "pacing": {"chunk": 1}}]}]}}}"#,
];

fn known() -> Known<'static> {
    Known {
        rules: &["pairing"],
        faults: FAULTS,
        codes: &["files"],
        regex: |_| Ok(()),
        steps: &[],
        refusals: &[],
    }
}

fn look_at(bytes: &[u8]) {
    for name in ["f.json", "f.yaml", "f"] {
        let findings = lint(&[File { name, bytes }], &known());
        assert!(findings.iter().all(|finding| finding.line >= 1 && finding.column >= 1));
    }
}

fn load(name: &str, text: &str) -> Scenarios {
    let files = [File { name, bytes: text.as_bytes() }];
    let mut suite = read(&files, &known()).unwrap_or_else(|findings| panic!("{}", findings[0]));
    for phrasing in &mut suite.phrasings {
        phrasing.place = rehearsal_script::scenario::Place::default();
    }
    if let Some(agent) = &mut suite.agent {
        agent.place = rehearsal_script::scenario::Place::default();
    }
    suite
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        look_at(&bytes);
    }

    #[test]
    fn any_yaml_like_text_is_read_without_a_panic(text in "[-:?,\\[\\]{}#&*!|>'\"%@` \n\tab01.~<\\\\]{0,80}") {
        look_at(text.as_bytes());
    }

    #[test]
    fn a_damaged_file_is_read_without_a_panic(
        seed in 0..SEEDS.len(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..6),
    ) {
        let mut bytes = SEEDS[seed].as_bytes().to_vec();
        for (place, byte, kind) in damage {
            if bytes.is_empty() {
                break;
            }
            let at = place.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        look_at(&bytes);
    }
}

#[test]
fn the_corpus_file_reads_alike_as_yaml() {
    // JSON with its escapes is YAML, but for pairs of surrogates, which YAML spells as one character.
    let json = include_str!("../../standin/tests/data/scenarios-openai.json");
    let mut yaml = String::new();
    let mut rest = json;
    while let Some(at) = rest.find("\\ud8").or_else(|| rest.find("\\udb")) {
        let at = rest.find("\\udb").map_or(at, |other| at.min(other));
        let unit = |from: usize| u32::from_str_radix(&rest[from..from + 4], 16).unwrap();
        let scalar = 0x10000 + ((unit(at + 2) - 0xD800) << 10) + (unit(at + 8) - 0xDC00);
        yaml.push_str(&rest[..at]);
        yaml.push(char::from_u32(scalar).unwrap());
        rest = &rest[at + 12..];
    }
    yaml.push_str(rest);
    assert_eq!(load("c.yaml", &yaml), load("c.json", json));
}

#[test]
fn yaml_and_json_of_one_meaning_read_alike() {
    let json = r#"{"version": 1, "agent": {"command": ["a", "b c"], "env": {"N": 1.50, "F": true}, "files": {"{home}/x": "y\n"}},
        "findings": {"files": "off"}, "defaults": {"pacing": {"ttft": 200}}, "classes": {"c": {
        "script": [
            {"tool_calls": [{"name": "f", "arguments": {"b": 1, "a": [0.5, -7, 1e+3, 31, true, null, "x\ny", {}], "7": "é"}}]},
            {"fault": {"name": "mid-body-drop", "at": 0.25}, "times": 2},
            {"text": "done", "finish_reason": "length", "usage": {"prompt_tokens": 7, "completion_tokens": 8}}],
        "phrasings": [{"id": "p", "prompt": "do it", "expect_agent": {"time_limit": "1.5s", "exit": 3},
            "conversations": [{"id": "s", "prompt": "sub", "script": [{"text": "31"}]}]}]}}}"#;
    let yaml = "
version: 1
agent:
  command: a 'b c'
  env: {N: 1.50, F: true}
  files:
    '{home}/x': |
      y
findings: {files: off}
defaults: {pacing: {ttft: 200ms}}
classes:
  c:
    script:
      - tool_calls:
          - name: f
            arguments: {b: 1, a: [.5, -7, 1e+3, 0x1F, True, ~, \"x\\ny\", {}], 7: é}
      - fault:
          name: mid-body-drop
          at: 0.25
        times: 2
      - &last
        text: done
        finish_reason: 'length'
        usage: {prompt_tokens: 7, completion_tokens: 8}
    phrasings:
      - id: p
        prompt: >-
          do
          it
        expect_agent: {time_limit: 1.5s, exit: 3}
        conversations:
          - id: s
            prompt: sub
            script:
              - text: '31'
";
    assert_eq!(load("s.yaml", yaml), load("s.json", json));
    let suite = load("s.yaml", yaml);
    let rehearsal_script::scenario::Action::Say(said) = &suite.phrasings[0].script[0].action else {
        panic!()
    };
    let arguments = r#"{"b": 1, "a": [0.5, -7, 1e+3, 31, true, null, "x\ny", {}], "7": "é"}"#;
    assert_eq!(said.calls[0].arguments, arguments);
}

#[test]
fn bytes_that_are_not_utf_8_are_found_where_they_stand() {
    for name in ["f.json", "f.yaml"] {
        let findings = lint(&[File { name, bytes: b"{\n \"\xC3\xA9\": \"\xFF\"}" }], &known());
        assert_eq!((findings.len(), findings[0].line, findings[0].column), (1, 2, 8), "{name}");
        assert_eq!(findings[0].message, "not UTF-8 from here on");
    }
}

#[test]
fn a_byte_order_mark_is_no_mistake() {
    for (name, text) in [("f.json", SEEDS[2]), ("f.yaml", SEEDS[0])] {
        assert_eq!(lint(&[File { name, bytes: format!("\u{feff}{text}").as_bytes() }], &known()), []);
    }
}

#[test]
fn deep_and_wide_files_end_in_a_finding() {
    let deep = "[".repeat(100_000);
    let flow = "[".repeat(200) + &"]".repeat(200);
    let block: String = (0..400).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    let dashes = "- ".repeat(5_000);
    let chain: String =
        (0..100).map(|i| format!("k{i}: &k{i} {}x{}\n", "[".repeat(200), "]".repeat(200))).collect();
    for text in [deep, flow, block, dashes, chain] {
        look_at(text.as_bytes());
    }
    let anchors: String = (1..60)
        .fold("k0: &k0 [x]\n".to_owned(), |all, i| all + &format!("k{i}: &k{i} [[[[[*k{}]]]]]\n", i - 1));
    let findings = lint(&[File { name: "f.yaml", bytes: anchors.as_bytes() }], &known());
    assert!(findings.iter().any(|finding| finding.message.contains("nested deeper")), "{findings:?}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test of how long it takes")]
fn a_suite_of_very_many_phrasings_is_looked_at_in_time() {
    let mut text = "version: 1\nclasses:\n  t:\n    script: [{text: a}]\n    phrasings:\n".to_owned();
    for number in 0..20_000 {
        text += &format!("      - {{id: p{number}, prompt: Hello number {number:05} is here}}\n");
    }
    let begun = std::time::Instant::now();
    let findings = lint(&[File { name: "f.yaml", bytes: text.as_bytes() }], &known());
    assert!(findings.is_empty(), "{}", findings[0]);
    // A look at every pair would take minutes in a debug build.
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}
