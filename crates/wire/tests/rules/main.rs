//! The rule table, held against its own examples and against corpora of requests.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod captures;
mod crash;
mod echo;
mod escapes;
mod gemini;
mod kinds;
mod messages;
mod mutations;
mod responses;
mod script;
mod strictness;
mod stub;
mod table;

use rehearsal_wire::dialect::{Dialect, dialect};
use rehearsal_wire::json;
use rehearsal_wire::reject::Reject;
use rehearsal_wire::rule::{self, Asked, Note, RuleSet, Scripted, Stage};

/// A request as the tests write it.
struct Request<'r> {
    headers: &'r [(&'r str, &'r [u8])],
    body: &'r str,
    dialect: &'static Dialect,
}

impl<'r> Request<'r> {
    fn of(body: &'r str) -> Self {
        Self::with(&[], body)
    }

    /// A request for a chat completion with these headers.
    fn with(headers: &'r [(&'r str, &'r [u8])], body: &'r str) -> Self {
        Self { headers, body, dialect: dialect("openai-chat").unwrap() }
    }

    /// The same bytes as a request of another dialect.
    fn spoken(self, name: &str) -> Self {
        Self { dialect: dialect(name).unwrap(), ..self }
    }

    /// Reads the body and applies every stage.
    fn judge(&self, rules: &RuleSet, script: &dyn Scripted) -> (Result<(), Box<Reject>>, Vec<Note>) {
        let tape = match json::parse(self.body.as_bytes()) {
            Ok(tape) => tape,
            Err(broken) => panic!("{broken}: {}", self.body),
        };
        let turn = (self.dialect.read)(&tape);
        let asked = Asked { headers: self.headers, tape: &tape, turn: &turn, script };
        let mut notes = Vec::new();
        let rules = &rules.of(self.dialect);
        let verdict = Stage::ALL.iter().try_for_each(|stage| rule::check(&asked, rules, *stage, &mut notes));
        (verdict, notes)
    }

    fn verdict(&self, rules: &RuleSet, script: &dyn Scripted) -> Result<(), Box<Reject>> {
        self.judge(rules, script).0
    }
}

/// The lines of a corpus.
fn lines(corpus: &str) -> Vec<serde_json::Value> {
    corpus.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Headers of a corpus line; null leaves one out.
fn headers(line: &serde_json::Value) -> Vec<(&str, &[u8])> {
    let headers = line["headers"].as_object().into_iter().flatten();
    headers.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?.as_bytes()))).collect()
}
