//! Dots that stand for windows. One window is selected in all figures of a table at once; the explorer can open it.

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
    /// The table and the choices in it.
    shown: FigureData,
    /// The id of the canvas.
    id: &'static str,
    /// The chart without the selection.
    chart: Memo<Scatter>,
    /// The window of each dot.
    cells: Memo<Vec<Cell>>,
    /// Receives the number of dots that are drawn.
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
