//! The local Lipschitz constant of every layer's attention against the step, with its bound, for the chosen run.

use crate::prelude::*;

use super::figure::{FigureIds, LINES, TrainFigure};
use super::session::TrainingSession;
use crate::answers::TrainRun;
use crate::strings;
use lipscope_plot::{AxisSpec, Extent, LineChart, Role, Scale, Series, SeriesKind};

/// The figure of the constants.
#[component]
pub fn ConstantsFigure(
    /// The form of training, with its runs.
    session: TrainingSession,
) -> impl IntoView {
    let chart = memo(move |_| session.with_chosen(constants_chart).unwrap_or_else(empty));
    let words = memo(move |_| session.with_chosen(strings::train_constants_finding).unwrap_or_default());
    let ids = FigureIds {
        canvas: "train-constants",
        readout: "train-constants-readout",
        table: "train-constants-table",
        export: "export-train-constants",
        file: "lipscope-train-constants",
        csv: "lipscope-train-constants.csv",
    };
    let heading = move || {
        let kind = session.with_chosen(|run| strings::train_kind(run.plan.kind));
        kind.map_or_else(|| strings::train_constants_heading().to_owned(), strings::train_constants_of)
    };
    let contraction = move || session.with_chosen(strings::train_linf).unwrap_or_default();
    view! {
        <section class="model-figure" aria-labelledby="train-constants-heading">
            <h3 id="train-constants-heading">{heading}</h3>
            <p class="note">{strings::train_constants_note()} {strings::between_sentences()} {contraction}</p>
            <TrainFigure ids title=strings::train_constants_heading() x_name=strings::train_step() chart words/>
        </section>
    }
}

fn constants_chart(run: &TrainRun) -> LineChart {
    let curve = |read: fn(&lipscope_protocol::train::LayerRow) -> f64, layer: usize| -> Vec<(f64, f64)> {
        let rows = run.measured.iter();
        rows.filter_map(|(measured, _)| Some((measured.step as f64, read(measured.layers.get(layer)?)))).collect()
    };
    let layers = 0..run.plan.blocks;
    let bound = |layer: usize| {
        let data = curve(|row| row.bound, layer);
        Series::new(format!("bound-{layer}"), strings::train_bound(layer), Role::Local, SeriesKind::Line, data)
            .line(LINES[(layer + 2) % LINES.len()])
    };
    let norm = |layer: usize| {
        let data = curve(|row| row.norm, layer);
        Series::new(format!("norm-{layer}"), strings::train_norm(layer), Role::Measured, SeriesKind::Line, data)
            .line(LINES[layer % LINES.len()])
    };
    let series = layers.clone().map(norm).chain(layers.map(bound)).collect();
    LineChart { series, ..axes(run.plan.steps as f64) }
}

fn empty() -> LineChart {
    axes(1.0)
}

fn axes(last: f64) -> LineChart {
    let x = AxisSpec::new(strings::train_step(), Scale::Linear).whole().range(Extent::new(0.0, last));
    let mut chart = LineChart::new(x, AxisSpec::new(strings::train_constants_axis(), Scale::Log), Vec::new());
    chart.note = strings::train_waiting().into();
    chart
}
