//! What is swapped in the middle of an operation, between its look and its last step.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "the tests build the folders that they look at")]

use super::*;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

struct Stand(PathBuf);

impl Stand {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rehearsal-lab-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&path));
        fs::create_dir_all(path.join("workspace/sub")).unwrap();
        fs::create_dir_all(path.join("outside")).unwrap();
        fs::write(path.join("workspace/sub/a"), "old").unwrap();
        Self(path)
    }

    fn open(&self) -> Workspace {
        Workspace::open(&self.0.join("workspace"), Policy::default()).unwrap()
    }

    fn at(&self, below: &str) -> PathBuf {
        self.0.join("workspace").join(below)
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn code(result: Result<(), Stop>) -> &'static str {
    match result {
        Ok(()) => "done",
        Err(Stop::Refused(refusal)) => refusal.code.word(),
        Err(stop) => panic!("no refusal: {stop:?}"),
    }
}

#[test]
fn a_folder_that_is_swapped_after_the_walk_is_not_written_to() {
    type Swap = fn(&Stand);
    let swaps: [(&str, Swap); 4] = [
        ("done", |_| {}),
        ("E_RACE", |stand| {
            fs::rename(stand.at("sub"), stand.0.join("outside/sub")).unwrap();
            fs::create_dir(stand.at("sub")).unwrap();
        }),
        ("E_RACE", |stand| fs::rename(stand.at("sub"), stand.0.join("outside/sub")).unwrap()),
        ("E_SYMLINK", |stand| {
            fs::rename(stand.at("sub"), stand.0.join("outside/sub")).unwrap();
            symlink("../outside/sub", stand.at("sub")).unwrap();
        }),
    ];
    for (at, (want, swap)) in swaps.into_iter().enumerate() {
        let stand = Stand::new(&format!("swap-{at}"));
        let space = stand.open();
        let request = Request { path: "sub/new", doing: Doing::Write };
        let parts = space.parts(request).unwrap();
        let found = request.find(&space.root, &parts, true).unwrap();
        swap(&stand);
        assert_eq!(code(space.put(request, &parts, found.place, &[], None, b"evil")), want);
        let moved = stand.0.join("outside/sub");
        if moved.exists() {
            assert_eq!(
                fs::read_dir(moved).unwrap().count(),
                1,
                "nothing was made in the folder that was moved out"
            );
        }
    }
}

#[test]
fn a_folder_that_was_made_and_swapped_is_not_written_to() {
    let stand = Stand::new("made");
    let space = stand.open();
    let request = Request { path: "x/y/new", doing: Doing::Write };
    let parts = space.parts(request).unwrap();
    let found = request.find(&space.root, &parts, true).unwrap();
    assert_eq!(found.missing, ["x", "y"]);
    symlink("../outside", stand.at("x")).unwrap();
    assert_eq!(code(space.put(request, &parts, found.place, &found.missing, None, b"evil")), "E_SYMLINK");
    assert_eq!(fs::read_dir(stand.0.join("outside")).unwrap().count(), 0);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_no_fact() {
    type Change = fn(&Stand);
    let changes: [Change; 4] = [
        |stand| fs::write(stand.at("sub/a"), "longer").unwrap(),
        |stand| fs::write(stand.at("sub/a"), "x").unwrap(),
        |stand| fs::remove_file(stand.at("sub/a")).unwrap(),
        |stand| fs::hard_link(stand.at("sub/a"), stand.at("second")).unwrap(),
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let stand = Stand::new(&format!("read-{at}"));
        let space = stand.open();
        let request = Request { path: "sub/a", doing: Doing::Read };
        let (held, name) = space.held(request).unwrap().unwrap();
        change(&stand);
        assert_eq!(code(look_through(request, held, name).map(drop)), "E_RACE");
    }
}
