//! Files of run scripts: what the runs of the agent-run daemon do.

use super::{File, Known, has_key};
use crate::find::Finder;
use crate::finding::{Code, Finding, Findings, Severity, Spot};
use crate::node::{self, Content, Node};
use crate::runs::{
    Act, Answers, Call, Ending, Failure, MessageOutcome, Mode, Problem, Question, Quirk, Refusal, RunScript,
    RunScripts, Step, Trouble, When,
};
use crate::{schema, span};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The key that only such files have at the top.
pub(super) const KEY: &str = "runs";

/// Whether a file holds run scripts.
#[must_use]
pub fn is_one(file: &File<'_>) -> bool {
    has_key(file, KEY)
}

/// Reads files of run scripts.
///
/// # Errors
/// Every mistake of every file, in the order of the files and lines.
pub fn read(files: &[File<'_>]) -> Result<RunScripts, Vec<Finding>> {
    let (scripts, mut findings) = load(files);
    findings.retain(|finding| finding.severity == Severity::Error);
    if findings.is_empty() { Ok(scripts) } else { Err(findings) }
}

/// All that can be said about files of run scripts, which a daemon plays together.
pub(super) fn lint(files: &[File<'_>], _: &Known<'_>) -> Vec<Finding> {
    load(files).1
}

fn load(files: &[File<'_>]) -> (RunScripts, Vec<Finding>) {
    let mut scripts = RunScripts::default();
    let mut of_files = Vec::new();
    for file in files {
        let mut findings = Findings::new(file.name);
        let root = node::read(file.bytes, &mut findings);
        let named = root.as_ref().map_or_else(Vec::new, |root| {
            schema::check(root, &schema::RUNS, false, &mut findings);
            take(root, &mut scripts, &mut findings)
        });
        of_files.push((findings, root, named));
    }
    // Runs are held beside each other once all are known, for which one look at each is enough.
    let beside = Beside::of(&scripts.runs);
    let (mut all, mut run) = (Vec::new(), 0);
    for (mut findings, root, named) in of_files {
        for at in named {
            beside.look(run, at, &mut findings);
            run += 1;
        }
        all.extend(findings.into_sorted(root.as_ref()));
    }
    (scripts, all)
}

/// Takes what stands under `runs` and `quota` of a map. Gives the place at which each of its runs is named.
fn take(root: &Node, scripts: &mut RunScripts, findings: &mut Findings<'_>) -> Vec<Spot> {
    let nodes = root.get(KEY).map_or(&[][..], Node::items);
    scripts.runs.extend(nodes.iter().map(|node| run(node, findings)));
    let quota = root.get("quota");
    let rows = |name: &str| quota.and_then(|quota| quota.get(name)).map_or(&[][..], Node::items).iter();
    scripts.snapshots.extend(rows("snapshots").map(Node::to_json));
    scripts.absences.extend(rows("absences").map(Node::to_json));
    nodes.iter().map(|node| node.get("id").map_or(node.at, |id| id.at)).collect()
}

/// The run scripts that stand in a map of another file.
pub(super) fn scripts(node: &Node, findings: &mut Findings<'_>) -> RunScripts {
    let mut scripts = RunScripts::default();
    let named = take(node, &mut scripts, findings);
    let beside = Beside::of(&scripts.runs);
    for (run, at) in named.into_iter().enumerate() {
        beside.look(run, at, findings);
    }
    scripts
}

/// Runs that are played together: a file may hold tens of thousands.
struct Beside<'r> {
    runs: &'r [RunScript],
    /// The first run of each name.
    names: BTreeMap<&'r str, usize>,
    /// The markers of `marked`.
    markers: Finder,
    /// The runs that have a marker, in their order.
    marked: Vec<usize>,
}

impl<'r> Beside<'r> {
    fn of(runs: &'r [RunScript]) -> Self {
        let mut names = BTreeMap::new();
        for (at, run) in runs.iter().enumerate() {
            names.entry(run.id.as_str()).or_insert(at);
        }
        let marked: Vec<usize> = (0..runs.len()).filter(|at| !runs[*at].marker.is_empty()).collect();
        let markers = Finder::new(marked.iter().map(|at| runs[*at].marker.clone()).collect());
        Self { runs, names, markers, marked }
    }

    /// What is wrong with a run beside those before it.
    fn look(&self, at: usize, spot: Spot, findings: &mut Findings<'_>) {
        let run = &self.runs[at];
        let before = |first: &usize| *first < at;
        let namesake = self.names.get(run.id.as_str()).copied().filter(before);
        if let Some(first) = namesake.filter(|_| !run.id.is_empty()) {
            let place = &self.runs[first].place;
            let message = format!(
                "two runs are called {:?}; the first stands in {}:{}",
                run.id, place.file, place.line
            );
            findings.error(spot, Code::Clash, message);
            return;
        }
        // Its own marker stands in it, so that the first that does is an earlier one or its own.
        let first = self.markers.first_in(&run.marker).map(|place| self.marked[place]).filter(before);
        if let Some(first) = first {
            let first = &self.runs[first].id;
            let message =
                format!("the marker of `{}` holds the marker of `{first}`, which comes first", run.id);
            findings.warning(
                spot,
                message,
                "every such prompt goes to the first; put the longer marker before it",
            );
        }
    }
}

fn run(node: &Node, findings: &mut Findings<'_>) -> RunScript {
    let id = node.text("id").unwrap_or_default().to_owned();
    let list = |name: &str| node.get(name).map_or(&[][..], Node::items).iter();
    let steps: Vec<Step> =
        list("steps").enumerate().filter_map(|(at, step)| self::step(at, step, findings)).collect();
    ends(node, &steps, findings);
    asked_twice(node, &steps, findings);
    let edits = steps.iter().any(|step| matches!(step.act, Act::Edit(_)));
    if let Some(refuse) = node.get("refuse").filter(|_| !steps.is_empty()) {
        findings.warning(
            refuse.at,
            "the start is refused, so the steps are never played",
            "remove one of them",
        );
    }
    RunScript {
        marker: node.text("marker").unwrap_or(&id).to_owned(),
        id,
        refuse: node.get("refuse").map(refusal),
        queued: queued(node),
        steps,
        messages: list("messages").filter_map(|node| message(node, findings)).collect(),
        troubles: list("troubles").filter_map(|node| trouble(node, findings)).collect(),
        quirks: texts(node, "quirks").iter().filter_map(|word| Quirk::of(word)).collect(),
        relay: node.get("relay").and_then(Node::as_flag).unwrap_or(false),
        required_inputs: texts(node, "required_inputs"),
        attempt: node.get("attempt").and_then(Node::as_flag).unwrap_or(edits),
        place: findings.place(node.at),
    }
}

/// Steps behind the last one that can be played.
fn ends(node: &Node, steps: &[Step], findings: &mut Findings<'_>) {
    let last = steps.iter().position(|step| matches!(step.act, Act::End(_) | Act::Hang));
    let nodes = node.get("steps").map_or(&[][..], Node::items);
    if let Some(after) = last.and_then(|last| nodes.get(last + 1)) {
        let message = "nothing is played after a step that ends or hangs";
        findings.error_with_hint(
            after.at,
            Code::Contradiction,
            message,
            "remove it, or put it before that step",
        );
    }
}

/// Two questions of one run that cannot be told apart.
fn asked_twice(node: &Node, steps: &[Step], findings: &mut Findings<'_>) {
    let ids: Vec<&str> = steps
        .iter()
        .filter_map(|step| match &step.act {
            Act::Ask(question) => Some(question.id.as_str()),
            Act::Edit(_) | Act::Note(_) | Act::Update(_) | Act::Call(_) | Act::End(_) | Act::Hang => None,
        })
        .collect();
    let nodes = node.get("steps").map_or(&[][..], Node::items).iter().filter_map(|step| step.get("ask"));
    let mut before = BTreeSet::new();
    for (ask, id) in nodes.zip(&ids) {
        if !before.insert(id) {
            let message = format!("two questions of this run have the id {id:?}");
            findings.error(ask.get("id").map_or(ask.at, |id| id.at), Code::Clash, message);
        }
    }
}

/// What a run waits for in its queue.
fn queued(node: &Node) -> Option<When> {
    let number = node.get("queued")?.as_whole().and_then(|number| u64::try_from(number).ok());
    number.map(When::Polls).or(duration(node, "queued").map(When::After))
}

fn refusal(node: &Node) -> Refusal {
    let status = node.get("status").and_then(Node::as_whole).and_then(|status| u16::try_from(status).ok());
    Refusal {
        status: status.unwrap_or(400),
        code: node.text("code").unwrap_or_default().to_owned(),
        message: node.text("message").unwrap_or("the script refuses this start").to_owned(),
    }
}

fn step(at: usize, node: &Node, findings: &mut Findings<'_>) -> Option<Step> {
    only(node, &schema::WAITS, "waits for", findings);
    let has = only(node, &schema::ACTS, "does", findings);
    if has == 0 && matches!(node.content, Content::Map(_)) {
        let message = "the step does nothing";
        let hint = format!("give it one of {}", schema::ACTS.join(", "));
        findings.error_with_hint(node.at, Code::MissingField, message, hint);
    }
    Some(Step { when: when(node), act: act(at, node, findings)? })
}

/// How many of some fields a step has; more than one is a mistake.
fn only(node: &Node, names: &[&str], what: &str, findings: &mut Findings<'_>) -> usize {
    let there: Vec<_> = node.entries().iter().filter(|(key, _)| names.contains(&key.name.as_str())).collect();
    if let [(first, _), (second, _), ..] = there.as_slice() {
        let message = format!("a step {what} one thing: `{}` stands beside `{}`", second.name, first.name);
        findings.error_with_hint(second.at, Code::Contradiction, message, "make a step of its own of it");
    }
    there.len()
}

fn when(node: &Node) -> When {
    let polls = node.get("polls").and_then(Node::as_whole).and_then(|polls| u64::try_from(polls).ok());
    match (polls, duration(node, "after"), node.text("on")) {
        (Some(polls), _, _) => When::Polls(polls),
        (None, Some(time), _) => When::After(time),
        (None, None, Some(_)) => When::Message,
        (None, None, None) => When::Now,
    }
}

fn act(at: usize, node: &Node, findings: &mut Findings<'_>) -> Option<Act> {
    if let Some(ask) = node.get("ask") {
        return Some(Act::Ask(question(at, ask)));
    }
    if let Some(edit) = node.get("edit") {
        return Some(Act::Edit(edit.as_text().is_none().then(|| files(edit, findings))));
    }
    if let Some(note) = node.text("note") {
        return Some(Act::Note(note.to_owned()));
    }
    if let Some(update) = node.get("update") {
        return Some(Act::Update(self::update(update, findings)));
    }
    if let Some(call) = node.get("call") {
        let params = call.get("params").map_or_else(|| "{}".to_owned(), Node::to_json);
        return Some(Act::Call(Call { method: call.text("method").unwrap_or_default().to_owned(), params }));
    }
    if let Some(end) = node.get("end") {
        return Some(Act::End(ending(end, findings)));
    }
    let hang = node.get("hang")?;
    if hang.as_flag() == Some(false) {
        findings.error(hang.at, Code::WrongValue, "`hang` is true, or is left out");
    }
    Some(Act::Hang)
}

/// The kinds of update that ACP has.
const UPDATES: [&str; 11] = [
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
];

fn update(node: &Node, findings: &mut Findings<'_>) -> String {
    match node.text("sessionUpdate") {
        Some(kind) if UPDATES.contains(&kind) => {}
        Some(kind) => {
            let at = node.get("sessionUpdate").map_or(node.at, |kind| kind.at);
            let message = format!("`{kind}` is no kind of update that ACP has");
            findings.warning(at, message, format!("they are {}", UPDATES.join(", ")));
        }
        None => findings.error_with_hint(
            node.at,
            Code::MissingField,
            "`update` needs `sessionUpdate`",
            format!("one of {}", UPDATES.join(", ")),
        ),
    }
    node.to_json()
}

fn files(node: &Node, findings: &mut Findings<'_>) -> Vec<(String, String)> {
    if node.entries().is_empty() && matches!(node.content, Content::Map(_)) {
        findings.error_with_hint(node.at, Code::MissingField, "no file is written", "name one: path to text");
    }
    let names: BTreeSet<&str> = node.entries().iter().map(|(path, _)| path.name.as_str()).collect();
    for (path, _) in node.entries() {
        let folder = format!("{}/", path.name);
        let inner = names.range(folder.as_str()..).next().filter(|inner| inner.starts_with(&folder));
        if let Some(inner) = inner {
            let message = format!("`{}` cannot be a file: `{inner}` lies in it", path.name);
            findings.error_with_hint(path.at, Code::Contradiction, message, "give one of them another name");
        }
    }
    let entries = node.entries().iter();
    entries.map(|(path, text)| (path.name.clone(), text.as_text().unwrap_or_default().to_owned())).collect()
}

fn question(at: usize, node: &Node) -> Question {
    let option = |node: &Node| match node.as_text() {
        Some(label) => (label.to_owned(), None),
        None => {
            let description = node.text("description").map(str::to_owned);
            (node.text("label").unwrap_or_default().to_owned(), description)
        }
    };
    Question {
        id: node.text("id").map_or_else(|| format!("ask-{{run}}-{}", at + 1), str::to_owned),
        header: node.text("header").unwrap_or_default().to_owned(),
        text: node.text("question").unwrap_or_default().to_owned(),
        options: node.get("options").map_or(&[][..], Node::items).iter().map(option).collect(),
        multi_select: node.get("multi_select").and_then(Node::as_flag).unwrap_or(false),
        timeout: duration(node, "timeout"),
    }
}

fn ending(node: &Node, findings: &mut Findings<'_>) -> Ending {
    if let Some(state) = node.as_text() {
        return Ending {
            failed: state != "succeeded",
            interrupted: state == "interrupted",
            ..Ending::default()
        };
    }
    let failure = node.get("failure").map(|node| failure(node, findings));
    if let Some(state) =
        node.get("state").filter(|state| failure.is_some() && state.as_text() == Some("succeeded"))
    {
        let message = "a run that succeeded has no `failure`";
        findings.error_with_hint(state.at, Code::Contradiction, message, "remove one of them");
    }
    let bytes = node.get("bytes").and_then(Node::as_whole).and_then(|bytes| u64::try_from(bytes).ok());
    if let Some(text) = node.get("text").filter(|text| bytes.is_some() && text.as_text() == Some("")) {
        findings.error(text.at, Code::Contradiction, "an empty text is repeated in vain");
    }
    Ending {
        failed: node.text("state").map_or(failure.is_some(), |state| state != "succeeded"),
        interrupted: node.text("state") == Some("interrupted"),
        text: node.text("text").map(str::to_owned),
        bytes,
        failure,
        stop: node.text("stop_reason").map(str::to_owned),
    }
}

fn failure(node: &Node, findings: &mut Findings<'_>) -> Failure {
    let text = |name: &str, default: &str| node.text(name).unwrap_or(default).to_owned();
    let code = text("code", "");
    if let Some(at) =
        node.get("code").filter(|_| !code.is_empty() && !Failure::CODES.contains(&code.as_str()))
    {
        let hint = format!("known are {}", Failure::CODES.join(", "));
        findings.warning(at.at, format!("no client is known to schedule by `{code}`"), hint);
    }
    Failure {
        phase: text("phase", "execution"),
        category: text("category", "engine"),
        message: text("message", &format!("the run failed: {code}")),
        resets_after: duration(node, "resets_after"),
        next_actions: texts(node, "next_actions"),
        code,
    }
}

fn message(node: &Node, findings: &mut Findings<'_>) -> Option<MessageOutcome> {
    let outcome = node.text("outcome")?.to_owned();
    let message = MessageOutcome { outcome, reason: node.text("reason").map(str::to_owned) };
    if let Some(reason) = node.get("reason").filter(|_| message.is_accepted()) {
        let why = format!("a message that is {} has no `reason`", message.outcome);
        findings.error(reason.at, Code::Contradiction, why);
    }
    Some(message)
}

/// How long a slow answer takes where its row does not say.
const SLOW: Duration = Duration::from_secs(5);

fn trouble(node: &Node, findings: &mut Findings<'_>) -> Option<Trouble> {
    let number =
        |name: &str| node.get(name).and_then(Node::as_whole).and_then(|number| u64::try_from(number).ok());
    let problem = problem(node, findings);
    let mode = Mode::of(node.text("mode")?, duration(node, "time").unwrap_or(SLOW), problem)?;
    if let Some(time) = node.get("time").filter(|_| !mode.is_slow()) {
        let why = format!("`{}` takes no `time`", mode.word());
        findings.error_with_hint(time.at, Code::Contradiction, why, "slow_head and slow_body do");
    }
    let on = Answers::of(node.text("on")?)?;
    Some(Trouble { on, skip: number("skip").unwrap_or(0), times: number("times").unwrap_or(1), mode })
}

/// The problem of a trouble that has one.
fn problem(node: &Node, findings: &mut Findings<'_>) -> Option<Problem> {
    let mode = node.text("mode").unwrap_or_default();
    if mode != "problem" {
        if let Some(at) = node.get("code").or(node.get("status")) {
            let why = format!("`{mode}` takes no `code` and no `status`");
            findings.error_with_hint(at.at, Code::Contradiction, why, "`mode: problem` does");
        }
        return None;
    }
    let Some(code) = node.text("code") else {
        let hint = format!("one of {}", Problem::CODES.join(", "));
        findings.error_with_hint(node.at, Code::MissingField, "`mode: problem` needs `code`", hint);
        return None;
    };
    let known = Problem::of(code)?;
    let status = node.get("status").and_then(Node::as_whole).and_then(|status| u16::try_from(status).ok());
    Some(Problem { status: status.unwrap_or(known.status), ..known })
}

fn duration(node: &Node, name: &str) -> Option<Duration> {
    node.text(name).and_then(span::parse)
}

fn texts(node: &Node, name: &str) -> Vec<String> {
    let items = node.get(name).map_or(&[][..], Node::items);
    items.iter().filter_map(Node::as_text).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<RunScripts, Vec<String>> {
        let file = File { name: "runs.yaml", bytes: text.as_bytes() };
        read(&[file]).map_err(|findings| findings.iter().map(ToString::to_string).collect())
    }

    const WHOLE: &str = "version: 1
quota:
  snapshots: [{scope: weekly, remaining: 0.25}]
runs:
  - id: port
    marker: '[port]'
    steps:
      - ask: {question: Which port?, header: Port, options: ['8080', {label: '9090', description: spare}], timeout: 15m}
      - {after: 90s, note: still at it}
      - {polls: 2, edit: {src/port.txt: '9090'}}
      - {on: message, edit: default}
      - update: {sessionUpdate: plan, entries: []}
      - call: {method: fs/read_text_file, params: {path: '{cwd}/a.txt'}}
      - end: {failure: {code: subscription_window_exhausted, resets_after: 2h, next_actions: [wait]}}
    messages: [{outcome: delivery_unknown, reason: transport_lost}, {outcome: accepted}]
    troubles: [{on: poll, skip: 1, times: 2, mode: slow_head, time: 2s}, {on: start, mode: garbage}]
  - {id: refused, refuse: {status: 409, code: busy}}
  - {id: hung, queued: 2, steps: [{hang: true}]}
  - {id: broken, queued: 30s, steps: [{end: interrupted}]}
";

    #[test]
    fn a_file_says_what_runs_do() {
        let scripts = read_text(WHOLE).unwrap();
        assert_eq!(scripts.snapshots, ["{\"scope\": \"weekly\", \"remaining\": 0.25}"]);
        let run = scripts.of("please [port] now").unwrap();
        assert_eq!((run.id.as_str(), run.attempt, run.steps.len()), ("port", true, 7));
        let Act::Ask(question) = &run.steps[0].act else { panic!("{:?}", run.steps[0]) };
        assert_eq!((question.id.as_str(), question.options.len()), ("ask-{run}-1", 2));
        assert_eq!(question.timeout, Some(Duration::from_secs(900)));
        assert_eq!(run.steps[1].when, When::After(Duration::from_secs(90)));
        assert_eq!(run.steps[2].when, When::Polls(2));
        assert_eq!((run.steps[3].when, &run.steps[3].act), (When::Message, &Act::Edit(None)));
        assert_eq!(
            run.steps[4].act,
            Act::Update("{\"sessionUpdate\": \"plan\", \"entries\": []}".to_owned())
        );
        let Act::Call(call) = &run.steps[5].act else { panic!("{:?}", run.steps[5]) };
        assert_eq!(call.params, "{\"path\": \"{cwd}/a.txt\"}");
        let Act::End(ending) = &run.steps[6].act else { panic!("{:?}", run.steps[6]) };
        let failure = ending.failure.as_ref().unwrap();
        assert_eq!((ending.failed, failure.resets_after), (true, Some(Duration::from_secs(7200))));
        assert_eq!(run.troubles[0].mode, Mode::SlowHead(Duration::from_secs(2)));
        assert_eq!((run.troubles[1].skip, run.troubles[1].times), (0, 1));
        assert_eq!(scripts.of("refused").unwrap().refuse.as_ref().unwrap().code, "busy");
        assert_eq!(scripts.of("hung").unwrap().queued, Some(When::Polls(2)));
        let broken = scripts.of("broken").unwrap();
        assert_eq!(broken.queued, Some(When::After(Duration::from_secs(30))));
        assert!(matches!(&broken.steps[0].act, Act::End(end) if end.failed && end.interrupted));
        assert!(is_one(&File { name: "x.yaml", bytes: WHOLE.as_bytes() }));
        assert!(!is_one(&File { name: "x.yaml", bytes: b"version: 1\nclasses: {}\n" }));
    }

    #[test]
    fn mistakes_have_a_place_and_a_hint() {
        let with = |run: &str| format!("version: 1\nruns:\n  - {run}\n");
        for (text, words) in [
            ("runs: []\n".to_owned(), "needs `version`"),
            ("version: 1\nruns: []\nquotas: {}\n".to_owned(), "did you mean `quota`?"),
            (with("{marker: x}"), "a run needs `id`"),
            (
                with("{id: a, step: []}"),
                "runs.yaml:3:13: unknown field `step` in a run\n  hint: did you mean `steps`?",
            ),
            (with("{id: a, steps: [{polls: 1}]}"), "the step does nothing"),
            (with("{id: a, steps: [{note: x, hang: true}]}"), "`hang` stands beside `note`"),
            (with("{id: a, steps: [{polls: 1, after: 1s, note: x}]}"), "`after` stands beside `polls`"),
            (with("{id: a, steps: [{after: 10, note: x}]}"), "200ms"),
            (with("{id: a, steps: [{polls: 0, note: x}]}"), "`polls`"),
            (with("{id: a, steps: [{end: done}]}"), "succeeded"),
            (with("{id: a, steps: [{end: failed}, {note: x}]}"), "nothing is played after"),
            (with("{id: a, steps: [{edit: {../x: y}}]}"), "`../x`"),
            (with("{id: a, steps: [{edit: {}}]}"), "no file is written"),
            (with("{id: a, steps: [{edit: {x/y: z, x: z}}]}"), "`x` cannot be a file: `x/y` lies in it"),
            (with("{id: a, queued: soon}"), "`queued` must be a duration"),
            (with("{id: a, queued: 0}"), "`queued` must be a whole number from 1"),
            (with("{id: a, steps: [{hang: false}]}"), "`hang` is true"),
            (
                with("{id: a, steps: [{ask: {question: q, id: i}}, {ask: {question: q, id: i}}]}"),
                "two questions",
            ),
            (
                with("{id: a, steps: [{end: {state: succeeded, failure: {code: hard_cap}}}]}"),
                "has no `failure`",
            ),
            (with("{id: a, messages: [{outcome: lost}]}"), "`outcome`"),
            (with("{id: a, messages: [{outcome: accepted, reason: run_terminal}]}"), "has no `reason`"),
            (with("{id: a, troubles: [{on: poll, mode: garbage, time: 1s}]}"), "takes no `time`"),
            (with("{id: a, troubles: [{on: polls, mode: garbage}]}"), "`on`"),
            (with("{id: a, troubles: [{on: poll, mode: problem}]}"), "`mode: problem` needs `code`"),
            (
                with("{id: a, troubles: [{on: poll, mode: garbage, status: 500}]}"),
                "`garbage` takes no `code`",
            ),
            (with("{id: a, troubles: [{on: poll, mode: problem, code: daemon_stoping}]}"), "daemon_stopping"),
            (with("{id: a}\n  - {id: a}"), "two runs are called \"a\"; the first stands in runs.yaml:3"),
            (with("{id: a, steps: [{update: {kind: plan}}]}"), "`update` needs `sessionUpdate`"),
            (with("{id: a, steps: [{call: {method: x, param: {}}}]}"), "did you mean `params`?"),
            (with("{id: a, quirks: [deaf]}"), "`quirks`"),
            (with("{id: a, refuse: {status: 200, code: x}}"), "`status`"),
        ] {
            let findings = read_text(&text).unwrap_err();
            assert!(findings.iter().any(|finding| finding.contains(words)), "{text}: {findings:?}");
        }
    }

    #[test]
    fn what_is_likely_to_surprise_is_said() {
        for (text, words) in [
            ("[{id: a}, {id: b, marker: xay}]", "the marker of `b` holds the marker of `a`"),
            (
                "[{id: a, steps: [{end: {failure: {code: hardcap}}}]}]",
                "no client is known to schedule by `hardcap`",
            ),
            ("[{id: a, refuse: {status: 400, code: x}, steps: [{note: y}]}]", "never played"),
        ] {
            let text = format!("version: 1\nruns: {text}\n");
            let known =
                Known { rules: &[], faults: &[], codes: &[], regex: |_| Ok(()), steps: &[], refusals: &[] };
            let found = lint(&[File { name: "runs.yaml", bytes: text.as_bytes() }], &known);
            assert!(matches!(&found[..], [finding] if finding.message.contains(words)), "{found:?}");
        }
    }
}
