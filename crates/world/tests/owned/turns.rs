//! Several at once on one tree, each with a folder of records of its own: one writes, the others find what it wrote.

use crate::stand::{Stand, own, take};
use rehearsal_world::owned::{Cause, Limits, Mode, Tree};
use std::sync::Barrier;

#[test]
fn of_many_who_took_the_same_files_one_writes_them_and_nobody_leaves_anything() {
    const MANY: usize = 6;
    for round in 0..20 {
        let stand = Stand::in_memory(&format!("turns-{round}"));
        let start = Barrier::new(MANY);
        let applied: Vec<usize> = std::thread::scope(|scope| {
            let one = |number: usize| {
                let (stand, start) = (&stand, &start);
                move || {
                    let tree = Tree::open(&stand.at(""), Limits::default()).unwrap();
                    let records = own(&stand.path().join(format!("records-{number}")));
                    let held = take(&tree, &[("a", Mode::Edit), ("sub/b", Mode::Edit), ("c", Mode::Create)])
                        .unwrap();
                    let text = format!("new {number}");
                    start.wait();
                    let changes = ["a", "sub/b", "c"].map(|path| (path, text.as_bytes()));
                    match held.commit(&records, &changes) {
                        Ok(_) => true,
                        Err(error) => {
                            assert!(matches!(error.cause, Cause::Stale(_)), "{error}");
                            false
                        }
                    }
                }
            };
            let threads: Vec<_> = (0..MANY).map(|number| scope.spawn(one(number))).collect();
            let ended: Vec<bool> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            (0..MANY).filter(|number| ended[*number]).collect()
        });
        let [winner] = applied[..] else { panic!("{applied:?} wrote") };
        assert_eq!(stand.names(""), ["a", "c", "sub"]);
        assert_eq!(stand.names("sub"), ["b"]);
        for path in ["a", "sub/b", "c"] {
            assert_eq!(stand.read(path), format!("new {winner}"));
        }
    }
}
