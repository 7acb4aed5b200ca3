//! Measures a map of a layer at a window: ||J||_2, the value of the script released with \[C\], R and the attention
//! sink.
//!
//! The released script iterates on v = torch.func.jvp(f, (X,), (u,))\[0\], which is f(X) and not J u; what it returns
//! is sqrt(|J^T f(X)|). It is offered beside ||J||_2 as "released-script estimator" (docs/models_reference.md).

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::bounding::{Bounding, Bounds};
use super::head_statistics::{head_statistics, sink};
use super::norm::{NormIteration, NormStep};
use crate::parts::jacobian::MapJacobian;
use crate::parts::layer_map::{LayerMap, MapAtTokens};
use crate::results::estimate::{Estimate, SpectralNorm};
use crate::results::statistics::{HeadStatistics, Statistic};
use lipscope_core::experiment::{InputError, Order};
use lipscope_core::jacobian::LinearOperator;
use lipscope_core::measure::UpperNumber;
use lipscope_core::phrase;
use lipscope_core::spectral::{LanczosOptions, ProbableUpper};

/// The estimators to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Estimators {
    /// ||J||_2.
    Spectral,
    /// sqrt(|J^T f(X)|).
    Released,
    /// Both.
    Both,
}

impl Estimators {
    /// Its name in tables and on the command line.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

/// Measures a map at its tokens (d x n).
///
/// # Errors
/// [`InputError`] if numbers overflow or there are too many tokens.
pub fn estimate(
    map: &LayerMap,
    tokens: &DMatrix<f64>,
    mask: Order,
    estimators: Estimators,
    options: LanczosOptions,
) -> Result<Estimate, InputError> {
    let extras = Extras { bounds: Bounding::Skipped, upper: UpperNumber::Skipped, statistics: &[] };
    Estimating::new(map, tokens, mask, (estimators, options), extras)?.finish()
}

/// What is computed beside the norms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extras<'a> {
    pub(crate) bounds: Bounding,
    pub(crate) upper: UpperNumber,
    pub(crate) statistics: &'a [Statistic],
}

/// The measurement of a map at its tokens, on its way.
#[derive(Debug)]
pub(crate) struct Estimating {
    jacobian: MapJacobian<f64>,
    /// The iteration for ||J||_2, if it is requested.
    norm: Option<NormIteration>,
    /// The bounds, if they are requested and apply.
    bounds: Option<Bounds>,
    /// |X| / |f(X)|, by which the norm becomes the condition; `None` where this is not wanted, or f(X) is zero.
    relative: Option<f64>,
    /// |f(X)|.
    output: f64,
    /// The wanted numbers of every head.
    heads: Vec<HeadStatistics>,
    /// What is found before them.
    found: Estimate,
}

/// What one step of an [`Estimating`] finds.
// There is one at a time, and a box would cost the copy.
#[allow(clippy::large_enum_variant)]
pub(crate) enum EstimateStep {
    /// Steps of the iteration so far, and its relative residual.
    Going(usize, f64),
    /// Some rows of the bounds.
    Bounding,
    /// All that is requested.
    Done(Estimate),
}

impl Estimating {
    /// Finds all but ||J||_2 and the bounds, which [`Estimating::step`] computes.
    ///
    /// # Errors
    /// [`InputError`] if numbers overflow or there are too many tokens.
    pub(crate) fn new(
        map: &LayerMap,
        tokens: &DMatrix<f64>,
        mask: Order,
        (estimators, options): (Estimators, LanczosOptions),
        extras: Extras<'_>,
    ) -> Result<Estimating, InputError> {
        let MapAtTokens { value, mut jacobian } = map.at(tokens, mask)?;
        let sink = sink(&jacobian);
        let heads = head_statistics(map, &jacobian, extras.statistics);
        let statistics = HeadStatistics::together(&heads);
        let released = (estimators != Estimators::Spectral).then(|| {
            let mut pulled = vec![0.0; jacobian.n_inputs()];
            jacobian.apply_transpose(value.as_slice(), &mut pulled);
            DMatrix::from_vec(tokens.nrows(), tokens.ncols(), pulled).norm().sqrt()
        });
        let norm = match estimators {
            Estimators::Released => None,
            Estimators::Spectral | Estimators::Both => {
                Some(NormIteration::new(map, &jacobian, (options, extras.upper))?)
            }
        };
        let radius = tokens.norm() / (tokens.ncols() as f64).sqrt();
        let bounds = match extras.bounds {
            Bounding::Skipped => None,
            Bounding::AtTokens => Bounds::new(&jacobian),
        };
        let wants_condition = extras.statistics.contains(&Statistic::Condition);
        let output = value.norm();
        let relative = wants_condition.then(|| tokens.norm() / output).filter(|ratio| ratio.is_finite());
        let found = Estimate { spectral: None, released, radius, sink, bounds: None, upper: None, statistics };
        Ok(Estimating { jacobian, norm, bounds, relative, output, heads, found })
    }

    /// |f(X)|.
    pub(crate) fn output(&self) -> f64 {
        self.output
    }

    /// The wanted numbers of every head.
    pub(crate) fn heads(&self) -> &[HeadStatistics] {
        &self.heads
    }

    /// Does all steps.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if numbers overflow.
    pub(crate) fn finish(mut self) -> Result<Estimate, InputError> {
        loop {
            if let EstimateStep::Done(found) = self.step()? {
                return Ok(found);
            }
        }
    }

    /// Does one step of the iteration, then of the bounds.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if numbers overflow.
    pub(crate) fn step(&mut self) -> Result<EstimateStep, InputError> {
        if let Some(norm) = &mut self.norm
            && self.found.spectral.is_none()
        {
            match norm.step(&mut self.jacobian) {
                NormStep::Going(iterations, residual) => return Ok(EstimateStep::Going(iterations, residual)),
                NormStep::Done(triplet, upper) => {
                    self.found.spectral = Some(SpectralNorm::of(&triplet));
                    self.found.upper = upper;
                    let condition = self.relative.map(|relative| relative * triplet.value);
                    self.found.statistics.set(Statistic::Condition, condition);
                }
            }
        }
        if let Some(mut bounds) = self.bounds.take() {
            if !bounds.step(&self.jacobian) {
                self.bounds = Some(bounds);
                return Ok(EstimateStep::Bounding);
            }
            self.found.bounds = Some(bounds.finish());
        }
        if let (Some(upper), Some(proved)) = (&mut self.found.upper, self.found.bounds.and_then(|bounds| bounds.best()))
            && proved <= upper.value
        {
            *upper = ProbableUpper { value: proved, failure: 0.0 };
        }
        let found = self.found;
        let numbers = [found.spectral.map_or(0.0, |norm| norm.value), found.released.unwrap_or(0.0)];
        if numbers.iter().any(|x| !x.is_finite()) {
            return Err(InputError::Overflow { what: phrase!("jacobians_products", "The Jacobian's products") });
        }
        Ok(EstimateStep::Done(found))
    }
}
