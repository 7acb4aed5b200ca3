//! What every lab has: a plot, a request to the engine, data, a view, and a card in the gallery.

use crate::prelude::*;

use crate::page::{Page, PlotChoice, use_page};
use crate::query::{Answer, AtFailure, Query, Request, Start};
use crate::state::{PageState, Settings};
use crate::workers::EngineLane;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

use super::card::{CardPicture, Pictures};

/// A lab. All share one lane of the workers, and the lab on screen has it.
pub trait Lab: Sized + 'static {
    /// The plot at which it is shown.
    const PLOT: PlotChoice;
    /// What the engine has answered so far.
    type Data: Default + Send + Sync + 'static;

    /// The work of the engine for these settings.
    fn request(settings: &Settings, state: &PageState) -> Request;

    /// Puts an event of the answer into the data. Events of other labs change nothing.
    fn on_event(run: Query<Self::Data>, plan: &EnginePlan, event: EngineEvent);

    /// The view of the data.
    fn view(run: Query<Self::Data>) -> AnyView;

    /// The requests of the lab, once for a page. Data that lessons read are kept among the answers of the page.
    fn begin(page: Page) -> Query<Self::Data> {
        Query::new(page.engine, EngineLane::Lab, AtFailure::Clear)
    }

    /// Changes the data after a plan that failed. The frame of the lab names the failure.
    fn on_failure(_: Query<Self::Data>, _: &EnginePlan) {}

    /// The picture of its card; `None` for a lab that the gallery does not show.
    fn card(_: &Pictures) -> Option<CardPicture> {
        None
    }

    /// Changes settings before the lab is opened from its card.
    fn open(_: Page) {}
}

/// The functions of a lab, whatever the type of its data.
pub struct Entry {
    /// [`Lab::PLOT`].
    pub plot: PlotChoice,
    /// [`Lab::view`].
    pub view: fn() -> AnyView,
    /// [`Lab::card`].
    pub card: fn(&Pictures) -> Option<CardPicture>,
    /// [`Lab::open`].
    pub open: fn(Page),
    /// [`Lab::begin`]. The requests are in the context from then on.
    pub begin: fn(Page),
    /// Requests the data for the present state, unless they are requested already.
    pub request: fn(),
    /// Ends the work, for a lab that has left the screen. It begins anew when the lab is shown again.
    pub leave: fn(),
}

impl Entry {
    /// The entry of a lab.
    pub const fn new<L: Lab>() -> Self {
        Entry {
            plot: L::PLOT,
            view: || L::view(run_of::<L>()),
            card: L::card,
            open: L::open,
            begin: |page| provide_context(RunOf::<L>(L::begin(page))),
            request: request::<L>,
            leave: || run_of::<L>().leave(),
        }
    }
}

/// The requests of a lab, as the context has them: a type for each lab.
struct RunOf<L: Lab>(Query<L::Data>);

impl<L: Lab> Clone for RunOf<L> {
    fn clone(&self) -> Self {
        RunOf(self.0)
    }
}

fn run_of<L: Lab>() -> Query<L::Data> {
    expect_context::<RunOf<L>>().0
}

fn request<L: Lab>() {
    let (page, run) = (use_page(), run_of::<L>());
    // The worst tokens of the ball may not be known yet.
    let Some(state) = page.in_effect() else { return run.leave() };
    let request = page.settings.with(|settings| L::request(settings, &state));
    run.request(request, Start::AtRest, |run, plan, answer| match answer {
        Answer::Event(event) => L::on_event(run, plan, event),
        Answer::Failed(_) | Answer::GaveUp => L::on_failure(run, plan),
    });
}
