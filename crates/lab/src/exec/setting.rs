//! What stands around a program: where it runs, and the few variables that it finds, the same on every machine.

use crate::plain::line;
use crate::{Code, Refusal, Stop};
use rehearsal_world::files::private_folders;
use rehearsal_world::process::StartError;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

/// Variables that are the same everywhere. What makes dates into files begins with 2020: before 1980 archives have none.
const FIXED: [(&str, &str); 6] = [
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("TZ", "UTC"),
    ("PYTHONHASHSEED", "0"),
    ("SOURCE_DATE_EPOCH", "1577836800"),
    ("NO_COLOR", "1"),
];

/// Where a program runs, and what it finds there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'s> {
    pub(crate) folder: &'s Path,
    pub(crate) home: &'s Path,
    pub(crate) inherited: &'s [(String, String)],
}

impl Setting<'_> {
    /// The whole environment. The folders that it names are made.
    pub(crate) fn environment(&self, own: &[(String, String)]) -> Result<Vec<(OsString, OsString)>, Stop> {
        let temporary = self.home.join("tmp");
        // One after the other: an earlier program may have put a link in the place of its home.
        for folder in [self.home, &temporary] {
            let unmade = |error| Stop::Failed(format!("cannot make a home: {error}"));
            private_folders(folder).map_err(unmade)?;
        }
        let mut all: BTreeMap<OsString, OsString> = BTreeMap::new();
        let text = |(name, value): &(String, String)| (name.into(), value.into());
        all.extend(self.inherited.iter().map(text));
        all.extend(FIXED.map(|(name, value)| (name.into(), value.into())));
        all.insert("HOME".into(), self.home.into());
        all.insert("TMPDIR".into(), temporary.into());
        all.extend(own.iter().map(text));
        if let Some(bad) = all.iter().find_map(|(name, value)| flaw(name, value)) {
            return Err(Refusal::new(Code::Input, bad).into());
        }
        Ok(all.into_iter().collect())
    }

    /// Program and arguments, the program as it is found from where it runs.
    pub(crate) fn argv(&self, argv: &[String]) -> Result<Vec<String>, Refusal> {
        if argv.first().is_none_or(String::is_empty) {
            return Err(Refusal::new(Code::Input, "`command` names no program"));
        }
        if argv.iter().any(|word| word.contains('\0')) {
            return Err(Refusal::new(
                Code::Input,
                "no program can be given an argument with the character zero",
            ));
        }
        Ok(self.found(argv))
    }

    fn found(&self, argv: &[String]) -> Vec<String> {
        let mut argv = argv.to_vec();
        if let Some(program) = argv.first_mut()
            && Path::new(program).is_relative()
            && Path::new(program).components().count() > 1
        {
            *program = self.folder.join(&program).to_string_lossy().into_owned();
        }
        argv
    }

    /// Why it did not start, with the program's name as it was given: where the workspace lies differs from run to run.
    pub(crate) fn not_started(&self, error: &StartError, argv: &[String]) -> Stop {
        let mut why = error.to_string();
        if let (Some(given), Some(found)) = (argv.first(), self.found(argv).first())
            && given != found
        {
            why = why.replace(found, given);
        }
        Stop::Failed(line(&why))
    }
}

/// What no environment can hold.
fn flaw(name: &OsString, value: &OsString) -> Option<String> {
    let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
    let bad = name.is_empty() || name.contains(['=', '\0']) || value.contains('\0');
    bad.then(|| format!("no program can be given the variable {:?}", line(&name)))
}
