//! The norm of each window against its attention sink.

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::charts::{Behind, Take, Twin};
use crate::app::page::use_page;
use crate::app::strings::{self, Paper};
use crate::model_charts::{by_sink, lengths_table, sinks_chart};
use crate::models::Place;

use super::dots::DotsCanvas;
use super::norms::nothing;
use super::readout::{WindowReadout, open};
use super::shown::Shown;

/// The figure, of the layer and head that is shown.
#[component]
pub fn SinksFigure(
    /// The table and what is chosen of it.
    shown: Shown,
) -> impl IntoView {
    let (page, at) = (use_page(), shown.at);
    let chart = Memo::new(move |_| {
        let words = strings::model_words();
        shown.with_group(at.get(), |group| sinks_chart(group, &words)).unwrap_or_else(nothing)
    });
    let places = Memo::new(move |_| {
        let places = shown
            .with_group(at.get(), |group| by_sink(group).into_iter().map(|(place, _)| place).collect::<Vec<Place>>());
        Arc::new(places.unwrap_or_default())
    });
    let selected = Signal::derive(move || {
        let place = shown.selected.get()?;
        places.with(|places| places.iter().position(|known| *known == place))
    });
    let on_select = move |dot: Option<usize>| {
        shown.selected.set(dot.and_then(|dot| places.with_untracked(|places| places.get(dot).copied())));
    };
    let table = move || {
        let words = strings::model_words();
        shown.with_group(at.get(), |group| lengths_table(group, &words)).unwrap_or_default()
    };
    let is_there = move || chart.with(|chart| !chart.dots.is_empty());
    let drawn = RwSignal::new(0);
    let where_it_is = move || at.get().map(|(layer, heads)| strings::model_place(layer, heads));
    view! {
        <section class="model-figure" aria-labelledby="model-sinks-heading" hidden=move || !is_there()>
            <h3 id="model-sinks-heading">{strings::model_sinks_heading()} <small>{where_it_is}</small></h3>
            <p class="note">{strings::model_sinks_note()}</p>
            <div class="model-stage">
                <DotsCanvas
                    id="model-sinks"
                    chart
                    selected
                    on_select=Callback::new(on_select)
                    on_open=Callback::new(move |()| open(page, shown))
                    drawn
                    words=Signal::derive(|| strings::model_sinks_finding().to_owned())
                    readout="model-sinks-readout"
                />
            </div>
            <WindowReadout shown id="model-sinks-readout"/>
            <div class="model-foot">
                <Twin id="model-sinks-table" name="lipscope-sinks.csv" table csv=move || shown.csv(at.get_untracked())/>
                <Take
                    id="take-model-sinks"
                    name="lipscope-sinks"
                    canvas="model-sinks"
                    title=strings::model_sinks_heading()
                    figure=move |_| Some(chart.get_untracked())
                    csv=move || shown.csv(at.get_untracked())
                    paper=Paper::Castin
                    behind=Behind::Others
                />
            </div>
        </section>
    }
}
