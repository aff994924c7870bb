//! Replies of every kind, for properties that hold in more than one dialect.

use proptest::prelude::*;
use rehearsal_wire::reply::{IssuedCall, Reply, Usage};
use serde_json::json;

/// Any reply: words that need escapes, calls with arguments of any kind, any finish.
pub(crate) fn any_reply() -> impl Strategy<Value = Reply> {
    let text = || proptest::option::of("(\\PC|[\n\r\t\"\\\\])*");
    let arguments = prop_oneof![
        "\\PC*",
        Just("{}".to_owned()),
        "\\PC*".prop_map(|text| json!({"a": text, "b": [1, null]}).to_string())
    ];
    let call =
        ("\\PC*", "\\PC*", arguments).prop_map(|(id, name, arguments)| IssuedCall { id, name, arguments });
    let calls = proptest::collection::vec(call, 0..4);
    (text(), text(), text(), calls, text(), any::<(u64, u64)>()).prop_map(
        |(thinking, text, refusal, calls, finish, (prompt, completion))| Reply {
            thinking,
            text,
            refusal,
            calls,
            finish,
            usage: Usage { prompt, completion },
        },
    )
}
