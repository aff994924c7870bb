//! Each way in which a name was seen to lead out of a workspace, or to hang whoever used it: refused with its code, and nothing
//! outside is made or changed.

use crate::stand::{Stand, code, names, refused};
use rehearsal_lab::workspace::{Policy, Workspace};
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

/// What leads out in the words of the reference program.
fn leads_out(code: &str) -> bool {
    let codes =
        ["E_PATH_PARENT", "E_PATH_ABSOLUTE", "E_SYMLINK", "E_HARDLINK", "E_CROSS_DEVICE", "E_MAGICLINK"];
    codes.contains(&code)
}

/// All operations refuse a path with this code, and say so.
fn refuses(stand: &Stand, space: &mut Workspace, path: &str, want: &str) {
    let before = names(&stand.at(""));
    let refusals = [
        refused(space.write(path, b"evil")),
        refused(space.read(path)),
        refused(space.digest(path)),
        refused(space.reader(path)),
    ];
    for refusal in refusals {
        assert_eq!(refusal.code.word(), want, "{path:?}");
        let shown = refusal.path.unwrap();
        assert!(!shown.chars().any(char::is_control), "{shown:?}");
        if leads_out(want) {
            let begins = format!("path escapes the workspace: {shown}: ");
            assert!(refusal.message.starts_with(&begins), "{}", refusal.message);
            assert!(refusal.message.ends_with(" (stay inside your working dir)"), "{}", refusal.message);
        }
    }
    // A name of several of a file may be removed; everything else may not.
    if want != "E_HARDLINK" {
        assert_eq!(code(space.remove(path)), want, "{path:?}");
    }
    assert_eq!(names(&stand.at("")), before, "{path:?}");
    stand.assert_untouched(path);
}

#[test]
fn names_that_lead_out_are_refused() {
    let stand = Stand::new("names");
    let mut space = stand.open();
    let root = stand.at("").to_str().unwrap().trim_end_matches('/').to_owned();
    for (path, want) in [
        ("../../etc/cron.d/evil", "E_PATH_PARENT"),
        ("../outside/evil", "E_PATH_PARENT"),
        ("../workspace-evil/x", "E_PATH_PARENT"),
        ("notes/../../outside/evil", "E_PATH_PARENT"),
        ("..", "E_PATH_PARENT"),
        (r"..\..\evil", "E_PATH_PARENT"),
        ("/etc/passwd", "E_PATH_ABSOLUTE"),
        (&format!("{root}/x"), "E_PATH_ABSOLUTE"),
        (&format!("{root}-evil/x"), "E_PATH_ABSOLUTE"),
        (&format!("/proc/self/root{root}/x"), "E_PATH_ABSOLUTE"),
        ("/proc/self/cwd/x", "E_PATH_ABSOLUTE"),
        ("~/x", "E_PATH_ABSOLUTE"),
        ("C:/x", "E_PATH_ABSOLUTE"),
        ("", "E_PATH_EMPTY"),
        (".", "E_PATH_EMPTY"),
        ("a\0b", "E_PATH_NUL"),
        ("a\nb", "E_PATH_CONTROL"),
        ("a\u{202e}b", "E_PATH_CONTROL"),
        ("\u{1b}]0;x\u{7}", "E_PATH_CONTROL"),
        ("e\u{301}", "E_PATH_ENCODING"),
        (&"x/".repeat(600), "E_PATH_TOO_LONG"),
        ("./x", "E_PATH_RESERVED"),
        ("a//b", "E_PATH_RESERVED"),
        ("CON", "E_PATH_RESERVED"),
        ("a:b/x:y", "E_PATH_ABSOLUTE"),
        ("notes:x", "E_PATH_RESERVED"),
        (".env", "E_SECRET_NAME"),
        ("sub/id_rsa", "E_SECRET_NAME"),
        (".git/hooks/pre-commit", "E_DENIED_PREFIX"),
        ("sub/.GIT/config", "E_DENIED_PREFIX"),
        (".rehearsal/journal", "E_DENIED_PREFIX"),
    ] {
        refuses(&stand, &mut space, path, want);
    }
}

#[test]
fn links_are_refused_wherever_they_stand() {
    let stand = Stand::new("links");
    fs::create_dir(stand.at("sub")).unwrap();
    fs::write(stand.at("sub/b"), "b").unwrap();
    for (link, to) in [
        ("file", "../outside/secret"),
        ("folder", "../outside"),
        ("dangling", "../outside/made"),
        ("loop", "loop"),
        ("inside", "sub/b"),
        ("below", "sub"),
        ("top", "/"),
        ("sub/up", "../../outside"),
        ("proc", "/proc/self/cwd"),
    ] {
        symlink(to, stand.at(link)).unwrap();
    }
    let mut space = stand.open();
    for path in [
        "file",
        "folder",
        "dangling",
        "loop",
        "inside",
        "below",
        "file/x",
        "folder/evil",
        "folder/secret",
        "folder/deep/evil",
        "dangling/x",
        "loop/x",
        "below/b",
        "top/tmp/evil",
        "sub/up/evil",
        "proc/x",
    ] {
        refuses(&stand, &mut space, path, "E_SYMLINK");
        assert!(
            refused(space.read(path)).system.is_some_and(|answer| ["ELOOP", "ENOTDIR"].contains(&answer))
        );
    }
}

#[test]
fn links_of_the_kernel_are_refused_as_such() {
    let own = format!("/proc/{}", std::process::id());
    let space = Workspace::open(own.as_ref(), Policy::default()).unwrap();
    for path in ["cwd/Cargo.toml", "root/etc/passwd", "exe", "cwd"] {
        let refusal = refused(space.read(path));
        assert_eq!(refusal.code.word(), "E_MAGICLINK", "{path}");
        assert!(refusal.system.is_some_and(|answer| ["ELOOP", "ENOTDIR"].contains(&answer)), "{refusal:?}");
    }
}

#[test]
fn a_second_name_of_an_outside_file_is_not_written_or_read() {
    let stand = Stand::new("hard");
    fs::hard_link(stand.outside().join("secret"), stand.at("hard")).unwrap();
    let mut space = stand.open();
    refuses(&stand, &mut space, "hard", "E_HARDLINK");
    // To remove the name does nothing to the file.
    space.remove("hard").unwrap();
    stand.assert_untouched("removed");
    space.write("hard", b"mine").unwrap();
    stand.assert_untouched("written anew");
}

#[test]
fn what_is_no_regular_file_is_refused_and_nothing_waits() {
    let stand = Stand::new("kinds");
    mknodat(CWD, stand.at("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let _socket = UnixListener::bind(stand.at("socket")).unwrap();
    fs::create_dir(stand.at("folder")).unwrap();
    fs::write(stand.at("file"), "").unwrap();
    // The device that takes everything; not every user may make one.
    let device = mknodat(CWD, stand.at("device"), FileType::CharacterDevice, Mode::RWXU, makedev(1, 3));
    let mut space = stand.open();
    for path in ["pipe", "socket", "folder", "pipe/x", "socket/x", "file/x", "file/x/y"] {
        refuses(&stand, &mut space, path, "E_NOT_REGULAR");
    }
    let why = refused(space.write("file/x", b""));
    assert_eq!(why.message, "the path `file/x` is refused: `file` is no folder");
    assert_eq!(why.system, Some("ENOTDIR"));
    if device.is_ok() {
        refuses(&stand, &mut space, "device", "E_NOT_REGULAR");
        refuses(&stand, &mut space, "device/x", "E_NOT_REGULAR");
    }
}

#[test]
fn a_folder_swapped_for_a_link_between_two_writes_is_not_followed() {
    let stand = Stand::new("swapped");
    let mut space = stand.open();
    space.write("sub/a", b"1").unwrap();
    fs::rename(stand.at("sub"), stand.at("moved")).unwrap();
    symlink("../outside", stand.at("sub")).unwrap();
    refuses(&stand, &mut space, "sub/a", "E_SYMLINK");
    refuses(&stand, &mut space, "sub/deep/a", "E_SYMLINK");
    assert_eq!(fs::read(stand.at("moved/a")).unwrap(), b"1");
}

#[test]
fn a_workspace_swapped_for_a_link_is_the_folder_that_was_opened() {
    let stand = Stand::new("root");
    let mut space = stand.open();
    let aside = stand.at("aside");
    // A folder cannot be moved into itself: it goes aside, and a link to outside takes its name.
    let moved = stand.path().join("workspace-evil/ws");
    fs::rename(stand.at(""), &moved).unwrap();
    assert!(!space.stands_at(&stand.at("")), "nothing stands there");
    symlink("outside", stand.path().join("workspace")).unwrap();
    assert!(!space.stands_at(&stand.at("")), "a link stands there");
    assert!(space.stands_at(&moved));
    space.write("notes/run.txt", b"mine").unwrap();
    assert_eq!(names(&stand.outside()), ["deep", "secret"]);
    assert_eq!(fs::read(moved.join("notes/run.txt")).unwrap(), b"mine");
    assert!(!aside.exists());
    // As a workspace to be opened, the link is refused; so is a file.
    let refusal = refused(Workspace::open(&stand.at(""), Policy::default()));
    assert_eq!(refusal.code.word(), "E_SYMLINK");
    assert!(refusal.message.contains("path escapes the workspace: "), "{}", refusal.message);
    let file = stand.outside().join("secret");
    assert_eq!(code(Workspace::open(&file, Policy::default())), "E_NOT_REGULAR");
}

#[test]
fn a_workspace_that_is_gone_takes_nothing() {
    let stand = Stand::new("gone");
    let mut space = stand.open();
    fs::remove_dir(stand.at("")).unwrap();
    assert_eq!(code(space.write("a", b"1")), "E_RACE");
    assert_eq!(code(space.write("sub/a", b"1")), "E_RACE");
    assert!(!stand.path().join("workspace").exists());
}

/// Where the child finds its stand.
const STAND: &str = "REHEARSAL_WORKSPACE_STAND";

/// Mounts need a namespace of their own. Where this user may have none, nothing is tested.
#[test]
fn what_is_mounted_below_is_refused() {
    let able = Command::new("unshare").args(["-Urm", "true"]).status();
    if !able.is_ok_and(|status| status.success()) {
        return;
    }
    let stand = Stand::new("mount");
    fs::create_dir_all(stand.at("bound")).unwrap();
    fs::create_dir_all(stand.at("memory")).unwrap();
    fs::write(stand.at("file"), "").unwrap();
    let script = r#"mount --bind "$1/outside" "$1/workspace/bound" && mount -t tmpfs none "$1/workspace/memory" &&
        mount --bind "$1/outside/secret" "$1/workspace/file" && shift && exec "$@""#;
    let output = Command::new("unshare")
        .args(["-Urm", "sh", "-c", script, "sh"])
        .arg(stand.path())
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "attack::meets_mounts", "--ignored", "--nocapture"])
        .env(STAND, stand.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
    stand.assert_untouched("mount");
}

#[test]
#[ignore = "the child of the test above, inside of its namespace"]
fn meets_mounts() {
    let Ok(stand) = std::env::var(STAND) else { return };
    let root = std::path::Path::new(&stand).join("workspace");
    let mut space = Workspace::open(&root, Policy::default()).unwrap();
    for path in ["bound/evil", "bound/secret", "bound/deep/evil", "memory/x", "file", "bound", "memory"] {
        assert_eq!(code(space.write(path, b"evil")), "E_CROSS_DEVICE", "{path}");
        assert_eq!(code(space.read(path)), "E_CROSS_DEVICE", "{path}");
        assert_eq!(code(space.remove(path)), "E_CROSS_DEVICE", "{path}");
        assert!(refused(space.read(path)).message.contains("path escapes the workspace: "));
    }
}
