//! Every code that a finding can have, in words.

use super::truncated::TRUNCATED_CALL_EXECUTED;
use super::{CHECKS, Check, Tier};
use rehearsal_journal::run::{CodeText, Finding, Severity};
use rehearsal_wire::rule::{Profile, RULES, Rule};
use std::collections::BTreeSet;

/// A code that no row of [`CHECKS`] and no rule has.
#[derive(Debug)]
struct Word {
    code: &'static str,
    meaning: &'static str,
    remedy: &'static str,
}

/// What refuses a request before any rule is asked.
const WORDS: &[Word] = &[
    Word {
        code: "http",
        meaning: "refused: what arrived was no readable HTTP request",
        remedy: "look at the agent's HTTP client: lengths, headers, a body that arrives whole",
    },
    Word {
        code: "host",
        meaning: "refused: the Host header names another machine",
        remedy: "ask under the address of the base URL; a proxy between must keep the Host header",
    },
    Word {
        code: "route",
        meaning: "refused: the provider has no such route",
        remedy: "OPENAI_BASE_URL ends in `/v1` already, so the client adds `/chat/completions` or `/responses`; {root_url} and the variables that hold it, such as ANTHROPIC_BASE_URL, do not, and the client adds `/v1/messages`",
    },
    Word {
        code: "token",
        meaning: "refused: the server answers only below its token",
        remedy: "use the base URL that the server was started with, `http://HOST:PORT/t/TOKEN/v1`",
    },
    Word {
        code: "command",
        meaning: "refused: what should be the report of a watched command was none",
        remedy: "leave `/gate/command` to the shims on PATH",
    },
    Word {
        code: "recording-miss",
        meaning: "refused: no recording of the case's cassette is of this call",
        remedy: "the message says which recording is nearest and in what it differs; mend the agent, record anew, or name a part that must not count in `ignore` of the cassette",
    },
    Word {
        code: "recording-used-up",
        meaning: "refused: the call was made more often than it was recorded",
        remedy: "look why the agent asks again; record anew where that is right, or set `repeat: true` at the cassette",
    },
    Word {
        code: "method",
        meaning: "refused: the route does not take that method",
        remedy: "conversations are asked for with POST",
    },
    Word {
        code: "api-key",
        meaning: "refused: no API key was sent",
        remedy: "send the key that the agent was given in the header of its dialect, as OPENAI_API_KEY says",
    },
    Word {
        code: "content-encoding",
        meaning: "refused: the body is compressed",
        remedy: "send the body as it is, without Content-Encoding",
    },
    Word {
        code: "content-type",
        meaning: "refused: the body is not called JSON",
        remedy: "send `Content-Type: application/json`",
    },
    Word {
        code: "json",
        meaning: "refused: the body is no JSON",
        remedy: "build the body with a JSON library; the message says at which byte it stops being one",
    },
];

/// What rules note without refusing it.
struct Note {
    word: Word,
    /// What it weighs by itself.
    severity: Severity,
    /// Codes of failings that say the same and more: where one of them is found, the note is told below it.
    part_of: &'static [&'static str],
}

/// All notes of rules.
const NOTES: &[Note] = &[
    Note {
        word: Word {
            code: "arguments-not-json",
            meaning: "the history holds a call of the agent's own making whose arguments are no JSON",
            remedy: "write the arguments of calls with a JSON library; real providers refuse some of these",
        },
        severity: Severity::Warning,
        part_of: &[],
    },
    Note {
        word: Word {
            code: "arguments-double-encoded",
            meaning: "the history holds a call of the agent's own making whose arguments are encoded as JSON twice",
            remedy: "keep the arguments as the text that the model sent, and encode them once",
        },
        severity: Severity::Warning,
        part_of: &[],
    },
    Note {
        word: Word {
            code: "arguments-through-doubles",
            meaning: "numbers in echoed arguments came back rounded, as clients send them that read numbers as doubles",
            remedy: "harmless unless the tools need large numbers; keep the model's text to avoid it",
        },
        severity: Severity::Note,
        part_of: &[],
    },
    Note {
        word: Word {
            code: "arguments-stripped",
            meaning: "echoed arguments lack keys that the offered schema does not name",
            remedy: "harmless unless the model must see what it sent; keep the model's text to avoid it",
        },
        severity: Severity::Note,
        part_of: &[],
    },
    Note {
        word: Word {
            code: "reasoning-dropped",
            meaning: "calls came back without the reasoning that the model sent with them",
            remedy: "send reasoning items, thought signatures and `reasoning_content` back as they came, or go on from `previous_response_id`: without them the model thinks anew",
        },
        severity: Severity::Warning,
        part_of: &[],
    },
    Note {
        word: Word {
            code: "broken-arguments-changed",
            meaning: "a call that the script broke on purpose came back changed",
            remedy: "correct clients do this in several ways; look whether the agent executed it",
        },
        severity: Severity::Note,
        // Who runs a call that was cut short has repaired it first, and sends the repaired call back.
        part_of: &[TRUNCATED_CALL_EXECUTED.code],
    },
];

/// What to do where a rule refused.
const CHANGE: &str = "change what the agent sends as the message says; where the rule asks too much of it, `--rule NAME=off` or a milder `--profile`";

fn note(code: &str) -> Option<&'static Note> {
    NOTES.iter().find(|note| note.word.code == code)
}

/// Whether a note says again, in a milder way, what a failing with another code says.
pub(super) fn is_part_of(code: &str, failing: &str) -> bool {
    note(code).is_some_and(|note| note.part_of.contains(&failing))
}

/// What a note weighs by itself.
pub(super) fn weight_of_note(code: &str) -> Severity {
    note(code).map_or(Severity::Note, |note| note.severity)
}

/// All codes, each once: those of the world, of refusals (before the rules, then the rules in their order), of the other checks,
/// of notes.
#[must_use]
pub fn codes() -> Vec<&'static str> {
    let mut seen = BTreeSet::new();
    all_codes().filter(|code| seen.insert(*code)).collect()
}

/// The same in that order, some more than once: for who only asks whether a word is one.
pub(crate) fn all_codes() -> impl Iterator<Item = &'static str> {
    let of = |is_world: bool| CHECKS.iter().filter(move |check| (check.tier == Tier::World) == is_world);
    of(true)
        .map(|check| check.code)
        .chain(WORDS.iter().map(|word| word.code))
        .chain(RULES.iter().map(|rule| rule.name))
        .chain(of(false).map(|check| check.code))
        .chain(NOTES.iter().map(|note| note.word.code))
}

/// Everything that is known of one code.
struct Entry {
    severity: Severity,
    tier: Option<Tier>,
    meaning: String,
    remedy: &'static str,
    rule: Option<&'static Rule>,
    follows: &'static [&'static str],
}

fn entry(code: &str) -> Option<Entry> {
    if let Some(check) = CHECKS.iter().find(|check| check.code == code) {
        let Check { severity, tier, follows, meaning, remedy, .. } = *check;
        return Some(Entry {
            severity,
            tier: Some(tier),
            meaning: meaning.to_owned(),
            remedy,
            rule: None,
            follows,
        });
    }
    let rule = RULES.iter().copied().find(|rule| rule.name == code);
    let word = WORDS.iter().find(|word| word.code == code);
    if rule.is_none() && word.is_none() {
        let Note { word, severity, .. } = note(code)?;
        let meaning = word.meaning.to_owned();
        return Some(Entry {
            severity: *severity,
            tier: None,
            meaning,
            remedy: word.remedy,
            rule: None,
            follows: &[],
        });
    }
    let (meaning, remedy) = match word {
        Some(word) => (word.meaning.to_owned(), word.remedy),
        None => (rule.map_or_else(String::new, |rule| format!("refused: {}", rule.summary)), CHANGE),
    };
    Some(Entry { severity: Severity::Error, tier: Some(Tier::Wire), meaning, remedy, rule, follows: &[] })
}

/// Where a failing with this code lies; none for what is only worth knowing.
pub(super) fn tier(code: &str) -> Option<Tier> {
    entry(code)?.tier
}

/// A code in a table's words: its weight, what a finding of it means, what to do about it.
#[must_use]
pub fn text(code: &str) -> Option<(Severity, CodeText)> {
    let Entry { severity, meaning, remedy, .. } = entry(code)?;
    Some((severity, CodeText { code: code.to_owned(), meaning, remedy: remedy.to_owned() }))
}

/// The codes of some findings in words, sorted, each once.
#[must_use]
pub fn explained<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Vec<CodeText> {
    let codes: BTreeSet<&str> = findings.into_iter().map(|finding| finding.code.as_str()).collect();
    codes.into_iter().filter_map(|code| Some(text(code)?.1)).collect()
}

/// The word for a weight, in files and on the command line.
#[must_use]
pub fn weight_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// All that can be said of a code, some lines of text. None for a word that is no code.
#[must_use]
pub fn explain(code: &str) -> Option<String> {
    let Entry { severity, tier, meaning, remedy, rule, follows } = entry(code)?;
    let mut out = format!("{code}: {meaning}\n\n");
    let mut line = |label: &str, text: &str| out.push_str(&format!("{label:<12}{text}\n"));
    line("to do:", remedy);
    let word = weight_word(severity);
    line(
        "weight:",
        &format!(
            "{word}; `findings: {{{code}: error|warning|note|off}}` in a suite or `--finding {code}=…` changes it"
        ),
    );
    match tier {
        Some(tier) => line("about:", tier.words()),
        None => line("about:", "worth knowing; explains no failing and follows from none"),
    }
    if !follows.is_empty() {
        line("follows:", &format!("where {} is found, this is told below it", follows.join(" or ")));
    }
    if let Some(rule) = rule {
        let on = |profile: &&Profile| rule.profiles.contains(profile);
        let profiles: Vec<_> = Profile::ALL.iter().filter(on).map(|profile| profile.name()).collect();
        line(
            "rule:",
            &format!(
                "stage {}; profiles {}; dialects {}",
                rule.stage.name(),
                profiles.join(", "),
                rule.dialects.words()
            ),
        );
        line("wire codes:", &rule.codes.join(", "));
        if let Some(Note { word, severity, .. }) = note(code) {
            line("also:", &format!("as a {} where {}", weight_word(*severity), word.meaning));
        }
        line("example:", "a request that it refuses or notes");
        for (name, value) in rule.example.headers {
            line("", &format!("{name}: {}", String::from_utf8_lossy(value)));
        }
        line("", rule.example.body);
    }
    Some(out)
}
