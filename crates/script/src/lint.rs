//! What is legal in a suite but likely to surprise.

use crate::find::Finder;
use crate::finding::{Code, Finding, Severity};
use crate::fold::fold;
use crate::read::Known;
use crate::scenario::{Action, Advance, Phrasing, Place, Scenarios, ScriptedCall};
use rehearsal_wire::json::{Kind, Value, parse};

/// The surprises of a suite without mistakes.
pub(crate) fn surprises(scenarios: &Scenarios, known: &Known<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let all = &scenarios.phrasings;
    let markers = Finder::new(all.iter().map(|phrasing| phrasing.marker_folded.clone()).collect());
    for (i, phrasing) in all.iter().enumerate() {
        // Its own marker stands in it, so that the first that does is an earlier one or its own.
        let first = markers.first_in(&phrasing.marker_folded).filter(|first| *first < i);
        shadowed(i, first, all, &mut found);
        if let Some(case) = phrasing.part_of.and_then(|case| all.get(case)) {
            mixed_up(phrasing, case, &mut found);
        }
        if !fold(&phrasing.prompt).contains(&phrasing.marker_folded) {
            let message = format!("the prompt of `{}` does not hold its marker", phrasing.id);
            let hint = "without a case token such a request would be background";
            found.push(warning(&phrasing.place, message, hint));
        }
        script(phrasing, known, &mut found);
    }
    found
}

fn warning(place: &Place, message: String, hint: &str) -> Finding {
    let Place { file, line, column } = place.clone();
    let (severity, code, hint) = (Severity::Warning, Code::Suspicious, Some(hint.to_owned()));
    Finding { file, line, column, pointer: String::new(), severity, code, message, hint }
}

fn shadowed(index: usize, first: Option<usize>, all: &[Phrasing], found: &mut Vec<Finding>) {
    let Some(first) = first else { return };
    let (of_case, phrasing) = (all[index].part_of, &all[index]);
    // A case and its conversations have rules of their own; and one that a class gives to all its phrasings is one text.
    let is_family = of_case == Some(first) || (of_case.is_some() && all[first].place == phrasing.place);
    if !is_family {
        let first = &all[first].id;
        let message =
            format!("the marker of `{}` holds the marker of `{first}`, which comes first", phrasing.id);
        let hint =
            "without a case token every such request goes to the first; put the longer marker before it";
        found.push(warning(&phrasing.place, message, hint));
    }
}

/// A case's own requests and those of its conversations are told apart by their texts alone.
fn mixed_up(part: &Phrasing, case: &Phrasing, found: &mut Vec<Finding>) {
    let holds = |one: &Phrasing, other: &Phrasing| {
        one.marker_folded.contains(&other.marker_folded) || fold(&one.prompt).contains(&other.marker_folded)
    };
    let (outer, inner) = match (holds(case, part), holds(part, case)) {
        (true, _) => (case, part),
        (false, true) => (part, case),
        (false, false) => return,
    };
    let message = format!("the marker of `{}` stands in the prompt or marker of `{}`", inner.id, outer.id);
    let hint = "they are parts of one case, and a request of the one may be taken for one of the other";
    found.push(warning(&part.place, message, hint));
}

fn script(phrasing: &Phrasing, known: &Known<'_>, found: &mut Vec<Finding>) {
    let (id, place) = (&phrasing.id, &phrasing.place);
    let steps = phrasing.steps();
    for (i, step) in phrasing.script.iter().enumerate() {
        let actions = step.before.iter().map(|trouble| &trouble.action).chain([&step.action]);
        for said in actions.filter_map(Action::said) {
            for call in &said.calls {
                name(call, id, i, place, found);
                arguments(call, id, i, place, found);
            }
        }
        match &step.action {
            Action::Say(said) if said.text.is_none() && said.refusal.is_none() && said.calls.is_empty() => {
                let message = format!("step {} of `{id}` says null", i + 1);
                found.push(warning(
                    place,
                    message,
                    "the real API refuses such a message in the history; write `text: \"\"`",
                ));
            }
            Action::Fault { faults, .. }
                if i + 1 < steps && faults.iter().any(|fault| known.is_hostile(&fault.name)) =>
            {
                let message = format!("nobody gets past step {} of `{id}`", i + 1);
                found.push(warning(place, message, "give the fault `times`, or remove the steps after it"));
            }
            Action::Error(_) if i + 1 < steps && phrasing.advance != Advance::Request => {
                let message =
                    format!("nobody gets past step {} of `{id}`: each retry meets the same error", i + 1);
                found.push(warning(place, message, "give the error `times`, or remove the steps after it"));
            }
            Action::Say(_) | Action::Error(_) | Action::Fault { .. } | Action::End => {}
        }
    }
    if steps == 0 && phrasing.cassette.is_none() && phrasing.daemon.is_none() {
        let message = format!("`{id}` has no steps");
        found.push(warning(place, message, "every request of it runs past the end of the script"));
    }
}

/// OpenAI's pattern for names of functions, which the requests that bring a call back are held to.
fn name(call: &ScriptedCall, id: &str, step: usize, place: &Place, found: &mut Vec<Finding>) {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if call.name.is_empty() || !call.name.bytes().all(fits) {
        let message = format!(
            "the tool `{}` at step {} of `{id}` has no name that the API takes back",
            call.name,
            step + 1
        );
        found.push(warning(place, message, "names hold letters of ASCII, digits, `_` and `-`"));
    }
}

fn arguments(call: &ScriptedCall, id: &str, step: usize, place: &Place, found: &mut Vec<Finding>) {
    let at = format!("the arguments of `{}` at step {} of `{id}`", call.name, step + 1);
    let Ok(tape) = parse(call.arguments.as_bytes()) else {
        found.push(warning(
            place,
            format!("{at} are not JSON"),
            "fine if the agent is to meet broken arguments",
        ));
        return;
    };
    if tape.root().kind() != Kind::Object {
        let hint = "providers send objects; fine if the agent is to meet something else";
        found.push(warning(place, format!("{at} are {}, not an object", tape.root().kind().phrase()), hint));
    }
    if let Some(number) = changed_by_a_double(tape.root()) {
        let hint = "clients that rewrite numbers through doubles echo another one; send it as a text";
        found.push(warning(place, format!("{at} hold {number}, which no double can hold"), hint));
    }
}

/// The first number that changes when it is read as a double and written again.
fn changed_by_a_double(value: Value<'_>) -> Option<&str> {
    match value.kind() {
        Kind::Number => value.as_number().filter(|text| !survives(text)),
        Kind::Array => value.items().find_map(changed_by_a_double),
        Kind::Object => value.entries().find_map(|(_, value)| changed_by_a_double(value)),
        Kind::Null | Kind::Bool | Kind::String => None,
    }
}

fn survives(text: &str) -> bool {
    use rehearsal_wire::json::{Likeness, likeness};
    let Ok(double) = text.parse::<f64>() else { return false };
    if !double.is_finite() {
        return false;
    }
    let again = format!("{double}");
    match (parse(text.as_bytes()), parse(again.as_bytes())) {
        (Ok(before), Ok(after)) => likeness(before.root(), after.root()) == Likeness::Same,
        _ => false,
    }
}
