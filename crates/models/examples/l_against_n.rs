//! L against n as an SVG file: measured norms of random tokens between the best lower and the best upper bound.
//!
//! `cargo run --example l_against_n -- l_against_n.svg`; without a path the file goes to the folder for temporary files.

use std::error::Error;
use std::path::PathBuf;

use lipscope_core::settings::{Distribution, RandomTokens, Spacing, TokenSource, WeightSource};
use lipscope_core::{Experiment, GrowthPlan, Norm, SweepPlan, fit_power_law, growth, log_spaced, sweep};
use lipscope_plot::{AxisSpec, Caption, Figure, LineChart, Role, Scale, Series, SeriesKind};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("l_against_n.svg"), PathBuf::from);
    // Tokens on the sphere of radius 2, A = -I and V = I: the attention on which the norm can grow fastest.
    let tokens = RandomTokens { distribution: Distribution::Sphere, n: 2, d: 2, radius: 2.0, seed: 0 };
    let experiment = Experiment::of(TokenSource::Random(tokens), WeightSource::Identity { sign: -1.0 });

    // Three draws of tokens at each of eight lengths.
    let points = sweep(&SweepPlan::new(&experiment, &log_spaced(2, 128, 8), 3)?)?;
    let measured: Vec<(f64, f64)> = points.iter().map(|point| (point.n as f64, point.spectral)).collect();
    if let Some(fit) = fit_power_law(&measured) {
        println!("exact  norms of {} draws; fitted: L = {:.3} n^{:.3}", points.len(), fit.factor, fit.exponent);
    }

    // The bounds need no tokens: they are functions of n, R and the weights.
    let curves = growth(&experiment, &GrowthPlan::new(2.0, 128.0, 25, Spacing::Fixed)?)?;
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for row in &curves.rows {
        lower.extend(row.best_lower(Norm::Spectral).and_then(|bound| Some((row.n, bound.value?))));
        upper.extend(row.best_upper(Norm::Spectral).and_then(|bound| Some((row.n, bound.value?))));
    }
    let last = |curve: &[(f64, f64)]| curve.last().map_or(f64::NAN, |(_, value)| *value);
    println!("lower  at n = 128 some tokens of the ball have a norm of at least {:.4}", last(&lower));
    println!("upper  at n = 128 no tokens of the ball have a norm above          {:.4}", last(&upper));
    assert!(last(&lower) <= last(&upper));

    let curve = |name: &str, role, data| Series::new(name, name, role, SeriesKind::Line, data);
    let chart = LineChart::new(
        AxisSpec::new("number of tokens n", Scale::Log).whole(),
        AxisSpec::new("norm of the Jacobian", Scale::Log),
        vec![
            curve("best upper bound", Role::Sharp, upper),
            curve("best lower bound", Role::LowerBound, lower),
            Series::new("drawn tokens", "", Role::Measured, SeriesKind::Points, measured),
        ],
    );
    std::fs::write(&path, chart.to_svg((640.0, 400.0), "L against n", &Caption::default())?)?;
    println!("figure {}", path.display());
    Ok(())
}
