//! The chosen model run backwards: from the tokens that leave it to the characters, by a fixed point for each branch.

use crate::prelude::*;

use super::figure::{FigureIds, LINES, TrainFigure};
use super::session::TrainingSession;
use crate::answers::Backwards;
use crate::strings;
use lipscope_plot::{AxisSpec, Extent, LineChart, Number, Role, Scale, Series, SeriesKind};
use lipscope_protocol::train::BranchRow;

/// Errors below this are rounding; the axis begins here.
const LEAST: f64 = 1e-16;

/// The button, the sentence, the table of branches, the text that came back, and the error against the iteration.
#[component]
pub fn BackwardsFigure(
    /// The form of training, with its runs.
    session: TrainingSession,
) -> impl IntoView {
    let backwards = memo(move |_| session.with_chosen(|run| run.backwards.clone()).unwrap_or_default());
    let can_run =
        move || session.with_chosen(|run| run.saved.is_some() && !run.backwards.is_running).unwrap_or_default();
    let about = move || session.with_chosen(|run| strings::train_backwards_about(run.plan.kind));
    let has_rows = memo(move |_| backwards.with(|backwards| !backwards.windows.is_empty()));
    let finding = move || backwards.with(strings::train_backwards_finding);
    let (recovered, characters) = (count(backwards, |row| row.recovered), count(backwards, |row| row.characters));
    let chart = memo(move |_| backwards.with(error_chart));
    let ids = FigureIds {
        canvas: "train-backwards",
        readout: "train-backwards-readout",
        table: "train-backwards-table",
        export: "export-train-backwards",
        file: "lipscope-train-backwards",
        csv: "lipscope-train-backwards.csv",
    };
    view! {
        <section class="model-figure" aria-labelledby="train-backwards-heading">
            <h3 id="train-backwards-heading">{strings::train_backwards_heading()}</h3>
            <p class="note">{about}</p>
            <div class="model-tools">
                <button type="button" id="train-backwards-run" disabled=move || !can_run() on:click=move |_| session.run_backwards()>
                    {strings::train_backwards_run()}
                </button>
                <span role="status" data-testid="train-backwards-finding" data-recovered=recovered data-characters=characters data-running=move || backwards.with(|backwards| backwards.is_running.to_string())>
                    {finding}
                </span>
            </div>
            <div class="train-backwards" hidden=move || !has_rows.get()>
                <div class="table-fold-rows train-branches" tabindex="0" role="group" aria-label=strings::train_branches()>
                    <table>
                        <thead><tr>{strings::train_branch_columns().map(|name| view! { <th scope="col">{name}</th> }).collect_view()}</tr></thead>
                        <tbody>{move || backwards.with(branches)}</tbody>
                    </table>
                </div>
                {move || backwards.with(texts)}
                <TrainFigure ids title=strings::train_backwards_heading() x_name=strings::train_iteration() chart words=Signal::stored(strings::train_error_note().to_owned())/>
            </div>
        </section>
    }
}

fn count(
    backwards: Memo<Backwards>,
    read: fn(&lipscope_protocol::train::WindowRow) -> usize,
) -> impl Fn() -> usize + Copy {
    move || backwards.with(|backwards| backwards.windows.iter().map(read).sum())
}

/// A row for each branch of the first window.
fn branches(backwards: &Backwards) -> impl IntoView + use<> {
    let rows = backwards.windows.first().map(|window| window.branches.clone()).unwrap_or_default();
    let row = |row: BranchRow| {
        let rate = |rate: Option<f64>| rate.map_or_else(|| "–".to_owned(), |rate| Number::of(rate).to_string());
        let last = row.errors.last().map_or_else(String::new, |error| Number::of(*error).to_string());
        let cells = [
            strings::train_branch(row.branch, row.layer),
            row.contraction.map_or_else(|| strings::train_no_promise().to_owned(), |c| format!("≤ {c}")),
            rate(row.rate),
            row.errors.len().to_string(),
            strings::train_outcome(row.outcome).to_owned(),
            last,
        ];
        view! { <tr>{cells.map(|cell| view! { <td>{cell}</td> }).collect_view()}</tr> }
    };
    rows.into_iter().map(row).collect_view()
}

/// The first window's text, and what came back of it.
fn texts(backwards: &Backwards) -> impl IntoView + use<> {
    backwards.windows.first().cloned().map(|window| {
        let found = window.found.unwrap_or_else(|| strings::train_nothing_back().to_owned());
        view! {
            <dl class="train-texts">
                <dt>{strings::train_text_in()}</dt>
                <dd>{window.text}</dd>
                <dt>{strings::train_text_back()}</dt>
                <dd>{found}</dd>
            </dl>
        }
    })
}

/// The error of each branch of the first window against the iteration.
fn error_chart(backwards: &Backwards) -> LineChart {
    let branches = backwards.windows.first().map(|window| window.branches.as_slice()).unwrap_or_default();
    let curve = |(at, row): (usize, &BranchRow)| {
        let data = row.errors.iter().enumerate().map(|(iteration, error)| (iteration as f64, *error)).collect();
        Series::new(
            format!("branch-{at}"),
            strings::train_branch(row.branch, row.layer),
            Role::Measured,
            SeriesKind::Line,
            data,
        )
        .line(LINES[at % LINES.len()])
    };
    let series = branches.iter().enumerate().map(curve).collect();
    let last = branches.iter().map(|row| row.errors.len()).max().unwrap_or(1).max(2) - 1;
    let x = AxisSpec::new(strings::train_iteration(), Scale::Linear).whole().range(Extent::new(0.0, last as f64));
    let mut chart = LineChart::new(x, AxisSpec::new(strings::train_error_axis(), Scale::Log), series);
    let shown = chart.y_extent().and_then(|extent| Extent::new(extent.lo().max(LEAST), extent.hi()));
    chart.y.range = shown.map(|extent| extent.nice(Scale::Log));
    chart
}
