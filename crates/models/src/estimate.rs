//! Measures a map of a layer at a window: ||J||_2, the value of the script released with \[C\], R and the attention
//! sink.
//!
//! The released script iterates on v = torch.func.jvp(f, (X,), (u,))\[0\], which is f(X) and not J u; what it returns
//! is sqrt(|J^T f(X)|). It is offered beside ||J||_2 as "released-script estimator" (docs/models.md).

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::jacobian::MapJacobian;
use super::layer_map::{LayerMap, MapAtTokens};
use super::local_bounds::{Bounding, Bounds, LocalBounds};
use super::norm::{NormIteration, NormStep};
use lipscope_core::attention::Forward;
use lipscope_core::experiment::{InputError, Order};
use lipscope_core::jacobian::LinearOperator;
use lipscope_core::phrase;
use lipscope_core::spectral::{LanczosOptions, SingularTriplet};

/// The estimators to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        match self {
            Estimators::Spectral => "spectral",
            Estimators::Released => "released",
            Estimators::Both => "both",
        }
    }
}

/// ||J||_2 with the accuracy of its computation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpectralNorm {
    /// A lower bound on ||J||_2, equal to it up to the residual.
    pub value: f64,
    /// Steps of the iteration.
    pub iterations: usize,
    /// |J^T u - s v| / s.
    pub relative_residual: f64,
}

impl SpectralNorm {
    /// Whether the residual is small enough to report the value as ||J||_2; otherwise it is a lower bound.
    #[must_use]
    pub fn is_converged(&self) -> bool {
        self.relative_residual <= LanczosOptions::default().tolerance
    }
}

/// The token that receives the most attention.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sink {
    /// The largest column sum of P over heads and tokens, at most n.
    pub mass: f64,
    /// Index of the token.
    pub token: usize,
    /// Index of the head within the map.
    pub head: usize,
}

/// The results for one window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// ||J||_2, if requested.
    pub spectral: Option<SpectralNorm>,
    /// sqrt(|J^T f(X)|), if requested.
    pub released: Option<f64>,
    /// R = sqrt(mean |x_i|^2) of the map's input, as in the released script.
    pub radius: f64,
    /// The token that receives the most attention in the map's last layer, unless the map has no attention.
    pub sink: Option<Sink>,
    /// Upper bounds at the same tokens, if requested, for attention alone.
    pub bounds: Option<LocalBounds>,
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
    Estimating::new(map, tokens, mask, (estimators, options), Bounding::Skipped)?.finish()
}

/// The measurement of a map at its tokens, on its way.
#[derive(Debug)]
pub(super) struct Estimating {
    jacobian: MapJacobian<f64>,
    /// The iteration for ||J||_2, if it is requested.
    norm: Option<NormIteration>,
    /// The bounds, if they are requested and apply.
    bounds: Option<Bounds>,
    /// What is found before them.
    found: Estimate,
}

/// What one step of an [`Estimating`] finds.
pub(super) enum EstimateStep {
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
    pub(super) fn new(
        map: &LayerMap,
        tokens: &DMatrix<f64>,
        mask: Order,
        (estimators, options): (Estimators, LanczosOptions),
        bounding: Bounding,
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
            Estimators::Spectral | Estimators::Both => Some(NormIteration::new(map, &jacobian, options)?),
        };
        let radius = tokens.norm() / (tokens.ncols() as f64).sqrt();
        let bounds = match bounding {
            Bounding::Skipped => None,
            Bounding::AtTokens => Bounds::new(&jacobian),
        };
        let found = Estimate { spectral: None, released, radius, sink, bounds: None };
        Ok(Estimating { jacobian, norm, bounds, found })
    }

    /// Does all steps.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if numbers overflow.
    pub(super) fn finish(mut self) -> Result<Estimate, InputError> {
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
    pub(super) fn step(&mut self) -> Result<EstimateStep, InputError> {
        if let Some(norm) = &mut self.norm
            && self.found.spectral.is_none()
        {
            match norm.step(&mut self.jacobian) {
                NormStep::Going(iterations, residual) => return Ok(EstimateStep::Going(iterations, residual)),
                NormStep::Done(SingularTriplet { value, iterations, relative_residual, .. }) => {
                    self.found.spectral = Some(SpectralNorm { value, iterations, relative_residual });
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
