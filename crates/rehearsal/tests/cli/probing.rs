//! `rehearsal drive --probe` at a scripted provider that is told to have a quirk, and at one that has none.

use crate::replaying::Server;
use crate::sandbox::{Ended, Sandbox};
use rehearsal_driver::probe::sample::{FIXTURES, Sample, sample};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

/// A model that does what a probe asks for.
fn obedient() -> Value {
    let said = |text: &str| json!({"text": text, "usage": usage()});
    let call = |word: &str| json!({"name": "report_word", "arguments": {"word": word}});
    let calls = |words: &[&str]| {
        let calls: Vec<Value> = words.iter().map(|word| call(word)).collect();
        json!({"tool_calls": calls, "usage": usage()})
    };
    let ready = r#"{"files":[],"summary":"ready","done":true}"#;
    suite(&[
        ("Answer with the single word ready.", said("ready")),
        ("Say in JSON that you are ready.", said(ready)),
        ("Say in JSON how many words you need to be ready.", said(r#"{"word":"heron","count":41}"#)),
        ("Answer with this JSON object", said(ready)),
        ("Call the tool report_word with the word ready.", calls(&["ready"])),
        ("Call the tool report_word twice", calls(&["one", "two"])),
        ("Remember the word heron.", said("heron")),
    ])
}

fn usage() -> Value {
    json!({"prompt_tokens": 5000, "completion_tokens": 3})
}

/// A suite that answers each of these prompts, with a step or, request by request, with several.
fn suite(answers: &[(&str, Value)]) -> Value {
    let classes = answers.iter().enumerate().map(|(number, (prompt, step))| {
        let phrasings = json!([{"id": format!("p{number}"), "prompt": prompt}]);
        let class = match step {
            Value::Array(steps) => json!({"advance": "request", "script": steps, "phrasings": phrasings}),
            step => json!({"script": [step], "phrasings": phrasings}),
        };
        (format!("c{number}"), class)
    });
    let classes: serde_json::Map<String, Value> = classes.collect();
    json!({"version": 1, "rules": {"one-token-limit": false}, "classes": classes})
}

fn serve(sandbox: &Sandbox, suite: &Value, more: &[&str]) -> Server {
    sandbox.write("suite.json", suite.to_string().as_bytes());
    let fixed = ["serve", "--port", "0", "--scenarios", "suite.json", "--data", "served"];
    Server::start(sandbox, &[&fixed[..], more].concat())
}

/// Probes a server; no time is spent on further attempts.
fn probe(sandbox: &Sandbox, server: &Server, more: &[&str]) -> (Ended, Value) {
    probe_model("m", sandbox, server, more)
}

fn probe_model(model: &str, sandbox: &Sandbox, server: &Server, more: &[&str]) -> (Ended, Value) {
    let url = format!("http://{}/v1", server.address);
    let fixed = ["drive", "--probe", &url, "--model", model, "--data", "kept", "--attempts", "1", "--json"];
    let ended = sandbox.run(&[&fixed[..], more].concat());
    let found = serde_json::from_str(&ended.out).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    (ended, found)
}

fn names(found: &Value) -> BTreeSet<String> {
    let quirks = found["quirks"].as_array().unwrap().iter();
    quirks.map(|quirk| quirk["name"].as_str().unwrap().to_owned()).collect()
}

/// Each quirk that the stand-in can have: the fault that gives it, and all that a probe then names.
const QUIRKS: &[(&str, &[&str])] = &[
    ("usage-null", &["q01_usage_absent", "q03_usage_stream_opt"]),
    ("usage-null:absent=true", &["q01_usage_absent", "q03_usage_stream_opt"]),
    ("usage-count-null", &["q02_usage_null_fields", "q03_usage_stream_opt"]),
    ("refuses-stream-options:times=1000", &["q03_usage_stream_opt"]),
    ("200-error-body:times=1000", &["q04_error_in_200"]),
    ("choices-null:times=1000", &["q05_choices_null"]),
    ("choices-missing:times=1000", &["q05_choices_null"]),
    ("200-html:times=1000", &["q06_not_json_200"]),
    ("200-empty-body:times=1000", &["q06_not_json_200"]),
    ("done-after-json", &["q07_dup_done"]),
    ("sse-when-json", &["q08_sse_anyway"]),
    ("json-when-stream", &["whole_anyway"]),
    ("sse-no-space", &["q09_sse_no_space"]),
    ("error-in-stream:times=1000", &["q10_sse_error_event"]),
    ("done-missing", &["q11_no_done"]),
    ("answer-in-reasoning", &["q12_content_null_reasoning", "q13_json_in_reasoning"]),
    ("think-prefix", &["q14_think_prefix"]),
    ("code-fence", &["q16_code_fence"]),
    ("other-fence", &["q17_wrong_fence"]),
    ("prose-around", &["q18_prose_around"]),
    ("content-parts", &["q19_content_parts"]),
    ("refuses-content-parts:times=1000", &["q20_request_parts"]),
    ("refusal", &["q21_refusal"]),
    ("cut-at-length", &["q22_length"]),
    ("content-filter-empty", &["q23_content_filter"]),
    ("finish-null-final", &["q24_finish_odd"]),
    ("finish-unknown", &["q24_finish_odd"]),
    ("finish-empty-string", &["q24_finish_odd"]),
    ("tool-instead", &["q25_tool_instead"]),
    ("tool-args-object", &["q26_args_object"]),
    ("tool-index-missing", &["q27_delta_no_index"]),
    ("tool-index-all-zero", &["q28_delta_same_index"]),
    ("tool-id-missing", &["q29_delta_no_id"]),
    ("refuses-json-schema:times=1000", &["q30_json_schema_400"]),
    ("refuses-json-object:times=1000", &["q32_json_object_400"]),
    ("ignores-schema", &["q33_schema_ignored"]),
    ("refuses-schema-keyword:times=1000", &["q34_schema_keyword"]),
    ("refuses-temperature:times=1000", &["q35_temperature"]),
    ("refuses-max-tokens:times=1000", &["q36_max_tokens"]),
    ("refuses-max-completion-tokens:times=1000", &["q37_max_completion"]),
    ("refuses-both-limits:times=1000", &["q38_both_limits"]),
    ("refuses-system-role:times=1000", &["q39_system_role"]),
    ("roles-must-alternate:times=1000", &["q39_system_role"]),
    ("wants-reasoning-back:times=1000", &["q40_reasoning_back"]),
    ("context-cut", &["q41_context_silent"]),
    ("429-quota:times=1000", &["q42_quota_429"]),
    ("429-quota-in-words:times=1000", &["q43_quota_words"]),
    ("400-rate-limit:times=1000", &["q44_quota_400"]),
    ("503-loading:times=1000", &["q45_503_loading"]),
    ("error-detail:times=1000", &["q46_error_shapes"]),
    ("error-message:times=1000", &["q46_error_shapes"]),
    ("error-string:times=1000", &["q46_error_shapes"]),
    ("error-object:times=1000", &["q46_error_shapes"]),
    ("5xx-html:times=1000", &["q46_error_shapes"]),
    ("content-null-no-tools", &["empty_answer"]),
    ("refuses-tools:times=1000", &[]),
    ("sse-crlf", &[]),
];

/// What no fault can show: our own reading that leaves such a text alone, and a mistake that only a worker could make.
const OF_NO_ENDPOINT: &[&str] = &["q15", "q31"];

#[test]
fn every_quirk_that_the_provider_has_is_named() {
    for (fault, wanted) in QUIRKS {
        let sandbox = Sandbox::with(&[]);
        let server = serve(&sandbox, &obedient(), &["--fault", fault]);
        let (ended, found) = probe(&sandbox, &server, &[]);
        let wanted: BTreeSet<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(names(&found), wanted, "{fault}: {found:#}");
        let answers = &found["capabilities"][0];
        assert_eq!(ended.code, Some(i32::from(answers["verdict"] != "yes")), "{fault}: {ended:?}");
    }
}

#[test]
fn every_quirk_of_the_collection_that_an_endpoint_has_is_in_the_table() {
    for number in 1..=46 {
        let quirk = format!("q{number:02}");
        let is_known = QUIRKS.iter().any(|(_, names)| names.iter().any(|name| name.starts_with(&quirk)));
        assert_ne!(is_known, OF_NO_ENDPOINT.contains(&quirk.as_str()), "{quirk}");
    }
}

#[test]
fn a_provider_without_a_quirk_shows_none_and_does_all_that_is_asked() {
    let sandbox = Sandbox::with(&[]);
    let server = serve(&sandbox, &obedient(), &[]);
    let (ended, found) = probe_model("gpt-4o", &sandbox, &server, &[]);
    assert_eq!((ended.code, names(&found)), (Some(0), BTreeSet::new()), "{found:#}");
    let rows = found["capabilities"].as_array().unwrap();
    let not_yes: Vec<&Value> = rows.iter().filter(|row| row["verdict"] != "yes").collect();
    assert_eq!(not_yes.len(), 1, "{not_yes:#?}");
    assert_eq!(not_yes[0]["name"], "stream_usage_unasked");
    assert!(found["requests"].as_u64().unwrap() <= 25, "{}", found["requests"]);
    assert!(ended.err.contains("at most 23 requests"), "{}", ended.err);
}

/// Right answers to the samples with these numbers, but for one.
fn pupil(numbers: std::ops::Range<u64>, wrong: u64) -> Value {
    let answers: Vec<(String, Value)> = numbers
        .map(|number| {
            let Sample { path, before, wanted, .. } = sample(number);
            let contents = if number == wrong { "something else\n" } else { wanted[0].as_str() };
            let patch =
                json!({"files": [{"path": path, "contents": contents}], "summary": "Done.", "done": true});
            // The file tells one variation from the next.
            let before = Value::from(before).to_string();
            (before, json!({"text": patch.to_string(), "usage": usage()}))
        })
        .collect();
    let answers: Vec<(&str, Value)> =
        answers.iter().map(|(prompt, step)| (prompt.as_str(), step.clone())).collect();
    let said = |text: &str| json!({"text": text, "usage": usage()});
    let work = r#"{"files":[{"path":"a.txt","contents":"two\n"}],"summary":"Done.","done":true}"#;
    let approved = r#"{"verdict":"approve","reasons":[]}"#;
    suite(
        &[
            &[
                ("Answer with the single word ready.", said("ready")),
                ("Make it two", json!([said(work), said(approved)])),
            ],
            &answers[..],
        ]
        .concat(),
    )
}

#[test]
fn accuracy_is_measured_added_up_and_trusted_by_its_lower_bound() {
    let sandbox = Sandbox::with(&[]);
    let count = FIXTURES.len() as u64;
    let server = serve(&sandbox, &pupil(0..4 * count, count), &[]);
    for (run, good, all, tier) in [(1, count, count, 4), (2, 4 * count - 1, 4 * count, 3)] {
        let samples = if run == 1 { count } else { 3 * count };
        let (ended, found) = probe(&sandbox, &server, &["--samples", &samples.to_string()]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let wanted = json!([{"format": "json_patch", "fixtures": 1, "next": all, "good": good, "all": all, "tier": tier}]);
        assert_eq!(found["accuracy"], wanted, "{}", ended.err);
        assert_eq!(ended.err.contains("the file is not as it should be"), run == 2, "{}", ended.err);
    }
    // Work with the same data is looked at as closely as that calls for.
    sandbox.write("tree/a.txt", b"one\n");
    let url = format!("http://{}/v1", server.address);
    let task = ["drive", "--endpoint", &url, "--model", "m", "--prompt", "Make it two", "--owns", "a.txt"];
    let proved = ["--workdir", "tree", "--data", "kept", "--test", "grep two a.txt", "--json"];
    let ended = sandbox.run(&[&task[..], &proved].concat());
    let report: Value = serde_json::from_str(&ended.out).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let tier = &report["verification"]["tier"];
    assert_eq!((&report["outcome"], &tier["number"]), (&json!("applied"), &json!(3)), "{ended:?}");
    assert_eq!((&tier["good"], &tier["samples"]), (&json!(4 * count - 1), &json!(4 * count)));
    // What was measured outlives a probe without samples, and is nobody else's.
    let (_, found) = probe(&sandbox, &server, &[]);
    assert_eq!(found["accuracy"][0]["good"], 4 * count - 1);
    let (_, other) = probe_model("other", &sandbox, &server, &[]);
    assert_eq!(other["accuracy"], json!([]));
    let known = sandbox.run(&["drive", "--capabilities", "--data", "kept"]);
    let lines: Vec<&str> = known.out.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!((known.code, lines.len()), (Some(0), 2), "{known:?}");
    for words in
        ["39 of 40 right, lower bound 0.87", "by the lower bound of 39 of 40", "by design: ", "not measured"]
    {
        assert!(known.out.contains(words), "{words}: {}", known.out);
    }
    let one = ["drive", "--capabilities", "--data", "kept", "--endpoint", &url, "--model", "m", "--json"];
    let one: Value = serde_json::from_str(&sandbox.run(&one).out).unwrap();
    let fields = one["capabilities"].as_object().unwrap();
    assert_eq!(fields["recommended_verification_tier"]["value"], 3);
    assert_eq!(fields["tool_use_accuracy"]["value"], 0.975);
    assert!(fields.values().all(|field| !field["note"].as_str().unwrap().is_empty()), "{one:#}");
    assert_eq!(fields.len(), 11);
    assert!(one["describe"].as_str().unwrap().is_ascii());
}

#[test]
fn the_table_for_people_needs_no_colour_and_the_file_no_key() {
    let sandbox = Sandbox::with(&[]);
    let server = serve(&sandbox, &obedient(), &["--fault", "refuses-temperature:times=9"]);
    let url = format!("http://{}/v1", server.address);
    let arguments = ["drive", "--probe", &url, "--model", "m", "--data", "kept"];
    let mut command = sandbox.command(&arguments);
    command.env("OPENAI_API_KEY", "sk-secret-1");
    let ended = crate::sandbox::finish(command.spawn().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for words in [
        "  temperature            no       takes temperature 0: refused: status 400: Unsupported value: 'temperature'",
        "[a worker then: dropped_temperature]",
        "  q35_temperature (seen by temperature): temperature 0 is refused",
        "accuracy: not measured (--samples NUMBER measures it); tier 4",
    ] {
        assert!(ended.out.contains(words), "{words}: {}", ended.out);
    }
    assert!(!ended.out.contains('\u{1b}'));
    let files = crate::sandbox::files_below(&sandbox.path("kept/capabilities"));
    let texts: Vec<String> = files.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    assert!(texts.iter().any(|text| text.contains("\"version\":1")), "{files:?}");
    assert!(texts.iter().all(|text| !text.contains("sk-secret")));
}

#[test]
fn what_cannot_be_probed_is_said_in_one_sentence() {
    let sandbox = Sandbox::with(&[("file", "")]);
    let local = "http://127.0.0.1:9/v1";
    for (arguments, words) in [
        (&["--probe", local][..], "--model"),
        (
            &["--probe", "http://example.com/v1", "--model", "m"],
            "only an endpoint at a loopback address needs none",
        ),
        (&["--probe", local, "--model", "m", "--owns", "a.py"], "cannot be used with"),
        (&["--probe", local, "--model", "m", "--endpoint", local], "cannot be used with"),
        (&["--probe", local, "--model", "m", "--data", "file"], "--data takes a folder"),
        (
            &["--samples", "3", "--endpoint", local, "--model", "m", "--prompt", "x", "--owns", "a"],
            "cannot be used with",
        ),
        (&["--capabilities"], "nothing was probed"),
        (&["--capabilities", "--endpoint", local], "--model"),
        (&["--prompt", "x", "--owns", "a.py", "--model", "m"], "--endpoint"),
        (&["--model", "m", "--endpoint", local], "--owns"),
    ] {
        let ended = sandbox.run(&[&["drive"], arguments].concat());
        assert_eq!(ended.code, Some(2), "{arguments:?}: {ended:?}");
        assert!(ended.err.contains(words), "{arguments:?}: {}", ended.err);
    }
    let nobody =
        sandbox.run(&["drive", "--probe", local, "--model", "m", "--attempts", "1", "--samples", "2"]);
    assert_eq!(nobody.code, Some(1), "{nobody:?}");
    assert!(nobody.out.contains("answers") && nobody.out.contains("connect"), "{}", nobody.out);
    assert!(nobody.err.contains("nothing is measured where nothing answers"), "{}", nobody.err);
}
