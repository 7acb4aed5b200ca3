//! The norm of each window over n, with what the reader adds to it.

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::charts::{Behind, Take, Twin};
use crate::app::page::use_page;
use crate::app::strings::{self, Paper};
use crate::model_charts::{Released, lengths_table, norms_chart};
use crate::models::{Group, Place, Quantity};
use crate::plot::{AxisSpec, Scale, Scatter};

use super::curves::{Curves, CurvesMenu, Offered};
use super::dots::DotsCanvas;
use super::group_choice::GroupChoice;
use super::readout::{WindowReadout, open};
use super::shown::Shown;

/// The figure.
#[component]
pub fn NormsFigure(
    /// The table and what is chosen of it.
    shown: Shown,
) -> impl IntoView {
    let (page, at) = (use_page(), shown.at);
    let released = RwSignal::new(Released::Hidden);
    let is_released = Signal::derive(move || released.get() == Released::Shown);
    let curves = Curves::new(shown, at, is_released);
    let chart = Memo::new(move |_| {
        let (released, published) = (released.get(), curves.drawn());
        let words = strings::model_words();
        shown.with_group(at.get(), |group| norms_chart(&[group], released, &published, &words)).unwrap_or_else(nothing)
    });
    let places = Memo::new(move |_| Arc::new(shown.with_group(at.get(), places).unwrap_or_default()));
    let selected = Signal::derive(move || {
        let place = shown.selected.get()?;
        places.with(|places| places.iter().position(|known| *known == place))
    });
    let on_select = move |dot: Option<usize>| {
        shown.selected.set(dot.and_then(|dot| places.with_untracked(|places| places.get(dot).copied())));
    };
    let drawn = RwSignal::new(0);
    let words = Memo::new(move |_| {
        shown
            .with_group(at.get(), |group| strings::model_norms_finding(Some(group)))
            .unwrap_or_else(|| strings::model_norms_finding(None))
    });
    let thinned = move || strings::model_thinned(drawn.get(), chart.with(|chart| chart.dots.len()));
    let table = move || {
        let words = strings::model_words();
        shown.with_group(at.get(), |group| lengths_table(group, &words)).unwrap_or_default()
    };
    view! {
        <section class="model-figure" aria-labelledby="model-norms-heading">
            <h3 id="model-norms-heading">{strings::model_norms_heading()}</h3>
            <div class="model-tools">
                <GroupChoice shown id="model-group"/>
                <label class="switch-line">
                    <input
                        type="checkbox"
                        id="model-released"
                        prop:checked=move || is_released.get()
                        on:change=move |_| released.update(|now| *now = toggled(*now))
                    />
                    <span>{strings::model_released_too()}</span>
                </label>
            </div>
            <p class="model-fit" data-testid="model-fit-spectral">{move || fit(shown, Quantity::Spectral)}</p>
            <p class="model-fit" data-testid="model-fit-released" hidden=move || !is_released.get()>
                {move || fit(shown, Quantity::Released)}
            </p>
            <p class="note" data-testid="model-released-why" hidden=move || !is_released.get()>
                {strings::model_released_why()} " " {strings::model_released_theorems()}
            </p>
            <div class="model-stage">
                <DotsCanvas
                    id="model-norms"
                    chart
                    selected
                    on_select=Callback::new(on_select)
                    on_open=Callback::new(move |()| open(page, shown))
                    drawn
                    words
                    readout="model-norms-readout"
                />
            </div>
            <WindowReadout shown id="model-norms-readout"/>
            <p class="note" data-testid="model-thinned" hidden=move || thinned().is_empty()>{thinned}</p>
            <div class="model-foot">
                <CurvesMenu curves offered=Offered::Text id="model-curves"/>
                <Twin id="model-norms-table" name="lipscope-model.csv" table csv=move || shown.csv(at.get_untracked())/>
                <Take
                    id="take-model-norms"
                    name="lipscope-model"
                    canvas="model-norms"
                    title=strings::model_norms_heading()
                    figure=move |_| Some(chart.get_untracked())
                    csv=move || shown.csv(at.get_untracked())
                    paper=Paper::Castin
                    behind=Behind::Others
                />
            </div>
        </section>
    }
}

fn toggled(released: Released) -> Released {
    match released {
        Released::Hidden => Released::Shown,
        Released::Shown => Released::Hidden,
    }
}

/// The windows that are dots.
fn places(group: &Group) -> Vec<Place> {
    let with_norm = group.readings.iter().filter(|(_, estimate)| estimate.spectral.is_some());
    with_norm.map(|(place, _)| *place).collect()
}

fn fit(shown: Shown, quantity: Quantity) -> String {
    let fit = shown.with_group(shown.at.get(), |group| group.fit(quantity)).flatten();
    fit.map_or_else(|| strings::model_no_fit(quantity), |fit| strings::model_fit(quantity, &fit))
}

/// A chart of nothing.
pub fn nothing() -> Scatter {
    Scatter::new(AxisSpec::new("n", Scale::Log), AxisSpec::new("", Scale::Log))
}
