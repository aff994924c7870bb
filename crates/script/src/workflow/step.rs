//! What a reader must know of the steps that exist: names, inputs, what they observe and with what they refuse.

/// One step of the table, as files see it.
#[derive(Debug)]
pub struct StepForm {
    /// Its name.
    pub name: &'static str,
    /// Names of the reference's form for it, its own included where that form has it. Empty: our form alone has it.
    pub reference: &'static [&'static str],
    /// One sentence.
    pub summary: &'static str,
    /// What it takes.
    pub inputs: &'static [Input],
    /// Names and meanings of the fields of what it observes.
    pub gives: &'static [(&'static str, &'static str)],
    /// Whether further fields may be observed: those of its inputs, or of what somebody else sent.
    pub gives_more: bool,
    /// Codes with which it can refuse, beside those of permissions.
    pub refuses: &'static [&'static str],
    /// Whether it judges by itself: without an `expect` it still fails where something is wrong.
    pub judges: bool,
    /// When it interrupts what it runs: what the outcome `cancelled` needs.
    pub interrupts: Trigger,
    /// When it breaks something on purpose: what the outcome `recovered` needs.
    pub breaks: Trigger,
    /// A whole step in YAML, as documentation shows it.
    pub example: &'static str,
}

impl StepForm {
    /// Whether it only looks again at what others observed: it takes inputs of any name, and they are what it observes.
    #[must_use]
    pub const fn restates(&self) -> bool {
        self.inputs.is_empty() && self.gives_more
    }
}

/// When a step does what some outcomes need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Never.
    Never,
    /// Each time that it runs.
    Always,
    /// Where this input is given, and is not false or null.
    Given(&'static str),
}

/// One input of a step.
#[derive(Debug)]
pub struct Input {
    /// Its name.
    pub name: &'static str,
    /// What may stand there.
    pub kind: InputKind,
    /// Whether it must be there.
    pub required: bool,
    /// One sentence.
    pub doc: &'static str,
}

/// What an input may be. A reference to an earlier step may stand for any of them; what it leads to is looked at when the step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A text.
    Text,
    /// true or false.
    Flag,
    /// A whole number, 0 or more.
    Whole,
    /// A duration as text: `200ms`, `1.5s`, `2m`.
    Span,
    /// A list of texts.
    Texts,
    /// A map with texts.
    TextMap,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any value.
    Anything,
}

/// A code with which steps can refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusalForm {
    /// The code, such as `E_PATH_ESCAPE`.
    pub code: &'static str,
    /// Whether it says that something is not permitted: what `permission_denied` declares. Else `failure` declares it.
    pub permission: bool,
}
