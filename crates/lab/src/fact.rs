//! What a subsystem observed. Only this crate can make one, so that no step reports what nobody saw.

use serde_json::{Map, Value};

/// What a subsystem observed in one operation: fields by name, and what it can vouch for.
///
/// Whoever runs a step can read it and pass it on, but not make one:
///
/// ```compile_fail
/// let invented = rehearsal_lab::Fact { observed: serde_json::Map::new(), proofs: Vec::new(), volatile: Vec::new() };
/// ```
///
/// ```compile_fail
/// let invented = rehearsal_lab::Fact::of(serde_json::Map::new());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    observed: Map<String, Value>,
    proofs: Vec<Proof>,
    volatile: Vec<&'static str>,
}

/// What more than fields a subsystem saw with its own eyes. Outcomes rest on these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// What it interrupted ended by itself, and in time.
    InterruptAcknowledged,
    /// It broke something on purpose.
    FaultInjected,
    /// A line of descent was found in the store, from end to end.
    EdgeVerified,
    /// A digest was taken of stored bytes and is the one that was recorded, or a seal was.
    SealVerified,
}

impl Proof {
    /// Its word, as in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::InterruptAcknowledged => "interrupt_acknowledged",
            Self::FaultInjected => "fault_injected",
            Self::EdgeVerified => "edge_verified",
            Self::SealVerified => "seal_verified",
        }
    }
}

impl Fact {
    /// A fact of some fields.
    pub(crate) fn of(observed: Map<String, Value>) -> Self {
        Self { observed, proofs: Vec::new(), volatile: Vec::new() }
    }

    /// The same, vouched for.
    pub(crate) fn proving(mut self, proof: Proof) -> Self {
        self.proofs.push(proof);
        self
    }

    /// The same, some of whose fields differ from run to run.
    pub(crate) fn varying(mut self, fields: &[&'static str]) -> Self {
        self.volatile.extend(fields);
        self
    }

    /// Names of fields that differ from run to run though nothing else does, such as a port that the system gave: they are left
    /// out where runs are compared.
    #[must_use]
    pub fn volatile(&self) -> &[&'static str] {
        &self.volatile
    }

    /// The fields.
    #[must_use]
    pub fn observed(&self) -> &Map<String, Value> {
        &self.observed
    }

    /// What it vouches for.
    #[must_use]
    pub fn proofs(&self) -> &[Proof] {
        &self.proofs
    }
}
