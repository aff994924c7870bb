//! What the provider does with a request: who answers for its path, and what that is. A function over values.
//!
//! Must not know: sockets, clocks, files, other requests (what a lane has counted comes in, what it must count goes out).

use crate::batch::{self, Part};
use crate::cloud;
use crate::compose::{self, Sent};
use crate::dice::Dice;
use crate::refusal::{may_name, not_found, refuse, refused_method, wrong_host};
use crate::route::{self, Place};
use crate::stored::{Shelf, Store, StoredReply, Talks};
use crate::talk::Talk;
use crate::visit;
use rehearsal_journal::event::{Asked, CommandRan, Kind};
use rehearsal_journal::redact;
use rehearsal_script::drill::{self, Drill};
use rehearsal_script::pick::{Counts, Picked, Picker, Stand, look};
use rehearsal_script::scenario::{Phrasing, Scenarios};
use rehearsal_wire::dialect::mount::Mount;
use rehearsal_wire::dialect::{Serves, UNKNOWN_TO_THE_ORIGINAL, claiming};
use rehearsal_wire::fault::Fault;
use rehearsal_wire::follow::RequestHead;
use rehearsal_wire::reject::Reject;
use rehearsal_wire::rule::{Header, Profile, RuleSet};
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
    /// Faults that lie over the scripts; what belongs to no script meets them, too.
    pub drill: Option<Drill>,
    /// Seed of ids and times.
    pub seed: u64,
    /// Whether a key is demanded in every profile.
    pub require_key: bool,
}

impl Setting {
    /// The same scripts under some faults.
    #[must_use]
    pub fn under(&self, drill: &Drill) -> Self {
        let scenarios = drill.over(&self.scenarios);
        Self {
            picker: Picker::new(&scenarios),
            scenarios,
            rules: self.rules,
            profile: self.profile,
            mode: self.mode,
            drill: Some(drill.clone()),
            seed: self.seed,
            require_key: self.require_key,
        }
    }

    /// Whether requests beside the script are told from it. The original stub did not, and `pinned` keeps to it.
    pub(crate) fn knows_side_calls(&self) -> bool {
        self.profile != Profile::Pinned && self.scenarios.profile != Profile::Pinned
    }
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
    /// The batches that the lane keeps.
    pub shelf: Arc<Shelf>,
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
    /// Faults that lie over the lane's scripts from now on, or none.
    pub switched: Option<Option<Drill>>,
    /// The requests that it holds, where it is a batch of them.
    pub parts: Vec<Part<'s>>,
}

/// A step that was used up. It holds only if the lane still stands where it was looked at.
#[derive(Clone, Copy, Debug)]
pub struct Used<'s> {
    pub(crate) phrasing: &'s Phrasing,
    pub(crate) stand: Stand,
    pub(crate) picked: Picked<'s>,
    /// Whether its faults found nothing to break.
    pub(crate) unharmed: bool,
}

impl Used<'_> {
    /// Counts the step; false where another request of the lane took it meanwhile, so that this one must be decided again.
    pub fn commit(&self, counts: &mut Counts) -> bool {
        let still = look(self.phrasing, &self.stand, counts) == self.picked;
        if still {
            let picked = if self.unharmed { self.picked.unharmed() } else { self.picked };
            counts.commit(&picked, &self.stand);
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
    /// The cloud whose path it names, where it is no path of a provider's own.
    pub mount: Option<&'static Mount>,
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
    let host = heard.header("host").unwrap_or_default();
    if !std::str::from_utf8(host).is_ok_and(|host| host.is_empty() || may_name(heard.hosts, host)) {
        return wrong_host(heard);
    }
    let place = match route::find(heard.head.method().as_ref(), heard.path, heard.headers) {
        Place::Provider { dialect, .. }
            if setting.profile == Profile::Pinned && UNKNOWN_TO_THE_ORIGINAL.include(dialect.name) =>
        {
            Place::Nowhere
        }
        place => place,
    };
    let Place::Provider { dialect, mounted: Some(mounted), .. } = place else {
        return answer(setting, lane, heard, place);
    };
    let heard = Heard { mount: Some(mounted.mount), ..heard };
    if let Some(refused) = cloud::refusal(setting, heard, dialect, mounted) {
        return refused;
    }
    let named = cloud::with_model(heard.body, mounted);
    answer(setting, lane, Heard { body: named.as_deref().unwrap_or(heard.body), ..heard }, place)
}

/// Decides what stands at a place.
fn answer<'s>(setting: &'s Setting, lane: &Lane, heard: Heard<'_>, place: Place<'_>) -> Decision<'s> {
    let method = heard.head.method();
    let method = method.as_ref();
    let dice = Dice::new(setting.seed);
    match place {
        Place::Health => aside(setting, heard, compose::health(mode_name(setting))),
        Place::Command if method == "POST" && lane.only.is_some() => command(heard.body),
        Place::Faults if lane.only.is_none() => faults(setting, heard),
        Place::Stats => aside(setting, heard, compose::stats(mode_name(setting), lane.hits)),
        Place::Provider { dialect, serves: Serves::Models, method: "GET", .. } if method != "POST" => {
            aside(setting, heard, compose::models(dialect))
        }
        Place::Provider { dialect, serves: Serves::Model, named, method: "GET", .. } if method != "POST" => {
            aside(setting, heard, compose::model(dialect, named))
        }
        Place::Provider { dialect, serves: Serves::Always(body), method: "GET", .. } if method != "POST" => {
            aside(setting, heard, compose::answer(dialect, body.into()))
        }
        Place::Provider { dialect, serves: Serves::Kept(visit), named, method: known, .. }
            if method == known =>
        {
            visit::decide(setting, heard, (dialect, visit, named), lane)
        }
        Place::Provider { dialect, serves: Serves::Batch(visit, batches), named, method: known, .. }
            if method == known =>
        {
            batch::decide(setting, lane, heard, (dialect, batches, visit, named))
        }
        Place::Provider { dialect, serves: Serves::Conversation, named, .. } if method == "POST" => {
            Talk { setting, lane, heard, dialect, dice, named, framing: None }.decide()
        }
        Place::Provider { dialect, serves: Serves::Stream(framing), named, .. } if method == "POST" => {
            let framing = Some(framing(route::query(&heard.head.target())));
            Talk { setting, lane, heard, dialect, dice, named, framing }.decide()
        }
        Place::Provider { dialect, serves: Serves::Answer(answer), named, .. } if method == "POST" => {
            Talk { setting, lane, heard, dialect, dice, named, framing: None }.aside(answer)
        }
        // The original stub answers GET with 404 here.
        Place::Provider { dialect, method: "POST", .. }
            if method != "POST" && (method != "GET" || setting.profile != Profile::Pinned) =>
        {
            refused_method(Some(dialect), "POST")
        }
        Place::Provider { .. } | Place::Command | Place::Faults | Place::Nowhere => match method {
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

/// A request of this kind of which nothing else is known yet.
pub(crate) fn asked(kind: Kind) -> Box<Asked> {
    Box::new(Asked::of(kind))
}

pub(crate) fn finish(mut asked: Box<Asked>, mut sent: Sent) -> Decision<'static> {
    asked.http_status = sent.status;
    let store = sent.kept.take().map(Store::Keep);
    Decision {
        asked,
        sent,
        hit: false,
        faulted: false,
        used: None,
        after_end: None,
        ran: None,
        store,
        switched: None,
        parts: Vec::new(),
    }
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

/// Tells which faults lie over the scripts, or lays others over them: `{"fault": "NAME[:key=value…]"}`, or null for none.
fn faults(setting: &Setting, heard: Heard<'_>) -> Decision<'static> {
    let lies = |drill: Option<&Drill>| compose::faults(drill.map(|drill| drill.name.as_str()));
    match heard.head.method().as_ref() {
        "GET" | "HEAD" => finish(asked(Kind::Aside), lies(setting.drill.as_ref())),
        // A page in a browser could ask, too, and says so by itself.
        "POST" if heard.header("origin").is_some() => {
            let why = "faults are not switched from a web page";
            refuse(
                asked(Kind::Aside),
                None,
                &Reject::of_no_place("fault", 403, Some("bad_fault"), why.to_owned()),
            )
        }
        "POST" => match route::fault(heard.body)
            .and_then(|named| named.as_deref().map(drill::drill).transpose())
        {
            Ok(drill) => {
                let sent = lies(drill.as_ref());
                Decision { switched: Some(drill), ..finish(asked(Kind::Aside), sent) }
            }
            Err(why) => {
                refuse(asked(Kind::Aside), None, &Reject::of_no_place("fault", 400, Some("bad_fault"), why))
            }
        },
        _ => refused_method(claiming(heard.headers), "GET, HEAD, POST"),
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
