//! docs/reference/strictness.md is what the stand-in does, under every profile, with the requests of our corpora.

use crate::captures::{self, LANES, Lane};
use crate::request::{Answer, headers_for, lines, request};
use crate::stand::{Served, Stand};
use crate::strictness::{self, CASES, verdict};
use rehearsal_journal::event::Asked;
use rehearsal_testkit::page;
use rehearsal_wire::dialect::{DIALECTS, Dialect, Serves};
use rehearsal_wire::rule::{Profile, RULES, Rule};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const INTRO: &str = "<!-- Written by a test: `UPDATE_REFERENCE=1 cargo test -p rehearsal-standin --test live reference` renews it. -->
# Strictness

What a stand-in does with the requests that its tests are made of: cases of what the OpenAI API takes and refuses, each from a
source; the example of each rule, which [rules.md](rules.md) shows; and what real clients sent. Each was sent under every profile.
";

const REFUSED: &str = "
## What the API refuses

The answer is that of the profile `api`; where `gate` refuses by a rule of its own, rule and code stand behind. Of rules that no
case breaks the example stands here. A case is known from the published description (`spec`), from an error that somebody met
(`report`), from one for a sibling (`report-family`) or from another provider (`report-other-provider`), from an RFC (`rfc`), or it
is `inferred`; what is only inferred or of a family may differ in its words.

";

const GATE: &str = "
## What only we refuse

The API takes it, or it is open whether it does, and yet it is a mistake of the client. `pinned` adds what the original stub demanded and real clients do not all do.

";

const TAKEN: &str = "
## What we deliberately do not refuse

What is odd but right, and what real clients do: a check that refused it would refuse a correct agent. A script may expect a
`tool_choice` or a value of `parallel_tool_calls` nevertheless, and those of the older form do.

";

/// What stricter checks would demand that captured clients do not keep, by the corpus's word for it.
const DEMANDS: &[(&str, &str)] = &[
    ("description_non_empty", "a description of every tool"),
    ("echo_bytes", "arguments that come back byte for byte"),
    ("parallel_tool_calls_false", "`parallel_tool_calls: false`"),
    ("tool_choice_present", "a `tool_choice` beside tools"),
    ("tool_type_function", "tools of the type function only"),
    ("tools_required", "tools wherever the history holds calls"),
];

/// A request, with what each profile said to it.
struct Tried {
    /// Its case; of the example of a rule none.
    case: Option<Value>,
    /// The rule that it is an example of.
    rule: Option<&'static Rule>,
    said: BTreeMap<Profile, Said>,
}

/// What one profile said to a request.
struct Said {
    status: u16,
    kind: String,
    code: String,
    param: String,
    /// The rule that refused.
    rule: String,
    notes: Vec<String>,
}

impl Said {
    fn of(answer: &Answer, asked: &Asked) -> Self {
        let reject = asked.reject.as_ref();
        let error = if answer.status == 200 { Value::Null } else { answer.json()["error"].clone() };
        let word = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        Self {
            status: answer.status,
            kind: if error["status"].is_string() { word("status") } else { word("type") },
            code: reject.and_then(|reject| reject.code.clone()).unwrap_or_else(|| word("code")),
            param: word("param"),
            rule: reject.map(|reject| reject.rule.clone()).unwrap_or_default(),
            notes: asked.notes.iter().map(|note| note.code.clone()).collect(),
        }
    }
}

impl Tried {
    fn of_case(case: &Value) -> Self {
        Self { case: Some(case.clone()), rule: None, said: BTreeMap::new() }
    }

    fn of_rule(rule: &'static Rule) -> Self {
        Self { case: None, rule: Some(rule), said: BTreeMap::new() }
    }

    /// A word of the case; of an example none.
    fn word(&self, key: &str) -> String {
        self.case.as_ref().and_then(|case| case[key].as_str()).unwrap_or_default().to_owned()
    }

    fn name(&self) -> String {
        self.rule.map_or_else(|| code(&self.word("id")), |rule| link(rule.name))
    }

    /// The dialects that it stands for.
    fn dialects(&self) -> String {
        self.rule.map_or_else(|| "openai-chat".to_owned(), |rule| rule.dialects.words())
    }

    /// What is special about it.
    fn what(&self) -> String {
        let gist =
            self.case.as_ref().map(|case| case["expect"]["gist"].as_str().unwrap().replace('|', "\\|"));
        gist.or(self.rule.map(|rule| rule.summary.to_owned())).unwrap_or_default()
    }

    fn refused(&self, profile: Profile) -> bool {
        self.said[&profile].status != 200
    }

    /// The profiles that refuse it, or those that take it.
    fn under(&self, refused: bool) -> String {
        let names = Profile::ALL.into_iter().filter(|profile| self.refused(*profile) == refused);
        names.map(Profile::name).collect::<Vec<_>>().join(", ")
    }

    /// The rules that refuse it under `api` and under `gate`.
    fn rules(&self) -> String {
        let mut rules =
            [Profile::Api, Profile::Gate].map(|profile| self.said[&profile].rule.as_str()).to_vec();
        rules.dedup();
        rules.retain(|name| RULES.iter().any(|rule| rule.name == *name));
        rules.into_iter().map(link).collect::<Vec<_>>().join(", ")
    }

    /// Whether the description leaves it to the server.
    fn is_open(&self) -> bool {
        self.case.as_ref().is_some_and(|case| verdict(case) == "either")
    }

    /// Whether no profile could judge it without the script that it speaks of.
    fn needs_script(&self) -> bool {
        let unknown = |said: &Said| said.rule == "echo-known-id";
        let blind = |said: &Said| unknown(said) || (said.status == 200 && said.notes.is_empty());
        self.rule.is_some_and(|rule| rule.name != "echo-known-id") && self.said.values().all(blind)
    }
}

fn code(word: &str) -> String {
    if word.is_empty() { String::new() } else { format!("`{word}`") }
}

fn link(rule: &str) -> String {
    format!("[{rule}](rules.md#{rule})")
}

fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<_> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rule = format!("|{}\n", "---|".repeat(head.len()));
    line(&head) + &rule + &rows.iter().map(|row| line(row)).collect::<String>()
}

/// The example of a rule in the first dialect that it reads, with the headers that no client leaves out.
fn send_example(stand: &Stand, rule: &Rule) -> Answer {
    let reads = |dialect: &&Dialect| rule.dialects.include(dialect.name);
    let dialect = DIALECTS.iter().find(reads).unwrap();
    let mut talks = dialect.routes.iter().filter(|route| matches!(route.serves, Serves::Conversation));
    let path = talks.next().unwrap().path.replace("{model}", "m");
    let mut headers = headers_for(dialect);
    headers.retain(|(name, _)| rule.name != "messages-version-header" || *name != "anthropic-version");
    let own = rule.example.headers.iter();
    headers.extend(own.map(|(name, value)| (*name, std::str::from_utf8(value).ok())));
    stand.send(&request("POST", &path, &headers, rule.example.body.as_bytes()))
}

/// Cases by name, then rules in the order of their table.
fn tried() -> Vec<Tried> {
    let mut cases = lines(CASES);
    cases.sort_by_key(|case| case["id"].to_string());
    let mut all: Vec<_> = cases.iter().map(Tried::of_case).collect();
    all.extend(RULES.iter().map(|rule| Tried::of_rule(rule)));
    for profile in Profile::ALL {
        let stand = Served::nothing().under(profile).start();
        let send = |tried: &Tried| match (&tried.case, tried.rule) {
            (Some(case), _) => strictness::send(&stand, case),
            (None, Some(rule)) => send_example(&stand, rule),
            (None, None) => panic!("neither case nor rule"),
        };
        let answers: Vec<_> = all.iter().map(send).collect();
        let asked = stand.asked();
        assert_eq!(asked.len(), all.len(), "the journal has a line for each");
        for ((tried, answer), asked) in all.iter_mut().zip(&answers).zip(&asked) {
            tried.said.insert(profile, Said::of(answer, asked));
        }
    }
    all
}

fn refused(all: &[Tried]) -> String {
    let by_case: BTreeSet<_> = all
        .iter()
        .filter(|tried| tried.case.is_some())
        .flat_map(|tried| tried.said.values())
        .map(|said| said.rule.as_str())
        .collect();
    let shown = |tried: &&Tried| {
        let known = tried.rule.is_some_and(|rule| by_case.contains(rule.name));
        tried.refused(Profile::Api) && !tried.is_open() && !known
    };
    let row = |tried: &Tried| {
        let (api, gate) = (&tried.said[&Profile::Api], &tried.said[&Profile::Gate]);
        let own = if gate.code == api.code { String::new() } else { code(&gate.code) };
        let name = if tried.rule.is_some() { "example".to_owned() } else { tried.name() };
        let what = [name, tried.rules(), tried.dialects(), tried.what(), api.status.to_string()];
        let said = [&api.kind, &api.code, &api.param].map(|word| code(word));
        what.into_iter().chain(said).chain([tried.word("confidence"), tried.under(true), own]).collect()
    };
    let head = [
        "case",
        "rules",
        "dialects",
        "what",
        "status",
        "type",
        "code",
        "param",
        "known from",
        "refused under",
        "code of `gate`",
    ];
    table(&head, &all.iter().filter(shown).map(row).collect::<Vec<_>>())
}

fn only_ours(all: &[Tried]) -> String {
    let ours =
        |tried: &&Tried| tried.refused(Profile::Pinned) && (tried.is_open() || !tried.refused(Profile::Api));
    let row = |tried: &Tried| {
        let said = code(&tried.said[&Profile::Pinned].code);
        vec![tried.name(), tried.dialects(), tried.what(), said, tried.under(true)]
    };
    let rows: Vec<_> = all.iter().filter(ours).map(row).collect();
    table(&["case or rule", "dialects", "what", "code", "refused under"], &rows)
}

fn taken(all: &[Tried], captured: &[Captured]) -> String {
    let why = |tried: &Tried| {
        let notes: Vec<_> = tried.said[&Profile::Gate].notes.iter().map(|note| code(note)).collect();
        match (tried.refused(Profile::Api), notes.is_empty()) {
            (true, _) => "`api` holds to what is documented; agents do well without it".to_owned(),
            (false, true) => tried.word("source"),
            (false, false) => format!("a finding: {}", notes.join(", ")),
        }
    };
    let row = |tried: &Tried| vec![tried.name(), tried.what(), tried.under(false), why(tried)];
    let mut rows: Vec<_> = all.iter().filter(|tried| !tried.refused(Profile::Pinned)).map(row).collect();
    rows.extend(client_rows(captured));
    table(&["request", "what", "taken under", "why"], &rows)
}

/// A captured request, and the profiles that take it.
struct Captured {
    lane: &'static str,
    line: Value,
    taken: Vec<Profile>,
}

fn captured() -> Vec<Captured> {
    let mut all: Vec<Captured> = Vec::new();
    for lane in LANES {
        let lines = captures::captures(lane).into_iter().map(|(_, line)| line);
        let mut captured: Vec<_> =
            lines.map(|line| Captured { lane: lane.name, line, taken: Vec::new() }).collect();
        for profile in Profile::ALL {
            let stand = Served::nothing().under(profile).start();
            for one in &mut captured {
                if captures::answered(lane, &one.line, profile, &stand).status == 200 {
                    one.taken.push(profile);
                }
            }
        }
        all.extend(captured);
    }
    all
}

/// Requests of captured clients: what they are, how many each profile takes, and why none is refused under `gate`.
fn of_clients(what: String, why: &str, captured: &[&Captured]) -> Vec<String> {
    let taken = |profile: Profile| {
        let taken = captured.iter().filter(|one| one.taken.contains(&profile)).count();
        let name = profile.name();
        if taken == captured.len() { name.to_owned() } else { format!("{name} ({taken} of them)") }
    };
    let clients: BTreeSet<_> = captured.iter().map(|one| one.line["client"].as_str().unwrap()).collect();
    let who = match clients.len() {
        0..=3 => clients.into_iter().collect::<Vec<_>>().join(", "),
        many => format!("{many} clients"),
    };
    let name = format!("{} captures of {who}", captured.len());
    vec![name, what, Profile::ALL.map(taken).join(", "), why.to_owned()]
}

/// What of a line a stricter check would refuse, in the corpus's words.
fn broken(line: &Value) -> impl Iterator<Item = &str> {
    line["would_break"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn client_rows(captured: &[Captured]) -> Vec<Vec<String>> {
    let lane = |lane: &Lane| {
        let captured: Vec<_> = captured.iter().filter(|one| one.lane == lane.name).collect();
        of_clients(lane.name.to_owned(), "real clients sent it", &captured)
    };
    let unkept = |(word, demand): &(&str, &str)| {
        let breaks = |one: &&Captured| broken(&one.line).any(|broken| broken == *word);
        let captured: Vec<_> = captured.iter().filter(breaks).collect();
        of_clients(format!("without {demand}"), "real clients do without it", &captured)
    };
    LANES.iter().map(lane).chain(DEMANDS.iter().map(unkept)).collect()
}

#[test]
fn the_page_of_strictness_says_what_the_stand_in_does() {
    let captured = captured();
    let words: BTreeSet<_> = captured.iter().flat_map(|one| broken(&one.line)).collect();
    assert!(words.iter().eq(DEMANDS.iter().map(|(word, _)| word)), "{words:?}");
    let (blind, all): (Vec<_>, Vec<_>) = tried().into_iter().partition(Tried::needs_script);
    let blind: Vec<_> = blind.iter().map(Tried::name).collect();
    let untried =
        format!("Not tried, because they are about what a script issued or expects: {}.\n", blind.join(", "));
    let text =
        [INTRO, &untried, REFUSED, &refused(&all), GATE, &only_ours(&all), TAKEN, &taken(&all, &captured)]
            .concat();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/strictness.md");
    if let Err(stale) = page::hold(&path, &text) {
        panic!("{stale}\nrenew it: UPDATE_REFERENCE=1 cargo test -p rehearsal-standin --test live reference");
    }
}
