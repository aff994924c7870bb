//! A process that hides its memory: it says so to the kernel, and what it starts is as open as ever.

#![cfg(target_os = "linux")]

use rustix::process::{DumpableBehavior, dumpable_behavior};

#[test]
fn a_process_that_hides_its_memory_is_read_by_nobody_of_its_user() {
    rehearsal_world::environment::hide_memory();
    assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
}
