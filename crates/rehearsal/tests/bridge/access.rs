//! Who may control it, who may read what it keeps, and what it never keeps.

use crate::once::all_files;
use crate::stand::{ALIAS, CHAT, Stand, body, case, marker};
use crate::upstream::{MODEL, Step, completion, head, whole};
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

/// Files of a folder that hold a text.
fn holders(stand: &Stand, folder: &str, text: &str) -> Vec<PathBuf> {
    let files = all_files(&stand.data.join(folder));
    let holds = |bytes: &[u8]| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    files.into_iter().filter(|(_, bytes)| holds(bytes)).map(|(path, _)| path).collect()
}

#[test]
fn a_token_that_cannot_be_trusted_is_made_anew_and_never_opens_the_door() {
    let stand = Stand::cases("token", 1);
    stand.start().kill();
    let path = stand.data.join("private/control-token.txt");
    let cut = fs::read_to_string(&path).unwrap()[..8].to_owned();
    for bad in [&b""[..], b"\n", cut.as_bytes(), "ż".repeat(40).as_bytes(), &[0xff; 44]] {
        fs::write(&path, bad).unwrap();
        let running = stand.start();
        assert!(running.token.len() >= 40 && running.token.is_ascii(), "{:?}", running.token);
        let given = String::from_utf8_lossy(bad).trim().to_owned();
        for headers in [&[][..], &[("X-Rehearsal-Control", "")], &[("X-Rehearsal-Control", given.as_str())]] {
            let got = running.ask("GET", "/_control/status", headers, "");
            assert_eq!(got.refusal(), (403, "control_token_required".to_owned()));
        }
        assert_eq!(running.status()["armedCase"], json!(null));
        // And it stays, from start to start.
        let token = running.token.clone();
        running.kill();
        assert_eq!(stand.start().token, token);
    }
}

#[test]
fn any_bytes_in_the_token_s_header_get_an_answer() {
    let stand = Stand::cases("token-bytes", 1);
    let running = stand.start();
    for value in [&b"\xff\xfe"[..], "żółć".as_bytes(), b"a\tb", &[b'x'; 5000]] {
        let mut request = format!(
            "GET /_control/status HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nX-Rehearsal-Control: ",
            running.address
        )
        .into_bytes();
        request.extend_from_slice(value);
        request.extend_from_slice(b"\r\n\r\n");
        assert_eq!(running.raw(request).refusal(), (403, "control_token_required".to_owned()));
    }
    for headers in [("Authorization", format!("Bearer {}", running.token)), ("Cookie", running.token.clone())]
    {
        let got = running.ask(
            "GET",
            &format!("/_control/status?token={}", running.token),
            &[(headers.0, &headers.1)],
            "",
        );
        assert_eq!(got.status, 403);
    }
    let end = running.token.len() - 1;
    for near in [running.token[..end].to_owned(), running.token.clone() + "x", running.token.to_uppercase()] {
        let got = running.ask("GET", "/_control/status", &[("X-Rehearsal-Control", &near)], "");
        assert_eq!(got.status, 403, "{near}");
    }
}

#[test]
fn nobody_else_may_read_the_record_whatever_the_mask() {
    let stand = Stand::cases("modes", 1);
    // A folder that somebody made wide open.
    fs::create_dir_all(stand.data.join("private/exchanges")).unwrap();
    for folder in ["private", "private/exchanges"] {
        fs::set_permissions(stand.data.join(folder), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let program = stand.command(0);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "umask 0; exec \"$@\"", "sh"]).arg(program.get_program()).args(program.get_args());
    command
        .current_dir(&stand.folder)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let running = stand.try_command(command).unwrap();
    assert_eq!(running.send(0, true).status, 200);
    stand.forwarded(&case(0));
    running.kill();
    for path in all_files(&stand.data).into_keys() {
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        // The record's own folder is its owner's, as they made it.
        if path.parent() != Some(&stand.data) {
            assert_eq!(mode(path.parent().unwrap()), 0o700, "{}", path.display());
        }
    }
}

#[test]
fn what_clients_choose_reaches_neither_the_terminal_nor_the_public_part() {
    let stand = Stand::cases("queries", 1);
    let running = stand.start();
    let secret = "sk-live-51234567890abcdef";
    running.get(&format!("/v1/models?api_key={secret}"));
    running.get(&format!("/{secret}/x"));
    running.ask("POST", &format!("/v1/{secret}?key={secret}"), &[("X-Api-Key", secret)], "{}");
    running.ask(&format!("BREW{secret}"), "/", &[], "");
    running.ask("GET", "/health", &[("Origin", &format!("http://{secret}"))], "");
    running.raw(format!("POST /{secret} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"));
    stand.end(|done| done.sequence == 6);
    running.ask_to_end();
    let said: Vec<String> = running.out.iter().chain(running.err.iter()).collect();
    assert!(!said.iter().any(|line| line.contains("sk-live")), "{said:?}");
    assert_eq!(holders(&stand, "public", "sk-live"), [] as [PathBuf; 0]);
    let paths: Vec<String> =
        stand.public().iter().map(|line| line["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!(paths, ["/v1/models", "other", "other", "other", "/health", "other"]);
}

/// The lane of a base URL is whatever its client writes there.
#[test]
fn names_of_lanes_stay_private() {
    let stand = Stand::open("lanes", &["--budget-requests", "3"]);
    let running = stand.start();
    let chat = json!({"model": "m", "messages": [{"role": "user", "content": "x"}]}).to_string();
    let got = running.ask("POST", "/t/lane-sk-live-5123/v1/chat/completions", &[], &chat);
    assert_eq!(got.status, 200, "{got:?}");
    let done = stand.end(|done| done.forwarded);
    assert_eq!(done.case.as_deref(), Some("lane-sk-live-5123"));
    assert_eq!(running.terminate(), Some(0));
    assert_eq!(holders(&stand, "public", "lane-sk-live"), [] as [PathBuf; 0]);
}

#[test]
fn keys_of_clients_are_nowhere_and_do_not_reach_the_provider_of_a_case() {
    let stand = Stand::cases("keys", 1);
    let running = stand.start();
    assert_eq!(running.arm(&case(0)).status, 200);
    let secret = "sk-client-0123456789abcdef";
    let bearer = format!("Bearer {secret}");
    let cookie = format!("k={secret}");
    let headers = [
        ("Authorization", bearer.as_str()),
        ("X-Api-Key", secret),
        ("Cookie", &cookie),
        ("api-key", secret),
        ("x-goog-api-key", secret),
        ("Proxy-Authorization", &bearer),
        ("X-Auth-Token", secret),
    ];
    assert_eq!(running.ask("POST", CHAT, &headers, &body(0, false).to_string()).status, 200);
    let done = stand.forwarded(&case(0));
    assert!(done.authorized);
    assert_eq!(holders(&stand, "", secret), [] as [PathBuf; 0]);
    let asked = stand.upstream.asked(&marker(0)).remove(0);
    let mut names: Vec<&str> =
        asked.headers.keys().map(String::as_str).filter(|name| *name != "connection").collect();
    names.sort_unstable();
    assert_eq!(names, ["accept", "accept-encoding", "content-length", "content-type", "host", "user-agent"]);
    assert_eq!(asked.headers["accept-encoding"], "identity");
}

#[test]
fn the_provider_s_key_comes_from_the_environment_and_is_in_no_file() {
    let mut stand = Stand::cases("own-key", 2);
    stand.extra = ["--key-env", "PROVIDER_KEY", "--upstream-header", "OpenAI-Organization: org_1"]
        .map(str::to_owned)
        .to_vec();
    let secret = "sk-own-0123456789abcdef";
    let mut command = stand.command(0);
    command.env("PROVIDER_KEY", format!("{secret}\n"));
    let running = stand.try_command(command).unwrap();
    assert_eq!(running.send(0, false).status, 200);
    stand.forwarded(&case(0));
    let asked = stand.upstream.asked(&marker(0)).remove(0);
    assert_eq!(asked.headers["authorization"], format!("Bearer {secret}"));
    assert_eq!(asked.headers["openai-organization"], "org_1");
    assert_eq!(holders(&stand, "", secret), [] as [PathBuf; 0]);
    drop(running);
    // In whatever header it goes.
    stand.extra.extend(["--key-header", "X-Custom: key={key}"].map(str::to_owned));
    let mut command = stand.command(0);
    command.env("PROVIDER_KEY", secret);
    let running = stand.try_command(command).unwrap();
    assert_eq!(running.send(1, false).status, 200);
    stand.forwarded(&case(1));
    assert_eq!(stand.upstream.asked(&marker(1)).remove(0).headers["x-custom"], format!("key={secret}"));
    assert_eq!(holders(&stand, "", secret), [] as [PathBuf; 0]);
    // Without the variable nothing starts, and the message says which.
    drop(running);
    let refused = stand.try_start().err().unwrap();
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("PROVIDER_KEY is not set"), "{refused:?}");
}

#[test]
fn the_public_part_holds_counts_and_digests_and_no_content() {
    let stand = Stand::cases("public", 1);
    let running = stand.start();
    assert_eq!(running.send(0, true).status, 200);
    stand.forwarded(&case(0));
    let token = running.token.clone();
    assert_eq!(running.terminate(), Some(0));
    for content in [MODEL, &marker(0), "inline editor", "Hello", &token, "control-token"] {
        assert_eq!(holders(&stand, "public", content), [] as [PathBuf; 0], "{content}");
    }
    let line = stand.public().into_iter().find(|line| line["backendForwarded"] == true).unwrap();
    let done = stand.forwarded(&case(0));
    for (name, hop) in [
        ("request", &done.request),
        ("upstreamRequest", done.upstream_request.as_ref().unwrap()),
        ("upstreamResponse", done.upstream_response.as_ref().unwrap()),
        ("servedResponse", &done.served),
    ] {
        assert_eq!(line[format!("{name}Bytes")], hop.bytes);
        assert_eq!(line[format!("{name}Sha256")], hop.sha256);
    }
    assert!(!holders(&stand, "private", MODEL).is_empty());
}

#[test]
fn a_url_with_a_login_or_a_query_is_refused_without_saying_it() {
    for url in ["http://user:hunter2@127.0.0.1:1/v1", "http://127.0.0.1:1/v1?key=hunter2", "ftp://hunter2/"] {
        let mut stand = Stand::cases("login", 1);
        stand.extra = ["--upstream", url].map(str::to_owned).to_vec();
        let refused = stand.try_start().err().unwrap();
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains("--upstream") && !refused.err.contains("hunter2"), "{refused:?}");
        assert!(!stand.data.exists());
    }
}

#[test]
fn a_prompt_outside_the_list_s_folder_is_not_read() {
    let stand = Stand::cases("outside", 1);
    stand.write("outside.txt", "secret");
    stand.write("lists/inside.txt", "prompt");
    symlink(stand.folder.join("outside.txt"), stand.folder.join("lists/link.txt")).unwrap();
    let absolute = stand.folder.join("outside.txt").to_str().unwrap().to_owned();
    let mut stand = stand;
    for (file, good) in [
        ("inside.txt", true),
        ("../outside.txt", false),
        (absolute.as_str(), false),
        ("link.txt", false),
        (".", false),
        ("", false),
        ("x/../../outside.txt", false),
    ] {
        stand.write("lists/cases.json", json!([{"id": "case-0", "promptFile": file}]).to_string());
        stand.extra = ["--models", "models.json"].map(str::to_owned).to_vec();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rehearsal"));
        command.current_dir(&stand.folder).args([
            "record",
            "--upstream",
            "http://127.0.0.1:9",
            "--models",
            "models.json",
        ]);
        command
            .args(["--system", "system.txt", "--alias", ALIAS, "--cases", "lists/cases.json", "--data"])
            .arg(&stand.data);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        match stand.try_command(command) {
            Ok(_) => assert!(good, "{file} was read"),
            Err(refused) => {
                assert!(
                    !good && refused.code == Some(2) && refused.err.contains("case-0"),
                    "{file}: {refused:?}"
                );
            }
        }
    }
}

#[test]
fn names_that_stand_everywhere_or_prompts_that_are_alike_are_refused_at_start() {
    for (models, alias, said) in [
        (json!({"data": [{"id": ""}]}), ALIAS, "not empty"),
        (json!({"data": []}), ALIAS, "not empty"),
        (json!({"data": [{"id": "a\nb"}]}), ALIAS, "control character"),
        (json!({"data": [{"id": "real"}]}), "", "empty"),
    ] {
        let mut stand = Stand::cases("names", 1);
        stand.write("models.json", models.to_string());
        stand.extra = ["--alias", alias].map(str::to_owned).to_vec();
        let refused = stand.try_start().err().unwrap();
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains(said), "{refused:?}");
    }
    let stand = Stand::cases("alike", 3);
    stand.write("prompts/2.txt", crate::stand::prompt(1).replace("- ", "  * ").replace('\n', "\r\n\r\n"));
    let refused = stand.try_start().err().unwrap();
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("case-1 and case-2 are the same"), "{refused:?}");
}

/// A short id is replaced where it is one, not in every word that has its letters.
#[test]
fn a_short_name_of_the_model_garbles_nothing() {
    let stand = Stand::cases("short", 1);
    stand.write("models.json", json!({"data": [{"id": "a"}]}).to_string());
    let running = stand.start();
    let answer = r#"{"id":"chatcmpl-a","model":"a","object":"a data","created":1,"x":"banana","choices":[{"message":{"role":"assistant","content":"a cat"}}]}"#;
    stand.upstream.says(whole("application/json", answer.as_bytes()));
    let got = running.send(0, false);
    let wanted = answer.replace("chatcmpl-a", &format!("chatcmpl-{ALIAS}"));
    let wanted = wanted
        .replace("\"model\":\"a\"", &format!("\"model\":\"{ALIAS}\""))
        .replace("a data", &format!("{ALIAS} data"));
    assert_eq!(got.text(), wanted);
}

#[test]
fn an_answer_that_says_a_request_s_headers_again_gives_no_key_away() {
    let mut stand = Stand::cases("echo", 1);
    stand.extra = ["--key-env", "PROVIDER_KEY"].map(str::to_owned).to_vec();
    let secret = "sk-own-0123456789abcdef";
    let mut command = stand.command(0);
    command.env("PROVIDER_KEY", secret);
    let running = stand.try_command(command).unwrap();
    stand.upstream.plays(|asked| {
        let key = asked.headers.get("authorization").cloned().unwrap_or_default();
        let body =
            String::from_utf8(completion()).unwrap().replacen('{', &format!("{{\"echo\":\"{key}\","), 1);
        let head =
            head("application/json", &format!("X-Request-Key: {key}\r\nContent-Length: {}", body.len()));
        vec![Step::Say(head), Step::Say(body.into_bytes())]
    });
    let got = running.send(0, false);
    assert_eq!(got.status, 200, "{got:?}");
    stand.forwarded(&case(0));
    assert!(
        !String::from_utf8_lossy(&got.raw).contains(secret),
        "the client has the provider's key: {}",
        got.text()
    );
    assert_eq!(holders(&stand, "", secret), [] as [PathBuf; 0]);
    assert!(got.is_whole && got.text().contains(&"*".repeat(secret.len())), "{got:?}");
}

/// The same for a client's own key, which goes through where there is none of ours.
#[test]
fn a_client_s_key_that_comes_back_is_not_kept() {
    let stand = Stand::open("echo-open", &[]);
    let running = stand.start();
    stand.upstream.plays(|asked| {
        let body = format!("{{\"echo\":\"{}\"}}", asked.headers["authorization"]);
        // In two pieces: the key is cut in its middle.
        let answer = whole("application/json", body.as_bytes());
        let (one, two) = answer.split_at(answer.len() - 10);
        vec![Step::Say(one.to_vec()), Step::Say(two.to_vec())]
    });
    let secret = "sk-client-0123456789abcdef";
    let chat = json!({"model": "m", "messages": [{"role": "user", "content": "x"}]}).to_string();
    let got = running.ask("POST", CHAT, &[("Authorization", &format!("Bearer {secret}"))], &chat);
    assert!(got.status == 200 && got.is_whole, "{got:?}");
    assert_eq!(got.json()["echo"], format!("Bearer {}", "*".repeat(secret.len())));
    stand.end(|done| done.forwarded);
    assert_eq!(holders(&stand, "", secret), [] as [PathBuf; 0]);
}

/// A name that will be written is taken by a link or a pipe.
#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn planted_links_and_pipes_are_neither_followed_nor_waited_for() {
    let names = [
        "lock",
        "private",
        "public",
        "private/exchanges",
        "private/spent",
        "private/journal-0001.jsonl",
        "private/bodies-0001.bin",
        "private/control-token.txt",
        "private/ballast",
        "private/.ballast.part",
        "private/configuration.json",
        "private/.configuration.json.part",
        "public/configuration.json",
        "public/state.json",
        "public/.state.json.part",
        "public/events.jsonl",
        "private/exchanges/0002-case-0.request",
        "private/exchanges/0002-case-0.response",
        "private/exchanges/0002-case-0.served",
        "private/exchanges/0002-case-0.upstream-request",
        "private/exchanges/0002-case-0.json",
        "private/spent/case-case-0",
    ];
    for name in names {
        for kind in ["link", "dangling link", "folder link", "pipe"] {
            let stand = Stand::cases("planted", 1);
            stand.write("victim", "precious");
            stand.write("away/kept", "precious");
            let path = stand.data.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match kind {
                "link" => symlink(stand.folder.join("victim"), &path).unwrap(),
                "dangling link" => symlink(stand.folder.join("born"), &path).unwrap(),
                "folder link" => symlink(stand.folder.join("away"), &path).unwrap(),
                _ => assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success()),
            }
            let what = format!("{kind} at {name}");
            match stand.try_start() {
                Err(refused) => {
                    assert!(refused.code == Some(3) && !refused.err.is_empty(), "{what}: {refused:?}")
                }
                Ok(running) => {
                    let got = running.send(0, false);
                    let asked = stand.upstream.asked(&marker(0)).len();
                    assert!(
                        (got.status == 200) == (asked == 1) || name.ends_with(".json"),
                        "{what}: {got:?}"
                    );
                    if got.status != 200 {
                        assert_eq!(asked, 0, "{what}: {got:?}");
                        assert_eq!(
                            got.refusal().0,
                            if name.contains("spent") { 409 } else { 503 },
                            "{what}: {got:?}"
                        );
                    }
                    running.terminate();
                }
            }
            assert_eq!(fs::read(stand.folder.join("victim")).unwrap(), b"precious", "{what}");
            assert_eq!(all_files(&stand.folder.join("away")).len(), 1, "{what}");
            assert!(!stand.folder.join("born").exists(), "{what}");
        }
    }
}

#[test]
fn a_record_s_folder_that_is_a_link_is_refused() {
    let mut stand = Stand::cases("linked", 1);
    stand.start().kill();
    let (link, before) = (stand.folder.join("link"), all_files(&stand.data));
    symlink(&stand.data, &link).unwrap();
    let real = std::mem::replace(&mut stand.data, link);
    let refused = stand.try_start().err().unwrap();
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.err.contains("it is a symlink, not a folder"), "{refused:?}");
    assert_eq!(all_files(&real), before);
}

#[test]
fn planted_links_and_pipes_are_not_followed_without_cases_either() {
    let names = [
        "private/traffic",
        "private/traffic/000001.log",
        "private/redaction-key.txt",
        "private/exchanges/0001-completions.request",
        "private/exchanges/0001-completions.json",
    ];
    for (name, kind) in
        names.iter().flat_map(|name| ["link", "folder link", "pipe"].map(|kind| (*name, kind)))
    {
        let stand = Stand::open("planted-open", &["--redact", "secret-[0-9]+"]);
        stand.write("victim", "precious");
        stand.write("away/kept", "precious");
        let path = stand.data.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match kind {
            "link" => symlink(stand.folder.join("victim"), &path).unwrap(),
            "folder link" => symlink(stand.folder.join("away"), &path).unwrap(),
            _ => assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success()),
        }
        let what = format!("{kind} at {name}");
        match stand.try_start() {
            Err(refused) => {
                assert!(refused.code == Some(3) && !refused.err.is_empty(), "{what}: {refused:?}")
            }
            Ok(running) => {
                running.ask("POST", CHAT, &[], &body(0, false).to_string());
                running.terminate();
            }
        }
        assert_eq!(fs::read(stand.folder.join("victim")).unwrap(), b"precious", "{what}");
        assert_eq!(all_files(&stand.folder.join("away")).len(), 1, "{what}");
    }
}
