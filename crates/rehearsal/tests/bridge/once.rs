//! One case, one forward: whatever comes at once, twice, over two processes, or between two starts.

use crate::stand::{CHAT, Got, Stand, body, case, marker};
use crate::upstream::{Gate, MODEL, Step, event, head, models, open_chunks, whole};
use rehearsal_journal::bridge::{Fact, Reached};
use rehearsal_testkit::RawClient;
use rehearsal_testkit::raw_client::PATIENCE;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

/// Every file of a record with its bytes.
pub(crate) fn all_files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files.append(&mut all_files(&path));
        } else {
            files.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    files
}

#[test]
fn of_parallel_requests_one_is_forwarded() {
    let stand = Stand::cases("parallel", 2);
    let running = stand.start();
    for (at, streamed) in [(0, false), (1, true)] {
        assert_eq!(running.arm(&case(at)).status, 200);
        let mut clients: Vec<RawClient> = (0..24).map(|_| running.client()).collect();
        let bytes = running.bytes("POST", CHAT, &[], &body(at, streamed).to_string());
        let (last, first) = bytes.split_at(bytes.len() - 1);
        for client in &mut clients {
            client.send(last);
        }
        for client in &mut clients {
            client.send(first);
        }
        let got: Vec<Got> = clients.iter_mut().map(|client| Got::of(&client.read_to_end())).collect();
        let served = got.iter().filter(|got| got.status == 200).count();
        let denied =
            got.iter().filter(|got| got.refusal() == (409, "case_budget_consumed".to_owned())).count();
        assert_eq!((served, denied), (1, 23), "{got:?}");
        assert_eq!(stand.upstream.asked(&marker(at)).len(), 1);
        stand.forwarded(&case(at));
        assert_eq!(running.row(at)["generationAttempts"], 24);
    }
}

#[test]
fn a_second_process_on_the_folder_refuses_to_start_and_changes_nothing() {
    let mut stand = Stand::cases("second", 1);
    let running = stand.start();
    assert_eq!(running.send(0, false).status, 200);
    stand.forwarded(&case(0));
    running.status();
    let before = all_files(&stand.data.join("private"));
    let refused = stand.try_start().err().unwrap();
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.err.contains("in use by another process"), "{refused:?}");
    // By another name of the folder, too.
    let link = stand.folder.join("link");
    std::os::unix::fs::symlink(&stand.data, &link).unwrap();
    stand.data = link;
    let refused = stand.try_start().err().unwrap();
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let after = all_files(&stand.folder.join("record/private"));
    let journal = |files: &BTreeMap<PathBuf, Vec<u8>>| -> Vec<u8> {
        files.iter().find(|(path, _)| path.ends_with("journal-0001.jsonl")).unwrap().1.clone()
    };
    assert!(journal(&after).starts_with(&journal(&before)));
    for (path, bytes) in before.iter().filter(|(path, _)| !path.ends_with("journal-0001.jsonl")) {
        assert_eq!(after.get(path), Some(bytes), "{}", path.display());
    }
    running.is_spent(&stand, 0, 1);
}

#[test]
fn a_start_that_finds_its_port_taken_leaves_the_configuration_as_it_was() {
    let mut stand = Stand::cases("port", 1);
    stand.start().kill();
    let before = all_files(&stand.data);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    stand.extra = ["--control-header", "X-Other"].map(str::to_owned).to_vec();
    let refused = stand.try_command(stand.command(taken.local_addr().unwrap().port())).err().unwrap();
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.err.contains("in use"), "{refused:?}");
    assert_eq!(all_files(&stand.data), before);
    drop(taken);
    let running = stand.start();
    let configuration = fs::read_to_string(stand.data.join("public/configuration.json")).unwrap();
    assert!(configuration.contains("X-Other"), "{configuration}");
    drop(running);
}

#[test]
fn the_budget_is_on_the_disk_before_the_network_is_touched() {
    let mut stand = Stand::cases("synced", 1);
    let trace = stand.folder.join("trace");
    let calls = "trace=fsync,fdatasync,connect,openat,openat2,write,writev,sendto,sendmsg,pwrite64";
    let words = ["strace", "-f", "-y", "-s", "200", "-e", calls, "-o", trace.to_str().unwrap()];
    let there = std::process::Command::new("strace").args(["-f", "-o", "/dev/null", "true"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        eprintln!("not tried: there is no strace that may trace here");
        return;
    }
    stand.wrap = words.map(str::to_owned).to_vec();
    let running = stand.start();
    assert_eq!(running.send(0, false).status, 200);
    stand.forwarded(&case(0));
    let text = fs::read_to_string(&trace).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let at = |what: &dyn Fn(&str) -> bool| {
        lines.iter().position(|line| what(line)).unwrap_or_else(|| panic!("{text}"))
    };
    let reserved = at(&|line| line.contains("reserved") && line.contains("journal-0001.jsonl"));
    let port = format!("htons({})", stand.upstream.address.port());
    let connected = at(&|line| line.contains("connect(") && line.contains(&port));
    let between = &lines[reserved..connected];
    let synced = |name: &str| {
        between
            .iter()
            .any(|line| (line.contains("fsync(") || line.contains("fdatasync(")) && line.contains(name))
    };
    assert!(synced("journal-0001.jsonl"), "{between:#?}");
    assert!(synced("/spent>"), "the folder of marks: {between:#?}");
    // And what it was spent on before it is said to have ended.
    let after = &lines[connected..];
    for name in [".request>", ".upstream-request>", ".response>", ".served>", "/exchanges>"] {
        assert!(after.iter().any(|line| line.contains("sync(") && line.contains(name)), "{name}: {text}");
    }
}

/// The last forward that was marked as interrupted.
fn last_mark(stand: &Stand) -> Fact {
    stand.facts().into_iter().rfind(|fact| matches!(fact, Fact::Interrupted { .. })).unwrap()
}

/// Kills it when it has come so far, and gives what the next start says of it.
fn interrupted(stand: &Stand, at: usize, said: Option<&[u8]>) -> Fact {
    let running = stand.start();
    let gate = Gate::default();
    let count = stand.upstream.count();
    let (waits, says) = (gate.clone(), said.map(<[u8]>::to_vec));
    stand
        .upstream
        .plays(move |_| vec![Step::Say(says.clone().unwrap_or_default()), Step::Wait(waits.clone())]);
    assert_eq!(running.arm(&case(at)).status, 200);
    let mut client = running.client();
    client.send(running.bytes("POST", CHAT, &[], &body(at, true).to_string()));
    stand.upstream.wait_for(count + 1);
    if said.is_some() {
        // The head and what follows: so the bridge has it, too.
        while !String::from_utf8_lossy(client.read_at_least(1)).contains("Hello") {
            let more = client.read_at_least(1).len() + 1;
            client.read_at_least(more);
        }
    }
    running.kill();
    gate.open();
    let running = stand.start();
    let told = running.err.recv_timeout(PATIENCE).unwrap();
    assert!(told.contains("1 forward of an earlier process did not end"), "{told}");
    running.is_spent(stand, at, 1);
    assert_eq!(running.row(at)["completed"], false);
    running.kill();
    last_mark(stand)
}

#[test]
fn what_a_kill_interrupted_is_marked_with_how_far_it_came() {
    let stand = Stand::cases("interrupted", 3);
    let fact = interrupted(&stand, 0, None);
    assert!(matches!(fact, Fact::Interrupted { reached: Reached::Sent, kept: 0, .. }), "{fact:?}");
    let said =
        [head("text/event-stream", "Transfer-Encoding: chunked"), open_chunks(&event("Hello"))].concat();
    let fact = interrupted(&stand, 1, Some(&said));
    let length = event("Hello").len() as u64;
    assert!(
        matches!(fact, Fact::Interrupted { reached: Reached::Headed, kept, .. } if kept == length),
        "{fact:?}"
    );
    // As if it had been killed between the budget and the network: the journal ends in its reservation.
    let running = stand.start();
    assert_eq!(running.send(2, false).status, 200);
    stand.forwarded(&case(2));
    running.kill();
    let journal = stand.data.join("private/journal-0001.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let end = text.rfind("\"fact\":\"reserved\"").unwrap();
    let end = end + text[end..].find('\n').unwrap() + 1;
    fs::write(&journal, &text[..end]).unwrap();
    let running = stand.start();
    running.is_spent(&stand, 2, 1);
    let fact = last_mark(&stand);
    assert!(matches!(fact, Fact::Interrupted { reached: Reached::Reserved, .. }), "{fact:?}");
    running.kill();
    stand.verify();
}

#[test]
fn asked_to_end_it_lets_a_forward_end_and_marks_one_that_does_not() {
    let stand = Stand::cases("asked-to-end", 2);
    let running = stand.start();
    let gate = Gate::default();
    let waits = gate.clone();
    stand.upstream.plays(move |asked| {
        let whole = crate::upstream::ordinary(asked);
        [vec![Step::Wait(waits.clone())], whole].concat()
    });
    assert_eq!(running.arm(&case(0)).status, 200);
    let mut client = running.client();
    client.send(running.bytes("POST", CHAT, &[], &body(0, false).to_string()));
    stand.upstream.wait_for(1);
    running.ask_to_end();
    // It no longer listens, so it has heard.
    while std::net::TcpStream::connect(running.address).is_ok() {
        std::thread::park_timeout(std::time::Duration::from_millis(2));
    }
    gate.open();
    let got = Got::of(&client.read_to_end());
    assert!(got.status == 200 && got.is_whole, "{got:?}");
    assert_eq!(running.ended(), Some(0));
    assert_eq!(stand.forwarded(&case(0)).complete, Some(true));

    let running = stand.start();
    let never = Gate::default();
    let waits = never.clone();
    stand.upstream.plays(move |_| vec![Step::Wait(waits.clone())]);
    assert_eq!(running.arm(&case(1)).status, 200);
    let mut client = running.client();
    client.send(running.bytes("POST", CHAT, &[], &body(1, false).to_string()));
    stand.upstream.wait_for(2);
    running.ask_to_end();
    assert_eq!(running.ended(), Some(0));
    never.open();
    let running = stand.start();
    running.is_spent(&stand, 1, 1);
    let marks = stand.facts().iter().filter(|fact| matches!(fact, Fact::Interrupted { .. })).count();
    assert_eq!(marks, 1);
}

#[test]
fn clients_that_read_nothing_hold_up_nobody() {
    let stand = Stand::cases("unread", 1);
    let running = stand.start();
    let big = format!("{{\"x\":\"{}\"}}", "y".repeat(500_000));
    let denied = running.bytes("POST", CHAT, &[], &big).replace("Connection: close\r\n", "");
    let mut clients: Vec<RawClient> = (0..40).map(|_| running.client()).collect();
    for client in &mut clients {
        for _ in 0..4 {
            client.send(&denied);
        }
    }
    assert_eq!(running.get("/health").status, 200);
    assert_eq!(running.send(0, false).status, 200);
    running.is_spent(&stand, 0, 1);
}

#[test]
fn a_redirect_is_never_followed() {
    let stand = Stand::cases("redirects", 6);
    let running = stand.start();
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let location =
        format!("Location: http://{}/stolen\r\nContent-Length: 5", elsewhere.local_addr().unwrap());
    let redirect = move |status: u16| {
        let head = String::from_utf8(head("text/plain", &location)).unwrap();
        head.replacen("200 OK", &format!("{status} Elsewhere"), 1) + "there"
    };
    for (at, status) in [301, 302, 303, 307, 308, 300].into_iter().enumerate() {
        stand.upstream.says(redirect(status));
        assert_eq!(running.get("/v1/models").refusal(), (502, "upstream_failed".to_owned()));
        assert_eq!(running.send(at, false).refusal(), (502, "upstream_failed".to_owned()));
        let done = stand.forwarded(&case(at));
        assert_eq!(done.upstream_status, Some(status));
        assert!(done.error.as_ref().unwrap().contains("redirect"), "{done:?}");
        assert_eq!(stand.file(&done, "response").unwrap(), b"there");
        running.is_spent(&stand, at, 1);
    }
    assert!(elsewhere.accept().is_err(), "somebody went there");
}

#[test]
fn a_proxy_of_the_environment_is_not_asked() {
    let stand = Stand::cases("proxy", 1);
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let url = format!("http://{}", proxy.local_addr().unwrap());
    let mut command = stand.command(0);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env(name, &url);
    }
    let running = stand.try_command(command).unwrap();
    assert_eq!(running.send(0, false).status, 200);
    assert!(proxy.accept().is_err(), "the proxy was asked");
}

#[test]
fn nothing_is_spent_on_a_request_that_cannot_be_forwarded() {
    let stand = Stand::cases("not-forwarded", 1);
    let running = stand.start();
    assert_eq!(running.arm(&case(0)).status, 200);
    let right = body(0, false).to_string();
    let unpaired = right.replacen('{', "{\"stop\":\"\\ud800\",", 1);
    let cut = running.bytes("POST", CHAT, &[], &right);
    let mut client = running.client();
    client.send(&cut.as_bytes()[..cut.len() - 5]).half_close();
    assert_eq!(Got::of(&client.read_to_end()).refusal(), (400, "invalid_request_body".to_owned()));
    assert_eq!(stand.upstream.count(), 0);
    assert_eq!(running.row(0)["backendForwards"], 0);
    // An escape that no text has goes to the provider as it came: it is asked, and it is paid for.
    let got = running.ask("POST", CHAT, &[], &unpaired);
    assert_eq!(running.row(0)["backendForwards"], stand.upstream.count(), "{got:?}");
    assert!(stand.upstream.asked("\\ud800").len() == 1 && got.status == 200, "{got:?}");
}

#[test]
fn a_case_is_disarmed_without_being_spent_also_after_a_restart() {
    let stand = Stand::cases("disarm", 2);
    let running = stand.start();
    assert_eq!(running.arm(&case(0)).status, 200);
    running.kill();
    let running = stand.start();
    assert_eq!(running.banner["armedCase"], "case-0");
    assert_eq!(running.arm(&case(1)).refusal(), (409, "different_case_still_armed".to_owned()));
    let disarm =
        |case: Value| running.control("POST", "/_control/disarm", &json!({"caseId": case}).to_string());
    assert_eq!(disarm(json!("case-1")).refusal(), (409, "case_not_armed".to_owned()));
    assert_eq!(disarm(json!("no-such")).refusal(), (400, "unknown_case".to_owned()));
    let got = disarm(json!("case-0"));
    assert_eq!((got.status, &got.json()["armedCase"]), (200, &Value::Null));
    assert_eq!(running.post(&body(0, false)).refusal(), (409, "case_not_armed".to_owned()));
    assert_eq!(running.send(1, false).status, 200);
    assert_eq!(running.send(0, false).status, 200);
    running.is_spent(&stand, 0, 1);
    running.is_spent(&stand, 1, 1);
}

#[test]
fn the_list_of_models_is_asked_for_as_often_as_clients_like() {
    let stand = Stand::cases("models", 1);
    let running = stand.start();
    stand.upstream.says(whole("application/json", &models()));
    for target in ["/v1/models", "/models", "/v1/models?key=x"] {
        let got = running.get(target);
        assert_eq!(got.json()["data"][0]["id"], crate::stand::ALIAS, "{got:?}");
        assert!(!got.text().contains(MODEL));
    }
    assert_eq!(stand.upstream.count(), 3);
    assert_eq!(running.row(0)["backendForwards"], 0);
}

/// Whatever cases are called, their files and marks are their own and stay in the folder.
#[test]
fn cases_of_any_name_are_told_apart_and_stay_in_the_folder() {
    let long = "x".repeat(300);
    let names = [
        "../evil",
        "..%2Fevil",
        "a/b",
        "a b",
        "ż😀",
        ".",
        "",
        "case",
        "Case",
        &long,
        &format!("{long}y"),
        "a\nb",
        "-rf",
    ];
    let stand = Stand::cases("names-of-cases", names.len());
    let list: Vec<Value> = (0..names.len())
        .map(|at| json!({"id": names[at], "promptFile": format!("prompts/{at}.txt")}))
        .collect();
    stand.write("cases.json", json!(list).to_string());
    let before = fs::read_dir(&stand.folder).unwrap().count();
    let running = stand.start();
    let arm = |running: &crate::stand::Running, name: &str| running.arm(name).refusal();
    for (at, name) in names.iter().enumerate() {
        assert_eq!(arm(&running, name).0, 200, "{name:?}");
        assert_eq!(running.post(&body(at, false)).status, 200, "{name:?}");
        stand.forwarded(name);
    }
    running.kill();
    let running = stand.start();
    for name in names {
        assert_eq!(arm(&running, name), (409, "case_budget_consumed".to_owned()), "{name:?}");
    }
    assert_eq!(stand.upstream.count(), names.len());
    assert_eq!(fs::read_dir(stand.data.join("private/spent")).unwrap().count(), names.len());
    assert_eq!(fs::read_dir(&stand.folder).unwrap().count(), before + 1);
}

/// Two at once on one connection, and a body that is longer than it says behind them.
#[test]
fn of_requests_in_one_packet_one_is_forwarded() {
    let stand = Stand::cases("pipelined", 1);
    let running = stand.start();
    assert_eq!(running.arm(&case(0)).status, 200);
    let one = running.bytes("POST", CHAT, &[], &body(0, false).to_string());
    let kept = one.replace("Connection: close\r\n", "");
    let mut client = running.client();
    client.send(format!("{kept}{kept}{one}"));
    let text = client.read_to_end().text();
    let statuses: Vec<&str> = text.split("HTTP/1.1 ").skip(1).map(|answer| &answer[..3]).collect();
    assert_eq!(statuses, ["200", "409", "409"], "{text}");
    assert_eq!(stand.upstream.count(), 1);
}
