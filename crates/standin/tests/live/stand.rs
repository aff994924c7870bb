//! A stand-in that serves on a free port for as long as a test lasts.

use crate::request::{Answer, post};
use rehearsal_journal::event::{Answered, Asked, Event};
use rehearsal_script::pick::Picker;
use rehearsal_script::scenario::Scenarios;
use rehearsal_script::{File, Known};
use rehearsal_standin::core::Setting;
use rehearsal_standin::serve::StandIn;
use rehearsal_testkit::RawClient;
use rehearsal_testkit::raw_client::PATIENCE;
use rehearsal_wire::fault::{FAULTS, fault};
use rehearsal_wire::rule::{Echo, Profile, RULES, RuleSet};
use rehearsal_world::clock::Clock;
use rehearsal_world::http::{self, Limits};
use rehearsal_world::record::{Name, Recorder, SEGMENT_BYTES, Settings, StubLog, read_journals};
use rehearsal_world::{listen, task};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Instant;

/// The route of a conversation.
pub(crate) const CHAT: &str = "/v1/chat/completions";

/// What is served, and how.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    scenarios: Scenarios,
    profile: Option<Profile>,
    switches: Vec<(String, bool)>,
    mode: Option<&'static str>,
    require_key: bool,
    lanes: Vec<(&'static str, &'static str)>,
    guard: Option<(Option<&'static str>, Vec<String>)>,
}

/// A running stand-in.
pub(crate) struct Stand {
    pub(crate) address: SocketAddr,
    folder: PathBuf,
    recorders: Vec<Arc<Recorder>>,
    pub(crate) standin: Arc<StandIn>,
    stop: Option<task::oneshot::Sender<()>>,
    served: Option<JoinHandle<()>>,
}

/// What the server's thread tells once it listens.
type Ready = (SocketAddr, Vec<Arc<Recorder>>, Arc<StandIn>);

impl Served {
    /// A suite of one file; its name decides whether it is YAML or JSON.
    pub(crate) fn file(name: &str, text: &str) -> Self {
        let rules: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
        let known =
            Known { rules: &rules, faults: FAULTS, codes: &[], regex: |_| Ok(()), steps: &[], refusals: &[] };
        let scenarios = match rehearsal_script::read(&[File { name, bytes: text.as_bytes() }], &known) {
            Ok(scenarios) => scenarios,
            Err(findings) => {
                panic!("{}", findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
            }
        };
        let mut scenarios = scenarios;
        rehearsal_script::spoil::spoil(&mut scenarios);
        Self { scenarios, ..Self::nothing() }
    }

    /// No script: everything is background.
    pub(crate) fn nothing() -> Self {
        let scenarios = Scenarios {
            phrasings: Vec::new(),
            profile: Profile::Gate,
            rules: Vec::new(),
            echo: Echo::Exact,
            weights: Vec::new(),
            agent: None,
        };
        Self {
            scenarios,
            profile: None,
            switches: Vec::new(),
            mode: None,
            require_key: false,
            lanes: Vec::new(),
            guard: None,
        }
    }

    /// A guard: its token, and further hosts.
    pub(crate) fn guard(mut self, token: Option<&'static str>, hosts: &[&str]) -> Self {
        self.guard = Some((token, hosts.iter().map(|host| (*host).to_owned()).collect()));
        self
    }

    /// Another profile than the file's own.
    pub(crate) fn under(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// A rule switched on top of the file's switches.
    pub(crate) fn switched(mut self, rule: &str, on: bool) -> Self {
        self.switches.push((rule.to_owned(), on));
        self
    }

    /// A fault that takes every conversation request.
    pub(crate) fn mode(mut self, mode: &'static str) -> Self {
        self.mode = Some(mode);
        self
    }

    /// A key is demanded in every profile.
    pub(crate) fn require_key(mut self) -> Self {
        self.require_key = true;
        self
    }

    /// A case's lane: its token and the id of its phrasing.
    pub(crate) fn lane(mut self, token: &'static str, phrasing: &'static str) -> Self {
        self.lanes.push((token, phrasing));
        self
    }

    pub(crate) fn setting(&self) -> Setting {
        let profile = self.profile.unwrap_or(self.scenarios.profile);
        let switches: Vec<_> = self.scenarios.rules.iter().chain(&self.switches).cloned().collect();
        Setting {
            picker: Picker::new(&self.scenarios),
            scenarios: self.scenarios.clone(),
            rules: RuleSet::new(profile, &switches).unwrap(),
            profile,
            mode: self.mode.map(|name| fault(name).unwrap()),
            drill: None,
            seed: 1,
            require_key: self.require_key,
        }
    }

    /// Serves it.
    pub(crate) fn start(self) -> Stand {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("live-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (stop, stopped) = task::oneshot::channel();
        let (ready, told) = mpsc::channel();
        let within = folder.clone();
        let served = std::thread::spawn(move || {
            task::run(self.serve(&within, &ready, async {
                let _told_or_gone = stopped.await;
            }))
            .unwrap();
        });
        let (address, recorders, standin) = told.recv_timeout(PATIENCE).unwrap();
        Stand { address, folder, recorders, standin, stop: Some(stop), served: Some(served) }
    }

    async fn serve(self, folder: &Path, ready: &mpsc::Sender<Ready>, shutdown: impl Future<Output = ()>) {
        let log = StubLog::open(&folder.join("log"), self.mode.unwrap_or("normal"), "test").unwrap();
        let journal = |name, case: Option<&str>, log| {
            let settings = Settings {
                folder: folder.join("journals"),
                name,
                run: "test".to_owned(),
                case: case.map(str::to_owned),
                seed: 1,
                program: "test".to_owned(),
                segment_bytes: SEGMENT_BYTES,
                keep: None,
            };
            Arc::new(Recorder::open(settings, Clock::start(), log).unwrap())
        };
        let mut recorders = vec![journal(Name::Journal, None, Some(log))];
        let setting = self.setting();
        let mut standin = StandIn::new(setting, Arc::clone(&recorders[0]));
        if let Some((token, hosts)) = self.guard {
            standin = standin.guard(token, hosts);
        }
        let standin = Arc::new(standin);
        for (token, phrasing) in &self.lanes {
            let recorder = journal(Name::Case((*phrasing).to_owned()), Some(phrasing), None);
            let index = self.scenarios.phrasings.iter().position(|known| known.id == *phrasing).unwrap();
            let setting = Arc::clone(standin.setting());
            standin.open_lane(token, index, setting, Arc::clone(&recorder));
            recorders.push(recorder);
        }
        let listener = listen::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0, false).unwrap();
        ready.send((listener.address(), recorders, Arc::clone(&standin))).unwrap();
        http::serve(listener, standin, Limits::default(), shutdown).await.unwrap();
    }
}

impl Stand {
    /// A fresh connection.
    pub(crate) fn client(&self) -> RawClient {
        RawClient::connect(self.address)
    }

    /// Sends bytes on a connection of their own and reads one reply.
    pub(crate) fn send(&self, request: &[u8]) -> Answer {
        Answer::read(&self.client().send(request).reply())
    }

    /// Posts a body as any client would.
    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        self.send(&post(path, body))
    }

    /// Posts to the conversation's route.
    pub(crate) fn chat(&self, body: &Value) -> Answer {
        self.post(CHAT, &body.to_string())
    }

    /// The path of the log of one line a request.
    pub(crate) fn log_file(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// The records of the log so far.
    pub(crate) fn log(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.log_file()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Every file that was written so far, by its path.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        for recorder in &self.recorders {
            recorder.flush().unwrap();
        }
        let journals =
            std::fs::read_dir(self.folder.join("journals")).unwrap().map(|entry| entry.unwrap().path());
        let paths = journals.chain([self.log_file()]);
        paths.map(|path| (path.display().to_string(), std::fs::read(path).unwrap())).collect()
    }

    /// Everything in all journals so far, each found whole.
    pub(crate) fn events(&self) -> Vec<Event> {
        for recorder in &self.recorders {
            recorder.flush().unwrap();
        }
        read_journals(&self.folder.join("journals"))
            .unwrap()
            .into_iter()
            .flat_map(|journal| journal.events)
            .collect()
    }

    /// The requests in all journals.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        let asked = |event| match event {
            Event::Asked(asked) => Some(*asked),
            _ => None,
        };
        self.events().into_iter().filter_map(asked).collect()
    }

    /// Waits until the journal says what left for so many requests.
    pub(crate) fn answered(&self, count: usize) -> Vec<Answered> {
        let until = Instant::now() + PATIENCE;
        loop {
            let answered = |event| match event {
                Event::Answered(answered) => Some(answered),
                _ => None,
            };
            let answered: Vec<_> = self.events().into_iter().filter_map(answered).collect();
            if answered.len() >= count {
                return answered;
            }
            assert!(Instant::now() < until, "only {} of {count} answers left", answered.len());
            std::thread::yield_now();
        }
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.served.take().map(JoinHandle::join);
        if std::thread::panicking() {
            return;
        }
        assert!(matches!(ended, Some(Ok(()))), "the server ends in order");
        drop(std::fs::remove_dir_all(&self.folder));
    }
}
