//! How work of `drive` is proved: the test, what it may cost, and which models have a say.

use crate::command::record::seconds;
use crate::env;
use crate::failure::Failure;
use clap::Args;
use rehearsal_driver::endpoint::budget::{Budget, Price};
use rehearsal_driver::policy::Tier;
use rehearsal_driver::roles::{Models, Role};
use rehearsal_driver::worker::proof::{Bench, Proof};
use rehearsal_world::process::Caps;
use std::ffi::OsString;
use std::time::Duration;

/// Largest file that a test may write, in MiB.
const FILE_MIB: u64 = 2048;

/// Variables that tests get besides: where programs are, how text is written, and where toolchains keep themselves.
const PASSED: &[&str] = &["PATH", "LANG", "CARGO_HOME", "RUSTUP_HOME", "GOPATH", "JAVA_HOME", "SystemRoot"];

/// Arguments that say how work is proved.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// The command that tests the work. It runs in a clean copy of the work tree, with test files as they were; nothing is written
    /// that it refutes.
    #[arg(long, value_name = "COMMAND", value_parser = command)]
    pub(super) test: Option<String>,
    /// A further command that the model is not told of. It runs in a second copy; of a wave at its end.
    #[arg(long, value_name = "COMMAND", value_parser = command, requires = "test")]
    pub(super) check: Option<String>,
    /// Longest time for one such command, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub(super) test_timeout: Duration,
    /// Most memory that each of its processes may map, in MiB.
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..))]
    test_memory: Option<u64>,
    /// A variable that it gets: its value after `=`, or ours. Beside PATH, LANG and where toolchains are it gets nothing of ours.
    /// May be given several times.
    #[arg(long, value_name = "NAME[=VALUE]")]
    test_env: Vec<String>,
    /// A path of the work tree that copies do not hold, with all below it. May be given several times.
    #[arg(long, value_name = "PATH", value_parser = left_out)]
    without: Vec<String>,
    /// The model of a role (worker, setup, verify) that has its own. May be given several times.
    #[arg(long, value_name = "ROLE=NAME", value_parser = model_for)]
    model_for: Vec<(Role, String)>,
    /// What a million tokens cost, of prompts and of answers, in US dollars.
    #[arg(long, value_name = "PROMPT,ANSWER", value_parser = price)]
    price: Option<Price>,
    /// Most tokens of all requests together; where one is not told its tokens are put high.
    #[arg(long, value_name = "NUMBER")]
    budget_tokens: Option<u64>,
    /// Most US dollars of all requests together, by `--price`.
    #[arg(long, value_name = "USD", value_parser = usd)]
    budget_usd: Option<f64>,
}

fn usd(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|usd: &f64| usd.is_finite() && *usd >= 0.0)
        .ok_or_else(|| "write a number".to_owned())
}

/// A path of the tree as copies compare it: shells put `./` before a folder's name and `/` behind it.
fn left_out(text: &str) -> Result<String, String> {
    let path = text.trim_start_matches("./").trim_end_matches('/');
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err("write a path below the work tree, such as target".to_owned());
    }
    Ok(path.to_owned())
}

/// A command that says something: an empty one would end well, and prove nothing.
fn command(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("write a command".to_owned()) } else { Ok(text.to_owned()) }
}

fn model_for(text: &str) -> Result<(Role, String), String> {
    let right = || "write ROLE=NAME, where the roles are worker, setup, verify".to_owned();
    let (role, model) = text.split_once('=').ok_or_else(right)?;
    let role = Role::of(role).ok_or_else(right)?;
    if model.is_empty() { Err(right()) } else { Ok((role, model.to_owned())) }
}

fn price(text: &str) -> Result<Price, String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    match numbers[..] {
        [prompt, completion] if prompt >= 0.0 && completion >= 0.0 && (prompt + completion).is_finite() => {
            Ok(Price { prompt, completion })
        }
        _ => Err("write two numbers, such as 0.15,0.60".to_owned()),
    }
}

impl Arguments {
    /// The models by role.
    pub(super) fn models(&self, usual: &str) -> Result<Models, Failure> {
        Models::new(usual, &self.model_for).map_err(|error| Failure::Command(format!("--model-for: {error}")))
    }

    /// What all requests may cost together.
    pub(super) fn budget(&self) -> Result<Budget, Failure> {
        let usd = match (self.budget_usd, self.price) {
            (None, _) => None,
            (Some(most), Some(price)) => Some((most, price)),
            (Some(_), None) => {
                return Err(Failure::Command("--budget-usd needs --price: what tokens cost".to_owned()));
            }
        };
        Ok(Budget::new(self.budget_tokens, usd))
    }

    /// What tokens cost.
    pub(super) fn price(&self) -> Option<Price> {
        self.price
    }

    /// How a single task is proved, where anything is to be proved.
    pub(super) fn of_task(&self, models: &Models, (tier, good, all): (Tier, u64, u64)) -> Option<Proof> {
        Some(Proof {
            test: self.test.clone()?,
            check: self.check.clone(),
            tier,
            measured: (good, all),
            second_look: true,
            reviewer: models.of(Role::Verify).to_owned(),
        })
    }

    /// How commands run. `data` is where our own folder is in the tree, which no copy holds; `key_env` is what none gets.
    pub(super) fn bench(&self, data: Option<String>, key_env: &str) -> Result<Bench, Failure> {
        let without = self.without.iter().cloned().chain(data).collect();
        let mut env: Vec<(OsString, OsString)> =
            PASSED.iter().filter_map(|name| Some(((*name).into(), env::os_named(name)?))).collect();
        for given in &self.test_env {
            let (name, value) = match given.split_once('=') {
                Some((name, value)) => (name, Some(value.into())),
                None => (given.as_str(), env::os_named(given)),
            };
            if name == key_env {
                return Err(Failure::Command(format!(
                    "--test-env: {name} holds the key, which no test gets"
                )));
            }
            let Some(value) = value.filter(|_| !name.is_empty()) else {
                return Err(Failure::Command(format!("--test-env: {given:?} is not set here")));
            };
            env.retain(|(known, _)| known != name);
            env.push((name.into(), value));
        }
        let caps = Caps {
            file_mib: FILE_MIB,
            cpu_seconds: self.test_timeout.as_secs().saturating_add(1),
            memory_mib: self.test_memory,
            processes: None,
        };
        Ok(Bench { time_limit: self.test_timeout, caps, env, without })
    }
}
