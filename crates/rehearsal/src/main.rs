//! The program: everything it does stands in the library.
#![forbid(unsafe_code)]

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// A twelfth of the processor time of a request: what it needs comes and goes on any thread.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    rehearsal::main()
}
