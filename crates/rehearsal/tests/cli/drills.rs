//! `run --faults`: agents that take a broken wire well, badly, not at all or for ever, and what is said of each.

use crate::sandbox::Sandbox;
use serde_json::Value;

const SUITE: &str = r"
version: 1
classes:
  text: {script: [{text: Hello there.}], phrasings: [{id: text, prompt: Say hello., expect_agent: {output_contains: Hello there}}]}
";

/// An agent that takes everything as it should, but for the habits that it is told to have.
const AGENT: &str = r#"
import http.client, json, os, sys, time, urllib.error, urllib.request

habits = sys.argv[1:]
stream = "never-streams" not in habits

def post(url, body, headers):
    headers = {"content-type": "application/json", **headers}
    return urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers))

def ask():
    messages = [{"role": "user", "content": os.environ["REHEARSAL_PROMPT"]}]
    body = {"model": "m", "messages": messages}
    if "speaks-messages" in habits:
        headers = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
        with post(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", {**body, "max_tokens": 99}, headers) as answer:
            return json.load(answer)["content"][0]["text"]
    headers = {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    with post(url, {**body, "stream": stream}, headers) as answer:
        if not stream:
            return json.load(answer)["choices"][0]["message"]["content"]
        words, done = "", False
        for line in answer:
            data = line.removeprefix(b"data: ").strip()
            if data == b"[DONE]":
                done = True
                if "waits-for-the-end-of-the-connection" not in habits:
                    break
            elif data:
                words += json.loads(data)["choices"][0]["delta"].get("content") or ""
        if not done and "takes-what-came-for-whole" not in habits:
            raise ValueError("cut")
        return words

for attempt in range(3):
    try:
        print(ask())
        sys.exit(0)
    except urllib.error.HTTPError as error:
        if error.code != 429:
            sys.exit(4)
        if "retries-at-once" not in habits:
            time.sleep(float(error.headers["retry-after"]))
    except (OSError, ValueError, http.client.HTTPException):
        time.sleep(0.1)
sys.exit(3)
"#;

/// The outcome and the codes of errors under each fault, in their order.
fn outcomes(file: &Value) -> Vec<(&str, &str, Vec<&str>)> {
    let cases = file["cases"].as_array().unwrap().iter();
    cases
        .map(|case| {
            let findings = case["findings"].as_array().unwrap().iter();
            let errors = findings.filter(|finding| finding["severity"] == "error");
            let codes = errors.map(|finding| finding["code"].as_str().unwrap()).collect();
            (case["fault"].as_str().unwrap(), case["outcome"].as_str().unwrap(), codes)
        })
        .collect()
}

#[test]
fn each_way_to_take_a_fault_has_its_outcome() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE), ("agent.py", AGENT)]);
    for (habit, wanted, code) in [
        (
            "none",
            &[
                ("cut-clean", "passed", &[][..]),
                ("429-retry-after-seconds", "passed", &[]),
                ("done-then-open", "passed", &[]),
                ("401-mid-run", "survived", &[]),
                ("tool-args-invalid", "not-met", &[]),
            ][..],
            0,
        ),
        ("takes-what-came-for-whole", &[("cut-clean", "wrong", &["script-not-finished"])], 1),
        ("retries-at-once", &[("429-retry-after-seconds", "wrong", &["retried-too-soon"])], 1),
        ("waits-for-the-end-of-the-connection", &[("done-then-open", "hung", &["time-limit"])], 1),
        // Words that are cut for another API are no failing of those who do not speak it.
        ("speaks-messages", &[("insufficient-system-resource", "not-met", &[])], 0),
        ("never-streams", &[("cut-clean", "not-met", &[]), ("done-then-open", "not-met", &[])], 0),
    ] {
        let faults = wanted.iter().map(|(fault, ..)| *fault).collect::<Vec<_>>().join(",");
        // A right agent has all the time of the world; one that hangs need not have it.
        let limit = if wanted[0].1 == "hung" { "2s" } else { "60s" };
        let line =
            ["suite.yaml", "--faults", &faults, "--time-limit", limit, "--", "python3", "agent.py", habit];
        let (ended, file, _) = sandbox.run_suite(&line);
        let wanted: Vec<_> =
            wanted.iter().map(|(fault, outcome, codes)| (*fault, *outcome, codes.to_vec())).collect();
        assert_eq!(outcomes(&file), wanted, "{habit}: {}", ended.err);
        assert_eq!(ended.code, Some(code), "{habit}");
    }
}

#[test]
fn what_a_baseline_tells_never_stands_in_the_json() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE), ("agent.py", AGENT)]);
    let run = |flags: &[&str], habit: &str| {
        let fixed = ["run", "suite.yaml", "--faults", "cut-clean"];
        sandbox.run(&[&fixed, flags, &["--", "python3", "agent.py", habit]].concat())
    };
    assert_eq!(run(&["--report", "resilience=before.txt"], "none").code, Some(0));
    for (habit, told, code) in [
        ("none", "no fault is taken worse than in before.txt", 0),
        ("takes-what-came-for-whole", "worse than in before.txt: cut-clean was passed, is wrong", 1),
    ] {
        let people = run(&["--baseline", "before.txt"], habit);
        assert!(people.out.contains(told) && people.code == Some(code), "{}{}", people.out, people.err);
        let programs = run(&["--baseline", "before.txt", "--json"], habit);
        let file: Value = serde_json::from_str(&programs.out).expect("one JSON document");
        assert_eq!(outcomes(&file).len(), 1);
        assert!(programs.err.contains(told) && programs.code == Some(code), "{}", programs.err);
    }
}
