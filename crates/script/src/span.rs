//! Durations as people write them: `200ms`, `1.5s`, `2m`.

use std::time::Duration;

/// The longest that a file may ask for: one day.
const MOST: f64 = 86_400.0;

/// Reads a duration; `None` where the text is none.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(split);
    let seconds = match unit.trim_start() {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
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
        for (text, millis) in
            [("200ms", Some(200)), ("1.5s", Some(1500)), ("2m", Some(120_000)), ("0s", Some(0))]
        {
            assert_eq!(parse(text), millis.map(Duration::from_millis), "{text}");
        }
        for text in ["", "s", "10", "1.s", ".5s", "1h", "-1s", "1e3s", "9999999999m", "1..2s"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
