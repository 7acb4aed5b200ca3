//! Attention with matrices of one's own: the norm of its Jacobian at given tokens, and every bound that applies.
//!
//! `cargo run --example own_matrices`

use lipscope_core::nalgebra::dmatrix;
use lipscope_core::settings::Mask;
use lipscope_core::{Experiment, Head, InputError, Norm, Side, best_lower, best_upper, measure};

fn main() -> Result<(), InputError> {
    // Four tokens of dimension two, one token a row.
    let tokens = dmatrix![
         1.0,  0.2;
        -0.5,  0.8;
         0.3, -1.1;
         0.9,  0.9];
    // Two heads: queries Q x and keys K x of one number each, values V x of two. A list of rows does as well as a matrix.
    let first = Head::new(dmatrix![1.0, 0.5], dmatrix![-1.2, 0.3], dmatrix![1.0, 0.0; 0.0, 1.0])?;
    let second = Head::new([[0.3, -1.0]], [[0.8, 0.8]], [[0.5, 0.5], [0.5, -0.5]])?;
    // The output matrix takes the four numbers that the heads give to two.
    let output = [[1.0, 0.0, 0.5, 0.0], [0.0, 1.0, 0.0, 0.5]];
    let experiment = Experiment::from_arrays_with_output(&tokens, [first, second], output)?;

    let found = measure(&experiment)?;
    println!("{} tokens of dimension {}, all within R = {:.4}", found.n, found.d, found.radius);
    // Here J has 8 rows and 8 columns, so that the norm comes from all its singular values.
    println!("exact  the norm of J at these tokens              = {:.6}", found.spectral);

    println!("\nevery bound on the spectral norm:");
    for bound in found.bounds.iter().filter(|bound| bound.norm == Norm::Spectral) {
        // An upper bound holds for all tokens of its domain, a lower bound for some tokens of the ball.
        let sign = if bound.side == Side::Upper { "<=" } else { ">=" };
        let value = bound.value.map_or("above the range of f64".into(), |value| format!("{value:.6}"));
        println!("{:5}  {:42} {sign} {value}   ({:?})", bound.side.id(), bound.id.id(), bound.id.domain());
    }
    println!("\nbounds whose hypotheses do not hold here:");
    for (id, why) in &found.absent {
        println!("       {}: {}", id.id(), why.phrase());
    }

    if let Some(upper) = best_upper(&found.bounds, Norm::Spectral).and_then(|bound| bound.value) {
        println!("\nupper  no tokens within R have a norm above        {upper:.6}");
        assert!(found.spectral <= upper);
    }
    if let Some(lower) = best_lower(&found.bounds, Norm::Spectral).and_then(|bound| bound.value) {
        println!("lower  some tokens within R have a norm of at least {lower:.6}");
    }

    // Other attention is a change of a field. Under the causal mask a token sees itself and those before it.
    let causal = measure(&Experiment { mask: Mask::Causal, ..experiment })?;
    println!("exact  the norm at the same tokens, causal        = {:.6}", causal.spectral);
    Ok(())
}
