//! Refusals of A2A: each error type with its code over JSON-RPC, its status over HTTP and its reason. Facts: the error table of the
//! specification (section 5.4, as corrected after 1.0.0) and `A2A_ERROR_MAPPING` of the official Python library 1.3.

use serde_json::{Value, json};

/// Type of the detail that every error has.
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
/// Type of the detail that names fields.
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";

/// What sort of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    TaskNotFound,
    TaskNotCancelable,
    PushNotSupported,
    UnsupportedOperation,
    ContentType,
    Version,
    Parse,
    InvalidRequest,
    MethodNotFound,
    InvalidParams,
    Internal,
    /// Ours: the token is missing or wrong.
    Unauthenticated,
    /// Ours: the request was led here from another site.
    Forbidden,
    /// Ours: the body is larger than is read.
    TooLarge,
}

/// What is sent for a sort: code over JSON-RPC, status over HTTP, the word of `google.rpc.Code`, reason.
type Sent = (i32, u16, &'static str, &'static str);

impl Sort {
    /// All of them, for tests of the whole table.
    #[cfg(test)]
    const ALL: [Self; 14] = [
        Self::TaskNotFound,
        Self::TaskNotCancelable,
        Self::PushNotSupported,
        Self::UnsupportedOperation,
        Self::ContentType,
        Self::Version,
        Self::Parse,
        Self::InvalidRequest,
        Self::MethodNotFound,
        Self::InvalidParams,
        Self::Internal,
        Self::Unauthenticated,
        Self::Forbidden,
        Self::TooLarge,
    ];

    fn sent(self) -> Sent {
        match self {
            Self::TaskNotFound => (-32001, 404, "NOT_FOUND", "TASK_NOT_FOUND"),
            Self::TaskNotCancelable => (-32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"),
            Self::PushNotSupported => (-32003, 400, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED"),
            Self::UnsupportedOperation => (-32004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"),
            Self::ContentType => (-32005, 400, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"),
            Self::Version => (-32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"),
            Self::Parse => (-32700, 400, "INVALID_ARGUMENT", "INVALID_REQUEST"),
            Self::InvalidRequest => (-32600, 400, "INVALID_ARGUMENT", "INVALID_REQUEST"),
            Self::MethodNotFound => (-32601, 404, "NOT_FOUND", "METHOD_NOT_FOUND"),
            Self::InvalidParams => (-32602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS"),
            Self::Internal => (-32603, 500, "INTERNAL", "INTERNAL_ERROR"),
            // JSON-RPC leaves -32000 to servers, and A2A begins at -32001.
            Self::Unauthenticated => (-32000, 401, "UNAUTHENTICATED", "UNAUTHENTICATED"),
            Self::Forbidden => (-32000, 403, "PERMISSION_DENIED", "PERMISSION_DENIED"),
            Self::TooLarge => (-32600, 413, "INVALID_ARGUMENT", "INVALID_REQUEST"),
        }
    }

    /// The status over HTTP.
    pub(crate) fn status(self) -> u16 {
        self.sent().1
    }

    /// The reason, which is also the code in the journal.
    pub(crate) fn reason(self) -> &'static str {
        self.sent().3
    }

    /// Whether it is said below JSON-RPC: by a status of HTTP in both bindings.
    pub(crate) fn is_transport(self) -> bool {
        matches!(self, Self::Unauthenticated | Self::Forbidden | Self::TooLarge)
    }
}

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) sort: Sort,
    pub(crate) message: String,
    /// Where in the request it is wrong: JSON pointer into what came as parameters.
    pub(crate) pointer: Option<String>,
    /// Further facts, by name.
    pub(crate) facts: Vec<(&'static str, String)>,
}

impl Fault {
    pub(crate) fn new(sort: Sort, message: impl Into<String>) -> Self {
        Self { sort, message: message.into(), pointer: None, facts: Vec::new() }
    }

    /// Parameters that are wrong at a place.
    pub(crate) fn at(pointer: &str, why: impl AsRef<str>) -> Self {
        let mut fault = Self::new(Sort::InvalidParams, format!("{pointer}: {}", why.as_ref()));
        fault.pointer = Some(pointer.to_owned());
        fault
    }

    /// A request that is wrong at a place.
    pub(crate) fn request(pointer: &str, why: impl AsRef<str>) -> Self {
        Self { sort: Sort::InvalidRequest, ..Self::at(pointer, why) }
    }

    pub(crate) fn no_task(id: &str) -> Self {
        let fault = Self::new(Sort::TaskNotFound, "there is no task of this id, or it is no longer kept");
        fault.with("taskId", id)
    }

    /// With a further fact.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.facts.push((name, value.into()));
        self
    }

    /// The details. `base` stands before the pointer: where the parameters are in the body.
    fn details(&self, base: &str) -> Value {
        let mut metadata = serde_json::Map::new();
        if let Some(pointer) = &self.pointer {
            metadata.insert("pointer".to_owned(), json!(format!("{base}{pointer}")));
        }
        metadata.extend(self.facts.iter().map(|(name, value)| ((*name).to_owned(), json!(value))));
        let mut details = vec![json!({
            "@type": ERROR_INFO,
            "reason": self.sort.reason(),
            "domain": "a2a-protocol.org",
            "metadata": metadata,
        })];
        if let Some(pointer) = &self.pointer {
            let field = pointer.trim_start_matches('/').replace('/', ".");
            let violation = json!({"field": field, "description": self.message});
            details.push(json!({"@type": BAD_REQUEST, "fieldViolations": [violation]}));
        }
        json!(details)
    }

    /// The `error` of a JSON-RPC answer.
    pub(crate) fn rpc(&self) -> Value {
        // What is wrong with the request itself is not among its parameters.
        let base = if self.sort == Sort::InvalidRequest { "" } else { "/params" };
        json!({"code": self.sort.sent().0, "message": self.message, "data": self.details(base)})
    }

    /// The body of an answer over HTTP+JSON.
    pub(crate) fn rest(&self) -> Value {
        let (_, status, word, _) = self.sort.sent();
        let details = self.details("");
        json!({"error": {"code": status, "status": word, "message": self.message, "details": details}})
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, Sort};
    use serde_json::json;

    #[test]
    fn every_error_has_its_code_status_and_reason() {
        let told: Vec<_> = Sort::ALL.iter().map(|sort| sort.sent()).map(|it| (it.0, it.1, it.3)).collect();
        assert_eq!(
            told,
            [
                (-32001, 404, "TASK_NOT_FOUND"),
                (-32002, 400, "TASK_NOT_CANCELABLE"),
                (-32003, 400, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
                (-32004, 400, "UNSUPPORTED_OPERATION"),
                (-32005, 400, "CONTENT_TYPE_NOT_SUPPORTED"),
                (-32009, 400, "VERSION_NOT_SUPPORTED"),
                (-32700, 400, "INVALID_REQUEST"),
                (-32600, 400, "INVALID_REQUEST"),
                (-32601, 404, "METHOD_NOT_FOUND"),
                (-32602, 400, "INVALID_PARAMS"),
                (-32603, 500, "INTERNAL_ERROR"),
                (-32000, 401, "UNAUTHENTICATED"),
                (-32000, 403, "PERMISSION_DENIED"),
                (-32600, 413, "INVALID_REQUEST"),
            ]
        );
    }

    #[test]
    fn the_field_that_is_wrong_is_named_as_a_pointer_and_as_a_path() {
        let fault = Fault::at("/message/parts/0", "must not be empty");
        let details = json!([
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "INVALID_PARAMS",
                "domain": "a2a-protocol.org",
                "metadata": {"pointer": "/params/message/parts/0"},
            },
            {
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [
                    {"field": "message.parts.0", "description": "/message/parts/0: must not be empty"}
                ],
            },
        ]);
        let message = "/message/parts/0: must not be empty";
        assert_eq!(fault.rpc(), json!({"code": -32602, "message": message, "data": details}));
        let rest = fault.rest();
        assert_eq!(rest["error"]["status"], "INVALID_ARGUMENT");
        assert_eq!(rest["error"]["code"], 400);
        assert_eq!(rest["error"]["details"][0]["metadata"]["pointer"], "/message/parts/0");
    }
}
