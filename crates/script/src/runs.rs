//! What files of run scripts say, after reading: which runs of the agent-run daemon they play, and how.

pub use crate::read::runs::{is_one, read};
use crate::scenario::Place;
use std::time::Duration;

/// All run scripts of the loaded files, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunScripts {
    /// The scripts. The first whose marker stands in a prompt plays the run.
    pub runs: Vec<RunScript>,
    /// Rows of quota that is known, each the text of a JSON object.
    pub snapshots: Vec<String>,
    /// Rows of quota that nobody knows, likewise.
    pub absences: Vec<String>,
}

impl RunScripts {
    /// The script of a prompt, where one of the markers stands in it.
    #[must_use]
    pub fn of(&self, prompt: &str) -> Option<&RunScript> {
        self.runs.iter().find(|run| prompt.contains(&run.marker))
    }
}

/// How one run is played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunScript {
    /// Its name, unique over all files.
    pub id: String,
    /// A prompt that holds this text is played by it. Never empty in a file.
    pub marker: String,
    /// The start is refused with this.
    pub refuse: Option<Refusal>,
    /// What it waits for in a queue before it begins: reads or starts again ([`When::Polls`]), or a time ([`When::After`]).
    pub queued: Option<When>,
    /// What the run does, in order. Without an ending it succeeds at the first poll after the last step.
    pub steps: Vec<Step>,
    /// What becomes of live messages, one each in their order; those beyond are taken as the daemon takes them.
    pub messages: Vec<MessageOutcome>,
    /// How answers about the run are broken on the wire.
    pub troubles: Vec<Trouble>,
    /// Whether the final text repeats what was answered, text by text.
    pub relay: bool,
    /// What an ended run says that it still needs, whatever its state.
    pub required_inputs: Vec<String>,
    /// What an agent gets wrong that its client should survive, over ACP.
    pub quirks: Vec<Quirk>,
    /// Whether the run has a record of its attempt: it edits files.
    pub attempt: bool,
    /// Where it stands; empty for one that no file holds.
    pub place: Place,
}

/// A start is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Status, 400..=599.
    pub status: u16,
    /// Code.
    pub code: String,
    /// One sentence.
    pub message: String,
}

/// One thing that a run does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it waits for once the step before it is done. While a question is open nothing goes on.
    pub when: When,
    /// What it does.
    pub act: Act,
}

/// What a step waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Nothing.
    Now,
    /// So many reads of the run's detail, 1 or more.
    Polls(u64),
    /// A time on the daemon's clock.
    After(Duration),
    /// A live message that is accepted.
    Message,
}

/// What a run does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Asks its user.
    Ask(Question),
    /// Writes files in the private workspace: path and text. `None` are the files that the daemon was started with.
    Edit(Option<Vec<(String, String)>>),
    /// Says something in its timeline.
    Note(String),
    /// Tells its client of something: the JSON text of an update of ACP, as it leaves.
    Update(String),
    /// Asks its client for something, and waits. A client that cannot be asked is passed by.
    Call(Call),
    /// Ends.
    End(Ending),
    /// Does nothing any more; only a cancel ends it.
    Hang,
}

/// A request from the agent to its client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Its method, as in `fs/read_text_file`.
    pub method: String,
    /// JSON text of its parameters, an object. `{session}`, `{cwd}` and `{result.NAME}` are filled in.
    pub params: String,
}

/// A question with one part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// Its id, with `{run}` for the first 8 digits of the run's id.
    pub id: String,
    /// A word above it.
    pub header: String,
    /// The question itself.
    pub text: String,
    /// Labels and descriptions to choose from.
    pub options: Vec<(String, Option<String>)>,
    /// Whether several may be chosen.
    pub multi_select: bool,
    /// How long it stays open; for ever where it does not say.
    pub timeout: Option<Duration>,
}

/// How a run ends by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// Whether it failed.
    pub failed: bool,
    /// Whether it was broken off, which who does not know that takes for a failure.
    pub interrupted: bool,
    /// Its final text; the daemon's own where it does not say.
    pub text: Option<String>,
    /// Repeats the text until it has so many bytes: for answers that are long.
    pub bytes: Option<u64>,
    /// Why it failed, for programs.
    pub failure: Option<Failure>,
    /// Why the turn stopped, over ACP; one of [`Ending::STOPS`]. Follows from the rest where it does not say.
    pub stop: Option<String>,
}

impl Ending {
    /// The reasons why a turn of ACP stops by itself.
    pub const STOPS: [&str; 4] = ["end_turn", "max_tokens", "max_turn_requests", "refusal"];
}

/// A typed failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// The code that clients schedule by.
    pub code: String,
    /// In which phase.
    pub phase: String,
    /// Of which category.
    pub category: String,
    /// One sentence that may be shown.
    pub message: String,
    /// How long after the end the limit that was met is lifted.
    pub resets_after: Option<Duration>,
    /// What its user can do.
    pub next_actions: Vec<String>,
}

impl Failure {
    /// The codes that clients are known to schedule by.
    pub const CODES: [&str; 11] = [
        "subscription_window_exhausted",
        "credential_pool_exhausted",
        "finite_zero",
        "hard_cap",
        "estimate_headroom",
        "unknown_paid_in_flight",
        "budget_overshoot",
        "cost_unverifiable",
        "delegated_home_unavailable",
        "delegated_evidence_incomplete",
        "access_profile_incompatible",
    ];
}

/// What becomes of one live message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageOutcome {
    /// One of [`MessageOutcome::OUTCOMES`].
    pub outcome: String,
    /// One of [`MessageOutcome::REASONS`].
    pub reason: Option<String>,
}

impl MessageOutcome {
    /// All outcomes of the real daemon. The first two say that the message was accepted.
    pub const OUTCOMES: [&str; 6] =
        ["delivered", "accepted", "rejected", "not_active", "unsupported", "delivery_unknown"];
    /// All its reasons.
    pub const REASONS: [&str; 11] = [
        "no_active_turn",
        "run_terminal",
        "attempt_mismatch",
        "no_live_session",
        "multi_attempt",
        "thread_bound",
        "interaction_pending",
        "rpc_refused",
        "admission_persist_failed",
        "transport_lost",
        "response_timeout",
    ];

    /// Whether the message was accepted.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        Self::OUTCOMES[..2].contains(&self.outcome.as_str())
    }
}

/// What agents over ACP are known to get wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quirk {
    /// The final text comes, and the prompt is never answered (google-antigravity/antigravity-cli 1041).
    NeverAnswers,
    /// A cancel changes nothing (NousResearch/hermes-agent 79196).
    IgnoresCancel,
    /// A cancel of one session cancels all (langchain-ai/deepagents 5084).
    CancelsAll,
    /// A cancel while nothing runs cancels the next prompt (NousResearch/hermes-agent 94597).
    SpoilsNext,
    /// Log lines stand between the JSON lines (OpenHands/software-agent-sdk 2132).
    Noise,
}

impl Quirk {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::NeverAnswers, Self::IgnoresCancel, Self::CancelsAll, Self::SpoilsNext, Self::Noise];
    /// Their words in files, in the same order.
    pub const WORDS: [&str; 5] = ["never_answers", "ignores_cancel", "cancels_all", "spoils_next", "noise"];

    /// The one of a word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().zip(Self::WORDS).find(|(_, known)| *known == word).map(|(quirk, _)| quirk)
    }
}

/// Answers about a run that are broken on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Which answers.
    pub on: Answers,
    /// How many of them go well before.
    pub skip: u64,
    /// How many are broken then.
    pub times: u64,
    /// How.
    pub mode: Mode,
}

/// Which answers about a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answers {
    /// To its start.
    Start,
    /// To a read of its detail.
    Poll,
    /// To an answer to a question.
    Answer,
    /// To a live message.
    Message,
    /// To a cancel.
    Control,
    /// To the request for its events.
    Events,
}

impl Answers {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Start, Self::Poll, Self::Answer, Self::Message, Self::Control, Self::Events];
    /// Their words in files, in the same order.
    pub const WORDS: [&str; 6] = ["start", "poll", "answer", "message", "control", "events"];

    /// The one of a word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().zip(Self::WORDS).find(|(_, known)| *known == word).map(|(answers, _)| answers)
    }
}

/// How an answer is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing comes for so long.
    SlowHead(Duration),
    /// The head comes, and the body so much later.
    SlowBody(Duration),
    /// The head comes, and the connection is reset.
    StatusThenCut,
    /// 200 with a body that is no JSON.
    Garbage,
    /// 401 with a body that breaks off.
    UnauthorizedThenCut,
    /// A problem of the real daemon in its place.
    Problem(Problem),
}

/// A problem that the real daemon is known to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Status, 400..=599.
    pub status: u16,
    /// One of [`Problem::CODES`].
    pub code: &'static str,
    /// Whether the same request may go well later.
    pub retryable: bool,
}

impl Problem {
    /// The codes.
    pub const CODES: [&str; 7] = [
        "idempotency_status_unavailable",
        "delivery_in_progress",
        "delivery_interrupted",
        "message_receipt_unavailable",
        "daemon_stopping",
        "delegation_cancel_incomplete",
        "run_expired_by_retention",
    ];
    /// Status and whether it is retryable, in the same order. The statuses 409 are guesses.
    const KNOWN: [(u16, bool); 7] =
        [(503, true), (409, true), (409, false), (500, true), (503, true), (409, true), (410, false)];

    /// The one of a code.
    #[must_use]
    pub fn of(code: &str) -> Option<Self> {
        let known = Self::CODES.into_iter().zip(Self::KNOWN).find(|(known, _)| *known == code);
        known.map(|(code, (status, retryable))| Self { status, code, retryable })
    }
}

impl Mode {
    /// Their words in files and journals.
    pub const WORDS: [&str; 6] =
        ["slow_head", "slow_body", "status_then_cut", "garbage", "unauthorized_then_cut", "problem"];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        let [slow_head, slow_body, status_then_cut, garbage, unauthorized_then_cut, problem] = Self::WORDS;
        match self {
            Self::SlowHead(_) => slow_head,
            Self::SlowBody(_) => slow_body,
            Self::StatusThenCut => status_then_cut,
            Self::Garbage => garbage,
            Self::UnauthorizedThenCut => unauthorized_then_cut,
            Self::Problem(_) => problem,
        }
    }

    /// The one of a word; the time is that of the slow ones, the problem that of the one that has it.
    #[must_use]
    pub fn of(word: &str, time: Duration, problem: Option<Problem>) -> Option<Self> {
        let all = [
            Self::SlowHead(time),
            Self::SlowBody(time),
            Self::StatusThenCut,
            Self::Garbage,
            Self::UnauthorizedThenCut,
        ];
        let all = all.into_iter().chain(problem.map(Self::Problem));
        all.into_iter().find(|mode| mode.word() == word)
    }

    /// Whether it takes a time.
    #[must_use]
    pub fn is_slow(self) -> bool {
        matches!(self, Self::SlowHead(_) | Self::SlowBody(_))
    }
}
