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
    if manner != Manner::Seed && !(is_local(heard.host) && heard.origin.is_none_or(is_local_origin)) {
        let why = "Host and Origin must name this machine: 127.0.0.1, [::1] or localhost";
        return Some(Problem::new(403, "host_not_allowed", why));
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

fn is_local(host: &str) -> bool {
    is_ours(host, &[])
}

fn is_local_origin(origin: &str) -> bool {
    origin.split_once("://").is_some_and(|(_, host)| is_local(host))
}
