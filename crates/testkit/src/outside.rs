//! Programs of the tests that stand outside the workspace: each is built into a folder of its own in `target` of the project, or into
//! the folder that a variable names.

use std::path::{Path, PathBuf};

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct Outside {
    /// Its folder in `target`.
    pub folder: &'static str,
    /// Its name.
    pub program: &'static str,
    /// The variable that names another folder.
    pub variable: &'static str,
    /// Why a test is left out that needs it, and how a person gets it.
    pub missing: &'static str,
}

/// async-openai, the strictest reader of OpenAI's APIs.
pub const ASYNC_OPENAI: Outside = Outside {
    folder: "async-openai",
    program: "reads-strictly",
    variable: "REHEARSAL_TEST_ASYNC_OPENAI",
    missing: "because the program on async-openai is not built: cargo build --manifest-path \
        crates/rehearsal/tests/async_openai/Cargo.toml --target-dir target/async-openai",
};

/// The official schema of the Agent Client Protocol.
pub const ACP_SCHEMA: Outside = Outside {
    folder: "acp-schema",
    program: "holds-to-acp",
    variable: "REHEARSAL_TEST_ACP_SCHEMA",
    missing: "because the program on the schema of ACP is not built: cargo build --manifest-path \
        crates/rehearsal/tests/acp_schema/Cargo.toml --target-dir target/acp-schema",
};

impl Outside {
    /// Where it is, if it is built.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        let ours = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target").join(self.folder);
        let folder = std::env::var_os(self.variable).map_or_else(ours, PathBuf::from);
        let name = format!("{}{}", self.program, std::env::consts::EXE_SUFFIX);
        folder.join("debug").join(name).canonicalize().ok()
    }
}
