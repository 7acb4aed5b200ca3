//! Estimators of the spectral norm, tried on one Jacobian.

use leptos::prelude::*;

use crate::charts::Twin;
use crate::page::{PlotChoice, use_page};
use crate::strings;
use lipscope_core::estimators::{EstimatorPoint, Stop};
use lipscope_plot::Number;

use super::chart::LabChart;
use super::estimators_chart::{estimators_chart, estimators_table, stopped};
use super::estimators_controls::EstimatorControls;
use super::progress::LabProgress;

/// The view of the estimators.
#[component]
pub fn EstimatorLab() -> impl IntoView {
    let page = use_page();
    let run = page.labs.estimators;
    let at = RwSignal::new(None::<f64>);
    let phase = Memo::new(move |_| run.with(|run| run.phase.clone()));
    let progress = Memo::new(move |_| run.with(|run| (run.data.len(), 0)));
    let shown = Memo::new(move |_| page.labs.settings.with(|settings| settings.estimators.shown));
    let chart = Memo::new(move |_| run.with(|run| estimators_chart(&run.data, &run.phase, shown.get())));
    let words = Memo::new(move |_| run.with(|run| strings::estimators_finding(&stopped(&run.data))));
    let read = move || run.with(|run| strings::estimators_readout(&run.data, at.get()));
    let ends = move || run.with(|run| stopped(&run.data).into_iter().map(Ending::of).map(row).collect_view());
    let is_hidden = move || page.plot.get() != PlotChoice::EstimatorComparison;
    view! {
        <div class="lab" hidden=is_hidden data-testid="court-lab">
            <EstimatorControls/>
            <div class="plot-stage"><LabChart id="court-plot" chart at words readout="court-readout"/></div>
            <p class="readout" id="court-readout" aria-live="polite">{read}</p>
            <div class="court-ends" tabindex="0" role="region" aria-label=strings::estimators_ends()>
                <table>
                    <thead>
                        <tr>{strings::estimators_ends_columns().map(|name| view! { <th scope="col">{name}</th> }).collect_view()}</tr>
                    </thead>
                    <tbody>{ends}</tbody>
                </table>
            </div>
            <div class="lab-foot">
                <LabProgress id="court" phase progress/>
                <Twin
                    id="court-table"
                    name="lipscope-court.csv"
                    table=move || run.with(|run| estimators_table(&run.data, |x| Number::of(x).to_string()))
                    csv=move || run.with_untracked(|run| estimators_table(&run.data, |x| x.to_string()).to_csv())
                />
            </div>
        </div>
    }
}

/// A row of the table of ends.
struct Ending {
    id: &'static str,
    name: String,
    point: EstimatorPoint,
}

impl Ending {
    fn of((point, stop): (&EstimatorPoint, Option<Stop>)) -> Self {
        let id = match stop {
            None => "dense",
            Some(stop) => strings::stop_id(point.estimator, stop),
        };
        Ending { id, name: strings::stop_name(point.estimator, stop), point: point.clone() }
    }
}

fn row(ending: Ending) -> impl IntoView {
    let Ending { id, name, point } = ending;
    let cell = move |what: &'static str, text: String, exact: String| {
        view! { <td data-testid=format!("court-{id}-{what}") data-value=exact.clone() title=exact>{text}</td> }
    };
    let sign = strings::claim(point.is_converged());
    let value = format!("{sign} {}", Number::of(point.value));
    view! {
        <tr data-testid=format!("court-{id}")>
            <th scope="row">{name}</th>
            {cell("value", value, point.value.to_string())}
            {cell("error", Number::rough(point.error).to_string(), point.error.to_string())}
            {cell("products", point.products.to_string(), point.products.to_string())}
            {cell("milliseconds", strings::milliseconds(point.milliseconds).to_string(), point.milliseconds.to_string())}
        </tr>
    }
}
