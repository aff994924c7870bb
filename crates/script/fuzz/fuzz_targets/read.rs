//! No file, as JSON or as YAML, makes the reader panic or hang.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rehearsal_script::{File, Known, lint};
use rehearsal_wire::fault::FAULTS;

fuzz_target!(|bytes: &[u8]| {
    let known = Known { rules: &["pairing"], faults: FAULTS, codes: &[], regex: |_| Ok(()), steps: &[], refusals: &[] };
    for name in ["f.json", "f.yaml"] {
        let _ = lint(&[File { name, bytes }], &known);
    }
});
