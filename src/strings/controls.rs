//! The controls: their names, their hints, their choices.

use crate::words::controls as words;
pub use crate::words::controls::*;

use crate::state::{BarControl, PlotChoice, TokenChoice, WeightChoice};
use lipscope_core::experiment::{Distribution, Scope};

type Options<const N: usize> = [(&'static str, &'static str); N];

pub fn kernels() -> Options<4> {
    [("dot", kernels::dot()), ("l2", kernels::l2()), ("cosine", kernels::cosine()), ("linear", kernels::linear())]
}
pub fn normalizers() -> Options<3> {
    [("none", words::normalizers()), ("layer", "LayerNorm"), ("rms", "RMSNorm")]
}
pub fn scopes() -> Options<2> {
    [("inputs", scopes::inputs()), ("composed", scopes::composed())]
}
pub fn outputs() -> Options<2> {
    [("absent", outputs::absent()), ("drawn", outputs::drawn())]
}

/// Why the plot on screen does not use a control of the bar.
pub fn unused_here(control: BarControl, plot: PlotChoice) -> &'static str {
    match control {
        BarControl::Tokens if plot == PlotChoice::Gap => unused_here::all_tokens(),
        BarControl::Tokens => unused_here::tokens(),
        BarControl::N => unused_here::n(),
        BarControl::Radius => unused_here::radius(),
        BarControl::Mask => unused_here::mask(),
        BarControl::Normalizer => unused_here::normalizer(),
    }
}

pub fn token_choice(choice: TokenChoice, own: Option<(usize, usize)>) -> String {
    match (choice, own) {
        (TokenChoice::Distribution(Distribution::Gaussian), _) => token_choice::distribution_gaussian().into(),
        (TokenChoice::Distribution(Distribution::Sphere), _) => token_choice::distribution_sphere().into(),
        (TokenChoice::Distribution(Distribution::Ball), _) => token_choice::distribution_ball().into(),
        (TokenChoice::Worst, _) => token_choice::worst().into(),
        (TokenChoice::Adversarial, _) => token_choice::adversarial().into(),
        (TokenChoice::Skew, _) => token_choice::skew().into(),
        (TokenChoice::Clusters, Some((positions, _))) => token_choice::clusters(positions),
        (TokenChoice::Clusters, None) => token_choice::clusters_none().into(),
        (TokenChoice::Own, Some((n, d))) => token_choice::own { d, n }.text(),
        (TokenChoice::Own, None) => token_choice::own_none().into(),
    }
}

pub fn weight_choice(choice: WeightChoice, own: Option<(usize, usize)>) -> String {
    match (choice, own) {
        (WeightChoice::Random, _) => weight_choice::random().into(),
        (WeightChoice::IdentityPlus, _) => weight_choice::identity_plus().into(),
        (WeightChoice::IdentityMinus, _) => weight_choice::identity_minus().into(),
        (WeightChoice::Kim, _) => weight_choice::kim().into(),
        (WeightChoice::Own, Some((1, d))) => weight_choice::own_one_head(d),
        (WeightChoice::Own, Some((heads, d))) => weight_choice::own { d, heads }.text(),
        (WeightChoice::Own, None) => weight_choice::own_none().into(),
    }
}

pub fn scope_note(scope: Scope) -> &'static str {
    match scope {
        Scope::Inputs => scope_note::inputs(),
        Scope::Composed => scope_note::composed(),
    }
}

pub fn sweeping(percent: usize, milliseconds_left: Option<f64>) -> String {
    let left = match milliseconds_left {
        Some(ms) if ms >= 90_000.0 => sweeping::minutes_left(format_args!("{:.0}", ms / 60_000.0)),
        Some(ms) => sweeping::seconds_left(format_args!("{:.0}", (ms / 1000.0).max(1.0))),
        None => String::new(),
    };
    format!("{percent}%{left}")
}
