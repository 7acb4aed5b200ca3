//! The figures of models.

use crate::words::model_figures as words;
pub use crate::words::model_figures::*;

use lipscope_core::bounds::BoundId;
use lipscope_core::experiment::Order;
use lipscope_core::fit::PowerLaw;
use lipscope_models::charts::{ModelWords, power_law_text, sqrt_law_text};
use lipscope_models::{
    Cell, CurveTokens, Estimate, Group, Heads, LocalBounds, MapKind, Published, PublishedModel, Quantity, SpectralNorm,
    Training,
};
use lipscope_plot::{Kind, Number, raised};
use lipscope_protocol::models::ChangeAt;

use super::bounds::bound_label;
use super::plot::with_half_width;
use super::spectrum::claimed_kind;
use crate::phase::ModelPhase;

/// What stands in place of the figures while there is no row.
pub fn model_empty(phase: ModelPhase) -> &'static str {
    match phase {
        ModelPhase::Idle | ModelPhase::Stopped | ModelPhase::Done => model_empty::idle(),
        ModelPhase::Running => model_empty::running(),
        ModelPhase::Paused => model_empty::paused(),
    }
}

/// Names of axes and curves.
pub fn model_words() -> ModelWords {
    ModelWords {
        length: model_words::length().to_owned(),
        norm: "‖J‖₂".into(),
        mean_norm: model_words::mean_norm().to_owned(),
        both: model_words::both().to_owned(),
        released: model_words::released().to_owned(),
        token_norm: model_words::token_norm().to_owned(),
        sink: model_words::sink().to_owned(),
        layer: model_words::layer().to_owned(),
        head: model_words::head().to_owned(),
        key_head: model_words::key_head().to_owned(),
        token: model_words::token().to_owned(),
        patch_row: model_words::patch_row().to_owned(),
        patch_column: model_words::patch_column().to_owned(),
        patch_share: model_words::patch_share().to_owned(),
        published: model_words::published().to_owned(),
        windows: model_words::windows().to_owned(),
        residual: model_words::residual().to_owned(),
        bound: model_words::bound().to_owned(),
        note: model_waiting().to_owned(),
    }
}

/// A layer with all its heads, or one head of it; for a map with a residual connection, the layer, or all layers up to
/// it.
pub fn model_place(map: Option<MapKind>, layer: usize, heads: Heads) -> String {
    match (map, heads) {
        (_, Heads::One(head)) => model_place::one { head, layer }.text(),
        (Some(MapKind::Blocks), _) if layer > 0 => model_place::first(layer),
        (Some(map), _) if !map.is_attention_alone() => model_place::layer(layer),
        _ => model_place::all(layer),
    }
}

/// Why no bound is shown beside a map; nothing for attention alone, whose bounds the explorer shows.
pub fn model_no_bound(map: MapKind) -> Option<&'static str> {
    match map {
        MapKind::Attention | MapKind::WithOutput => None,
        MapKind::AttentionResidual | MapKind::MlpResidual => Some(model_no_bound::sublayer()),
        MapKind::Block => Some(model_no_bound::block()),
        MapKind::Blocks => Some(model_no_bound::blocks()),
    }
}

fn quantity(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Spectral => "‖J‖₂",
        Quantity::Released => words::quantity(),
    }
}

/// A fit with its two intervals.
pub fn model_fit(of: Quantity, fit: &PowerLaw) -> String {
    let (name, law) = (quantity(of), power_law_text(fit));
    let exponent = with_half_width(format!("{:.3}", fit.exponent), fit.half_width);
    model_fit { exponent, factor: factor_interval(fit), law: &law, n_points: fit.n_points, name }.text()
}

/// The interval of a fit's factor; the factor alone where both ends have the same digits.
fn factor_interval(fit: &PowerLaw) -> String {
    let [low, high] = fit.factor_interval().map(|end| format!("{end:.3}"));
    if low == high { model_no_width(low) } else { model_interval { high, low }.text() }
}

/// C sqrt(n) with its interval.
pub fn model_root_fit(of: Quantity, fit: &PowerLaw) -> String {
    let (name, law) = (quantity(of), sqrt_law_text(fit));
    model_root_fit { factor: factor_interval(fit), law: &law, n_points: fit.n_points, name }.text()
}

/// Why there is no fit.
pub fn model_no_fit(of: Quantity) -> String {
    let name = quantity(of);
    words::model_no_fit(name)
}

/// A window in one line: each number with its meaning.
pub fn model_readout(map: Option<MapKind>, cell: &Cell, estimate: &Estimate) -> String {
    let Cell { layer, heads, n, window } = *cell;
    let where_it_is = model_place(map, layer, heads);
    let mut parts = vec![model_readout::place { n, where_it_is: &where_it_is, window }.text()];
    parts.extend(numbers(estimate));
    if let Some(bounds) = estimate.bounds {
        let bound = |id: BoundId| {
            let value = Number::known(bounds.get(id)?, Kind::UpperBound);
            Some(format!("{} {value}", bound_label(id)))
        };
        parts.extend(LocalBounds::ALL.into_iter().filter_map(bound));
    }
    if let Some(sink) = estimate.sink {
        let mass = Number::of(sink.mass);
        parts.push(model_readout::sink { head: sink.head, mass: &mass, token: sink.token + 1 }.text());
    }
    parts.join("  ·  ")
}

/// A length at adversarial tokens in one line.
pub fn model_length_readout(n: usize, estimate: &Estimate) -> String {
    let parts: Vec<String> = std::iter::once(format!("n = {n}")).chain(numbers(estimate)).collect();
    parts.join("  ·  ")
}

/// A norm with its sign: exact where the iteration converged, else a lower bound.
pub fn model_norm(norm: &SpectralNorm) -> String {
    Number::known(norm.value, claimed_kind(norm.is_converged())).to_string()
}

fn numbers(estimate: &Estimate) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(norm) = estimate.spectral {
        let value = model_norm(&norm);
        let residual = Number::rough(norm.relative_residual);
        parts.push(numbers::spectral { iterations: norm.iterations, residual: &residual, value: &value }.text());
    }
    if let Some(released) = estimate.released {
        let name = quantity(Quantity::Released);
        parts.push(numbers::released { name, released: Number::of(released) }.text());
    }
    parts.push(numbers::token_norm(Number::of(estimate.radius)));
    parts
}

/// A tile in one line.
pub fn model_tile_readout(row: &str, n: usize, mean: f64, windows: usize) -> String {
    let mean = Number::known(mean, Kind::LowerBound);
    match windows {
        1 => model_tile_readout::one { n, norm: &mean, row }.text(),
        _ => model_tile_readout::several { mean: &mean, n, row, windows }.text(),
    }
}

/// The worst change at a picture: where it was found, with its norm, and how much of it lies before the patches.
pub fn model_patches_line(map: Option<MapKind>, name: &str, at: &ChangeAt, first: usize) -> String {
    let ChangeAt { cell, change } = at;
    let place = model_place(map, cell.layer, cell.heads);
    let SpectralNorm { iterations, relative_residual, .. } = change.norm;
    let norm =
        numbers::spectral { iterations, residual: Number::rough(relative_residual), value: model_norm(&change.norm) }
            .text();
    let share: f64 = change.tokens.iter().take(first).map(|x| x * x).sum();
    let line = format!("{}  ·  {place}  ·  {norm}", super::wrong::shortened(name));
    match first {
        0 => line,
        _ => format!("{line}  ·  {}", model_patches_first(Number::of(100.0 * share))),
    }
}

/// A patch in one line.
pub fn model_patch_readout(row: usize, column: usize, share: f64) -> String {
    model_patch_readout { column: column + 1, row: row + 1, share: Number::of(share) }.text()
}

/// A published curve: its formula, its map and its subject.
pub fn model_curve(curve: &Published) -> String {
    let family = match (curve.model, curve.training) {
        (PublishedModel::Gpt2, Training::Trained) => model_curve::gpt2_trained(),
        (PublishedModel::Gpt2, Training::Random) => model_curve::gpt2_random(),
        (_, Training::Trained) => model_curve::trained(),
        (_, Training::Random) => model_curve::random(),
    };
    let tokens = match curve.tokens {
        CurveTokens::Text => model_curve::text().to_owned(),
        CurveTokens::MaskedText => model_curve::masked_text().to_owned(),
        CurveTokens::Adversarial(radius) => {
            let of = curve.head.map_or_else(|| model_curve::rows().to_owned(), model_curve::head);
            model_curve::adversarial { of: &of, radius }.text()
        }
    };
    let law = if curve.exponent == 0.5 {
        format!("{} √n", curve.factor)
    } else {
        format!("{} n{}", curve.factor, raised(&curve.exponent.to_string()))
    };
    let (layer, map) = (curve.layer, super::models::model_map_choice(Some(curve.map)));
    model_curve::line { family, law: &law, layer, map, mask: mask_words(curve.mask.id()), tokens: &tokens }.text()
}

/// A mask by its id.
fn mask_words(mask: &str) -> &'static str {
    if mask == Order::Causal.id() { model_curve::causal() } else { model_curve::none() }
}

/// The model, map and mask of the figures.
pub fn model_about(model: &str, map: &str, mask: &str, rows: usize) -> String {
    let map = MapKind::by_id(map).map_or(map, |map| super::models::model_map_choice(Some(map)));
    model_about::line { map, mask: mask_words(mask), model, rows }.text()
}

/// The model, mask and radius of a curve of adversarial tokens.
pub fn model_adversarial_about(model: &str, mask: &str, radius: f64) -> String {
    model_adversarial_about::line { mask: mask_words(mask), model, radius }.text()
}

/// Says how many dots are drawn, where some are left out.
pub fn model_thinned(drawn: usize, all: usize) -> String {
    if drawn < all { model_thinned { all, drawn }.text() } else { String::new() }
}

/// The scatter in words.
pub fn model_norms_finding(group: Option<&Group>) -> String {
    match group.and_then(|group| Some((group, group.spectral?, group.ends()?))) {
        Some((group, fit, (first, last))) => model_norms_finding::sentence {
            exponent: format_args!("{:.2}", fit.exponent),
            first,
            last,
            windows: group.readings.len(),
        }
        .text(),
        None => model_norms_finding::no_fit().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_view_names_only_a_button_that_is_there() {
        let phases = [ModelPhase::Idle, ModelPhase::Running, ModelPhase::Paused, ModelPhase::Stopped, ModelPhase::Done];
        for phase in phases {
            let text = model_empty(phase);
            assert_eq!(text.contains("press Run"), !phase.is_at_work(), "{phase:?}: {text}");
            assert_eq!(text.contains("Press Resume"), phase == ModelPhase::Paused, "{phase:?}: {text}");
        }
    }
}
