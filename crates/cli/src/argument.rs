//! Parsers of options that several commands have, and the errors of texts that they do not take.

use std::error::Error;
use std::fmt;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use lipscope_core::spectral::LanczosOptions;
use lipscope_models::Shard;

/// Why a text is no value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadArgument {
    NotANumber,
    NotFinite,
    NotPositive,
    LooseTolerance,
    Tolerance,
    Shard,
    Width,
    Source,
}

impl fmt::Display for BadArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: f64 = LanczosOptions::MOST_TOLERANCE;
        match self {
            BadArgument::NotANumber => write!(f, "not a number"),
            BadArgument::NotFinite => write!(f, "must be a finite number"),
            BadArgument::NotPositive => write!(f, "must be a number above 0, such as 15.5"),
            BadArgument::LooseTolerance => {
                write!(f, "at most {MOST}: with a looser one the iteration may stop far below the norm")
            }
            BadArgument::Tolerance => write!(f, "must lie between 1e-15 and {MOST}"),
            BadArgument::Shard => write!(f, "must be i/N with i from 0 to N - 1, such as 0/8"),
            BadArgument::Width => write!(f, "must be column, page, slide, or inches from 1.5 to 40, such as 5.5"),
            BadArgument::Source => {
                write!(f, "must end in .py for Matplotlib, .tex for pgfplots, or .json for Vega-Lite")
            }
        }
    }
}

impl Error for BadArgument {}

/// Reads the name of one of `all`; help and errors list the names.
pub(super) fn by_name<T, const N: usize>(all: [T; N], id: fn(&T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    let names = PossibleValuesParser::new(all.each_ref().map(id));
    names.try_map(move |name| all.iter().find(|one| id(one) == name).cloned().ok_or("is not a name"))
}

/// Reads a number as the experiment file has it: JSON knows no infinity and no NaN.
pub(super) fn finite(text: &str) -> Result<f64, BadArgument> {
    text.parse().ok().filter(|x: &f64| x.is_finite()).ok_or(BadArgument::NotFinite)
}

/// Reads a finite number above 0.
pub(super) fn positive(text: &str) -> Result<f64, BadArgument> {
    finite(text).ok().filter(|x| *x > 0.0).ok_or(BadArgument::NotPositive)
}

/// Reads a tolerance, at least the rounding of f64 and at most the loosest that the engine takes.
pub(super) fn tolerance(text: &str) -> Result<f64, BadArgument> {
    let value: f64 = text.parse().map_err(|_| BadArgument::NotANumber)?;
    match value {
        _ if (1e-15..=LanczosOptions::MOST_TOLERANCE).contains(&value) => Ok(value),
        _ if value > LanczosOptions::MOST_TOLERANCE => Err(BadArgument::LooseTolerance),
        _ => Err(BadArgument::Tolerance),
    }
}

/// Reads `i/N`, part i of N, with i from 0.
pub(super) fn shard(text: &str) -> Result<Shard, BadArgument> {
    let parts = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    match parts {
        Some((index, count)) if index < count => Ok(Shard { index, count }),
        _ => Err(BadArgument::Shard),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parser_takes_its_range_and_says_what_it_is() {
        assert_eq!((finite("-1e3"), finite("inf")), (Ok(-1e3), Err(BadArgument::NotFinite)));
        assert_eq!((positive("0.5"), positive("0"), positive("a")).0, Ok(0.5));
        assert_eq!([positive("0"), positive("nan")], [Err(BadArgument::NotPositive); 2]);
        assert_eq!([tolerance("x"), tolerance("1e-16")], [Err(BadArgument::NotANumber), Err(BadArgument::Tolerance)]);
        assert_eq!([tolerance("1e-9"), tolerance("1")], [Ok(1e-9), Err(BadArgument::LooseTolerance)]);
        let parts = |text: &str| shard(text).map(|Shard { index, count }| (index, count));
        assert_eq!(
            [parts("2/3"), parts("3/3"), parts("3")],
            [Ok((2, 3)), Err(BadArgument::Shard), Err(BadArgument::Shard)]
        );
    }
}
