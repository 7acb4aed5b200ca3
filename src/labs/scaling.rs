//! The norm as the tokens are scaled up, for both kernels with the same weights.

use leptos::prelude::*;

use crate::charts::{Behind, Take, Twin};
use crate::controls::Choice;
use crate::page::{Page, PlotChoice, use_page};
use crate::state::{PageState, SCALED_TOKENS, TokenChoice, WeightChoice};
use crate::strings::{self, Paper};
use lipscope_core::bounds::Norm;
use lipscope_core::scaling::{ScalingPoint, slopes};
use lipscope_plot::{AxisSpec, Extent, LineChart, Number, Role, Scale, Series, SeriesKind, Table};

use super::chart::LabChart;
use super::progress::LabProgress;
use super::run::Phase;

/// The view of scaled tokens.
#[component]
pub fn ScalingLab() -> impl IntoView {
    let page = use_page();
    let run = page.labs.scaling;
    let at = RwSignal::new(None::<f64>);
    let norm = Memo::new(move |_| page.norm());
    let phase = Memo::new(move |_| run.with(|run| run.phase.clone()));
    let progress = Memo::new(move |_| run.with(|run| run.progress));
    let chart = Memo::new(move |_| run.with(|run| chart(&run.data, &run.phase, norm.get())));
    let fits = Memo::new(move |_| run.with(|run| slopes(&run.data)));
    let last = Memo::new(move |_| run.with(|run| run.data.last().copied()));
    let words = Memo::new(move |_| strings::scaled_finding(norm.get(), last.get(), fits.get()));
    let read = move || run.with(|run| strings::scaled_readout(at.get().and_then(|x| point_at(&run.data, x))));
    let chosen = Signal::derive(move || {
        let now = page.labs.settings.with(|settings| settings.scaled);
        SCALED_TOKENS.iter().find(|(_, choice)| *choice == now).map_or("zero", |(id, _)| *id)
    });
    let on_pick = move |id: String| {
        if let Some((_, choice)) = SCALED_TOKENS.iter().find(|(known, _)| *known == id) {
            page.labs.settings.update(|settings| settings.scaled = *choice);
        }
    };
    let options =
        Signal::stored(SCALED_TOKENS.iter().map(|(id, choice)| (*id, strings::scaled_choice(*choice))).collect());
    let is_hidden = move || page.plot.get() != PlotChoice::Scaled;
    let csv = move || run.with_untracked(|run| table(&run.data, |x| x.to_string()).to_csv());
    view! {
        <div class="lab" hidden=is_hidden data-testid="scaled-lab">
            <div class="lab-head">
                <p class="lab-finding">
                    {strings::scaled_dot_grows()}
                    <Slope id="scale-slope-dot" slope=Signal::derive(move || fits.get().map(|fits| fits.0.exponent))/>
                    {strings::scaled_l2_grows()}
                    <Slope id="scale-slope-l2" slope=Signal::derive(move || fits.get().map(|fits| fits.1.exponent))/>
                    <span class="note">{strings::scaled_last_decades()}</span>
                </p>
                <Choice id="scaled-tokens" label=strings::scaled_tokens() options chosen on_pick=Callback::new(on_pick)/>
            </div>
            <Untied/>
            <div class="plot-stage">
                <LabChart id="scaled-plot" chart at words readout="scaled-readout"/>
            </div>
            <dl class="lab-facts">
                <Fact id="scale-radius" name=strings::scaled_at() sign="=" value=Signal::derive(move || last.get().map(|point| point.radius))/>
                <Fact id="scale-dot" name=strings::dot_product() sign="=" value=Signal::derive(move || last.get().map(|point| point.dot))/>
                <Fact id="scale-l2" name=strings::L2 sign="=" value=Signal::derive(move || last.get().map(|point| point.l2))/>
            </dl>
            <p class="readout" id="scaled-readout" aria-live="polite">{read}</p>
            <div class="lab-foot">
                <LabProgress id="scaled" phase progress/>
                <Twin
                    id="scaled-table"
                    name="lipscope-scaled.csv"
                    table=move || run.with(|run| table(&run.data, |x| Number::of(x).to_string()))
                    csv
                />
                <Take
                    id="take-scaled"
                    name="lipscope-scaled"
                    canvas="scaled-plot"
                    title=strings::scaled_heading()
                    figure=move |_| Some(chart.get_untracked())
                    csv
                    paper=Paper::Kim
                    behind=Behind::Others
                />
            </div>
        </div>
    }
}

/// An exponent, written as a power of R.
#[component]
fn Slope(
    /// Names it for programs.
    id: &'static str,
    /// The exponent.
    slope: Signal<Option<f64>>,
) -> impl IntoView {
    view! {
        <span class="power">
            "R"<sup data-testid=id data-value=move || slope.get().map_or_else(String::new, |x| x.to_string())>
                {move || slope.get().map_or_else(|| strings::NONE_YET.into(), strings::power)}
            </sup>
        </span>
    }
}

/// A name and its number; the sign says what the number claims.
#[component]
pub fn Fact(
    /// Names it for programs.
    #[prop(into)]
    id: String,
    /// Names it for people.
    #[prop(into)]
    name: Signal<&'static str>,
    /// =, ≥ or ≤.
    #[prop(into)]
    sign: Signal<&'static str>,
    /// The number.
    value: Signal<Option<f64>>,
    /// How it is written.
    #[prop(default = measured)]
    written: fn(f64) -> String,
) -> impl IntoView {
    let exact = move || value.get().map_or_else(String::new, |x| x.to_string());
    view! {
        <div>
            <dt>{move || name.get()}</dt>
            <dd>
                <span class="sign">{move || sign.get()}</span>
                <span class="value" data-testid=id data-value=exact title=exact>
                    {move || value.get().map_or_else(|| strings::NONE_YET.into(), written)}
                </span>
            </dd>
        </div>
    }
}

/// As measured numbers are written.
fn measured(x: f64) -> String {
    Number::of(x).to_string()
}

/// Where queries and keys differ, a sentence about it and a button.
#[component]
fn Untied() -> impl IntoView {
    let page = use_page();
    let is_tied = Memo::new(move |_| page.state.with(is_tied));
    view! {
        <p class="lab-note" data-testid="scaled-untied" hidden=move || is_tied.get()>
            {strings::scaled_untied()}
            <button type="button" id="scaled-take-kim" on:click=move |_| take_kim(page)>{strings::take_kim()}</button>
        </p>
    }
}

fn take_kim(page: Page) {
    page.edit("weights", |state| {
        state.choose_weights(WeightChoice::Kim);
        if matches!(state.tokens, TokenChoice::Adversarial | TokenChoice::Skew) {
            // One head has one dimension then.
            state.heads = 1;
        }
    });
}

/// Whether each query is its key.
fn is_tied(state: &PageState) -> bool {
    match (state.weights, &state.own_weights) {
        (WeightChoice::Kim | WeightChoice::IdentityPlus, _) => true,
        (WeightChoice::Own, Some(own)) => own.0.heads.iter().all(|head| head.q == head.k),
        _ => false,
    }
}

fn point_at(points: &[ScalingPoint], radius: f64) -> Option<ScalingPoint> {
    points.iter().copied().find(|point| point.radius == radius)
}

fn chart(points: &[ScalingPoint], phase: &Phase, norm: Norm) -> LineChart {
    let of =
        |read: fn(&ScalingPoint) -> f64| points.iter().map(|point| (point.radius, read(point))).collect::<Vec<_>>();
    let (dot, l2) = (of(|point| point.dot), of(|point| point.l2));
    let mut guide = Series::new("slope-2", strings::slope_2(), Role::Measured, SeriesKind::Line, guide(&dot));
    guide.opacity = 0.4;
    let series = vec![
        guide,
        Series::new("dot", strings::dot_product(), Role::Measured, SeriesKind::Line, dot.clone()),
        Series::new("dot-points", "", Role::Measured, SeriesKind::Points, dot),
        Series::new("l2", strings::L2, Role::Measured, SeriesKind::Line, l2.clone()),
        Series::new("l2-points", "", Role::Measured, SeriesKind::Hollow, l2),
    ];
    let mut chart = LineChart::new(
        AxisSpec::new(strings::scaled_x(), Scale::Log).range(Extent::new(1.0, 1e4)),
        AxisSpec::new(strings::norm_axis(norm), Scale::Log),
        series,
    );
    chart.note = strings::lab_note(phase);
    chart
}

/// The slope of two, through the last point of the dot product and a little above it.
fn guide(dot: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const ABOVE: f64 = 3.0;
    let Some(&(radius, norm)) = dot.last() else { return Vec::new() };
    dot.iter()
        .filter(|point| point.0 >= 0.01 * radius)
        .map(|point| (point.0, ABOVE * norm * (point.0 / radius) * (point.0 / radius)))
        .collect()
}

fn table(points: &[ScalingPoint], written: impl Fn(f64) -> String) -> Table {
    let row = |point: &ScalingPoint| [point.radius, point.dot, point.l2].map(&written).to_vec();
    Table { header: strings::scaled_columns().map(String::from).to_vec(), rows: points.iter().map(row).collect() }
}
