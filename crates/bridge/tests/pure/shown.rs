//! What everybody may see: no content, no key, no name of the provider's, no path that a client made up.

use crate::setting::{ALIAS, ORIGIN, REAL, TOKEN, cases, open};
use rehearsal_bridge::projection;
use rehearsal_bridge::setting::Setting;
use rehearsal_bridge::state::State;
use rehearsal_journal::bridge::{Action, Done, Fact, Hop, Kind};
use serde_json::Value;
use std::collections::BTreeSet;

const SECRET: &str = "sk-secret-123";

/// An end in which every text that may hold a secret holds one.
fn end() -> Done {
    let hop = || Hop { bytes: 3, sha256: "ab".repeat(32) };
    Done {
        sequence: 7,
        unix_ms: 1,
        took_us: 5,
        kind: Kind::Generation,
        method: SECRET.to_owned(),
        path: format!("/{SECRET}"),
        route: "other".to_owned(),
        case: Some("a".to_owned()),
        attempt: true,
        action: Action::ForwardFailedNoRetry,
        status: Some(502),
        code: Some("upstream_failed".to_owned()),
        origin: Some(format!("http://{SECRET}")),
        authorized: true,
        forwarded: true,
        request: hop(),
        upstream_request: Some(hop()),
        upstream_response: Some(hop()),
        served: hop(),
        upstream_status: Some(500),
        files: Some(format!("0007-{SECRET}")),
        replayed: Some(SECRET.to_owned()),
        readable: Some(SECRET.to_owned()),
        input_equivalent: Some(true),
        choices_unchanged: Some(false),
        complete: Some(false),
        client_left: true,
        tokens: Some(11),
        error: Some(format!("{SECRET} {REAL}")),
    }
}

fn everything((setting, state): &(Setting, State)) -> String {
    let upstream = "http://127.0.0.1:9";
    let parts = [
        projection::state(setting, state, "now", false),
        projection::health(setting, state),
        projection::armed(setting, Some("a")),
        projection::event(setting, &end(), "now"),
        projection::configuration(setting, upstream, false),
        projection::started(setting, state, "127.0.0.1:1", "now").into_bytes(),
    ];
    parts.map(|part| String::from_utf8(part).unwrap()).concat()
}

#[test]
fn nothing_public_holds_a_secret_or_content() {
    let mut bridge = cases();
    bridge.1.apply(&Fact::Armed { sequence: 1, case: "a".to_owned() }).unwrap();
    let mut lanes = open(Some(1), None);
    let lane = Done { case: Some(format!("lane-{SECRET}")), ..end() };
    lanes.1.apply(&Fact::Done(Box::new(lane))).unwrap();
    for bridge in [&bridge, &lanes] {
        let text = everything(bridge);
        for hidden in [SECRET, REAL, TOKEN, "Do a", "control-token", "journal-0001"] {
            assert!(!text.contains(hidden), "{hidden}: {text}");
        }
        assert!(text.contains(ALIAS) && text.contains(ORIGIN));
    }
    // Whoever has the token sees the lanes; whoever has the folder sees the real name.
    assert!(String::from_utf8(projection::state(&lanes.0, &lanes.1, "now", true)).unwrap().contains(SECRET));
    let private = String::from_utf8(projection::configuration(&bridge.0, "http://x", true)).unwrap();
    assert!(private.contains(REAL) && !private.contains(TOKEN));
}

#[test]
fn a_public_line_has_the_fields_of_the_original_bridge_and_no_others() {
    let (setting, _) = cases();
    let written = projection::event(&setting, &end(), "now");
    let line: Value = serde_json::from_slice(&written).unwrap();
    // Its fields stand in the order of their names.
    assert_eq!(format!("{line}\n").into_bytes(), written);
    let fields: BTreeSet<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
    let wanted = [
        "sequence",
        "at",
        "kind",
        "method",
        "path",
        "caseId",
        "action",
        "status",
        "backendForwarded",
        "modelAlias",
        "requestBytes",
        "requestSha256",
        "upstreamRequestBytes",
        "upstreamRequestSha256",
        "upstreamResponseBytes",
        "upstreamResponseSha256",
        "servedResponseBytes",
        "servedResponseSha256",
        "inputEquivalent",
        "choiceContentUnchanged",
        "errorCode",
    ];
    assert_eq!(fields, BTreeSet::from(wanted));
    assert_eq!(
        (&line["method"], &line["action"]),
        (&Value::from("other"), &Value::from("forward_failed_no_retry"))
    );
}
