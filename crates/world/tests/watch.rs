//! Files of a suite are watched: new, changed and gone ones are noticed, others are not.
#![expect(clippy::disallowed_methods, reason = "tests write their own files")]

mod scratch;

use rehearsal_world::files;
use scratch::Scratch;
use std::time::Duration;

/// Far more than any of these needs: only a hang reaches it.
const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn new_changed_and_gone_files_are_noticed() {
    let scratch = Scratch::new("watched");
    let (a, b) = (scratch.path().join("a.yaml"), scratch.path().join("b.json"));
    std::fs::write(&a, "one").unwrap();
    let mut watch = files::watch(&[scratch.path().to_owned()]);
    for change in [
        &|| std::fs::write(&a, "three").unwrap() as (),
        &|| std::fs::write(&b, "new").unwrap(),
        &|| std::fs::remove_file(&a).unwrap(),
        &|| std::fs::rename(&b, &a).unwrap(),
    ] as [&dyn Fn(); 4]
    {
        change();
        assert!(tokio::time::timeout(LONG, watch.changed()).await.is_ok(), "a change is not noticed");
    }
}

#[tokio::test]
async fn a_file_that_comes_back_is_noticed() {
    let scratch = Scratch::new("came-back");
    let file = scratch.path().join("a.yaml");
    let mut watch = files::watch(std::slice::from_ref(&file));
    std::fs::write(&file, "here").unwrap();
    assert!(tokio::time::timeout(LONG, watch.changed()).await.is_ok());
}
