//! Reading a plot over the lengths of a sweep: by a pointer's column, and by keys that go from length to length.

use crate::prelude::*;
use leptos::ev;

use crate::controls::Choice;
use crate::keys::PlotKey;
use crate::page::{Page, use_page};
use crate::state::{PageState, XAxis};
use crate::strings;
use lipscope_plot::{ChartLayout, LineChart};

use super::{CURRENT, MEAN};

const AXES: [(&str, XAxis); 3] = XAxis::ALL;

/// Of the n at which the chart has draws, the one nearest to a pixel column; in a chart without draws, the n of the
/// present tokens.
pub fn length_at((chart, layout): &(LineChart, ChartLayout), x: f64) -> Option<f64> {
    let values = chart.nearest(layout, x)?;
    let of = |wanted: &str| values.iter().find(|value| value.id == wanted);
    of(MEAN).or_else(|| of(CURRENT)).map(|value| value.x)
}

/// Answers a key: moves `hover` to another length, or calls `keep` with the length in `hover`.
pub fn on_length_key(
    page: Page,
    hover: RwSignal<Option<f64>>,
    event: &ev::KeyboardEvent,
    keep: impl FnOnce(Option<f64>),
) {
    let lengths = page.answers.sweep.with_untracked(|sweep| sweep.lengths().to_vec());
    let now = hover.get_untracked().unwrap_or_else(|| page.state.with_untracked(PageState::n_tokens));
    let below = lengths.iter().rev().find(|n| (**n as f64) < now).or(lengths.first());
    let above = lengths.iter().find(|n| (**n as f64) > now).or(lengths.last());
    let Some(key) = PlotKey::pressed(event) else { return };
    let to = match key {
        PlotKey::Left => below,
        PlotKey::Right => above,
        PlotKey::First => lengths.first(),
        PlotKey::Last => lengths.last(),
        PlotKey::Leave => return hover.set(None),
        PlotKey::Keep => return keep(hover.get_untracked()),
        // The Page keys work in the plot up to n = 1e18 only: here all lengths are a few steps apart.
        PlotKey::Up | PlotKey::Down | PlotKey::PageDown | PlotKey::PageUp => return,
    };
    event.prevent_default();
    if let Some(n) = to {
        hover.set(Some(*n as f64));
    }
}

/// The choice of how the axis spaces n.
#[component]
pub fn AxisChoice(
    /// The id of the select.
    id: &'static str,
    /// The axis of the plot.
    now: fn(&PageState) -> XAxis,
) -> impl IntoView {
    let page = use_page();
    let options = Signal::stored(AXES.iter().map(|(id, axis)| (*id, strings::axis_choice(*axis).to_owned())).collect());
    let chosen = Signal::derive(move || {
        let now = page.state.with(now);
        AXES.iter().find(|(_, axis)| *axis == now).map_or("sqrt", |(id, _)| id)
    });
    let on_pick = move |id: String| {
        if let Some((_, axis)) = AXES.iter().find(|(known, _)| *known == id) {
            page.edit("x-axis", |state| {
                // The plot's own axis is no choice, which another plot would take up.
                state.x_axis = None;
                if now(state) != *axis {
                    state.x_axis = Some(*axis);
                }
            });
        }
    };
    view! { <Choice id label=strings::axis() options chosen on_pick=Callback::new(on_pick)/> }
}
