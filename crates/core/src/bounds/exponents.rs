//! The exponents that bound column sums of P, for every A (ours, docs/theory.md section 2).
//!
//! With S = (A + A^T)/2 and S_sigma = S + sigma I positive definite, sigma >= 0,
//!
//! gamma = min_sigma [sigma + ||A S_sigma^-1 A^T||/4] = max over |x|, |y| <= 1 of y.A x - x.A x.
//!
//! Every sigma gives an upper bound, so that the search over sigma may stop anywhere. It is convex in sigma; the search
//! cuts the interval where the tangents at its two ends meet.

use nalgebra::{DMatrix, DVector};

use crate::spectral::{largest_eigenvalue, largest_singular_value, leading_eigenvector};

/// The exponents of a head. They are those for R = 1: on the ball of radius R all of them are times R^2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Exponents {
    /// gamma: without a mask no column of P has a sum above e^Gamma, Gamma = gamma R^2.
    pub(crate) gamma: f64,
    /// sigma + m/4 at the sigma of `bend`: `gamma`, or more where the norm of A alone gives a smaller gamma.
    pub(crate) keys: f64,
    /// m = ||A S_sigma^-1 A^T|| at the sigma of `keys`.
    pub(crate) bend: f64,
    /// gamma of S, plus 2 ||A - S||: the exponent under the causal mask.
    pub(crate) causal: f64,
    /// ||S|| less gamma of S: it stands beside ln n under the causal mask.
    pub(crate) causal_rest: f64,
}

impl Exponents {
    /// Those of the matrices of this norm with the largest exponents.
    pub(crate) fn of_norm(a_norm: f64) -> Self {
        // A = -||A|| I has gamma = 2 ||A|| at sigma = 3/2 ||A||. Under the mask nothing is known of all A of this norm.
        // Every A has m <= 2 ||A|| at this sigma.
        let most = 2.0 * a_norm;
        Exponents { gamma: most, keys: most, bend: most, causal: f64::INFINITY, causal_rest: 0.0 }
    }

    /// Those of A (e x e), whose norm is `a_norm`, and directions of the x at which y.A x - x.A x is largest.
    pub(crate) fn of(a: &DMatrix<f64>, a_norm: f64) -> (Self, Vec<DVector<f64>>) {
        let most = Exponents::of_norm(a_norm);
        let (scale, size) = (a.amax(), a.nrows());
        if size > MOST_ROWS || a.iter().any(|x| !x.is_finite()) {
            return (most, Vec::new());
        }
        if scale == 0.0 {
            return (Exponents { gamma: 0.0, keys: 0.0, bend: 0.0, causal: 0.0, causal_rest: 0.0 }, Vec::new());
        }
        let a = a / scale;
        let pencil = Pencil::of(&a);
        let (lowest, highest) = (pencil.values.min() - pencil.slack, pencil.values.max() + pencil.slack);
        let (of_symmetric, norm) = (gamma_of_symmetric(lowest, highest), highest.max(-lowest));
        let skew = (&a - a.transpose()) * 0.5;
        // For a large A its Frobenius norm stands for the norm: unless it is near zero no bound uses it.
        let skew = if size <= SMALL { largest_singular_value(&skew) } else { skew.norm() };
        let minimum = pencil.minimum();
        let found = Exponents {
            gamma: (minimum.gamma * scale).min(most.gamma),
            keys: minimum.gamma * scale,
            bend: minimum.bend * scale,
            causal: (of_symmetric + 2.0 * skew) * scale,
            causal_rest: (norm - of_symmetric) * scale,
        };
        (found, minimum.directions)
    }

    /// The exponents of the ball of radius R.
    pub(crate) fn on_ball(self, radius: f64) -> Self {
        let square = radius * radius;
        let Exponents { gamma, keys, bend, causal, causal_rest } = self;
        // 0 times infinity is no exponent.
        let causal = if causal == f64::INFINITY { causal } else { causal * square };
        Exponents {
            gamma: gamma * square,
            keys: keys * square,
            bend: bend * square,
            causal,
            causal_rest: causal_rest * square,
        }
    }

    /// Those of attention whose scores differ by at most `by` from the ones that A gives: no attention weight is then
    /// more than e^(2 by) times as large, so that every column sum grows by at most this factor.
    pub(crate) fn with_scores_moved(self, by: f64) -> Self {
        let more = 2.0 * by;
        Exponents { gamma: self.gamma + more, keys: self.keys + more, causal: self.causal + more, ..self }
    }
}

/// gamma of a symmetric matrix, from its lowest and highest eigenvalue. The eigenvalue lambda alone has sigma +
/// lambda^2/(4 (lambda + sigma)), which is convex in lambda, so that one of the two is largest at every sigma.
fn gamma_of_symmetric(lowest: f64, highest: f64) -> f64 {
    let l = (-lowest).max(0.0);
    if highest <= 3.0 * l { 2.0 * l } else { l * highest / (highest - l) + 0.25 * (highest - l) }
}

/// The minimum over sigma.
struct Minimum {
    /// Its value, gamma.
    gamma: f64,
    /// ||A S_sigma^-1 A^T|| there.
    bend: f64,
    /// S_sigma^-1 A^T y at both ends of the last interval, with y the leading eigenvector. The x of the maximum points
    /// along one of them, unless the leading eigenvalue is a multiple one.
    directions: Vec<DVector<f64>>,
}

/// The largest matrix whose exponents are computed: above it 2 ||A|| stands for gamma.
const MOST_ROWS: usize = 256;
/// Up to this size each sigma is decomposed. Above it, a power iteration that starts from the vector of the sigma before
/// chooses sigma, and only the last one is decomposed.
const SMALL: usize = 24;
/// Steps of that power iteration.
const POWER_STEPS: usize = 6;
/// The most values of sigma: far fewer are needed.
const MOST_CUTS: usize = 80;
/// The search stops where the value is within this of the lowest that the tangents allow, relative.
const CLOSE: f64 = 1e-13;

/// The value at a sigma, its slope there, and the leading eigenvector.
struct Cut {
    sigma: f64,
    value: f64,
    slope: f64,
    leading: DVector<f64>,
}

/// A in the basis of the eigenvectors of S.
struct Pencil {
    /// The eigenvalues of S.
    values: DVector<f64>,
    /// The eigenvectors of S.
    vectors: DMatrix<f64>,
    /// A times the eigenvectors of S.
    turned: DMatrix<f64>,
    /// At least ||A||.
    norm: f64,
    /// What rounding of S and of A may change, as a multiple of the identity.
    slack: f64,
    /// A start of the power iteration.
    start: DVector<f64>,
}

impl Pencil {
    fn of(a: &DMatrix<f64>) -> Self {
        let eigen = symmetric_part(a).symmetric_eigen();
        let (turned, norm) = (a * &eigen.eigenvectors, a.norm());
        Pencil {
            values: eigen.eigenvalues,
            vectors: eigen.eigenvectors,
            turned,
            norm,
            slack: 4.0 * (a.nrows() as f64 + 8.0).powi(2) * f64::EPSILON * norm,
            start: DVector::from_fn(a.nrows(), |row, _| 1.0 + 1.0 / (row as f64 + 1.0)),
        }
    }

    /// The minimum over sigma, as an upper bound. If rounding changed S and A by at most `slack`, then sigma and a quarter
    /// of the norm hold for the true ones where both are larger by `slack`: [[S_sigma, A^T/2], [A/2, norm/4]] is then
    /// positive semidefinite.
    fn minimum(mut self) -> Minimum {
        let low = (-self.values.min()).max(0.0) + self.slack;
        let (mut left, mut right) = (self.at(low), self.at(low + 2.0 * self.norm));
        for _ in 0..MOST_CUTS {
            let (width, slopes) = (right.sigma - left.sigma, right.slope - left.slope);
            let is_between = left.slope < 0.0 && right.slope > 0.0 && width > f64::EPSILON * right.sigma;
            if !is_between {
                break;
            }
            // The tangents at both ends meet at this sigma, and no value is below that at which they meet.
            let meet = left.sigma + (right.slope * width - (right.value - left.value)) / slopes;
            let least = left.value + left.slope * (meet - left.sigma);
            let best = left.value.min(right.value);
            if best - least <= CLOSE * best {
                break;
            }
            // Near the pole the tangents are so steep that they meet beside it: there the logarithm is halved.
            let (near, far) = (left.sigma - low + self.slack, right.sigma - low);
            let sigma = if far > 16.0 * near {
                low + (near * far).sqrt()
            } else {
                meet.clamp(left.sigma + 0.05 * width, right.sigma - 0.05 * width)
            };
            let found = self.at(sigma);
            if found.slope < 0.0 { left = found } else { right = found }
        }
        let directions = [&left, &right].map(|cut| &self.vectors * self.pulled(cut.sigma, &cut.leading)).into();
        let sigma = if left.value <= right.value { left.sigma } else { right.sigma };
        let bend = largest_eigenvalue(&self.matrix(sigma)) + 4.0 * self.slack;
        Minimum { gamma: sigma + self.slack + 0.25 * bend, bend, directions }
    }

    /// A S_sigma^-1 A^T.
    fn matrix(&self, sigma: f64) -> DMatrix<f64> {
        let mut weighted = self.turned.clone();
        for (mut column, value) in weighted.column_iter_mut().zip(self.values.iter()) {
            column /= value + sigma;
        }
        weighted * self.turned.transpose()
    }

    /// S_sigma^-1 A^T y in the basis of the eigenvectors.
    fn pulled(&self, sigma: f64, y: &DVector<f64>) -> DVector<f64> {
        self.turned.tr_mul(y).zip_map(&self.values, |along, value| along / (value + sigma))
    }

    fn at(&mut self, sigma: f64) -> Cut {
        let leading = if self.values.len() <= SMALL {
            leading_eigenvector(self.matrix(sigma))
        } else {
            let mut y = self.start.clone();
            for _ in 0..POWER_STEPS {
                let next = &self.turned * self.pulled(sigma, &y);
                let size = next.norm();
                if !(size > 0.0 && size.is_finite()) {
                    break;
                }
                y = next / size;
            }
            self.start.copy_from(&y);
            y
        };
        let pulled = self.pulled(sigma, &leading);
        let norm = leading.dot(&(&self.turned * &pulled));
        let slope = 1.0 - 0.25 * pulled.norm_squared();
        Cut { sigma, value: sigma + 0.25 * norm, slope, leading }
    }
}

fn symmetric_part(a: &DMatrix<f64>) -> DMatrix<f64> {
    (a + a.transpose()) * 0.5
}
