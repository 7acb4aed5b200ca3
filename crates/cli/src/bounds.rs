//! `lipscope bounds` and `lipscope growth`: the bounds at a list of n, as aligned columns, CSV or JSON.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::exit::{Exit, Failure};
use super::files::read_text;
use super::output::stdout;
use super::sheet::{Cell, Form, FormArguments, Sheet};
use super::steps::StepArguments;
use super::work::MemoryArguments;
use lipscope_core::bounds::{ALL, Bound, BoundId, Norm};
use lipscope_core::experiment::InputError;
use lipscope_core::growth::{Family, FamilyPoint, Growth, GrowthPlan, GrowthRow, growth_within};
use lipscope_core::sweep::Spacing;

/// Arguments of `lipscope bounds`.
#[derive(Debug, Args)]
pub(super) struct BoundsArguments {
    /// An experiment file, or - for standard input.
    ///
    /// Its weights, radius, mask and normaliser are used, its n is not.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Numbers of tokens: a list 2,100,1e9, or first:last:xCOUNT.
    ///
    /// The second form has COUNT values evenly spaced in log n.
    #[arg(long, short = 'n', value_name = "LIST", default_value = "2:1e18:x19")]
    lengths: String,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

/// Arguments of `lipscope growth`.
#[derive(Debug, Args)]
pub(super) struct GrowthArguments {
    /// An experiment file, or - for standard input.
    ///
    /// Its weights, radius, mask and normaliser are used, its n is not.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Numbers of tokens: a list 2,100,1e9, or first:last:xCOUNT.
    ///
    /// The second form has COUNT values evenly spaced in log n.
    #[arg(long, short = 'n', value_name = "LIST", default_value = "2:1e18:x120")]
    lengths: String,
    /// Let R grow like sqrt(log n), with the experiment's R at this n.
    ///
    /// Without it R is constant. With a normaliser the ball keeps its radius sqrt(d).
    #[arg(long, value_name = "N")]
    growing_from: Option<f64>,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

pub(super) fn bounds(arguments: &BoundsArguments) -> Result<Exit, Failure> {
    let text = read_text(&arguments.file)?;
    let experiment = arguments.attention.read(&text)?;
    let plan = GrowthPlan { lengths: parse_lengths(&arguments.lengths)?, spacing: Spacing::Fixed };
    let found = growth_within(&experiment, &plan, arguments.memory.memory)?;
    match arguments.form.chosen() {
        None => write_aligned(&found)?,
        Some(form) => write_bounds(form, &found)?,
    }
    Ok(Exit::Done)
}

pub(super) fn run_growth(arguments: &GrowthArguments) -> Result<Exit, Failure> {
    let text = read_text(&arguments.file)?;
    let experiment = arguments.attention.read(&text)?;
    let spacing = match arguments.growing_from {
        None => Spacing::Fixed,
        Some(from_n) if from_n >= 2.0 => Spacing::SqrtLog { from_n },
        Some(from_n) => {
            let expected = "a number of tokens of at least 2";
            return Err(InputError::bad_value("--growing-from", from_n.to_string(), expected).into());
        }
    };
    let plan = GrowthPlan { lengths: parse_lengths(&arguments.lengths)?, spacing };
    let memory = arguments.memory.memory;
    let curves = growth_within(&experiment, &plan, memory)?;
    let mut family = Family::new_within(&experiment, &plan, memory)?;
    let points: Vec<FamilyPoint> = std::iter::from_fn(|| family.as_mut().and_then(Family::step)).collect();
    write_growth(arguments.form.form(), &curves, &points)?;
    Ok(Exit::Done)
}

/// The bounds that apply in at least one row.
fn columns(found: &Growth) -> Vec<BoundId> {
    let applies = |id: &BoundId| found.rows.iter().any(|row| bound_of(row, id).is_some());
    ALL.into_iter().filter(applies).collect()
}

/// A bound in a row.
fn bound_of(row: &GrowthRow, id: BoundId) -> Option<&Bound> {
    row.bounds.iter().find(|bound| bound.id == id)
}

/// log10 of a bound in a row.
fn log10(row: &GrowthRow, id: BoundId) -> Option<f64> {
    bound_of(row, id).map(|bound| bound.log10)
}

/// A bound with six significant digits, computed from its logarithm where it is above the range of f64.
fn short(log10: f64) -> String {
    if log10 == f64::NEG_INFINITY {
        return "0".into();
    }
    let value = 10f64.powf(log10);
    match log10 {
        -4.0..5.0 => format!("{value:.*}", (5.0 - log10.floor()).max(0.0) as usize),
        -300.0..300.0 => format!("{value:.5e}"),
        _ => format!("{:.5}e{}", 10f64.powf(log10 - log10.floor()), log10.floor()),
    }
}

fn write_aligned(found: &Growth) -> io::Result<()> {
    let ids = columns(found);
    let title = |id: &BoundId| match found.rows.iter().find_map(|row| bound_of(row, id)).map(|bound| bound.norm) {
        None | Some(Norm::Spectral) => id.id().to_owned(),
        Some(norm) => format!("{}[{}]", id.id(), norm.id()),
    };
    let header = ["n", "R"].map(String::from).into_iter().chain(ids.iter().map(title));
    let mut lines: Vec<Vec<String>> = vec![header.collect()];
    for row in &found.rows {
        let bounds = ids.iter().map(|id| log10(row, id).map_or_else(String::new, short));
        let n = if row.n < 1e7 { format!("{}", row.n) } else { format!("{:.4e}", row.n) };
        lines.push([n, format!("{:.4}", row.radius)].into_iter().chain(bounds).collect());
    }
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let mut out = io::BufWriter::new(stdout()?);
    for line in &lines {
        let cells: Vec<String> = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        writeln!(out, "{}", cells.join("  "))?;
    }
    out.flush()
}

/// Writes the values. JSON also says what each bound is, with its decimal logarithms, which exist above the range of f64 too.
fn write_bounds(form: Form, found: &Growth) -> io::Result<()> {
    let ids = columns(found);
    let mut sheet = Sheet::on_stdout(form, ["n", "radius"].into_iter().chain(ids.iter().map(|id| id.id())))?;
    for row in &found.rows {
        let value = |id: &BoundId| bound_of(row, id).map(|bound| bound.value.unwrap_or(f64::INFINITY)).into();
        let cells: Vec<Cell<'_>> = [row.n.into(), row.radius.into()].into_iter().chain(ids.iter().map(value)).collect();
        sheet.row(&cells)?;
    }
    let about = |id: &BoundId| {
        let bound = found.rows.iter().find_map(|row| bound_of(row, id))?;
        let logarithm = |row: &GrowthRow| log10(row, id).filter(|log10| log10.is_finite());
        let logarithms: Vec<Option<f64>> = found.rows.iter().map(logarithm).collect();
        Some(json!({"id": id.id(), "side": bound.side.id(), "norm": bound.norm.id(), "log10": logarithms}))
    };
    let about: Vec<Value> = ids.iter().filter_map(about).collect();
    sheet.end_with([("bounds", about.into())])
}

/// Writes decimal logarithms, which stay in the range of a spreadsheet.
fn write_growth(form: Form, found: &Growth, points: &[FamilyPoint]) -> io::Result<()> {
    let ids = columns(found);
    let names = ids.iter().map(|id| format!("log10_{}", id.id()));
    let names = ["n", "radius"].map(String::from).into_iter().chain(names);
    let names = names.chain(["log10_adversarial_exact", "log10_gap"].map(String::from));
    let mut sheet = Sheet::on_stdout(form, names)?;
    for row in &found.rows {
        let exact = points.iter().find(|point| point.n == row.n).map(|point| point.spectral.log10());
        let bounds = ids.iter().map(|id| log10(row, id)).chain([exact, row.gap_log10(Norm::Spectral)]);
        let bounds = bounds.map(|log10| log10.filter(|log10| log10.is_finite()).into());
        let cells: Vec<Cell<'_>> = [row.n.into(), row.radius.into()].into_iter().chain(bounds).collect();
        sheet.row(&cells)?;
    }
    sheet.end()
}

/// Parses a list `2,100,1e9` or a log-spaced range `2:1e18:x60`.
pub(super) fn parse_lengths(text: &str) -> Result<Vec<f64>, InputError> {
    let wrong = || InputError::bad_value("--lengths", text, "a list 2,100,1e9, or first:last:xCOUNT, from 2 to 1e300");
    let number = |part: &str| part.trim().parse::<f64>().map_err(|_| wrong());
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        [list] => {
            let lengths = list.split(',').map(number).collect::<Result<Vec<f64>, InputError>>()?;
            let fits = lengths.iter().all(|n| (2.0..=lipscope_core::growth::MOST_N).contains(n));
            if fits && lengths.len() <= lipscope_core::growth::MOST_ROWS { Ok(lengths) } else { Err(wrong()) }
        }
        [first, last, count] => {
            let count = count.strip_prefix('x').and_then(|count| count.parse().ok()).ok_or_else(wrong)?;
            Ok(GrowthPlan::new(number(first)?, number(last)?, count, Spacing::Fixed)?.lengths)
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_parse_from_lists_and_log_spaced_ranges() {
        assert_eq!(parse_lengths("2,100,1e9"), Ok(vec![2.0, 100.0, 1e9]));
        assert_eq!(parse_lengths("2:1e6:x2"), Ok(vec![2.0, 1e6]));
        for broken in ["", "1", "2:8", "2:8:2", "a", "8:2:x3", "1:5:x3", "2:1e400:x3", "nan"] {
            assert!(parse_lengths(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn table_numbers_have_six_significant_digits() {
        for (value, text) in [(2.0504, "2.05040"), (1838480000.0, "1.83848e9"), (12.0, "12.0000")] {
            assert_eq!(short(f64::log10(value)), text);
        }
        assert_eq!(short(400.5), "3.16228e400");
    }
}
