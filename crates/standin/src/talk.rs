//! What becomes of a conversation request: it is read, its step is found, the rules judge it, and it gets what it deserves.
//!
//! Must not know: what dialects call things, where its lane lies.

use crate::compose;
use crate::core::{Decision, Heard, Lane, Setting, Used, asked, finish};
use crate::dice::Dice;
use crate::plausible;
use crate::refusal::{before_the_body, diagnose, refused};
use crate::side;
use crate::visit::{self, percent_decoded};
use rehearsal_journal::event::{Asked, Kind, Noted, SideCall};
use rehearsal_script::issued::ScriptSide;
use rehearsal_script::pick::{Found, Picked, Stand, Trace, look};
use rehearsal_script::scenario::{Action, Advance, Phrasing};
use rehearsal_wire::dialect::Dialect;
use rehearsal_wire::fault::{Arrives, Fault};
use rehearsal_wire::json::{self, Broken};
use rehearsal_wire::reject::Reject;
use rehearsal_wire::reply::Framing;
use rehearsal_wire::rule::{self, Note, Profile, Stage};
use rehearsal_wire::turn::Turn;

/// How many requests of a case may go on after the end of its script.
const MOST_AFTER_END: u32 = 5;

/// A request's place in the script that it belongs to.
pub(crate) struct Placed<'s> {
    pub(crate) found: Found,
    pub(crate) phrasing: &'s Phrasing,
    pub(crate) stand: Stand,
    pub(crate) picked: Picked<'s>,
}

/// A conversation request, with all that is needed to judge it.
pub(crate) struct Talk<'a, 's> {
    pub(crate) setting: &'s Setting,
    pub(crate) lane: &'a Lane,
    pub(crate) heard: Heard<'a>,
    pub(crate) dialect: &'static Dialect,
    pub(crate) dice: Dice,
    /// The model as the path names it, as it was sent; empty where it does not.
    pub(crate) named: &'a str,
    /// The framing of the stream that the route asks for, where it does.
    pub(crate) framing: Option<Framing>,
}

impl<'s> Talk<'_, 's> {
    /// Decides what becomes of a turn of a conversation.
    pub(crate) fn decide(&self) -> Decision<'s> {
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
                self.address(&mut turn);
                visit::join(self.dialect, self.lane, &tape, &mut turn);
                let Setting { scenarios, picker, .. } = self.setting;
                picker.recall(scenarios, &mut turn);
                picker.name_calls(scenarios, &mut turn, self.lane.only);
                self.judge(&tape, &turn)
            }
            Err(broken) => self.bad_json(broken),
        }
    }

    /// What the target says of a turn.
    fn address(&self, turn: &mut Turn<'_>) {
        if !self.named.is_empty() {
            turn.addressed = Some(percent_decoded(self.named).into());
        }
        if let Some(framing) = self.framing {
            (turn.stream, turn.framing) = (true, framing);
        }
    }

    /// Something beside the conversation that follows from the body alone.
    pub(crate) fn aside(&self, answer: fn(&json::Tape<'_>) -> Result<Vec<u8>, Box<Reject>>) -> Decision<'s> {
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
        let aside = placed.as_ref().and_then(|placed| self.side_call(turn, placed));
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
        let unharmed = matches!(picked.action, Action::Fault { said: Some(_), .. }) && !faulted;
        let used = remembers.then_some(Used { phrasing, stand, picked, unharmed });
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
            plausible::answer(turn, placed.map(|placed| placed.phrasing.prompt.as_str()))
        } else {
            plausible::OK.into()
        };
        let after_end = placed
            .filter(|_| event.side_call == Some(SideCall::AfterTheEnd))
            .and_then(|placed| placed.stand.trace)
            .map(|trace| trace.body);
        let asker = self.asker(tape, turn, &event);
        // What belongs to no script meets the faults that lie over all of them, as a script would.
        let drill = self.setting.drill.as_ref().filter(|drill| {
            let again = drill.arrives() != Arrives::Not || self.lane.faulted < u64::from(drill.times);
            placed.is_none() && again
        });
        let Some(drill) = drill else {
            let sent = asker.background(&text);
            return Decision { after_end, ..finish(event, sent) };
        };
        let (sent, delivered) = asker.background_under(drill, &text, self.lane.faulted);
        let mut event = event;
        event.delivered = delivered;
        Decision { after_end, faulted: event.delivered.fault.is_some(), ..finish(event, sent) }
    }

    /// Why a request is no part of the script although it holds its prompt.
    fn side_call(&self, turn: &Turn<'_>, placed: &Placed<'_>) -> Option<SideCall> {
        if !self.setting.knows_side_calls() {
            return None;
        }
        let why = side::call(turn, placed, &self.lane.counts)?;
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
