//! The frame of every lab: its name and sentence, its controls, its plots, its numbers, the meaning of its words, and
//! the progress of its work.

use crate::prelude::*;

use crate::charts::{ExperimentSource, TheoryLink, plot_name};
use crate::controls::Meanings;
use crate::page::{PlotChoice, use_page};
use crate::state::View;
use crate::strings::{self, Paper};
use crate::theory::Place;

use super::plot::LabPlot;
use crate::phase::Phase;
use crate::query::Query;
use lipscope_plot::{Kind, Number};

/// The content of a lab's frame, but for its plots.
pub struct LabParts {
    /// The word for the lab in ids.
    pub id: &'static str,
    /// The plot at which it is shown.
    pub plot: PlotChoice,
    /// Its own controls, and sentences about them.
    pub controls: AnyView,
    /// A view beside the plots.
    pub aside: Option<AnyView>,
    /// Its numbers, each a `Fact` or a view of its own.
    pub facts: AnyView,
    /// The words that the lab uses, each with its meaning.
    pub terms: Vec<(&'static str, &'static str)>,
    /// The paper whose results it shows.
    pub paper: Paper,
    /// The place in the theory that states what the lab shows, if there is one.
    pub theory: Option<Place>,
    /// Whether it shows the experiment of the controls.
    pub source: ExperimentSource,
}

/// The view of a lab: `run` is its latest request to the engine with the data of the answers, `plots` has the main plot
/// first; it is empty where the one picture stands beside.
pub fn lab_view<T: Default + Send + Sync + 'static>(run: Query<T>, plots: Vec<LabPlot<T>>, parts: LabParts) -> AnyView {
    let (_, _, heading, _) = plot_name(parts.plot);
    let plots = plots.into_iter().map(|plot| plot.view(heading, parts.paper, parts.source)).collect();
    let work = Work {
        phase: memo(move |_| run.phase()),
        progress: memo(move |_| {
            run.progress().map_or((0, 0), |progress| (progress.done as usize, progress.total.unwrap_or(0) as usize))
        }),
        is_stale: memo(move |_| run.is_stale()),
        stop: Callback::new(move |()| run.stop(Phase::Stopped)),
        again: Callback::new(move |()| run.again()),
    };
    frame(parts, plots, work)
}

/// The work behind a lab, whatever the type of its data.
struct Work {
    phase: Memo<Phase>,
    progress: Memo<(usize, usize)>,
    is_stale: Memo<bool>,
    stop: Callback<()>,
    again: Callback<()>,
}

/// A name and its number; the sign says whether the number is exact or a bound.
#[component]
pub fn Fact(
    /// The name of the number for tests and programs.
    #[prop(into)]
    id: String,
    /// The name of the number on the page.
    #[prop(into)]
    name: Signal<String>,
    /// =, ≥ or ≤.
    #[prop(into)]
    sign: Signal<&'static str>,
    /// The number; `None` while it is not known.
    #[prop(into)]
    value: Signal<Option<f64>>,
    /// How to write the number. The default has four digits, rounded to the side of the sign.
    #[prop(optional)]
    written: Option<fn(f64) -> String>,
) -> impl IntoView {
    let exact = move || value.get().map_or_else(String::new, |x| x.to_string());
    let text = move |x: f64| match written {
        Some(written) => written(x),
        None => Number::digits(x, Kind::of_sign(sign.get())).to_string(),
    };
    view! {
        <div>
            <dt>{move || name.get()}</dt>
            <dd>
                <span class="sign">{move || value.with(Option::is_some).then(|| sign.get())}</span>
                <span class="value" data-testid=id data-value=exact title=exact>
                    {move || value.get().map_or_else(|| strings::NONE_YET.into(), text)}
                </span>
            </dd>
        </div>
    }
}

fn frame(parts: LabParts, plots: Vec<AnyView>, work: Work) -> AnyView {
    let LabParts { id, plot, controls, aside, facts, terms, theory, .. } = parts;
    let Work { phase, progress, is_stale, stop, again } = work;
    let is_wide = plots.len() + usize::from(aside.is_some()) > 1;
    let page = use_page();
    let is_running = move || phase.with(|phase| *phase == Phase::Running);
    let can_repeat = move || phase.with(|phase| matches!(phase, Phase::Stopped | Phase::Failed(_)));
    let spoken = move || phase.with(|phase| strings::lab_progress(phase, progress.get().0, progress.get().1));
    // The bar stays empty for work of unknown length.
    let share = move || match progress.get() {
        (_, 0) => 0.0,
        (done, total) => done as f64 / total as f64,
    };
    let (_, name, _, hint) = plot_name(plot);
    let in_gallery = plot.view() == View::Lab;
    let without_controls = move || in_gallery && !page.settings.with(|settings| settings.has_tokens(plot));
    let terms = (!terms.is_empty()).then(|| view! { <Meanings id=format!("{id}-terms") of=terms/> });
    let title = in_gallery.then(|| {
        view! {
            <div class="lab-title">
                <button type="button" class="lab-back" on:click=move |_| page.plot.set(PlotChoice::Gallery)>
                    <span aria-hidden="true">"← "</span> {strings::gallery()}
                </button>
                <h3>{name}</h3>
                <p>{hint}</p>
            </div>
        }
    });
    view! {
        <div class="lab" hidden=move || page.plot.get() != plot data-testid=format!("{id}-lab") class:stale=is_stale>
            {title}
            {controls}
            <p class="lab-note" hidden=move || !without_controls()>{strings::lab_without_controls(plot)}</p>
            <div class="progress lab-progress" data-testid=format!("{id}-progress") data-phase=move || phase.with(Phase::id)>
                <div class="progress-bar" class:idle=move || !is_running() style=move || format!("--at:{}", share())></div>
                <span class="progress-words" role="status">{spoken}</span>
                <button type="button" id=format!("{id}-stop") hidden=move || !is_running() on:click=move |_| stop.run(())>
                    {strings::stop()}
                </button>
                <button type="button" id=format!("{id}-again") hidden=move || !can_repeat() on:click=move |_| again.run(())>
                    {strings::again()}
                </button>
            </div>
            <div class="lab-plots" class:wide=is_wide>
                {plots}
                {aside}
            </div>
            {facts}
            <div class="lab-foot">
                {terms}
                {theory.map(|to| view! { <TheoryLink to/> })}
            </div>
        </div>
    }
    .into_any()
}
