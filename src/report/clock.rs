//! Moments and durations for people. UTC only: a trace does not say in which zone it was made.

/// As `2026-11-30 10:15:02 UTC`; empty for what is no moment.
pub fn utc(ms: f64) -> String {
    if !ms.is_finite() || ms.abs() > 8.64e15 {
        return String::new();
    }
    #[allow(clippy::cast_possible_truncation, reason = "within the range of ECMAScript dates, checked above")]
    let seconds = (ms / 1000.0).floor() as i64;
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Civil from days, with years that begin in March (Howard Hinnant's algorithm).
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", rest / 3600, rest / 60 % 60, rest % 60)
}

/// As `850 ms`, `2.4 s`, `3 min 20 s`.
pub fn duration(ms: f64) -> String {
    if !ms.is_finite() {
        return String::new();
    }
    let ms = ms.max(0.0);
    if ms < 999.5 {
        format!("{ms:.0} ms")
    } else if ms < 59_950.0 {
        format!("{:.1} s", ms / 1000.0)
    } else {
        let seconds = (ms / 1000.0).round();
        format!("{:.0} min {:.0} s", (seconds / 60.0).floor(), seconds % 60.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        assert_eq!(utc(0.0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(1_764_496_502_999.0), "2025-11-30 09:55:02 UTC");
        assert_eq!(utc(951_782_400_000.0), "2000-02-29 00:00:00 UTC");
        assert_eq!(utc(-1.0), "1969-12-31 23:59:59 UTC");
        assert_eq!(utc(f64::NAN), "");
    }

    #[test]
    fn durations() {
        assert_eq!(duration(12.4), "12 ms");
        assert_eq!(duration(2449.0), "2.4 s");
        assert_eq!(duration(200_000.0), "3 min 20 s");
        assert_eq!(duration(-5.0), "0 ms");
    }
}
