//! How far apart the best bounds from above and from below are, over n and R, for the weights of the controls.

use crate::prelude::*;

use crate::charts::{ExperimentSource, ExportFold, TableFold, TilesCanvas, exportable};
use crate::page::PlotChoice;
use crate::plans;
use crate::state::{PageState, Settings};
use crate::strings::{self, Paper};
use crate::theory::Place;
use lipscope_core::bounds::{Bound, SHARP};
use lipscope_core::gap::{DEFAULT_LENGTHS, DEFAULT_RADII, GapCell};
use lipscope_plot::Number;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

use super::card::{CardPicture, Pictures};
use super::frame::{Fact, LabParts, lab_view};
use super::gap_map::{Axes, gap_table, gap_tiles, widest};
use super::lab::Lab;
use super::plot::{all_digits, shown};
use crate::query::{Query, Request};

/// The best bounds over n and R.
pub struct GapLab;

impl Lab for GapLab {
    const PLOT: PlotChoice = PlotChoice::Gap;
    type Data = Vec<GapCell>;

    fn request(_: &Settings, state: &PageState) -> Request {
        Ok(vec![EnginePlan::Gap(plans::gap(state))])
    }

    fn on_event(run: Query<Self::Data>, _: &EnginePlan, event: EngineEvent) {
        if let EngineEvent::Gap(cells) = event {
            run.fresh(|data| data.extend(cells));
        }
    }

    fn card(pictures: &Pictures) -> Option<CardPicture> {
        Some(CardPicture::Tiles(gap_tiles(&pictures.gap, &Axes::from_cells(&pictures.gap))))
    }

    fn view(run: Query<Self::Data>) -> AnyView {
        let at = RwSignal::new(None::<(usize, usize)>);
        let axes = StoredValue::new(Axes::new(&DEFAULT_RADII, &DEFAULT_LENGTHS));
        let tiles = memo(move |_| run.with(|cells| axes.with_value(|axes| gap_tiles(cells, axes))));
        // The cell that is read, else the one with the largest ratio.
        let cell = memo(move |_| {
            run.with(|cells| {
                let read = at.get().and_then(|place| axes.with_value(|axes| axes.cell(cells, place).cloned()));
                read.or_else(|| widest(cells).cloned())
            })
        });
        let value =
            move |get: fn(&GapCell) -> Option<f64>| Signal::derive(move || cell.with(|cell| get(cell.as_ref()?)));
        let finding = memo(move |_| run.with(|cells| strings::gap_finding(cells, widest(cells))));
        let read = memo(move |_| match at.get() {
            Some(_) => cell.with(|cell| cell.as_ref().map_or_else(String::new, strings::gap_readout)),
            None => strings::gap_hint().to_owned(),
        });
        let figure = move || {
            let csv = move || run.with_untracked(|cells| gap_table(cells, &all_digits).to_csv());
            let table = move || run.with(|cells| gap_table(cells, &shown));
            view! {
                <div class="lab-figure gap-map">
                    <div class="plot-stage"><TilesCanvas id="gap-plot" tiles at words=finding readout="gap-readout"/></div>
                    <p class="readout" id="gap-readout" data-testid="gap-readout" aria-live="polite">{read}</p>
                    <div class="lab-export">
                        <TableFold id="gap-table" name="lipscope-gap.csv" table csv/>
                        <ExportFold
                            id="export-gap"
                            name="lipscope-gap"
                            canvas="gap-plot"
                            title=strings::gap_heading()
                            figure=move |_: (f64, f64)| exportable(Some(tiles.get_untracked()))
                            csv
                            paper=Paper::Castin
                            source=ExperimentSource::Experiment
                        />
                    </div>
                </div>
            }
        };
        lab_view(run, Vec::new(), LabParts {
            id: "gap",
            plot: Self::PLOT,
            controls: view! { <p class="lab-finding" data-testid="gap-finding">{finding}</p> }.into_any(),
            aside: Some(figure().into_any()),
            facts: view! {
                <dl class="lab-facts">
                    <Fact id="gap-n" name=strings::SMALL_N sign="=" value=value(|cell| Some(cell.n)) written=strings::count/>
                    <Fact id="gap-radius" name=strings::RADIUS sign="=" value=value(|cell| Some(cell.radius)) written=|x| Number::short(x).to_string()/>
                    <Fact id="gap-upper" name=strings::gap_upper() sign="≤" value=value(|cell| of_bound(cell.upper.as_ref()))/>
                    <Fact id="gap-lower" name=strings::gap_lower() sign="≥" value=value(|cell| of_bound(cell.lower.as_ref()))/>
                    <Fact id="gap-ratio" name=strings::gap_ratio() sign="=" value=value(GapCell::ratio)/>
                </dl>
            }
            .into_any(),
            terms: vec![
                (strings::gap_upper(), strings::gap_upper_about()),
                (strings::gap_lower(), strings::gap_lower_about()),
                (strings::gap_ratio(), strings::gap_ratio_about()),
            ],
            paper: Paper::Castin,
            theory: Some(Place::Bound(&SHARP)),
            source: ExperimentSource::Experiment,
        })
    }
}

fn of_bound(bound: Option<&Bound>) -> Option<f64> {
    bound.map(|bound| bound.value.unwrap_or(f64::INFINITY))
}
