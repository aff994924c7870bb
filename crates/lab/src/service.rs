//! A program that serves beside the steps that follow: started, waited for until it answers, and ended with all that it started.

use crate::exec::{KEEP, Setting, ended};
use crate::http::Address;
use crate::plain::fields;
use crate::{Code, Fact, Refusal, Stop};
use rehearsal_world::dial::{Client, Deadline, DialError, Limits, Request, Trust};
use rehearsal_world::listen::FreePort;
use rehearsal_world::process::{self, Launch, Ran, Running};
use rehearsal_world::task::first;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::time::Duration;

/// Between two looks whether it is ready.
const AGAIN: Duration = Duration::from_millis(20);

/// What one look may take: a server that takes a connection before it can serve may never answer on it.
const LOOK: Duration = Duration::from_secs(2);

/// Most bytes of an answer that are read to see that there is one.
const ANSWER: usize = 1 << 20;

/// A program to start. Its environment is that of [`crate::Exec`], and `PORT`.
#[derive(Clone, Debug)]
pub struct Start {
    /// Program and arguments, as in [`crate::Exec`]. `{port}` in an argument is the port.
    pub argv: Vec<String>,
    /// What else stands in arguments for something, such as `{suite}`, and for what. What is put in is not looked through again.
    pub fill: Vec<(String, String)>,
    /// Its working folder, absolute: the workspace.
    pub folder: PathBuf,
    /// Its home, absolute; made where it is missing.
    pub home: PathBuf,
    /// What it gets of our own environment.
    pub inherited: Vec<(String, String)>,
    /// Variables of its own. They go before all others but `PORT`.
    pub env: Vec<(String, String)>,
    /// What shows that it serves.
    pub ready: Ready,
    /// Time until it must serve.
    pub time_limit: Duration,
    /// Time between being asked to end and being killed.
    pub grace: Duration,
}

/// What shows that a program serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ready {
    /// Somebody takes connections at the port.
    Port,
    /// A `GET` of this path (`{port}` in it is the port) is answered with a status below 500.
    Path(String),
}

/// A program that serves on 127.0.0.1. Dropping it kills it with all that it started.
#[derive(Debug)]
pub struct Service {
    running: Running,
    port: FreePort,
}

impl Service {
    /// Starts a program and waits until it serves, at a free port that no other service of this process has and that
    /// is never reserved ([`rehearsal_world::listen::RESERVED_PORTS`]). A stranger may take the port before the program does: then the program fails.
    ///
    /// Fields of the fact: `ready` (true), `port` and `url` (`http://127.0.0.1:PORT`), which are volatile.
    ///
    /// # Errors
    /// [`Code::Exit`] where it ends before it serves; [`Code::Input`] for a path that cannot be asked for; [`Stop::Failed`] where it
    /// does not start; [`Stop::TimedOut`], and then it is gone.
    pub async fn start(order: &Start) -> Result<(Self, Fact), Stop> {
        let free = FreePort::take().map_err(|error| Stop::Failed(error.to_string()))?;
        let port = free.number();
        let url = format!("http://{}:{port}", Ipv4Addr::LOCALHOST);
        let look = Look::new(&order.ready, &url, port)?;
        let mut running = start(order, port)?;
        let mut is_ready = None;
        first(running.ended(), async { is_ready = Some(look.until(order.time_limit).await) }).await;
        match is_ready {
            Some(Ok(true)) => {
                let observed = fields([("ready", true.into()), ("port", port.into()), ("url", url.into())]);
                Ok((Self { running, port: free }, Fact::of(observed).varying(&["port", "url"])))
            }
            Some(Ok(false)) => {
                end(running).await;
                Err(Stop::TimedOut)
            }
            Some(Err(stop)) => {
                end(running).await;
                Err(stop)
            }
            None => {
                let name = order.argv.first().map_or("", String::as_str);
                let how = ended(name, &running.finish().await);
                Err(Refusal::new(Code::Exit, format!("it served nobody yet when {how}")).into())
            }
        }
    }

    /// The port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port.number()
    }

    /// Asks it to end, waits for the grace, kills it, with all that it started. `stopped` of what it gives says whether it still ran.
    pub async fn stop(self) -> Ran {
        end(self.running).await
    }
}

async fn end(running: Running) -> Ran {
    running.finish_or(async {}).await
}

fn start(order: &Start, port: u16) -> Result<Running, Stop> {
    let setting = Setting { folder: &order.folder, home: &order.home, inherited: &order.inherited };
    let mut env = order.env.clone();
    env.push(("PORT".to_owned(), port.to_string()));
    let mut fill = order.fill.clone();
    fill.push(("{port}".to_owned(), port.to_string()));
    // Nothing stands for nothing.
    fill.retain(|(word, _)| !word.is_empty());
    let argv: Vec<_> = order.argv.iter().map(|word| filled(word, &fill)).collect();
    let launch = Launch {
        argv: setting.argv(&argv)?,
        env: setting.environment(&env)?,
        folder: order.folder.clone(),
        stdin: None,
        // It runs until it is ended.
        time_limit: Duration::MAX,
        grace: order.grace,
        keep: KEEP,
    };
    process::start(&launch).map_err(|error| setting.not_started(&error, &argv))
}

/// A text with all that stands for something replaced in one go, from its beginning to its end.
fn filled(text: &str, fill: &[(String, String)]) -> String {
    let (mut done, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(one) = rest.chars().next() {
        let (put, behind) =
            match fill.iter().find_map(|(word, value)| Some((value, rest.strip_prefix(word.as_str())?))) {
                Some((value, behind)) => (value.as_str(), behind),
                None => rest.split_at(one.len_utf8()),
            };
        done.push_str(put);
        rest = behind;
    }
    done
}

fn with_port(text: &str, port: u16) -> String {
    text.replace("{port}", &port.to_string())
}

/// Looks whether somebody serves.
struct Look {
    client: Client,
    address: Address,
    is_path: bool,
}

impl Look {
    fn new(ready: &Ready, url: &str, port: u16) -> Result<Self, Stop> {
        let (path, is_path) = match ready {
            Ready::Port => (String::new(), false),
            Ready::Path(path) => (with_port(path, port), true),
        };
        if is_path && !path.starts_with('/') {
            return Err(
                Refusal::new(Code::Input, "the path that shows that it serves begins with `/`").into()
            );
        }
        let address = Address::read(&format!("{url}{path}"))?;
        Ok(Self { client: Client::new(Trust::system()), address, is_path })
    }

    /// Looks again and again; false once the time is over.
    async fn until(&self, limit: Duration) -> Result<bool, Stop> {
        let deadline = Deadline::after(limit);
        loop {
            match deadline.within(self.once()).await {
                None => return Ok(false),
                Some(Ok(true)) => return Ok(true),
                Some(Err(DialError::BadTarget)) => {
                    return Err(Refusal::new(Code::Input, DialError::BadTarget.to_string()).into());
                }
                Some(Ok(false) | Err(_)) => {}
            }
            if !deadline.wait(AGAIN).await {
                return Ok(false);
            }
        }
    }

    async fn once(&self) -> Result<bool, DialError> {
        let limits = Limits { connect: LOOK, idle: LOOK, total: LOOK, body: ANSWER };
        let connected = self.client.connect(&self.address.base, limits, true).await?;
        if !self.is_path {
            return Ok(true);
        }
        let target = &self.address.target;
        let request = Request { method: "GET", target, headers: &[], body: Vec::new().into() };
        Ok(connected.ask(request).await?.status() < 500)
    }
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn what_is_put_in_is_not_looked_through_again() {
        let fill = [("{suite}", "/a{port}b{suite}"), ("{port}", "80")]
            .map(|(word, value)| (word.to_owned(), value.to_owned()));
        for (text, expected) in
            [("{suite}/x{port}", "/a{port}b{suite}/x80"), ("{{port}}ä{por", "{80}ä{por"), ("", "")]
        {
            assert_eq!(filled(text, &fill), expected);
        }
    }
}
