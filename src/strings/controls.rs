//! The controls: their names, their hints, their choices.

use crate::words::controls as words;
pub use crate::words::controls::*;

use crate::field::Field;
use crate::state::{TokenChoice, WeightChoice};
use lipscope_core::experiment::{Distribution, Scope};

type Options<const N: usize> = [(&'static str, &'static str); N];

pub fn kernels() -> Options<2> {
    [("dot", kernels::dot()), ("l2", kernels::l2())]
}
pub fn masks() -> Options<2> {
    [("none", masks::none()), ("causal", masks::causal())]
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

pub fn field_label(field: Field) -> &'static str {
    match field {
        Field::N => field_label::n(),
        Field::D => field_label::d(),
        Field::Radius => field_label::radius(),
        Field::Heads => field_label::heads(),
        Field::HeadDim => field_label::head_dim(),
        Field::Scale => field_label::scale(),
        Field::Eps => field_label::eps(),
        Field::SweepMax => field_label::sweep_max(),
        Field::Draws => field_label::draws(),
        Field::GrowthAt => field_label::growth_at(),
        Field::SearchRestarts => field_label::search_restarts(),
        Field::SearchSeed => seed(),
        Field::SearchDim => field_label::d(),
    }
}

pub fn field_hint(field: Field) -> &'static str {
    match field {
        Field::N => field_hint::n(),
        Field::D => field_hint::d(),
        Field::Radius => field_hint::radius(),
        Field::Heads => field_hint::heads(),
        Field::HeadDim => field_hint::head_dim(),
        Field::Scale => field_hint::scale(),
        Field::Eps => field_hint::eps(),
        Field::SweepMax => field_hint::sweep_max(),
        Field::Draws => field_hint::draws(),
        Field::GrowthAt => field_hint::growth_at(),
        Field::SearchRestarts => field_hint::search_restarts(),
        Field::SearchSeed => field_hint::search_seed(),
        Field::SearchDim => field_hint::search_dim(),
    }
}

pub fn number_box(field: Field) -> String {
    words::number_box(field_label(field))
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
        (TokenChoice::Own, Some((n, d))) => token_choice::own(d, n),
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
        (WeightChoice::Own, Some((heads, d))) => weight_choice::own(d, heads),
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
