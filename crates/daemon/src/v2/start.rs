//! The start of a run.

use super::catalogue::{RETIRED, access};
use super::project::{id_of, one_spelling};
use super::{Call, Problem, Reply};
use crate::core::{Step, Then, disk, written};
use crate::effect::{Blocked, Effect};
use crate::receipt::Found;
use crate::run::{Beginning, Run, State};
use crate::setting::Setting;
use rehearsal_journal::daemon::{Fact, Place, Sum};
use rehearsal_script::runs::Answers;
use rehearsal_wire::json::{Kind, Value};
use serde_json::json;
use std::sync::Arc;

const SCOPE: &str = "start";

/// A start whose run is made once its files are.
#[derive(Debug)]
pub(crate) struct Starting {
    run: Run,
    key: String,
    space: String,
    digest: [u8; 32],
}

/// Fields of a start that clients send.
const FIELDS: [&str; 15] = [
    "prompt",
    "instructions",
    "mode",
    "access",
    "scope",
    "execution",
    "harnesses",
    "primaryHarness",
    "model",
    "effort",
    "authPreference",
    "credentialProfileId",
    "maxSeconds",
    "outputSchema",
    "tests",
];

/// Further fields that the real daemon takes (`ControlRunStartRequest` in razzant/claudexor); they change nothing here.
const FURTHER: [&str; 26] = [
    "attachments",
    "attempts",
    "autonomy",
    "browser",
    "create",
    "denyPaths",
    "externalContextPolicy",
    "maxToolCalls",
    "maxTurns",
    "models",
    "n",
    "paidBudget",
    "portfolio",
    "protectedPathApprovals",
    "reviewerEfforts",
    "reviewerModels",
    "reviewerPanel",
    "routingGoal",
    "specHash",
    "specId",
    "specPath",
    "swarm",
    "synthesis",
    "untilClean",
    "web",
    "delegate",
];

/// Fields that the real daemon sets itself.
const SERVERS: [&str; 7] =
    ["threadId", "turnId", "planRunId", "planRef", "retryOf", "parentRunId", "delegatedFromRunId"];

pub(crate) fn start(call: &mut Call<'_, '_>) -> Step {
    let key = match call.key() {
        Ok(key) => key,
        Err(problem) => return call.refuse(&problem),
    };
    let (space, digest) = (call.space(SCOPE, &partition(call)), call.digest());
    let bound = (!call.is_seed()).then_some(SCOPE);
    match call.state.receipts.find(&space, &key, bound, &digest) {
        Found::New => {}
        Found::Pending => return Step::Wait,
        Found::Same(reply) => return again(call, reply),
        Found::Other => return call.conflict(),
    }
    match judge(call, &key) {
        Ok(run) => {
            call.state.receipts.keep(&space, &key, SCOPE, digest, None);
            begin(call, Starting { run, key, space, digest })
        }
        Err((problem, kept)) => {
            if kept {
                let reply = problem.reply(call.setting.manner);
                call.state.receipts.keep(&space, &key, SCOPE, digest, Some(reply));
            }
            call.refuse(&problem)
        }
    }
}

/// The project in whose part of the journal a start is kept.
fn partition(call: &Call<'_, '_>) -> String {
    let root = call.heard.body.get("scope").and_then(|scope| scope.get("root")?.as_str());
    root.map(|root| one_spelling(&root)).unwrap_or_default()
}

/// The stored answer to a start again. A run that waits in its queue is looked after.
fn again(call: &mut Call<'_, '_>, reply: Reply) -> Step {
    let id = run_of(&reply);
    let waits = |id: &&String| call.state.run(id).is_some_and(|run| run.state == State::Queued);
    let Some(id) = id.as_ref().filter(waits) else {
        return call.replay(reply, id.as_deref().map(|run| (run, Answers::Start)));
    };
    if call.state.busy.contains(id) {
        return Step::Wait;
    }
    let now_ms = call.now_ms;
    if let Some(run) = call.state.runs.get_mut(id) {
        run.knock(now_ms);
    }
    call.touched(id);
    call.decided.replayed = true;
    call.decided.run = Some(id.clone());
    let reply = unless_queued(call, id, reply);
    call.go_on(id, Then::Say { reply, what: Answers::Start })
}

/// The answer to a start: of a run in its queue only the job is known.
fn unless_queued(call: &Call<'_, '_>, id: &str, reply: Reply) -> Reply {
    match call.state.run(id).is_some_and(|run| run.state == State::Queued) {
        true => Reply::json(202, &json!({"jobId": job(call.setting, id), "state": State::Queued.word()})),
        false => reply,
    }
}

fn job(setting: &Setting, run: &str) -> String {
    format!("job-{}", setting.id("job", run, 12))
}

/// The run that a start asks for, or why there is none, and whether that is kept under the key.
fn judge(call: &Call<'_, '_>, key: &str) -> Result<Run, (Problem, bool)> {
    let (setting, body) = (call.setting, &call.heard.body);
    let kept = |problem| (problem, true);
    let harness = body.get("harnesses").filter(|list| list.kind() == Kind::Array && list.len() == 1);
    let is_ours = |value: Value<'_>| value.is_str(&setting.harness);
    let all_ours = harness.is_some_and(|list| list.items().all(is_ours));
    if !all_ours || !body.get("primaryHarness").is_some_and(is_ours) {
        let why = format!("the one harness is {:?}", setting.harness);
        return Err(kept(Problem::new(404, "route_not_found", why)));
    }
    let prompt = body.text("prompt").unwrap_or_default();
    let script = setting.script_of(&prompt);
    if let Some(refusal) = &script.refuse {
        return Err(kept(Problem::new(refusal.status, &refusal.code, refusal.message.clone())));
    }
    if body.get("credentialProfileId").is_some_and(|profile| profile.is_str(&setting.ghost)) {
        let why = "there is no credential profile of this id";
        return Err(kept(
            Problem::new(409, "credential_profile_unknown", why)
                .action("choose_profile", "name another profile"),
        ));
    }
    if !call.is_seed() {
        // What is written wrongly is not kept: the key is good for what is put right.
        shape(call).map_err(|problem| (problem, false))?;
        project(call).map_err(kept)?;
        if call.is_engine()
            && let Some(problem) = super::trust::refused(call)
        {
            return Err((problem, false));
        }
    }
    if call.state.is_full() {
        let why = "too many runs are under way: cancel one, or wait for its end";
        return Err((Problem::new(429, "too_many_runs", why).later(), false));
    }
    let execution = body.get("execution");
    let workspace = execution.and_then(|execution| execution.get("workspaceRoot")?.as_str());
    let workspace = workspace.map(|root| root.into_owned()).filter(|root| !root.is_empty());
    let live = body.get("scope").and_then(|scope| scope.get("root")?.as_str()).map(|root| root.into_owned());
    if !call.is_seed() && (script.attempt || call.is_engine() && workspace.is_some()) {
        private(call, workspace.as_deref(), live.as_deref()).map_err(kept)?;
    }
    let id = call.state.fresh_id(setting, "run", key);
    let beginning = Beginning {
        key: key.to_owned(),
        access: body.text("access").unwrap_or_default(),
        workspace,
        live: live.filter(|root| !root.is_empty()),
        queued: script.queued.filter(|_| call.is_engine()),
        interrupts: call.is_engine(),
        patience_ms: setting.patience_ms(),
        ..Beginning::new(id, Arc::new(script), prompt, setting)
    };
    Ok(Run::begin(beginning, call.now_ms))
}

/// What is wrong with the fields of a start.
fn shape(call: &Call<'_, '_>) -> Result<(), Problem> {
    let body = &call.heard.body;
    if body.text("prompt").is_none_or(|prompt| prompt.is_empty()) {
        return Err(Problem::field("/prompt", "must be a text that is not empty"));
    }
    if body.is_half_text() {
        return Err(Problem::field("", "the body holds half a surrogate pair, which is no text"));
    }
    let known = access(call.setting.manner);
    if let Some(access) = body.get("access")
        && !known.iter().any(|known| access.is_str(known))
    {
        if call.is_engine() && access.is_str(RETIRED) {
            let why = format!("{RETIRED} is retired");
            let act = "choose workspace_write, or trust the root and choose full";
            return Err(Problem::new(409, "retired_access_profile", why).action("choose_access", act));
        }
        return Err(Problem::field("/access", format!("must be one of {}", known.join(", "))));
    }
    for (name, kind) in [("scope", Kind::Object), ("execution", Kind::Object), ("mode", Kind::String)] {
        if let Some(value) = body.get(name).filter(|value| value.kind() != kind) {
            return Err(Problem::field(
                &format!("/{name}"),
                format!("must not be {}", value.kind().phrase()),
            ));
        }
    }
    let object = body.object();
    let mut keys =
        object.iter().flat_map(|object| object.entries()).map(|(key, _)| key.as_str().unwrap_or_default());
    let further = if call.is_engine() { &FURTHER[..] } else { &[] };
    let unknown = keys.find(|key| !FIELDS.contains(&key.as_ref()) && !further.contains(&key.as_ref()));
    let Some(unknown) = unknown else { return Ok(()) };
    if SERVERS.contains(&unknown.as_ref()) {
        return Err(Problem::field(&format!("/{unknown}"), "is set by the daemon, not by its clients"));
    }
    let near = rehearsal_wire::names::nearest(&unknown, FIELDS.iter().copied());
    let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(Problem::field(&format!("/{unknown}"), format!("is no field of a start{hint}")))
}

/// Whether the project of a start is registered, where that is asked.
fn project(call: &Call<'_, '_>) -> Result<(), Problem> {
    if !call.is_engine() && !call.setting.require_project {
        return Ok(());
    }
    let Some(scope) = call.heard.body.get("scope") else { return Ok(()) };
    let flag = |name: &str| scope.get(name).and_then(Value::as_bool).unwrap_or(false);
    if !scope.get("kind").is_some_and(|kind| kind.is_str("project")) || flag("ephemeral") {
        return Ok(());
    }
    let root = scope.get("root").and_then(Value::as_str).unwrap_or_default();
    if call.state.projects.contains_key(&id_of(&one_spelling(&root))) {
        return Ok(());
    }
    let why = format!("no project is registered at {root:?}");
    Err(Problem::new(404, "project_not_registered", why)
        .action("register_project", "POST /v2/projects with this root, or set scope.ephemeral"))
}

/// Whether what is said of a workspace can be a private one at all. Whether it is, only the disk knows.
fn private(call: &Call<'_, '_>, workspace: Option<&str>, live: Option<&str>) -> Result<(), Problem> {
    let wrong = |why: &str| {
        let mut problem = Problem::new(400, "execution_workspace_invalid", why);
        problem.fields.push(("/execution/workspaceRoot".to_owned(), why.to_owned()));
        problem
    };
    let Some(workspace) = workspace else { return Err(wrong("a run that edits needs a private workspace")) };
    if !workspace.starts_with('/') {
        return Err(wrong("the workspace must be an absolute path"));
    }
    if live.is_some_and(|live| !live.is_empty() && !live.starts_with('/')) {
        return Err(wrong("the workspace cannot be told from a live tree whose path is not absolute"));
    }
    if !call.is_engine() {
        return Ok(());
    }
    let body = &call.heard.body;
    let says = |of: &str, name: &str, word: &str| {
        body.get(of).and_then(|part| part.get(name)).is_some_and(|value| value.is_str(word))
    };
    let delegated = body.get("execution").and_then(|part| part.get("delegated")?.as_bool()).unwrap_or(false);
    let is_agent = body.get("mode").is_some_and(|mode| mode.is_str("agent"));
    if says("scope", "kind", "project") && says("execution", "isolation", "live") && delegated && is_agent {
        return Ok(());
    }
    Err(wrong("a workspace goes with mode agent, project scope, isolation live and delegated true only"))
}

/// Makes the run's files, where it has any, and then the run.
fn begin(call: &mut Call<'_, '_>, starting: Starting) -> Step {
    let mut files = files_of(call, &starting.run);
    let run = &starting.run;
    // The real daemon looks at a workspace even where nothing is written in it.
    if let (true, true, Some(Effect::Begin { edits, .. })) =
        (call.is_engine(), run.workspace.is_some(), &mut files)
    {
        edits.get_or_insert_with(|| (call.space_of(run), Vec::new()));
    }
    call.state.busy.insert(starting.run.id.clone());
    match files {
        Some(effect) => call.begin(effect, starting),
        None => {
            let effect = Effect::Begin { run: starting.run.id.clone(), edits: None, attempt: None };
            started(call, starting, effect, Ok(false))
        }
    }
}

/// The files that a run begins with; none where it has none.
pub(crate) fn files_of(call: &Call<'_, '_>, run: &Run) -> Option<Effect> {
    let edits = run.wanted.clone().map(|files| (call.space_of(run), files));
    let has_dir = !call.setting.runs.is_empty();
    let attempt = (run.script.attempt && has_dir).then(|| record(call, &run.id));
    (has_dir || edits.is_some()).then(|| Effect::Begin { run: run.id.clone(), edits, attempt })
}

/// The record of the attempt of a mutating run.
fn record(call: &Call<'_, '_>, id: &str) -> String {
    let setting = call.setting;
    let lines = [
        ("attempt_id", json!("a01")),
        ("harness_id", json!(setting.harness)),
        ("harness_home_isolated", json!(true)),
        ("harness_home_dir", json!(format!("{}/home", setting.run_dir(id)))),
        ("confinement_mechanism", json!("fake-sandbox")),
        ("confinement_verified_denied_path", json!(format!("{}/daemon", setting.runs))),
    ];
    lines.map(|(name, value)| format!("{name}: {value}\n")).concat()
}

/// The files of a start were made, or not.
pub(crate) fn started(
    call: &mut Call<'_, '_>,
    starting: Starting,
    effect: Effect,
    outcome: Result<bool, Blocked>,
) -> Step {
    let Starting { run, key, space, digest } = starting;
    call.state.busy.remove(&run.id);
    let edited = match outcome {
        Ok(edited) => edited,
        Err(blocked @ Blocked::Disk(_)) => {
            call.state.receipts.forget(&space, &key);
            return call.refuse(&disk(&blocked));
        }
        Err(blocked) => {
            let problem = blocked_start(&blocked);
            call.facts.push(Fact::WriteRefused { run: run.id, why: blocked.to_string() });
            let reply = problem.reply(call.setting.manner);
            call.state.receipts.keep(&space, &key, SCOPE, digest, Some(reply));
            return call.refuse(&problem);
        }
    };
    let id = take_up(call, run, effect, edited);
    let mut body = json!({"runId": id, "runDir": call.setting.run_dir(&id)});
    if call.is_engine() {
        body["jobId"] = json!(job(call.setting, &id));
        body["taskId"] = json!(format!("task-{}", call.setting.id("task", &id, 12)));
    }
    let reply = Reply::json(200, &body);
    call.state.receipts.keep(&space, &key, SCOPE, digest, Some(reply.clone()));
    let reply = unless_queued(call, &id, reply);
    call.go_on(&id, Then::Say { reply, what: Answers::Start })
}

/// Takes a run up whose files were made. Gives its id.
pub(crate) fn take_up(call: &mut Call<'_, '_>, mut run: Run, effect: Effect, edited: bool) -> String {
    let id = run.id.clone();
    call.decided.run = Some(id.clone());
    // The start stands before its edits.
    let mut facts = run.take_facts();
    if let Effect::Begin { edits, attempt, .. } = effect {
        facts.extend(edits.iter().filter(|_| edited).flat_map(|(_, files)| written(&id, files)));
        facts.extend(attempt.map(|text| Fact::FileWritten {
            run: id.clone(),
            place: Place::Run,
            path: "attempts/a01/attempt.yaml".to_owned(),
            content: Sum::of(text.as_bytes()),
        }));
    }
    call.facts.extend(facts);
    if run.wanted.is_some() {
        run.edited(call.now_ms);
    }
    call.state.runs.insert(id.clone(), run);
    call.touched(&id);
    id
}

fn blocked_start(blocked: &Blocked) -> Problem {
    match blocked {
        Blocked::NoWorkspace | Blocked::NotPrivate => {
            Problem::new(400, "execution_workspace_invalid", blocked.to_string())
        }
        Blocked::Refused { .. } => Problem::new(409, "workspace_edit_refused", blocked.to_string()),
        Blocked::Disk(_) => disk(blocked),
    }
}

/// The run that an answer to a start names.
fn run_of(reply: &Reply) -> Option<String> {
    let super::Form::Whole(_, bytes) = &reply.form else { return None };
    let body: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    Some(body.get("runId")?.as_str()?.to_owned())
}
