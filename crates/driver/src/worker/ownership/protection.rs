//! Files that no worker may write: what it is judged by, and what runs before anything else does.
//!
//! A worker that may write a test, its configuration or a start-up hook can turn any test green.

use super::name::fold;

/// What is always protected. A pattern without `/` is the last part of a name, anywhere; one with `/` at its end is a
/// folder with all below it, anywhere; one with `/` at its start is a whole name from the tree's root. A `*` stands
/// for any characters within a part.
///
/// The files are those that pytest, tox, setuptools, Python itself (`site`), npm, Jest, Vitest, make, Cargo and Go's and CI
/// systems' documentation name as read before or while tests run.
const ALWAYS: &[&str] = &[
    // Tests.
    "test/",
    "tests/",
    "__tests__/",
    "__mocks__/",
    "__snapshots__/",
    "testdata/",
    "test_*.py",
    "*_test.py",
    "tests.py",
    "*_test.go",
    "*.test.*",
    "*.spec.*",
    "*_spec.rb",
    "test_*.R",
    // Their configuration.
    "conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "tox.toml",
    "noxfile.py",
    "pyproject.toml",
    ".coveragerc",
    "package.json",
    ".npmrc",
    "jest.config.*",
    "vitest.config.*",
    "vite.config.*",
    "babel.config.*",
    ".babelrc*",
    ".mocharc*",
    "build.rs",
    ".cargo/",
    // What runs by itself.
    "sitecustomize.py",
    "usercustomize.py",
    "*.pth",
    "*.egg-link",
    "pyvenv.cfg",
    ".envrc",
    ".Rprofile",
    ".Renviron",
    "Makefile",
    "GNUmakefile",
    "*.mk",
    "justfile",
    ".github/",
    ".gitlab-ci.yml",
    ".circleci/",
    ".husky/",
    ".pre-commit-config.yaml",
    ".gitattributes",
    ".gitmodules",
];

/// The names that are protected: the usual ones, and those that a caller adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    more: Vec<String>,
}

impl Protection {
    /// Protects the usual names and these patterns: a name (`oracle.py`), a folder with all below it (`golden/`), a name from
    /// the root (`/data/expected.json`), each with `*` for any characters within a part. Case and Unicode form do not count.
    #[must_use]
    pub fn with(more: &[&str]) -> Self {
        Self { more: more.iter().map(|pattern| (*pattern).to_owned()).collect() }
    }

    /// Whether a name, with `/` between its parts, is protected.
    #[must_use]
    pub fn covers(&self, name: &str) -> bool {
        let parts: Vec<String> = name.split('/').map(fold).collect();
        ALWAYS
            .iter()
            .copied()
            .chain(self.more.iter().map(String::as_str))
            .any(|pattern| covers(pattern, &parts))
    }
}

fn covers(pattern: &str, parts: &[String]) -> bool {
    let rooted = pattern.starts_with('/');
    let folder = pattern.ends_with('/');
    let wanted: Vec<String> = pattern.trim_matches('/').split('/').map(fold).collect();
    let length = wanted.len();
    // A folder's pattern also covers a file of its name: where that is written the folder cannot be.
    parts.windows(length).enumerate().any(|(at, window)| {
        let at_its_place = if rooted { at == 0 } else { true };
        let to_the_end = folder || at + length == parts.len();
        at_its_place && to_the_end && wanted.iter().zip(window).all(|(one, other)| fits(one, other))
    })
}

/// Whether a part fits a pattern: the pieces between stars stand in it in their order, the first at its start, the last at
/// its end.
fn fits(pattern: &str, part: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == part };
    let Some(mut left) = part.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for piece in middle.split('*') {
        match left.split_once(piece) {
            Some((_, after)) => left = after,
            None => return false,
        }
    }
    left.ends_with(end)
}
