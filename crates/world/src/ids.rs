//! Ids that nobody can guess. All randomness comes from here.

use thiserror::Error;

/// The system gave no random bytes.
#[derive(Debug, Error)]
#[error("the system gives no random bytes")]
pub struct NoRandom(#[source] getrandom::Error);

/// Characters of a case token: 22, of 64 kinds, 132 bits.
const TOKEN_LEN: usize = 22;
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Id of a run: UTC date, time and six random hexadecimal digits, e.g. `20261129-201500-a1b2c3`. Sorts by time.
///
/// # Errors
/// When the system gives no random bytes.
pub fn run_id(unix_ms: u64) -> Result<String, NoRandom> {
    let [a, b, c] = random()?;
    let second = unix_ms / 1000;
    let (year, month, day) = date(second / 86_400);
    let (hour, minute, second) = (second / 3600 % 24, second / 60 % 60, second % 60);
    Ok(format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}-{a:02x}{b:02x}{c:02x}"))
}

/// A token that stands in a case's URL: URL-safe, and nobody can guess it.
///
/// # Errors
/// When the system gives no random bytes.
pub fn case_token() -> Result<String, NoRandom> {
    let bytes: [u8; TOKEN_LEN] = random()?;
    Ok(bytes.iter().map(|byte| char::from(URL_SAFE[usize::from(byte & 63)])).collect())
}

/// A seed that nobody chose.
///
/// # Errors
/// When the system gives no random bytes.
pub fn seed() -> Result<u64, NoRandom> {
    // As large as every reader of JSON takes a whole number.
    Ok(u64::from_le_bytes(random()?) >> 11)
}

fn random<const N: usize>() -> Result<[u8; N], NoRandom> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(NoRandom)?;
    Ok(bytes)
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar (years that begin in March).
pub(crate) fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let (year, month) = (year + era * 400, if month < 10 { month + 3 } else { month - 9 });
    (if month <= 2 { year + 1 } else { year }, month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_id_holds_its_date_and_time() {
        for (unix_ms, begins) in [
            (0, "19700101-000000-"),
            (951_782_399_999, "20000228-235959-"),
            (951_782_400_000, "20000229-000000-"),
            (1_796_069_700_000, "20261130-201500-"),
            (4_107_542_400_000, "21000301-000000-"),
        ] {
            let id = run_id(unix_ms).unwrap();
            assert!(id.starts_with(begins), "{id} does not begin with {begins}");
            assert_eq!(id.len(), 22);
        }
    }

    #[test]
    fn tokens_differ_and_fit_into_a_url() {
        let (one, two) = (case_token().unwrap(), case_token().unwrap());
        assert_ne!(one, two);
        assert_eq!(one.len(), TOKEN_LEN);
        assert!(one.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
        assert_ne!(run_id(0).unwrap(), run_id(0).unwrap());
    }
}
