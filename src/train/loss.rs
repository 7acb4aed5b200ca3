//! The held-out loss of every run against the step.

use crate::prelude::*;

use super::figure::{FigureIds, LINES, TrainFigure};
use super::session::TrainingSession;
use crate::answers::TrainRun;
use crate::strings;
use lipscope_plot::{AxisSpec, Extent, LineChart, Role, Scale, Series, SeriesKind};

/// The figure of the losses.
#[component]
pub fn LossFigure(
    /// The form of training, with its runs.
    session: TrainingSession,
) -> impl IntoView {
    let chart = memo(move |_| {
        let chosen = session.chosen.get();
        session.runs.with(|runs| loss_chart(runs, chosen))
    });
    let words = memo(move |_| session.runs.with(|runs| strings::train_loss_finding(runs)));
    let ids = FigureIds {
        canvas: "train-loss",
        readout: "train-loss-readout",
        table: "train-loss-table",
        export: "export-train-loss",
        file: "lipscope-train-loss",
        csv: "lipscope-train-loss.csv",
    };
    view! {
        <section class="model-figure" aria-labelledby="train-loss-heading">
            <h3 id="train-loss-heading">{strings::train_loss_heading()}</h3>
            <TrainFigure ids title=strings::train_loss_heading() x_name=strings::train_step() chart words/>
        </section>
    }
}

/// Every run by its kind, the chosen run in the accent colour, and the loss of guessing without a model.
fn loss_chart(runs: &[TrainRun], chosen: Option<u64>) -> LineChart {
    let last = runs.iter().map(|run| run.plan.steps).max().unwrap_or(1) as f64;
    let mut series = Vec::new();
    if let Some(facts) = runs.iter().find_map(|run| run.facts) {
        let guess = (facts.vocabulary as f64).ln();
        let data = vec![(0.0, guess), (last, guess)];
        series.push(Series::new("guess", strings::train_guess(), Role::Reference, SeriesKind::Line, data));
    }
    let of_run = |(at, run): (usize, &TrainRun)| {
        let role = if Some(run.number) == chosen { Role::Selected } else { Role::Measured };
        let data: Vec<(f64, f64)> =
            run.measured.iter().map(|(measured, _)| (measured.step as f64, measured.held_out)).collect();
        let line = Series::new(run.plan.kind.id(), strings::train_kind(run.plan.kind), role, SeriesKind::Line, data);
        // There are nine kinds and four line patterns, so the curves after the fourth also have rings, and the ninth dots.
        let mark = [None, Some(SeriesKind::Hollow), Some(SeriesKind::Points)][(at / LINES.len()).min(2)];
        let data = line.data.clone();
        let marks = mark.map(|mark| Series::new(format!("{}-points", run.plan.kind.id()), "", role, mark, data));
        std::iter::once(line.line(LINES[at % LINES.len()])).chain(marks)
    };
    series.extend(runs.iter().enumerate().flat_map(of_run));
    let x = AxisSpec::new(strings::train_step(), Scale::Linear).whole().range(Extent::new(0.0, last));
    let mut chart = LineChart::new(x, AxisSpec::new(strings::train_loss_axis(), Scale::Linear), series);
    chart.note = strings::train_waiting().into();
    chart
}
