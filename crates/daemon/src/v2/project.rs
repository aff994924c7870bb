//! Projects: roots that somebody registered.

use super::{Call, Problem};
use crate::core::Step;
use crate::state::MOST_PROJECTS;
use rehearsal_journal::daemon::Fact;
use rehearsal_journal::digest;
use serde_json::json;

pub(crate) fn list(call: &mut Call<'_, '_>) -> Step {
    let rows: Vec<_> = call.state.projects.iter().map(|(id, root)| json!({"id": id, "root": root})).collect();
    call.ok(&json!({"projects": rows}))
}

pub(crate) fn register(call: &mut Call<'_, '_>) -> Step {
    let key = match call.key() {
        Ok(key) => key,
        Err(problem) => return call.refuse(&problem),
    };
    let root = match root(call) {
        Ok(root) => root,
        Err(problem) => return call.refuse(&problem),
    };
    if !call.is_seed() {
        if call.state.project_keys.get(&key).is_some_and(|known| *known != root) {
            let why = "this key registered another root";
            return call.refuse(&Problem::new(409, "idempotency_conflict", why));
        }
        let known = call.state.project_keys.contains_key(&key);
        if !known && call.state.project_keys.len() >= MOST_PROJECTS {
            call.state.project_keys.pop_first();
        }
        call.state.project_keys.insert(key, root.clone());
    }
    let id = id_of(&root);
    let created = !call.state.projects.contains_key(&id);
    if created {
        if call.state.projects.len() >= MOST_PROJECTS {
            return call.refuse(&Problem::new(429, "too_many_projects", "remove a project first").later());
        }
        call.state.projects.insert(id.clone(), root);
        call.facts.push(Fact::ProjectChanged { project: id.clone(), registered: true });
    }
    let mut body = json!({"id": id});
    if !call.is_seed() {
        body["created"] = json!(created);
    }
    call.ok(&body)
}

pub(crate) fn remove(call: &mut Call<'_, '_>, id: &str) -> Step {
    if call.state.projects.remove(id).is_none() {
        return call.refuse(&Problem::new(404, "project_not_found", "there is no project of this id"));
    }
    call.facts.push(Fact::ProjectChanged { project: id.to_owned(), registered: false });
    call.ok(&json!({"removed": true}))
}

/// The id of a root: the same for ever.
pub(crate) fn id_of(root: &str) -> String {
    let sum = digest::text(&digest::of(root.as_bytes()));
    format!("proj{}", sum.get(..12).unwrap_or(&sum))
}

/// The root of a registration, in one spelling: `/a/` and `/a//` are `/a`.
fn root(call: &Call<'_, '_>) -> Result<String, Problem> {
    let missing = || Problem::field("/root", "must be an absolute path");
    let value = call.heard.body.get("root").ok_or_else(missing)?;
    if call.is_seed() {
        let text = value.as_str().map_or_else(|| value.text().to_owned(), std::borrow::Cow::into_owned);
        return if text.is_empty() { Err(missing()) } else { Ok(text) };
    }
    let text = value.as_str().filter(|text| text.starts_with('/')).ok_or_else(missing)?;
    Ok(one_spelling(&text))
}

/// A path without empty and `.` parts and without a slash at its end. `..` stays: what it means only the disk knows.
pub(crate) fn one_spelling(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    format!("/{}", parts.join("/"))
}
