//! Which operation a method and a path name.

/// An operation, with the parts of the path that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route<'p> {
    Handshake,
    Health,
    Harnesses,
    Operations,
    Quota,
    Settings,
    SettingsWrite,
    Projects,
    ProjectRegister,
    ProjectRemove(&'p str),
    Start,
    Runs,
    Status,
    Profiles,
    /// Anything below a run, whatever the method.
    Run {
        id: &'p str,
        rest: Vec<&'p str>,
    },
    QuotaRefresh,
    Uploads,
    Upload {
        id: &'p str,
        rest: Vec<&'p str>,
    },
    Operate,
    Operation {
        id: &'p str,
        rest: Vec<&'p str>,
    },
    Sources,
    Models(&'p str),
    Trust,
    TrustWrite,
    /// Ours: what the scripted clock shows, and how it is put forward.
    Clock,
    Unknown,
}

/// Finds the operation. The query is cut off, slashes at the end are dropped, nothing is decoded.
pub(crate) fn route<'p>(method: &str, target: &'p str) -> Route<'p> {
    let path = target.split('?').next().unwrap_or_default().trim_end_matches('/');
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    if let ["v2", "runs", id, rest @ ..] = parts.as_slice() {
        return Route::Run { id, rest: rest.to_vec() };
    }
    match parts.as_slice() {
        ["v2", "uploads", id, rest @ ..] => return Route::Upload { id, rest: rest.to_vec() },
        ["v2", "model-operations", id, rest @ ..] => return Route::Operation { id, rest: rest.to_vec() },
        ["v2", "model-sources" | "harnesses", id, "models"] if method == "GET" => return Route::Models(id),
        _ => {}
    }
    if let ("DELETE", ["v2", "projects", id]) = (method, parts.as_slice()) {
        return Route::ProjectRemove(id);
    }
    match (method, path) {
        ("POST", "/v2/handshake") => Route::Handshake,
        ("GET", "/healthz") => Route::Health,
        ("GET", "/v2/agent-capabilities" | "/v2/harnesses") => Route::Harnesses,
        ("GET", "/v2/operations") => Route::Operations,
        ("GET", "/v2/quota") => Route::Quota,
        ("GET", "/v2/settings") => Route::Settings,
        ("POST", "/v2/settings") => Route::SettingsWrite,
        ("GET", "/v2/projects") => Route::Projects,
        ("POST", "/v2/projects") => Route::ProjectRegister,
        ("POST", "/v2/runs") => Route::Start,
        ("GET", "/v2/runs") => Route::Runs,
        ("GET", "/v2/daemon/status") => Route::Status,
        ("GET", "/v2/credential-profiles") => Route::Profiles,
        ("POST", "/v2/quota") => Route::QuotaRefresh,
        ("POST", "/v2/uploads") => Route::Uploads,
        ("POST", "/v2/model-operations") => Route::Operate,
        ("GET", "/v2/model-sources") => Route::Sources,
        ("GET", "/v2/trust") => Route::Trust,
        ("GET" | "POST", "/_control/clock") => Route::Clock,
        ("POST", "/v2/trust") => Route::TrustWrite,
        _ => Route::Unknown,
    }
}

impl Route<'_> {
    /// The name of the operation, as the journal has it.
    pub(crate) fn name(&self, method: &str) -> &'static str {
        match self {
            Self::Handshake => "handshake",
            Self::Health => "health",
            Self::Harnesses => "harness.list",
            Self::Operations => "operation.list",
            Self::Quota => "quota.read",
            Self::Settings => "settings.read",
            Self::SettingsWrite => "settings.write",
            Self::Projects => "project.list",
            Self::ProjectRegister => "project.register",
            Self::ProjectRemove(_) => "project.remove",
            Self::Start => "run.start",
            Self::Runs => "run.list",
            Self::Status => "daemon.status",
            Self::Profiles => "credential-profile.list",
            Self::Run { rest, .. } => match (method, rest.as_slice()) {
                ("GET", []) => "run.read",
                ("GET", ["events"]) => "run.events",
                ("POST", ["interactions", _, "answer"]) => "run.answer",
                ("POST", ["messages"]) => "run.message",
                ("POST", ["control"]) => "run.control",
                ("GET", ["artifacts", ..]) => "run.artifact",
                _ => "none",
            },
            Self::QuotaRefresh => "quota.refresh",
            Self::Uploads => "upload.create",
            Self::Upload { rest, .. } => match (method, rest.as_slice()) {
                ("GET", []) => "upload.read",
                ("PUT", ["bytes"]) => "upload.fill",
                ("POST", ["finalize"]) => "upload.finalize",
                ("DELETE", []) => "upload.remove",
                _ => "none",
            },
            Self::Operate => "model-operation.create",
            Self::Operation { rest, .. } => match (method, rest.as_slice()) {
                ("GET", []) => "model-operation.read",
                ("GET", ["result"]) => "model-operation.result",
                ("POST", ["control"]) => "model-operation.control",
                ("POST", ["ack"]) => "model-operation.ack",
                _ => "none",
            },
            Self::Sources => "model-source.list",
            Self::Models(_) => "model.list",
            Self::Trust => "trust.read",
            Self::TrustWrite => "trust.write",
            Self::Clock => "clock.control",
            Self::Unknown => "none",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Route, route};

    #[test]
    fn paths_are_cut_and_split_as_the_contract_says() {
        assert_eq!(route("GET", "/v2/quota/?view=x"), Route::Quota);
        assert_eq!(route("GET", "/v2//runs//a1//"), Route::Run { id: "a1", rest: Vec::new() });
        assert_eq!(route("PATCH", "/v2/runs/a1/x"), Route::Run { id: "a1", rest: vec!["x"] });
        assert_eq!(route("PUT", "/v2/runs?x=%2F..%2F"), Route::Unknown);
        assert_eq!(route("GET", "/v2//quota"), Route::Unknown);
        assert_eq!(route("DELETE", "/v2/projects/p/"), Route::ProjectRemove("p"));
        assert_eq!(route("GET", "/V2/quota"), Route::Unknown);
    }
}
