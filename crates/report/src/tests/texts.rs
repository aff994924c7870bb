//! Whatever texts an agent or a file brings into a run, each format stays what it is.

use super::{run, written};
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;
use rehearsal_journal::run::{CodeText, RunFile, Severity, Verdict};
use serde_json::Value;

/// Texts with what formats stumble over, and whatever else there is.
fn hard() -> impl Strategy<Value = String> {
    let stumbling = prop::sample::select(vec![
        "<",
        ">",
        "&",
        "\"",
        "'",
        "]]>",
        "<![CDATA[",
        "-->",
        "\u{0}",
        "\u{1b}[31m",
        "\u{7f}",
        "\u{85}",
        "\u{fffe}",
        "\u{ffff}",
        "\u{202e}",
        "\u{2028}",
        "\r\n",
        "\n\n# ",
        "\t",
        "|",
        "`",
        "\\",
        "](",
        "{0}",
        "%",
        "é",
        "😀",
        "../",
    ]);
    let piece = prop_oneof![stumbling.prop_map(str::to_owned), any::<String>()];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// The small run with these texts in every place that holds one.
fn filled(texts: &[String]) -> RunFile {
    let mut run = run();
    let mut texts = texts.iter().cycle().cloned();
    let mut next = || texts.next().unwrap();
    (run.run, run.program, run.profile) = (next(), next(), next());
    for (number, case) in run.cases.iter_mut().enumerate() {
        (case.class, case.phrasing, case.place.file) = (next(), format!("{number}{}", next()), next());
        for finding in &mut case.findings {
            finding.code = next();
            finding.message = next();
            finding.also = vec![next(), next()];
        }
    }
    run.codes = (0..2).map(|_| CodeText { code: next(), meaning: next(), remedy: next() }).collect();
    run
}

/// The elements of a document that XML 1.0 allows; anything else panics.
fn elements(text: &str) -> Vec<String> {
    let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(allowed), "{text}");
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut names = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => {
                for attribute in tag.attributes() {
                    attribute.unwrap().normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap();
                }
                names.push(String::from_utf8(tag.name().as_ref().to_vec()).unwrap());
            }
            Event::Text(text) => drop(text.xml10_content().unwrap()),
            Event::Eof => return names,
            Event::End(_) | Event::Decl(_) | Event::GeneralRef(_) => {}
            other => panic!("{other:?} in {text}"),
        }
    }
}

fn nulls(value: &Value) -> usize {
    match value {
        Value::Null => 1,
        Value::Array(items) => items.iter().map(nulls).sum(),
        Value::Object(fields) => fields.values().map(nulls).sum(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn junit_is_well_formed_and_counts_what_the_run_counts(texts in prop::collection::vec(hard(), 1..12)) {
        let run = filled(&texts);
        let text = written("junit", &run);
        let elements = elements(&text);
        let count = |name: &str| elements.iter().filter(|element| *element == name).count();
        prop_assert_eq!(count("testcase"), run.cases.len());
        prop_assert_eq!(count("failure"), run.count(Verdict::Failed));
        prop_assert_eq!(count("error"), run.count(Verdict::Broken));
        let back = quick_junit::Report::deserialize_from_str(&text).unwrap();
        prop_assert_eq!((back.tests, back.failures, back.errors), (3, 1, 1));
    }

    #[test]
    fn sarif_is_json_without_nulls_whose_results_name_their_rules(texts in prop::collection::vec(hard(), 1..12)) {
        let run = filled(&texts);
        let document: Value = serde_json::from_str(&written("sarif", &run)).unwrap();
        prop_assert_eq!(nulls(&document), 0);
        let told = &document["runs"][0];
        let rules = told["tool"]["driver"]["rules"].as_array().unwrap();
        for result in told["results"].as_array().unwrap() {
            let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
            prop_assert_eq!(&rule["id"], &result["ruleId"]);
            let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
            prop_assert!(uri.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"\\^`{|}".contains(&byte)), "{}", uri);
        }
        let judged = run.cases.iter().filter(|case| case.verdict != Verdict::Broken);
        let findings: usize = judged.map(|case| case.findings.len()).sum();
        prop_assert_eq!(told["results"].as_array().unwrap().len(), findings);
    }

    #[test]
    fn the_table_holds_no_character_that_steers_a_terminal_and_json_reads_back(texts in prop::collection::vec(hard(), 1..12)) {
        let run = filled(&texts);
        let table = written("terminal", &run);
        prop_assert!(!table.chars().any(|c| c.is_control() && c != '\n'), "{table:?}");
        prop_assert_eq!(RunFile::from_json(&written("json", &run)).unwrap(), run);
    }

    #[test]
    fn a_page_has_as_many_headings_and_rows_as_the_run_has_cases(texts in prop::collection::vec(hard(), 1..12)) {
        let run = filled(&texts);
        let page = written("markdown", &run);
        let bad = run.cases.iter().filter(|case| case.verdict != Verdict::Passed).count();
        prop_assert_eq!(page.lines().filter(|line| line.starts_with("#### ")).count(), bad);
        let errors = run.cases.iter().flat_map(|case| &case.findings).filter(|finding| finding.severity == Severity::Error);
        prop_assert!(page.lines().filter(|line| line.starts_with("- ")).count() >= errors.count());
    }
}
