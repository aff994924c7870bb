//! Seconds since 1970 as dates of the Gregorian calendar, in the forms that answers hold.

/// 2026-01-01T00:00:00Z in seconds since 1970: when all was made that is not made by a step.
pub(crate) const NEW_YEAR: u64 = 1_767_225_600;

/// A second of the calendar, in UTC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    year: u64,
    /// From 1.
    month: u64,
    /// From 1.
    day: u64,
    /// From 0, a Sunday.
    weekday: u64,
    hour: u64,
    minute: u64,
    second: u64,
}

const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl Moment {
    /// The days are taken apart after Hinnant, "chrono-compatible low-level date algorithms": years that begin in March have
    /// their leap day at the end.
    pub(crate) fn of(seconds: u64) -> Self {
        let (since, rest) = (seconds / 86_400, seconds % 86_400);
        let days = since + 719_468;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        Self {
            year: year_of_era + era * 400 + u64::from(month <= 2),
            month,
            day: day_of_year - (153 * from_march + 2) / 5 + 1,
            // 1970 began on a Thursday.
            weekday: (since + 4) % 7,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
        }
    }

    /// As RFC 3339 has it.
    pub(crate) fn rfc3339(self) -> String {
        let Self { year, month, day, hour, minute, second, .. } = self;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    /// As a header has it (RFC 9110, 5.6.7).
    pub(crate) fn http(self) -> String {
        let Self { year, month, day, weekday, hour, minute, second } = self;
        let name =
            |names: &[&'static str], at: u64| usize::try_from(at).ok().and_then(|at| names.get(at).copied());
        let weekday = name(&WEEKDAYS, weekday).unwrap_or_default();
        let month = name(&MONTHS, month - 1).unwrap_or_default();
        format!("{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
    }
}

#[cfg(test)]
mod tests {
    use super::Moment;

    #[test]
    fn seconds_are_dated() {
        for (seconds, rfc3339, http) in [
            (0, "1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_827_696, "2000-02-29T12:34:56Z", "Tue, 29 Feb 2000 12:34:56 GMT"),
            (1_767_225_600, "2026-01-01T00:00:00Z", "Thu, 01 Jan 2026 00:00:00 GMT"),
            (1_772_323_199, "2026-02-28T23:59:59Z", "Sat, 28 Feb 2026 23:59:59 GMT"),
        ] {
            assert_eq!(
                (Moment::of(seconds).rfc3339().as_str(), Moment::of(seconds).http().as_str()),
                (rfc3339, http)
            );
        }
    }
}
