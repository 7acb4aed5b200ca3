//! The bounds over n: beside the draws of a sweep, and up to 1e18 in the view over n.

use std::rc::Rc;
use std::sync::Arc;

use lipscope_core::bounds::{CASTIN_GENERAL, Norm};
use lipscope_core::growth::{Crossover, FamilyPoint, Growth, GrowthRow};
use lipscope_core::sweep::Spacing;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, GrowthEvent, GrowthRequest, WorstAt, WorstRequest};

use crate::prelude::*;

use crate::plans;
use crate::query::{Answer, Query, Start};
use crate::state::PageState;

use super::falls::{Fall, carrying};
use super::known::{KnownTokens, LowerAt};

/// Takes the worst tokens over n.
pub type Remember = Rc<dyn Fn(&[WorstAt])>;

/// The bounds over n.
#[derive(Clone, Debug, Default)]
pub struct Curves {
    /// The plan that these curves answer.
    pub of: Option<GrowthRequest>,
    /// The curves; `None` before the first answer.
    pub growth: Option<Arc<Growth>>,
    /// Exact norms of the adversarial tokens so far, in order of n.
    pub family: Vec<FamilyPoint>,
    /// The falls of the worst tokens known for which tokens are being carried.
    pub carrying: Vec<Fall>,
}

impl Curves {
    /// Asks for the curves of a plan and, where `worst` holds a plan, for the worst tokens over n, which `remember`
    /// takes.
    pub fn ask(
        ask: Query<Self>,
        (plan, worst): (GrowthRequest, Option<WorstRequest>),
        start: Start,
        remember: Remember,
    ) {
        let plans = [EnginePlan::Growth(plan)].into_iter().chain(worst.map(EnginePlan::Worst)).collect();
        ask.request(Ok(plans), start, move |ask, plan, answer| match answer {
            Answer::Event(EngineEvent::Worst(found)) => remember(&found),
            answer => Curves::on_event(ask, plan, answer),
        });
    }

    /// Stores an answer to a plan of curves.
    fn on_event(ask: Query<Self>, plan: &EnginePlan, answer: Answer) {
        let EnginePlan::Growth(plan) = plan else { return };
        match answer {
            Answer::Event(EngineEvent::Growth(GrowthEvent::Sketch(found) | GrowthEvent::Curves(found))) => {
                let (of, growth) = (Some(plan.clone()), Some(Arc::new(*found)));
                ask.renewed(|data| *data = Curves { of, growth, ..Curves::default() });
            }
            Answer::Event(EngineEvent::Growth(GrowthEvent::Family(points))) => ask.renewed(|data| {
                if data.of.as_ref() == Some(plan) {
                    data.family.extend(points);
                }
            }),
            Answer::Event(_) => {}
            // Clears a sketch too: the reason why the curves are missing says more than a sketch.
            Answer::Failed(_) | Answer::GaveUp => ask.renewed(|data| *data = Curves::default()),
        }
    }

    /// What is known at the n of the rows, in a norm.
    pub fn lower(&self, norm: Norm) -> impl Iterator<Item = LowerAt> {
        self.rows().iter().map(move |row| (row.n, row.radius, row.best_lower(norm).map(|bound| bound.log10)))
    }

    /// The n of a state and R of its ball, where these curves of its ball pass that n between two rows. `None` where R
    /// grows with n: then its n is that of a row.
    #[must_use]
    pub fn now(&self, state: &PageState) -> Option<(f64, f64)> {
        let (n, of) = (state.n_tokens(), self.of.as_ref()?);
        let (first, last) = (self.rows().first()?, self.rows().last()?);
        let is_inside = first.n <= n && n <= last.n && of.plan.spacing == Spacing::Fixed;
        is_inside.then_some((n, first.radius))
    }

    /// Carries tokens to the n at which the curve of the worst tokens known falls, once the curves are whole; see
    /// [`KnownTokens::falls`](super::KnownTokens::falls).
    pub fn carry(ask: Query<Self>, state: &PageState, known: RwSignal<KnownTokens>) {
        if !ask.is_whole() {
            return;
        }
        let plans = ask.with(|curves| {
            known.update_untracked(|known| known.note_carried(state, &curves.carrying));
            let falls = known.with(|known| known.falls(state, curves.lower(state.norm), curves.now(state)));
            Some((carrying(curves.of.as_ref()?, &falls), falls))
        });
        let Some((plans, falls)) = plans else { return };
        ask.update_untracked(|curves| curves.carrying = falls);
        if !plans.is_empty() {
            ask.go_on(plans.into_iter().map(EnginePlan::Worst).collect());
        }
    }

    /// Whether these are the curves of the view over n for a state.
    #[must_use]
    pub fn are_of_view(&self, state: &PageState) -> bool {
        self.of.as_ref() == Some(&plans::growth(state))
    }

    /// Whether these are bounds on the ball of a state. Their largest n does not matter.
    #[must_use]
    pub fn are_on_ball(&self, state: &PageState) -> bool {
        self.of.as_ref().is_some_and(|of| of.experiment == plans::ball_over_n(state))
    }

    /// The rows in order of n.
    #[must_use]
    pub fn rows(&self) -> &[GrowthRow] {
        self.growth.as_ref().map_or(&[], |growth| &growth.rows)
    }

    /// Where the growth like sqrt(n) ends. `None` where it does not end, where the bound of Castin et al. is not among
    /// the curves, or where that bound is not about this norm.
    #[must_use]
    pub fn crossover(&self, norm: Norm) -> Option<Crossover> {
        // The crossover belongs to dot-product attention, and so does the bound of Castin et al.
        let applies = self.rows().iter().flat_map(|row| &row.bounds);
        let applies = applies.into_iter().any(|bound| bound.id == &CASTIN_GENERAL && bound.id.is_about(norm));
        self.growth.as_ref().and_then(|growth| growth.crossover).filter(|_| applies)
    }

    /// The row at exactly this n.
    #[must_use]
    pub fn row(&self, n: f64) -> Option<&GrowthRow> {
        self.rows().binary_search_by(|row| row.n.total_cmp(&n)).ok().map(|at| &self.rows()[at])
    }

    /// The exact norm of the adversarial tokens at exactly this n.
    #[must_use]
    pub fn exact(&self, n: f64) -> Option<f64> {
        self.family.binary_search_by(|point| point.n.total_cmp(&n)).ok().map(|at| self.family[at].spectral)
    }
}
