//! What a request tells of the conversation before it, as far as two requests of one conversation say the same.

use rehearsal_journal::digest;
use rehearsal_wire::turn::{Message, Role, Turn};

/// What a request holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    /// A digest of each message. Instructions are left out: clients put times and states of folders into them.
    lines: Vec<[u8; 32]>,
    /// The earlier reply that the server is to go on from.
    pub(super) kept: Option<String>,
    /// The last thing that a user said.
    pub(super) prompt: String,
    /// Turns of the model that it holds since then.
    turns: usize,
}

impl History {
    /// What a request holds.
    pub(super) fn of(turn: &Turn<'_>) -> Self {
        let told = |message: &&Message<'_>| !matches!(message.role, Role::System | Role::Developer);
        let says = |message: &Message<'_>| message.texts.iter().any(|text| !text.trim().is_empty());
        let last = turn.messages.iter().rposition(|message| message.role == Role::User && says(message));
        let since = turn.messages.iter().skip(last.unwrap_or(0));
        Self {
            lines: turn.messages.iter().filter(told).map(line).collect(),
            kept: turn.kept.as_ref().map(|kept| kept.id.clone().into_owned()),
            prompt: last.map(|at| turn.messages[at].texts.concat()).unwrap_or_default(),
            turns: since.filter(|message| message.role == Role::Assistant).count(),
        }
    }

    /// How many messages it holds.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether it holds all of another one and more.
    pub(super) fn begins_with(&self, other: &Self) -> bool {
        self.lines.len() > other.lines.len() && self.lines.starts_with(&other.lines)
    }

    /// What to say where a conversation begins with it, though the model had answered its prompt before.
    pub(super) fn cut_in(&self, name: &str) -> Option<String> {
        let turns = self.turns;
        let plural = if turns == 1 { "" } else { "s" };
        (turns > 0).then(|| {
            format!(
                "{name}: it goes on from {turns} turn{plural} that no recording before it gave: put the steps for them before its script."
            )
        })
    }
}

/// What tells a message from others: who speaks, the words, the calls, which calls it answers.
fn line(message: &Message<'_>) -> [u8; 32] {
    let role: &[u8] = match message.role {
        Role::System | Role::Developer => b"system",
        Role::User => b"user",
        Role::Assistant => b"assistant",
        Role::Tool | Role::Function => b"tool",
        Role::Unknown => b"unknown",
    };
    let mut parts: Vec<&[u8]> = vec![role];
    parts.extend(message.texts.iter().map(|text| text.as_bytes()));
    for call in &message.calls {
        parts.extend([b"call", call.id.as_bytes(), call.name.as_bytes()]);
    }
    for id in &message.answers {
        parts.extend([b"answers", id.as_bytes()]);
    }
    let mut all = digest::Running::default();
    for part in parts {
        all.update(&(part.len() as u64).to_le_bytes());
        all.update(part);
    }
    all.finish()
}
