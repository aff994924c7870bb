//! Files and folders: what is found, what is refused, what an agent's links cannot do.
#![expect(clippy::disallowed_methods, reason = "tests look at the files themselves")]

mod scratch;

use rehearsal_world::files::{
    WalkError, create_run_folder, files_below, fill_home, fill_workspace, read_in_workspace, read_text,
    see_workspace, write_report, write_where_named,
};
use scratch::Scratch;
use std::path::Path;

#[test]
fn recordings_beside_a_suite_are_none_of_its_files() {
    let scratch = Scratch::new("suite-recorded");
    let root = scratch.path();
    for name in [
        "suite.json",
        "rec/private/exchanges/0001-a.json",
        "rec/private/exchanges/0001-a.request",
        "rec/private/configuration.json",
        "rec/public/state.json",
        "rec/more.yaml",
        "public/other.json",
        "0001-one.a.json",
        "0001-one.a.request",
    ] {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }
    let wanted = ["public/other.json", "rec/more.yaml", "suite.json"].map(|name| root.join(name));
    assert_eq!(files_below(root).unwrap(), wanted);
}

#[test]
fn the_files_of_a_suite_are_sorted_and_hidden_ones_skipped() {
    let scratch = Scratch::new("suite");
    let root = scratch.path();
    for name in ["b.yaml", "a.json", "sub/c.YML", ".rehearsal/runs/x.json", ".hidden.json", "notes.txt"] {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }
    let found: Vec<String> = files_below(root)
        .unwrap()
        .iter()
        .map(|path| path.strip_prefix(root).unwrap().display().to_string())
        .collect();
    assert_eq!(found, ["a.json", "b.yaml", "sub/c.YML"]);
    assert_eq!(files_below(&root.join("notes.txt")).unwrap(), [root.join("notes.txt")]);
    assert!(matches!(files_below(&root.join("nothing")), Err(WalkError::Missing(_))));
    assert!(
        matches!(files_below(&root.join(".rehearsal").join("runs").join("..")), Ok(found) if found.len() == 1)
    );
    std::fs::create_dir(root.join("empty")).unwrap();
    assert!(matches!(files_below(&root.join("empty")), Err(WalkError::Empty(_))));
}

#[test]
fn each_reason_not_to_read_a_file_is_a_sentence() {
    let scratch = Scratch::new("read");
    std::fs::write(scratch.path().join("text"), "12345").unwrap();
    std::fs::write(scratch.path().join("bytes"), b"ab\xff").unwrap();
    let told = |name: &str| {
        let error = read_text(&scratch.path().join(name), 4).unwrap_err().to_string();
        error.rsplit_once(": ").unwrap().1.to_owned()
    };
    assert_eq!(told("missing"), "there is no such file");
    assert_eq!(told("."), "it is a folder");
    assert_eq!(told("text"), "it is longer than 4 bytes");
    assert_eq!(told("bytes"), "it is not UTF-8 text (byte 2)");
    assert_eq!(read_text(&scratch.path().join("text"), 5).unwrap(), "12345");
}

#[test]
fn a_run_folder_is_made_once_and_a_report_is_replaced_whole() {
    let scratch = Scratch::new("folders");
    let data = scratch.path().join(".rehearsal");
    let folder = create_run_folder(&data, "runs", "r1").unwrap();
    assert_eq!(folder, data.join("runs").join("r1"));
    assert_eq!(create_run_folder(&data, "runs", "r1").unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
    let report = folder.join("report.json");
    write_report(&report, b"one").unwrap();
    write_report(&report, b"two").unwrap();
    assert_eq!(std::fs::read(&report).unwrap(), b"two");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no temporary file is left");
    assert!(write_report(&folder.join("no").join("report.json"), b"x").is_err());
}

#[cfg(unix)]
#[test]
fn what_the_user_names_is_written_to_and_never_replaced_by_a_file() {
    let scratch = Scratch::new("named");
    let (file, link, dangling) =
        (scratch.path().join("file"), scratch.path().join("link"), scratch.path().join("dangling"));
    write_where_named(&file, b"one").unwrap();
    std::os::unix::fs::symlink("file", &link).unwrap();
    std::os::unix::fs::symlink("new", &dangling).unwrap();
    for path in [&file, &link, &dangling] {
        write_where_named(path, b"two").unwrap();
        assert_eq!(std::fs::read(path).unwrap(), b"two", "{}", path.display());
    }
    assert!(link.is_symlink() && dangling.is_symlink() && scratch.path().join("new").is_file());
    assert!(write_where_named(scratch.path(), b"x").is_err(), "a folder");

    // Not a device: where this is wrong, the test itself would take it from the machine.
    let pipe = scratch.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe).unwrap()
    });
    write_where_named(&pipe, b"three").unwrap();
    assert!(std::fs::symlink_metadata(&pipe).is_ok_and(|there| !there.is_file()), "it is a pipe still");
    assert_eq!(reader.join().unwrap(), b"three");
}

#[test]
fn a_workspace_is_listed_with_digests_and_nothing_outside_it() {
    let scratch = Scratch::new("workspace");
    let (root, outside) = (scratch.path().join("w"), scratch.path().join("outside"));
    std::fs::create_dir_all(&root).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("secret"), "s").unwrap();
    let files =
        [("sub/deep/abc.txt", "abc"), ("a", "")].map(|(path, text)| (path.to_owned(), text.to_owned()));
    fill_workspace(&root, &files).unwrap();
    fill_home(&root, &[("later.txt".to_owned(), "x".to_owned())]).unwrap();
    assert_eq!(read_in_workspace(&root, "later.txt", 1).as_deref(), Some(&b"x"[..]));
    std::fs::remove_file(root.join("later.txt")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outside.join("secret"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("folder-link")).unwrap();
        std::os::unix::fs::symlink("..", root.join("sub").join("up")).unwrap();
    }
    let seen = see_workspace(&root, &[]);
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(
        seen.files,
        [("a".to_owned(), 0, empty.to_owned()), ("sub/deep/abc.txt".to_owned(), 3, abc.to_owned())]
    );
    #[cfg(unix)]
    assert_eq!(seen.unread, ["folder-link", "link", "sub/up"]);
    assert!(!seen.capped);
    let gone = see_workspace(&root.join("no"), &["a"]);
    assert!(gone.files.is_empty() && !gone.capped, "nothing is left of it");
    assert_eq!(read_in_workspace(&root, "sub/deep/abc.txt", 3).as_deref(), Some(&b"abc"[..]));
    for (path, limit) in [("sub/deep/abc.txt", 2), ("sub", 9), ("no", 9), ("../outside/secret", 9), ("", 9)] {
        assert_eq!(read_in_workspace(&root, path, limit), None, "{path}");
    }
}

#[test]
fn a_wanted_file_is_seen_however_much_else_lies_there() {
    let scratch = Scratch::new("much");
    let root = scratch.path().join("w");
    std::fs::create_dir_all(root.join("sub")).unwrap();
    for number in 0..10_005 {
        std::fs::write(root.join(format!("{number}")), "").unwrap();
    }
    std::fs::write(root.join("sub/last.txt"), "abc").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("sub", root.join("link")).unwrap();
    let wanted = ["sub/last.txt", "7", "sub/last.txt", "link/last.txt", "no", "../w/8", ""];
    let seen = see_workspace(&root, &wanted);
    let count = |path: &str| seen.files.iter().filter(|(seen, ..)| seen == path).count();
    assert_eq!((count("sub/last.txt"), count("7")), (1, 1));
    assert_eq!((seen.files.len() + seen.unread.len(), seen.capped), (10_000, true));
    assert!(seen.files.is_sorted() && count("link/last.txt") + count("../w/8") == 0);
}

#[test]
fn the_paths_of_a_workspace_fit_into_a_line() {
    let scratch = Scratch::new("paths");
    let root = scratch.path().join("w");
    let deep = (0..12).fold(root.clone(), |folder, _| folder.join("n".repeat(200)));
    std::fs::create_dir_all(&deep).unwrap();
    for number in 0..1000 {
        std::fs::write(deep.join(format!("{number}")), "").unwrap();
    }
    let seen = see_workspace(&root, &[]);
    let bytes: usize = seen.files.iter().map(|(path, ..)| path.len()).sum();
    assert!(seen.capped && bytes <= 2 << 20 && seen.files.len() > 500, "{bytes}");
}

#[cfg(unix)]
#[test]
fn neither_links_nor_pipes_lead_a_look_at_a_workspace_astray() {
    let scratch = Scratch::new("astray");
    let (root, outside) = (scratch.path().join("w"), scratch.path().join("outside"));
    std::fs::create_dir_all(&root).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("secret"), "s").unwrap();
    std::os::unix::fs::symlink(outside.join("secret"), root.join("link")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(root.join("pipe")).status().unwrap();
    assert!(made.success());
    for name in ["link", "pipe"] {
        assert_eq!(read_in_workspace(&root, name, 100), None, "{name}");
    }
    let seen = see_workspace(&root, &[]);
    assert!(seen.files.is_empty() && !seen.capped);
    assert_eq!(seen.unread, ["link", "pipe"]);

    std::fs::remove_dir_all(&root).unwrap();
    std::os::unix::fs::symlink(&outside, &root).unwrap();
    let seen = see_workspace(&root, &[]);
    assert!(seen.files.is_empty() && seen.unread.is_empty() && !seen.capped, "{:?}", seen.files);
    assert_eq!(read_in_workspace(&root, "secret", 100), None);
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_read_is_seen_and_hides_nothing_else() {
    use std::os::unix::ffi::OsStrExt as _;
    let scratch = Scratch::new("unread");
    let root = scratch.path().join("w");
    std::fs::create_dir_all(&root).unwrap();
    std::fs::File::create(root.join("large")).unwrap().set_len(1 << 40).unwrap();
    std::fs::write(root.join(std::ffi::OsStr::from_bytes(b"\xff.bin")), "x").unwrap();
    for number in 0..20 {
        std::fs::write(root.join(format!("{number}")), "x").unwrap();
    }
    let seen = see_workspace(&root, &["large"]);
    assert_eq!(seen.unread, ["large", "\u{fffd}.bin"]);
    assert_eq!((seen.files.len(), seen.capped), (20, false));
}

#[test]
fn given_files_cannot_leave_the_workspace() {
    let scratch = Scratch::new("given");
    let root = scratch.path().join("w");
    std::fs::create_dir(&root).unwrap();
    for path in ["../x", "/etc/x", "a/../../x", "", "."] {
        let error = fill_workspace(&root, &[(path.to_owned(), "x".to_owned())]).unwrap_err();
        assert_eq!(error.to_string(), format!("{path} is no path inside the workspace"));
        let error = fill_home(&root, &[(path.to_owned(), "x".to_owned())]).unwrap_err();
        assert_eq!(error.to_string(), format!("{path} is no path inside the home folder"));
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(scratch.path(), root.join("out")).unwrap();
        assert!(fill_workspace(&root, &[("out/x".to_owned(), "x".to_owned())]).is_err());
    }
    assert!(!Path::new(&scratch.path().join("x")).exists());
}
