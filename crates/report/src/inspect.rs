//! Inspect's evaluation log, version 2, as one JSON document: a sample for each case, an epoch for each round. A view for its viewer and its
//! data frames; the run file stays the source.
//!
//! Field names as inspect_ai 0.3.285 reads them.

use crate::rounds::name;
use crate::words::{by_weight, moment, reason, sentence, visible};
use crate::{Report, Style};
use chrono::SecondsFormat;
use rehearsal_journal::run::{CaseResult, RunFile, Verdict};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

pub(super) const ROW: Report = Report {
    name: "inspect",
    summary: "an evaluation log of Inspect (inspect_ai), version 2: a sample for each case, an epoch for each round",
    write,
};

fn write(run: &RunFile, _style: Style) -> String {
    let samples: Vec<_> = run.cases.iter().map(sample).collect();
    let document = json!({
        "version": 2,
        "status": status(run),
        "eval": eval(run),
        "results": results(run),
        "stats": stats(run),
        "samples": samples,
    });
    format!("{document:#}\n")
}

/// A run that could not judge a case is an error there, whatever the others came to.
fn status(run: &RunFile) -> &'static str {
    if run.cases.iter().any(|case| case.verdict == Verdict::Broken) {
        "error"
    } else if run.ended_early {
        "cancelled"
    } else {
        "success"
    }
}

fn time(unix_ms: u64) -> Value {
    moment(unix_ms).map_or(json!(""), |moment| json!(moment.to_rfc3339_opts(SecondsFormat::Millis, true)))
}

fn eval(run: &RunFile) -> Value {
    let files: Vec<_> = run.suite.iter().map(|(file, _)| visible(file)).collect();
    let names: BTreeSet<String> = run.cases.iter().map(name).collect();
    let (program, version) = run.program.split_once(' ').unwrap_or((&run.program, ""));
    let agent = if run.agent.is_empty() { "built-in".to_owned() } else { visible(&run.agent.join(" ")) };
    let mut packages = Map::new();
    packages.insert(visible(program), json!(visible(version)));
    json!({
        "eval_id": visible(&run.run),
        "run_id": visible(&run.run),
        "created": time(run.started_unix_ms),
        "task": files.first().map_or("rehearsal", String::as_str),
        "task_id": visible(&run.suite_digest),
        "dataset": {"name": files.join(", "), "samples": names.len(), "sample_ids": names, "shuffled": run.shuffle.is_some()},
        // What answers is a script, or a recording: there is no model.
        "model": "none/none",
        "solver": agent,
        "config": {"epochs": run.repeat},
        "packages": packages,
        "metadata": {"seed": run.seed, "profile": visible(&run.profile), "suite_sha256": visible(&run.suite_digest)},
    })
}

/// The share of those that were judged which passed, counted by rounds.
fn results(run: &RunFile) -> Value {
    let judged = run.cases.iter().filter(|case| is_scored(case)).count();
    let passed = run.count(Verdict::Passed);
    #[expect(
        clippy::cast_precision_loss,
        reason = "no run has so many cases that a double could not count them"
    )]
    let accuracy = if judged == 0 { 0.0 } else { passed as f64 / judged as f64 };
    json!({
        "total_samples": run.cases.len(),
        "completed_samples": judged,
        "scores": [{
            "name": "verdict",
            "scorer": "rehearsal",
            "scored_samples": judged,
            "unscored_samples": run.cases.len() - judged,
            "metrics": {"accuracy": {"name": "accuracy", "value": accuracy}},
        }],
    })
}

fn stats(run: &RunFile) -> Value {
    json!({
        "started_at": time(run.started_unix_ms),
        "completed_at": time(run.started_unix_ms.saturating_add(run.took_ms)),
    })
}

/// Whether the case came to a verdict that says something of what was tested.
fn is_scored(case: &CaseResult) -> bool {
    match case.verdict {
        Verdict::Passed | Verdict::Failed | Verdict::TimedOut => true,
        Verdict::Broken | Verdict::Skipped | Verdict::Unsupported => false,
    }
}

fn sample(case: &CaseResult) -> Value {
    let told: Vec<_> = by_weight(&case.findings).into_iter().map(sentence).collect();
    let explanation = if case.verdict.is_executed() { told.join("\n") } else { visible(&reason(case)) };
    let value = match case.verdict {
        Verdict::Passed => "C",
        Verdict::Failed | Verdict::TimedOut => "I",
        // Inspect's "no answer": it counts for nobody.
        Verdict::Broken | Verdict::Skipped | Verdict::Unsupported => "N",
    };
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a case")]
    let seconds = case.ran_ms as f64 / 1000.0;
    let declared = case.workflow.as_ref().map_or("passed", |workflow| workflow.declared.as_str());
    let mut sample = json!({
        "id": name(case),
        "epoch": case.round,
        "input": name(case),
        "target": visible(declared),
        "messages": [],
        "output": {},
        "scores": {"verdict": {"value": value, "answer": case.verdict.word(), "explanation": explanation}},
        "metadata": metadata(case),
        "total_time": seconds,
    });
    if let (Verdict::Broken, Value::Object(fields)) = (case.verdict, &mut sample) {
        // The score of what was never judged would be a score all the same.
        fields.remove("scores");
        fields.insert(
            "error".to_owned(),
            json!({"message": explanation, "traceback": "", "traceback_ansi": ""}),
        );
    }
    sample
}

fn metadata(case: &CaseResult) -> Value {
    let codes: Vec<_> = case.findings.iter().map(|finding| visible(&finding.code)).collect();
    let mut fields = json!({
        "class": visible(&case.class),
        "verdict": case.verdict.word(),
        "codes": codes,
        "requests": case.requests,
        "retries": case.retries,
        "place": format!("{}:{}", visible(&case.place.file), case.place.line),
        "journal_sha256": visible(&case.journal.head),
    });
    if let (Some(workflow), Value::Object(fields)) = (&case.workflow, &mut fields) {
        let steps: Vec<_> = workflow
            .steps
            .iter()
            .map(|step| json!({"step": step.step, "uses": step.uses, "end": step.end.word(), "code": step.code, "proofs": step.proofs}))
            .collect();
        fields.insert("control".to_owned(), json!(workflow.control));
        fields.insert("steps".to_owned(), json!(steps));
    }
    fields
}
