//! What a provider does wrong, what the client sees of it, and what the record says: the table of a forward's failures. The budget is
//! spent in every row.

use crate::stand::{Got, Running, Stand, case, marker};
use crate::upstream::{
    Asked, Gate, MODEL, Step, Upstream, chunks, completion, event, events, head, open_chunks, whole,
};
use rehearsal_journal::bridge::{Action, Done};

/// One way to fail.
struct Row {
    name: &'static str,
    streamed: bool,
    play: fn(&Asked) -> Vec<Step>,
    /// Status for the client; 0 where nothing but the beginning of an answer is promised.
    status: u16,
    /// Whether the client can tell that the answer is whole.
    is_whole: bool,
    /// Whether the record says that the provider's answer is whole.
    complete: bool,
    /// Bytes of the provider's answer in the record.
    kept: usize,
}

fn cut_json() -> Vec<u8> {
    let body = completion();
    body[..body.len() / 2].to_vec()
}

fn cut_events() -> Vec<u8> {
    [event("Hello"), event(" from")[..60].to_vec()].concat()
}

fn say(parts: &[&[u8]]) -> Vec<Step> {
    vec![Step::Say(parts.concat())]
}

fn json_with_length(length: usize, body: &[u8]) -> Vec<Step> {
    say(&[&head("application/json", &format!("Content-Length: {length}")), body])
}

fn reset_after(mut steps: Vec<Step>) -> Vec<Step> {
    steps.push(Step::Reset);
    steps
}

const CLOSE: &str = "Connection: close";
const CHUNKED: &str = "Transfer-Encoding: chunked";
const SSE: &str = "text/event-stream";

#[expect(clippy::too_many_lines, reason = "a table")]
fn rows() -> Vec<Row> {
    let broken = |name, streamed, play, status, kept| Row {
        name,
        streamed,
        play,
        status,
        is_whole: status == 502,
        complete: false,
        kept,
    };
    vec![
        broken("closes before the head", false, |_| Vec::new(), 502, 0),
        broken("resets before the head", false, |_| vec![Step::Reset], 502, 0),
        broken("closes before the head of a stream", true, |_| Vec::new(), 502, 0),
        broken("cuts the head", false, |_| say(&[b"HTTP/1.1 200 OK\r\nContent-Ty"]), 502, 0),
        broken("says no HTTP", false, |_| say(&[b"SSH-2.0-x\r\n\r\n"]), 502, 0),
        broken(
            "cuts JSON of a known length",
            false,
            |_| json_with_length(completion().len(), &cut_json()),
            502,
            cut_json().len(),
        ),
        broken(
            "resets in JSON of a known length",
            false,
            |_| reset_after(json_with_length(completion().len(), &cut_json())),
            502,
            cut_json().len(),
        ),
        broken(
            "cuts JSON in a chunk",
            false,
            |_| {
                let size = format!("{:x}\r\n", completion().len());
                say(&[&head("application/json", CHUNKED), size.as_bytes(), &cut_json()])
            },
            502,
            cut_json().len(),
        ),
        broken(
            "cuts JSON between chunks",
            false,
            |_| say(&[&head("application/json", CHUNKED), &open_chunks(&cut_json())]),
            502,
            cut_json().len(),
        ),
        broken(
            "says more than comes",
            false,
            |_| json_with_length(completion().len() + 100, &completion()),
            502,
            completion().len(),
        ),
        broken(
            "cuts a stream that ends with its connection",
            true,
            |_| say(&[&head(SSE, CLOSE), &cut_events()]),
            200,
            cut_events().len(),
        ),
        broken(
            "cuts a stream of a known length",
            true,
            |_| {
                let length = format!("Content-Length: {}", events().len());
                say(&[&head(SSE, &length), &cut_events()])
            },
            200,
            cut_events().len(),
        ),
        broken(
            "cuts a stream in a chunk",
            true,
            |_| {
                let size = format!("{:x}\r\n", events().len());
                say(&[&head(SSE, CHUNKED), size.as_bytes(), &cut_events()])
            },
            200,
            cut_events().len(),
        ),
        broken(
            "cuts a stream between chunks",
            true,
            |_| say(&[&head(SSE, CHUNKED), &open_chunks(&event("Hello"))]),
            200,
            event("Hello").len(),
        ),
        broken(
            "resets in a stream",
            true,
            |_| reset_after(say(&[&head(SSE, CLOSE), &cut_events()])),
            200,
            cut_events().len(),
        ),
        broken("ends behind the head of a chunked stream", true, |_| say(&[&head(SSE, CHUNKED)]), 200, 0),
        broken(
            "resets behind the head of a stream",
            true,
            |_| reset_after(say(&[&head(SSE, CHUNKED)])),
            200,
            0,
        ),
    ]
}

fn forward(stand: &Stand, running: &Running, at: usize, row: &Row) -> (Got, Done) {
    stand.upstream.plays(row.play);
    let got = running.send(at, row.streamed);
    (got, stand.forwarded(&case(at)))
}

#[test]
fn every_failure_is_seen_by_the_client_kept_in_the_record_and_costs_the_budget() {
    let rows = rows();
    let stand = Stand::cases("failures", rows.len());
    let running = stand.start();
    for (at, row) in rows.iter().enumerate() {
        let (got, done) = forward(&stand, &running, at, row);
        let what = format!("{}: {got:?} {done:#?}", row.name);
        assert_eq!((got.status, got.is_whole), (row.status, row.is_whole), "{what}");
        assert_eq!(done.complete, Some(row.complete), "{what}");
        assert_eq!(done.action, Action::ForwardFailedNoRetry, "{what}");
        assert_eq!(done.code.as_deref(), Some("upstream_failed"), "{what}");
        let kept = stand.file(&done, "response").unwrap();
        assert_eq!(kept.len(), row.kept, "{what}");
        assert_eq!(done.upstream_response.as_ref().map_or(0, |hop| hop.bytes), row.kept as u64, "{what}");
        // What the client got is what the record says, the failure's own words among it.
        assert_eq!(stand.file(&done, "served").unwrap(), got.body, "{what}");
        assert_eq!(done.served.bytes, got.body.len() as u64, "{what}");
        assert_eq!(done.status, Some(got.status), "{what}");
        if row.status == 502 {
            assert_eq!(got.refusal(), (502, "upstream_failed".to_owned()), "{what}");
            assert_eq!(got.json()["error"]["type"], "task_owned_transport_error", "{what}");
        }
        assert_eq!(got.raw.windows(9).filter(|part| part == b"HTTP/1.1 ").count(), 1, "{what}");
        assert!(!got.text().contains(MODEL) || row.streamed, "{what}");
        running.is_spent(&stand, at, 1);
    }
    stand.verify();
}

#[test]
fn a_provider_that_refuses_the_connection_costs_the_budget_and_is_never_asked_again() {
    let mut stand = Stand::cases("refused", 1);
    // Taken and given back: nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    stand.extra = ["--upstream", &format!("http://127.0.0.1:{port}")].map(str::to_owned).to_vec();
    let running = stand.start();
    assert_eq!(running.send(0, false).refusal(), (502, "upstream_failed".to_owned()));
    let done = stand.forwarded(&case(0));
    assert_eq!((done.upstream_status, done.complete), (None, Some(false)));
    assert!(done.error.as_ref().unwrap().contains("refused"), "{done:?}");
    running.is_spent(&stand, 0, 0);
}

#[test]
fn a_provider_that_falls_silent_is_given_up_at_every_stage() {
    let mut stand = Stand::cases("silent", 4);
    stand.extra = ["--timeout", "1"].map(str::to_owned).to_vec();
    let running = stand.start();
    let stages: [(bool, Vec<u8>, u16); 4] = [
        (false, Vec::new(), 502),
        (false, head("application/json", "Content-Length: 9"), 502),
        (true, head(SSE, CHUNKED), 200),
        (true, [head(SSE, CHUNKED), open_chunks(&event("Hello"))].concat(), 200),
    ];
    let never = Gate::default();
    for (at, (streamed, said, status)) in stages.into_iter().enumerate() {
        let gate = never.clone();
        stand.upstream.plays(move |_| vec![Step::Say(said.clone()), Step::Wait(gate.clone())]);
        let got = running.send(at, streamed);
        assert_eq!((got.status, got.is_whole), (status, status == 502), "{at}: {got:?}");
        let done = stand.forwarded(&case(at));
        assert_eq!(done.action, Action::ForwardFailedNoRetry);
        running.is_spent(&stand, at, 1);
    }
    never.open();
}

#[test]
fn errors_of_the_provider_pass_with_the_public_name_and_cost_the_budget() {
    let stand = Stand::cases("errors", 6);
    let running = stand.start();
    let error = format!(r#"{{"error":{{"message":"no {MODEL}","type":"server_error","code":"e"}}}}"#);
    let sse = format!("data: {error}\n\ndata: [DONE]\n\n");
    let html = format!("<html>{MODEL}</html>");
    let answers: [(u16, &str, &str, String); 6] = [
        (400, "application/json", "Content-Length: LEN", error.clone()),
        (429, "application/json", "Retry-After: 7\r\nContent-Length: LEN", error.clone()),
        (500, "application/json", "Content-Length: LEN", error),
        (503, SSE, CLOSE, sse),
        (502, "text/html", "Content-Length: LEN", html),
        (204, "application/json", "X-None: 1", String::new()),
    ];
    for (at, (status, content_type, header, body)) in answers.into_iter().enumerate() {
        let header = header.replace("LEN", &body.len().to_string());
        let answer = head(content_type, &header);
        let answer =
            String::from_utf8(answer).unwrap().replacen("200 OK", &format!("{status} Some"), 1) + &body;
        stand.upstream.says(answer);
        let got = running.send(at, false);
        assert_eq!(got.status, status, "{got:?}");
        assert_eq!(got.text(), body.replace(MODEL, crate::stand::ALIAS));
        assert_eq!(got.head.contains("retry-after: 7"), status == 429, "{got:?}");
        let done = stand.forwarded(&case(at));
        assert_eq!((done.complete, done.upstream_status), (Some(true), Some(status)), "{done:?}");
        running.is_spent(&stand, at, 1);
    }
}

#[test]
fn a_whole_answer_reaches_the_client_whole_however_it_is_framed() {
    let stand = Stand::cases("whole", 5);
    let running = stand.start();
    let answers: [(bool, Vec<u8>); 5] = [
        (false, whole("application/json", &completion())),
        (false, [head("application/json", CHUNKED), chunks(&completion())].concat()),
        (false, [head("application/json", CLOSE), completion()].concat()),
        (true, [head(SSE, CHUNKED), chunks(&events())].concat()),
        (true, [head(SSE, CLOSE), events()].concat()),
    ];
    for (at, (streamed, answer)) in answers.into_iter().enumerate() {
        stand.upstream.says(answer);
        let got = running.send(at, streamed);
        assert!(got.status == 200 && got.is_whole, "{got:?}");
        let done = stand.forwarded(&case(at));
        assert_eq!((done.complete, done.choices_unchanged), (Some(true), Some(true)), "{done:?}");
        let came = if streamed { events() } else { completion() };
        assert_eq!(stand.file(&done, "response").unwrap(), came);
        assert_eq!(stand.file(&done, "served").unwrap(), got.body);
        // Generated text is the model's own, the rest has the public name.
        assert_eq!(got.text().contains(&format!("Hello from {MODEL}.")), !streamed);
        assert!(!got.text().contains(&format!("\"model\":\"{MODEL}\"")), "{}", got.text());
        assert_eq!(stand.upstream.asked(&marker(at)).len(), 1);
    }
}

/// A client of the table above would see the difference.
#[test]
fn the_scripted_provider_itself_serves_whole_answers() {
    let upstream = Upstream::start();
    let mut client = rehearsal_testkit::RawClient::connect(upstream.address);
    client.send("POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}");
    let got = Got::of(&client.read_to_end());
    assert!(got.status == 200 && got.is_whole && got.body == completion(), "{got:?}");
}
