//! What all cases of a run share: the order, the stand-in and its address, the run folder, the clock.

use crate::run::{Order, RunError};
use rehearsal_script::scenario::Weight;
use rehearsal_standin::serve::StandIn;
use rehearsal_world::clock::Clock;
use rehearsal_world::record::{Name, RecordError, Recorder, SEGMENT_BYTES, Settings};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What all cases of a run share.
pub(crate) struct Field {
    pub(crate) order: Order,
    pub(crate) standin: Arc<StandIn>,
    pub(crate) address: SocketAddr,
    pub(crate) folder: PathBuf,
    pub(crate) run: String,
    pub(crate) clock: Clock,
    /// Whether each agent has a network of its own.
    pub(crate) enclosed: bool,
    /// What findings weigh: what the suite says, then what the command says, which holds.
    pub(crate) weights: Vec<(String, Weight)>,
}

impl Field {
    /// A journal of this run for a case; `name` tells its rounds apart.
    pub(crate) fn recorder(&self, name: &str, case: &str) -> Result<Arc<Recorder>, RunError> {
        let name = Name::Case(name.to_owned());
        Ok(Arc::new(open_journal(&self.folder, &self.run, &self.order, self.clock, name, Some(case))?))
    }
}

/// A journal in a run folder.
pub(crate) fn open_journal(
    folder: &Path,
    run: &str,
    order: &Order,
    clock: Clock,
    name: Name,
    case: Option<&str>,
) -> Result<Recorder, RecordError> {
    let settings = Settings {
        folder: folder.join("journals"),
        name,
        run: run.to_owned(),
        case: case.map(str::to_owned),
        seed: order.choice.seed,
        program: order.program.clone(),
        segment_bytes: SEGMENT_BYTES,
        keep: None,
    };
    Recorder::open(settings, clock, None)
}
