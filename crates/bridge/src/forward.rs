//! A request that is forwarded, from its files to its end.

use crate::core::{Act, Heard};
use crate::denial::{Denial, UPSTREAM_FAILED};
use crate::exchange::{self, Exchange};
use crate::front::Front;
use crate::mask::Keys;
use crate::outline::hop;
use crate::passing::{self, Header};
use crate::relay::{self, Manner, Outcome, Question};
use crate::serve::{Asking, Inner};
use crate::setting::Mode;
use crate::view::{self, Seen};
use bytes::Bytes;
use rehearsal_journal::bridge::{Action, Done};
use rehearsal_wire::json::parse;
use rehearsal_wire::relay::request;
use rehearsal_world::http::{Answer, Left, Request};
use rehearsal_world::task::{self, oneshot};
use rehearsal_world::vault::VaultError;
use std::sync::Arc;

/// A request that is to be forwarded.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) heard: Heard,
    pub(crate) counted: bool,
    pub(crate) request: Request,
}

/// Everything that a forward needs, ready before its budget is spent.
struct Ready {
    question: Question,
    manner: Manner,
    exchange: Exchange,
}

/// Keys whose values are generated text, where a dialect does not say otherwise.
pub(crate) const SPARE: &[&str] = &["choices"];

/// Answers a request by forwarding it. Files first, then the budget, then the network.
pub(crate) async fn answer(inner: &Arc<Inner>, wanted: Wanted, mut asking: Asking) -> Answer {
    let Wanted { heard, counted, request } = wanted;
    let body = request.body.clone();
    let mut ready = match ready(inner, &heard, counted, &request, &mut asking) {
        Ok(ready) => ready,
        Err(denial) => return inner.own_words(&Act::Deny(denial), &heard, asking, &body),
    };
    if let Err(error) = ready.exchange.write().await {
        asking.done.error = Some(error.to_string());
        return inner.own_words(&Act::Deny(Denial::NotRecorded), &heard, asking, &body);
    }
    if counted && let Err((denial, error)) = spend(inner, &heard, asking.done.sequence).await {
        asking.done.error = error.map(|error| error.to_string());
        ready.exchange.give_up();
        return inner.own_words(&Act::Deny(denial), &heard, asking, &body);
    }
    let ticket = asking.done.sequence;
    let (sender, reply) = oneshot::channel();
    let front = Front::new(sender, inner.common(&heard), asking.clock);
    let left = inner.begin(ticket);
    // A task of its own: an answer that is paid for is kept, whoever stays to hear it.
    // Boxed, since the runtime moves a task about before it runs.
    task::spawn(Box::pin(run(Arc::clone(inner), heard, request, ready, front, asking, left)));
    match reply.await {
        Ok(reply) => Answer { ticket, reply, close: false },
        Err(_) => unreachable!("a front always begins an answer"),
    }
}

fn ready(
    inner: &Inner,
    heard: &Heard,
    counted: bool,
    request: &Request,
    asking: &mut Asking,
) -> Result<Ready, Denial> {
    let sequence = asking.done.sequence;
    let strict = matches!(inner.setting().mode, Mode::Cases(_));
    let is_list = heard.want == crate::core::Want::Models;
    let body = if is_list { Bytes::new() } else { request.body.clone() };
    let mapped = mapped(inner, &body)?;
    let own = &inner.provider().own;
    let headers = if strict {
        passing::for_a_case(own)
    } else {
        let sent: Vec<Header> =
            request.head.headers().map(|(name, value)| (name.to_owned(), value.to_vec())).collect();
        let plain = inner.setting().names.is_some() || inner.setting().redactor.is_some();
        passing::to_provider(sent, own, &inner.setting().control_header, plain)
    };
    let target = match (strict, is_list) {
        (true, true) => "/v1/models".to_owned(),
        (true, false) => "/v1/chat/completions".to_owned(),
        (false, _) => heard.target(),
    };
    let method = if strict && is_list { "GET".to_owned() } else { heard.method.clone() };
    let name = exchange::name(sequence, asking.done.case.as_deref(), &asking.done.route);
    let maps = inner.setting().names.is_some();
    let exchange = inner
        .open(sequence, name, counted || strict, (&request.body, mapped.as_deref()), maps)
        .map_err(|error: VaultError| {
            asking.done.error = Some(error.to_string());
            Denial::NotRecorded
        })?;
    asking.done.files = Some(exchange.name().to_owned());
    asking.done.request = exchange.request.clone();
    asking.done.upstream_request =
        (!is_list).then(|| exchange.upstream_request.clone().unwrap_or_else(|| exchange.request.clone()));
    asking.done.input_equivalent = (strict && counted).then_some(true);
    let body = mapped.map_or(body, Bytes::from);
    let keys = Keys::of(&inner.provider().keys, &headers, &target);
    let question = Question { method, target, headers, body, keys };
    let spare = heard.dialect.map_or(SPARE, |dialect| dialect.generated);
    Ok(Ready { question, manner: Manner { sequence, counted, strict, spare }, exchange })
}

/// The body for the provider, where it is another one: its model by the provider's name.
fn mapped(inner: &Inner, body: &[u8]) -> Result<Option<Vec<u8>>, Denial> {
    let Some(names) = &inner.setting().names else { return Ok(None) };
    // What is no JSON names no model; what is named otherwise is the provider's to refuse.
    let Ok(tape) = parse(body) else { return Ok(None) };
    if !tape.root().get("model").is_some_and(|model| model.is_str(names.alias())) {
        return Ok(None);
    }
    request::rename(&tape, names.real()).map(Some).map_err(|_| Denial::InvalidJson)
}

/// Spends the budget and waits until the disk will not forget it.
async fn spend(inner: &Inner, heard: &Heard, sequence: u64) -> Result<(), (Denial, Option<VaultError>)> {
    let (sync, case) = inner.reserve(heard, sequence)?;
    let failed = |error| (Denial::NotRecorded, Some(error));
    sync.done().await.map_err(failed)?;
    let marks = inner.marks().clone();
    let first = task::blocking(move || marks.set(sequence, case.as_deref())).await.map_err(failed)?;
    if first { Ok(()) } else { Err((Denial::Consumed, None)) }
}

/// Forwards, and writes the end down.
async fn run(
    inner: Arc<Inner>,
    heard: Heard,
    request: Request,
    ready: Ready,
    mut front: Front,
    asking: Asking,
    left: oneshot::Receiver<Left>,
) {
    let Ready { question, manner, mut exchange } = ready;
    let Asking { mut done, clock } = asking;
    let outcome = relay::run(&inner, &question, manner, &mut exchange, &mut front, clock).await;
    let finished = exchange.finish().await;
    if !front.alone() {
        // The client's connection says, sooner or later, that nothing more will leave.
        drop(left.await);
    }
    done.forwarded = true;
    done.status = front.status();
    done.upstream_status = outcome.status;
    done.complete = Some(outcome.failure.is_none());
    done.action =
        if outcome.failure.is_none() { Action::RealBackendForward } else { Action::ForwardFailedNoRetry };
    if let Some(failure) = &outcome.failure {
        done.code = Some(UPSTREAM_FAILED.to_owned());
        done.error = Some(failure.to_string());
    }
    if let Err(error) = finished {
        done.error = done.error.take().or(Some(error.to_string()));
    }
    done.upstream_response = outcome.status.map(|_| exchange.response.hop());
    done.served = front.served(&mut exchange).unwrap_or_else(|_| hop(b""));
    done.client_left = front.left() && heard.method != "HEAD";
    if manner.counted {
        settle(&exchange).await;
    }
    look(&inner, &heard, (&request, &question), (&exchange, &front), &outcome, &mut done);
    done.took_us = clock.elapsed_us();
    inner.end(*done);
}

/// Waits until the disk has an exchange that was paid for.
async fn settle(exchange: &Exchange) {
    let shelf = exchange.shelf();
    task::blocking(move || shelf.settle()).await;
}

/// Writes the readable file, and what only a look at the whole answer tells.
fn look(
    inner: &Inner,
    heard: &Heard,
    (request, question): (&Request, &Question),
    (exchange, front): (&Exchange, &Front),
    outcome: &Outcome,
    done: &mut Done,
) {
    let seen = Seen { heard, request, question, exchange, front, outcome, setting: inner.setting() };
    let (text, told) = view::readable(&seen, done);
    done.tokens = told.tokens;
    done.choices_unchanged = told.choices_unchanged;
    match exchange.readable(&text) {
        Ok(sum) => done.readable = Some(sum),
        Err(error) => done.error = done.error.take().or(Some(error.to_string())),
    }
}
