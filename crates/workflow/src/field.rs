//! What all cases of a run share: the order, the server and its address, the run folder, the clock.

use crate::choose::{self, Case};
use crate::run::{Order, RunError};
use crate::switchboard::Switchboard;
use rehearsal_journal::run::label;
use rehearsal_script::drill::Drill;
use rehearsal_script::scenario::Weight;
use rehearsal_standin::core::Setting;
use rehearsal_world::clock::Clock;
use rehearsal_world::record::{Name, RecordError, Recorder, SEGMENT_BYTES, Settings};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What all cases of a run share.
pub(crate) struct Field {
    pub(crate) order: Order,
    pub(crate) board: Arc<Switchboard>,
    /// What is played under each fault of the order.
    pub(crate) settings: Vec<Arc<Setting>>,
    pub(crate) address: SocketAddr,
    pub(crate) folder: PathBuf,
    pub(crate) run: String,
    pub(crate) clock: Clock,
    /// Whether each agent has a network of its own.
    pub(crate) enclosed: bool,
    /// What findings weigh: what the suite says, then what the command says, which holds.
    pub(crate) weights: Vec<(String, Weight)>,
}

/// One attempt at a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seat {
    /// The case: place among the chosen ones.
    pub(crate) case: usize,
    /// The fault: place among those of the order.
    pub(crate) drill: Option<usize>,
    /// The round, from 1.
    pub(crate) round: u32,
}

impl Field {
    /// All seats, in the order in which they are taken: every case has had its first round before one has its second, so that
    /// a failure shows early. A shuffle is the same in each round.
    pub(crate) fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        let (cases, drills) = (self.order.cases.len(), self.order.drills.len());
        let all = cases * drills.max(1);
        let places =
            self.order.shuffle.map_or_else(|| (0..all).collect(), |seed| choose::shuffled(all, seed));
        let places = Arc::new(places);
        (1..=self.order.repeat).flat_map(move |round| {
            let places = Arc::clone(&places);
            (0..all).map(move |at| Seat {
                case: places[at] % cases,
                drill: (drills > 0).then_some(places[at] / cases),
                round,
            })
        })
    }

    /// The case of a seat.
    pub(crate) fn case(&self, seat: Seat) -> Case {
        self.order.cases[seat.case]
    }

    /// What is played at a seat.
    pub(crate) fn setting(&self, seat: Seat) -> &Arc<Setting> {
        seat.drill.map_or_else(|| self.board.standin().setting(), |drill| &self.settings[drill])
    }

    /// The fault of a seat.
    pub(crate) fn drill(&self, seat: Seat) -> Option<&Drill> {
        Some(&self.order.drills[seat.drill?])
    }

    /// The name of the attempt.
    pub(crate) fn label(&self, seat: Seat) -> String {
        let case = self.case(seat).name(&self.order.suite);
        label(case, self.drill(seat).map(|drill| &*drill.name), seat.round)
    }

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
