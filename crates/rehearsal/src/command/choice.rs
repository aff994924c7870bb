//! Flags that `run` and `serve` share: profile, rules, seed.

use super::value;
use crate::failure::Failure;
use clap::Args;
use rehearsal_wire::rule::Profile;
use rehearsal_workflow::suite::{Choice, LoadError};
use rehearsal_world::files;
use std::path::Path;

/// How strict the provider is, and from which seed its ids come.
#[derive(Clone, Debug, Args)]
pub(crate) struct Flags {
    /// How strict the provider is [default: what the files say].
    #[arg(long, value_name = "PROFILE", value_parser = profile)]
    pub(crate) profile: Option<Profile>,
    /// Switch a rule of `rehearsal lint --rules`; may be given several times.
    #[arg(long = "rule", value_name = "NAME=on|off", value_parser = switch)]
    rules: Vec<(String, bool)>,
    /// Seed of all ids and times in replies.
    #[arg(long, value_name = "NUMBER", default_value = "1", allow_hyphen_values = true, value_parser = value::seed)]
    pub(crate) seed: u64,
    /// Refuse requests without an API key, as the profile `api` does.
    #[arg(long)]
    require_key: bool,
}

impl Flags {
    pub(crate) fn choice(&self) -> Choice {
        Choice {
            profile: self.profile,
            rules: self.rules.clone(),
            mode: None,
            seed: self.seed,
            require_key: self.require_key,
        }
    }
}

/// A folder that the program makes, if need be: no file may stand in its place.
pub(super) fn folder(path: &Path) -> Result<(), Failure> {
    if files::is_file(path) {
        return Err(Failure::Command(format!("{} is a file; --data takes a folder", path.display())));
    }
    Ok(())
}

fn profile(text: &str) -> Result<Profile, String> {
    Profile::ALL
        .into_iter()
        .find(|profile| profile.name() == text)
        .ok_or_else(|| format!("the profiles are {}", Profile::ALL.map(Profile::name).join(", ")))
}

fn switch(text: &str) -> Result<(String, bool), String> {
    match text.rsplit_once('=') {
        Some((name, "on")) => Ok((name.to_owned(), true)),
        Some((name, "off")) => Ok((name.to_owned(), false)),
        _ => Err("write NAME=on or NAME=off".to_owned()),
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Files(findings) => Self::Files(findings),
            LoadError::Walk(_) | LoadError::Read(_) => Self::Command(error.to_string()),
        }
    }
}
