//! What an endpoint refuses to be asked, and how it is asked instead: one step for each refusal, kept once it has helped. Pure.
//!
//! A refusal that does not clearly name something that was sent is final: stepping down on it would hide the real fault.

use super::refusal::step;
use std::collections::BTreeSet;

/// How far the answer's form is left to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// `response_format` with the schema.
    JsonSchema,
    /// `response_format` of `json_object`; the schema stands in the system text alone.
    JsonObject,
    /// No `response_format`.
    None,
}

/// The field that carries the token limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitField {
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

impl LimitField {
    /// The field's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::MaxTokens => Self::MaxCompletionTokens,
            Self::MaxCompletionTokens => Self::MaxTokens,
        }
    }
}

/// How a request is made up. Two limit fields at once cannot be said: endpoints refuse that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The `response_format`.
    pub rung: Rung,
    /// Whether `temperature` is sent.
    pub temperature: bool,
    /// The field of the token limit; `None` where none is sent.
    pub limit: Option<LimitField>,
    /// Whether the system text is a message of its own; otherwise it leads the first user message.
    pub system: bool,
    /// Whether `stream_options` are sent.
    pub stream_options: bool,
    /// Whether earlier answers go back with what the model thought: some servers refuse that, others want it.
    pub reasoning: bool,
}

/// One change of the shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// From the schema to `json_object`.
    DroppedSchema,
    /// From `json_object` to no `response_format`.
    DroppedJsonObject,
    /// `temperature` is not sent any more.
    DroppedTemperature,
    /// The limit goes by its other name.
    RenamedLimit,
    /// The system text was folded into the user's.
    FoldedSystem,
    /// `stream_options` are not sent any more.
    DroppedStreamOptions,
    /// Earlier answers go back with what the model thought.
    SentReasoning,
}

impl Step {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DroppedSchema => "dropped_schema",
            Self::DroppedJsonObject => "dropped_json_object",
            Self::DroppedTemperature => "dropped_temperature",
            Self::RenamedLimit => "renamed_limit",
            Self::FoldedSystem => "folded_system",
            Self::DroppedStreamOptions => "dropped_stream_options",
            Self::SentReasoning => "sent_reasoning",
        }
    }
}

/// An answer that is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// HTTP status.
    pub status: u16,
    /// `error.param`, if it is not empty.
    pub param: Option<&'a str>,
    /// `error.code` as text, if it is not empty.
    pub code: Option<&'a str>,
    /// The message; for bodies without one the whole body (some name the field only in a `detail` array).
    pub message: &'a str,
}

/// What to do after a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Ask again at once, in the new shape. This is neither a retry nor a repair of the answer.
    Again(Step),
    /// The refusal is about something else.
    Final,
}

/// What is known of one endpoint and model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    known: Shape,
    trying: Shape,
    steps: Vec<Step>,
}

impl Ladder {
    /// A ladder that begins with this shape.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        Self { known: shape, trying: shape, steps: Vec::new() }
    }

    /// The same, at an endpoint that forced these steps before: what it refuses is not sent again.
    #[must_use]
    pub fn knowing(shape: Shape, steps: &BTreeSet<Step>) -> Self {
        let fits = |shape: Shape, step: &Step| match step {
            Step::DroppedSchema => shape.rung == Rung::JsonSchema,
            Step::DroppedJsonObject => shape.rung == Rung::JsonObject,
            Step::DroppedTemperature
            | Step::RenamedLimit
            | Step::FoldedSystem
            | Step::DroppedStreamOptions
            | Step::SentReasoning => true,
        };
        // The two of the answer's form stand in their order.
        let stepped = steps
            .iter()
            .fold(shape, |shape, step| if fits(shape, step) { step.applied(shape) } else { shape });
        Self::new(stepped)
    }

    /// The shape of the next request.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.trying
    }

    /// What is remembered: the shape that a success has proved.
    #[must_use]
    pub fn known(&self) -> Shape {
        self.known
    }

    /// A request was refused. After [`Verdict::Final`] all steps that no success has proved are forgotten.
    pub fn refused(&mut self, refusal: &Refusal<'_>) -> Verdict {
        match step(&self.trying, refusal)
            .filter(|step| !(*step == Step::RenamedLimit && self.steps.contains(step)))
        {
            Some(step) => {
                self.trying = step.applied(self.trying);
                self.steps.push(step);
                Verdict::Again(step)
            }
            None => {
                self.gave_up();
                Verdict::Final
            }
        }
    }

    /// The last request was answered: its shape is remembered. Returns the steps that led to it.
    pub fn succeeded(&mut self) -> Vec<Step> {
        self.known = self.trying;
        std::mem::take(&mut self.steps)
    }

    /// The last request got no answer for a reason of another kind: nothing is proved, nothing is remembered.
    pub fn gave_up(&mut self) {
        self.trying = self.known;
        self.steps.clear();
    }
}

impl Step {
    fn applied(self, shape: Shape) -> Shape {
        match self {
            Self::DroppedSchema => Shape { rung: Rung::JsonObject, ..shape },
            Self::DroppedJsonObject => Shape { rung: Rung::None, ..shape },
            Self::DroppedTemperature => Shape { temperature: false, ..shape },
            Self::RenamedLimit => Shape { limit: shape.limit.map(LimitField::other), ..shape },
            Self::FoldedSystem => Shape { system: false, ..shape },
            Self::DroppedStreamOptions => Shape { stream_options: false, ..shape },
            Self::SentReasoning => Shape { reasoning: true, ..shape },
        }
    }
}
