//! The inverse of attention with a skip: L2 multi-head attention and dot-product attention, side by side.

use crate::prelude::*;

use crate::charts::ExperimentSource;
use crate::page::{Page, PlotChoice, use_page};
use crate::state::{DotWeights, InverseSettings, LabTokens, PageState, Settings, TokenChoice};
use crate::strings::{self, Paper};
use crate::theory::Place;
use lipscope_core::experiment::{
    Attention, Distribution, Experiment, Mask, Normalization, RandomTokens, Rows, TokenSource, WeightSource,
};
use lipscope_core::inverse::{InversePlan, InverseStep, Outcome};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

use super::card::{CardPicture, Pictures};
use super::frame::{Fact, LabParts, lab_view};
use super::inverse_chart::{error_chart, table};
use super::inverse_controls::{InverseControls, shared_weights};
use super::lab::Lab;
use super::plane::{GRID_SIDE, Plane};
use super::player::{Frame, IterationPlayer, use_frame};
use super::plot::{LabPlot, plot_ids};
use crate::answers::{Pair, Side, Which};
use crate::query::{Query, Request};

/// The most iterations: at c = 0.9 the slowest inverse that converges takes about 350.
const ITERATIONS: usize = 600;

/// The tokens of a square grid around the origin, row by row. Its side is `2 half`.
fn grid(half: f64) -> Option<Rows> {
    let place = |at: usize| half * (2.0 * at as f64 / (GRID_SIDE - 1) as f64 - 1.0);
    let entries = (0..GRID_SIDE * GRID_SIDE).flat_map(|at| [place(at % GRID_SIDE), place(at / GRID_SIDE)]);
    Rows::new("The grid", 2, entries.collect()).ok()
}

/// The inverses of L2 and dot-product attention with a skip.
pub struct InverseLab;

impl Lab for InverseLab {
    const PLOT: PlotChoice = PlotChoice::Inverse;
    type Data = Pair;

    fn request(settings: &Settings, state: &PageState) -> Request {
        let InverseSettings { n, d, radius, seed, fraction, tokens, dot_weights } = settings.inverse;
        let tokens = match tokens {
            LabTokens::Drawn => {
                TokenSource::Random(RandomTokens { distribution: Distribution::Ball, n, d, radius, seed })
            }
            LabTokens::Grid => TokenSource::Explicit(grid(radius).ok_or(strings::inverse_no_tokens())?),
            LabTokens::Page => match state.tokens {
                TokenChoice::Distribution(_) | TokenChoice::Own => state.experiment().tokens,
                _ => return Err(strings::inverse_no_tokens()),
            },
        };
        let shared = shared_weights(&settings.inverse, state);
        let dot_weights = match dot_weights {
            DotWeights::Same => shared.clone(),
            DotWeights::IdentityPlus => WeightSource::Identity { sign: 1.0 },
            DotWeights::IdentityMinus => WeightSource::Identity { sign: -1.0 },
        };
        let plan = |attention, weights| {
            let experiment = Experiment {
                attention,
                mask: Mask::None,
                normalization: Normalization::None,
                tokens: tokens.clone(),
                weights: Some(weights),
                ..state.experiment()
            };
            EnginePlan::Inverse(InversePlan { experiment, fraction, max_iterations: ITERATIONS })
        };
        Ok(vec![plan(Attention::L2, shared), plan(Attention::Dot, dot_weights)])
    }

    fn begin(page: Page) -> Query<Self::Data> {
        provide_context(Frame::default());
        page.answers.inverse
    }

    /// Each side of the pair keeps its earlier inverse until the new one begins.
    fn on_event(run: Query<Self::Data>, plan: &EnginePlan, event: EngineEvent) {
        if let (EnginePlan::Inverse(plan), EngineEvent::Inverse(event)) = (plan, event) {
            run.renewed(|pair| pair.side(plan.experiment.attention).take(event));
        }
    }

    fn on_failure(run: Query<Self::Data>, plan: &EnginePlan) {
        if let EnginePlan::Inverse(plan) = plan {
            run.renewed(|pair| *pair.side(plan.experiment.attention) = Side::default());
        }
    }

    fn card(pictures: &Pictures) -> Option<CardPicture> {
        let side =
            |steps: &[InverseStep], outcome| Side { steps: steps.to_vec(), outcome: Some(outcome), ..Side::default() };
        let l2 = side(&pictures.inverse_l2, Outcome::Converged);
        let dot = side(&pictures.inverse_dot, Outcome::Stalled);
        Some(CardPicture::Lines(error_chart(&Pair { l2, dot }, 0)))
    }

    /// With the settings of its card, unless the reader has changed its settings.
    fn open(page: Page) {
        let settings = page.settings;
        if settings.with_untracked(|now| now.inverse == InverseSettings::default()) {
            settings.update(|settings| settings.inverse = InverseSettings::where_dot_fails());
        }
    }

    fn view(run: Query<Self::Data>) -> AnyView {
        let Frame(frame) = use_frame();
        let read = move |pair: &Pair, at: Option<f64>| {
            let iteration = at.map_or_else(|| frame.get(), |x| x as usize);
            strings::inverse_readout(iteration, &pair.l2, &pair.dot)
        };
        let plots = vec![LabPlot::new(
            plot_ids!("inverse"),
            run,
            move |pair| error_chart(pair, frame.get()),
            |pair| strings::inverse_finding(&pair.l2, &pair.dot),
            read,
            |pair, written| table(pair, written),
        )];
        lab_view(
            run,
            plots,
            LabParts {
                id: "inverse",
                plot: Self::PLOT,
                controls: view! { <InverseControls/> }.into_any(),
                aside: Some(
                    view! {
                        <div class="lab-planes">
                            <Ending which=Which::L2/>
                            <Ending which=Which::Dot/>
                            <Plane which=Which::L2/>
                            <Plane which=Which::Dot/>
                            <IterationPlayer/>
                        </div>
                    }
                    .into_any(),
                ),
                facts: ().into_any(),
                terms: vec![
                    (strings::FRACTION, strings::fraction_hint()),
                    (strings::where_dot_fails(), strings::where_dot_fails_hint()),
                    ("R", strings::lab_r_hint()),
                    (strings::seed(), strings::seed_hint()),
                    (strings::error(), strings::error_about()),
                    (strings::step_residual(), strings::step_residual_about()),
                ],
                paper: Paper::Kim,
                theory: Some(Place::Inverse),
                source: ExperimentSource::Others,
            },
        )
    }
}

/// How one inversion ended, in words, with the last error, the last residual and the constant used for Lip(F).
#[component]
fn Ending(
    /// The attention whose inverse is shown.
    which: Which,
) -> impl IntoView {
    let run = use_page().answers.inverse;
    let name = match which {
        Which::L2 => strings::L2_MHA,
        Which::Dot => strings::dot_product(),
    };
    let id = |what: &'static str| format!("inverse-{}-{what}", which.id());
    let outcome = memo(move |_| run.with(|data| which.of(data).outcome));
    let constant = memo(move |_| run.with(|data| which.of(data).constant));
    let last = move |read: fn(&InverseStep) -> f64| {
        Signal::derive(move || run.with(|data| which.of(data).steps.last().map(read)))
    };
    let at = move || run.with(|data| which.of(data).steps.last().map(|step| step.iteration));
    let iterations = move || run.with(|data| strings::ended(which.of(data).outcome, which.of(data).steps.len()));
    let kind = move || strings::constant_kind(constant.get().map(|(_, kind)| kind));
    let sign = Signal::derive(move || match constant.get() {
        Some((_, kind)) if kind.is_global() => "≤",
        _ => "=",
    });
    view! {
        <div class="lab-ending">
            <h4>{name}</h4>
            <p
                class="outcome"
                class:failed=move || matches!(outcome.get(), Some(Outcome::Diverged | Outcome::Stalled))
                data-testid=id("outcome")
                data-value=move || outcome.get().map_or("", Outcome::id)
            >
                {iterations}
            </p>
            <dl class="lab-facts">
                <Fact id=id("error") name=Signal::derive(move || strings::inverse_error_name(at())) sign="=" value=last(|step| step.error)/>
                <Fact id=id("residual") name=Signal::derive(move || strings::inverse_residual_name(at())) sign="=" value=last(|step| step.residual)/>
                <Fact id=id("constant") name=strings::CONSTANT sign value=Signal::derive(move || constant.get().map(|(value, _)| value))/>
            </dl>
            <p class="note">{kind}</p>
        </div>
    }
}
