//! The check that no upper number is below the norm: that of the property test in `tests/core/upper_numbers.rs`, and of the door
//! `upper` of `make fuzz`.

use std::fmt;

use lipscope_core::attention::Forward;
use lipscope_core::bounds::{Norm, Side};
use lipscope_core::certify::{CertifyPlan, certify};
use lipscope_core::experiment::{Experiment, InputError};
use lipscope_core::jacobian::dense_jacobian;
use lipscope_core::measure::{BlockNorms, MeasureOptions, Measurement, UpperNumber, Warning, measure_with};
use lipscope_core::search::NearbyEffort;
use lipscope_core::spectral::LanczosOptions;
use lipscope_core::weights::inputs;
use nalgebra::DMatrix;

use crate::precise::PreciseNorm;

/// How the norm is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A singular value decomposition of the dense Jacobian.
    Dense,
    /// An iteration over products with the Jacobian.
    Iteration,
}

impl By {
    pub const ALL: [By; 2] = [By::Dense, By::Iteration];

    /// The options of a measurement that shows every number it can.
    #[must_use]
    pub fn options(self) -> MeasureOptions {
        let most = MeasureOptions {
            upper: UpperNumber::Included,
            block_norms: BlockNorms::Included,
            ..MeasureOptions::default()
        };
        match self {
            By::Dense => most,
            By::Iteration => {
                let lanczos = LanczosOptions { tolerance: 1e-12, ..LanczosOptions::default() };
                MeasureOptions { svd_limit: 1, lanczos, ..most }
            }
        }
    }
}

/// An upper number that a measurement shows.
#[derive(Clone, Debug)]
pub struct UpperValue {
    pub name: String,
    /// The norm that it is about.
    pub norm: Norm,
    /// Infinite above the range of f64.
    pub value: f64,
}

/// Every upper number of a measurement.
#[must_use]
pub fn upper_values(found: &Measurement) -> Vec<UpperValue> {
    let mut all: Vec<UpperValue> = Vec::new();
    let mut push = |name: String, norm: Norm, value: f64| all.push(UpperValue { name, norm, value });
    for bound in found.bounds.iter().filter(|bound| bound.side == Side::Upper) {
        push(bound.id.id().to_owned(), bound.norm, bound.value.unwrap_or(f64::INFINITY));
    }
    if let Some(upper) = found.upper {
        push(format!("upper by {}", upper.by.id()), Norm::Spectral, upper.value);
    }
    // Those that fail once in a thousand seeds are left out: in 20,000 experiments some do.
    for upper in found.probable.iter().filter(|upper| upper.failure <= 1e-9) {
        push("probable".to_owned(), Norm::Spectral, upper.value);
    }
    if let Some(value) = found.dense.and_then(|dense| dense.max_token) {
        push("norms of blocks".to_owned(), Norm::MaxToken, value);
    }
    all
}

/// Something that a measurement shows and that is wrong.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What is wrong, without numbers: faults of one cause have the same text.
    pub cause: String,
    /// The numbers.
    pub numbers: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.cause, self.numbers)
    }
}

/// A measurement, and what is wrong with its upper numbers.
#[derive(Clone, Debug)]
pub struct Checked {
    pub found: Measurement,
    /// The ratio of the norm to each upper number.
    pub ratios: Vec<(String, f64)>,
    /// Upper numbers that are below the norm.
    pub faults: Vec<Fault>,
}

/// Measures an experiment and checks that no upper number is below the norm that stands beside it. A norm over the largest token
/// is represented by one that some tokens reach.
///
/// # Errors
/// [`InputError`] if the experiment cannot be measured.
pub fn check_upper_numbers(experiment: &Experiment, by: By) -> Result<Checked, InputError> {
    let found = measure_with(experiment, by.options())?;
    let (mut faults, mut ratios) = (Vec::new(), Vec::new());
    let mut check = |name: String, value: f64, norm: f64| {
        if value.is_nan() || norm > value {
            let cause = format!("{by:?}: {name} is below the norm{}", digits(value, norm));
            faults.push(Fault { cause, numbers: format!("{value:?} for {norm:?}") });
        }
        ratios.push((name, if norm == 0.0 { 0.0 } else { norm / value }));
    };
    let token_norm = reached_token_norm_of(experiment);
    for UpperValue { name, norm, value } in upper_values(&found) {
        match norm {
            _ if found.spectral < LEAST => {}
            Norm::Spectral => check(name, value, found.spectral),
            Norm::MaxToken => check(name, value, token_norm),
            Norm::Frobenius | Norm::Linf | Norm::L1 => {}
        }
    }
    if by == By::Dense {
        for row in certified_rows(experiment) {
            check("certified".to_owned(), row.certified, found.spectral);
            check("certified, on the ball".to_owned(), row.ball, found.spectral);
        }
    }
    if !(found.spectral.is_finite() && found.spectral >= 0.0) {
        let cause = format!("{by:?}: the norm is no number");
        faults.push(Fault { cause, numbers: format!("{:?}", found.spectral) });
    }
    Ok(Checked { found, ratios, faults })
}

/// Below this size products of a norm's factors may be too small for all digits of f64.
const LEAST: f64 = 1e-200;
/// A Jacobian that is exactly zero comes out of the reference as large as its own rounding.
const NOISE: f64 = 1e-80;

/// Tells a bound that lacks an allowance for rounding from one that is wrong.
fn digits(value: f64, norm: f64) -> &'static str {
    if norm <= value * (1.0 + 1e-6) { " in its last digits" } else { "" }
}

fn certified_rows(experiment: &Experiment) -> Vec<lipscope_core::certify::CertifiedRow> {
    // One start that does not move: the bounds are checked here, and the search elsewhere.
    let effort = NearbyEffort { restarts: 1, iterations: 0, seed: 1 };
    let plan = CertifyPlan { experiment: experiment.clone(), relative: vec![0.0, 1e-9], effort };
    certify(&plan).map(|certified| certified.rows).unwrap_or_default()
}

/// Compares a measurement with the reference: upper numbers are not below the norm, and the norm is within its residual, or
/// within what a warning says of its rounding.
#[must_use]
pub fn faults_against(found: &Measurement, by: By, precise: &PreciseNorm) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut fault = |cause: String, numbers: String| faults.push(Fault { cause: format!("{by:?}: {cause}"), numbers });
    let token_norm = reached_token_norm(&precise.jacobian, found.n as usize, found.d);
    let truth = precise.value();
    if truth.max(found.spectral) < LEAST || (found.spectral == 0.0 && truth < NOISE) {
        return faults;
    }
    for UpperValue { name, norm, value } in upper_values(found) {
        match norm {
            Norm::Spectral if precise.is_above(value) => {
                fault(
                    format!("{name} is below the true norm{}", digits(value, truth)),
                    format!("{value:?} for {truth:?}"),
                );
            }
            Norm::MaxToken if token_norm > value => {
                fault(
                    format!("{name} is below a true norm over the largest token{}", digits(value, token_norm)),
                    format!("{value:?} for {token_norm:?}"),
                );
            }
            _ => {}
        }
    }
    let error = precise.relative_error(found.spectral);
    let allowed = Warning::LEAST_ROUNDING.max(found.rounding().unwrap_or(0.0));
    if allowed >= 1.0 {
        // The warning says that no digit is certain.
        return faults;
    }
    // An iteration is a lower bound within its residual.
    let below = allowed + found.relative_residual;
    if error > allowed || error < -below {
        let what = if found.rounding().is_some() {
            "the norm is off by more than its warning says"
        } else {
            "the norm is off, without a warning"
        };
        fault(
            what.to_owned(),
            format!("{:?} for {truth:?}: relative error {error:e}, {below:e} is said", found.spectral),
        );
    }
    faults
}

/// A lower bound on the norm over the largest token of an experiment's Jacobian; 0 where it has none.
#[must_use]
pub fn reached_token_norm_of(experiment: &Experiment) -> f64 {
    let of = |experiment: &Experiment| -> Result<f64, InputError> {
        let inputs = inputs(experiment)?;
        if inputs.ln_multiplicities.is_some() {
            // A row and a column of this matrix stand for many tokens.
            return Ok(0.0);
        }
        let forward = Forward::<f64>::new(experiment, &inputs)?;
        Ok(reached_token_norm(&dense_jacobian(&forward), inputs.tokens.ncols(), inputs.tokens.nrows()))
    };
    of(experiment).unwrap_or(0.0)
}

/// A lower bound on the norm over the largest token: for each output token, every input token moves along the right singular
/// direction of its block that adds most to a common direction of the output, found by a few rounds of alternation.
#[must_use]
pub fn reached_token_norm(jacobian: &DMatrix<f64>, n: usize, d: usize) -> f64 {
    let d_out = jacobian.nrows() / n;
    let scale = jacobian.amax();
    if scale == 0.0 || !scale.is_finite() {
        return 0.0;
    }
    // Squares of tiny entries would underflow.
    let jacobian = jacobian / scale;
    let of_row = |i: usize| {
        let row: DMatrix<f64> = jacobian.rows(i * d_out, d_out).into_owned();
        (0..d_out)
            .map(|start| {
                let mut u = DMatrix::from_fn(d_out, 1, |at, _| f64::from(u8::from(at == start)));
                let mut reached = 0.0;
                for _ in 0..8 {
                    let mut sum = DMatrix::zeros(d_out, 1);
                    for j in 0..n {
                        let block = row.columns(j * d, d);
                        let pulled = block.tr_mul(&u);
                        let length = pulled.norm();
                        if length > 0.0 {
                            sum += block * pulled / length;
                        }
                    }
                    reached = sum.norm();
                    if reached == 0.0 {
                        break;
                    }
                    u = sum / reached;
                }
                reached
            })
            .fold(0.0, f64::max)
    };
    // The directions have length one to rounding.
    scale * (0..n).map(of_row).fold(0.0, f64::max) * (1.0 - 1e-14)
}
