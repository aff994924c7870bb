//! What an endpoint really does (`--probe`), and what is known of those that were asked (`--capabilities`).

use super::{endpoint, work};
use crate::command::choice;
use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_driver::endpoint::ask::{Asker, Dialled, Manner};
use rehearsal_driver::endpoint::config::Endpoint;
use rehearsal_driver::probe::kept::{Accuracy, FOLDER, Kept, KeptError};
use rehearsal_driver::probe::sample::{Measured, Sampled, measure};
use rehearsal_driver::probe::{capabilities, core, run, told};
use rehearsal_driver::worker::format::Format;
use rehearsal_world::dial::Client;
use rehearsal_world::task as background;
use std::path::Path;

/// After so many samples in a row without an answer no further one is asked.
const GIVE_UP: u32 = 3;

/// Arguments that ask what an endpoint does instead of giving it a task.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// Find out what the endpoint at this base URL does with the model, and keep it below --data.
    #[arg(long, value_name = "URL", conflicts_with_all = ["endpoint", "prompt", "prompt_file", "owns", "capabilities"])]
    probe: Option<String>,
    /// With --probe: also ask so many small editing tasks whose right result is known, in --format, and count the right ones.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "probe", conflicts_with_all = ["endpoint", "prompt", "prompt_file", "owns", "capabilities"])]
    samples: u64,
    /// Show what is known of the endpoint and the model, or of all that were probed with this --data.
    #[arg(long, conflicts_with_all = ["prompt", "prompt_file", "owns"])]
    capabilities: bool,
}

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted<'a> {
    /// To find out, at this URL.
    Probe(&'a str),
    /// To see what is known.
    Capabilities,
}

impl Arguments {
    pub(super) fn wanted(&self) -> Option<Wanted<'_>> {
        match (&self.probe, self.capabilities) {
            (Some(url), _) => Some(Wanted::Probe(url)),
            (None, true) => Some(Wanted::Capabilities),
            (None, false) => None,
        }
    }
}

pub(super) fn run(
    wanted: Wanted<'_>,
    arguments: &Arguments,
    work: &work::Arguments,
    asking: &endpoint::Arguments,
) -> Result<(), Failure> {
    choice::folder(&work.data)?;
    match wanted {
        Wanted::Probe(url) => probe(url, arguments.samples, work, asking),
        Wanted::Capabilities => show(work, asking),
    }
}

fn probe(
    url: &str,
    samples: u64,
    work: &work::Arguments,
    asking: &endpoint::Arguments,
) -> Result<(), Failure> {
    if asking.model.is_empty() {
        return Err(Failure::Command("say in --model which model is to be asked".to_owned()));
    }
    let endpoint = asking.read_at(url)?;
    let client = Client::new(asking.trust()?);
    let earlier = load(&work.data, &endpoint, &asking.model)?;
    for note in &endpoint.notes {
        terminal::complain(&format!("rehearsal: {note}"));
    }
    let most = core::most_requests(endpoint.dialect());
    let more = if samples == 0 { String::new() } else { format!(", then {samples} editing tasks") };
    terminal::complain(&format!(
        "rehearsal: at most {most} requests of a few tokens each, one of them of some 5,000, beside retries{more}"
    ));
    let accuracy = earlier.map(|earlier| earlier.accuracy).unwrap_or_default();
    let finding = async {
        let over = Dialled::new(client.clone());
        let kept = run::find(&endpoint, &asking.model, asking.manner(), over).await;
        let mut kept = Kept { accuracy, ..kept };
        let measured = match samples {
            0 => Measured::default(),
            _ if !kept.answers() => Measured {
                notes: vec!["nothing is measured where nothing answers".to_owned()],
                ..Measured::default()
            },
            _ => sample(samples, &mut kept, work.format, &endpoint, asking, &client).await,
        };
        (kept, measured)
    };
    let ended = background::run_here(async { background::unless_asked_to_end(finding).await });
    let ended = ended.map_err(|error| Failure::World(error.to_string()))?;
    let Some((kept, measured)) = ended else {
        return Err(Failure::World("asked to end: nothing was kept".to_owned()));
    };
    kept.keep(&work.data).map_err(|error| unusable(&error))?;
    if work.json {
        terminal::say(&kept.to_json());
    } else {
        terminal::print(&told::table(&kept));
    }
    for note in &measured.notes {
        terminal::complain(&format!("rehearsal: {note}"));
    }
    if kept.answers() { Ok(()) } else { Err(Failure::NotMet) }
}

/// Asks samples from where an earlier run ended, and adds them up.
async fn sample(
    samples: u64,
    kept: &mut Kept,
    format: &'static Format,
    endpoint: &Endpoint,
    asking: &endpoint::Arguments,
    client: &Client,
) -> Measured {
    let Accuracy { format: name, fixtures, next, good, all } = kept.accuracy_of(format.name);
    let (mut measured, mut silent, mut number) = (Measured::default(), 0, next);
    while number < next.saturating_add(samples) && silent < GIVE_UP {
        let answer_from_reasoning = asking.manner().answer_from_reasoning;
        let manner = Manner { answer_from_reasoning, ..run::manner(asking.manner()) };
        let mut asker = Asker::new(endpoint.clone(), manner, client.clone());
        let (sample, sampled) = measure(number, &asking.model, format, &mut asker).await;
        silent = if matches!(sampled, Sampled::Unanswered(_)) { silent + 1 } else { 0 };
        measured.add(&sample, sampled);
        number += 1;
    }
    let (good, all) = (good + measured.good, all + measured.all);
    kept.measured(Accuracy { format: name, fixtures, next: number, good, all });
    measured
}

/// Shows what is known of one endpoint, or of all.
fn show(work: &work::Arguments, asking: &endpoint::Arguments) -> Result<(), Failure> {
    let mut all = Vec::new();
    if asking.endpoint.is_empty() {
        for read in Kept::load_all(&work.data).map_err(|error| unusable(&error))? {
            match read {
                Ok(kept) => all.push(kept),
                Err((name, error)) => terminal::complain(&format!("rehearsal: {name}: {error}")),
            }
        }
        all.retain(|kept| asking.model.is_empty() || kept.model == asking.model);
        if all.is_empty() {
            let data = work.data.display();
            return Err(Failure::Command(format!(
                "nothing was probed with --data {data}; --probe URL does it"
            )));
        }
    } else {
        if asking.model.is_empty() {
            return Err(Failure::Command("say in --model which model is meant".to_owned()));
        }
        let endpoint = asking.read()?;
        let kept = load(&work.data, &endpoint, &asking.model)?;
        // Nothing known is an answer, too: the defaults of somebody who promises nothing.
        all.push(kept.unwrap_or_else(|| Kept::nothing(&endpoint, &asking.model)));
    }
    for kept in &all {
        match work.json {
            true => terminal::say(&capabilities::to_json(kept, work.format.name)),
            false => terminal::print(&capabilities::table(kept, work.format.name)),
        }
    }
    Ok(())
}

/// What is kept of one endpoint and model. Where it cannot be used, its file is named: somebody has to mend or remove it.
fn load(data: &Path, endpoint: &Endpoint, model: &str) -> Result<Option<Kept>, Failure> {
    Kept::load(data, endpoint, model).map_err(|error| {
        let at = data.join(FOLDER).join(Kept::nothing(endpoint, model).file_name());
        Failure::World(format!(
            "{} cannot be used: {error}; mend it, or remove it and probe again",
            at.display()
        ))
    })
}

fn unusable(error: &KeptError) -> Failure {
    Failure::World(format!("what is kept of capabilities cannot be used: {error}"))
}
