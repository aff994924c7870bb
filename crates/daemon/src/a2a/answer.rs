//! Answers of A2A in the form of the binding in which the request came.

use super::fault::Fault;
use crate::v2::{Form, Reply};
use bytes::Bytes;
use serde_json::{Value, json};

const JSON: &str = "application/json";
/// The media type of answers over HTTP+JSON.
const A2A: &str = "application/a2a+json";

/// How a request came, and how it is to be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// JSON-RPC, with the JSON text of the id.
    Rpc(String),
    /// HTTP+JSON.
    Rest,
}

impl Binding {
    /// JSON-RPC of whose id nothing is known.
    pub(crate) fn rpc() -> Self {
        Self::Rpc("null".to_owned())
    }

    /// A result as text.
    pub(crate) fn text(&self, result: &Value) -> String {
        match self {
            Self::Rpc(id) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}"),
            Self::Rest => result.to_string(),
        }
    }

    /// A result as the answer.
    pub(crate) fn ok(&self, result: &Value) -> Reply {
        Reply { status: 200, form: Form::Whole(self.kind(), Bytes::from(self.text(result))) }
    }

    /// A result as one event of a stream.
    pub(crate) fn event(&self, result: &Value) -> String {
        format!("data: {}\n\n", self.text(result))
    }

    /// The content type of results.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Rpc(_) => JSON,
            Self::Rest => A2A,
        }
    }

    /// A refusal as text.
    pub(crate) fn fault_text(&self, fault: &Fault) -> String {
        match self {
            Self::Rpc(id) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{}}}", fault.rpc()),
            Self::Rest => fault.rest().to_string(),
        }
    }

    /// A refusal as the answer. JSON-RPC says what HTTP has no part in with status 200.
    pub(crate) fn fault(&self, fault: &Fault) -> Reply {
        let status = match self {
            Self::Rpc(_) if !fault.sort.is_transport() => 200,
            Self::Rpc(_) | Self::Rest => fault.sort.status(),
        };
        Reply { status, form: Form::Whole(JSON, Bytes::from(self.fault_text(fault))) }
    }
}

/// What leaves piece by piece, or with headers of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// The card.
    Card(Bytes),
    /// The events of a task.
    Events(Play),
    /// The task, once it is at rest.
    Wait(Play),
}

/// A task that somebody listens to or waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Play {
    pub(crate) task: String,
    pub(crate) binding: Binding,
    /// The first events, as text.
    pub(crate) first: String,
    /// The last row that they tell of.
    pub(crate) after: u64,
    /// Whether nothing follows them.
    pub(crate) whole: bool,
    /// Whether it goes on while the task waits for its user.
    pub(crate) stays: bool,
    /// Most messages of the history that are shown.
    pub(crate) history: Option<usize>,
}

impl Leaving {
    /// Content type and beginning of what leaves, for answers that break off.
    pub(crate) fn beginning(&self) -> (&'static str, Bytes) {
        match self {
            Self::Card(card) => (JSON, card.clone()),
            Self::Events(play) => (EVENTS, Bytes::from(play.first.clone())),
            Self::Wait(play) => (play.binding.kind(), Bytes::new()),
        }
    }
}

/// The content type of streams.
pub(crate) const EVENTS: &str = "text/event-stream";

/// The card as an answer.
pub(crate) fn card(card: &Value) -> Reply {
    Reply { status: 200, form: Form::A2a(Leaving::Card(Bytes::from(json!(card).to_string()))) }
}

#[cfg(test)]
mod tests {
    use super::Binding;
    use crate::a2a::fault::{Fault, Sort};
    use crate::v2::Form;
    use serde_json::json;

    #[test]
    fn what_cannot_be_taken_down_is_refused_in_the_form_of_the_binding() {
        for (target, field) in [("/a2a", "\"jsonrpc\""), ("/a2a/tasks/x", "\"error\"")] {
            let reply = crate::a2a::unavailable(target, "the disk is full");
            let Form::Whole(_, body) = reply.form else { panic!("not whole") };
            let body = String::from_utf8_lossy(&body).into_owned();
            assert!(reply.status == 503 && body.contains(field) && body.contains("disk is full"), "{body}");
        }
    }

    #[test]
    fn each_binding_wraps_results_and_refusals_in_its_own_way() {
        let rpc = Binding::Rpc("1.0".to_owned());
        assert_eq!(rpc.text(&json!({"a": 1})), r#"{"jsonrpc":"2.0","id":1.0,"result":{"a":1}}"#);
        assert_eq!(Binding::Rest.event(&json!({"a": 1})), "data: {\"a\":1}\n\n");
        let told = |binding: &Binding, sort| {
            let reply = binding.fault(&Fault::new(sort, "no"));
            let Form::Whole(kind, _) = reply.form else { panic!("not whole") };
            (reply.status, kind)
        };
        assert_eq!(told(&rpc, Sort::TaskNotFound), (200, "application/json"));
        assert_eq!(told(&rpc, Sort::Unauthenticated), (401, "application/json"));
        assert_eq!(told(&Binding::Rest, Sort::TaskNotFound), (404, "application/json"));
    }
}
