//! The worst tokens of a ball: gradient ascent on the norm of the Jacobian, between what is proved from below and above.
//!
//! `cargo run --example worst_case_search`

use lipscope_core::settings::{Distribution, RandomTokens, RandomWeights, TokenSource, WeightSource};
use lipscope_core::{Experiment, InputError, Norm, SearchPlan, best_lower, best_upper, measure, search};

fn main() -> Result<(), InputError> {
    // Six tokens of dimension three within R = 1.5, and one head with random weights. The same seeds give the same numbers
    // on every machine.
    let tokens = RandomTokens { distribution: Distribution::Ball, n: 6, d: 3, radius: 1.5, seed: 1 };
    let weights = RandomWeights {
        heads: 1,
        kv_heads: 1,
        differential: None,
        head_dim: 3,
        scale: 1.5,
        seed: 7,
        output: lipscope_core::settings::Output::Absent,
    };
    let experiment = Experiment::of(TokenSource::Random(tokens), WeightSource::Random(weights));
    let drawn = measure(&experiment)?;
    println!("exact  the norm at the drawn tokens               = {:.6}", drawn.spectral);

    // Each restart starts elsewhere: at these tokens, at the tokens behind the lower bounds, then at random ones.
    let plan = SearchPlan { restarts: 8, iterations: 100, ..SearchPlan::of(experiment) };
    let worst = search(&plan)?;
    println!("lower  the norm at the worst tokens found         = {:.6}", worst.norm);
    println!("       (restart from: {}; residual {:.0e})", worst.start.id(), worst.relative_residual);

    let value = |bound: Option<&lipscope_core::Bound>| bound.and_then(|bound| bound.value);
    if let Some(bound) = best_lower(&worst.bounds, Norm::Spectral) {
        println!("lower  the best formula, {:24} = {:.6}", bound.id.id(), bound.value.unwrap_or(f64::INFINITY));
    }
    if let Some(bound) = best_upper(&worst.bounds, Norm::Spectral) {
        println!("upper  the best bound, {:26} = {:.6}", bound.id.id(), bound.value.unwrap_or(f64::INFINITY));
    }
    let upper = value(best_upper(&worst.bounds, Norm::Spectral)).unwrap_or(f64::INFINITY);
    assert!(drawn.spectral <= worst.norm && worst.norm <= upper);
    println!("\nSo the Lipschitz constant on this ball is between {:.6} and {upper:.6}.", worst.norm);

    // The worst tokens are an experiment: measured again, or as a file for the page, the command line and Python.
    let again = measure(&worst.experiment)?;
    println!("exact  the norm at the worst tokens, measured     = {:.6}", again.spectral);
    println!("\nthe worst tokens as a file:\n{}", worst.experiment.to_json());
    Ok(())
}
