//! What a bridge says itself: refusals, the state, the health. What leaves is taken down like everything else.

use crate::core::{Act, Heard};
use crate::denial::{self, Denial, GUARD};
use crate::exchange;
use crate::outline::hop;
use crate::projection;
use crate::serve::{Asking, Inner, Leaving};
use rehearsal_journal::bridge::{Done, Kind};
use rehearsal_wire::head::ResponseHead;
use rehearsal_world::clock::{self, Clock};
use rehearsal_world::http::{Answer, Reply};

impl Inner {
    /// Headers of every answer to this origin.
    pub(crate) fn common(&self, heard: &Heard) -> ResponseHead {
        let mut head = ResponseHead::new(200).with("cache-control", "no-store");
        if let Some(origin) = heard.origin.as_ref().filter(|_| heard.origin_allowed) {
            head.push("access-control-allow-origin", origin.clone());
            head.push("vary", "Origin");
        }
        head
    }

    /// Answers in the bridge's own words.
    pub(crate) fn own_words(&self, act: &Act, heard: &Heard, mut asking: Asking, asked: &[u8]) -> Answer {
        let (status, body) = self.say(act);
        // A control body names a case, or is whatever somebody tries: it is not kept in any form.
        if heard.kind != Kind::Control {
            asking.done.request = hop(&self.setting().kept(asked));
        }
        let mut head = ResponseHead::new(status);
        head.headers.extend(self.common(heard).headers);
        match act {
            Act::Preflight => {
                head.push("access-control-allow-methods", "GET, POST, OPTIONS");
                head.push("access-control-allow-headers", "Content-Type, Authorization");
                head.push("access-control-max-age", "0");
            }
            Act::Deny(denial) => {
                asking.done.code = Some(denial.words().code.to_owned());
                if *denial == Denial::Method {
                    head.push("allow", "GET, HEAD, POST, OPTIONS");
                }
                self.keep(&mut asking.done, asked);
            }
            Act::Health | Act::Status | Act::Arm(_) | Act::Disarm(_) | Act::Forward { .. } => {}
        }
        asking.done.action = act.action();
        self.leave(*asking.done, asking.clock, head, body, false)
    }

    /// Keeps the body of a request that is not forwarded, unless it may hold a control body.
    pub(crate) fn keep(&self, done: &mut Done, body: &[u8]) {
        if done.kind == Kind::Control || body.is_empty() || done.files.is_some() {
            return;
        }
        let name = exchange::name(done.sequence, done.case.as_deref(), &done.route);
        match exchange::keep_request(self.exchanges(), &name, &self.setting().kept(body)) {
            Ok(()) => done.files = Some(name),
            Err(error) => done.error = Some(error.to_string()),
        }
    }

    fn say(&self, act: &Act) -> (u16, Vec<u8>) {
        match act {
            Act::Deny(denial) => {
                let words = denial.words();
                (words.status, denial::body(GUARD, words.code, words.message))
            }
            Act::Health => (200, projection::health(self.setting(), &self.book().state)),
            Act::Status => {
                let at = clock::rfc3339(clock::unix_ms());
                (200, projection::state(self.setting(), &self.book().state, &at, true))
            }
            Act::Arm(case) => (200, projection::armed(self.setting(), Some(case))),
            Act::Disarm(_) => (200, projection::armed(self.setting(), None)),
            Act::Preflight | Act::Forward { .. } => (204, Vec::new()),
        }
    }

    pub(crate) fn leave(
        &self,
        mut done: Done,
        clock: Clock,
        mut head: ResponseHead,
        body: Vec<u8>,
        close: bool,
    ) -> Answer {
        done.status = Some(head.status);
        done.served = if done.method == "HEAD" { hop(b"") } else { hop(&body) };
        if head.get("cache-control").is_none() {
            head.push("cache-control", "no-store");
        }
        if !body.is_empty() && head.get("content-type").is_none() {
            head.push("content-type", "application/json");
        }
        let ticket = done.sequence;
        self.leaving().insert(ticket, Leaving::Own(Box::new(done), clock));
        Answer { ticket, reply: Reply::Whole { head, body }, close }
    }
}
