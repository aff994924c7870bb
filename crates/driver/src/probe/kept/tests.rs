//! What is kept is read again, and nothing else is.

use super::*;
use crate::endpoint::config::Given;
use crate::secret::Secret;

fn endpoint(url: &str, key: &str) -> Endpoint {
    let given = Given {
        base_url: url.to_owned(),
        key_name: "OPENAI_API_KEY".to_owned(),
        key: Some(Secret::new(key)),
        ..Given::default()
    };
    Endpoint::read(&given).unwrap()
}

fn kept() -> Kept {
    let mut kept = Kept::nothing(&endpoint("https://h.example/v1", "sk-secret-1"), "m");
    kept.probed_ms = 1_800_000_000_000;
    kept.requests = 23;
    kept.findings.rows.push(Finding {
        name: "usage".to_owned(),
        verdict: Verdict::No,
        note: "\"x\"\n".to_owned(),
    });
    kept.findings.quirks.push(Observed {
        name: "q01_usage_absent".to_owned(),
        note: String::new(),
        row: "usage".to_owned(),
    });
    kept.measured(Accuracy {
        format: "diff".to_owned(),
        fixtures: sample::VERSION,
        next: 41,
        good: 38,
        all: 40,
    });
    kept
}

#[test]
fn a_file_is_read_as_it_was_written_and_holds_no_key() {
    let text = kept().to_json();
    assert_eq!(Kept::read(text.as_bytes()), Ok(kept()));
    assert!(!text.contains("sk-secret"), "{text}");
}

#[test]
fn files_of_others_are_refused_with_a_reason() {
    let of = |from: &str, to: &str| Kept::read(kept().to_json().replace(from, to).as_bytes());
    assert_eq!(of("\"version\":1", "\"version\":2"), Err(KeptError::Version(2)));
    for (from, to) in [
        ("\"version\":1,", ""),
        ("\"good\":38", "\"good\":41"),
        ("\"good\":38", "\"good\":-1"),
        ("\"verdict\":\"no\"", "\"verdict\":\"maybe\""),
        ("\"model\":\"m\"", "\"model\":7"),
        ("}", ""),
    ] {
        assert!(matches!(of(from, to), Err(KeptError::Form(_))), "{from} {to}");
    }
}

#[test]
fn the_tier_is_that_of_the_same_url_api_model_and_format_alone() {
    let folder = std::env::temp_dir().join(format!("rehearsal-kept-{}", std::process::id()));
    let here = endpoint("https://h.example/v1", "sk-secret-1");
    assert_eq!(tier(&folder, &here, "m", "diff"), (Tier::UNMEASURED, 0, 0), "nothing is kept");
    kept().keep(&folder).unwrap();
    kept().keep(&folder).unwrap();
    assert_eq!(tier(&folder, &here, "m", "diff"), (Tier::measured(38, 40), 38, 40));
    assert_eq!(
        tier(&folder, &endpoint("https://h.example/v1/", "other-key"), "m", "diff").1,
        38,
        "the key is of no account"
    );
    for (endpoint, model, format) in [
        (&here, "m", "fenced"),
        (&here, "n", "diff"),
        (&endpoint("https://h.example/v2", "sk-secret-1"), "m", "diff"),
    ] {
        assert_eq!(tier(&folder, endpoint, model, format), (Tier::UNMEASURED, 0, 0));
    }
    assert_eq!(Kept::load_all(&folder).unwrap(), [Ok(kept())]);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn samples_of_other_fixtures_are_none() {
    let mut kept = kept();
    kept.accuracy[0].fixtures += 1;
    assert_eq!(kept.tier("diff"), (Tier::UNMEASURED, 0, 0));
    assert_eq!(kept.accuracy_of("diff").next, 0);
}
