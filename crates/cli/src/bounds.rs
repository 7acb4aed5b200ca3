//! `lipscope bounds` and `lipscope growth`: the bounds at a list of n, as a table, CSV or JSON.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::console::tell;
use super::files::read_text;
use super::steps::StepArguments;
use super::work::MemoryArguments;
use lipscope_core::bounds::{BoundId, Norm};
use lipscope_core::experiment::InputError;
use lipscope_core::growth::{Family, FamilyPoint, Growth, GrowthPlan, growth_within};
use lipscope_core::sweep::Spacing;

/// Arguments of `lipscope bounds`.
#[derive(Debug, Args)]
pub(super) struct BoundsArguments {
    /// An experiment file, or - for standard input. Its weights, radius, mask and normaliser are used, its n is not.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Numbers of tokens: a list 2,100,1e9, or first:last:xCOUNT for COUNT values evenly spaced in log n.
    #[arg(long, short = 'n', default_value = "2:1e18:x19")]
    lengths: String,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

/// Arguments of `lipscope growth`.
#[derive(Debug, Args)]
pub(super) struct GrowthArguments {
    /// An experiment file, or - for standard input. Its weights, radius, mask and normaliser are used, its n is not.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Numbers of tokens: a list 2,100,1e9, or first:last:xCOUNT for COUNT values evenly spaced in log n.
    #[arg(long, short = 'n', default_value = "2:1e18:x120")]
    lengths: String,
    /// Let R grow like sqrt(log n), with the experiment's R at this n; without it R is constant. With a normaliser the
    /// ball keeps its radius sqrt(d).
    #[arg(long)]
    growing_from: Option<f64>,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns.
    Table,
    /// All digits; empty where a bound does not apply, inf above the range of f64.
    Csv,
    /// One object per line, with values and decimal logarithms.
    Json,
}

pub(super) fn bounds(arguments: &BoundsArguments) -> io::Result<ExitCode> {
    let text = read_text(&arguments.file)?;
    let found = arguments.attention.read(&text).and_then(|experiment| {
        let plan = GrowthPlan { lengths: parse_lengths(&arguments.lengths)?, spacing: Spacing::Fixed };
        growth_within(&experiment, &plan, arguments.memory.memory)
    });
    let found = match found {
        Ok(found) => found,
        Err(problem) => return complain("bounds", &problem),
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    match arguments.format {
        Format::Table => write_table(&mut out, &found)?,
        Format::Csv => write_csv(&mut out, &found)?,
        Format::Json => write_json(&mut out, &found)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn run_growth(arguments: &GrowthArguments) -> io::Result<ExitCode> {
    let text = read_text(&arguments.file)?;
    let found = arguments.attention.read(&text).and_then(|experiment| {
        let spacing = match arguments.growing_from {
            None => Spacing::Fixed,
            Some(from_n) if from_n >= 2.0 => Spacing::SqrtLog { from_n },
            Some(from_n) => {
                let expected = "a number of tokens of at least 2";
                return Err(InputError::bad_value("--growing-from", from_n.to_string(), expected));
            }
        };
        let plan = GrowthPlan { lengths: parse_lengths(&arguments.lengths)?, spacing };
        let memory = arguments.memory.memory;
        let curves = growth_within(&experiment, &plan, memory)?;
        let mut family = Family::new_within(&experiment, &plan, memory)?;
        let points: Vec<FamilyPoint> = std::iter::from_fn(|| family.as_mut().and_then(Family::step)).collect();
        Ok((curves, points))
    });
    match found {
        Ok((curves, points)) => {
            let mut out = io::BufWriter::new(io::stdout().lock());
            write_growth(&mut out, &curves, &points)?;
            out.flush()?;
            Ok(ExitCode::SUCCESS)
        }
        Err(problem) => complain("growth", &problem),
    }
}

fn complain(command: &str, problem: &InputError) -> io::Result<ExitCode> {
    tell!("lipscope {command}: {problem}");
    Ok(ExitCode::FAILURE)
}

/// The bounds that apply in at least one row.
fn columns(found: &Growth) -> Vec<BoundId> {
    let applies = |id: &BoundId| found.rows.iter().any(|row| row.bounds.iter().any(|bound| bound.id == *id));
    BoundId::ALL.into_iter().filter(applies).collect()
}

/// log10 of a bound in a row.
fn log10(found: &Growth, row: usize, id: BoundId) -> Option<f64> {
    found.rows[row].bounds.iter().find(|bound| bound.id == id).map(|bound| bound.log10)
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

fn write_table(out: &mut impl Write, found: &Growth) -> io::Result<()> {
    let ids = columns(found);
    let header = ["n", "R"].into_iter().chain(ids.iter().map(|id| id.id())).map(String::from);
    let mut lines: Vec<Vec<String>> = vec![header.collect()];
    for (at, row) in found.rows.iter().enumerate() {
        let bounds = ids.iter().map(|id| log10(found, at, *id).map_or_else(String::new, short));
        let n = if row.n < 1e7 { format!("{}", row.n) } else { format!("{:.4e}", row.n) };
        lines.push([n, format!("{:.4}", row.radius)].into_iter().chain(bounds).collect());
    }
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    for line in &lines {
        let cells: Vec<String> = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        writeln!(out, "{}", cells.join("  "))?;
    }
    Ok(())
}

fn write_csv(out: &mut impl Write, found: &Growth) -> io::Result<()> {
    let ids = columns(found);
    writeln!(out, "n,radius,{}", ids.iter().map(|id| id.id()).collect::<Vec<_>>().join(","))?;
    for row in &found.rows {
        write!(out, "{:?},{:?}", row.n, row.radius)?;
        for id in &ids {
            match row.bounds.iter().find(|bound| bound.id == *id) {
                Some(bound) => write!(out, ",{:?}", bound.value.unwrap_or(f64::INFINITY))?,
                None => write!(out, ",")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_json(out: &mut impl Write, found: &Growth) -> io::Result<()> {
    for row in &found.rows {
        let bounds: Vec<Value> = row
            .bounds
            .iter()
            .map(|bound| {
                json!({
                    "id": bound.id.id(), "side": bound.side.id(), "norm": bound.norm.id(), "value": bound.value,
                    "log10": bound.log10.is_finite().then_some(bound.log10),
                })
            })
            .collect();
        writeln!(out, "{}", json!({"n": row.n, "radius": row.radius, "bounds": bounds}))?;
    }
    Ok(())
}

/// Writes decimal logarithms, which stay in the range of a spreadsheet.
fn write_growth(out: &mut impl Write, found: &Growth, points: &[FamilyPoint]) -> io::Result<()> {
    let ids = columns(found);
    let names: Vec<String> = ids.iter().map(|id| format!("log10_{}", id.id())).collect();
    writeln!(out, "n,radius,{},log10_adversarial_exact,log10_gap", names.join(","))?;
    for (at, row) in found.rows.iter().enumerate() {
        write!(out, "{:?},{:?}", row.n, row.radius)?;
        let exact = points.iter().find(|point| point.n == row.n).map(|point| point.spectral.log10());
        for cell in ids.iter().map(|id| log10(found, at, *id)).chain([exact, row.gap_log10(Norm::Spectral)]) {
            match cell.filter(|log10| log10.is_finite()) {
                Some(log10) => write!(out, ",{log10:?}")?,
                None => write!(out, ",")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
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
