//! A2A 1.0 on the daemon's port, over JSON-RPC and HTTP+JSON: a third front end of the same runs. A task is a run with what A2A adds to
//! it. Facts are those of the specification 1.0 (a2a-protocol.org) and its proto file; where the two official libraries 1.3 follow a later
//! correction of it, the correction.
//!
//! `leave` alone knows the world; all else decides over values.

mod access;
mod answer;
mod artifact;
mod card;
mod fault;
mod field;
mod leave;
mod list;
mod one;
mod part;
mod request;
mod route;
mod send;
mod settle;
mod show;
mod shown;
mod start;
mod task;
mod time;

pub(crate) use access::Headers;
pub(crate) use answer::Leaving;
pub(crate) use leave::leave;
pub(crate) use route::is_ours;
pub(crate) use settle::{Asked, settle};
pub(crate) use start::{Starting, started};
pub(crate) use task::{Stand, Tasks};

use crate::core::{Decision, Step};
use crate::v2::{Call, Reply};
use answer::Binding;
use fault::{Fault, Sort};
use field::Field;
use rehearsal_journal::daemon::Decided;
use rehearsal_wire::json::{self, Kind, write_string};
use route::{Operation, Place, place};

/// Judges a request to a path of A2A.
pub(crate) fn judge(call: &mut Call<'_, '_>) -> Step {
    let heard = call.heard;
    let place = place(heard.method, heard.target);
    let binding = binding(&place);
    call.decided.operation = match &place {
        Place::Card => "a2a.card",
        Place::Rest(operation, _) => operation.name(),
        Place::Rpc | Place::OtherMethod(_) | Place::Nowhere => "none",
    }
    .to_owned();
    if let Err(fault) = access::host(heard) {
        return refuse(call, &binding, &fault);
    }
    if place == Place::Card {
        let card = card::card(call.setting, heard.host);
        return call.say(answer::card(&card));
    }
    let asked = access::token(call.setting, heard)
        .and_then(|()| is_somewhere(&place))
        .and_then(|()| access::version(heard))
        .and_then(|()| access::content(heard, &binding));
    if let Err(fault) = asked {
        return refuse(call, &binding, &fault);
    }
    match place {
        Place::Rest(operation, task) => rest(call, operation, task.as_deref()),
        Place::Card | Place::Rpc | Place::OtherMethod(_) | Place::Nowhere => rpc(call),
    }
}

/// The binding of a place.
fn binding(place: &Place<'_>) -> Binding {
    match place {
        Place::Rpc => Binding::rpc(),
        Place::Card | Place::Rest(..) | Place::OtherMethod(_) | Place::Nowhere => Binding::Rest,
    }
}

fn is_somewhere(place: &Place<'_>) -> Result<(), Fault> {
    match place {
        Place::Card | Place::Rpc | Place::Rest(..) => Ok(()),
        Place::OtherMethod(right) => {
            Err(Fault::new(Sort::MethodNotFound, format!("this path takes {right} alone")))
        }
        Place::Nowhere => Err(Fault::new(Sort::MethodNotFound, "there is nothing at this path")),
    }
}

/// A request over HTTP+JSON: its parameters stand in the body, or in path and query.
fn rest(call: &mut Call<'_, '_>, operation: Operation, task: Option<&str>) -> Step {
    let heard = call.heard;
    let binding = Binding::Rest;
    if heard.method == "POST" {
        return match access::object(heard) {
            Ok(object) => run(call, operation, &binding, &Field::root(object, false), task),
            Err(fault) => refuse(call, &binding, &fault),
        };
    }
    let text = object_of(&route::parameters(heard.target));
    match json::parse(&text) {
        Ok(tape) => run(call, operation, &binding, &Field::root(Some(tape.root()), true), task),
        Err(broken) => refuse(call, &binding, &Fault::new(Sort::InvalidRequest, broken.to_string())),
    }
}

/// The JSON text of an object with texts.
fn object_of(pairs: &[(String, String)]) -> Vec<u8> {
    let mut out = vec![b'{'];
    for (at, (key, value)) in pairs.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_string(&mut out, key);
        out.push(b':');
        write_string(&mut out, value);
    }
    out.push(b'}');
    out
}

/// A request over JSON-RPC (section 9 of the specification, and JSON-RPC 2.0).
fn rpc(call: &mut Call<'_, '_>) -> Step {
    let heard = call.heard;
    let plain = Binding::rpc();
    let root = match access::object(heard) {
        Ok(Some(object)) => Field::root(Some(object), false),
        Ok(None) => return refuse(call, &plain, &Fault::new(Sort::Parse, "the body is empty")),
        Err(fault) => return refuse(call, &plain, &fault),
    };
    let id = root.value().and_then(|object| object.get("id"));
    let binding = match id.map(|id| (id.kind(), id.text())) {
        Some((Kind::String | Kind::Number | Kind::Null, text)) => Binding::Rpc(text.to_owned()),
        Some(_) => {
            let why = "must be a text, a number or null";
            return refuse(call, &plain, &Fault::request("/id", why));
        }
        None => {
            let why = "is missing: without it nothing is answered, and every request of A2A is";
            return refuse(call, &plain, &Fault::request("/id", why));
        }
    };
    match method(&root) {
        Ok(operation) => {
            operation.name().clone_into(&mut call.decided.operation);
            run(call, operation, &binding, &params(&root), None)
        }
        Err(fault) => refuse(call, &binding, &fault),
    }
}

fn method(root: &Field<'_>) -> Result<Operation, Fault> {
    if !root.get("jsonrpc").value().is_some_and(|version| version.is_str("2.0")) {
        return Err(Fault::request("/jsonrpc", "must be \"2.0\""));
    }
    let method = root.get("method").value().and_then(|method| method.as_str());
    let Some(method) = method else { return Err(Fault::request("/method", "must be a text")) };
    if root.get("params").value().is_some_and(|params| params.kind() != Kind::Object) {
        return Err(Fault::request("/params", "must be an object"));
    }
    Operation::of_method(&method).ok_or_else(|| {
        let near = Operation::nearest(&method).map(|near| format!("; did you mean {near}?"));
        let why = format!("there is no method {method:?}{}", near.unwrap_or_default());
        Fault::new(Sort::MethodNotFound, why).with("method", method)
    })
}

/// The parameters, whose places are told from where they stand.
fn params<'t>(root: &Field<'t>) -> Field<'t> {
    Field::root(root.get("params").value(), false)
}

/// Does an operation.
fn run(
    call: &mut Call<'_, '_>,
    operation: Operation,
    binding: &Binding,
    params: &Field<'_>,
    task: Option<&str>,
) -> Step {
    let done = match operation {
        Operation::Send => send::send(call, binding, params, false),
        Operation::Stream => send::send(call, binding, params, true),
        Operation::Get => one::get(call, binding, params, task),
        Operation::List => list::list(call, binding, params),
        Operation::Cancel => one::cancel(call, binding, params, task),
        Operation::Subscribe => one::subscribe(call, binding, params, task),
        Operation::Push => Err(request::no_push()),
        Operation::ExtendedCard => {
            // What is not declared is not supported (section 3.3.4); -32007 is for cards that are declared and lacking.
            let why = "the agent card says that there is no extended card";
            Err(Fault::new(Sort::UnsupportedOperation, why))
        }
    };
    match done {
        Ok(step) => step,
        Err(fault) => refuse(call, binding, &fault),
    }
}

/// Refuses in the form of a binding.
fn refuse(call: &mut Call<'_, '_>, binding: &Binding, fault: &Fault) -> Step {
    call.decided.code = Some(fault.sort.reason().to_owned());
    call.say(binding.fault(fault))
}

/// What is said to a request that HTTP itself forbids. A stranger hears no more than that he is one.
pub(crate) fn unreadable(target: &str, refusal: Unreadable<'_>, known: bool) -> Decision {
    let binding = binding(&place("POST", target));
    let Unreadable { status, why, is_large } = refusal;
    let fault = match (is_large, known) {
        (true, false) => Fault::new(Sort::Unauthenticated, "the token is missing or wrong"),
        (true, true) => Fault::new(Sort::TooLarge, why),
        (false, _) => Fault::new(Sort::InvalidRequest, why),
    };
    let code = Some(fault.sort.reason().to_owned());
    let decided = Decided { operation: "none".to_owned(), code, ..Decided::default() };
    let mut reply = binding.fault(&fault);
    if !is_large {
        reply.status = status;
    }
    Decision::new(reply, decided, Vec::new(), None)
}

/// What is said to a request that cannot be taken down.
pub(crate) fn unavailable(target: &str, why: &str) -> Reply {
    let mut reply = binding(&place("POST", target)).fault(&Fault::new(Sort::Internal, why));
    reply.status = 503;
    reply
}

/// Why HTTP forbids a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unreadable<'t> {
    /// The status that HTTP has for it.
    pub(crate) status: u16,
    pub(crate) why: &'t str,
    /// Whether its body is too large.
    pub(crate) is_large: bool,
}

#[cfg(test)]
mod tests;
