//! Who may ask: the token, the host, the protocol's major version.

use super::{Problem, Route};
use crate::core::Heard;
use crate::setting::{Manner, Setting};
use rehearsal_wire::host::is_ours;

/// The one major version.
pub(crate) const MAJOR: &str = "3";

/// Why a request is refused before anything else is looked at.
pub(crate) fn refused(setting: &Setting, heard: &Heard<'_>, found: &Route<'_>) -> Option<Problem> {
    let manner = setting.manner;
    if manner != Manner::Seed && !is_here(heard) {
        return Some(Problem::new(403, "host_not_allowed", NOT_HERE));
    }
    if *found == Route::Health {
        return (manner == Manner::Seed).then(Problem::not_found);
    }
    if !is_known(setting, heard.authorization) {
        let why = "send the token of the descriptor's token file as `Authorization: Bearer TOKEN`";
        return Some(Problem::new(401, "unauthorized", why).action("authorize", why));
    }
    if manner == Manner::Seed {
        return None;
    }
    match heard.major {
        "" if matches!(found, Route::Handshake | Route::Clock) => None,
        "" => Some(
            Problem::new(426, "handshake_required", "the header X-Claudexor-Protocol-Major is missing")
                .action(
                    "handshake",
                    "POST /v2/handshake, and send X-Claudexor-Protocol-Major: 3 from then on",
                ),
        ),
        MAJOR => None,
        other => Some(other_major(other)),
    }
    .or_else(|| recovering(setting, found))
}

/// While its journal recovers, the real daemon says little more than that.
fn recovering(setting: &Setting, found: &Route<'_>) -> Option<Problem> {
    if !setting.recovery
        || matches!(found, Route::Handshake | Route::Operations | Route::Status | Route::Clock)
    {
        return None;
    }
    let why = "the daemon recovers its journal and serves nothing else until then";
    let problem = Problem::new(503, "daemon_recovery_only", why).later();
    Some(problem.action("wait", "handshake again until servingMode is normal"))
}

/// Another major version was named.
pub(crate) fn other_major(other: &str) -> Problem {
    Problem::new(
        426,
        "incompatible_protocol_major",
        format!("this daemon speaks major 3 of the protocol, not {other}"),
    )
    .action("upgrade", "use a client and a daemon of one major version")
}

/// Whether somebody who sends this may be listened to.
pub(crate) fn is_known(setting: &Setting, authorization: &[u8]) -> bool {
    let Some((scheme, token)) = authorization.split_at_checked(7) else { return false };
    let scheme_fits = match setting.manner {
        Manner::Engine => scheme.eq_ignore_ascii_case(b"Bearer "),
        Manner::Corrected | Manner::Seed => scheme == b"Bearer ",
    };
    scheme_fits && same(token, setting.token.as_bytes())
}

/// Takes as long whether the first byte differs or the last.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

/// What is said to whom [`is_here`] does not let in.
pub(crate) const NOT_HERE: &str = "Host and Origin must name this machine: 127.0.0.1, [::1] or localhost";

/// Whether a request was meant for this machine: pages of other sites must not reach us through a browser on it.
pub(crate) fn is_here(heard: &Heard<'_>) -> bool {
    let is_origin = |origin: &str| origin.split_once("://").is_some_and(|(_, host)| is_ours(host, &[]));
    is_ours(heard.host, &[]) && heard.origin.is_none_or(is_origin)
}
