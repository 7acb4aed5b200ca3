//! The norm as the tokens are scaled up, for both kernels with the same weights.

use crate::prelude::*;

use crate::answers::Measured;
use crate::charts::{ExperimentSource, role_of};
use crate::page::{Page, PlotChoice, use_page};
use crate::state::{PageState, SCALED_TOKENS, Settings, TokenChoice, WeightChoice};
use crate::strings::{self, Paper};
use crate::theory::Place;
use lipscope_core::bounds::{KIM_L2, Norm};
use lipscope_core::experiment::{Attention, Experiment, Normalization};
use lipscope_core::scaling::{ScaledTokens, ScalingPlan, ScalingPoint, slopes};
use lipscope_plot::{AxisSpec, Extent, Kind, LineChart, Role, Scale, Series, SeriesKind, Table};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

use super::card::{CardPicture, Pictures};
use super::frame::{Fact, LabParts, lab_view};
use super::inputs::LabChoice;
use super::lab::Lab;
use super::plot::{LabPlot, Written, plot_ids};
use crate::query::{Query, Request};

/// Radii per decade.
const TO_A_DECADE: i32 = 8;
/// The radii go from 1 to ten to the power of this.
const DECADES: i32 = 4;

/// The norm as the tokens are scaled up.
pub struct ScalingLab;

impl Lab for ScalingLab {
    const PLOT: PlotChoice = PlotChoice::Scaled;
    type Data = Vec<ScalingPoint>;

    fn request(settings: &Settings, state: &PageState) -> Request {
        match state.tokens {
            TokenChoice::Skew => return Err(strings::scaled_skew()),
            TokenChoice::Clusters => return Err(strings::clusters_have_no_list()),
            _ if state.normalization != Normalization::None => return Err(strings::scaled_normalized()),
            _ => {}
        }
        let radii = (0..=DECADES * TO_A_DECADE).map(|at| 10f64.powf(f64::from(at) / f64::from(TO_A_DECADE))).collect();
        // The engine takes both kernels in turn.
        let experiment = Experiment { attention: Attention::Dot, ..state.experiment() };
        let plan = ScalingPlan { experiment, tokens: settings.scaled, radii, norm: state.norm };
        Ok(vec![EnginePlan::Scaling(plan)])
    }

    fn on_event(run: Query<Self::Data>, _: &EnginePlan, event: EngineEvent) {
        if let EngineEvent::Scaling(points) = event {
            run.fresh(|data| data.extend(points));
        }
    }

    fn begin(page: Page) -> Query<Self::Data> {
        page.answers.scaling
    }

    fn open(page: Page) {
        begin_tied(page);
    }

    fn card(pictures: &Pictures) -> Option<CardPicture> {
        Some(CardPicture::Lines(chart(&pictures.scaling, Norm::Spectral)))
    }

    fn view(run: Query<Self::Data>) -> AnyView {
        let page = use_page();
        let fits = memo(move |_| run.with(|data| slopes(data)));
        let last = memo(move |_| run.with(|data| data.last().copied()));
        let words = move |points: &Vec<ScalingPoint>| {
            strings::scaled_finding(page.norm(), points.last().copied(), slopes(points))
        };
        let read = |points: &Vec<ScalingPoint>, at: Option<f64>| {
            strings::scaled_readout(at.and_then(|x| points.iter().copied().find(|point| point.radius == x)))
        };
        let value =
            move |get: fn(&ScalingPoint) -> f64| Signal::derive(move || last.with(|last| last.as_ref().map(get)));
        // The norm over single tokens is known from above only.
        let sign = Signal::derive(move || if page.norm() == Norm::MaxToken { "≤" } else { "=" });
        let plots = vec![LabPlot::new(
            plot_ids!("scaled"),
            run,
            move |points| {
                let is_measured = page.is_measured();
                let bound = page.answers.measured.with(|measured| {
                    // The bound of an earlier state is about other weights.
                    bound_of(measured.as_deref().filter(|_| is_measured)?, page.norm())
                });
                under_bound(chart(points, page.norm()), bound)
            },
            words,
            read,
            |points, written| table(points, written),
        )];
        lab_view(run, plots, LabParts {
            id: "scaled",
            plot: Self::PLOT,
            controls: view! {
                <div class="lab-head">
                    <p class="lab-finding">
                        {strings::scaled_dot_grows()}
                        <Slope id="scale-slope-dot" slope=Signal::derive(move || fits.get().map(|fits| fits.0.exponent))/>
                        {strings::scaled_l2_grows()}
                        <Slope id="scale-slope-l2" slope=Signal::derive(move || fits.get().map(|fits| fits.1.exponent))/>
                        <span class="note">{strings::scaled_last_decades()}</span>
                    </p>
                    <LabChoice
                        id="scaled-tokens"
                        label=strings::scaled_tokens()
                        all=SCALED_TOKENS
                        words=strings::scaled_choice
                        get=|settings| settings.scaled
                        set=|settings, choice: ScaledTokens| settings.scaled = choice
                    />
                </div>
                <Untied/>
            }
            .into_any(),
            aside: None,
            facts: view! {
                <dl class="lab-facts">
                    <Fact id="scale-radius" name=strings::scaled_at() sign="=" value=value(|point| point.radius)/>
                    <Fact id="scale-dot" name=strings::dot_product() sign=sign value=value(|point| point.dot)/>
                    <Fact id="scale-l2" name=strings::L2 sign=sign value=value(|point| point.l2)/>
                </dl>
            }
            .into_any(),
            terms: vec![(strings::scaled_tokens(), strings::scaled_tokens_about()), (strings::L2, strings::l2_about())],
            paper: Paper::Kim,
            theory: Some(Place::L2),
            source: ExperimentSource::Others,
        })
    }
}

/// An exponent, written as a power of R.
#[component]
fn Slope(
    /// The name of the number for tests and programs.
    id: &'static str,
    /// The exponent of R.
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

/// Where queries and keys differ: a sentence about this, and a button that chooses weights at which they are equal.
#[component]
fn Untied() -> impl IntoView {
    let page = use_page();
    let is_tied = memo(move |_| page.state.with(is_tied));
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
            // With these weights such tokens have one dimension for each head.
            state.heads = 1;
        }
    });
}

/// Chooses weights at which queries and keys are equal, where the reader has not chosen any weights: the lab then opens
/// with the picture that its sentence describes.
pub fn begin_tied(page: Page) {
    let is_first = |state: &PageState| state.weights == PageState::default().weights && !is_tied(state);
    if page.state.with_untracked(is_first) {
        take_kim(page);
    }
}

/// Whether each query equals its key.
fn is_tied(state: &PageState) -> bool {
    match (state.weights, &state.own_weights) {
        (WeightChoice::Kim | WeightChoice::IdentityPlus, _) => true,
        (WeightChoice::Own, Some(own)) => own.heads.iter().all(|head| head.q == head.k),
        _ => false,
    }
}

/// Both norms over R.
pub fn chart(points: &[ScalingPoint], norm: Norm) -> LineChart {
    let of =
        |read: fn(&ScalingPoint) -> f64| points.iter().map(|point| (point.radius, read(point))).collect::<Vec<_>>();
    let (dot, l2) = (of(|point| point.dot), of(|point| point.l2));
    let mut guide = Series::new("slope-2", strings::slope_2(), Role::Reference, SeriesKind::Line, guide(&dot));
    guide.opacity = 0.8;
    let series = vec![
        guide,
        Series::new("dot", strings::dot_product(), Role::Measured, SeriesKind::Line, dot.clone()),
        Series::new("dot-points", "", Role::Measured, SeriesKind::Points, dot),
        Series::new("l2", strings::L2, Role::Measured, SeriesKind::Line, l2.clone()),
        Series::new("l2-points", "", Role::Measured, SeriesKind::Hollow, l2),
    ];
    LineChart::new(
        AxisSpec::new(strings::scaled_x(), Scale::Log).range(Extent::new(1.0, 1e4)),
        AxisSpec::new(strings::norm_axis(norm), Scale::Log),
        series,
    )
}

/// The bound on L2 attention on the whole space, if it is known and about this norm.
fn bound_of(measured: &Measured, norm: Norm) -> Option<f64> {
    let bounds = &measured.measurement.bounds;
    bounds.iter().find(|bound| bound.id == &KIM_L2 && bound.id.is_about(norm))?.value
}

/// The chart with the bound for all R as a line.
fn under_bound(mut chart: LineChart, bound: Option<f64>) -> LineChart {
    if let (Some(bound), Some(radii)) = (bound, chart.x_extent()) {
        let line = vec![(radii.lo(), bound), (radii.hi(), bound)];
        let name = strings::bound_label(&KIM_L2);
        let series = Series::new(KIM_L2.id(), name, role_of(&KIM_L2), SeriesKind::Line, line);
        chart.series.push(series.claim(Kind::UpperBound));
    }
    chart
}

/// A line of slope two over the last two decades of R. At the last R it is three times the norm of dot-product
/// attention.
fn guide(dot: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const ABOVE: f64 = 3.0;
    let Some(&(radius, norm)) = dot.last() else { return Vec::new() };
    dot.iter()
        .filter(|point| point.0 >= 0.01 * radius)
        .map(|point| (point.0, ABOVE * norm * (point.0 / radius) * (point.0 / radius)))
        .collect()
}

fn table(points: &[ScalingPoint], written: Written<'_>) -> Table {
    let row = |point: &ScalingPoint| [point.radius, point.dot, point.l2].map(|x| written(x, Kind::Plain)).to_vec();
    Table { header: strings::scaled_columns().map(String::from).to_vec(), rows: points.iter().map(row).collect() }
}
