//! Programs, servers and requests: `exec`, `service`, `http`, and `assert` on what they saw.

use super::{end, flow, said, sandbox, step};
use crate::sandbox::Sandbox;

/// Counts what it is asked, gives JSON, an echo, a redirect, a large body, no body; and never ends one answer.
const SERVER: &str = r#"
import http.server, json, sys
count = 0
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def give(self, status, body, kind="application/json", **more):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in more.items(): self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        global count
        count += 1
        if self.path == "/json": self.give(200, b'{"n": 1, "list": [true, null], "u": "\xc3\xbc"}')
        elif self.path == "/moved": self.give(302, b"", location="/json")
        elif self.path == "/binary": self.give(200, bytes(range(256)), "application/octet-stream")
        elif self.path == "/count": self.give(200, str(count).encode(), "text/plain")
        elif self.path == "/500": self.give(500, b"{}")
        elif self.path == "/cut":
            self.send_response(200); self.send_header("content-length", "100"); self.end_headers()
            self.wfile.write(b"short"); self.close_connection = True
        elif self.path == "/large": self.give(200, b"x" * int(sys.argv[2]), "text/plain")
        elif self.path == "/list": self.give(200, b"[1" + b",2" * (5242880) + b"]")
        else: self.give(404, b"no")
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.give(201, json.dumps({"method": self.command, "type": self.headers["content-type"], "body": body.decode(), "x": self.headers["x-own"]}).encode())
    do_PUT = do_POST
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"#;

/// A sandbox in which `SERVER` in a command is that server.
pub(super) fn with_server(cases: &str) -> Sandbox {
    let sandbox = Sandbox::with(&[("server.py", SERVER)]);
    let server = format!("[python3, '{}', \"{{port}}\", '20971520']", sandbox.path("server.py").display());
    sandbox.write("flow.yaml", flow(&cases.replace("SERVER", &server)).as_bytes());
    sandbox
}

#[test]
fn a_server_of_the_author_s_own_is_asked() {
    let sandbox = with_server(
        r#"
  - id: all
    outcome: success
    steps:
      - {use: service, id: web, with: {command: SERVER, ready: /json}, expect: {ready: true, port: {gt: 1023}, url: {matches: "http://127\\.0\\.0\\.1:[0-9]+"}}}
      - {use: http, id: json, with: {url: "${web.url}/json"}, expect: {status: 200, json: {eq: {n: 1, list: [true, null], u: ü}}, "json.list[0]": true, headers.content-type: application/json, headers.date: {absent: true}}}
      - {use: http, id: post, with: {url: "${web.url}/", json: {a: "${json.json.n}"}, headers: {x-own: "is ${json.status}"}}, expect: {status: 201, json.method: POST, json.type: application/json, json.x: "is 200", json.body: "{\"a\":1}"}}
      - {use: http, id: put, with: {url: "${web.url}/", method: PUT, body: "${json.body}"}, expect: {json.method: PUT, json.body: "${json.body}"}}
      - {use: http, id: moved, with: {url: "${web.url}/moved"}, expect: {status: 302, headers.location: /json}}
      - {use: http, id: broken, with: {url: "${web.url}/500"}, expect: {status: 500}}
      - {use: http, id: binary, with: {url: "${web.url}/binary"}, expect: {bytes: 256, body: {absent: true}, json: {absent: true}}}
      - {use: http, id: count, with: {url: "${web.url}/count"}, expect: {body: {matches: "[0-9]+"}, json: {absent: true}}}
      - {use: assert, with: {one: "${json.sha256}", other: "${json.sha256}", post: "${post.status}"}, expect: {one: {eq: "${json.sha256}", len: 64}, post: {one_of: [200, 201]}}}
"#,
    );
    let (ended, file, _) = sandbox.run_suite(&["flow.yaml"]);
    assert_eq!(end(&file, "w/all"), ("passed", vec![]), "{}{}", said(&file, "w/all"), ended.err);
    assert_eq!(ended.code, Some(0));
}

#[test]
fn what_no_request_may_do_is_refused_with_a_code_of_its_own() {
    let sandbox = with_server(
        r#"
  - {id: elsewhere, outcome: permission_denied, refusal: {step: http, code: E_NOT_LOOPBACK}, steps: [{use: http, with: {url: "http://example.com/"}}]}
  - {id: any, outcome: permission_denied, refusal: {step: http, code: E_NOT_LOOPBACK}, steps: [{use: http, with: {url: "http://0.0.0.0:80/"}}]}
  - {id: metadata, outcome: permission_denied, refusal: {step: http, code: E_NOT_LOOPBACK}, steps: [{use: http, with: {url: "http://169.254.169.254/latest"}}]}
  - {id: nobody, outcome: failure, refusal: {step: http, code: E_HTTP}, steps: [{use: http, with: {url: "http://127.0.0.1:1/"}}]}
  - {id: cut, outcome: failure, refusal: {step: http, code: E_HTTP}, steps: [{use: service, id: web, with: {command: SERVER}}, {use: http, with: {url: "${web.url}/cut"}}]}
  - {id: both, outcome: failure, refusal: {step: http, code: E_INPUT}, steps: [{use: http, with: {url: "http://127.0.0.1:1/", body: a, json: b}}]}
  - {id: large, outcome: permission_denied, refusal: {step: http, code: E_QUOTA}, steps: [{use: service, id: web, with: {command: SERVER}}, {use: http, with: {url: "${web.url}/large"}}]}
"#,
    );
    let (ended, file, folder) = sandbox.run_suite(&["flow.yaml"]);
    for name in ["elsewhere", "any", "metadata", "nobody", "cut", "both", "large"] {
        let name = format!("w/{name}");
        assert_eq!(end(&file, &name), ("passed", vec![]), "{}", said(&file, &name));
    }
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    super::verified(&sandbox, &folder);
}

#[test]
fn a_server_that_is_never_ready_or_ends_is_told_so() {
    let (ended, file, _) = sandbox(
        r#"
  - {id: ends, outcome: failure, refusal: {step: service, code: E_EXIT}, steps: [{use: service, with: {command: [sh, -c, "echo no luck >&2; exit 4"]}}]}
  - {id: never, outcome: success, steps: [{use: service, time_limit: 400ms, with: {command: [python3, -c, "import time; time.sleep(1000)"]}, expect: {ready: true}}]}
  - {id: path, outcome: failure, refusal: {step: service, code: E_INPUT}, steps: [{use: service, with: {command: [python3, -c, "import time; time.sleep(1000)"], ready: nowhere}}]}
"#,
    )
    .run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert_eq!(end(&file, "w/ends"), ("passed", vec![]));
    assert!(step(&file, "w/ends", "service")["message"].as_str().unwrap().contains("no luck"), "{file:#}");
    assert_eq!(end(&file, "w/never"), ("timeout", vec!["step-timed-out"]));
    assert_eq!(end(&file, "w/path"), ("passed", vec![]));
}

#[test]
fn a_program_finds_what_it_is_given_and_nothing_else() {
    let text = flow(
        r#"
  - id: env
    outcome: success
    steps:
      - use: exec
        with: {command: [sh, -c, "env | cut -d= -f1 | sort"], env: {OWN: "1"}}
        expect: {stdout: {matches: "HOME\nLANG\nLC_ALL\nNO_COLOR\nOWN\nPATH\n(PWD\n)?PYTHONHASHSEED\nREHEARSAL_LAUNCH\n(SHLVL\n)?SOURCE_DATE_EPOCH\nTMPDIR\nTZ\n(_\n)?"}}
      - {use: exec, id: in, with: {command: [cat], stdin: "ü\n"}, expect: {stdout: "ü\n", stdout_bytes: 3, stderr: ""}}
      - {use: exec, id: none, with: {command: [cat]}, expect: {stdout: "", stdout_bytes: 0}}
      - {use: exec, id: words, with: {command: [printf, "%s|", "a b", "*", "$HOME", ""]}, expect: {stdout: "a b|*|$HOME||"}}
      - {use: exec, id: bytes, with: {command: [printf, "\\377"]}, expect: {stdout_lossy: true, stdout_bytes: 1}}
      - {use: exec, id: writes, with: {command: [sh, -c, "printf x > made"]}}
      - {use: file, with: {path: made}, expect: {text: x, sha256: {sha256_of: made}, path: {exists: true}}}
      - {use: exec, id: both, with: {command: [sh, -c, "echo out; echo err >&2; exit 3"], may_fail: true}, expect: {status: 3, stdout: "out\n", stderr: "err\n"}}
"#,
    );
    let sandbox = Sandbox::with(&[("flow.yaml", &text)]);
    let mut command = sandbox.command(&["run", "flow.yaml", "--json"]);
    command.env("SOMEBODY_ELSE_S", "business").env("OPENAI_API_KEY", "sk-not-theirs-000000");
    let ended = crate::sandbox::finish(command.spawn().unwrap());
    let file = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(end(&file, "w/env"), ("passed", vec![]), "{}", said(&file, "w/env"));
    assert_eq!(ended.code, Some(0));
}
