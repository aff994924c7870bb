//! Attacks on a room, and what stays possible.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "the tests build the rooms they attack")]

use super::*;
use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder with a room and an outside, removed at its end.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("rehearsal-room-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(path.join("room/sub")).unwrap();
        fs::create_dir_all(path.join("outside")).unwrap();
        fs::write(path.join("outside/secret"), "s3cret").unwrap();
        fs::write(path.join("room/a.txt"), "inside").unwrap();
        Self(path)
    }

    fn room(&self) -> Room {
        let limits = Limits { file: 1000, names: 50, output: 1000, command: Duration::from_secs(20) };
        Room::open(&self.0.join("room"), None, limits).unwrap()
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.join(below)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn make_fifo(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
}

/// Makes the FIFO `held` in the room and tells when everybody who wrote to it has ended.
fn watch(place: &Place) -> std::sync::mpsc::Receiver<()> {
    let path = place.path("room/held");
    make_fifo(&path);
    let (tell, over) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        fs::read(path).unwrap();
        let _ = tell.send(());
    });
    over
}

/// What reading, writing and listing a path says.
fn all_three(room: &Room, path: &str) -> [String; 3] {
    let said = |result: Result<String, RoomError>| result.unwrap_or_else(|error| error.to_string());
    [
        said(room.read_file(path)),
        said(room.write_file(path, "x").map(|()| "written".to_owned())),
        said(room.list_dir(path)),
    ]
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

#[test]
fn files_are_written_read_and_listed() {
    let place = Place::new();
    let room = place.room();
    room.write_file("deep/er/./b.txt", "grüß\r\n").unwrap();
    room.write_file("a.txt", "x").unwrap();
    assert_eq!(room.read_file("./deep/er/b.txt").unwrap(), "grüß\r\n");
    assert_eq!(fs::read_to_string(place.path("room/a.txt")).unwrap(), "x");
    assert_eq!(room.list_dir(".").unwrap(), "a.txt\ndeep/\nsub/");
    assert_eq!(room.list_dir("sub").unwrap(), "");
}

#[test]
fn paths_that_are_none_are_refused_by_their_look() {
    let place = Place::new();
    let room = place.room();
    for (path, why) in [
        ("", "it is empty"),
        ("a\0b", "NUL"),
        ("/etc/passwd", "relative"),
        ("..", "`..`"),
        ("../outside/secret", "`..`"),
        ("sub/../a.txt", "`..`"),
        ("sub/..", "`..`"),
    ] {
        for said in all_three(&room, path) {
            assert!(said.contains("is not a path here") && said.contains(why), "{path:?}: {said}");
        }
    }
    assert!(matches!(room.read_file("."), Err(RoomError::BadPath { .. })));
    assert!(matches!(room.write_file("./", "x"), Err(RoomError::BadPath { .. })));
}

#[test]
fn links_never_lead_out() {
    let place = Place::new();
    let room = place.room();
    symlink(place.path("outside/secret"), place.path("room/absolute")).unwrap();
    symlink("../outside/secret", place.path("room/relative")).unwrap();
    symlink("../outside", place.path("room/folder")).unwrap();
    symlink("../outside/new", place.path("room/dangling")).unwrap();
    symlink("folder", place.path("room/twice")).unwrap();
    symlink("/", place.path("room/root")).unwrap();
    symlink("loop", place.path("room/loop")).unwrap();
    for path in [
        "absolute",
        "relative",
        "folder",
        "folder/secret",
        "folder/new",
        "dangling",
        "twice/secret",
        "root/etc",
    ] {
        for said in all_three(&room, path) {
            assert_eq!(said, format!("{path:?} leads out of the workspace"));
        }
    }
    assert!(room.write_file("folder/deep/er", "x").is_err());
    assert!(room.read_file("loop").is_err() && room.write_file("loop", "x").is_err());
    assert_eq!(fs::read_to_string(place.path("outside/secret")).unwrap(), "s3cret");
    assert_eq!(fs::read_dir(place.path("outside")).unwrap().count(), 1);
}

#[test]
fn links_within_the_room_work() {
    let place = Place::new();
    let room = place.room();
    symlink("a.txt", place.path("room/link")).unwrap();
    symlink("../a.txt", place.path("room/sub/up")).unwrap();
    assert_eq!(room.read_file("link").unwrap(), "inside");
    room.write_file("sub/up", "changed").unwrap();
    assert_eq!(room.read_file("a.txt").unwrap(), "changed");
}

#[test]
fn a_room_that_is_moved_keeps_its_files() {
    let place = Place::new();
    let room = place.room();
    fs::rename(place.path("room"), place.path("moved")).unwrap();
    symlink("outside", place.path("room")).unwrap();
    room.write_file("b.txt", "x").unwrap();
    assert!(place.path("moved/b.txt").exists());
    assert!(matches!(room.read_file("secret"), Err(RoomError::NotFound(_))));
}

#[test]
fn nothing_but_regular_files_is_opened() {
    let place = Place::new();
    let room = place.room();
    make_fifo(&place.path("room/fifo"));
    assert!(fs::metadata(place.path("room/fifo")).unwrap().file_type().is_fifo());
    let _socket = UnixListener::bind(place.path("room/socket")).unwrap();
    symlink("fifo", place.path("room/to_fifo")).unwrap();
    for path in ["fifo", "socket", "to_fifo"] {
        assert!(matches!(room.read_file(path), Err(RoomError::NotRegular(_))), "{path}");
        assert!(matches!(room.write_file(path, "x"), Err(RoomError::NotRegular(_))), "{path}");
    }
    // What takes a file's place after it was looked at is neither waited for nor used.
    for options in [OpenOptions::new().read(true), OpenOptions::new().write(true)] {
        assert!(room.open_file("fifo", options).is_err());
    }
    let [read, write, _] = all_three(&room, "sub");
    assert_eq!([read.as_str(), write.as_str()], [r#""sub" is a folder, not a file"#; 2]);
}

#[test]
fn a_hard_link_is_read_but_not_written() {
    let place = Place::new();
    let room = place.room();
    fs::hard_link(place.path("outside/secret"), place.path("room/hard")).unwrap();
    assert_eq!(room.read_file("hard").unwrap(), "s3cret");
    assert!(matches!(room.write_file("hard", "x"), Err(RoomError::HardLinked(_))));
    assert_eq!(fs::read_to_string(place.path("outside/secret")).unwrap(), "s3cret");
}

#[test]
fn sizes_are_limited_to_the_byte() {
    let place = Place::new();
    let room = place.room();
    let full = "x".repeat(1000);
    room.write_file("full", &full).unwrap();
    assert_eq!(room.read_file("full").unwrap(), full);
    assert!(matches!(room.write_file("more", &"x".repeat(1001)), Err(RoomError::TooLarge { .. })));
    assert!(!place.path("room/more").exists());
    fs::File::create(place.path("room/huge")).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(room.read_file("huge").unwrap_err().to_string(), r#""huge" is larger than 1000 bytes"#);
}

#[test]
fn files_that_are_no_text_or_not_there_are_named() {
    let place = Place::new();
    let room = place.room();
    fs::write(place.path("room/binary"), [0xFF, 0xFE]).unwrap();
    for (path, said) in [
        ("binary", r#""binary" is not UTF-8 text"#),
        ("none", r#""none" does not exist"#),
        ("a.txt/b", r#""a.txt/b" is not a folder, or part of its path is not"#),
    ] {
        assert_eq!(room.read_file(path).unwrap_err().to_string(), said);
    }
    assert!(matches!(room.list_dir("a.txt"), Err(RoomError::NotFolder(_))));
    assert!(Room::open(&place.path("none"), None, room.limits.clone()).is_err());
    assert!(Room::open(&place.path("room/a.txt"), None, room.limits).is_err());
}

#[test]
fn long_listings_say_how_much_is_missing() {
    let place = Place::new();
    for number in 0..100 {
        fs::write(place.path(&format!("room/sub/{number:03}")), "").unwrap();
    }
    let listing = place.room().list_dir("sub").unwrap();
    assert_eq!(listing.lines().count(), 51);
    assert!(listing.starts_with("000\n001\n") && listing.ends_with("\n049\n(50 more)"));
}

#[test]
fn names_and_errors_stay_on_one_line() {
    let place = Place::new();
    let error = place.room().read_file("no\nsuch\u{1b}[31m").unwrap_err().to_string();
    assert_eq!(error, r#""no\nsuch\u{1b}[31m" does not exist"#);
}

#[test]
fn a_file_without_permission_is_not_called_a_way_out() {
    let place = Place::new();
    fs::set_permissions(place.path("room/a.txt"), fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser may read it all the same.
    if let Err(error) = place.room().read_file("a.txt") {
        assert!(matches!(error, RoomError::System { .. }), "{error:?}");
    }
}

#[test]
fn commands_run_in_the_room_and_see_a_bare_environment() {
    let place = Place::new();
    let ran = run(place
        .room()
        .run_command("cat a.txt; pwd; env | cut -d= -f1 | sort | tr '\\n' ' '; echo bad >&2; exit 3"));
    let ran = ran.unwrap();
    assert_eq!((ran.status, ran.stderr.text().as_str()), (Some(3), "bad\n"));
    let output = ran.stdout.text();
    let room = place.path("room").canonicalize().unwrap();
    assert!(output.starts_with(&format!("inside{}\n", room.display())), "{output}");
    for name in ["CARGO", "OPENAI_API_KEY", "USER"] {
        assert!(!output.contains(name), "{output}");
    }
}

#[test]
fn output_is_kept_to_the_cap_and_counted_beyond_it() {
    let place = Place::new();
    let ran = run(place.room().run_command("head -c 100000 /dev/zero | tr '\\0' x")).unwrap();
    assert_eq!((ran.stdout.kept.len(), ran.stdout.bytes, ran.status), (1000, 100_000, Some(0)));
}

#[test]
fn a_command_ends_at_its_time_limit_with_all_its_children() {
    let place = Place::new();
    let mut room = place.room();
    room.limits.command = Duration::from_millis(300);
    let over = watch(&place);
    let ran =
        run(room.run_command("(sleep 1000 > held) & sleep 1000 > held & echo begun; sleep 1000")).unwrap();
    assert_eq!((ran.timed_out, ran.stdout.text().as_str()), (true, "begun\n"));
    assert_eq!(over.recv_timeout(Duration::from_secs(10)), Ok(()));
}

#[test]
fn what_a_command_leaves_behind_ends_with_it_and_does_not_hold_it_up() {
    let place = Place::new();
    let over = watch(&place);
    let ran = run(place.room().run_command("sleep 1000 > held & : > held")).unwrap();
    assert_eq!((ran.status, ran.timed_out), (Some(0), false));
    assert_eq!(over.recv_timeout(Duration::from_secs(10)), Ok(()));
}

#[test]
fn a_command_that_nobody_awaits_any_more_ends() {
    let place = Place::new();
    let over = watch(&place);
    run(async {
        let limit = Duration::from_millis(200);
        let ran = tokio::time::timeout(limit, place.room().run_command("sleep 1000 > held")).await.is_ok();
        assert!(!ran);
    });
    assert_eq!(over.recv_timeout(Duration::from_secs(10)), Ok(()));
}

#[test]
fn commands_that_kill_themselves_or_are_none_are_told_apart() {
    let place = Place::new();
    let room = place.room();
    assert_eq!(run(room.run_command("kill -9 $$")).unwrap().signal, Some(9));
    assert_eq!(run(room.run_command("no_such_program_here")).unwrap().status, Some(127));
    assert!(matches!(run(room.run_command("a\0b")), Err(RoomError::BadCommand)));
    assert_eq!(run(room.run_command("cat")).unwrap().stdout.bytes, 0);
}
