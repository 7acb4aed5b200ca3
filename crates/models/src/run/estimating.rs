//! Measures a map of a layer at a window: ||J||_2, the value of the script released with \[C\], R and the attention
//! sink.
//!
//! The released script iterates on v = torch.func.jvp(f, (X,), (u,))\[0\], which is f(X) and not J u; what it returns
//! is sqrt(|J^T f(X)|). It is offered beside ||J||_2 as "released-script estimator" (docs/models_reference.md).

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::bounding::{Bounding, Bounds};
use super::norm::{NormIteration, NormStep};
use crate::parts::jacobian::MapJacobian;
use crate::parts::layer_map::{LayerMap, MapAtTokens};
use crate::results::estimate::{Estimate, Sink, SpectralNorm};
use lipscope_core::attention::Forward;
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
    let extras = Extras { bounds: Bounding::Skipped, upper: UpperNumber::Skipped };
    Estimating::new(map, tokens, mask, (estimators, options), extras)?.finish()
}

/// What is computed beside the norms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extras {
    pub(crate) bounds: Bounding,
    pub(crate) upper: UpperNumber,
}

/// The measurement of a map at its tokens, on its way.
#[derive(Debug)]
pub(crate) struct Estimating {
    jacobian: MapJacobian<f64>,
    /// The iteration for ||J||_2, if it is requested.
    norm: Option<NormIteration>,
    /// The bounds, if they are requested and apply.
    bounds: Option<Bounds>,
    /// What is found before them.
    found: Estimate,
}

/// What one step of an [`Estimating`] finds.
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
        extras: Extras,
    ) -> Result<Estimating, InputError> {
        let MapAtTokens { value, mut jacobian } = map.at(tokens, mask)?;
        let sink = jacobian.attention().map(sink);
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
        let found = Estimate { spectral: None, released, radius, sink, bounds: None, upper: None };
        Ok(Estimating { jacobian, norm, bounds, found })
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

fn sink(forward: &Forward<f64>) -> Sink {
    let mut buffer = forward.row_buffer();
    let mut best = Sink { mass: 0.0, token: 0, head: 0 };
    for head in 0..forward.n_heads() {
        let mut masses = vec![0.0; forward.n()];
        for rows in forward.row_blocks() {
            let block = forward.rows_of_p(head, rows.clone(), &mut buffer);
            for row in block.weights.chunks(block.stride).take(rows.len()) {
                masses.iter_mut().zip(row).for_each(|(mass, p)| *mass += p);
            }
        }
        for (token, mass) in masses.into_iter().enumerate() {
            if mass > best.mass {
                best = Sink { mass, token, head };
            }
        }
    }
    best
}
