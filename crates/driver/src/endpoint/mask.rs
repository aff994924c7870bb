//! Takes secrets out of texts that others wrote, before anything is shown or kept.

use crate::secret::Secret;
use rehearsal_wire::json::write_string;

/// Stands where a secret stood.
const HIDDEN: &str = "(hidden)";
/// The same for a secret that this text would spell.
const OTHERWISE: &str = "***";
/// Shorter keys hide nothing and stand in every text.
const SHORTEST: usize = 4;
/// Rounds after which a text that still holds a secret is given up whole.
const ROUNDS: usize = 8;

/// What must not be seen.
#[derive(Clone, Debug)]
pub struct Mask {
    /// The key in each form in which an answer may repeat it.
    forms: Vec<Secret>,
    instead: &'static str,
}

impl Mask {
    /// Hides a key of four characters or more; shorter ones are placeholders of local servers.
    #[must_use]
    pub fn new(key: Option<&Secret>) -> Self {
        let key = key.map(Secret::expose).filter(|key| key.len() >= SHORTEST);
        let mut forms = Vec::new();
        if let Some(key) = key {
            let mut quoted = Vec::new();
            write_string(&mut quoted, key);
            let escaped = String::from_utf8_lossy(&quoted[1..quoted.len() - 1]).into_owned();
            for form in [key.to_owned(), escaped.replace('/', "\\/"), escaped] {
                if !forms.contains(&form) {
                    forms.push(form);
                }
            }
            // The longest first: a part of it may be the key itself.
            forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        }
        let spelt = forms.iter().any(|form| HIDDEN.contains(form.as_str()));
        let instead = if spelt { OTHERWISE } else { HIDDEN };
        Self { forms: forms.into_iter().map(Secret::new).collect(), instead }
    }

    /// The text without the secret.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..ROUNDS {
            // What is put together of the rest may spell it again.
            if !self.is_in(&text) {
                return text;
            }
            for form in &self.forms {
                text = text.replace(form.expose(), self.instead);
            }
        }
        if self.is_in(&text) { self.instead.to_owned() } else { text }
    }

    fn is_in(&self, text: &str) -> bool {
        self.forms.iter().any(|form| text.contains(form.expose()))
    }

    /// The beginning of bytes as text, without the secret, control characters made spaces: at most so many bytes.
    #[must_use]
    pub fn excerpt(&self, bytes: &[u8], most: usize) -> String {
        // A secret that is cut at the end would not be found any more: it is hidden before the cut.
        let hidden = self.hide(&String::from_utf8_lossy(bytes));
        let mut end = hidden.len().min(most);
        while !hidden.is_char_boundary(end) {
            end -= 1;
        }
        let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
        self.hide(hidden[..end].chars().map(plain).collect::<String>().trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(key: &str) -> Mask {
        Mask::new(Some(&Secret::new(key)))
    }

    #[test]
    fn a_key_is_hidden_as_it_is_and_as_json_spells_it() {
        let mask = mask("sk\"a/b\\c");
        assert_eq!(mask.hide("key sk\"a/b\\c!"), "key (hidden)!");
        assert_eq!(mask.hide(r#"{"k":"sk\"a/b\\c"}"#), r#"{"k":"(hidden)"}"#);
        assert_eq!(mask.hide(r#"{"k":"sk\"a\/b\\c"}"#), r#"{"k":"(hidden)"}"#);
    }

    #[test]
    fn a_key_that_our_own_word_spells_is_hidden_too() {
        for key in ["hidden", "(hidden)", "hidd"] {
            assert_eq!(mask(key).hide(&format!("a {key} b")), "a *** b");
        }
        assert!(!mask(")x)x").hide(")x)xx)x)x").contains(")x)x"));
    }

    #[test]
    fn a_key_that_the_cut_would_part_is_hidden() {
        let text = format!("{}sk-secret-1", "x".repeat(15));
        assert_eq!(mask("sk-secret-1").excerpt(text.as_bytes(), 20), format!("{}(hidd", "x".repeat(15)));
    }

    #[test]
    fn placeholders_of_local_servers_and_no_key_hide_nothing() {
        assert_eq!(mask("x").hide("fox"), "fox");
        assert_eq!(Mask::new(None).hide("fox"), "fox");
        assert!(!format!("{:?}", mask("sk-secret-1")).contains("sk-secret"));
    }
}
