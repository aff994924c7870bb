//! Times as clients write them: RFC 3339, as JSON of Protocol Buffers takes it.

/// Milliseconds since 1970 of a time such as `2026-09-01T00:00:00.5Z`; none where it is no time from then on.
pub(crate) fn read(text: &str) -> Option<u64> {
    let (date, clock) = text.split_once(['T', 't'])?;
    let at = clock.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = clock.split_at(at);
    let mut parts = date.split('-');
    let (year, month, day) =
        (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut times = clock.split(':');
    let (hour, minute, second) =
        (digits(times.next()?, 2)?, digits(times.next()?, 2)?, digits(times.next()?, 2)?);
    let lengths = [31, if is_leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = *lengths.get(usize::try_from(month.checked_sub(1)?).ok()?)?;
    let fits = (1..=length).contains(&day) && hour < 24 && minute < 60 && second < 60;
    if !fits || parts.next().is_some() || times.next().is_some() {
        return None;
    }
    let before: i64 = lengths.iter().take(usize::try_from(month).ok()? - 1).sum();
    let days = 365 * (year - 1970) + leaps(year - 1) - leaps(1969) + before + day - 1;
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset(zone)?;
    u64::try_from(seconds * 1000 + millis(fraction)?).ok()
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let fits = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

/// Up to nine digits; what is less than a millisecond is dropped.
fn millis(fraction: &str) -> Option<i64> {
    if !(1..=9).contains(&fraction.len()) {
        return None;
    }
    digits(fraction, fraction.len())?;
    let three: String = fraction.chars().chain("00".chars()).take(3).collect();
    digits(&three, 3)
}

/// Seconds that a zone is ahead.
fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, rest) = zone.split_at_checked(1)?;
    let (hours, minutes) = rest.split_once(':')?;
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    let seconds = hours * 3600 + minutes * 60;
    (hours < 24 && minutes < 60).then_some(if sign == "-" { -seconds } else { seconds })
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Leap years up to a year.
fn leaps(year: i64) -> i64 {
    year / 4 - year / 100 + year / 400
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn times_are_read_as_they_are_written() {
        for (text, ms) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("1970-01-02T00:00:01.25z", Some(86_401_250)),
            ("2026-09-01T00:00:00Z", Some(1_788_220_800_000)),
            ("2026-09-01T02:00:00.000000001+02:00", Some(1_788_220_800_000)),
            ("2000-02-29T23:59:59.999Z", Some(951_868_799_999)),
            ("2024-12-31T00:00:00-00:30", Some(1_735_605_000_000)),
            ("1900-02-29T00:00:00Z", None),
            ("1969-12-31T23:59:59Z", None),
            ("2026-13-01T00:00:00Z", None),
            ("2026-00-01T00:00:00Z", None),
            ("2026-09-01T24:00:00Z", None),
            ("2026-09-01T00:00:00", None),
            ("2026-09-01 00:00:00Z", None),
            ("2026-9-1T00:00:00Z", None),
            ("2026-09-01T00:00:00.Z", None),
            ("", None),
        ] {
            assert_eq!(read(text), ms, "{text}");
        }
    }

    #[test]
    fn what_the_house_writes_is_read_back() {
        for ms in [0, 1, 951_868_799_999, 1_788_220_800_000, 4_102_444_800_001] {
            assert_eq!(read(&rehearsal_world::clock::rfc3339(ms)), Some(ms));
        }
    }
}
