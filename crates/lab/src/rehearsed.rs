//! What an agent did in one rehearsal, as its journal has it. The journal is read back and its chain checked: nobody tells it.

use crate::{Fact, Proof, Stop};
use rehearsal_journal::fold::{self, Facts};
use rehearsal_world::record::{Name, read_journal};
use serde_json::{Map, Value};
use std::path::Path;

/// Reads what a closed journal says of its agent.
///
/// # Errors
/// [`Stop::Failed`] where the journal cannot be read back whole.
pub fn rehearsed(folder: &Path, name: &Name) -> Result<Fact, Stop> {
    let journal = read_journal(folder, name).map_err(|error| Stop::Failed(error.to_string()))?;
    Ok(seen(&fold::facts(journal.times.iter().copied().zip(&journal.events))))
}

fn seen(facts: &Facts) -> Fact {
    let count = |number: usize| Value::from(number);
    let mut fields = Map::new();
    if let Some(status) = facts.exited.as_ref().and_then(|exited| exited.status) {
        fields.insert("status".to_owned(), Value::from(status));
    }
    let asked = || facts.asked();
    fields.insert("requests".to_owned(), count(asked().count()));
    let retries = asked().filter(|request| request.attempt_of.is_some()).count();
    fields.insert("retries".to_owned(), count(retries));
    let refused = facts.requests.iter().filter(|request| request.reject.is_some()).count();
    fields.insert("refused".to_owned(), count(refused));
    let calls: Vec<Value> = facts.calls.iter().map(|call| Value::from(call.name.clone())).collect();
    fields.insert("calls".to_owned(), Value::Array(calls));
    let faults = facts.requests.iter().filter(|request| request.fault.is_some()).count();
    fields.insert("faults".to_owned(), count(faults));
    let mut files: Vec<String> = match (&facts.workspace_before, &facts.workspace) {
        (Some(before), Some(after)) => {
            fold::changes(before, after).into_iter().map(|(path, _)| path.to_owned()).collect()
        }
        (None, _) | (_, None) => Vec::new(),
    };
    files.sort_unstable();
    fields.insert("files".to_owned(), Value::from(files));
    let fact = Fact::of(fields);
    if faults > 0 { fact.proving(Proof::FaultInjected) } else { fact }
}
