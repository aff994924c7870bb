//! Any set of files with any contents is committed exactly.

use crate::stand::{Stand, take};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use rehearsal_world::owned::{Fate, Limits, Mode, Tree};
use std::fs;

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_set_is_committed_exactly(
        files in btree_map(
            "[a-c]{1,2}(/[d-f]{1,2}){0,2}/[g-z .é]{0,3}x",
            (any::<bool>(), vec(any::<u8>(), 0..5000), prop::option::of(vec(any::<u8>(), 0..5000))),
            1..12,
        ),
    ) {
        let stand = Stand::new("exact");
        let root = stand.path().join("exact");
        fs::create_dir(&root).unwrap();
        for (path, (there, old, _)) in &files {
            if *there {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, old).unwrap();
            }
        }
        let tree = Tree::open(&root, Limits::default()).unwrap();
        let mode = |there: bool| if there { Mode::Edit } else { Mode::Create };
        let entries: Vec<_> = files.iter().map(|(path, (there, ..))| (path.as_str(), mode(*there))).collect();
        let changes: Vec<_> = files
            .iter()
            .filter_map(|(path, (_, _, new))| Some((path.as_str(), new.as_deref()?)))
            .collect();
        let done = take(&tree, &entries).unwrap().commit(&stand.records(), &changes).unwrap();
        prop_assert!(done.paths.iter().all(|path| path.fate == Fate::Applied));
        for (path, (there, old, new)) in &files {
            let expected = new.as_ref().or(there.then_some(old));
            let found = fs::read(root.join(path)).ok();
            prop_assert_eq!(found.as_ref(), expected, "{}", path);
        }
        let mut left = vec![root];
        while let Some(folder) = left.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                prop_assert!(!entry.file_name().as_encoded_bytes().starts_with(b".rehearsal"));
                if entry.file_type().unwrap().is_dir() {
                    left.push(entry.path());
                }
            }
        }
    }
}
