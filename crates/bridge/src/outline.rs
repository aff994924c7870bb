//! What a journal says of a request, as far as it is known before the request is answered.

use crate::core::{self, Heard, Verdict};
use crate::passing::KEYS;
use rehearsal_journal::bridge::{Action, Done, Hop, Kind};
use rehearsal_journal::{digest, redact};

/// What is known of a request before it is answered.
pub(crate) fn outline(heard: &Heard, verdict: &Verdict, sequence: u64, unix_ms: u64) -> Done {
    let mut done = blank(sequence, unix_ms, heard.kind, verdict.act.action());
    done.method.clone_from(&heard.method);
    done.path = shown(&heard.path);
    core::public_route(heard).clone_into(&mut done.route);
    done.case.clone_from(&verdict.case);
    done.attempt = verdict.attempt;
    done.origin.clone_from(&heard.origin);
    done.authorized = heard.authorized;
    done
}

pub(crate) fn blank(sequence: u64, unix_ms: u64, kind: Kind, action: Action) -> Done {
    Done {
        sequence,
        unix_ms,
        took_us: 0,
        kind,
        method: String::new(),
        path: String::new(),
        route: "other".to_owned(),
        case: None,
        attempt: false,
        action,
        status: None,
        code: None,
        origin: None,
        authorized: false,
        forwarded: false,
        request: hop(b""),
        upstream_request: None,
        upstream_response: None,
        served: hop(b""),
        upstream_status: None,
        files: None,
        replayed: None,
        readable: None,
        input_equivalent: None,
        choices_unchanged: None,
        complete: None,
        client_left: false,
        tokens: None,
        error: None,
    }
}

/// A target as it may be written down: without its query, without a login.
pub(crate) fn shown(target: &str) -> String {
    let place = target.split('?').next().unwrap_or_default();
    redact::target(place).into_owned()
}

pub(crate) fn hop(bytes: &[u8]) -> Hop {
    Hop { bytes: bytes.len() as u64, sha256: digest::text(&digest::of(bytes)) }
}

/// Whether a header may hold a key. How many tokens are left is none.
pub(crate) fn is_key(name: &str) -> bool {
    let counts = || name.to_ascii_lowercase().contains("ratelimit");
    KEYS.iter().any(|key| name.eq_ignore_ascii_case(key)) || (redact::is_secret(name) && !counts())
}
