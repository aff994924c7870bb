//! Faults put over scripts: read from a command line or a request, and laid over what the model says.

use crate::scenario::{FaultCall, Scenarios};
use crate::spoil::overlaid;
use rehearsal_wire::fault::{self, Arrives, FAULTS, Fault, Work, check_params, clash, fault};
use rehearsal_wire::json;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Faults that break answers together.
#[derive(Clone, Debug)]
pub struct Drill {
    /// As it was written: `NAME[:key=value…][+NAME…]`.
    pub name: String,
    /// The faults with their parameters.
    pub faults: Vec<FaultCall>,
    /// Their rows.
    pub rows: Vec<&'static Fault>,
    /// How many requests meet a fault that lets no turn arrive.
    pub times: u32,
}

/// Reads what is to be drilled: `all`, or faults with commas between.
///
/// # Errors
/// One sentence on the first that is none.
pub fn read(text: &str) -> Result<Vec<Drill>, String> {
    if text.trim() == "all" {
        return FAULTS.iter().map(|row| drill(row.name)).collect();
    }
    let alone = |part: &str| part.split([':', '+']).any(|name| name.trim() == "all");
    if text.split(',').any(alone) {
        return Err("`all` stands alone: it names every fault, each without parameters".to_owned());
    }
    let drills: Vec<Drill> = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(drill)
        .collect::<Result<_, _>>()?;
    if drills.is_empty() {
        return Err("no fault is named; write `all`, or names with commas between".to_owned());
    }
    let mut known = BTreeSet::new();
    if let Some(twice) = drills.iter().find(|drill| !known.insert(&*drill.name)) {
        return Err(format!("{} is named twice", twice.name));
    }
    Ok(drills)
}

/// Reads one: a fault, or several with `+` between.
///
/// # Errors
/// One sentence.
pub fn drill(text: &str) -> Result<Drill, String> {
    let mut times = 1;
    let mut faults = Vec::new();
    for part in text.split('+') {
        let mut words = part.split(':');
        let call = call(words.next().unwrap_or_default(), words, &mut times)?;
        faults.push(call);
    }
    let rows: Vec<_> = faults.iter().filter_map(|call| fault(&call.name)).collect();
    match clash(&rows) {
        Some(why) => Err(why),
        None => Ok(Drill { name: text.to_owned(), faults, rows, times }),
    }
}

fn call<'t>(name: &str, params: impl Iterator<Item = &'t str>, times: &mut u32) -> Result<FaultCall, String> {
    let Some(row) = fault(name) else {
        return Err(fault::unknown(name));
    };
    let mut call = FaultCall { name: name.to_owned(), params: Vec::new() };
    let mut set = BTreeSet::new();
    for param in params {
        let Some((key, value)) = param.split_once('=') else {
            return Err(format!("{param} is no parameter of {name}; write {name}:key=value"));
        };
        if !set.insert(key) {
            return Err(format!("{key} is set twice for {name}"));
        }
        if key == "times" {
            let count = value.parse().ok().filter(|count| *count > 0);
            *times = count
                .ok_or_else(|| format!("times={value}: how many requests meet it, from 1 to {}", u32::MAX))?;
            continue;
        }
        call.params.push((key.to_owned(), json_text(value)));
    }
    check_params(row.params, &call.params).map_err(|fault| format!("{name}: {fault}"))?;
    Ok(call)
}

/// A value as JSON text: as it stands where it is JSON, else as a text.
fn json_text(value: &str) -> String {
    if json::parse(value.as_bytes()).is_ok() {
        return value.to_owned();
    }
    let mut out = Vec::new();
    json::write_string(&mut out, value);
    String::from_utf8(out).unwrap_or_default()
}

impl Drill {
    /// What reaches a correct client.
    #[must_use]
    pub fn arrives(&self) -> Arrives {
        fault::arrives(&self.rows)
    }

    /// The scripts with the faults over them.
    #[must_use]
    pub fn over(&self, scenarios: &Scenarios) -> Scenarios {
        let mut scenarios = scenarios.clone();
        let arrives = self.arrives();
        // A recording is what it is.
        let scripted = scenarios.phrasings.iter_mut().filter(|phrasing| phrasing.cassette.is_none());
        for phrasing in scripted {
            *phrasing = overlaid(phrasing, &self.faults, arrives, self.times);
            phrasing.hostile |= arrives != Arrives::Not && self.rows.iter().any(|row| row.hostile);
            // A bound that was set for a wire without faults has no room for another attempt.
            if phrasing.expect_agent.max_requests.is_some() {
                Arc::make_mut(&mut phrasing.expect_agent).max_requests = None;
            }
        }
        scenarios
    }

    /// Whether the work may come out otherwise than a case declares: the model says something else.
    #[must_use]
    pub fn changes_the_work(&self) -> bool {
        let changes = |row: &&Fault| {
            row.arrives == Arrives::Otherwise || row.works.iter().any(|work| matches!(work, Work::Words(_)))
        };
        self.rows.iter().any(changes)
    }
}

#[cfg(test)]
mod tests {
    use super::{drill, read};

    #[test]
    fn faults_are_read_with_their_parameters() {
        let two = drill("sse-crlf+mid-body-drop:at=0.3");
        assert_eq!(
            two.unwrap_err(),
            "`sse-crlf` and `mid-body-drop` do not go together: one of them is a whole answer of its own"
        );
        let one = drill("mid-body-drop:at=0.3:times=2").unwrap();
        assert_eq!((one.times, one.faults[0].params[0].1.as_str()), (2, "0.3"));
        assert_eq!(read("sse-crlf, black-hole").unwrap().len(), 2);
        assert!(read("all").unwrap().len() > 3);
        assert!(read(" , ").unwrap_err().starts_with("no fault is named"));
        assert_eq!(read("sse-crlf,sse-crlf").unwrap_err(), "sse-crlf is named twice");
        assert!(read("all,sse-crlf").unwrap_err().starts_with("`all` stands alone"));
        for (text, why) in [
            ("sse-crfl", "there is no fault sse-crfl; did you mean `sse-crlf`?"),
            ("sse-crlf:at", "at is no parameter of sse-crlf; write sse-crlf:key=value"),
            ("sse-crlf:at=1", "sse-crlf: unknown parameter `at`: this fault has none"),
            ("mid-body-drop:at=2", "mid-body-drop: parameter `at` must be a number from 0 to 1"),
            ("mid-body-drop:times=0", "times=0: how many requests meet it, from 1 to 4294967295"),
            ("mid-body-drop:at=0.1:at=0.2", "at is set twice for mid-body-drop"),
        ] {
            assert_eq!(drill(text).unwrap_err(), why);
        }
    }
}
