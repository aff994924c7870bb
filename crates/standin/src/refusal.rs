//! Refusals before a request has a meaning: hosts, tokens, routes, methods, keys, broken bytes.
//!
//! Must not know: scripts, rules.

use crate::compose::{self, Sent};
use crate::core::{Decision, Heard, Hosts, Setting, asked, finish};
use crate::route;
use rehearsal_journal::event::{Asked, BadJson, Kind, Rejected};
use rehearsal_wire::dialect::Dialect;
use rehearsal_wire::host::is_ours;
use rehearsal_wire::json::Broken;
use rehearsal_wire::reject::Reject;
use rehearsal_wire::rule::Profile;

fn spoken(heard: Heard<'_>) -> Option<&'static Dialect> {
    route::spoken(heard.head.method().as_ref(), heard.path, heard.headers)
}

pub(crate) fn not_found(
    setting: &Setting,
    heard: Heard<'_>,
    kind: Kind,
    message: String,
) -> Decision<'static> {
    let code = (setting.profile != Profile::Api).then_some("unknown_route");
    let reject = Reject::of_no_place("route", 404, code, message);
    // The original stub spoke one dialect.
    let dialect = spoken(heard).filter(|_| setting.profile != Profile::Pinned);
    refuse(asked(kind), dialect, &reject)
}

pub(crate) fn wrong_host(heard: Heard<'_>) -> Decision<'static> {
    let reject = Reject::of_no_place(
        "host",
        403,
        Some("host_not_allowed"),
        "the Host header must name this machine: 127.0.0.1, [::1] or localhost",
    );
    refuse(asked(Kind::Unreadable), spoken(heard), &reject)
}

pub(crate) fn refused_method(dialect: Option<&'static Dialect>, allowed: &'static str) -> Decision<'static> {
    let reject = Reject::of_no_place(
        "method",
        405,
        Some("method_not_supported"),
        format!("this route does not take that method; it takes {allowed}"),
    );
    let decision = refuse(asked(Kind::Aside), dialect, &reject);
    Decision { sent: decision.sent.with_header("allow", allowed), ..decision }
}

pub(crate) fn refuse(event: Box<Asked>, dialect: Option<&Dialect>, reject: &Reject) -> Decision<'static> {
    finish(refused(event, reject), compose::refusal(dialect, reject))
}

/// The event of a refused request.
pub(crate) fn refused(mut event: Box<Asked>, reject: &Reject) -> Box<Asked> {
    event.reject = Some(Rejected {
        rule: reject.rule.to_owned(),
        kind: reject.kind.to_owned(),
        code: reject.code.map(str::to_owned),
        param: reject.param.clone(),
        pointer: reject.pointer.clone(),
        message: reject.message.clone(),
    });
    event
}

/// What is said to a request without a key, where one is demanded.
pub(crate) fn no_key(setting: &Setting, heard: Heard<'_>, dialect: &Dialect) -> Option<Reject> {
    let header = |name: &str| heard.header(name).and_then(|value| std::str::from_utf8(value).ok());
    let wants_key = (setting.require_key || setting.profile == Profile::Api) && !dialect.key.is_empty();
    if !wants_key {
        return None;
    }
    // A header for the key must hold more than the word that stands before the key.
    let target = heard.head.target();
    let holds_key = |form: &&str| {
        if let Some(name) = form.strip_prefix('?').and_then(|form| form.strip_suffix("YOUR_KEY")) {
            let mut parts = route::query(&target).split('&');
            return parts.any(|part| part.strip_prefix(name).is_some_and(|key| !key.is_empty()));
        }
        let (name, form) = form.split_once(": ").unwrap_or((form, ""));
        let scheme = form.trim_end_matches("YOUR_KEY").trim().len();
        header(name).is_some_and(|value| value.trim().len() > scheme)
    };
    let clouds = heard.mount.map(|mount| mount.key);
    let mut forms = [dialect.key].into_iter().chain(dialect.other_keys.iter().copied()).chain(clouds);
    (!forms.any(|form| holds_key(&form))).then(|| {
        let message = format!("You didn't provide an API key: send it in the header `{}`", dialect.key);
        Reject::of_no_place("api-key", dialect.keyless, None, message)
    })
}

/// What a provider looks at before it reads the body: the key, the content type, the encoding.
pub(crate) fn before_the_body(setting: &Setting, heard: Heard<'_>, dialect: &Dialect) -> Option<Reject> {
    let profile = setting.profile;
    let header = |name: &str| heard.header(name).and_then(|value| std::str::from_utf8(value).ok());
    let refuse = |status, rule, code, message: &str| Some(Reject::of_no_place(rule, status, code, message));
    if let Some(reject) = no_key(setting, heard, dialect) {
        return Some(reject);
    }
    let coding = header("content-encoding").map(str::trim).unwrap_or_default();
    if !coding.is_empty() && !coding.eq_ignore_ascii_case("identity") {
        return refuse(
            415,
            "content-encoding",
            Some("unsupported_content_encoding"),
            "send the body without Content-Encoding",
        );
    }
    const JSON: &str = "application/json";
    let essence = |value: &str| value.split(';').next().unwrap_or("").trim().eq_ignore_ascii_case(JSON);
    // What nearly all clients say needs no look at its parts.
    let is_json =
        heard.header("content-type") == Some(JSON.as_bytes()) || header("content-type").is_some_and(essence);
    if !is_json && !dialect.untyped && profile != Profile::Lenient {
        let message = "Unsupported content type: send the body with `Content-Type: application/json`";
        return refuse(400, "content-type", Some("unsupported_content_type"), message);
    }
    None
}

/// How many bytes on either side of a JSON fault are shown.
const NEAR: usize = 60;

pub(crate) fn diagnose(body: &[u8], broken: Broken) -> BadJson {
    let at = broken.offset.min(body.len());
    let near = &body[at.saturating_sub(NEAR)..(at + NEAR).min(body.len())];
    BadJson {
        offset: at as u64,
        byte: body.get(at).map(|byte| format!("{byte:#04x}")),
        near: near.escape_ascii().to_string(),
        why: broken.to_string(),
    }
}

/// Whether a request may name this host.
pub(crate) fn may_name(hosts: Hosts<'_>, host: &str) -> bool {
    match hosts {
        Hosts::Any => true,
        Hosts::Own(further) => is_ours(host, further),
    }
}

/// A request for a case that is not open.
pub(crate) fn no_such_case(setting: &Setting, heard: Heard<'_>) -> Decision<'static> {
    let kind = if heard.head.method() == "POST" { Kind::WrongPath } else { Kind::Aside };
    not_found(
        setting,
        heard,
        kind,
        "no case is open at this base URL: it ended, or the token after /t/ is wrong".to_owned(),
    )
}

/// A request that does not come below the token that guards the server.
pub(crate) fn no_token(heard: Heard<'_>) -> Decision<'static> {
    let kind = if heard.head.method() == "POST" { Kind::WrongPath } else { Kind::Aside };
    let reject = Reject::of_no_place(
        "token",
        403,
        Some("token_required"),
        "this server answers only below its token: use the base URL that it was started with, http://HOST:PORT/t/TOKEN/v1",
    );
    refuse(asked(kind), spoken(heard), &reject)
}

/// A request that the HTTP layer refuses.
pub(crate) fn unreadable(
    setting: &Setting,
    dialect: Option<&'static Dialect>,
    status: u16,
    why: &str,
) -> (Box<Asked>, Sent) {
    let code = (setting.profile != Profile::Api).then_some("bad_http");
    let reject = Reject::of_no_place("http", status, code, why);
    let decision = refuse(asked(Kind::Unreadable), dialect, &reject);
    (decision.asked, decision.sent)
}

/// The reply where the journal cannot be written.
pub(crate) fn not_recorded(why: &str) -> Sent {
    let reject = Reject {
        kind: "server_error",
        ..Reject::of_no_place(
            "journal",
            500,
            Some("journal_failed"),
            format!("the stand-in cannot write its journal: {why}"),
        )
    };
    compose::refusal(None, &reject)
}
