//! The iteration of a measurement: over tokens, on the span of the projections where that is smaller, with f32 products
//! while they suffice; or over causal runs.

use super::Method;
use super::start::{RANDOM, start_vector};
use super::system::System;
use super::upper::FAILURES;
use crate::jacobian::{JacobianOperator, LinearOperator, ProjectionSpan, SINGLE_TOLERANCE, Single};
use crate::spectral::{Assurance, Lanczos, LanczosOptions, ProbableUpper, SingularTriplet, Status};

/// The state of an iteration.
#[derive(Clone, Debug)]
pub(super) struct Iteration {
    options: LanczosOptions,
    assurance: Option<Assurance>,
    lanczos: Lanczos,
    /// The span on which the iteration runs, where that is smaller than the tokens' space.
    span: Option<ProjectionSpan<f64>>,
    /// The Jacobian in f32, while f32 products suffice.
    single: Option<SingleJacobian>,
}

/// Result of one step.
#[derive(Debug)]
pub(super) enum IterationStep {
    /// More steps are needed.
    Going(Box<Iteration>),
    /// The leading triplet over tokens or runs, with value and residual of products in f64; and the iteration, where an
    /// upper bound is to follow.
    Done(SingularTriplet, Method, Option<Box<Assuring>>),
}

/// An iteration that has found the norm, on its way to an upper bound.
#[derive(Clone, Debug)]
pub(super) struct Assuring {
    lanczos: Lanczos,
    span: Option<ProjectionSpan<f64>>,
}

impl Iteration {
    /// Begins an iteration; `options` returns its options, given the length of its vectors. Where an upper bound is to
    /// follow, `assurance` says how near. `None` for a token measure, whose norms need no iteration.
    pub(super) fn new(
        system: &mut System,
        options: impl FnOnce(usize) -> LanczosOptions,
        assurance: Option<Assurance>,
    ) -> Option<Box<Self>> {
        let span = match system {
            System::Tokens(operator) => ProjectionSpan::of(operator.forward()),
            System::Clusters(_) | System::Runs(_) => None,
        };
        let (n_inputs, _) = with_operator(system, span.as_ref(), |operator| operator.n_inputs())?;
        let options = options(n_inputs);
        // An upper bound needs every product in f64.
        let single = match assurance {
            Some(_) => None,
            None => SingleJacobian::of(system, span.as_ref(), options.tolerance),
        };
        let start = match system {
            System::Tokens(operator) => start_vector(operator.forward(), span.as_ref(), n_inputs, options.seed),
            System::Clusters(_) | System::Runs(_) => None,
        };
        let lanczos = match start {
            Some(start) => Lanczos::from_plan(start, RANDOM, options),
            None => Lanczos::new(n_inputs, options),
        };
        let lanczos = lanczos.assured(assurance);
        Some(Box::new(Iteration { options, assurance, lanczos, span, single }))
    }

    /// Steps so far, and the relative residual, which is infinite before its first check.
    pub(super) fn progress(&self) -> (usize, f64) {
        (self.lanczos.iterations(), self.lanczos.estimate().1)
    }

    /// Does one step, with one product with J and one with J^T; `None` for a token measure.
    pub(super) fn step(mut self: Box<Self>, system: &mut System) -> Option<IterationStep> {
        let status = match &mut self.single {
            Some(single) => single.step(&mut self.lanczos),
            None => with_operator(system, self.span.as_ref(), |operator| self.lanczos.step(operator))?.0,
        };
        if let Status::Going { .. } = status {
            return Some(IterationStep::Going(self));
        }
        let Iteration { options, assurance, lanczos, span, single } = *self;
        let was_single = single.is_some();
        drop(single);
        let (mut triplet, method) = with_operator(system, span.as_ref(), |operator| lanczos.finish(operator))?;
        let is_converged = triplet.relative_residual <= options.tolerance;
        if was_single && !is_converged {
            let lanczos = Lanczos::after(triplet, options);
            return Some(IterationStep::Going(Box::new(Iteration { options, assurance, lanczos, span, single: None })));
        }
        if let Some(span) = &span {
            triplet.right = span.to_tokens(&triplet.right);
        }
        let assuring = assurance.map(|_| Box::new(Assuring { lanczos, span }));
        Some(IterationStep::Done(triplet, method, assuring))
    }
}

impl Assuring {
    /// Does one step; true when none is left.
    pub(super) fn step(&mut self, system: &mut System) -> bool {
        let Assuring { lanczos, span } = self;
        let stepped = with_operator(system, span.as_ref(), |operator| lanczos.assure(operator));
        stepped.is_none_or(|(status, _)| status == Status::Done)
    }

    /// The upper bounds, the one that fails most rarely first. The vectors of the iteration are dropped.
    pub(super) fn finish(self) -> Vec<ProbableUpper> {
        probable(&self.lanczos)
    }
}

/// The upper bounds that follow from an iteration.
pub(super) fn probable(lanczos: &Lanczos) -> Vec<ProbableUpper> {
    FAILURES.into_iter().filter_map(|failure| lanczos.upper(failure)).collect()
}

/// Calls `job` with the operator of the iteration in f64; `None` for a token measure.
fn with_operator<R>(
    system: &mut System,
    span: Option<&ProjectionSpan<f64>>,
    job: impl FnOnce(&mut dyn LinearOperator<f64>) -> R,
) -> Option<(R, Method)> {
    match (system, span) {
        (System::Tokens(operator), Some(span)) => Some((job(&mut span.operator(operator)), Method::Lanczos)),
        (system, _) => system.operator().map(|(operator, method)| (job(operator), method)),
    }
}

/// The Jacobian over tokens in f32, on the span of the projections where that is smaller.
#[derive(Clone, Debug)]
struct SingleJacobian {
    operator: JacobianOperator<f32>,
    span: Option<ProjectionSpan<f32>>,
}

impl SingleJacobian {
    /// Prepares an iteration to a tolerance. `None` where the tolerance is too tight for f32, where numbers do not fit
    /// f32, and for grouped tokens, whose products are cheap.
    fn of(system: &System, span: Option<&ProjectionSpan<f64>>, tolerance: f64) -> Option<Self> {
        match system {
            System::Tokens(operator) if tolerance >= SINGLE_TOLERANCE => {
                let operator = JacobianOperator::new(operator.forward().single()?);
                Some(SingleJacobian { operator, span: span.map(ProjectionSpan::single) })
            }
            _ => None,
        }
    }

    fn step(&mut self, lanczos: &mut Lanczos) -> Status {
        match &self.span {
            Some(span) => lanczos.step(&mut Single::new(&mut span.operator(&mut self.operator))),
            None => lanczos.step(&mut Single::new(&mut self.operator)),
        }
    }
}
