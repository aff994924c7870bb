//! Each thing that can stand in the way, by both ways of walking.

use super::*;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

/// What was met, as a word: a comparison of more than that is not wanted.
fn word(result: Result<Seen, Hindrance>) -> String {
    match result {
        Ok(_) => "done".to_owned(),
        Err(why) => format!("{:?}", why.met),
    }
}

#[test]
fn links_are_never_followed() {
    for walk in WALKS {
        let stand = Stand::new("links", walk);
        symlink("../outside/secret", stand.at("file")).unwrap();
        symlink("../outside", stand.at("out")).unwrap();
        symlink("sub", stand.at("inside")).unwrap();
        symlink("../outside/made", stand.at("dangling")).unwrap();
        symlink("loop", stand.at("loop")).unwrap();
        symlink("/", stand.at("top")).unwrap();
        symlink("../../outside", stand.at("sub/out")).unwrap();
        let root = stand.root(walk);
        for path in [
            "file",
            "out",
            "inside",
            "dangling",
            "loop",
            "top",
            "file/x",
            "out/x",
            "out/deep/x",
            "inside/b",
            "dangling/x",
            "loop/x",
            "top/etc/passwd",
            "sub/out/x",
        ] {
            assert_eq!(word(write(&root, path, b"evil", By::Nameless)), "Link", "{walk:?} {path}");
            stand.assert_untouched(path);
        }
    }
}

#[test]
fn what_is_no_folder_is_told_from_what_is_missing() {
    for walk in WALKS {
        let stand = Stand::new("kinds", walk);
        mknodat(CWD, stand.at("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        let _socket = UnixListener::bind(stand.at("socket")).unwrap();
        fs::hard_link(stand.0.join("outside/secret"), stand.at("hard")).unwrap();
        let root = stand.root(walk);
        for path in ["a/x", "pipe/x", "socket/x", "hard/x", "pipe", "socket", "sub"] {
            assert_eq!(word(write(&root, path, b"evil", By::Nameless)), "Unfit", "{walk:?} {path}");
        }
        assert_eq!(word(write(&root, "hard", b"evil", By::Nameless)), "Changed", "as `usable` has it");
        assert_eq!(root.look("hard").unwrap().unwrap().links, 2);
        assert!(root.enter("missing").unwrap().is_none() && root.look("missing").unwrap().is_none());
        stand.assert_untouched("kinds");
    }
}

#[test]
fn a_name_of_more_than_one_part_is_none() {
    for walk in WALKS {
        let stand = Stand::new("names", walk);
        let root = stand.root(walk);
        let seen = root.look("a").unwrap().unwrap();
        for name in ["", ".", "..", "../outside", "sub/b", "/", "/etc", "a\0b"] {
            let outside = |result: Result<(), Hindrance>| {
                assert!(matches!(result.unwrap_err().met, Met::Outside), "{walk:?} {name:?}");
            };
            outside(root.enter(name).map(drop));
            outside(root.make(name).map(drop));
            outside(root.look(name).map(drop));
            outside(root.read(name, &seen).map(drop));
            outside(root.writable(name, &seen).map(drop));
            outside(root.remove(name, &seen));
            outside(root.prepare(b"", 0o600).and_then(|prepared| root.put(prepared, name, None)).map(drop));
        }
        stand.assert_untouched("names");
    }
}

#[test]
fn what_is_swapped_after_the_look_is_not_used() {
    for walk in WALKS {
        let stand = Stand::new("swap", walk);
        let root = stand.root(walk);
        type Swap = fn(&Stand);
        let swaps: [(&str, Swap); 5] = [
            ("Link", |stand| symlink("../outside/secret", stand.at("a")).unwrap()),
            ("Changed", |stand| mknodat(CWD, stand.at("a"), FileType::Fifo, Mode::RWXU, 0).unwrap()),
            ("Changed", |stand| fs::hard_link(stand.0.join("outside/secret"), stand.at("a")).unwrap()),
            ("Changed", |stand| fs::write(stand.at("a"), "another").unwrap()),
            ("Changed", |_| {}),
        ];
        for (want, swap) in swaps {
            drop(fs::remove_file(stand.at("a")));
            fs::write(stand.at("a"), "first").unwrap();
            let seen = root.look("a").unwrap().unwrap();
            // It is kept, so that its number is not used again.
            let held = root.read("a", &seen).unwrap();
            fs::remove_file(stand.at("a")).unwrap();
            swap(&stand);
            let met = |result: Result<(), Hindrance>| format!("{:?}", result.unwrap_err().met);
            assert_eq!(met(root.read("a", &seen).map(drop)), want, "{walk:?}");
            let written = met(root.writable("a", &seen).map(drop));
            // Of a pipe that nobody reads the system says that it is none to be opened, and of what is not what was wanted, that.
            assert!(written == want || written == "Unfit", "{walk:?} {written}");
            assert_eq!(met(root.remove("a", &seen)), "Changed", "{walk:?}");
            let prepared = root.prepare(b"evil", 0o600).unwrap();
            assert_eq!(met(root.put(prepared, "a", Some(&held)).map(drop)), "Changed", "{walk:?}");
            stand.assert_untouched(want);
            stand.assert_clean("");
        }
    }
}

#[test]
fn a_folder_that_is_swapped_is_the_one_that_was_opened() {
    for walk in WALKS {
        let stand = Stand::new("folder", walk);
        let root = stand.root(walk);
        let sub = root.enter("sub").unwrap().unwrap();
        fs::rename(stand.at("sub"), stand.at("moved")).unwrap();
        symlink("../outside", stand.at("sub")).unwrap();
        write(&sub, "c", b"new", By::Nameless).unwrap();
        assert_eq!(fs::read_to_string(stand.at("moved/c")).unwrap(), "new");
        assert!(matches!(root.enter("sub").unwrap_err().met, Met::Link));
        assert!(matches!(root.make("sub").unwrap_err().met, Met::Link));
        assert!(sub.is_same(&root.enter("moved").unwrap().unwrap()).unwrap());
        // It is removed while it is held.
        fs::remove_dir_all(stand.at("moved")).unwrap();
        assert_eq!(word(write(&sub, "d", b"new", By::Nameless)), "Changed");
        assert_eq!(word(write(&sub, "d", b"new", By::Hidden)), "Changed");
        assert!(matches!(sub.make("e").unwrap_err().met, Met::Changed));
        stand.assert_untouched("folder");
    }
}

#[test]
fn a_root_that_is_swapped_is_the_one_that_was_opened() {
    for walk in WALKS {
        let stand = Stand::new("root", walk);
        let root = stand.root(walk);
        let aside = stand.0.join("aside");
        fs::rename(stand.at(""), &aside).unwrap();
        symlink("outside", stand.0.join("root")).unwrap();
        write(&root, "new/c", b"new", By::Nameless).unwrap();
        assert_eq!(fs::read_to_string(aside.join("new/c")).unwrap(), "new");
        stand.assert_untouched("root");
        for path in [stand.0.join("root"), stand.0.join("root/")] {
            let why = Place::root_by(&path, walk).unwrap_err();
            assert!(matches!(why.met, Met::Link), "{why:?}");
        }
        assert!(matches!(Place::root_by(&aside.join("a"), walk).unwrap_err().met, Met::Unfit));
        // A link on the way is the user's.
        fs::create_dir(stand.0.join("outside/deep/ws")).unwrap();
        Place::root_by(&stand.0.join("root/deep/ws"), walk).unwrap();
        fs::remove_dir(stand.0.join("outside/deep/ws")).unwrap();
    }
}

#[test]
fn links_of_the_kernel_are_told_from_others() {
    let own = PathBuf::from(format!("/proc/{}", std::process::id()));
    for walk in WALKS {
        let root = Place::root_by(&own, walk).unwrap();
        for name in ["cwd", "root"] {
            assert!(matches!(root.enter(name).unwrap_err().met, Met::Magiclink), "{walk:?}");
            assert!(root.look(name).unwrap().unwrap().is_magic);
        }
        let seen = root.look("exe").unwrap().unwrap();
        assert!(matches!(root.read("exe", &seen).unwrap_err().met, Met::Magiclink), "{walk:?}");
    }
}

#[test]
fn reading_ends_where_the_file_ended_when_it_was_opened() {
    for walk in WALKS {
        let stand = Stand::new("reading", walk);
        let root = stand.root(walk);
        let seen = root.look("a").unwrap().unwrap();
        let mut held = root.read("a", &seen).unwrap();
        assert!(held.seen().is_unchanged(&held.now().unwrap()));
        fs::write(stand.at("a"), "much longer than before").unwrap();
        let mut text = String::new();
        held.read_to_string(&mut text).unwrap();
        assert_eq!(text.len(), "old a".len());
        assert!(!held.seen().is_unchanged(&held.now().unwrap()));
    }
}
