//! The states of a task as the wire has them.

/// The states of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Submitted,
    Working,
    Completed,
    Failed,
    Canceled,
    InputRequired,
    Rejected,
    AuthRequired,
}

impl Shown {
    pub(crate) const ALL: [Self; 8] = [
        Self::Submitted,
        Self::Working,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::InputRequired,
        Self::Rejected,
        Self::AuthRequired,
    ];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Submitted => "TASK_STATE_SUBMITTED",
            Self::Working => "TASK_STATE_WORKING",
            Self::Completed => "TASK_STATE_COMPLETED",
            Self::Failed => "TASK_STATE_FAILED",
            Self::Canceled => "TASK_STATE_CANCELED",
            Self::InputRequired => "TASK_STATE_INPUT_REQUIRED",
            Self::Rejected => "TASK_STATE_REJECTED",
            Self::AuthRequired => "TASK_STATE_AUTH_REQUIRED",
        }
    }

    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shown| shown.word() == word)
    }

    /// Whether the task is over.
    pub(crate) fn is_terminal(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected => true,
            Self::Submitted | Self::Working | Self::InputRequired | Self::AuthRequired => false,
        }
    }

    /// Whether nothing happens by itself any more: it is over, or waits for its user.
    pub(crate) fn is_at_rest(self) -> bool {
        self.is_terminal() || matches!(self, Self::InputRequired | Self::AuthRequired)
    }
}

#[cfg(test)]
mod tests {
    use super::Shown;

    #[test]
    fn a_state_is_found_by_its_word_and_rests_where_its_user_must_act() {
        for shown in Shown::ALL {
            assert_eq!(Shown::of(shown.word()), Some(shown));
        }
        let at_rest: Vec<_> = Shown::ALL.into_iter().filter(|shown| !shown.is_at_rest()).collect();
        assert_eq!(at_rest, [Shown::Submitted, Shown::Working]);
    }
}
