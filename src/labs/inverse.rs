//! The inverse of attention with a skip: L2 multi-head attention and dot-product attention, side by side.

use leptos::prelude::*;

use crate::charts::{Behind, Take, Twin};
use crate::page::{PlotChoice, use_page};
use crate::strings::{self, Paper};
use lipscope_core::inverse::{ConstantKind, Outcome};
use lipscope_plot::Number;

use super::chart::LabChart;
use super::inverse_chart::{error_chart, table};
use super::inverse_controls::InverseControls;
use super::plane::Plane;
use super::player::Player;
use super::progress::LabProgress;
use super::run::{Pair, Side};
use super::scaling::Fact;

/// Which of both attentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// L2 multi-head attention.
    L2,
    /// Dot-product attention.
    Dot,
}

impl Which {
    /// Its word in ids.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Which::L2 => "l2",
            Which::Dot => "dot",
        }
    }

    /// Its side of a pair.
    #[must_use]
    pub fn of(self, pair: &Pair) -> &Side {
        match self {
            Which::L2 => &pair.l2,
            Which::Dot => &pair.dot,
        }
    }
}

/// The view of the inverse.
#[component]
pub fn InverseLab() -> impl IntoView {
    let page = use_page();
    let run = page.labs.inverse;
    let at = RwSignal::new(None::<f64>);
    let phase = Memo::new(move |_| run.with(|run| run.phase.clone()));
    let progress = Memo::new(move |_| run.with(|run| (run.data.last(), 0)));
    let chart = Memo::new(move |_| {
        let frame = page.labs.frame.get();
        run.with(|run| error_chart(&run.data, &run.phase, frame))
    });
    let words = Memo::new(move |_| run.with(|run| strings::inverse_finding(&run.data.l2, &run.data.dot)));
    let read = move || {
        let iteration = at.get().map_or(page.labs.frame.get(), |x| x as usize);
        run.with(|run| strings::inverse_readout(iteration, &run.data.l2, &run.data.dot))
    };
    let is_hidden = move || page.plot.get() != PlotChoice::Inverse;
    let csv = move || run.with_untracked(|run| table(&run.data, |x| x.to_string()).to_csv());
    view! {
        <div class="lab" hidden=is_hidden data-testid="inverse-lab">
            <InverseControls/>
            <div class="lab-inverse">
                <div class="plot-stage"><LabChart id="inverse-plot" chart at words readout="inverse-readout"/></div>
                <div class="lab-planes">
                    <Ending which=Which::L2/>
                    <Ending which=Which::Dot/>
                    <Plane which=Which::L2/>
                    <Plane which=Which::Dot/>
                    <Player/>
                </div>
            </div>
            <p class="readout" id="inverse-readout" aria-live="off">{read}</p>
            <div class="lab-foot">
                <LabProgress id="inverse" phase progress/>
                <Twin
                    id="inverse-table"
                    name="lipscope-inverse.csv"
                    table=move || run.with(|run| table(&run.data, |x| Number::of(x).to_string()))
                    csv
                />
                <Take
                    id="take-inverse"
                    name="lipscope-inverse"
                    canvas="inverse-plot"
                    title=strings::inverse_heading()
                    figure=move |_| Some(chart.get_untracked())
                    csv
                    paper=Paper::Kim
                    behind=Behind::Others
                />
            </div>
        </div>
    }
}

/// How an iteration ended: its constant, a word, the residual and the error.
#[component]
fn Ending(
    /// Which of both.
    which: Which,
) -> impl IntoView {
    let page = use_page();
    let run = page.labs.inverse;
    let name = match which {
        Which::L2 => strings::L2_MHA,
        Which::Dot => strings::dot_product(),
    };
    let id = |what: &'static str| format!("inverse-{}-{what}", which.id());
    let outcome = Memo::new(move |_| run.with(|run| which.of(&run.data).outcome));
    let constant = Memo::new(move |_| run.with(|run| which.of(&run.data).constant));
    let last = move |read: fn(&lipscope_core::inverse::InverseStep) -> f64| {
        Signal::derive(move || run.with(|run| which.of(&run.data).steps.last().map(read)))
    };
    let iterations =
        move || run.with(|run| strings::ended(which.of(&run.data).outcome, which.of(&run.data).steps.len()));
    let kind = move || strings::constant_kind(constant.get().map(|(_, kind)| kind));
    let sign = Signal::derive(move || match constant.get() {
        Some((_, ConstantKind::KimL2)) => "≤",
        _ => "=",
    });
    view! {
        <div class="lab-ending">
            <h3>{name}</h3>
            <p
                class="outcome"
                class:failed=move || matches!(outcome.get(), Some(Outcome::Diverged | Outcome::Stalled))
                data-testid=id("outcome")
                data-value=move || outcome.get().map_or("", Outcome::id)
            >
                {iterations}
            </p>
            <dl class="lab-facts">
                <Fact id=id("error") name=strings::error() sign="=" value=last(|step| step.error)/>
                <Fact id=id("residual") name=strings::step_residual() sign="=" value=last(|step| step.residual)/>
                <Fact id=id("constant") name=strings::CONSTANT sign value=Signal::derive(move || constant.get().map(|(value, _)| value))/>
            </dl>
            <p class="note">{kind}</p>
        </div>
    }
}
