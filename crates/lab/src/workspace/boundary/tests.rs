//! What each hindrance becomes: a refusal with its code and sentence, or the world's failure.

use super::*;
use std::io;

fn stopped(doing: Doing, met: Met, system: Option<&'static str>) -> Stop {
    Request { path: "a\n/b", doing }.stop("b", Hindrance { met, system })
}

#[test]
fn each_hindrance_has_its_code() {
    let write = |met| match stopped(Doing::Write, met, Some("EX")) {
        Stop::Refused(refusal) => {
            assert_eq!((refusal.path.as_deref(), refusal.system), (Some("a\\n/b"), Some("EX")));
            refusal.code.word()
        }
        Stop::Failed(why) => {
            assert!(why.starts_with("cannot write `a\\n/b`: "), "{why}");
            "failed"
        }
        Stop::TimedOut | Stop::Unsupported(_) => panic!("neither is possible"),
    };
    for (met, want) in [
        (Met::Link, "E_SYMLINK"),
        (Met::Magiclink, "E_MAGICLINK"),
        (Met::Unfit, "E_NOT_REGULAR"),
        (Met::Elsewhere, "E_CROSS_DEVICE"),
        (Met::Outside, "E_PATH_ESCAPE"),
        (Met::TooLong, "E_PATH_TOO_LONG"),
        (Met::Missing, "E_RACE"),
        (Met::Taken, "E_RACE"),
        (Met::Changed, "E_RACE"),
        (Met::Forbidden, "E_READONLY"),
        (Met::System(io::ErrorKind::StorageFull.into()), "failed"),
        (Met::System(io::ErrorKind::ReadOnlyFilesystem.into()), "failed"),
    ] {
        assert_eq!(write(met), want);
    }
    assert!(matches!(stopped(Doing::Remove, Met::Forbidden, None), Stop::Refused(_)));
    let Stop::Failed(why) = stopped(Doing::Read, Met::Forbidden, Some("EACCES")) else {
        panic!("no refusal")
    };
    assert!(why.starts_with("cannot read") && why.ends_with("(EACCES)"), "{why}");
}

#[test]
fn what_leads_out_says_so_in_the_words_of_the_reference() {
    for code in Code::ALL {
        let message = refusal("../x\n", *code, "why", None).message;
        let says = message == "path escapes the workspace: ../x\\n: why (stay inside your working dir)";
        let leads = [
            "E_PATH_PARENT",
            "E_PATH_ABSOLUTE",
            "E_PATH_ESCAPE",
            "E_SYMLINK",
            "E_MAGICLINK",
            "E_HARDLINK",
            "E_CROSS_DEVICE",
        ];
        assert_eq!(says, leads.contains(&code.word()), "{message}");
        assert!(says || message == "the path `../x\\n` is refused: why", "{message}");
    }
}
