//! The opening view: its sentence, its plot, its few controls; the names of the four views.

pub use crate::words::explore::*;

use crate::state::{PageState, TokenChoice, View, WeightChoice};
use lipscope_core::bounds::Absence;
use lipscope_core::experiment::{Attention, MaskKind, Normalization, Scope};
use lipscope_plot::{Kind, Number};

use super::bounds::reason;
use super::controls::weight_choice;
use super::numbers::is_one;
use super::plot::count;
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

/// The norm at these tokens, as sentences write it.
pub fn measured_number((value, kind): (f64, Kind)) -> Number {
    Number::in_sentence(value.log10(), if kind == Kind::LowerBound { kind } else { Kind::Exact })
}

/// The norm at these tokens, or at the normalised ones, in a sentence; without the number where it is 1 to the digits
/// that are written.
pub fn explore_measured(n: f64, norm: (f64, Kind), place: Place) -> String {
    let is_bound = norm.1 == Kind::LowerBound;
    let value = measured_number(norm);
    let tokens = tokens_named(n);
    if is_one(&value) {
        return match (place, is_bound) {
            (Place::Normalized, true) => keeps::normalized_at_least(tokens),
            (Place::Normalized, false) => keeps::normalized_exactly(tokens),
            (_, true) => keeps::at_least(tokens),
            (_, false) => keeps::exactly(tokens),
        };
    }
    match (place, is_bound) {
        (Place::Normalized, true) => measured::normalized_at_least { tokens, value }.text(),
        (Place::Normalized, false) => measured::normalized_exactly { tokens, value }.text(),
        (_, true) => measured::at_least { tokens, value }.text(),
        (_, false) => measured::exactly { tokens, value }.text(),
    }
}

/// The measured tokens, as the subject of a sentence.
fn tokens_named(n: f64) -> String {
    if n == 1.0 { tokens_named::one().into() } else { tokens_named::several(count(n)) }
}

/// Which attention is shown, in plain words: the weights, then the steps that there are.
pub fn which_attention(state: &PageState) -> String {
    let kernel = if state.attention == Attention::L2 { which_attention::l2() } else { "" };
    let weights = match (state.tokens, state.weights) {
        (TokenChoice::Skew, _) => which_attention::skew().into(),
        (_, WeightChoice::IdentityMinus) => which_attention::opposite(kernel),
        (_, WeightChoice::IdentityPlus) => which_attention::alike(kernel),
        _ => which_attention::other { kernel, weights: weight_choice(state.weights, None) }.text(),
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

/// The words of the button that sets n.
pub fn set_n(n: f64) -> String {
    explore_set_n(count(n))
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
    crowd::both { outputs: count(outputs), tokens: count(tokens) }.text()
}

/// What an arrow means that several outputs at one place share.
pub fn arrow_of_crowd(outputs: f64, root: &Number) -> String {
    crowd::arrow { outputs: count(outputs), root }.text()
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
    if n == 1.0 {
        bounds::worst_one { place, value }.text()
    } else {
        bounds::worst { n: count(n), place, value }.text()
    }
}

/// Says that no tokens of this number with a larger norm are known.
pub fn explore_worst_known(n: f64) -> &'static str {
    if n == 1.0 { explore_is_worst_one() } else { explore_is_worst() }
}

/// Says that the tokens with a larger norm that are known have a larger one only past the digits that are written.
pub fn explore_nearly_worst(n: f64) -> &'static str {
    if n == 1.0 { explore_is_nearly_worst_one() } else { explore_is_nearly_worst() }
}

/// The n at which growth like sqrt(n) ends, from its natural logarithm.
pub fn growth_end(ln_n: f64) -> Number {
    Number::rough_from_log10(ln_n / std::f64::consts::LN_10)
}

/// The bound for all tokens, and where the known growth ends.
pub fn explore_best(n: f64, place: &str, best: &str, limit: &str, ends: Option<Number>) -> String {
    match ends {
        // One token has no growth to speak of.
        _ if n == 1.0 => bounds::best_one { best, limit, place }.text(),
        Some(ends) => bounds::best_and_growth { best, ends, limit, n: count(n), place }.text(),
        None => bounds::best { best, limit, n: count(n), place }.text(),
    }
}

/// The bound for all tokens, for every n.
pub fn explore_limit(place: &str, limit: &str) -> String {
    bounds::limit { limit, place }.text()
}

/// The bound for all tokens at n, where no bound holds for every n.
pub fn explore_best_alone(n: f64, place: &str, best: &str) -> String {
    if n == 1.0 {
        bounds::best_alone_one { best, place }.text()
    } else {
        bounds::best_alone { best, n: count(n), place }.text()
    }
}

/// Why a curve is missing.
pub fn explore_absent(name: &str, absence: Option<Absence>) -> String {
    match absence {
        Some(absence) => absent::because { name, reason: reason(absence) }.text(),
        None => absent::setting(name),
    }
}

/// Says that the samples end before the present n.
pub fn samples_end(name: &str, end: usize) -> String {
    absent::samples_end { end: count(end as f64), name }.text()
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
    [far::above { decades: count(decades.floor()), name, value: &value }.text(), format!("{name} {value}")]
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
    fn one_token_is_no_plural_and_has_no_growth() {
        let ends = Some(Number::of(90.0));
        let all = [
            explore_measured(1.0, (1.5, Kind::Exact), Place::Disc),
            explore_measured(1.0, (1.0, Kind::Exact), Place::Normalized),
            explore_measured(1.0, (0.5, Kind::LowerBound), Place::Ball),
            explore_worst(1.0, "in this disc", "1.5"),
            explore_worst_known(1.0).into(),
            explore_best(1.0, "in this disc", "2.496", "5.733", ends),
            explore_best_alone(1.0, "in this disc", "2.496"),
        ];
        assert_eq!(all[0], "Nudge this token a little, and the outputs move up to 1.50 times as far.");
        assert_eq!(all[5], "No token in this disc exceeds 2.496; no number of them exceeds 5.733.");
        for text in all {
            assert!(!text.contains("1 token") && !text.contains("tokens") && !text.contains('√'), "{text}");
        }
    }

    #[test]
    fn a_norm_is_said_to_be_exact_or_a_lower_bound() {
        for place in [Place::Disc, Place::Ball, Place::Anywhere, Place::Normalized] {
            for kind in [Kind::Exact, Kind::LowerBound] {
                for value in [0.0, 1e-9, 0.5, 0.9548, 0.998, 1.01, 2.0, 1e9] {
                    let text = explore_measured(64.0, (value, kind), place);
                    assert_eq!(text.contains("at least"), kind == Kind::LowerBound, "{value} {place:?}: {text}");
                    assert_eq!(text.contains("up to"), kind == Kind::Exact, "{value} {place:?}: {text}");
                    assert!(text.contains(&measured_number((value, kind)).to_string()), "{value} {place:?}: {text}");
                }
            }
        }
    }

    #[test]
    fn a_norm_of_one_to_the_digits_that_are_written_has_no_number() {
        for place in [Place::Disc, Place::Normalized] {
            for (value, kind) in [(1.0, Kind::Exact), (1.0000004, Kind::Exact), (0.99999, Kind::Exact)] {
                let text = explore_measured(12.0, (value, kind), place);
                assert!(text.contains("at most as far, to three digits") && !text.contains("1.00"), "{value}: {text}");
            }
            // A lower bound of 1.0004 says that the outputs move as far, and no more.
            let text = explore_measured(12.0, (1.0004, Kind::LowerBound), place);
            assert!(text.contains("at least as far"), "{text}");
        }
    }

    #[test]
    fn a_large_number_keeps_its_digits_in_the_sentence() {
        let text = explore_measured(12.0, (3.4864e12, Kind::Exact), Place::Disc);
        assert!(text.contains("up to 3.49 × 10¹² times"), "{text}");
        let text = explore_measured(12.0, (3.4864e12, Kind::LowerBound), Place::Disc);
        assert!(text.contains("at least 3.48 × 10¹² times"), "{text}");
        let [words, _] = far_above("mean-field", 19_543_251_696.4, 19_543_251_685.0);
        assert_eq!(words, "mean-field ≤ 10^(1.955 × 10¹⁰), 1.954 × 10¹⁰ decades up");
    }

    #[test]
    fn the_hint_of_models_counts_the_families_that_are_read_and_names_some() {
        let hint = view_hint(View::Models);
        let names: Vec<&str> = lipscope_models::names_of_families().map(|(_, name)| name).collect();
        assert!(hint.contains(&format!(" {} families", names.len())), "{}: {hint}", names.len());
        let named = hint.split(": ").nth(1).and_then(|list| list.strip_suffix(" and others")).expect("a list");
        for name in named.split(", ") {
            assert!(names.contains(&name), "{name} is no family of {names:?}");
        }
    }

    #[test]
    fn token_x_attends_to_y_by_the_score_of_y() {
        // The score of token j for token i is x_j^T A x_i.
        for text in [why_attention(), include_str!("../../words/zh/explore.toml")] {
            assert!(text.contains("yᵀAx") && !text.contains("xᵀAy"), "{text}");
        }
    }
}
