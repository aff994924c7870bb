//! Several files to one suite: forms, what they must agree on, and names that must be unique.

use super::class::{self, Context};
use super::{File, Known, command};
use crate::finding::{Code, Finding, Findings, Spot};
use crate::node::{self, Key, Node};
use crate::scenario::{Scenarios, Weight};
use crate::schema;
use rehearsal_wire::names::{hint, nearest};
use rehearsal_wire::rule::{Echo, Profile};
use std::collections::BTreeMap;

/// Settings by name, each with the file that said it first.
type Switches<'f, V> = BTreeMap<String, (V, &'f str)>;

/// What the files said so far, each with the place that said it first.
#[derive(Default)]
struct Agreed<'f> {
    profile: Option<(&'static str, String)>,
    echo: Option<(&'static str, String)>,
    rules: Switches<'f, bool>,
    weights: Switches<'f, Weight>,
}

/// Reads all files. The scenarios are of use only where no finding is an error.
pub(super) fn load(
    files: &[File<'_>],
    known: &Known<'_>,
    chosen: Option<Profile>,
) -> (Scenarios, Vec<Finding>) {
    let mut agreed = Agreed::default();
    // The older form's expectations belong to the profile `pinned`; a milder one that a person chooses lifts them.
    let built_in = chosen.is_none_or(|profile| profile == Profile::Pinned);
    let mut context = Context::new(known, built_in);
    let mut all = Vec::new();
    for file in files {
        let mut findings = Findings::new(file.name);
        let root = node::read(file.bytes, &mut findings);
        if let Some(root) = &root
            && let Some(older) = form(root, &mut findings)
        {
            schema::check(root, &schema::FILE, older, &mut findings);
            settings(root, older, file.name, known, &mut agreed, &mut findings);
            context.older = older;
            if !older {
                command::agent(root, &mut context, &mut findings);
            }
            class::classes(root, &mut context, &mut findings);
        }
        all.extend(findings.into_sorted(root.as_ref()));
    }
    let scenarios = Scenarios {
        phrasings: context.phrasings,
        profile: agreed.profile.map_or(Profile::Gate, |(word, _)| profile(word)),
        rules: agreed.rules.into_iter().map(|(name, (on, _))| (name, on)).collect(),
        echo: agreed.echo.map_or(Echo::Double, |(word, _)| echo(word)),
        weights: agreed.weights.into_iter().map(|(code, (weight, _))| (code, weight)).collect(),
        agent: context.agent,
    };
    (scenarios, all)
}

/// Whether the file is of the form without `version`; `None` where its form is unknown.
fn form(root: &Node, findings: &mut Findings<'_>) -> Option<bool> {
    let Some(version) = root.get("version") else { return Some(true) };
    match version.as_whole() {
        Some(1) => Some(false),
        Some(number) => {
            let message = format!("the file has version {number}; this program reads version 1");
            findings.error(version.at, Code::Version, message);
            None
        }
        None => {
            let message = format!("`version` must be the number 1, not {}", version.phrase());
            findings.error(version.at, Code::Version, message);
            None
        }
    }
}

fn settings<'f>(
    root: &Node,
    older: bool,
    file: &'f str,
    known: &Known<'_>,
    agreed: &mut Agreed<'f>,
    findings: &mut Findings<'_>,
) {
    let (default_profile, default_echo) = if older { ("pinned", "exact") } else { ("gate", "double") };
    let word = |name: &str, default, words: &[&'static str]| -> (&'static str, Spot) {
        let node = root.get(name).filter(|_| !older);
        let said =
            node.and_then(Node::as_text).and_then(|text| words.iter().copied().find(|word| *word == text));
        (said.unwrap_or(default), node.map_or(root.at, |node| node.at))
    };
    let (profile, at) = word("profile", default_profile, &["lenient", "api", "gate", "pinned"]);
    agree("profile", profile, at, file, &mut agreed.profile, findings);
    let (echo, at) = word("echo", default_echo, &["exact", "double", "bytes"]);
    agree("echo", echo, at, file, &mut agreed.echo, findings);
    let rules = root.get("rules").filter(|_| !older).map_or(&[][..], Node::entries);
    for (key, node) in rules {
        let Some(on) = node.as_flag() else { continue };
        let names = Names {
            called: "rule",
            known: known.rules,
            listed: "`rehearsal lint --rules` prints all rules",
            phrase: |on| if on { "switched on" } else { "switched off" },
        };
        switch(key, on, file, &names, &mut agreed.rules, findings);
    }
    let weights = root.get("findings").filter(|_| !older).map_or(&[][..], Node::entries);
    for (key, node) in weights {
        let Some(weight) = node.as_text().and_then(Weight::named) else { continue };
        let names = Names {
            called: "finding",
            known: known.codes,
            listed: "`rehearsal explain` prints all codes",
            phrase: Weight::phrase,
        };
        switch(key, weight, file, &names, &mut agreed.weights, findings);
    }
}

/// The names that a map of settings may hold, and how messages speak of them.
struct Names<'k, V> {
    called: &'static str,
    known: &'k [&'k str],
    listed: &'static str,
    phrase: fn(V) -> &'static str,
}

/// Takes one setting: its name must be known, and no other file may say otherwise.
fn switch<'f, V: Copy + PartialEq>(
    key: &Key,
    value: V,
    file: &'f str,
    Names { called, known, listed, phrase }: &Names<'_, V>,
    agreed: &mut Switches<'f, V>,
    findings: &mut Findings<'_>,
) {
    if !known.contains(&key.name.as_str()) {
        let message = format!("there is no {called} `{}`", key.name);
        let hint = hint(nearest(&key.name, known.iter().copied()), || (*listed).to_owned());
        findings.error_with_hint(key.at, Code::UnknownName, message, hint);
    }
    let (before, where_before) = *agreed.entry(key.name.clone()).or_insert((value, file));
    if before != value {
        let message = format!("the {called} `{}` is {} in {where_before}", key.name, phrase(before));
        let hint = format!("the files of a suite share one set of {called}s");
        findings.error_with_hint(key.at, Code::Contradiction, message, hint);
    }
}

/// One server plays a whole suite, so its files must want the same of it.
fn agree(
    name: &str,
    word: &'static str,
    at: Spot,
    file: &str,
    agreed: &mut Option<(&'static str, String)>,
    findings: &mut Findings<'_>,
) {
    let (before, where_before) = agreed.get_or_insert_with(|| (word, file.to_owned()));
    if *before != word {
        let message = format!("`{name}` is {word} here, but {before} in {where_before}");
        let hint = format!("the files of a suite share one `{name}`: set it in each file with `version: 1`");
        findings.error_with_hint(at, Code::Contradiction, message, hint);
    }
}

fn profile(word: &str) -> Profile {
    match word {
        "lenient" => Profile::Lenient,
        "api" => Profile::Api,
        "pinned" => Profile::Pinned,
        _ => Profile::Gate,
    }
}

fn echo(word: &str) -> Echo {
    match word {
        "exact" => Echo::Exact,
        "bytes" => Echo::Bytes,
        _ => Echo::Double,
    }
}
