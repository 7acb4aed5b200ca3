//! All experiments of the lab: a picture and a sentence each. The pictures are plots of the labs, drawn from stored
//! numbers. A test of the engine keeps these numbers true (`tests/core/gallery.rs`).

use crate::prelude::*;
use leptos::html::Canvas;
use serde::{Deserialize, Serialize};

use crate::charts::{Paint, Timing, plot_name, use_easel};
use crate::frame::When;
use crate::page::{Page, PlotChoice, use_page};
use crate::state::{CompareSettings, EstimatorQuantity, InverseSettings, View};
use crate::strings;
use lipscope_core::bounds::Norm;
use lipscope_core::certify::Certified;
use lipscope_core::compare::ComparisonPoint;
use lipscope_core::estimators::EstimatorPoint;
use lipscope_core::gap::GapCell;
use lipscope_core::inverse::{InverseStep, Outcome};
use lipscope_core::scaling::ScalingPoint;
use lipscope_core::tightness::TightnessPoint;
use lipscope_plot::{LineChart, Tiles, ascending};
use lipscope_protocol::envelope::decode;

use super::context::Lab;
use super::gap_map::{Axes, gap_tiles};
use super::{certify, compare, estimators_chart, inverse_chart, scaling, tightness};
use crate::answers::{Pair, Side};

/// The numbers of the pictures.
#[derive(Serialize, Deserialize)]
struct Pictures {
    certify: Certified,
    compare: Vec<ComparisonPoint>,
    scaling: Vec<ScalingPoint>,
    tightness: Vec<TightnessPoint>,
    gap: Vec<GapCell>,
    inverse_l2: Vec<InverseStep>,
    inverse_dot: Vec<InverseStep>,
    estimators: Vec<EstimatorPoint>,
}

impl Pictures {
    /// Reads the packed file, which has the format of workers' messages. JSON would need a parser of these types for
    /// this file alone.
    fn read() -> Option<Self> {
        decode(include_bytes!("../../assets/gallery.postcard")).ok()
    }

    /// The picture of a lab; `None` for a plot without a card.
    fn of(&self, plot: PlotChoice) -> Option<CardPicture> {
        if plot == PlotChoice::Gap {
            let of = |read: fn(&GapCell) -> f64| {
                let mut all: Vec<f64> = self.gap.iter().map(read).collect();
                ascending(&mut all, |x| *x);
                all.dedup();
                all
            };
            let axes = Axes::new(&of(|cell| cell.radius), &of(|cell| cell.n));
            return Some(CardPicture::Tiles(gap_tiles(&self.gap, &axes)));
        }
        self.chart(plot).map(CardPicture::Lines)
    }

    /// The chart of a lab, with the short names of its curves.
    fn chart(&self, plot: PlotChoice) -> Option<LineChart> {
        let side =
            |steps: &[InverseStep], outcome| Side { steps: steps.to_vec(), outcome: Some(outcome), ..Side::default() };
        let mut chart = match Lab::of(plot)? {
            Lab::Certify => certify::chart(Some(&self.certify), None),
            Lab::Compare => compare::chart(&self.compare, &CompareSettings::default()),
            Lab::Scaled => scaling::chart(&self.scaling, Norm::Spectral),
            Lab::Tightness => tightness::chart(&self.tightness),
            Lab::Inverse => {
                let l2 = side(&self.inverse_l2, Outcome::Converged);
                inverse_chart::error_chart(&Pair { l2, dot: side(&self.inverse_dot, Outcome::Stalled) }, 0)
            }
            Lab::Estimators => estimators_chart::estimators_chart(&self.estimators, EstimatorQuantity::Error),
            // The map is no chart. The singular values have no card: their plot stands in another view.
            Lab::Gap | Lab::Spectrum => return None,
        };
        chart.mark_x = None;
        chart.rules.clear();
        // A card has a sentence, and no room for a key.
        chart.key.clear();
        for series in &mut chart.series {
            series.label = series.short_label.take().unwrap_or_else(|| std::mem::take(&mut series.label));
        }
        Some(chart)
    }
}

/// The picture of a card.
enum CardPicture {
    Lines(LineChart),
    Tiles(Tiles),
}

/// The width at which a card's picture has room for its texts, in CSS pixels.
const LEAST_WIDTH: f64 = 300.0;

/// The cards of all labs.
#[component]
pub fn Gallery() -> impl IntoView {
    let page = use_page();
    let pictures = StoredValue::new(Pictures::read());
    let labs = View::Lab.plots().iter().copied().filter(|plot| *plot != PlotChoice::Gallery);
    let card = move |plot: PlotChoice| {
        let (id, name, _, sentence) = plot_name(plot);
        let canvas = NodeRef::<Canvas>::new();
        use_easel(
            canvas,
            Timing::Frame(When::After),
            || (),
            move |easel| {
                let easel = easel.with_room_for(LEAST_WIDTH);
                // Where the canvas cannot be drawn on, the card still has its sentence.
                match pictures.with_value(|pictures| pictures.as_ref().and_then(|all| all.of(plot))) {
                    Some(CardPicture::Lines(chart)) => drop(chart.paint(&easel)),
                    Some(CardPicture::Tiles(tiles)) => drop(tiles.paint(&easel)),
                    None => {}
                }
            },
        );
        view! {
            <li>
                <button type="button" class="lab-card" id=id on:click=move |_| open(page, plot)>
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

/// Opens an experiment with the settings of its picture, unless the reader has changed its settings.
fn open(page: Page, plot: PlotChoice) {
    let settings = page.settings;
    if plot == PlotChoice::Inverse && settings.with_untracked(|now| now.inverse == InverseSettings::default()) {
        settings.update(|settings| settings.inverse = InverseSettings::where_dot_fails());
    }
    if plot == PlotChoice::Scaled {
        scaling::begin_tied(page);
    }
    page.plot.set(plot);
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_protocol::envelope::encode;

    /// With `LIPSCOPE_WRITE_GALLERY=1` the test packs the readable numbers anew.
    #[test]
    fn the_packed_numbers_are_those_of_the_readable_file() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
        let json = std::fs::read_to_string(format!("{folder}/gallery.json")).expect("a file");
        let packed = encode(&serde_json::from_str::<Pictures>(&json).expect("pictures")).expect("bytes");
        let path = format!("{folder}/gallery.postcard");
        if std::env::var_os("LIPSCOPE_WRITE_GALLERY").is_some() {
            // The compiled program still holds the earlier file, so there is nothing to compare.
            return std::fs::write(&path, &packed).expect("assets/ can be written");
        }
        assert!(
            std::fs::read(&path).expect("a file") == packed,
            "gallery.postcard is not of gallery.json: write it anew"
        );
        assert!(Pictures::read().is_some());
    }
}
