//! All experiments of the lab: a picture and a sentence each. The pictures are plots of the labs, drawn from stored
//! numbers.

use crate::prelude::*;
use leptos::html::Canvas;

use crate::charts::{Paint, Timing, plot_name, use_easel};
use crate::frame::When;
use crate::page::{Page, PlotChoice, use_page};
use crate::state::View;
use crate::strings;
use lipscope_plot::LineChart;

use super::card::{CardPicture, Pictures};
use super::lab::Entry;
use super::list::lab_with;

/// The width at which a card's picture has room for its texts, in CSS pixels.
const LEAST_WIDTH: f64 = 300.0;

/// The cards of all labs.
#[component]
pub fn Gallery() -> impl IntoView {
    let page = use_page();
    let pictures = StoredValue::new(Pictures::read());
    let labs = View::Lab.plots().iter().filter_map(|plot| lab_with(*plot));
    let card = move |lab: &'static Entry| {
        let (id, name, _, sentence) = plot_name(lab.plot);
        let canvas = NodeRef::<Canvas>::new();
        use_easel(
            canvas,
            Timing::Frame(When::After),
            || (),
            move |easel| {
                let easel = easel.with_room_for(LEAST_WIDTH);
                // Where the canvas cannot be drawn on, the card still has its sentence.
                match pictures.with_value(|pictures| (lab.card)(pictures.as_ref()?)) {
                    Some(CardPicture::Lines(chart)) => drop(on_card(chart).paint(&easel)),
                    Some(CardPicture::Tiles(tiles)) => drop(tiles.paint(&easel)),
                    None => {}
                }
            },
        );
        view! {
            <li>
                <button type="button" class="lab-card" id=id on:click=move |_| open(page, lab)>
                    <span class="lab-picture"><canvas node_ref=canvas aria-hidden="true"></canvas></span>
                    <span class="lab-name">{name}</span>
                    <span class="lab-sentence">{sentence}</span>
                </button>
            </li>
        }
    };
    view! {
        <div class="lab-gallery" data-testid="gallery" hidden=move || page.plot.get() != PlotChoice::Gallery>
            <p class="lab-lead">{strings::gallery_hint()}</p>
            <ul>{labs.map(card).collect_view()}</ul>
        </div>
    }
}

/// The chart of a lab with the short names of its curves. A card has a sentence, and no room for a key or marks.
fn on_card(mut chart: LineChart) -> LineChart {
    chart.mark_x = None;
    chart.rules.clear();
    chart.key.clear();
    for series in &mut chart.series {
        series.label = series.short_label.take().unwrap_or_else(|| std::mem::take(&mut series.label));
    }
    chart
}

fn open(page: Page, lab: &Entry) {
    (lab.open)(page);
    page.plot.set(lab.plot);
}
