//! The opening view: its sentence, its plot, its few controls; the names of the four views.

pub use crate::words::explore::*;

use crate::state::{PageState, TokenChoice, View, WeightChoice};
use lipscope_core::bounds::Absence;
use lipscope_core::experiment::{Attention, MaskKind, Normalization, Scope};
use lipscope_plot::{Kind, Number};

use super::bounds::reason;
use super::controls::weight_choice;
use super::plot::{count, mean_label};
use super::steps::{mask_name, step_names};

/// The name of the ball in sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The disc that is on screen.
    Disc,
    /// A ball of more dimensions, or of one.
    Ball,
    /// No ball: a normaliser before attention brings tokens of every length into one ball, so bounds hold for tokens of
    /// every length.
    Anywhere,
    /// The ball that holds the normalised tokens.
    Normalized,
}

/// The name of a view.
pub fn view_name(view: View) -> &'static str {
    match view {
        View::Explore => view_name::explore(),
        View::Growth => view_name::growth(),
        View::Models => view_name::models(),
        View::Lab => view_name::lab(),
    }
}

/// What is in a view, in a few words.
pub fn view_hint(view: View) -> &'static str {
    match view {
        View::Explore => view_hint::explore(),
        View::Growth => view_hint::growth(),
        View::Models => view_hint::models(),
        View::Lab => view_hint::lab(),
    }
}

/// The norm at these tokens, or at the normalised ones: whether the worst small change grows or shrinks.
pub fn explore_measured(n: f64, (value, kind): (f64, Kind), place: Place) -> String {
    let (n, below) = (count(n), || Number::from_log10_below(value.log10()));
    if value < 1.0 {
        return match (place, kind) {
            (Place::Normalized, Kind::LowerBound) => shrinks::normalized_at_least(n, below()),
            (Place::Normalized, _) => shrinks::normalized_exactly(n, Number::of(value)),
            (_, Kind::LowerBound) => shrinks::at_least(n, below()),
            _ => shrinks::exactly(n, Number::of(value)),
        };
    }
    match (place, kind) {
        (Place::Normalized, Kind::LowerBound) => measured::normalized_at_least(n, below()),
        (Place::Normalized, _) => measured::normalized_exactly(n, Number::of(value)),
        (_, Kind::LowerBound) => measured::at_least(n, below()),
        _ => measured::exactly(n, Number::of(value)),
    }
}

/// Which attention is shown, in plain words: the weights, then the steps that there are.
pub fn which_attention(state: &PageState) -> String {
    let kernel = if state.attention == Attention::L2 { which_attention::l2() } else { "" };
    let weights = match (state.tokens, state.weights) {
        (TokenChoice::Skew, _) => which_attention::skew().into(),
        (_, WeightChoice::IdentityMinus) => which_attention::opposite(kernel),
        (_, WeightChoice::IdentityPlus) => which_attention::alike(kernel),
        _ => which_attention::other(kernel, weight_choice(state.weights, None)),
    };
    // The switch beside this line has buttons for the other masks.
    let mask = (state.mask.kind() == MaskKind::Other).then(|| mask_name(&state.mask));
    std::iter::once(weights).chain(mask).chain(step_names(state)).collect::<Vec<_>>().join(" · ")
}

/// The words of the button that chooses these weights.
pub fn other_sign(weights: WeightChoice) -> &'static str {
    match weights {
        WeightChoice::IdentityMinus => which_attention::try_minus(),
        _ => which_attention::try_plus(),
    }
}

/// The number of tokens at one place.
pub fn tokens_here(n: f64) -> String {
    if n == 1.0 { here::token().into() } else { here::tokens(count(n)) }
}

/// The number of outputs at one place.
pub fn outputs_here(n: f64) -> String {
    if n == 1.0 { here::output().into() } else { here::outputs(count(n)) }
}

/// The most tokens at one place.
pub fn crowd_of_tokens(tokens: f64) -> String {
    crowd::of_tokens(count(tokens))
}

/// The most outputs at one place.
pub fn crowd_of_outputs(outputs: f64) -> String {
    crowd::of_outputs(count(outputs))
}

/// The most tokens at one place, and the most outputs.
pub fn crowds(tokens: f64, outputs: f64) -> String {
    crowd::both(count(outputs), count(tokens))
}

/// What an arrow means that several outputs at one place share.
pub fn arrow_of_crowd(outputs: f64, root: &Number) -> String {
    crowd::arrow(count(outputs), root)
}

/// The place of the tokens that bounds hold for.
pub fn explore_place(place: Place, radius: f64) -> String {
    match place {
        Place::Disc => place::disc().into(),
        Place::Ball => place::ball(Number::of(radius)),
        Place::Anywhere => place::anywhere().into(),
        Place::Normalized => place::normalized(Number::of(radius)),
    }
}

/// The norm at the worst tokens known.
pub fn explore_worst(n: f64, place: &str, value: &str) -> String {
    bounds::worst(count(n), place, value)
}

/// The bound for all tokens, and where the known growth ends.
pub fn explore_best(n: f64, place: &str, best: &str, limit: &str, ends: Option<Number>) -> String {
    match ends {
        Some(ends) => bounds::best_and_growth(best, ends, limit, count(n), place),
        None => bounds::best(best, limit, count(n), place),
    }
}

/// The bound for all tokens, for every n.
pub fn explore_limit(place: &str, limit: &str) -> String {
    bounds::limit(limit, place)
}

/// The bound for all tokens at n, where no bound holds for every n.
pub fn explore_best_alone(n: f64, place: &str, best: &str) -> String {
    bounds::best_alone(best, count(n), place)
}

/// Why a curve is missing.
pub fn explore_absent(name: &str, absence: Option<Absence>) -> String {
    match absence {
        Some(absence) => absent::because(name, reason(absence)),
        None => absent::setting(name),
    }
}

/// Says that the samples end before the present n.
pub fn samples_end(draws: usize, end: usize) -> String {
    absent::samples_end(count(end as f64), mean_label(draws))
}

/// Says that the bounds over n end before the present n.
pub fn bounds_end(end: usize) -> String {
    absent::bounds_end(count(end as f64))
}

/// The words about a curve that is far above all others, in two lengths.
///
/// The first says by how many decades, the second does not.
pub fn far_above(name: &str, log10: f64, decades: f64) -> [String; 2] {
    let value = Number::claimed(log10, Kind::UpperBound);
    [far::above(decades.floor(), name, &value), format!("{name} {value}")]
}

/// LayerNorm in a dimension that leaves the tokens no room.
pub fn layer_collapse(d: usize) -> &'static str {
    match d {
        1 => layer::line(),
        _ => layer::plane(),
    }
}

/// The quantity over n: with a normaliser, the constant of one of two maps.
pub fn local_axis(state: &PageState) -> String {
    on_axis(state).unwrap_or_else(|| local_axis::attention().into())
}

/// The map of the plotted constant, where a normaliser gives two maps.
pub fn on_axis(state: &PageState) -> Option<String> {
    let name = match state.normalization {
        Normalization::None => return None,
        normalizer => normalizer_name(normalizer),
    };
    Some(match state.scope {
        Scope::Inputs => local_axis::inputs(name),
        Scope::Composed => local_axis::composed(name),
    })
}

pub fn normalizer_name(normalizer: Normalization) -> &'static str {
    match normalizer {
        Normalization::Layer => quick_layer(),
        Normalization::Rms | Normalization::None => quick_rms(),
    }
}

/// Which map is shown under a normaliser.
pub fn which_map(scope: Scope, normalizer: Normalization, d: usize) -> String {
    let name = normalizer_name(normalizer);
    match scope {
        Scope::Inputs => which_map::inputs(Number::of((d as f64).sqrt())),
        Scope::Composed => which_map::composed(name),
    }
}

/// The other map.
pub fn other_scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Inputs => other_map::inputs(),
        Scope::Composed => other_map::composed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_becomes_smaller_is_never_said_to_grow() {
        for place in [Place::Disc, Place::Ball, Place::Anywhere, Place::Normalized] {
            for kind in [Kind::Exact, Kind::LowerBound] {
                for value in [0.0, 1e-9, 0.5, 0.9548, 1.0, 1.001, 2.0, 1e9] {
                    let text = explore_measured(64.0, (value, kind), place);
                    assert_eq!(text.contains("grows"), value >= 1.0, "{value} {place:?} {kind:?}: {text}");
                    assert_eq!(text.contains("of its size"), value < 1.0, "{value} {place:?} {kind:?}: {text}");
                }
            }
        }
    }
}
