//! Placeholders in the texts of an agent's command, and what is nearly one.

use rehearsal_wire::names::nearest;

/// The placeholders, without their braces.
pub const NAMES: [&str; 10] = [
    "prompt",
    "base_url",
    "root_url",
    "workspace",
    "home",
    "model",
    "case",
    "daemon_url",
    "daemon_config_dir",
    "daemon_project",
];

/// Words in braces that are nearly a placeholder: as written, and as probably meant.
pub fn slips(text: &str) -> impl Iterator<Item = (&str, &'static str)> {
    braced(text)
        .filter(|written| !NAMES.contains(written))
        .filter_map(|written| Some((written, nearest(written, NAMES)?)))
}

/// The placeholders that a text holds, as often as they stand in it.
pub(crate) fn held(text: &str) -> impl Iterator<Item = &str> {
    braced(text).filter(|written| NAMES.contains(written))
}

fn braced(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0))
}

#[cfg(test)]
mod tests {
    use super::{held, slips};

    #[test]
    fn only_what_is_nearly_a_placeholder_is_a_slip() {
        let found: Vec<_> = slips("--ask={promt} {base-url} {rot_url} {hom}").collect();
        assert_eq!(
            found,
            [("promt", "prompt"), ("base-url", "base_url"), ("rot_url", "root_url"), ("hom", "home")]
        );
        for text in ["{prompt}", "{\"a\": 1}", "{}", "{x}", "{promt", "promt}", "{model}{case}{home}"] {
            assert_eq!(slips(text).next(), None, "{text}");
        }
        assert!(held("a{home}b{x}{case}").eq(["home", "case"]));
    }
}
