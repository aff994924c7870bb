//! A disk that is full, fills up in the middle of an answer, or cannot be written at all. A small one is mounted in a mount namespace of
//! its own; where that is not possible the tests say so.

use crate::stand::{CHAT, Got, Stand, body, case, marker};
use crate::upstream::{Gate, Step, event, head, open_chunks};
use rehearsal_testkit::program::lines;
use rehearsal_testkit::raw_client::PATIENCE;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Keeps the namespace, and with it the disk, for as long as it lives.
pub(crate) struct Disk(Child);

impl Drop for Disk {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Disk {
    /// Mounts a disk of so many KiB at the record's folder, as the stand's program will see it.
    pub(crate) fn mount(stand: &mut Stand, kib: u32) -> Option<Self> {
        fs::create_dir_all(&stand.data).unwrap();
        let script =
            format!("mount -t tmpfs -o size={kib}k,mode=0700 none \"$1\" && echo mounted && read over");
        for (make, enter) in
            [(&["-m"][..], &["-m"][..]), (&["-r", "-m"], &["-U", "--preserve-credentials", "-m"])]
        {
            let mut command = Command::new("unshare");
            command.args(make).args(["sh", "-c", &script, "sh"]).arg(&stand.data);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let Ok(mut child) = command.spawn() else { break };
            let said = lines(child.stdout.take().unwrap()).recv_timeout(PATIENCE);
            let id = child.id();
            let disk = Self(child);
            if said.is_ok() {
                let words = ["nsenter".to_owned(), "-t".to_owned(), id.to_string()];
                stand.wrap = words.into_iter().chain(enter.iter().map(|&word| word.to_owned())).collect();
                stand.root = Some(PathBuf::from(format!("/proc/{id}/root")));
                return Some(disk);
            }
        }
        eprintln!("not tried: no disk can be mounted here");
        None
    }

    fn remount(&self, stand: &Stand, how: &str) {
        let mut words = stand.wrap.iter();
        let mut command = Command::new(words.next().unwrap());
        command.args(words).args(["mount", "-o", &format!("remount,{how}")]).arg(&stand.data);
        assert!(command.status().unwrap().success(), "{}", self.0.id());
    }
}

/// Takes all the room that there is.
pub(crate) fn fill(stand: &Stand) {
    let mut file = fs::File::options().create(true).append(true).open(stand.seen().join("filler")).unwrap();
    for size in [64 * 1024, 4096, 1] {
        loop {
            match file.write_all(&vec![b'x'; size]) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => break,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

pub(crate) fn make_room(stand: &Stand) {
    fs::remove_file(stand.seen().join("filler")).unwrap();
}

#[test]
fn what_cannot_be_recorded_is_not_forwarded_and_costs_nothing() {
    let mut stand = Stand::cases("full", 2);
    let Some(_disk) = Disk::mount(&mut stand, 512) else { return };
    let running = stand.start();
    assert_eq!(running.arm(&case(0)).status, 200);
    fill(&stand);
    for _ in 0..3 {
        let got = running.post(&body(0, true));
        assert_eq!(got.refusal(), (503, "recording_unavailable".to_owned()), "{got:?}");
        assert_eq!(running.get("/v1/models").refusal(), (503, "recording_unavailable".to_owned()));
    }
    assert_eq!(stand.upstream.count(), 0);
    assert_eq!(running.row(0)["backendForwards"], 0);
    assert_eq!(running.get("/health").status, 200);
    make_room(&stand);
    assert_eq!(running.post(&body(0, true)).status, 200);
    stand.forwarded(&case(0));
    running.is_spent(&stand, 0, 1);
    // And so it is said: part of the record of this time is missing.
    fill(&stand);
    for _ in 0..200 {
        running.post(&body(1, false));
    }
    assert_eq!(stand.upstream.asked(&marker(1)).len(), 0);
    make_room(&stand);
    assert_eq!(running.send(1, false).status, 200);
    stand.forwarded(&case(1));
    running.is_spent(&stand, 1, 1);
}

#[test]
fn a_disk_that_fills_up_in_an_answer_breaks_it_off_and_its_end_is_written_all_the_same() {
    for streamed in [true, false] {
        let mut stand = Stand::cases(&format!("fills-{streamed}"), 2);
        let Some(_disk) = Disk::mount(&mut stand, 1024) else { return };
        let running = stand.start();
        let gate = Gate::default();
        let waits = gate.clone();
        stand.upstream.plays(move |_| {
            let kind = if streamed { "text/event-stream" } else { "application/json" };
            let rest = event(&"x".repeat(2 << 20));
            vec![
                Step::Say(head(kind, "Transfer-Encoding: chunked")),
                Step::Say(open_chunks(&event("Hello"))),
                Step::Wait(waits.clone()),
                Step::Say(open_chunks(&rest)),
                Step::Say(b"0\r\n\r\n".to_vec()),
            ]
        });
        assert_eq!(running.arm(&case(0)).status, 200);
        let mut client = running.client();
        client.send(running.bytes("POST", CHAT, &[], &body(0, streamed).to_string()));
        stand.upstream.wait_for(1);
        let response = stand.seen().join("private/exchanges/0002-case-0.response");
        while fs::metadata(&response).map_or(0, |seen| seen.len()) == 0 {
            std::thread::park_timeout(std::time::Duration::from_millis(2));
        }
        if streamed {
            client.read_at_least(200);
        }
        fill(&stand);
        gate.open();
        let got = Got::of(&client.read_to_end());
        let done = stand.forwarded(&case(0));
        assert_eq!(done.complete, Some(false), "{done:?}");
        assert!(done.error.as_ref().unwrap().contains("record cannot be written"), "{done:?}");
        if streamed {
            assert!(got.status == 200 && !got.is_whole, "{}", got.head);
            assert!(stand.file(&done, "served").unwrap() == got.body && !got.body.is_empty());
        } else {
            assert_eq!(got.refusal(), (502, "upstream_failed".to_owned()));
        }
        assert!(stand.file(&done, "response").unwrap().starts_with(&event("Hello")));
        // It lives, and tells.
        assert_eq!(running.row(0)["completed"], true);
        running.kill();
        fill(&stand);
        let refused = stand.try_start().err().unwrap();
        assert_eq!((refused.code, refused.err.lines().count()), (Some(3), 1), "{refused:?}");
        assert!(refused.err.contains("No space left on device"), "{refused:?}");
        make_room(&stand);
        let running = stand.start();
        stand.upstream.plays(crate::upstream::ordinary);
        running.is_spent(&stand, 0, 1);
        assert_eq!(running.send(1, streamed).status, 200);
        stand.forwarded(&case(1));
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_said_in_one_sentence() {
    let mut stand = Stand::cases("read-only", 1);
    let real = std::mem::replace(&mut stand.data, PathBuf::from("/proc/rehearsal-record"));
    let refused = stand.try_start().err().unwrap();
    assert_eq!((refused.code, refused.err.lines().count()), (Some(3), 1), "{refused:?}");
    assert!(refused.err.contains("/proc/rehearsal-record"), "{refused:?}");
    stand.data = real;
    let Some(disk) = Disk::mount(&mut stand, 512) else { return };
    for began in [false, true] {
        if began {
            stand.start().kill();
        }
        disk.remount(&stand, "ro");
        let refused = stand.try_start().err().unwrap();
        assert_eq!((refused.code, refused.err.lines().count()), (Some(3), 1), "{refused:?}");
        assert!(refused.err.contains("Read-only file system"), "{refused:?}");
        disk.remount(&stand, "rw");
    }
    assert_eq!(stand.start().send(0, false).status, 200);
}

/// Without a budget, too: what a client has whole is on the disk, and once there is room all goes on.
#[test]
fn on_a_full_disk_nobody_gets_an_answer_that_is_not_kept() {
    let mut stand = Stand::open("full-open", &[]);
    let Some(_disk) = Disk::mount(&mut stand, 1024) else { return };
    let running = stand.start();
    let ask = |running: &crate::stand::Running, lane: &str| {
        running.ask("POST", &format!("/t/{lane}{CHAT}"), &[], &body(0, true).to_string())
    };
    fill(&stand);
    let got: Vec<Got> = (0..20).map(|number| ask(&running, &format!("full-{number}"))).collect();
    assert!(got.iter().all(|got| got.status == 200 || matches!(got.status, 502 | 503)), "{got:?}");
    assert!(got.iter().any(|got| got.status == 503), "{got:?}");
    make_room(&stand);
    assert_eq!(ask(&running, "room").status, 200);
    running.kill();
    let running = stand.start();
    let kept = crate::once::all_files(&stand.seen().join("private/exchanges"));
    for (number, got) in got.iter().enumerate().filter(|(_, got)| got.status == 200) {
        let ending = format!("-full-{number}.response");
        let file = kept.iter().find(|(path, _)| path.to_string_lossy().ends_with(&ending));
        let file = file.map_or(&[][..], |(_, bytes)| bytes);
        assert!(
            file.starts_with(&got.body),
            "{number}: {} of {} bytes, {}",
            file.len(),
            got.body.len(),
            got.is_whole
        );
    }
    let ending = "-room.response";
    let room = kept.iter().find(|(path, _)| path.to_string_lossy().ends_with(ending)).unwrap();
    assert_eq!(room.1, &crate::upstream::events());
    assert_eq!(ask(&running, "after").status, 200);
}
