//! One case: a lane, a workspace, the agent's process, and what the journal says afterwards.

use crate::grade::{self, Evidence};
use crate::run::{Field, RunError};
use crate::told::Told;
use rehearsal_journal::event::{AgentExited, AgentStarted, Event, Network};
use rehearsal_journal::fold::{Facts, facts};
use rehearsal_journal::run::{CaseResult, Finding, JournalHead, Place, Severity, Verdict};
use rehearsal_journal::{normal, redact};
use rehearsal_script::scenario::Phrasing;
use rehearsal_wire::rule::Profile;
use rehearsal_world::files;
use rehearsal_world::process::{self, Captured, Launch, Ran, StartError};
use rehearsal_world::record::{Name, Recorder, file_stem, read_journal};
use rehearsal_world::{ids, task};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long an agent may take to end once it is asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How long answers may go on leaving once the agent's processes are gone.
const LEAVING: Duration = Duration::from_secs(2);
/// Bytes kept of each of the agent's outputs.
const KEPT: usize = 1 << 20;
/// Largest declared file whose content is shown when it differs.
const SHOWN: u64 = 1 << 20;

/// Where a case does its work.
struct Folders {
    case: PathBuf,
    workspace: PathBuf,
    home: PathBuf,
}

impl Folders {
    fn make(field: &Field, phrasing: &Phrasing) -> Result<Self, RunError> {
        let case = field.folder.join("cases").join(file_stem(&phrasing.id));
        let folders = Self { workspace: case.join("workspace"), home: case.join("home"), case };
        for folder in [&folders.workspace, &folders.home] {
            files::private_folders(folder)
                .map_err(|source| RunError::Folder { path: folder.clone(), source })?;
        }
        files::fill_workspace(&folders.workspace, &phrasing.expect_agent.given_files)?;
        Ok(folders)
    }
}

/// Runs a case to its verdict. What the world could not do makes it broken; the run goes on.
pub(crate) async fn run(field: &Field, index: usize) -> CaseResult {
    let phrasing = &field.standin.setting().scenarios.phrasings[index];
    match attempt(field, index, phrasing).await {
        Ok(result) => result,
        Err(error) => broken(phrasing, &error),
    }
}

async fn attempt(field: &Field, index: usize, phrasing: &Phrasing) -> Result<CaseResult, RunError> {
    let folders = Folders::make(field, phrasing)?;
    let token = ids::case_token()?;
    let recorder = Arc::new(field.recorder(Name::Case(phrasing.id.clone()), Some(&phrasing.id))?);
    field.standin.open_lane(&token, index, Arc::clone(&recorder));
    let told = Told {
        prompt: phrasing.prompt.clone(),
        base_url: format!("http://{}/t/{token}/v1", field.address),
        workspace: folders.workspace.display().to_string(),
        home: folders.home.display().to_string(),
        model: field.order.model.clone(),
        case: phrasing.id.clone(),
    };
    let ran = rehearse(field, phrasing, &folders, &told, &recorder).await;
    let head = field.standin.close_lane(&token, task::after(LEAVING)).await.transpose()?;
    let ran = ran?;

    let events = read_journal(&field.folder.join("journals"), &Name::Case(phrasing.id.clone()))?.events;
    let facts = facts(&events);
    let contents = contents(&folders.workspace, phrasing);
    let scenarios = &field.standin.setting().scenarios;
    let parts: Vec<&Phrasing> =
        scenarios.phrasings.iter().filter(|part| part.part_of == Some(index)).collect();
    let evidence = Evidence {
        phrasing,
        parts: &parts,
        pinned: field.standin.setting().profile == Profile::Pinned,
        facts: &facts,
        stdout: &ran.stdout.text(),
        stderr: &ran.stderr.text(),
        contents: &contents,
    };
    let findings = grade::grade(&evidence, &scenarios.weights);
    let masks = [
        (told.workspace.as_str(), "{workspace}"),
        (told.home.as_str(), "{home}"),
        (token.as_str(), "{token}"),
    ];
    let normalised = normal::digest(&normal::normalised(&events, &masks));
    let head = head.map_or_else(JournalHead::default, |head| JournalHead {
        journal: phrasing.id.clone(),
        head: head.sum,
        requests: head.requests,
    });
    Ok(result(phrasing, &parts, &facts, findings, head, normalised))
}

/// Starts the agent, waits for its end, and takes down what the host saw.
async fn rehearse(
    field: &Field,
    phrasing: &Phrasing,
    folders: &Folders,
    told: &Told,
    recorder: &Recorder,
) -> Result<Ran, RunError> {
    let time_limit = phrasing.expect_agent.time_limit.unwrap_or(field.order.time_limit);
    let argv = field.command(told);
    let launch = Launch {
        argv: argv.clone(),
        env: told
            .environment(field.order.inherited.iter().cloned())
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        folder: folders.workspace.clone(),
        stdin: None,
        time_limit,
        grace: GRACE,
        keep: KEPT,
    };
    recorder.note(Event::WorkspaceFound(files::see_workspace(&folders.workspace, &[])));
    let running = process::start(&launch)?;
    recorder.note(Event::AgentStarted(AgentStarted {
        argv: redact::arguments(&argv),
        pid: running.pid(),
        prompt: told.prompt.clone(),
        time_limit_ms: u64::try_from(time_limit.as_millis()).unwrap_or(u64::MAX),
        network: Network::Host,
    }));
    let ran = running.finish().await;
    recorder.note(Event::AgentExited(AgentExited {
        status: ran.status,
        signal: ran.signal,
        timed_out: ran.timed_out,
        ran_ms: u64::try_from(ran.ran.as_millis()).unwrap_or(u64::MAX),
        stdout: ran.stdout.output(),
        stderr: ran.stderr.output(),
    }));
    let wanted: Vec<_> = phrasing.expect_agent.files.iter().map(|file| file.path.as_str()).collect();
    recorder.note(Event::WorkspaceSeen(files::see_workspace(&folders.workspace, &wanted)));
    keep(&folders.case, "stdout.txt", &ran.stdout)?;
    keep(&folders.case, "stderr.txt", &ran.stderr)?;
    Ok(ran)
}

fn keep(folder: &Path, name: &str, output: &Captured) -> Result<(), RunError> {
    let path = folder.join(name);
    files::write_report(&path, &output.kept).map_err(|source| RunError::Folder { path, source })
}

/// The declared files that can be read, for the words of a finding.
fn contents(workspace: &Path, phrasing: &Phrasing) -> Vec<(String, Vec<u8>)> {
    let wanted = phrasing.expect_agent.files.iter().filter(|file| file.content.is_some());
    wanted
        .filter_map(|file| Some((file.path.clone(), files::read_in_workspace(workspace, &file.path, SHOWN)?)))
        .collect()
}

fn result(
    phrasing: &Phrasing,
    parts: &[&Phrasing],
    facts: &Facts,
    findings: Vec<Finding>,
    journal: JournalHead,
    normalised: String,
) -> CaseResult {
    let exited = facts.exited.as_ref();
    CaseResult {
        class: phrasing.class.clone(),
        phrasing: phrasing.id.clone(),
        place: Place {
            file: phrasing.place.file.clone(),
            line: phrasing.place.line as u64,
            column: phrasing.place.column as u64,
        },
        round: 1,
        verdict: match findings.iter().any(|finding| finding.severity == Severity::Error) {
            true => Verdict::Failed,
            false => Verdict::Passed,
        },
        requests: facts.asked().count() as u64,
        retries: facts.asked().filter(|request| request.attempt_of.is_some()).count() as u64,
        steps: grade::steps(phrasing, parts, facts),
        ran_ms: exited.map_or(0, |exited| exited.ran_ms),
        status: exited.and_then(|exited| exited.status),
        findings,
        journal,
        normalised,
    }
}

fn broken(phrasing: &Phrasing, error: &RunError) -> CaseResult {
    let code = match error {
        RunError::Start(
            StartError::Missing(_) | StartError::NotExecutable(_) | StartError::Interpreter(_),
        ) => &grade::NOT_STARTED,
        _ => &grade::WORLD_FAILED,
    };
    let finding = Finding {
        code: code.code.to_owned(),
        severity: Severity::Error,
        message: error.to_string(),
        exchanges: Vec::new(),
        also: Vec::new(),
    };
    let facts = Facts::default();
    CaseResult {
        verdict: Verdict::Broken,
        ..result(phrasing, &[], &facts, vec![finding], JournalHead::default(), String::new())
    }
}
