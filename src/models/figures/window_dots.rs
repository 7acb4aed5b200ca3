//! Dots that are windows: one is selected in all figures of a table at once, and opens in the explorer.

use crate::prelude::*;

use crate::models::form_at_hand::use_form;
use lipscope_models::Cell;
use lipscope_plot::Scatter;

use super::dots::DotsCanvas;
use super::figure_data::FigureData;
use super::readout::{WindowReadout, open};

/// A scatter of windows, and the line about the selected one.
#[component]
pub fn WindowDots(
    /// The table and what is chosen of it.
    shown: FigureData,
    /// The id of the canvas.
    id: &'static str,
    /// What is drawn, but for the selection.
    chart: Memo<Scatter>,
    /// Which window each dot is.
    cells: Memo<Vec<Cell>>,
    /// Takes in how many dots are drawn.
    #[prop(optional)]
    drawn: RwSignal<usize>,
    /// The chart in words.
    #[prop(into)]
    words: Signal<String>,
    /// The id of the line.
    readout: &'static str,
) -> impl IntoView {
    let form = use_form();
    let selected = Signal::derive(move || {
        let cell = shown.selected.get()?;
        cells.with(|cells| cells.iter().position(|known| *known == cell))
    });
    let on_select = move |dot: Option<usize>| {
        shown.selected.set(dot.and_then(|dot| cells.with_untracked(|cells| cells.get(dot).copied())));
    };
    view! {
        <div class="model-stage">
            <DotsCanvas
                id
                chart
                selected
                on_select=Callback::new(on_select)
                on_open=Callback::new(move |()| open(form, shown))
                drawn
                words
                readout
            />
        </div>
        <WindowReadout shown id=readout/>
    }
}
