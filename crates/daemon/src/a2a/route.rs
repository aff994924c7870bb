//! Which operation of A2A a request names: by its path over HTTP+JSON, by its method over JSON-RPC.

use std::borrow::Cow;

/// Where both bindings are: JSON-RPC at this path, HTTP+JSON below it.
pub(crate) const BASE: &str = "/a2a";
/// Where the card is (RFC 8615; section 8.2 of the specification).
pub(crate) const CARD: &str = "/.well-known/agent-card.json";

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Send,
    Stream,
    Get,
    List,
    Cancel,
    Subscribe,
    /// Anything about push notifications, which there are none of.
    Push,
    ExtendedCard,
}

impl Operation {
    /// Methods of JSON-RPC and what they name (section 5.3).
    const METHODS: [(&'static str, Self); 11] = [
        ("SendMessage", Self::Send),
        ("SendStreamingMessage", Self::Stream),
        ("GetTask", Self::Get),
        ("ListTasks", Self::List),
        ("CancelTask", Self::Cancel),
        ("SubscribeToTask", Self::Subscribe),
        ("CreateTaskPushNotificationConfig", Self::Push),
        ("GetTaskPushNotificationConfig", Self::Push),
        ("ListTaskPushNotificationConfigs", Self::Push),
        ("DeleteTaskPushNotificationConfig", Self::Push),
        ("GetExtendedAgentCard", Self::ExtendedCard),
    ];

    /// The one of a method.
    pub(crate) fn of_method(method: &str) -> Option<Self> {
        Self::METHODS.iter().find(|(name, _)| *name == method).map(|(_, operation)| *operation)
    }

    /// The method that comes nearest.
    pub(crate) fn nearest(method: &str) -> Option<&'static str> {
        // Names of 0.3 are spelt quite differently.
        let renamed = match method {
            "message/send" => "SendMessage",
            "message/stream" => "SendStreamingMessage",
            "tasks/get" => "GetTask",
            "tasks/list" => "ListTasks",
            "tasks/cancel" => "CancelTask",
            "tasks/resubscribe" => "SubscribeToTask",
            "agent/getAuthenticatedExtendedCard" => "GetExtendedAgentCard",
            other => {
                return rehearsal_wire::names::nearest(other, Self::METHODS.iter().map(|(name, _)| *name));
            }
        };
        Some(renamed)
    }

    /// The name in the journal.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Send => "a2a.send",
            Self::Stream => "a2a.stream",
            Self::Get => "a2a.get",
            Self::List => "a2a.list",
            Self::Cancel => "a2a.cancel",
            Self::Subscribe => "a2a.subscribe",
            Self::Push => "a2a.push",
            Self::ExtendedCard => "a2a.extended_card",
        }
    }
}

/// What a target names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place<'p> {
    /// The card.
    Card,
    /// JSON-RPC: the body says the rest.
    Rpc,
    /// HTTP+JSON.
    Rest(Operation, Option<Cow<'p, str>>),
    /// The path is known, and its method is another.
    OtherMethod(&'static str),
    /// Nothing.
    Nowhere,
}

/// Whether a target belongs to A2A.
pub(crate) fn is_ours(target: &str) -> bool {
    let path = path(target);
    path == CARD || path == BASE || path.strip_prefix(BASE).is_some_and(|rest| rest.starts_with('/'))
}

fn path(target: &str) -> &str {
    target.split('?').next().unwrap_or_default()
}

/// Finds what a target names.
pub(crate) fn place<'p>(method: &str, target: &'p str) -> Place<'p> {
    let path = path(target);
    if path == CARD {
        return if method == "GET" { Place::Card } else { Place::OtherMethod("GET") };
    }
    let rest = path.strip_prefix(BASE).unwrap_or_default();
    match rest {
        "" | "/" if method == "POST" => Place::Rpc,
        "" | "/" => Place::OtherMethod("POST"),
        "/message:send" => when(method, "POST", Operation::Send, None),
        "/message:stream" => when(method, "POST", Operation::Stream, None),
        "/tasks" => when(method, "GET", Operation::List, None),
        "/extendedAgentCard" => when(method, "GET", Operation::ExtendedCard, None),
        other => other.strip_prefix("/tasks/").map_or(Place::Nowhere, |task| of_task(method, task)),
    }
}

fn when<'p>(
    method: &str,
    right: &'static str,
    operation: Operation,
    task: Option<Cow<'p, str>>,
) -> Place<'p> {
    if method == right { Place::Rest(operation, task) } else { Place::OtherMethod(right) }
}

/// What is asked of one task. Its id may be percent-encoded, and so may the colon behind it.
fn of_task<'p>(method: &str, rest: &'p str) -> Place<'p> {
    let mut parts = rest.split('/');
    let first = decode(parts.next().unwrap_or_default());
    let further: Vec<&str> = parts.collect();
    let known_push = matches!(
        (method, further.as_slice()),
        ("GET" | "POST", ["pushNotificationConfigs"]) | ("GET" | "DELETE", ["pushNotificationConfigs", _])
    );
    if known_push {
        return Place::Rest(Operation::Push, Some(first));
    }
    if !further.is_empty() || first.is_empty() {
        return Place::Nowhere;
    }
    let Some((id, verb)) = first.rsplit_once(':') else {
        return when(method, "GET", Operation::Get, Some(first));
    };
    let id = Some(Cow::Owned(id.to_owned()));
    match verb {
        "cancel" => when(method, "POST", Operation::Cancel, id),
        // The specification's text says POST, its proto file GET; clients do either.
        "subscribe" if method == "GET" => Place::Rest(Operation::Subscribe, id),
        "subscribe" => when(method, "POST", Operation::Subscribe, id),
        _ => Place::Nowhere,
    }
}

/// Undoes percent-encoding. What is no encoding stays as it is.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let hex = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        match (byte, hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.extend(u8::try_from(high * 16 + low));
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

/// The parameters of a target, decoded, in their order. `+` is a space.
pub(crate) fn parameters(target: &str) -> Vec<(String, String)> {
    let Some((_, query)) = target.split_once('?') else { return Vec::new() };
    let plain = |text: &str| decode(&text.replace('+', " ")).into_owned();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(key, value)| (plain(key), plain(value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Operation, Place, is_ours, parameters, place};
    use std::borrow::Cow;

    #[test]
    fn paths_name_operations() {
        let of = |operation, task: &'static str| {
            Place::Rest(operation, Some(task).filter(|task| !task.is_empty()).map(Cow::Borrowed))
        };
        for (method, target, named) in [
            ("GET", "/.well-known/agent-card.json?x=1", Place::Card),
            ("POST", "/.well-known/agent-card.json", Place::OtherMethod("GET")),
            ("POST", "/a2a", Place::Rpc),
            ("POST", "/a2a/?A2A-Version=1.0", Place::Rpc),
            ("GET", "/a2a", Place::OtherMethod("POST")),
            ("POST", "/a2a/message:send", of(Operation::Send, "")),
            ("POST", "/a2a/message:stream", of(Operation::Stream, "")),
            ("GET", "/a2a/message:send", Place::OtherMethod("POST")),
            ("GET", "/a2a/tasks?pageSize=2", of(Operation::List, "")),
            ("GET", "/a2a/tasks/t1?historyLength=2", of(Operation::Get, "t1")),
            ("POST", "/a2a/tasks/t1", Place::OtherMethod("GET")),
            ("POST", "/a2a/tasks/t1:cancel", of(Operation::Cancel, "t1")),
            ("POST", "/a2a/tasks/t%31%3Acancel", of(Operation::Cancel, "t1")),
            ("GET", "/a2a/tasks/t1:cancel", Place::OtherMethod("POST")),
            ("GET", "/a2a/tasks/t1:subscribe", of(Operation::Subscribe, "t1")),
            ("POST", "/a2a/tasks/t1:subscribe", of(Operation::Subscribe, "t1")),
            ("POST", "/a2a/tasks/t1:restart", Place::Nowhere),
            ("POST", "/a2a/tasks/t1/pushNotificationConfigs", of(Operation::Push, "t1")),
            ("DELETE", "/a2a/tasks/t1/pushNotificationConfigs/p", of(Operation::Push, "t1")),
            ("PUT", "/a2a/tasks/t1/pushNotificationConfigs/p", Place::Nowhere),
            ("GET", "/a2a/extendedAgentCard", of(Operation::ExtendedCard, "")),
            ("GET", "/a2a/tasks/", Place::Nowhere),
            ("GET", "/a2a/v1/tasks", Place::Nowhere),
        ] {
            assert_eq!(place(method, target), named, "{method} {target}");
            assert!(is_ours(target), "{target}");
        }
        for other in ["/", "/v2/runs", "/a2ab", "/.well-known/agent.json"] {
            assert!(!is_ours(other), "{other}");
        }
    }

    #[test]
    fn queries_are_decoded() {
        assert_eq!(parameters("/a2a/tasks"), []);
        let read = parameters("/a2a/tasks?contextId=a%2Bb+c&&pageSize=%zz&flag");
        let told: Vec<_> = read.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(told, [("contextId", "a+b c"), ("pageSize", "%zz"), ("flag", "")]);
    }

    #[test]
    fn unknown_methods_are_told_the_nearest_one() {
        assert_eq!(Operation::of_method("SendMessage"), Some(Operation::Send));
        assert_eq!(Operation::of_method("message/send"), None);
        assert_eq!(Operation::nearest("message/send"), Some("SendMessage"));
        assert_eq!(Operation::nearest("GetTasks"), Some("GetTask"));
        assert_eq!(Operation::nearest("quite/another"), None);
    }
}
