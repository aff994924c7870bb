//! Any bytes: the JSON tape never panics, and what it reads it writes as an equal value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rehearsal_wire::json::{Likeness, likeness, parse, write_value};

fuzz_target!(|bytes: &[u8]| match parse(bytes) {
    Ok(tape) => {
        let mut written = Vec::new();
        write_value(&mut written, tape.root());
        let again = parse(&written).expect("what was written reads");
        assert_eq!(likeness(tape.root(), again.root()), Likeness::Same);
        assert_eq!(tape.duplicate_key.is_some(), again.duplicate_key.is_some());
    }
    Err(broken) => assert!(broken.offset <= bytes.len()),
});
