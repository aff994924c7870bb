//! What goes by a secret's name in a workflow stays out of everything that is written and said.

use super::{end, servers::with_server};
use crate::sandbox::{files_below, finish};

const SECRETS: [&str; 6] = [
    "sk-header-hushhush-0001",
    "sk-env-hushhush-0002",
    "sk-service-hushhush-0003",
    "sk-mine-hushhush-0004",
    "sk-query-hushhush-0005",
    "sk-argued-hushhush-0006",
];

/// Each way to give a step a secret, and steps that say again what they were given.
const CASES: &str = r#"
  - id: kept
    outcome: success
    steps:
      - {use: open_session}
      - {use: service, id: web, with: {command: SERVER, env: {DB_PASSWORD: sk-service-hushhush-0003}}}
      - {use: http, with: {url: "${web.url}/json", headers: {Authorization: "Bearer sk-header-hushhush-0001", x-api-key: sk-header-hushhush-0001, Cookie: "session=sk-header-hushhush-0001"}}, expect: {status: 200}}
      - {use: exec, with: {command: [sh, -c, "test -n \"$API_TOKEN\" && echo there"], env: {API_TOKEN: sk-env-hushhush-0002}}, expect: {stdout: "there\n"}}
  - id: fails
    outcome: success
    steps:
      - {use: open_session}
      - {use: exec, with: {command: [sh, -c, "test -z \"$API_TOKEN\""], env: {API_TOKEN: sk-env-hushhush-0002}}}
  - id: echoes
    outcome: success
    steps:
      - {use: open_session}
      - {use: exec, id: says, with: {command: [sh, -c, "echo token=$API_TOKEN; echo $API_TOKEN >&2"], env: {API_TOKEN: sk-env-hushhush-0002}}, expect: {stdout: {contains: token=}}}
      - {use: exec, id: dies, with: {command: [sh, -c, "echo bad token $API_TOKEN >&2; exit 1"], env: {API_TOKEN: sk-env-hushhush-0002}}}
  - id: argued
    outcome: success
    steps:
      - {use: open_session}
      - {use: service, id: web, with: {command: SERVER}}
      - {use: http, with: {url: "${web.url}/json?api_key=sk-query-hushhush-0005"}}
      - {use: exec, id: first, with: {command: [sh, -c, "printf \"$2\"", x, --token, sk-argued-hushhush-0006]}, expect: {stdout: sk-argued-hushhush-0006}}
      - {use: exec, id: again, with: {command: [printf, "${first.stdout}"]}, expect: {stdout: sk-argued-hushhush-0006}}
  - id: compares
    outcome: success
    steps:
      - {use: service, id: web, with: {command: SERVER}}
      - {use: http, with: {url: "${web.url}/", json: {a: 1}, headers: {x-own: plain, Authorization: "Bearer sk-header-hushhush-0001"}}, expect: {json.x: other}}
"#;

#[test]
fn no_secret_of_a_workflow_is_in_any_file_of_a_run_or_in_its_words() {
    let sandbox = with_server(CASES);
    for form in [&["run", "flow.yaml"][..], &["run", "flow.yaml", "--json"]] {
        let mut command = sandbox.command(form);
        command.env("GITHUB_TOKEN", SECRETS[3]).env("OPENAI_API_KEY", SECRETS[3]);
        let ended = finish(command.spawn().unwrap());
        assert_eq!(ended.code, Some(1), "{ended:?}");
        for secret in SECRETS {
            assert!(!ended.out.contains(secret) && !ended.err.contains(secret), "{secret} is in {ended:?}");
        }
        if form.len() == 3 {
            let file = serde_json::from_str(&ended.out).unwrap();
            assert_eq!(end(&file, "w/argued"), ("passed", vec![]), "{}", super::said(&file, "w/argued"));
            assert_eq!(end(&file, "w/kept"), ("passed", vec![]), "{}", super::said(&file, "w/kept"));
            assert_eq!(
                end(&file, "w/echoes"),
                ("failed", vec!["step-refused"]),
                "what a step compares is unmasked"
            );
            let says = &super::step(&file, "w/echoes", "says")["observed"];
            assert!(says["stdout"].as_str().unwrap().starts_with("token="), "{says}");
        }
    }
    let files = files_below(&sandbox.path(".rehearsal"));
    assert!(files.len() > 10, "{} files", files.len());
    for path in files {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        for secret in SECRETS {
            assert!(!text.contains(secret), "{secret} is in {}", path.display());
        }
    }
}
