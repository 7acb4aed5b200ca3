//! How long something took, in words.

use std::time::Duration;

/// A duration as people say it: 12 ms, 3.4 s, 2 min 5 s.
pub(super) fn duration(took: Duration) -> String {
    let seconds = took.as_secs_f64();
    match seconds {
        _ if seconds < 5e-4 => "less than 1 ms".to_owned(),
        _ if seconds < 0.9995 => format!("{:.0} ms", 1e3 * seconds),
        _ if seconds < 59.95 => format!("{seconds:.1} s"),
        _ => {
            let whole = seconds.round() as u64;
            format!("{} min {} s", whole / 60, whole % 60)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_the_unit_of_its_size() {
        for (seconds, expected) in [
            (0.0, "less than 1 ms"),
            (0.0123, "12 ms"),
            (0.9996, "1.0 s"),
            (3.42, "3.4 s"),
            (59.96, "1 min 0 s"),
            (125.2, "2 min 5 s"),
        ] {
            assert_eq!(duration(Duration::from_secs_f64(seconds)), expected);
        }
    }
}
