//! What the provider does with a request: read it, find its step, judge it, answer. A function over values.
//!
//! Must not know: sockets, clocks, files, other requests (what a lane has counted comes in, what it must count goes out).

use crate::compose::{self, Sent};
use crate::dice::Dice;
use crate::plausible;
use crate::refusal::{
    before_the_body, diagnose, may_name, not_found, refuse, refused, refused_method, wrong_host,
};
use crate::route::{self, Place};
use crate::side;
use crate::stored::{Store, StoredReply, Talks};
use crate::visit;
use rehearsal_journal::event::{Asked, CommandRan, Delivered, Kind, Noted, SideCall};
use rehearsal_journal::redact;
use rehearsal_script::issued::ScriptSide;
use rehearsal_script::pick::{Counts, Found, Picked, Picker, Stand, Trace, look};
use rehearsal_script::scenario::{Advance, Phrasing, Scenarios};
use rehearsal_wire::dialect::{Dialect, Serves, claiming};
use rehearsal_wire::fault::Fault;
use rehearsal_wire::follow::RequestHead;
use rehearsal_wire::json::{self, Broken};
use rehearsal_wire::reject::Reject;
use rehearsal_wire::rule::{self, Header, Note, Profile, RuleSet, Stage};
use rehearsal_wire::turn::Turn;
use std::sync::Arc;

/// What a stand-in is set to, for as long as it serves.
#[derive(Debug)]
pub struct Setting {
    /// The scripts; without them everything is background.
    pub scenarios: Scenarios,
    /// What was made from them.
    pub picker: Picker,
    /// Rules in force.
    pub rules: RuleSet,
    /// Profile in force: decides the words of refusals before any rule.
    pub profile: Profile,
    /// A fault that takes every conversation request (`--mode`).
    pub mode: Option<&'static Fault>,
    /// Seed of ids and times.
    pub seed: u64,
    /// Whether a key is demanded in every profile.
    pub require_key: bool,
}

/// What is known of the lane that a request came on.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// The phrasing whose case this is: only its conversations are candidates; none on the lane of all phrasings.
    pub only: Option<usize>,
    /// What its scripts have used up.
    pub counts: Counts,
    /// Conversation requests taken by a mode or fault before this one.
    pub faulted: u64,
    /// Conversation requests whose body was read, for `/gate/stats`.
    pub hits: u64,
    /// Requests that came after the script's end and went on from there. Counted for a case alone.
    pub after_end: u32,
    /// Stands for the body of the last of them.
    pub last_after_end: Option<u64>,
    /// The kept reply that the request names, if the lane has it.
    pub kept: Option<Arc<StoredReply>>,
    /// The conversations that the lane keeps, each with its last reply.
    pub talks: Arc<Talks>,
}

/// What to write down, what to send, what to count.
#[derive(Debug)]
pub struct Decision<'s> {
    /// The event, but for what only the world knows (numbers, head, body).
    pub asked: Box<Asked>,
    /// The reply.
    pub sent: Sent,
    /// Whether this is a conversation request whose body was read.
    pub hit: bool,
    /// Whether a fault with numbered replies took it.
    pub faulted: bool,
    /// What the lane's script has used up by this, if anything.
    pub used: Option<Used<'s>>,
    /// Stands for the body of a request that goes on after the script's end.
    pub after_end: Option<u64>,
    /// A watched command that this request tells of.
    pub ran: Option<CommandRan>,
    /// What it changes in the replies that the lane keeps.
    pub store: Option<Store>,
}

/// A step that was used up. It holds only if the lane still stands where it was looked at.
#[derive(Clone, Copy, Debug)]
pub struct Used<'s> {
    phrasing: &'s Phrasing,
    stand: Stand,
    picked: Picked<'s>,
}

impl Used<'_> {
    /// Counts the step; false where another request of the lane took it meanwhile, so that this one must be decided again.
    pub fn commit(&self, counts: &mut Counts) -> bool {
        let still = look(self.phrasing, &self.stand, counts) == self.picked;
        if still {
            counts.commit(&self.picked, &self.stand);
        }
        still
    }
}

/// One request.
#[derive(Clone, Copy)]
pub struct Heard<'r> {
    /// Its head.
    pub head: &'r RequestHead,
    /// The headers of the head: read once, asked often.
    pub headers: &'r [Header<'r>],
    /// The path without lane and query.
    pub path: &'r str,
    /// Its whole body.
    pub body: &'r [u8],
    /// Which hosts it may name.
    pub hosts: Hosts<'r>,
}

/// Which hosts a request may name.
#[derive(Clone, Copy, Debug)]
pub enum Hosts<'r> {
    /// Any: its secret base URL shows that nobody was led here by a false name.
    Any,
    /// This machine, and these.
    Own(&'r [String]),
}

impl Heard<'_> {
    /// The first header of this name.
    pub(crate) fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }
}

/// Decides what becomes of a request.
#[must_use]
pub fn decide<'s>(setting: &'s Setting, lane: &Lane, heard: Heard<'_>) -> Decision<'s> {
    let method = heard.head.method();
    let method = method.as_ref();
    let dice = Dice::new(setting.seed);
    let host = heard.header("host").unwrap_or_default();
    if !std::str::from_utf8(host).is_ok_and(|host| host.is_empty() || may_name(heard.hosts, host)) {
        return wrong_host(heard);
    }
    match route::find(method, heard.path, heard.headers) {
        Place::Health => aside(setting, heard, compose::health(mode_name(setting))),
        Place::Command if method == "POST" && lane.only.is_some() => command(heard.body),
        Place::Stats => aside(setting, heard, compose::stats(mode_name(setting), lane.hits)),
        Place::Provider { dialect, serves: Serves::Models, method: "GET", .. } if method != "POST" => {
            aside(setting, heard, compose::models(dialect))
        }
        Place::Provider { dialect, serves: Serves::Model, named, method: "GET" } if method != "POST" => {
            aside(setting, heard, compose::model(dialect, named))
        }
        Place::Provider { dialect, serves: Serves::Kept(visit), named, method: known } if method == known => {
            visit::decide(setting, heard, (dialect, visit, named), lane)
        }
        Place::Provider { dialect, serves: Serves::Conversation, .. } if method == "POST" => {
            Talk { setting, lane, heard, dialect, dice }.decide()
        }
        Place::Provider { dialect, serves: Serves::Answer(answer), .. } if method == "POST" => {
            Talk { setting, lane, heard, dialect, dice }.aside(answer)
        }
        // The original stub answers GET with 404 here.
        Place::Provider { dialect, method: "POST", .. }
            if method != "POST" && (method != "GET" || setting.profile != Profile::Pinned) =>
        {
            refused_method(Some(dialect), "POST")
        }
        Place::Provider { .. } | Place::Command | Place::Nowhere => match method {
            "GET" => not_found(setting, heard, Kind::Aside, "not found".to_owned()),
            "POST" => {
                let target = heard.head.target();
                let message = format!("no such route: {}", redact::target(&target));
                not_found(setting, heard, Kind::WrongPath, message)
            }
            _ => refused_method(claiming(heard.headers), "GET, POST"),
        },
    }
}

/// The word for the mode in banner, stats and log.
pub(crate) fn mode_name(setting: &Setting) -> &'static str {
    setting.mode.map_or("normal", |fault| fault.name)
}

pub(crate) fn asked(kind: Kind) -> Box<Asked> {
    Box::new(Asked {
        exchange: 0,
        conn: 0,
        method: String::new(),
        path: String::new(),
        headers: None,
        body: None,
        kind,
        class: None,
        phrasing: None,
        step: None,
        n_messages: 0,
        n_assistant: 0,
        stream: false,
        reject: None,
        notes: Vec::new(),
        answers: Vec::new(),
        delivered: Delivered::default(),
        http_status: None,
        bad_json: None,
        attempt_of: None,
        retry: None,
        side_call: None,
    })
}

pub(crate) fn finish(mut asked: Box<Asked>, mut sent: Sent) -> Decision<'static> {
    asked.http_status = sent.status;
    let store = sent.kept.take().map(Store::Keep);
    Decision { asked, sent, hit: false, faulted: false, used: None, after_end: None, ran: None, store }
}

/// Takes down a command that a shim on PATH is about to run.
fn command(body: &[u8]) -> Decision<'static> {
    match route::command(body) {
        Ok(CommandRan { argv, folder }) => {
            let ran = CommandRan { argv: redact::arguments(&argv), folder };
            Decision { ran: Some(ran), ..finish(asked(Kind::Aside), compose::nothing()) }
        }
        Err(why) => {
            let reject = Reject::of_no_place("command", 400, Some("bad_command"), why);
            refuse(asked(Kind::Aside), None, &reject)
        }
    }
}

fn aside(setting: &Setting, heard: Heard<'_>, sent: Sent) -> Decision<'static> {
    match heard.head.method().as_ref() {
        "GET" | "HEAD" => finish(asked(Kind::Aside), sent),
        "POST" => {
            not_found(setting, heard, Kind::WrongPath, "no such route for POST; it answers GET".to_owned())
        }
        _ => refused_method(claiming(heard.headers), "GET, HEAD"),
    }
}

/// How many requests of a case may go on after the end of its script.
const MOST_AFTER_END: u32 = 5;

impl Setting {
    /// Whether requests beside the script are told from it. The original stub did not, and `pinned` keeps to it.
    fn knows_side_calls(&self) -> bool {
        self.profile != Profile::Pinned && self.scenarios.profile != Profile::Pinned
    }
}

/// A request's place in the script that it belongs to.
pub(crate) struct Placed<'s> {
    pub(crate) found: Found,
    pub(crate) phrasing: &'s Phrasing,
    pub(crate) stand: Stand,
    pub(crate) picked: Picked<'s>,
}

/// A conversation request, with all that is needed to judge it.
struct Talk<'a, 's> {
    setting: &'s Setting,
    lane: &'a Lane,
    heard: Heard<'a>,
    dialect: &'static Dialect,
    dice: Dice,
}

impl<'s> Talk<'_, 's> {
    fn decide(&self) -> Decision<'s> {
        let mut decision = match self.setting.mode {
            Some(fault) => self.taken(fault),
            None => self.read(),
        };
        decision.hit = true;
        decision
    }

    /// A mode takes the request whatever it says: no parsing, no rules.
    fn taken(&self, fault: &'static Fault) -> Decision<'s> {
        let mut event = asked(Kind::Hostile);
        let (sent, delivered) =
            compose::canned_fault(self.dialect, fault, self.setting.seed, self.lane.faulted);
        event.delivered = delivered;
        Decision { faulted: true, ..finish(event, sent) }
    }

    fn read(&self) -> Decision<'s> {
        if let Some(reject) = before_the_body(self.setting, self.heard, self.dialect) {
            return self.refuse(asked(Kind::Unreadable), &reject);
        }
        match json::parse(self.heard.body) {
            Ok(tape) => {
                let mut turn = (self.dialect.read)(&tape);
                visit::join(self.dialect, self.lane, &tape, &mut turn);
                self.setting.picker.recall(&self.setting.scenarios, &mut turn);
                self.judge(&tape, &turn)
            }
            Err(broken) => self.bad_json(broken),
        }
    }

    /// Something beside the conversation that follows from the body alone.
    fn aside(&self, answer: fn(&json::Tape<'_>) -> Result<Vec<u8>, Box<Reject>>) -> Decision<'s> {
        if let Some(reject) = before_the_body(self.setting, self.heard, self.dialect) {
            return self.refuse(asked(Kind::Unreadable), &reject);
        }
        match json::parse(self.heard.body) {
            Err(broken) => self.bad_json(broken),
            Ok(tape) => match answer(&tape) {
                Ok(body) => {
                    let sent = compose::answer(self.dialect, body).with_ids(self.dialect, self.dice);
                    finish(asked(Kind::Aside), sent)
                }
                Err(reject) => self.refuse(asked(Kind::Aside), &reject),
            },
        }
    }

    fn bad_json(&self, broken: Broken) -> Decision<'s> {
        let code = (self.setting.profile != Profile::Api).then_some("bad_json");
        let reject = Reject::of_no_place(
            "json",
            400,
            code,
            format!("We could not parse the JSON body of your request: {broken}"),
        );
        let mut event = asked(Kind::BadJson);
        event.bad_json = Some(diagnose(self.heard.body, broken));
        self.refuse(event, &reject)
    }

    fn refuse(&self, event: Box<Asked>, reject: &Reject) -> Decision<'s> {
        let dice = self.dice.with_text("refusal").with_text(&reject.message);
        finish(refused(event, reject), compose::refusal_with_ids(self.dialect, reject, dice))
    }

    /// Where a request stands in the script that it belongs to, if it belongs to one.
    fn place(&self, turn: &Turn<'_>) -> Option<Placed<'s>> {
        let Setting { scenarios, picker, .. } = self.setting;
        let found = picker.matched(scenarios, turn, self.lane.only)?;
        let phrasing = &scenarios.phrasings[found.phrasing];
        let mut stand = Stand::of(phrasing, turn, &found);
        // A shared lane cannot tell one agent's retry from another's request.
        if self.lane.only.is_some() && phrasing.advance != Advance::Assistants {
            stand.trace = Some(Trace::of(turn, self.heard.body, self.retry().is_some()));
        }
        Some(Placed { found, phrasing, stand, picked: look(phrasing, &stand, &self.lane.counts) })
    }

    /// What the client's own retry header counts, above 0.
    fn retry(&self) -> Option<u32> {
        let value = std::str::from_utf8(self.heard.header("x-stainless-retry-count")?).ok()?;
        value.trim().parse().ok().filter(|count| *count > 0)
    }

    fn judge(&self, tape: &json::Tape<'_>, turn: &Turn<'_>) -> Decision<'s> {
        let Setting { scenarios, picker, .. } = self.setting;
        let placed = self.place(turn);
        let aside = placed.as_ref().and_then(|placed| self.side_call(tape, turn, placed));
        let played = placed.as_ref().filter(|_| aside.is_none());
        let script = ScriptSide {
            scenarios,
            picker,
            matched: played.map(|placed| placed.found.phrasing),
            expected: played.and_then(|placed| placed.picked.expected),
        };
        let asking = rule::Asked { headers: self.heard.headers, tape, turn, script: &script };

        let mut event = asked(if played.is_some() { Kind::Scenario } else { Kind::Background });
        event.n_messages = turn.listed as u64;
        event.n_assistant = turn.assistants() as u64;
        event.stream = turn.stream;
        event.answers =
            turn.messages.iter().flat_map(|message| &message.answers).map(|id| id.to_string()).collect();
        event.class = placed.as_ref().map(|placed| placed.phrasing.class.clone());
        event.phrasing = placed.as_ref().map(|placed| placed.phrasing.id.clone());
        event.retry = self.retry();
        event.side_call = aside;

        let mut notes = Vec::new();
        let rules = self.setting.rules.of(self.dialect);
        let mut stages = |stages: &[Stage]| {
            stages.iter().try_for_each(|stage| rule::check(&asking, &rules, *stage, &mut notes))
        };
        // The original stub's order: what it checked first keeps its code and leaves the step unnamed.
        let first = stages(&[Stage::Gate, Stage::Echo]);
        if first.is_ok() {
            event.step = played.map(|placed| placed.picked.step as u64);
        }
        let verdict = first.and_then(|()| stages(&[Stage::Expect, Stage::Api, Stage::Own]));
        event.notes = notes.into_iter().map(noted).collect();
        if let Err(reject) = verdict {
            return self.refuse(event, &reject);
        }
        match (placed, aside) {
            (Some(placed), None) => self.play(tape, turn, event, &placed),
            (placed, _) => self.chat(tape, turn, event, placed.as_ref()),
        }
    }

    /// What belongs to the script gets what the script says.
    fn play(
        &self,
        tape: &json::Tape<'_>,
        turn: &Turn<'_>,
        mut event: Box<Asked>,
        placed: &Placed<'s>,
    ) -> Decision<'s> {
        let Placed { phrasing, stand, picked, .. } = *placed;
        let asker = self.asker(tape, turn, &event);
        if picked.is_overrun() {
            event.kind = Kind::Overrun;
            return finish(event, asker.overrun(&phrasing.id, picked.step));
        }
        let (sent, delivered) = asker.step(&phrasing.id, &picked, self.lane.faulted);
        event.delivered = delivered;
        let faulted = event.delivered.fault.is_some();
        let remembers = stand.trace.is_some() || counts(phrasing);
        let used = remembers.then_some(Used { phrasing, stand, picked });
        Decision { faulted, used, ..finish(event, sent) }
    }

    /// What belongs to no script gets a plausible answer.
    fn chat(
        &self,
        tape: &json::Tape<'_>,
        turn: &Turn<'_>,
        event: Box<Asked>,
        placed: Option<&Placed<'s>>,
    ) -> Decision<'s> {
        let text = if self.setting.knows_side_calls() {
            plausible::answer(tape, turn, placed.map(|placed| placed.phrasing.prompt.as_str()))
        } else {
            plausible::OK.into()
        };
        let after_end = placed
            .filter(|_| event.side_call == Some(SideCall::AfterTheEnd))
            .and_then(|placed| placed.stand.trace)
            .map(|trace| trace.body);
        let sent = self.asker(tape, turn, &event).background(&text);
        Decision { after_end, ..finish(event, sent) }
    }

    /// Why a request is no part of the script although it holds its prompt.
    fn side_call(&self, tape: &json::Tape<'_>, turn: &Turn<'_>, placed: &Placed<'_>) -> Option<SideCall> {
        if !self.setting.knows_side_calls() {
            return None;
        }
        let why = side::call(tape, turn, placed, &self.lane.counts)?;
        // An agent that goes on and on after the end has not understood that it is one.
        let body = placed.stand.trace.map(|trace| trace.body);
        let too_many = self.lane.after_end >= MOST_AFTER_END;
        let again = body.is_some() && self.lane.last_after_end == body;
        (why != SideCall::AfterTheEnd || !(too_many || again)).then_some(why)
    }

    fn asker<'t>(
        &'t self,
        tape: &'t json::Tape<'t>,
        turn: &'t Turn<'t>,
        event: &Asked,
    ) -> compose::Asker<'t> {
        compose::Asker {
            dialect: self.dialect,
            body: self.heard.body,
            tape,
            turn,
            dice: self.reply_dice(turn, event),
            seed: self.setting.seed,
        }
    }

    /// Ids depend on the seed, the place in the script and the shape of the request: equal requests get equal replies.
    fn reply_dice(&self, turn: &Turn<'_>, event: &Asked) -> Dice {
        let last = turn.messages.iter().rev().find_map(|message| message.texts.last());
        self.dice
            .with_text(event.phrasing.as_deref().unwrap_or_default())
            .with(event.step.unwrap_or(u64::MAX))
            .with(event.n_messages)
            .with_text(last.map_or("", |text| text))
    }
}

fn noted(note: Note) -> Noted {
    Noted { code: note.code.to_owned(), pointer: note.pointer, message: note.message }
}

/// Whether a phrasing remembers what it answered: only then must requests of a lane take turns.
fn counts(phrasing: &Phrasing) -> bool {
    phrasing.advance == Advance::Request || phrasing.script.iter().any(|step| !step.before.is_empty())
}
