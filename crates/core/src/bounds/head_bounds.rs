//! How the bounds of single heads become an upper bound for plain attention.

use super::heads::Mixing;
use super::hypotheses::{HeadOnBall, Hypotheses};

/// ln of an upper bound whose heads behind an output matrix add up. `ln_one_head` is ln of the bound for one head with v =
/// 1.
pub(crate) fn ln_of_heads(given: &Hypotheses, ln_one_head: impl Fn(&HeadOnBall) -> f64) -> f64 {
    ln_of_mixed_heads(given, &[], ln_one_head)
}

/// ln of an upper bound whose heads behind an output matrix add up, or combine in one of the ways given.
pub(crate) fn ln_of_mixed_heads(
    given: &Hypotheses,
    mixings: &[Mixing],
    ln_one_head: impl Fn(&HeadOnBall) -> f64,
) -> f64 {
    let heads: Vec<HeadOnBall> = (0..given.heads.len()).map(|at| given.head_on_ball(at)).collect();
    let ln_ones: Vec<f64> = heads.iter().map(ln_one_head).collect();
    let ln_heads: Vec<f64> = ln_ones.iter().zip(&heads).map(|(ln, head)| ln + head.v_norm.ln()).collect();
    let ln_separate = given.combination.ln_combine(&ln_heads);
    let ln_mixed = mixings.iter().map(|mixing| mixing.ln_combine(&ln_ones)).filter(|ln| !ln.is_nan());
    ln_mixed.fold(ln_separate, f64::min) + given.outer_factor.ln()
}
