//! The bounds at the tokens of each window, beside the norm that was measured there.

use crate::prelude::*;

use crate::strings;
use lipscope_core::bounds::{BoundId, LOCAL_TOKEN};
use lipscope_models::{Cell, Estimate, LocalBounds, MapKind};
use lipscope_plot::{Kind, Number};

use super::figure_data::FigureData;

/// The most rows of the table; the file has all.
const MOST_ROWS: usize = 400;

/// A table of the windows of the layer and head on screen: the norm with its sign, each bound, and how far the better one
/// is above the norm; and the upper number that may fail by chance. A bound that does not apply is a grey cell with the
/// reason.
#[component]
pub fn BoundsFigure(
    /// The table and the choices in it.
    shown: FigureData,
) -> impl IntoView {
    let where_it_is = move || shown.at.get().map(|(layer, heads)| strings::model_place(shown.map(), layer, heads));
    let readings = memo(move |_| shown.with_group(shown.at.get(), |group| group.readings.clone()).unwrap_or_default());
    let refusal = move || shown.map().and_then(MapKind::no_local_bounds).map(|reason| strings::phrase_text(&reason));
    let has_bounds = memo(move |_| readings.with(|all| all.iter().any(|(_, estimate)| estimate.bounds.is_some())));
    let has_upper = memo(move |_| readings.with(|all| UpperColumn::of(all) == UpperColumn::Present));
    let is_table = move || has_bounds.get() || has_upper.get() || refusal().is_some();
    let body = move || match (refusal().filter(|_| !has_upper.get()), shown.map()) {
        (Some(reason), _) => view! {
            <tr>
                <td colspan="8" class="absent" data-testid="model-bounds-absent">{reason}</td>
            </tr>
        }
        .into_any(),
        (_, Some(kind)) => readings
            .with(|all| {
                all.iter()
                    .take(MOST_ROWS)
                    .map(|(cell, estimate)| row((kind, UpperColumn::of(all)), cell, estimate))
                    .collect_view()
            })
            .into_any(),
        (_, None) => ().into_any(),
    };
    let left_out = move || {
        let count = readings.with(Vec::len);
        (count > MOST_ROWS).then(|| strings::model_bounds_left_out { all: count, drawn: MOST_ROWS }.text())
    };
    view! {
        <section class="model-figure" aria-labelledby="model-bounds-heading" data-testid="model-bounds-figure">
            <h3 id="model-bounds-heading">{strings::model_bounds_heading()} <small>{where_it_is}</small></h3>
            <p class="note" hidden=is_table data-testid="model-bounds-missing">{strings::model_bounds_missing()}</p>
            <p class="note" hidden=move || !is_table() || refusal().is_some()>{strings::model_bounds_what()}</p>
            <p class="note" hidden=move || !has_upper.get() data-testid="model-upper-what">{strings::model_upper_what()}</p>
            <div class="model-bounds" hidden=move || !is_table() tabindex="0" role="group" aria-labelledby="model-bounds-heading">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">"n"</th>
                            <th scope="col">{strings::model_bounds_window()}</th>
                            <th scope="col">"‖J‖₂"</th>
                            {move || has_upper.get().then(|| view! { <th scope="col">{strings::model_upper_column()}</th> })}
                            {LocalBounds::ALL[..2].iter().map(|bound| view! { <th scope="col">{strings::bound_label(bound)}</th> }).collect_view()}
                            <th scope="col">{strings::model_bounds_ratio()}</th>
                            <th scope="col">{strings::bound_label(&LOCAL_TOKEN)}</th>
                        </tr>
                    </thead>
                    <tbody data-testid="model-bounds-rows">{body}</tbody>
                </table>
            </div>
            <p class="note" hidden=move || left_out().is_none()>{left_out}</p>
        </section>
    }
}

/// Whether the table has a column for upper numbers: where one window has one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UpperColumn {
    Present,
    Absent,
}

impl UpperColumn {
    fn of(readings: &[(Cell, Estimate)]) -> Self {
        let has_one = readings.iter().any(|(_, estimate)| estimate.upper.is_some());
        if has_one { UpperColumn::Present } else { UpperColumn::Absent }
    }
}

/// A window with its norm and its bounds.
fn row((kind, column): (MapKind, UpperColumn), cell: &Cell, estimate: &Estimate) -> impl IntoView + use<> {
    let norm = estimate.spectral.map(|norm| (strings::model_norm(&norm), norm.value));
    let bounds = estimate.bounds;
    let cell_of = move |bound: BoundId| {
        let value = bounds.and_then(|bounds| bounds.get(bound)).map(|value| Number::known(value, Kind::UpperBound));
        match (value, bounds.map(|bounds| bounds.absence(kind, bound))) {
            (Some(value), _) => view! { <td class="bound-value">{value.to_string()}</td> }.into_any(),
            (None, Some(Some(reason))) => view! { <td class="absent">{strings::phrase_text(&reason)}</td> }.into_any(),
            _ => view! { <td class="absent">{strings::model_bounds_not_yet()}</td> }.into_any(),
        }
    };
    let upper = match estimate.upper {
        _ if column == UpperColumn::Absent => ().into_any(),
        Some(upper) => view! { <td class="bound-value" data-value=upper.value.to_string()>{strings::model_upper_number(estimate)}</td> }.into_any(),
        None => view! { <td class="absent">{strings::model_bounds_not_yet()}</td> }.into_any(),
    };
    let ratio = norm.as_ref().zip(bounds.and_then(|bounds| bounds.best())).map(|((_, norm), bound)| bound / norm);
    view! {
        <tr>
            <th scope="row">{cell.n}</th>
            <td class="bound-value">{cell.window}</td>
            <td class="bound-value">{norm.map(|(words, _)| words)}</td>
            {upper}
            {LocalBounds::ALL[..2].iter().map(|bound| cell_of(*bound)).collect_view()}
            <td class="bound-value">{ratio.map(|ratio| format!("× {}", Number::rough(ratio)))}</td>
            {cell_of(&LOCAL_TOKEN)}
        </tr>
    }
}
