//! Other file systems beneath the root, in a namespace of their own. Where this user may have none, nothing is tested.

use super::*;
use std::process::Command;

/// Where the child finds its stand.
const STAND: &str = "REHEARSAL_BENEATH_STAND";

#[test]
fn a_mount_is_told_whatever_is_mounted() {
    let able = Command::new("unshare").args(["-Urm", "true"]).status();
    if !able.is_ok_and(|status| status.success()) {
        return;
    }
    for walk in WALKS {
        let stand = Stand::new("mount", walk);
        fs::create_dir_all(stand.at("sub/memory")).unwrap();
        let script = r#"mount -t tmpfs none "$1/root/sub/memory" && mount --bind "$1/outside" "$1/root/sub" &&
            mount --bind "$1/outside/secret" "$1/root/a" && mkdir "$1/root/m" && mount -t tmpfs none "$1/root/m" && shift &&
            exec "$@""#;
        let output = Command::new("unshare")
            .args(["-Urm", "sh", "-c", script, "sh"])
            .arg(&stand.0)
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "beneath::tests::mount::meets_mounts", "--ignored", "--nocapture"])
            .env(STAND, &stand.0)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
        fs::remove_dir(stand.at("m")).unwrap();
        stand.assert_untouched("mount");
    }
}

#[test]
#[ignore = "the child of the test above, inside of its namespace"]
fn meets_mounts() {
    let Ok(stand) = std::env::var(STAND) else { return };
    for walk in WALKS {
        let root = Place::root_by(&Path::new(&stand).join("root"), walk).unwrap();
        for name in ["m", "sub"] {
            assert!(matches!(root.enter(name).unwrap_err().met, Met::Elsewhere), "{walk:?} {name}");
        }
        // On the same device, but in another mount.
        let seen = root.look("a").unwrap().unwrap();
        assert!(seen.is_elsewhere);
        match walk {
            Walk::Kernel => assert!(matches!(root.read("a", &seen).unwrap_err().met, Met::Elsewhere)),
            Walk::Looked => assert!(root.read("a", &seen).unwrap().seen().is_elsewhere),
        }
    }
}
