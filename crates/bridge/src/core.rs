//! What a bridge does with a request: a function over the setting, the state and the request, in two halves. The first reads, which
//! takes time and knows no state; the second judges, which takes none and runs where the state cannot change meanwhile.
//!
//! Must not know: sockets, files, clocks, how a forward is made.

use crate::case::Case;
use crate::denial::Denial;
use crate::passing::KEYS;
use crate::setting::{Budget, Mode, Setting};
use crate::state::State;
use rehearsal_journal::bridge::{Action, Kind};
use rehearsal_wire::dialect::{Dialect, Serves, place};
use rehearsal_wire::follow::RequestHead;
use rehearsal_wire::host::is_ours;
use rehearsal_wire::json::{self, Tape, Value};
use rehearsal_wire::relay::same_input::{last_user_text, normal};
use rehearsal_wire::rule::Header;
use rehearsal_wire::target::{Target, query, split};

/// Where the state is told.
pub const STATUS: &str = "/_control/status";
/// Where a case is armed.
pub const ARM: &str = "/_control/arm";
/// Where it is disarmed.
pub const DISARM: &str = "/_control/disarm";

/// A request as the judge sees it.
#[derive(Clone, Debug)]
pub struct Heard {
    /// Its method.
    pub method: String,
    /// Its path without lane and query.
    pub path: String,
    /// Its query, without the question mark.
    pub query: String,
    /// What the lane of `/t/<name>/…` names.
    pub lane: Option<String>,
    /// `Origin`, where it was sent.
    pub origin: Option<String>,
    /// Whether that origin may use the bridge.
    pub origin_allowed: bool,
    /// Whether a key came along.
    pub authorized: bool,
    /// What kind of request it is.
    pub kind: Kind,
    /// The dialect of its path, where it is one of a provider.
    pub dialect: Option<&'static Dialect>,
    /// What it wants.
    pub want: Want,
    /// The prompt that it asks, as prompts are compared, where it asks one.
    pub asks: Option<String>,
}

impl Heard {
    /// Path and query without the lane, as the request came.
    #[must_use]
    pub fn target(&self) -> String {
        match self.query.as_str() {
            "" => self.path.clone(),
            query => format!("{}?{query}", self.path),
        }
    }
}

/// What a request wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// What no state could allow.
    Refused(Denial),
    /// To know whether the bridge is there.
    Health,
    /// The state.
    Status,
    /// To arm a case.
    Arm(String),
    /// To disarm a case.
    Disarm(String),
    /// To know whether a page may ask.
    Preflight,
    /// The list of models.
    Models,
    /// What the armed case allows; what it breaks, in the order of the guards.
    Case(Checks),
    /// To be forwarded as it is.
    Open,
}

/// What a request for a case breaks, as far as no state is needed to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// The model is not the alias.
    pub model: bool,
    /// The messages are not the frozen system prompt and the prompt; [`Denial::NoSystem`] where that cannot be known.
    pub system: Option<Denial>,
    /// Tools are offered.
    pub tools: bool,
}

/// What is done with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What.
    pub act: Act,
    /// The case that it belongs to.
    pub case: Option<String>,
    /// Whether it counts as an attempt at that case.
    pub attempt: bool,
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// It is refused.
    Deny(Denial),
    /// The health is told.
    Health,
    /// The state is told.
    Status,
    /// A case is armed.
    Arm(String),
    /// The armed case is disarmed.
    Disarm(String),
    /// The preflight is answered.
    Preflight,
    /// It is forwarded.
    Forward {
        /// Whether a budget pays for it, so that it must be reserved first.
        counted: bool,
    },
}

impl Act {
    /// What the journal says of it, before a forward has ended.
    #[must_use]
    pub fn action(&self) -> Action {
        match self {
            Self::Deny(_) => Action::Denied,
            Self::Health => Action::BridgeHealth,
            Self::Status => Action::ReadState,
            Self::Arm(_) => Action::ArmCase,
            Self::Disarm(_) => Action::DisarmCase,
            Self::Preflight => Action::CorsPreflight,
            Self::Forward { .. } => Action::RealBackendForward,
        }
    }
}

/// Reads a request. `system` is the frozen system prompt, where it could be read.
#[must_use]
pub fn hear(setting: &Setting, head: &RequestHead, body: &[u8], system: Option<&str>) -> Heard {
    let target = head.target();
    let Target { token, path } = split(&target);
    let text = |name| head.get(name).map(|value| String::from_utf8_lossy(value).into_owned());
    let origin = text("origin");
    let headers: Vec<Header<'_>> = head.header_list();
    let method = head.method().into_owned();
    let found = place::find(&method, path, &headers);
    let mut heard = Heard {
        query: query(&target).to_owned(),
        path: path.to_owned(),
        lane: token.map(str::to_owned),
        origin_allowed: origin.is_none() || origin == setting.origin,
        origin,
        authorized: KEYS.iter().any(|key| head.get(key).is_some()),
        kind: kind(setting, &method, path),
        dialect: found.map(|found| found.dialect),
        want: Want::Open,
        asks: None,
        method,
    };
    if heard.method == "POST" && heard.kind == Kind::Generation && !setting.cases().is_empty() {
        heard.asks = json::parse(body).ok().and_then(|tape| asked(&tape));
    }
    let ours = head
        .get("host")
        .is_none_or(|host| std::str::from_utf8(host).is_ok_and(|host| host.is_empty() || is_ours(host, &[])));
    heard.want =
        if ours { want(setting, &heard, head, body, system) } else { Want::Refused(Denial::ForeignHost) };
    heard
}

fn kind(setting: &Setting, method: &str, path: &str) -> Kind {
    match (method, path) {
        (_, STATUS) if matches!(method, "GET" | "HEAD") => Kind::Control,
        ("POST", ARM | DISARM) => Kind::Control,
        ("OPTIONS", _) => Kind::Preflight,
        ("GET" | "HEAD", _) => Kind::Metadata,
        ("POST", _) => Kind::Generation,
        _ if setting.cases().is_empty() => Kind::Generation,
        _ => Kind::Invalid,
    }
}

/// What the prompt of a request is, as prompts are compared.
fn asked(tape: &Tape<'_>) -> Option<String> {
    last_user_text(tape.root()).map(|text| normal(&text))
}

fn want(setting: &Setting, heard: &Heard, head: &RequestHead, body: &[u8], system: Option<&str>) -> Want {
    if !heard.origin_allowed {
        return Want::Refused(Denial::ForeignOrigin);
    }
    let is_open = matches!(setting.mode, Mode::Open(_));
    match heard.kind {
        Kind::Control => control(setting, heard, head, body),
        Kind::Preflight => Want::Preflight,
        Kind::Invalid => Want::Refused(Denial::Method),
        Kind::Metadata => match heard.path.as_str() {
            "/health" | "/_bridge/health" => Want::Health,
            "/v1/models" | "/models" => Want::Models,
            _ if is_open && !heard.path.starts_with("/_control/") => Want::Open,
            _ => Want::Refused(Denial::MetadataPath),
        },
        Kind::Generation if is_open && !heard.path.starts_with("/_control/") => Want::Open,
        Kind::Generation => match heard.path.as_str() {
            "/v1/chat/completions" | "/chat/completions" => generation(setting, head, body, system),
            _ => Want::Refused(Denial::GenerationPath),
        },
    }
}

fn control(setting: &Setting, heard: &Heard, head: &RequestHead, body: &[u8]) -> Want {
    let given = head.get(&setting.control_header).unwrap_or_default();
    if !same(given, setting.token.as_bytes()) {
        return Want::Refused(Denial::NoToken);
    }
    if heard.path == STATUS {
        return Want::Status;
    }
    let Ok(tape) = json::parse(body) else { return Want::Refused(Denial::InvalidCase) };
    let Some(case) = tape.root().get("caseId") else { return Want::Refused(Denial::InvalidCase) };
    match case.as_str() {
        Some(case) if heard.path == ARM => Want::Arm(case.into_owned()),
        Some(case) => Want::Disarm(case.into_owned()),
        None => Want::Refused(Denial::UnknownCase),
    }
}

/// Compares without telling by its time where two texts begin to differ. An empty token opens nothing.
fn same(given: &[u8], token: &[u8]) -> bool {
    let differences = given.iter().zip(token).fold(0, |all, (a, b)| all | (a ^ b));
    !token.is_empty() && given.len() == token.len() && differences == 0
}

fn generation(setting: &Setting, head: &RequestHead, body: &[u8], system: Option<&str>) -> Want {
    let coding = head.get("content-encoding").unwrap_or_default();
    if !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity") {
        return Want::Refused(Denial::CodedBody);
    }
    let Ok(tape) = json::parse(body) else { return Want::Refused(Denial::InvalidJson) };
    let root = tape.root();
    // One reader could take the first, another one the last.
    if root.kind() != json::Kind::Object || tape.duplicate_key.is_some() {
        return Want::Refused(Denial::InvalidJson);
    }
    let alias = setting.alias().unwrap_or_default();
    // What is no list of tools at all is not let through as an empty one.
    let offered = |key| {
        root.get(key).is_some_and(|tools| match tools.kind() {
            json::Kind::Null => false,
            json::Kind::Array | json::Kind::Object => !tools.is_empty(),
            json::Kind::String => !tools.is_str(""),
            json::Kind::Bool | json::Kind::Number => true,
        })
    };
    Want::Case(Checks {
        model: !root.get("model").is_some_and(|model| model.is_str(alias)),
        system: frozen(root, system),
        tools: offered("tools") || offered("functions"),
    })
}

fn frozen(root: Value<'_>, system: Option<&str>) -> Option<Denial> {
    let Some(system) = system else { return Some(Denial::NoSystem) };
    let messages: Vec<Value<'_>> = root.get("messages").into_iter().flat_map(Value::items).collect();
    let is_system = |message: &Value<'_>| message.get("role").is_some_and(|role| role.is_str("system"));
    let mut systems = messages.iter().filter(|message| is_system(message));
    let only = systems.next().filter(|_| systems.next().is_none());
    let content = only.and_then(|message| message.get("content"));
    let holds = content.is_some_and(|content| content.is_str(system)) && messages.len() == 2;
    (!holds).then_some(Denial::SystemMismatch)
}

/// Judges a request.
#[must_use]
pub fn judge(setting: &Setting, state: &State, heard: &Heard) -> Verdict {
    let (case, attempt) = belongs(setting, state, heard);
    let act = match &heard.want {
        Want::Refused(denial) => Act::Deny(*denial),
        Want::Health => Act::Health,
        Want::Status => Act::Status,
        Want::Preflight => Act::Preflight,
        Want::Models => Act::Forward { counted: false },
        Want::Arm(case) => arm(state, case),
        Want::Disarm(case) => disarm(state, case),
        Want::Case(checks) => guard(setting, state, heard, *checks),
        Want::Open => open(setting, state, heard),
    };
    Verdict { act, case, attempt }
}

/// Which case a request belongs to, and whether it counts as an attempt at it.
fn belongs(setting: &Setting, state: &State, heard: &Heard) -> (Option<String>, bool) {
    match &setting.mode {
        Mode::Open(_) => (heard.lane.clone(), false),
        Mode::Cases(_) => match &heard.want {
            Want::Arm(case) | Want::Disarm(case) => {
                (state.cases.contains_key(case).then(|| case.clone()), false)
            }
            _ if heard.kind != Kind::Generation => (None, false),
            _ => match &state.armed {
                Some(armed) => (Some(armed.clone()), true),
                None => {
                    let case = equal(setting, heard).map(|case| case.id.clone());
                    let attempt = case.is_some();
                    (case, attempt)
                }
            },
        },
    }
}

/// The one case whose prompt the request asks.
fn equal<'s>(setting: &'s Setting, heard: &Heard) -> Option<&'s Case> {
    let asks = heard.asks.as_ref()?;
    let mut equal = setting.cases().iter().filter(|case| case.normal == *asks);
    equal.next().filter(|_| equal.next().is_none())
}

fn arm(state: &State, case: &str) -> Act {
    let denial = if !state.cases.contains_key(case) {
        Denial::UnknownCase
    } else if state.is_spent(case) {
        Denial::Consumed
    } else if state.armed.as_ref().is_some_and(|armed| armed != case) {
        Denial::OtherArmed
    } else {
        return Act::Arm(case.to_owned());
    };
    Act::Deny(denial)
}

fn disarm(state: &State, case: &str) -> Act {
    if !state.cases.contains_key(case) {
        return Act::Deny(Denial::UnknownCase);
    }
    if state.armed.as_deref() != Some(case) {
        return Act::Deny(Denial::NotArmed);
    }
    Act::Disarm(case.to_owned())
}

fn guard(setting: &Setting, state: &State, heard: &Heard, checks: Checks) -> Act {
    let Some(armed) = &state.armed else {
        let spent = equal(setting, heard).is_some_and(|case| state.is_spent(&case.id));
        return Act::Deny(if spent { Denial::Consumed } else { Denial::CaseNotArmed });
    };
    let prompt = setting.cases().iter().find(|case| case.id == *armed).map(|case| &case.normal);
    let denial = if state.is_spent(armed) {
        Some(Denial::Consumed)
    } else if checks.model {
        Some(Denial::WrongModel)
    } else if prompt.is_none() || heard.asks.as_ref() != prompt {
        Some(Denial::InputMismatch)
    } else {
        checks.system.or(checks.tools.then_some(Denial::Tools))
    };
    denial.map_or(Act::Forward { counted: true }, Act::Deny)
}

fn open(setting: &Setting, state: &State, heard: &Heard) -> Act {
    let Mode::Open(budget) = setting.mode else { return Act::Deny(Denial::GenerationPath) };
    let counted = heard.kind == Kind::Generation && budget.counts();
    if counted && is_spent(budget, state) {
        return Act::Deny(Denial::Budget);
    }
    Act::Forward { counted }
}

fn is_spent(budget: Budget, state: &State) -> bool {
    // What was forwarded while nothing counted is not paid by a budget that is set later.
    budget.requests.is_some_and(|most| state.reserved.len() as u64 >= most)
        || budget.tokens.is_some_and(|most| state.counters.tokens >= most)
}

/// The path as the public may see it: one that is known, else `other`.
#[must_use]
pub fn public_route(heard: &Heard) -> &'static str {
    const KNOWN: &[&str] =
        &["/health", "/_bridge/health", "/models", "/chat/completions", STATUS, ARM, DISARM];
    if let Some(known) = KNOWN.iter().find(|known| **known == heard.path) {
        return known;
    }
    let routes = heard.dialect.map_or(&[][..], |dialect| dialect.routes);
    let exact = routes.iter().find(|route| route.path == heard.path);
    let named = |serves: Serves| matches!(serves, Serves::Conversation | Serves::Stream(_));
    exact
        .or_else(|| routes.iter().find(|route| route.path.contains('{') && named(route.serves)))
        .map_or("other", |route| route.path)
}
