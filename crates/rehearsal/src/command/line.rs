//! The agent's command as a person wrote it: slips that would only show as a puzzling end of every case.

use crate::failure::Failure;
use crate::terminal;
use rehearsal_wire::names::nearest;
use rehearsal_workflow::told::GIVEN;
use rehearsal_world::files;
use std::path::Path;

/// Refuses a whole command in one word, and warns of what is nearly a placeholder.
pub(super) fn check(command: &[String]) -> Result<(), Failure> {
    if let [program, ..] = command
        && program.contains(char::is_whitespace)
        && !files::is_file(Path::new(program))
    {
        return Err(Failure::Command(format!(
            "there is no program {program:?}; write its words without quotes around all of them"
        )));
    }
    for (written, meant) in command.iter().flat_map(|word| slips(word)) {
        terminal::complain(&format!(
            "rehearsal: {{{written}}} is passed on as it is; did you mean {{{meant}}}?"
        ));
    }
    Ok(())
}

/// Words in braces that are nearly the name of a placeholder.
fn slips(word: &str) -> Vec<(&str, &'static str)> {
    let known = || GIVEN.iter().filter_map(|given| given.placeholder?.strip_prefix('{')?.strip_suffix('}'));
    word.split('{')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0))
        .filter(|written| !known().any(|name| name == *written))
        .filter_map(|written| Some((written, nearest(written, known())?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::slips;

    #[test]
    fn only_what_is_nearly_a_placeholder_is_a_slip() {
        assert_eq!(slips("--ask={promt} {base-url}"), [("promt", "prompt"), ("base-url", "base_url")]);
        for word in ["{prompt}", "{\"a\": 1}", "{}", "{x}", "{prompt", "prompt}", "{model}{case}"] {
            assert_eq!(slips(word), [], "{word}");
        }
    }
}
