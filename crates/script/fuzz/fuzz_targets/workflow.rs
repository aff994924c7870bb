//! No workflow file, of our form or the reference's, makes the reader panic or hang, and it reads the same twice.
#![no_main]

#[path = "../../tests/forms/mod.rs"]
mod forms;

use libfuzzer_sys::fuzz_target;
use rehearsal_script::File;
use rehearsal_script::workflow::{is_one, read};

fuzz_target!(|bytes: &[u8]| {
    let known = forms::known();
    for name in ["f.json", "f.yaml"] {
        let file = File { name, bytes };
        let first = read(&[file], &known);
        assert_eq!(first, read(&[file], &known));
        // What is read has cases, by which it is known for a workflow.
        assert!(first.is_err() || is_one(&file));
    }
});
