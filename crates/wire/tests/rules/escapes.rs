//! How a text is spelt decides nothing: keys and words that are written in escapes mean what they mean plainly.

use super::script::Small;
use super::{Request, headers, lines};
use rehearsal_wire::dialect::DIALECTS;
use rehearsal_wire::rule::{Profile, RULES, RuleSet};

/// The same JSON with every plain letter of its strings written as an escape.
fn escaped(json: &str) -> String {
    let (mut out, mut inside, mut letters) = (String::new(), false, json.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                inside = !inside;
                out.push(letter);
            }
            '\\' => {
                let kind = letters.next();
                let digits = if kind == Some('u') { 4 } else { 0 };
                out.push(letter);
                out.extend(kind);
                out.extend(letters.by_ref().take(digits));
            }
            letter if inside && letter.is_ascii_alphabetic() => {
                out.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            letter => out.push(letter),
        }
    }
    out
}

/// What is said of a request: the rule, code and place of its refusal, and the codes and places of its notes.
fn said(request: &Request<'_>, rules: &RuleSet) -> String {
    let (verdict, notes) = request.judge(rules, &Small::demanding());
    let refused = verdict.err().map(|reject| (reject.rule, reject.code, reject.status, reject.pointer));
    let notes: Vec<_> = notes.into_iter().map(|note| (note.code, note.pointer)).collect();
    format!("{refused:?} {notes:?}")
}

#[test]
fn what_is_written_in_escapes_is_judged_like_what_is_not() {
    const STRICTNESS: &str = include_str!("../../../standin/tests/data/strictness.jsonl");
    let corpus = lines(STRICTNESS);
    let bodies = corpus.iter().filter(|line| !line["body"].is_null());
    let bodies: Vec<_> =
        bodies.map(|line| (headers(line), line["body"].to_string(), "openai-chat")).collect();
    let examples = RULES.iter().map(|rule| {
        let dialect = DIALECTS.iter().find(|dialect| rule.dialects.include(dialect.name)).unwrap();
        (rule.example.headers.to_vec(), rule.example.body.to_owned(), dialect.name)
    });
    let mut cases = 0;
    for (headers, body, dialect) in bodies.into_iter().chain(examples) {
        for profile in [Profile::Api, Profile::Gate, Profile::Pinned] {
            let rules = RuleSet::new(profile, &[]).unwrap();
            let plain = said(&Request::with(&headers, &body).spoken(dialect), &rules);
            let hidden = escaped(&body);
            assert_eq!(
                said(&Request::with(&headers, &hidden).spoken(dialect), &rules),
                plain,
                "{dialect}: {body}"
            );
            cases += 1;
        }
    }
    assert!(cases > 400, "{cases} cases");
}
