//! One case: a lane, a workspace, the agent's process, and what the journal says afterwards.

use crate::daemon::{Beside, Requests};
use crate::field::{Field, Seat};
use crate::grade::{self, Evidence, Talk};
use crate::run::RunError;
use crate::surroundings::Surroundings;
use crate::told::Told;
use crate::{cassette, drill as drills};
use rehearsal_bridge::replay::serve::Replay;
use rehearsal_journal::event::{AgentExited, AgentStarted, Event};
use rehearsal_journal::fold::{Facts, facts};
use rehearsal_journal::run::{CaseResult, Finding, JournalHead, Place, Severity, Verdict};
use rehearsal_journal::{normal, redact};
use rehearsal_script::drill::Drill;
use rehearsal_script::scenario::Phrasing;
use rehearsal_standin::core::Setting;
use rehearsal_wire::rule::Profile;
use rehearsal_world::files;
use rehearsal_world::process::{Captured, Launch, Ran, StartError};
use rehearsal_world::record::{Head, Journal, Name, Recorder, file_stem, read_journal_with};
use rehearsal_world::{ids, task};
use std::collections::BTreeMap;
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
pub(crate) struct Folders {
    pub(crate) case: PathBuf,
    pub(crate) workspace: PathBuf,
    pub(crate) home: PathBuf,
}

impl Folders {
    /// Where they are to be; none is made.
    pub(crate) fn of(field: &Field, name: &str) -> Self {
        let case = field.folder.join("cases").join(file_stem(name));
        Self { workspace: case.join("workspace"), home: case.join("home"), case }
    }

    fn make(field: &Field, name: &str) -> Result<Self, RunError> {
        let folders = Self::of(field, name);
        for folder in [&folders.workspace, &folders.home] {
            files::private_folders(folder)
                .map_err(|source| RunError::Folder { path: folder.clone(), source })?;
        }
        Ok(folders)
    }
}

/// Runs a case to its verdict. What the world could not do makes it broken; the run goes on.
pub(crate) async fn run(field: &Arc<Field>, seat: Seat, index: usize, name: &str) -> CaseResult {
    let (setting, drill) = (field.setting(seat), field.drill(seat));
    let staged = |folders| Staged {
        setting: Arc::clone(setting),
        drill: drill.cloned(),
        index,
        name: name.to_owned(),
        folders,
    };
    let result = match Folders::make(field, name).map(staged) {
        Ok(staged) => attempt(field, staged).await,
        Err(error) => Err(error),
    };
    let result = result
        .unwrap_or_else(|error| broken(&setting.scenarios.phrasings[index], &parts(setting, index), &error));
    CaseResult { round: seat.round, fault: drill.map(|drill| drill.name.clone()), ..result }
}

/// What is played for an agent, and where it works.
pub(crate) struct Staged {
    /// What the stand-in plays.
    pub(crate) setting: Arc<Setting>,
    /// The fault that it plays it under.
    pub(crate) drill: Option<Drill>,
    /// The phrasing.
    pub(crate) index: usize,
    /// Name of the journal.
    pub(crate) name: String,
    pub(crate) folders: Folders,
}

/// The further conversations of a case.
fn parts(setting: &Setting, case: usize) -> Vec<&Phrasing> {
    let scenarios = &setting.scenarios;
    scenarios.parts(case).map(|part| &scenarios.phrasings[part]).collect()
}

/// One round of a case, from its folders to its verdict; `name` tells the rounds apart.
pub(crate) async fn attempt(field: &Arc<Field>, staged: Staged) -> Result<CaseResult, RunError> {
    let Staged { setting, index, name, folders, .. } = &staged;
    let index = *index;
    let phrasing = &setting.scenarios.phrasings[index];
    let token = ids::case_token()?;
    let recorder = field.recorder(name, &phrasing.id)?;
    let recordings = open(field, phrasing, index, (&token, setting, &recorder));
    let parts = parts(setting, index);
    let requests = Arc::<Requests>::default();
    let stop = task::first(
        field.board.exceeded(&token, grade::most_requests(phrasing, &parts, recordings)),
        requests.exceeded(grade::most_daemon_requests(phrasing)),
    );
    let watched = (&recorder, &requests);
    let ran = surrounded(field, phrasing, folders, &token, watched, stop).await;
    let head = field.board.close(&token, LEAVING).await?;
    let (ran, secret) = ran?;
    let seen = Seen { staged, token, secret, ran, head };
    let field = Arc::clone(field);
    // A journal of megabytes takes its time, in which the other cases must not wait for answers.
    task::aside(async move { judged(&field, &seen) }).await
}

/// Opens the case's lane. Where a cassette plays its provider, tells how many recordings that has.
fn open(
    field: &Field,
    phrasing: &Phrasing,
    index: usize,
    (token, setting, recorder): (&str, &Arc<Setting>, &Arc<Recorder>),
) -> u64 {
    let (setting, own) = (Arc::clone(setting), Arc::clone(recorder));
    field.board.standin().open_lane(token, index, setting, own);
    let Some(cassette) = &phrasing.cassette else { return 0 };
    let cassettes = &field.order.suite.cassettes;
    // Misses are told by the verdict.
    let replay =
        Replay::new(cassettes.shelf(cassette), Arc::clone(recorder), cassette::speed(cassette), None, |_| {});
    field.board.connect(token, replay, Arc::clone(recorder));
    cassettes.count(cassette)
}

/// A round of a case that has ended and is to be judged.
struct Seen {
    staged: Staged,
    token: String,
    /// The secret of the case's daemon, where it has one.
    secret: Option<String>,
    ran: Ran,
    head: Option<Head>,
}

/// The verdict, from the journal and what the host saw.
fn judged(field: &Field, seen: &Seen) -> Result<CaseResult, RunError> {
    let Seen { staged, token, secret, ran, head } = seen;
    let Staged { setting, drill, index, name, folders } = staged;
    let phrasing = &setting.scenarios.phrasings[*index];
    let parts = parts(setting, *index);
    let (journal, talk) = read(field, phrasing, name, secret.as_deref())?;
    let mut facts = facts(journal.times.iter().copied().zip(&journal.events));
    facts.pair_renamed(grade::renamed);
    let contents = contents(&folders.workspace, phrasing);
    let evidence = Evidence {
        phrasing,
        parts: &parts,
        pinned: setting.profile == Profile::Pinned,
        facts: &facts,
        stdout: &ran.stdout.text(),
        stderr: &ran.stderr.text(),
        contents: &contents,
        talk: talk.as_ref(),
    };
    let mut findings = grade::grade(&evidence, &field.weights);
    let outcome = drill.as_ref().map(|drill| drills::judge(drill, phrasing, &facts, &mut findings));
    let (workspace, home) = (folders.workspace.display().to_string(), folders.home.display().to_string());
    let case = folders.case.display().to_string();
    let masks = [
        (workspace.as_str(), "{workspace}"),
        (home.as_str(), "{home}"),
        (case.as_str(), "{case}"),
        (token.as_str(), "{token}"),
    ];
    let normalised = normal::digest(&normal::normalised(&journal.events, &masks));
    let head = head.as_ref().map_or_else(JournalHead::default, |head| JournalHead {
        journal: name.clone(),
        head: head.sum.clone(),
        requests: head.requests,
    });
    let judged = result(phrasing, &parts, (&facts, talk.as_ref()), findings, head, normalised);
    Ok(CaseResult { outcome, ..judged })
}

/// The journal of a case, and what was said to its daemon, whose secret is known where it has one.
fn read(
    field: &Field,
    phrasing: &Phrasing,
    name: &str,
    secret: Option<&str>,
) -> Result<(Journal, Option<Talk>), RunError> {
    let (folder, name) = (field.folder.join("journals"), Name::Case(name.to_owned()));
    let mut bodies = BTreeMap::new();
    let journal = read_journal_with(&folder, &name, |event, body| {
        if let (Event::Asked(asked), Some(body), Some(_)) = (event, body, secret)
            && grade::is_wanted(asked)
        {
            bodies.insert(asked.exchange, body.to_vec());
        }
    })?;
    let talk = phrasing.daemon.as_ref().zip(secret).map(|(daemon, secret)| {
        let events = journal.times.iter().copied().zip(&journal.events);
        Talk::of(events, bodies, secret.to_owned(), field.order.suite.run_files.of(daemon))
    });
    Ok((journal, talk))
}

/// Runs the agent with all that stands around it, to its end or until `stop` says that it need not go on. Gives the secret of the
/// case's daemon, too.
async fn surrounded(
    field: &Field,
    phrasing: &Phrasing,
    folders: &Folders,
    token: &str,
    (recorder, requests): (&Arc<Recorder>, &Arc<Requests>),
    stop: impl Future<Output = ()>,
) -> Result<(Ran, Option<String>), RunError> {
    let mut around = Surroundings::open(field, phrasing, &folders.case, recorder, requests)?;
    let secret = around.daemon().map(|daemon| daemon.token().to_owned());
    let reach = &field.order.reach;
    let proxy = around.proxy();
    let told = Told {
        prompt: phrasing.prompt.clone(),
        base_url: format!("{}/t/{token}/v1", reach.told(field.address)),
        workspace: folders.workspace.display().to_string(),
        home: folders.home.display().to_string(),
        model: field.order.model.clone(),
        case: phrasing.id.clone(),
        no_proxy: proxy.is_some().then(|| reach.no_proxy()),
        proxy,
        shim: around.shims().map(|_| format!("{}/t/{token}", reach.local(field.address))),
        daemon: around.daemon().map(Beside::told),
    };
    let ran = rehearse(field, phrasing, folders, &told, &mut around, stop).await;
    around.close().await;
    let ran = ran?;
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
    Ok((ran, secret))
}

/// Lays out its files, starts the agent and waits for its end, or until `stop` says that it need not go on.
async fn rehearse(
    field: &Field,
    phrasing: &Phrasing,
    folders: &Folders,
    told: &Told,
    around: &mut Surroundings,
    stop: impl Future<Output = ()>,
) -> Result<Ran, RunError> {
    let time_limit = phrasing.expect_agent.time_limit.unwrap_or(field.order.time_limit);
    let agent = &field.order.agent;
    agent.lay_out(told)?;
    // What a case gives stands above what the suite gives to every case.
    files::fill_workspace(&folders.workspace, &phrasing.expect_agent.given_files)?;
    around.note(Event::WorkspaceFound(files::see_workspace(&folders.workspace, &[])));
    let argv = agent.argv(told);
    let env = agent.environment(told, &field.order.inherited, around.shims());
    let launch = Launch {
        argv: around.unwatched(&argv, &field.order)?,
        env: env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
        folder: folders.workspace.clone(),
        stdin: agent.stdin(told),
        time_limit,
        grace: GRACE,
        keep: KEPT,
    };
    let running = around.start(launch)?;
    around.note(Event::AgentStarted(AgentStarted {
        argv: redact::arguments(&argv),
        pid: running.pid(),
        prompt: told.prompt.clone(),
        time_limit_ms: u64::try_from(time_limit.as_millis()).unwrap_or(u64::MAX),
        network: around.network(),
    }));
    around.enter(field, &running).await?;
    Ok(running.finish_or(stop).await)
}

/// Keeps what a program printed in a file of a case's folder.
pub(crate) fn keep(folder: &Path, name: &str, output: &Captured) -> Result<(), RunError> {
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
    (facts, talk): (&Facts, Option<&Talk>),
    findings: Vec<Finding>,
    journal: JournalHead,
    normalised: String,
) -> CaseResult {
    let exited = facts.exited.as_ref();
    CaseResult {
        class: phrasing.class.clone(),
        phrasing: phrasing.id.clone(),
        fault: None,
        outcome: None,
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
        requests: (facts.asked().count() + talk.map_or(0, |talk| talk.requests().count())) as u64,
        retries: facts.asked().filter(|request| request.attempt_of.is_some()).count() as u64,
        workflow: None,
        steps: grade::steps(phrasing, parts, facts, talk),
        ran_ms: exited.map_or(0, |exited| exited.ran_ms),
        status: exited.and_then(|exited| exited.status),
        findings,
        journal,
        normalised,
    }
}

fn broken(phrasing: &Phrasing, parts: &[&Phrasing], error: &RunError) -> CaseResult {
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
        ..result(phrasing, parts, (&facts, None), vec![finding], JournalHead::default(), String::new())
    }
}
