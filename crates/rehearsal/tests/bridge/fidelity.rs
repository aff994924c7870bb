//! What leaves is what came, but for the model's name outside of generated text: numbers, escapes, line ends, framing, headers.

use crate::stand::{ALIAS, CHAT, Stand, body, case, marker};
use crate::upstream::{Gate, MODEL, Step, chunks, completion, event, events, head, open_chunks, whole};
use rehearsal_testkit::RawClient;
use serde_json::json;

const SSE: &str = "text/event-stream";

/// A gzip file of one stored block.
fn gzip(body: &[u8]) -> Vec<u8> {
    let mut sum = !0_u32;
    for byte in body {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 };
        }
    }
    let length = u16::try_from(body.len()).unwrap();
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(&(!length).to_le_bytes());
    file.extend_from_slice(body);
    file.extend_from_slice(&(!sum).to_le_bytes());
    file.extend_from_slice(&u32::from(length).to_le_bytes());
    file
}

/// Forwards a case for each answer and compares what the client gets.
fn pass(name: &str, answers: &[(&str, bool, Vec<u8>, Vec<u8>)]) {
    let stand = Stand::cases(name, answers.len());
    let running = stand.start();
    for (at, (what, streamed, answer, wanted)) in answers.iter().enumerate() {
        stand.upstream.says(answer.clone());
        let got = running.send(at, *streamed);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(&got.body), text(wanted), "{what}");
        assert!(got.is_whole, "{what}: {got:?}");
        let done = stand.forwarded(&case(at));
        assert_ne!(done.choices_unchanged, Some(false), "{what}");
        assert_eq!(stand.file(&done, "served").unwrap(), got.body, "{what}");
    }
}

fn json(text: &str) -> Vec<u8> {
    whole("application/json", text.as_bytes())
}

fn sse(text: &[u8]) -> Vec<u8> {
    [&head(SSE, "Transfer-Encoding: chunked")[..], &chunks(text)].concat()
}

#[test]
fn every_byte_of_an_answer_but_the_model_s_name_is_as_it_came() {
    let odd = "{ \"model\":\"MODEL\",\n  \"a\": 1.0, \"b\":1e5, \"c\":12345678901234567890,\"d\":0.1000000000000000055,\"e\":1E400, \"dup\":1,\"dup\":2, \"u\":\"\\u00e9\\/\\ud800\",\t\"choices\":[{\"x\":\"MODEL\", \"n\" : 1e5}] }\n\n";
    let (real, public) =
        (odd.replace("MODEL", MODEL), odd.replacen("MODEL", ALIAS, 1).replace("MODEL", MODEL));
    let one_line = |text: &str| format!("data: {}\n\n", text.replace(['\n', '\t'], " ")).into_bytes();
    let escaped = r#"{"model":"\/models\/real-7b-q4.gguf","x":"\u002fmodels/real-7b-q4.gguf!"}"#;
    let unescaped = format!(r#"{{"model":"{ALIAS}","x":"{ALIAS}!"}}"#);
    let broken = format!("{{\"model\":\"{MODEL}\",\"x\":");
    pass(
        "bytes",
        &[
            ("numbers, blanks, twice the same key", false, json(&real), public.clone().into_bytes()),
            ("the same in a stream", true, sse(&one_line(&real)), one_line(&public)),
            ("an escaped name", false, json(escaped), unescaped.into_bytes()),
            (
                "what only says that it is JSON",
                false,
                json(&broken),
                broken.replace(MODEL, ALIAS).into_bytes(),
            ),
            (
                "not a number",
                false,
                json(&format!("{{\"model\":\"{MODEL}\",\"x\":NaN}}")),
                format!("{{\"model\":\"{ALIAS}\",\"x\":NaN}}").into_bytes(),
            ),
            ("nothing", false, json(""), Vec::new()),
            (
                // Names of members are the format's, as in the original bridge.
                "deep in it, but for the name of a member",
                false,
                json(&format!("{{\"x\":{{\"{MODEL}\":[[\"f://{MODEL}?q\"]]}}}}")),
                format!("{{\"x\":{{\"{MODEL}\":[[\"f://{ALIAS}?q\"]]}}}}").into_bytes(),
            ),
            (
                "less than comes",
                false,
                [&head("application/json", "Content-Length: 12")[..], b"{\"x\":\"yyyy\"}and more"].concat(),
                b"{\"x\":\"yyyy\"}".to_vec(),
            ),
            (
                "an empty stream that ends with its connection",
                true,
                head(SSE, "Connection: close"),
                Vec::new(),
            ),
        ],
    );
}

#[test]
fn a_stream_of_any_form_keeps_its_form_and_tells_no_name() {
    let lines = |end: &str, text: &[u8]| String::from_utf8_lossy(text).replace('\n', end).into_bytes();
    let named = |text: &[u8]| {
        String::from_utf8_lossy(text)
            .replace(&format!("\"model\":\"{MODEL}\""), &format!("\"model\":\"{ALIAS}\""))
            .into_bytes()
    };
    let all = events();
    let comments = [
        format!(": served by {MODEL}\n\nretry: 1500\nevent: {MODEL}\nid: {MODEL}-1\n").into_bytes(),
        all.clone(),
        format!(": bye {MODEL}\n\n").into_bytes(),
    ]
    .concat();
    let comments_named = String::from_utf8(comments.clone()).unwrap().replace(MODEL, ALIAS).into_bytes();
    let spread =
        format!("data: {{\"model\":\ndata: \"{MODEL}\",\ndata: \"choices\":[]}}\n\ndata: [DONE]\n\n");
    let mark = [&b"\xef\xbb\xbf"[..], &all].concat();
    let tight = String::from_utf8(all.clone()).unwrap().replace("data: ", "data:").into_bytes();
    let unended = all[..all.len() - 2].to_vec();
    let upper =
        [&head("Text/Event-Stream; charset=UTF-8", "Transfer-Encoding: chunked")[..], &chunks(&all)].concat();
    let mut small = head(SSE, "Transfer-Encoding: chunked");
    for piece in all.chunks(7) {
        small.extend_from_slice(&open_chunks(piece));
    }
    small.extend_from_slice(b"0\r\n\r\n");
    pass(
        "streams",
        &[
            ("CRLF", true, sse(&lines("\r\n", &all)), named(&lines("\r\n", &all))),
            ("CR", true, sse(&lines("\r", &all)), named(&lines("\r", &all))),
            ("comments and other fields", true, sse(&comments), comments_named),
            (
                "an event over several lines",
                true,
                sse(spread.as_bytes()),
                spread.replace(MODEL, ALIAS).into_bytes(),
            ),
            ("a mark before it", true, sse(&mark), named(&mark)),
            ("no blank behind the colon", true, sse(&tight), named(&tight)),
            ("no last line end", true, sse(&unended), named(&unended)),
            ("a type in other letters", true, upper, named(&all)),
            ("pieces of seven bytes", true, small, named(&all)),
            ("a stream that was not asked for", false, sse(&all), named(&all)),
            (
                "JSON where a stream was asked for",
                true,
                whole("application/json", &completion()),
                named(&completion()),
            ),
        ],
    );
}

#[test]
fn a_coded_answer_is_decoded_mapped_and_kept_as_it_came() {
    let stand = Stand::cases("coded", 4);
    let running = stand.start();
    let coded = |content_type: &str, body: &[u8]| {
        let body = gzip(body);
        [&head(content_type, &format!("Content-Encoding: gzip\r\nContent-Length: {}", body.len()))[..], &body]
            .concat()
    };
    for (at, streamed, content_type, body) in
        [(0, false, "application/json", completion()), (1, true, SSE, events())]
    {
        stand.upstream.says(coded(content_type, &body));
        let got = running.send(at, streamed);
        assert!(got.is_whole && !got.head.contains("content-encoding"), "{got:?}");
        let named = String::from_utf8(body.clone())
            .unwrap()
            .replace(&format!("\"model\":\"{MODEL}\""), &format!("\"model\":\"{ALIAS}\""));
        assert_eq!(got.text(), named);
        let done = stand.forwarded(&case(at));
        assert_eq!(stand.file(&done, "response").unwrap(), gzip(&body));
        assert_eq!(done.choices_unchanged, Some(true));
    }
    // What is broken in its coding is broken for the client, too: half of it, and none of it.
    let half = gzip(&events())[..200].to_vec();
    stand.upstream.says(
        [&head(SSE, &format!("Content-Encoding: gzip\r\nContent-Length: {}", half.len()))[..], &half]
            .concat(),
    );
    let got = running.send(2, true);
    assert!(!got.is_whole, "{got:?}");
    assert_eq!(stand.forwarded(&case(2)).complete, Some(false));
    stand.upstream.says(
        [
            &head(
                "application/json",
                &format!("Content-Encoding: gzip\r\nContent-Length: {}", completion().len()),
            )[..],
            &completion(),
        ]
        .concat(),
    );
    let got = running.send(3, false);
    assert!(got.status == 200 && got.is_whole && got.head.contains("content-encoding: gzip"), "{got:?}");
    assert_eq!(got.body, completion());
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn useful_headers_pass_and_all_are_recorded_with_their_secrets_masked() {
    let stand = Stand::cases("headers", 1);
    let running = stand.start();
    let useful = [
        ("retry-after", "7"),
        ("x-request-id", "req_1"),
        ("openai-processing-ms", "12"),
        ("x-ratelimit-remaining-requests", "41"),
        ("www-authenticate", "Bearer"),
        ("date", "Mon, 01 Jan 2024 00:00:00 GMT"),
        ("anthropic-ratelimit-tokens-remaining", "9"),
    ];
    let more = [
        ("location", "http://x/"),
        ("server", "s/1"),
        ("connection", "close"),
        ("access-control-allow-origin", "*"),
        ("strict-transport-security", "max-age=1"),
        ("x-other", "o"),
    ];
    let header: Vec<String> = useful
        .iter()
        .chain(&more)
        .filter(|(name, _)| *name != "x-request-id")
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    stand.upstream.says(
        [&head("application/json", &format!("{}\r\nContent-Length: 2", header.join("\r\n")))[..], b"{}"]
            .concat(),
    );
    assert_eq!(running.arm(&case(0)).status, 200);
    let got = running.ask(
        "POST",
        CHAT,
        &[("X-Mine", "m"), ("Cookie", "a=1"), ("User-Agent", "u/1")],
        &body(0, false).to_string(),
    );
    for (name, value) in useful {
        assert!(
            got.head.contains(&format!("\r\n{name}: {}\r\n", value.to_lowercase())),
            "{name}: {}",
            got.head
        );
    }
    for (name, _) in more.iter().filter(|(name, _)| *name != "connection") {
        assert!(!got.head.contains(&format!("\r\n{name}:")), "{name}: {}", got.head);
    }
    assert!(!got.head.contains("set-cookie"), "{}", got.head);
    let readable = stand.readable(&stand.forwarded(&case(0)));
    let has = |part: &str, name: &str, value: &str| {
        let list = readable[part]["headers"].as_array().unwrap();
        assert!(
            list.iter().any(|pair| pair[0].as_str().unwrap().eq_ignore_ascii_case(name) && pair[1] == value),
            "{part} {name}: {list:?}"
        );
    };
    for (name, value) in useful.iter().chain(&more) {
        has("response", name, value);
    }
    has("response", "set-cookie", "<redacted>");
    has("request", "x-mine", "m");
    has("request", "cookie", "<redacted>");
    has("request", "user-agent", "u/1");
    has("forward", "accept-encoding", "identity");
}

#[test]
fn a_request_reaches_the_provider_with_another_model_and_nothing_else_changed() {
    let stand = Stand::cases("request", 1);
    let running = stand.start();
    let right = body(0, false).to_string();
    let odd = right.replacen('{', "{ \"temperature\" : 1e0,\"n\":1.50, \"x\":[12345678901234567890, \"\\u00e9\\ud800\"],\n\t\"user\":\"public-alias-1\", ", 1) + "\n ";
    assert_eq!(running.arm(&case(0)).status, 200);
    assert_eq!(running.ask("POST", "/chat/completions?x=1", &[], &odd).status, 200);
    let asked = stand.upstream.asked(&marker(0)).remove(0);
    assert!(asked.line.starts_with(&format!("POST {CHAT} ")), "{}", asked.line);
    assert_eq!(
        asked.text(),
        odd.replace(&format!("\"model\":\"{ALIAS}\""), &format!("\"model\":\"{MODEL}\""))
    );
    let done = stand.forwarded(&case(0));
    assert_eq!(stand.file(&done, "request").unwrap(), odd.as_bytes());
    assert_eq!(stand.file(&done, "upstream-request").unwrap(), asked.body);
}

/// Each event is there before the next one is made.
#[test]
fn a_stream_is_served_as_it_comes() {
    let stand = Stand::cases("live", 2);
    let running = stand.start();
    for (at, framing) in [(0, "Transfer-Encoding: chunked"), (1, "Connection: close")] {
        let gates: Vec<Gate> = (0..4).map(|_| Gate::default()).collect();
        let waits = gates.clone();
        let chunked = at == 0;
        stand.upstream.plays(move |_| {
            let mut steps = vec![Step::Say(head(SSE, framing))];
            for (number, gate) in waits.iter().enumerate() {
                let event = event(&format!("word{number}"));
                steps.extend([
                    Step::Say(if chunked { open_chunks(&event) } else { event }),
                    Step::Wait(gate.clone()),
                ]);
            }
            let done = b"data: [DONE]\n\n";
            steps.push(Step::Say(if chunked { chunks(done) } else { done.to_vec() }));
            steps
        });
        assert_eq!(running.arm(&case(at)).status, 200);
        let mut client: RawClient = running.client();
        client.send(running.bytes("POST", CHAT, &[], &body(at, true).to_string()));
        for (number, gate) in gates.iter().enumerate() {
            let word = format!("word{number}");
            while !String::from_utf8_lossy(client.read_at_least(1)).contains(&word) {
                let more = client.read_at_least(1).len() + 1;
                client.read_at_least(more);
            }
            gate.open();
        }
        assert!(crate::stand::Got::of(&client.read_to_end()).is_whole);
        // When each piece came, for a replay in the same time.
        let readable = stand.readable(&stand.forwarded(&case(at)));
        let pieces = readable["response"]["pieces"].as_array().unwrap().clone();
        assert!(pieces.len() >= 5, "{pieces:?}");
        let times: Vec<u64> = pieces.iter().map(|piece| piece[0].as_u64().unwrap()).collect();
        assert!(
            times.is_sorted() && times[0] >= readable["response"]["headUs"].as_u64().unwrap(),
            "{times:?}"
        );
        let bytes: u64 = pieces.iter().map(|piece| piece[1].as_u64().unwrap()).sum();
        assert_eq!(readable["response"]["bytes"], json!(bytes));
    }
}

#[test]
fn heads_of_any_form_are_understood() {
    let body = completion();
    let named = String::from_utf8(body.clone()).unwrap();
    let named =
        named.replace(&format!("\"model\":\"{MODEL}\""), &format!("\"model\":\"{ALIAS}\"")).into_bytes();
    let length = format!("Content-Length: {}", body.len());
    let plain = whole("application/json", &body);
    let early = [&b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"[..], &plain].concat();
    let old = [b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n", &body[..]].concat();
    let trailing = [
        &head("application/json", "Transfer-Encoding: chunked\r\nTrailer: x-sum")[..],
        &open_chunks(&body),
        b"0\r\nx-sum: 1\r\n\r\n",
    ];
    let extended = [
        head("application/json", "Transfer-Encoding: chunked"),
        format!("{:x};name=\"a\"\r\n", body.len()).into_bytes(),
        body.clone(),
        b"\r\n0\r\n\r\n".to_vec(),
    ];
    let odd = [head("application/json", &length), body.clone()].concat();
    let odd = [&odd[..15], b"\r\nX-RateLimit-Odd: \xff\xfe", &odd[15..]].concat();
    let untyped = [format!("HTTP/1.1 200 OK\r\n{length}\r\n\r\n").into_bytes(), body].concat();
    pass(
        "heads",
        &[
            ("early hints", false, early, named.clone()),
            ("HTTP/1.0", false, old, named.clone()),
            ("trailers", false, trailing.concat(), named.clone()),
            ("chunk extensions", false, extended.concat(), named.clone()),
            ("a header that is no text", false, odd, named.clone()),
            ("no type", false, untyped, named),
        ],
    );
}
