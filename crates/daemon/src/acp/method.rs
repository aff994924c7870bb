//! The requests of a client: what each method does to the front and its sessions.

use super::front::{Front, MOST_SESSIONS, Out};
use super::line::Fault;
use super::session::{Session, place, words};
use super::turn::Client;
use super::update;
use crate::setting::Setting;
use rehearsal_journal::daemon::Fact;
use rehearsal_script::span;
use rehearsal_wire::json::Value;
use rehearsal_world::clock::rfc3339;
use serde_json::json;

impl Front {
    /// Serves a request. `None` where the answer comes later.
    pub(super) fn request(
        &mut self,
        id: &str,
        method: &str,
        params: Option<Value<'_>>,
        now_ms: u64,
    ) -> Option<Result<serde_json::Value, Fault>> {
        Some(match method {
            "initialize" => self.initialize(params),
            _ if self.client.is_none() => Err(Fault::request("initialize comes first")),
            "authenticate" => self.authenticate(params),
            "logout" => {
                self.known = !self.auth;
                Ok(json!({}))
            }
            "_rehearsal/clock" => self.clock(params, now_ms),
            _ if !self.known && method.starts_with("session/") => Err(Fault::auth()),
            "session/new" => self.new_session(params),
            "session/list" => self.list(params),
            "session/load" => self.load(params, true),
            "session/resume" => self.load(params, false),
            "session/close" => self.close(params, now_ms),
            "session/delete" => self.close(params, now_ms).inspect(|_| {
                if let Ok(id) = words(params, "sessionId") {
                    self.sessions.remove(&id);
                }
            }),
            "session/set_mode" => self.session(params).and_then(|(_, session, _)| {
                session.set_mode(params)?;
                Ok(json!({}))
            }),
            "session/set_config_option" => self.session(params).and_then(|(_, session, setting)| {
                session.set_option(params, setting)?;
                Ok(json!({"configOptions": session.options(setting)}))
            }),
            "session/prompt" => return self.prompt(id, params, now_ms),
            _ => Err(Fault::method(method)),
        })
    }

    fn initialize(&mut self, params: Option<Value<'_>>) -> Result<serde_json::Value, Fault> {
        let version = params.and_then(|params| params.get("protocolVersion"));
        let version = version.and_then(Value::as_i64).filter(|version| (0..=65_535).contains(version));
        version.ok_or_else(|| Fault::params("`protocolVersion` must be a number"))?;
        let can = |path: &str| {
            let value = params.and_then(|params| params.get("clientCapabilities")?.at(path));
            value.is_some_and(|value| value.as_bool().unwrap_or(!value.is_null()))
        };
        self.client = Some(Client { writes: can("/fs/writeTextFile"), elicits: can("/elicitation/form") });
        let methods = match self.auth {
            true => json!([{"id": "rehearsal", "name": "Rehearsal", "description": "Always goes well."}]),
            false => json!([]),
        };
        Ok(json!({
            "protocolVersion": 1,
            "agentCapabilities": {
                "loadSession": true,
                "promptCapabilities": {"image": true, "audio": true, "embeddedContext": true},
                "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}},
                "auth": {"logout": {}},
            },
            "agentInfo": {"name": self.setting.harness, "title": "Rehearsal", "version": self.setting.version},
            "authMethods": methods,
        }))
    }

    fn authenticate(&mut self, params: Option<Value<'_>>) -> Result<serde_json::Value, Fault> {
        let method = words(params, "methodId")?;
        if !self.auth || method != "rehearsal" {
            return Err(Fault::params(format!("there is no method {method:?} to authenticate by")));
        }
        self.known = true;
        Ok(json!({}))
    }

    fn clock(&mut self, params: Option<Value<'_>>, now_ms: u64) -> Result<serde_json::Value, Fault> {
        if self.clock_ms.is_none() {
            return Err(Fault::request(
                "the clock runs by itself: start with --scripted-clock to put it forward",
            ));
        }
        let time = words(params, "advance").ok().and_then(|text| span::parse(&text));
        let time = time.ok_or_else(|| Fault::params(format!("`advance`: {}", span::FORM)))?;
        let now_ms = now_ms.saturating_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        self.clock_ms = Some(now_ms);
        self.out.push(Out::Fact(Fact::ClockMoved { unix_ms: now_ms }));
        Ok(json!({"now": rfc3339(now_ms)}))
    }

    fn new_session(&mut self, params: Option<Value<'_>>) -> Result<serde_json::Value, Fault> {
        let cwd = place(params)?;
        if self.sessions.len() >= MOST_SESSIONS {
            return Err(Fault::internal("there are too many sessions: delete one first"));
        }
        self.count += 1;
        let id = format!("sess-{}", self.setting.id("session", &self.count.to_string(), 16));
        let session = Session::new(cwd, &self.setting);
        let mut body = session.state(&self.setting);
        body["sessionId"] = json!(id);
        self.sessions.insert(id, session);
        Ok(body)
    }

    fn list(&self, params: Option<Value<'_>>) -> Result<serde_json::Value, Fault> {
        let cwd = words(params, "cwd").ok();
        if let Ok(cursor) = words(params, "cursor") {
            return Err(Fault::params(format!("there is no cursor {cursor:?}: the list is whole")));
        }
        let fits = |session: &Session| cwd.as_ref().is_none_or(|cwd| *cwd == session.cwd);
        let rows: Vec<_> = self
            .sessions
            .iter()
            .filter(|(_, session)| fits(session))
            .map(|(id, session)| {
                let mut row = json!({"sessionId": id, "cwd": session.cwd});
                if let Some(title) = &session.title {
                    row["title"] = json!(title);
                }
                row
            })
            .collect();
        Ok(json!({"sessions": rows}))
    }

    /// Takes a session up again; what was said in it is told where that is asked.
    fn load(&mut self, params: Option<Value<'_>>, tells: bool) -> Result<serde_json::Value, Fault> {
        let cwd = place(params)?;
        let (id, session, setting) = self.session(params)?;
        session.cwd = cwd;
        session.closed = false;
        let state = session.state(setting);
        let said = if tells { session.said.clone() } else { Vec::new() };
        for (by_user, text) in said {
            let kind = if by_user { "user_message_chunk" } else { "agent_message_chunk" };
            for line in update::chunks(&id, kind, &text) {
                self.tell(&id, line);
            }
        }
        Ok(state)
    }

    fn close(&mut self, params: Option<Value<'_>>, now_ms: u64) -> Result<serde_json::Value, Fault> {
        let (id, session, _) = self.session(params)?;
        session.closed = true;
        if let Some(turn) = &mut session.turn {
            turn.run.cancel(Some("the session was closed".to_owned()), false, now_ms);
        }
        self.go_on(&id, now_ms);
        Ok(json!({}))
    }

    /// The session that parameters name, and what it needs beside it.
    pub(super) fn session(
        &mut self,
        params: Option<Value<'_>>,
    ) -> Result<(String, &mut Session, &Setting), Fault> {
        let id = words(params, "sessionId")?;
        let session = self.sessions.get_mut(&id).ok_or_else(|| Fault::missing("session of this id"))?;
        Ok((id, session, &self.setting))
    }
}
