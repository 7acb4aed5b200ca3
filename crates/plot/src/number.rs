//! Formats numbers as in a paper: four significant digits, three in sentences, 3.486 × 10⁴, a hair space before a unit, and "≤", "≥", "="
//! in front of bounds and exact values.
//!
//! A [`Number`] is kept in parts, so that the page can set the exponent as a real superscript; its `Display` is the
//! plain-Unicode form used in figures and tables.

use std::fmt;

/// Significant digits in figures and on the page. Exported files have all digits.
const DIGITS: i32 = 4;
/// Significant digits in sentences.
const SENTENCE_DIGITS: i32 = 3;
/// Numbers from this power of ten on have an exponent.
const EXPONENT_FROM: i32 = 4;
/// Numbers below this power of ten have an exponent.
const EXPONENT_BELOW: i32 = -3;
/// From this size on an exponent is itself rounded to the digits of the number, as in 10^(8.686 × 10¹¹): f64 holds too
/// few digits of the logarithm to know a mantissa, and nobody reads an exponent of thirteen digits.
const TOWER_FROM: f64 = 1e6;
/// The space between a number and its unit.
const HAIR_SPACE: char = '\u{200a}';
/// The minus sign, which is as wide as a digit; a hyphen is not.
const MINUS: char = '\u{2212}';

/// The relative error that 10^log10 may have. A number this close to one with few digits is rounded to that one, not to
/// the next.
const ROUNDING: f64 = 1e-12;

/// Whether a number is exact, a bound, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Neither: a reading off an axis.
    #[default]
    Plain,
    /// The quantity equals this number.
    Exact,
    /// The quantity is at most this number.
    UpperBound,
    /// The quantity is at least this number.
    LowerBound,
}

impl Kind {
    /// The sign in front of the number, empty for [`Kind::Plain`].
    pub fn sign(self) -> &'static str {
        match self {
            Kind::Plain => "",
            Kind::Exact => "=",
            Kind::UpperBound => "≤",
            Kind::LowerBound => "≥",
        }
    }

    /// The kind that a sign stands for; [`Kind::Plain`] for any other text.
    pub fn of_sign(sign: &str) -> Self {
        let claims = [Kind::Exact, Kind::UpperBound, Kind::LowerBound];
        claims.into_iter().find(|kind| kind.sign() == sign).unwrap_or_default()
    }
}

/// A formatted number in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// Exact, bound or neither.
    pub kind: Kind,
    /// The digits, with a real minus sign; "∞" or "–" for infinity and NaN; empty for a bare power of ten from
    /// [`Number::short`]; "10^(..)" for a number whose exponent is a rounded number.
    pub mantissa: String,
    /// The power of ten, if it is written.
    pub exponent: Option<i64>,
    /// The unit, empty if there is none.
    pub unit: String,
}

impl Number {
    /// Formats a value with four significant digits.
    pub fn of(value: f64) -> Self {
        Self::with_digits(value, DIGITS)
    }

    /// Formats a value with up to four significant digits and no trailing zeros: 0.5, 64, 10⁴.
    pub fn short(value: f64) -> Self {
        let mut number = Self::of(value);
        if number.mantissa.contains('.') {
            let kept = number.mantissa.trim_end_matches('0').trim_end_matches('.').len();
            number.mantissa.truncate(kept);
        }
        if number.exponent.is_some() && number.mantissa == "1" {
            number.mantissa.clear();
        }
        number
    }

    /// Formats a value with two significant digits, for approximate labels.
    pub fn rough(value: f64) -> Self {
        Self::with_digits(value, 2)
    }

    /// Formats 10^`log10`, which may exceed the range of f64.
    pub fn from_log10(log10: f64) -> Self {
        Self::from_log10_with_digits(log10, DIGITS)
    }

    /// Formats 10^`log10` with two significant digits.
    pub fn rough_from_log10(log10: f64) -> Self {
        Self::from_log10_with_digits(log10, 2)
    }

    /// Formats 10^`log10` with two significant digits and no sign; an upper bound is rounded up, a lower bound down.
    pub fn rough_claimed(log10: f64, kind: Kind) -> Self {
        Self::claimed_with_digits(log10, kind, 2)
    }

    fn claimed_with_digits(log10: f64, kind: Kind, digits: i32) -> Self {
        let rounded = match kind {
            Kind::UpperBound => directed(log10, digits, f64::ceil, 1.0 - ROUNDING),
            Kind::LowerBound => directed(log10, digits, f64::floor, 1.0 + ROUNDING),
            Kind::Exact | Kind::Plain => log10,
        };
        Self::from_log10_with_digits(rounded, digits)
    }

    /// Formats 10^`log10` so that the sign of its kind is true of the four digits: an upper bound is rounded up, a
    /// lower bound down, anything else to the nearest.
    pub fn claimed(log10: f64, kind: Kind) -> Self {
        Self::claimed_with_digits(log10, kind, DIGITS).kind(kind)
    }

    /// Formats a value by the rule of [`Number::claimed`], so that its digits are the same wherever it is written, with
    /// a sign in front or within a sentence.
    pub fn known(value: f64, kind: Kind) -> Self {
        match kind {
            Kind::UpperBound | Kind::LowerBound => Self::claimed(value.log10(), kind),
            Kind::Exact | Kind::Plain => Self::of(value).kind(kind),
        }
    }

    /// The digits of [`Number::known`] without the sign, where the sign is written elsewhere.
    pub fn digits(value: f64, kind: Kind) -> Self {
        Self::known(value, kind).kind(Kind::Plain)
    }

    /// The digits of [`Number::claimed`] without the sign.
    pub fn digits_from_log10(log10: f64, kind: Kind) -> Self {
        Self::claimed(log10, kind).kind(Kind::Plain)
    }

    /// Formats 10^`log10` with three significant digits and no sign, which the sentence around it says in words: an upper
    /// bound is rounded up, a lower bound down, anything else to the nearest.
    pub fn in_sentence(log10: f64, kind: Kind) -> Self {
        Self::claimed_with_digits(log10, kind, SENTENCE_DIGITS)
    }

    /// The same number with another kind.
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// The same number with a unit.
    pub fn unit(mut self, unit: &str) -> Self {
        unit.clone_into(&mut self.unit);
        self
    }

    fn symbol(mantissa: &str) -> Self {
        Number { kind: Kind::Plain, mantissa: mantissa.to_owned(), exponent: None, unit: String::new() }
    }

    fn with_digits(value: f64, digits: i32) -> Self {
        if value.is_nan() {
            return Self::symbol("–");
        }
        if value.is_infinite() {
            return Self::symbol(if value > 0.0 { "∞" } else { "−∞" });
        }
        if value == 0.0 {
            return Self::symbol("0");
        }
        // `{:e}` rounds to the requested digits first, so that 9999.6 becomes 1.000e4 and not 10000.
        let rounded = format!("{:.*e}", (digits - 1).max(0) as usize, value.abs());
        let (digits_text, exponent_text) = rounded.split_once('e').unwrap_or((&rounded, "0"));
        let exponent: i32 = exponent_text.parse().unwrap_or(0);
        let (mantissa, exponent) = if (EXPONENT_BELOW..EXPONENT_FROM).contains(&exponent) {
            let decimals = (digits - 1 - exponent).max(0) as usize;
            // Parsed from the rounded text, so that 1263 at two digits is written as 1300.
            let value: f64 = rounded.parse().unwrap_or(value.abs());
            (format!("{value:.decimals$}"), None)
        } else {
            (digits_text.to_owned(), Some(i64::from(exponent)))
        };
        let mut number = Self::symbol(&mantissa);
        number.exponent = exponent;
        if value < 0.0 {
            number.mantissa.insert(0, MINUS);
        }
        number
    }

    fn from_log10_with_digits(log10: f64, digits: i32) -> Self {
        if log10.is_nan() {
            return Self::symbol("–");
        }
        if log10 == f64::INFINITY {
            return Self::symbol("∞");
        }
        if log10 == f64::NEG_INFINITY {
            return Self::symbol("0");
        }
        if log10.abs() < 300.0 {
            return Self::with_digits(10f64.powf(log10), digits);
        }
        if log10.abs() >= TOWER_FROM {
            return Self::symbol(&format!("10^({})", Self::with_digits(log10, digits)));
        }
        let mut exponent = log10.floor();
        let decimals = (digits - 1).max(0) as usize;
        let mut mantissa = format!("{:.decimals$}", 10f64.powf(log10 - exponent));
        if mantissa.starts_with("10") {
            exponent += 1.0;
            mantissa = format!("{:.decimals$}", 1.0);
        }
        let mut number = Self::symbol(&mantissa);
        number.exponent = Some(exponent as i64);
        number
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind != Kind::Plain {
            write!(f, "{} ", self.kind.sign())?;
        }
        f.write_str(&self.mantissa)?;
        if let Some(exponent) = self.exponent {
            let times = if self.mantissa.is_empty() { "" } else { " × " };
            write!(f, "{times}10{}", superscript(exponent))?;
        }
        if !self.unit.is_empty() {
            write!(f, "{HAIR_SPACE}{}", self.unit)?;
        }
        Ok(())
    }
}

/// The text of a number in superscript digits.
pub fn raised(number: &str) -> String {
    // There is no raised point, so this dot stands for it.
    number.split('.').map(superscript_of).collect::<Vec<_>>().join("\u{b7}")
}

/// An integer in superscript digits.
fn superscript(value: i64) -> String {
    superscript_of(&value.to_string())
}

fn superscript_of(digits: &str) -> String {
    let raise = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // The other superscript digits are consecutive in Unicode; 1, 2 and 3 are older.
        other => other.to_digit(10).and_then(|d| char::from_u32(0x2070 + d)).unwrap_or(other),
    };
    digits.chars().map(raise).collect()
}

/// log10 of the number 10^`log10` rounded to `digits` digits by `round` (up or down). The factor `towards` differs from
/// 1 by [`ROUNDING`] and absorbs rounding errors.
fn directed(log10: f64, digits: i32, round: fn(f64) -> f64, towards: f64) -> f64 {
    if log10.is_finite() && log10.abs() >= TOWER_FROM {
        return rounded_exponent(log10, digits, round, towards);
    }
    let power = log10.floor() - f64::from(digits - 1);
    let digits = round(10f64.powf(log10 - power) * towards);
    if digits > 0.0 && digits.is_finite() { digits.log10() + power } else { log10 }
}

/// A logarithm rounded to `digits` digits of its own by `round`. The digits of a negative one round the other way.
fn rounded_exponent(log10: f64, digits: i32, round: fn(f64) -> f64, towards: f64) -> f64 {
    let unit = 10f64.powi(log10.abs().log10().floor() as i32 - (digits - 1));
    // The logarithm itself is rounded: what absorbs the rounding errors of a power would be many powers of ten here.
    let towards = (towards - 1.0).signum() * 4.0 * f64::EPSILON;
    let towards = if log10 < 0.0 { -towards } else { towards };
    round(log10 / unit * (1.0 + towards)) * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_sign_of_a_number_says_holds_of_its_digits() {
        for (kind, expected) in [(Kind::UpperBound, "≤ 20.36"), (Kind::LowerBound, "≥ 20.35"), (Kind::Exact, "= 20.35")]
        {
            check(Number::claimed(20.3512f64.log10(), kind), expected);
        }
        for (kind, expected) in [(Kind::UpperBound, "160"), (Kind::LowerBound, "150"), (Kind::Exact, "150")] {
            check(Number::rough_claimed(152.3f64.log10(), kind), expected);
        }
        check(Number::rough_claimed(20.0, Kind::UpperBound), "1.0 × 10²⁰");
        check(Number::claimed(f64::NEG_INFINITY, Kind::LowerBound), "≥ 0");
        check(Number::claimed(2f64.log10(), Kind::UpperBound), "≤ 2.000");
    }

    #[test]
    fn numbers_in_sentences_are_rounded_to_the_side_where_the_sentence_holds() {
        for (x, above, below) in [
            (13.6212, "13.63", "13.62"),
            (1.5571, "1.558", "1.557"),
            (2.0, "2.000", "2.000"),
            (9.9996, "10.00", "9.999"),
            (1902563.0, "1.903 × 10⁶", "1.902 × 10⁶"),
        ] {
            assert_eq!(Number::digits_from_log10(f64::log10(x), Kind::UpperBound).to_string(), above);
            assert_eq!(Number::digits_from_log10(f64::log10(x), Kind::LowerBound).to_string(), below);
        }
    }

    #[test]
    fn a_large_number_in_a_sentence_keeps_its_digits() {
        for (log10, kind, expected) in [
            // A reader saw 1.088e10 as 10^10, next to a factor that did not fit it.
            (1.088_04e10f64.log10(), Kind::UpperBound, "1.09 × 10¹⁰"),
            (1.088_04e10f64.log10(), Kind::LowerBound, "1.08 × 10¹⁰"),
            (1.088_04e10f64.log10(), Kind::Exact, "1.09 × 10¹⁰"),
            (12.0, Kind::UpperBound, "1.00 × 10¹²"),
            (12.0, Kind::LowerBound, "1.00 × 10¹²"),
            (20.3512f64.log10(), Kind::UpperBound, "20.4"),
            (20.3512f64.log10(), Kind::LowerBound, "20.3"),
            (f64::INFINITY, Kind::UpperBound, "∞"),
            (f64::NAN, Kind::UpperBound, "–"),
            (f64::NEG_INFINITY, Kind::LowerBound, "0"),
        ] {
            assert_eq!(Number::in_sentence(log10, kind).to_string(), expected, "{log10} {kind:?}");
        }
    }

    #[test]
    fn an_exponent_too_long_to_read_is_a_number_with_four_digits() {
        for (log10, kind, expected) in [
            (868_588_963_807.0, Kind::UpperBound, "10^(8.686 × 10¹¹)"),
            (868_588_963_807.0, Kind::LowerBound, "10^(8.685 × 10¹¹)"),
            (868_588_963_807.0, Kind::Exact, "10^(8.686 × 10¹¹)"),
            (1e6, Kind::UpperBound, "10^(1.000 × 10⁶)"),
            (1e6, Kind::LowerBound, "10^(1.000 × 10⁶)"),
            // An i64 would stop at 9223372036854775807.
            (8.6858e199, Kind::UpperBound, "10^(8.686 × 10¹⁹⁹)"),
            (-868_588_963_807.0, Kind::UpperBound, "10^(−8.685 × 10¹¹)"),
            (-868_588_963_807.0, Kind::LowerBound, "10^(−8.686 × 10¹¹)"),
            (f64::MAX, Kind::LowerBound, "10^(1.797 × 10³⁰⁸)"),
        ] {
            assert_eq!(Number::digits_from_log10(log10, kind).to_string(), expected, "{log10} {kind:?}");
        }
        check(Number::rough_from_log10(868_588_963_807.0), "10^(8.7 × 10¹¹)");
        check(Number::from_log10(999_999.5), "3.162 × 10⁹⁹⁹⁹⁹⁹");
    }

    #[test]
    fn a_value_and_its_logarithm_give_one_number() {
        for kind in [Kind::UpperBound, Kind::LowerBound, Kind::Exact, Kind::Plain] {
            for x in [188_743.0, 20.3512, 2.0, 0.5, 1e-7] {
                assert_eq!(Number::known(x, kind), Number::claimed(x.log10(), kind), "{x} {kind:?}");
            }
        }
        check(Number::known(188_743.0, Kind::UpperBound), "≤ 1.888 × 10⁵");
        check(Number::known(0.0, Kind::LowerBound), "≥ 0");
    }

    #[track_caller]
    fn check(number: Number, expected: &str) {
        assert_eq!(number.to_string(), expected);
    }

    #[test]
    fn numbers_have_four_significant_digits() {
        check(Number::of(34860.0), "3.486 × 10⁴");
        check(Number::of(1234.56), "1235");
        check(Number::of(12.3456), "12.35");
        check(Number::of(64.0), "64.00");
        check(Number::of(0.012345), "0.01235");
        check(Number::of(0.000123456), "1.235 × 10⁻⁴");
        check(Number::of(-0.5), "−0.5000");
    }

    #[test]
    fn rounding_up_to_the_next_power_changes_the_form_too() {
        check(Number::of(9999.6), "1.000 × 10⁴");
        check(Number::of(999.96), "1000");
        check(Number::of(0.00099996), "0.001000");
    }

    #[test]
    fn short_and_rough_numbers_drop_digits() {
        check(Number::short(64.0), "64");
        check(Number::short(0.5), "0.5");
        check(Number::short(10000.0), "10⁴");
        check(Number::short(20000.0), "2 × 10⁴");
        check(Number::short(1000.0), "1000");
        check(Number::rough(39000.0), "3.9 × 10⁴");
        check(Number::rough(1263.0), "1300");
    }

    #[test]
    fn nan_and_infinity_have_their_own_signs() {
        check(Number::of(0.0), "0");
        check(Number::of(f64::NAN), "–");
        check(Number::of(f64::INFINITY), "∞");
        check(Number::of(f64::NEG_INFINITY), "−∞");
    }

    #[test]
    fn exponents_beyond_floating_point_are_formatted() {
        check(Number::from_log10(1234.5), "3.162 × 10¹²³⁴");
        check(Number::from_log10(3.0), "1000");
        check(Number::from_log10(500.0 - 1e-9), "1.000 × 10⁵⁰⁰");
        check(Number::from_log10(f64::INFINITY), "∞");
    }

    #[test]
    fn kinds_and_units_stand_around_the_number() {
        check(Number::of(34860.0).kind(Kind::UpperBound), "≤ 3.486 × 10⁴");
        check(Number::of(2.5).kind(Kind::LowerBound).unit("ms"), "≥ 2.500\u{200a}ms");
    }
}
