//! The program: everything it does stands in the library.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    rehearsal::main()
}
