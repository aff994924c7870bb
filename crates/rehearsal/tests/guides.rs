//! What README.md and docs/guide promise, done as they say it.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read a page or start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::{said, scratch};
use rehearsal_wire::dialect::DIALECTS;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Those that need python3 say so at run time where it is missing.
fn main() {
    let python = Command::new("python3").arg("--version").output().is_ok_and(|ran| ran.status.success());
    let plain: &[(&str, fn())] = &[
        (
            "the_readmes_suite_has_no_mistakes_and_the_built_in_agent_passes_it",
            the_readmes_suite_has_no_mistakes_and_the_built_in_agent_passes_it,
        ),
        ("no_example_of_the_guide_has_mistakes", no_example_of_the_guide_has_mistakes),
        ("the_guide_to_running_places_every_finding", the_guide_to_running_places_every_finding),
        (
            "the_guide_to_journals_tells_every_event_and_kind",
            the_guide_to_journals_tells_every_event_and_kind,
        ),
        (
            "the_guide_hands_a_container_what_agents_of_each_api_need",
            the_guide_hands_a_container_what_agents_of_each_api_need,
        ),
        ("every_link_of_the_pages_leads_to_a_file", every_link_of_the_pages_leads_to_a_file),
    ];
    let with_python: &[(&str, fn())] = &[
        (
            "the_readmes_agent_passes_where_no_tool_is_needed_and_fails_with_the_pictures_reasons",
            the_readmes_agent_passes_where_no_tool_is_needed_and_fails_with_the_pictures_reasons,
        ),
        (
            "the_guides_workflows_have_no_mistakes_and_end_as_it_says",
            the_guides_workflows_have_no_mistakes_and_end_as_it_says,
        ),
        ("a_journal_is_verified_by_hand_as_its_guide_says", a_journal_is_verified_by_hand_as_its_guide_says),
    ];
    let plain = plain.iter().map(|(name, test)| {
        Trial::test(*name, || {
            test();
            Ok(())
        })
    });
    let with_python = with_python.iter().map(move |(name, test)| {
        Trial::ignorable_test(*name, move || {
            if !python {
                return Ok(Completion::ignored_with("because python3 is not installed"));
            }
            test();
            Ok(Completion::Completed)
        })
    });
    libtest_mimic::run(&Arguments::from_args(), plain.chain(with_python).collect()).exit();
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn page(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap().replace("\r\n", "\n")
}

/// A container gets no variable that is not named, so one that is left out leaves its agent with the real provider.
fn the_guide_hands_a_container_what_agents_of_each_api_need() {
    let page = page("docs/guide/running.md");
    let (_, rest) = page.split_once("docker run").unwrap();
    let (command, _) = rest.split_once("```").unwrap();
    let handed: Vec<_> =
        command.split("-e ").skip(1).filter_map(|rest| rest.split_whitespace().next()).collect();
    let clients = DIALECTS.iter().map(|dialect| dialect.environment);
    let clients =
        clients.flat_map(|known| [known.base_url.first(), known.root_url.first(), known.key.first()]);
    for name in clients.flatten().copied().chain(["REHEARSAL_MODEL", "REHEARSAL_PROMPT"]) {
        assert!(handed.contains(&name), "{name} is not among {handed:?}");
    }
}

/// The first block of a kind (`python`, `yaml`) in a page.
fn block(page: &str, kind: &str) -> String {
    let (_, after) = page.split_once(&format!("```{kind}\n")).unwrap();
    after.split_once("```").unwrap().0.to_owned()
}

fn rehearsal(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rehearsal")).args(arguments).current_dir(folder).output().unwrap()
}

fn the_readmes_agent_passes_where_no_tool_is_needed_and_fails_with_the_pictures_reasons() {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), "guides/agent");
    let readme = page("README.md");
    fs::write(folder.join("my_agent.py"), block(&readme, "python")).unwrap();
    let suite = root().join("examples/quickstart");
    let run = |cases: &[&str]| {
        let mut arguments = vec!["run", suite.to_str().unwrap(), "--data", "data"];
        cases.iter().for_each(|case| arguments.extend(["--case", case]));
        arguments.extend(["--", "python3", "my_agent.py"]);
        rehearsal(&folder, &arguments)
    };
    let passed = run(&["chat-only"]);
    assert_eq!(passed.status.code(), Some(0), "{}", said(&passed));

    let failed = run(&["chat-only", "one-tool", "rate-limit"]);
    assert_eq!(failed.status.code(), Some(1), "{}", said(&failed));
    assert_eq!(table(&String::from_utf8_lossy(&failed.stdout)), table(&block(&readme, "console")));
}

/// The words of a run's table. Times, and where lines are broken, are of no account.
fn table(text: &str) -> Vec<String> {
    let (_, rows) = text.split_once("steps  requests").unwrap();
    let (rows, _) = rows.split_once(" cases in").unwrap();
    let is_time = |word: &&str| word.contains('.') && word.parse::<f64>().is_ok();
    rows.split_whitespace().filter(|word| !is_time(word)).map(str::to_owned).collect()
}

fn the_readmes_suite_has_no_mistakes_and_the_built_in_agent_passes_it() {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), "guides/suite");
    fs::write(folder.join("suite.yaml"), block(&page("README.md"), "yaml")).unwrap();
    let linted = rehearsal(&folder, &["lint", "suite.yaml"]);
    assert_eq!(said(&linted), "1 file without mistakes, 0 warnings\n");
    let ran = rehearsal(&folder, &["run", "suite.yaml"]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
}

/// The files that a page shows.
fn examples(page: &str) -> impl Iterator<Item = &str> {
    page.split("```yaml\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0))
}

/// All of them are one suite: the agent's workflow names the scenario beside it.
fn the_guides_workflows_have_no_mistakes_and_end_as_it_says() {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), "guides/workflows");
    let page = page("docs/guide/workflows.md");
    fs::write(folder.join("server.py"), block(&page, "python")).unwrap();
    for (at, example) in examples(&page).enumerate() {
        fs::write(folder.join(format!("{at}.yaml")), example).unwrap();
    }
    let linted = said(&rehearsal(&folder, &["lint", "."]));
    assert_eq!(linted, "5 files without mistakes, 0 warnings\n");
    let ran = rehearsal(&folder, &["run", "."]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
}

fn no_example_of_the_guide_has_mistakes() {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), "guides/guide");
    let guides = ["scenarios", "driving", "daemon"].map(|name| page(&format!("docs/guide/{name}.md")));
    let examples: Vec<&str> = guides.iter().flat_map(|guide| examples(guide)).collect();
    assert!(examples.len() >= 6, "only {} examples", examples.len());
    for example in examples {
        fs::write(folder.join("suite.yaml"), example).unwrap();
        let linted = rehearsal(&folder, &["lint", "suite.yaml"]);
        assert_eq!(said(&linted), "1 file without mistakes, 0 warnings\n", "{example}");
    }
}

fn a_journal_is_verified_by_hand_as_its_guide_says() {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), "guides/journal");
    fs::write(folder.join("suite.yaml"), block(&page("README.md"), "yaml")).unwrap();
    fs::write(folder.join("verify.py"), block(&page("docs/guide/journal.md"), "python")).unwrap();
    let ran = rehearsal(&folder, &["run", "suite.yaml", "--data", "data"]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    let runs = fs::read_dir(folder.join("data/runs")).unwrap().next().unwrap().unwrap().path();
    let (lines, bodies) = (runs.join("journals/write-hello.jsonl"), runs.join("journals/write-hello.bodies"));
    let verify = || {
        Command::new("python3")
            .arg("verify.py")
            .args([&lines, &bodies])
            .current_dir(&folder)
            .output()
            .unwrap()
    };
    let good = verify();
    assert!(good.status.success() && said(&good).contains("lines, head "), "{}", said(&good));

    let whole = fs::read_to_string(&lines).unwrap();
    fs::write(&lines, whole.replace("\"n_messages\":", "\"n_messages\":1")).unwrap();
    assert!(said(&verify()).contains("was changed"));
    let shorter: Vec<_> = whole.lines().filter(|line| !line.contains("\"answered\"")).collect();
    fs::write(&lines, shorter.join("\n") + "\n").unwrap();
    assert!(said(&verify()).contains("follows another line"));
    fs::write(&lines, whole).unwrap();
    let mut changed = fs::read(&bodies).unwrap();
    changed[7] ^= 1;
    fs::write(&bodies, changed).unwrap();
    assert!(said(&verify()).contains("the body of line"));
}

fn the_guide_to_running_places_every_finding() {
    let guide = page("docs/guide/running.md");
    for check in rehearsal_workflow::grade::CHECKS {
        assert!(guide.contains(&format!("`{}`", check.code)), "{} is missing from running.md", check.code);
    }
}

fn the_guide_to_journals_tells_every_event_and_kind() {
    let guide = page("docs/guide/journal.md");
    let source = page("crates/journal/src/event.rs");
    for (of, least) in [("Event", 11), ("Kind", 8)] {
        let (_, after) = source.split_once(&format!("pub enum {of} {{\n")).unwrap();
        let (variants, _) = after.split_once("\n}").unwrap();
        // A variant stands one step in; what it holds, or what is said of it, does not begin with a capital there.
        let names = variants.lines().filter_map(|line| line.strip_prefix("    "));
        let names = names.filter(|name| name.starts_with(|letter: char| letter.is_ascii_uppercase()));
        let words: Vec<String> = names.map(snake_case).collect();
        assert!(words.len() >= least, "{words:?}");
        for word in words {
            assert!(guide.contains(&format!("`{word}`")), "{word} is missing from journal.md");
        }
    }
}

/// The name at the beginning of a line, as the journal spells it.
fn snake_case(line: &str) -> String {
    let mut word = String::new();
    for letter in line.chars().take_while(char::is_ascii_alphanumeric) {
        if letter.is_ascii_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.push(letter.to_ascii_lowercase());
    }
    word
}

fn every_link_of_the_pages_leads_to_a_file() {
    let mut pages = vec![root().join("README.md"), root().join("ARCHITECTURE.md")];
    for folder in ["docs", "docs/guide", "docs/reference"] {
        let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        pages.extend(entries.filter(|path| path.extension().is_some_and(|end| end == "md")));
    }
    let mut dead = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap();
            let there =
                file.is_empty() || target.contains("://") || page.parent().unwrap().join(file).exists();
            if !there {
                dead.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}
