//! Estimators of the spectral norm, tried on one Jacobian.

use crate::prelude::*;

use crate::charts::ExperimentSource;
use crate::field::Field;
use crate::page::{PlotChoice, use_page};
use crate::state::{EstimatorQuantity, EstimatorSettings, PageState, Settings};
use crate::strings::{self, Paper};
use lipscope_core::estimators::{EstimatorPlan, EstimatorPoint, Preset, Stop};
use lipscope_plot::Number;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

use super::card::{CardPicture, Pictures};
use super::estimators_chart::{estimators_chart, estimators_table, stopped};
use super::frame::{LabParts, lab_view};
use super::inputs::{LabChoice, LabNumber};
use super::lab::Lab;
use super::plot::{LabPlot, plot_ids};
use crate::query::{Query, Request};

/// Estimators of the spectral norm on one Jacobian.
pub struct EstimatorLab;

impl Lab for EstimatorLab {
    const PLOT: PlotChoice = PlotChoice::EstimatorComparison;
    type Data = Vec<EstimatorPoint>;

    fn request(settings: &Settings, state: &PageState) -> Request {
        let EstimatorSettings { trial, tolerance, .. } = settings.estimators;
        let experiment = trial.map_or_else(|| state.experiment(), Preset::experiment);
        Ok(vec![EnginePlan::Estimators(EstimatorPlan { experiment, tolerance })])
    }

    fn on_event(run: Query<Self::Data>, _: &EnginePlan, event: EngineEvent) {
        if let EngineEvent::Estimators(points) = event {
            run.fresh(|data| data.extend(points));
        }
    }

    fn card(pictures: &Pictures) -> Option<CardPicture> {
        Some(CardPicture::Lines(estimators_chart(&pictures.estimators, EstimatorQuantity::Error)))
    }

    fn view(run: Query<Self::Data>) -> AnyView {
        let settings = use_page().settings;
        let shown = memo(move |_| settings.with(|settings| settings.estimators.shown));
        let trial = memo(move |_| settings.with(|settings| settings.estimators.trial));
        let ends = move || run.with(|data| stopped(data).into_iter().map(row).collect_view());
        let plots = vec![LabPlot::new(
            plot_ids!("estimators"),
            run,
            move |points| estimators_chart(points, shown.get()),
            |points| strings::estimators_finding(&stopped(points)),
            |points, at| strings::estimators_readout(points, at),
            |points, written| estimators_table(points, written),
        )];
        lab_view(run, plots, LabParts {
            id: "estimators",
            plot: Self::PLOT,
            controls: view! {
                <div class="lab-head">
                    <LabChoice
                        id="estimators-trial"
                        label=strings::trial_text()
                        all=EstimatorSettings::TRIALS
                        words=strings::trial
                        get=|settings| settings.estimators.trial
                        set=|settings, trial| settings.estimators.trial = trial
                    />
                    <LabChoice
                        id="estimators-shown"
                        label=strings::estimators_shows()
                        all=EstimatorQuantity::ALL
                        words=|shown| strings::estimators_shown(shown).to_owned()
                        get=|settings| settings.estimators.shown
                        set=|settings, shown| settings.estimators.shown = shown
                    />
                    <LabNumber field=Field::TOLERANCE/>
                </div>
                <p class="lab-finding" data-testid="estimators-about">{move || strings::trial_about(trial.get())}</p>
            }
            .into_any(),
            aside: None,
            facts: view! {
                <div class="estimators-ends" tabindex="0" role="region" aria-label=strings::estimators_ends()>
                    <table>
                        <thead>
                            <tr>{strings::estimators_ends_columns().map(|name| view! { <th scope="col">{name}</th> }).collect_view()}</tr>
                        </thead>
                        <tbody>{ends}</tbody>
                    </table>
                </div>
            }
            .into_any(),
            terms: vec![
                Field::TOLERANCE.meaning(),
                (strings::LANCZOS, strings::lanczos_about()),
                (strings::power_text(), strings::power_about()),
            ],
            paper: Paper::Castin,
            theory: None,
            source: ExperimentSource::Others,
        })
    }
}

/// A row of the table of results.
fn row((point, stop): (&EstimatorPoint, Option<Stop>)) -> impl IntoView + use<> {
    let id = stop.map_or("dense", |stop| strings::stop_id(point.estimator, stop));
    let value = Number::known(point.value, strings::claimed_kind(point.is_converged())).to_string();
    let cells = [
        ("value", value, point.value.to_string()),
        ("error", Number::rough(point.error).to_string(), point.error.to_string()),
        ("products", point.products.to_string(), point.products.to_string()),
        ("milliseconds", strings::milliseconds(point.milliseconds).to_string(), point.milliseconds.to_string()),
    ];
    let cell = move |(what, text, exact): (&str, String, String)| {
        view! { <td data-testid=format!("estimators-{id}-{what}") data-value=exact.clone() title=exact>{text}</td> }
    };
    view! {
        <tr data-testid=format!("estimators-{id}")>
            <th scope="row">{strings::stop_name(point.estimator, stop)}</th>
            {cells.map(cell).collect_view()}
        </tr>
    }
}
