//! Durations as people write them, in files and on the command line: `200ms`, `1.5s`, `2m`, `1h`.

use std::time::Duration;

/// The longest that anybody may ask for: one day.
const MOST: f64 = 86_400.0;

/// What a duration looks like.
pub const FORM: &str = "write a number and a unit: 200ms, 1.5s, 2m or 1h; a day at most";

/// Reads a duration; `None` where the text is none, or is longer than a day.
#[must_use]
pub fn parse(text: &str) -> Option<Duration> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(split);
    let seconds = match unit.trim_start() {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let plain =
        number.starts_with(|c: char| c.is_ascii_digit()) && number.ends_with(|c: char| c.is_ascii_digit());
    let number: f64 = if plain { number.parse().ok()? } else { return None };
    let seconds = number * seconds;
    (seconds <= MOST).then(|| Duration::from_micros((seconds * 1e6).round() as u64))
}

#[cfg(test)]
mod tests {
    use super::parse;
    use std::time::Duration;

    #[test]
    fn reads_a_number_and_a_unit() {
        for (text, millis) in [
            ("200ms", Some(200)),
            ("1.5s", Some(1500)),
            ("2m", Some(120_000)),
            ("0s", Some(0)),
            ("24h", Some(86_400_000)),
        ] {
            assert_eq!(parse(text), millis.map(Duration::from_millis), "{text}");
        }
        for text in ["", "s", "10", "1.s", ".5s", "1d", "25h", "-1s", "1e3s", "9999999999m", "1..2s"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
