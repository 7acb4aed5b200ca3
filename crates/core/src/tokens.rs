//! Builds the token matrix X = [x_1 .. x_n] of an experiment, d x n, one column per token.

use nalgebra::{DMatrix, DVector};

use crate::experiment::{Distribution, InputError, RandomTokens, Rows, TokenSource};
use crate::extremum::{largest, maximum, minimum};
use crate::identity::multiple_of_identity;
use crate::qr::power_of_two;
use crate::random::{Random, Stream};

/// Draws tokens from a distribution, d x n. A list of n tokens is the beginning of every longer list with the same
/// seed.
#[must_use]
pub fn random_tokens(parameters: &RandomTokens) -> DMatrix<f64> {
    let mut random = Random::new(parameters.seed, Stream::Tokens);
    let (d, radius) = (parameters.d, parameters.radius);
    let mut tokens = DMatrix::zeros(d, parameters.n);
    for mut token in tokens.column_iter_mut() {
        token.iter_mut().for_each(|x| *x = random.normal());
        let norm = token.norm();
        match parameters.distribution {
            Distribution::Gaussian => {
                token *= radius / (d as f64).sqrt();
                let norm = token.norm();
                if norm > radius {
                    token *= radius / norm;
                }
            }
            Distribution::Sphere => token *= radius / norm.max(f64::MIN_POSITIVE),
            Distribution::Ball => {
                // Uniform in the ball: the radius is the d-th root of a uniform number.
                let shrink = libm::pow(random.uniform(), 1.0 / d as f64);
                token *= radius * shrink / norm.max(f64::MIN_POSITIVE);
            }
        }
    }
    tokens
}

/// The listed rows as a token matrix, d x n.
#[must_use]
pub fn listed_tokens(rows: &Rows) -> DMatrix<f64> {
    DMatrix::from_column_slice(rows.n_columns(), rows.n_rows(), rows.entries())
}

/// The largest norm of a token, 0 for an empty list.
#[must_use]
pub fn largest_norm(tokens: &DMatrix<f64>) -> f64 {
    let size = tokens.amax();
    if (1e-140..1e140).contains(&size) {
        return largest(tokens.column_iter().map(|token| token.norm()));
    }
    // Squares of these sizes leave the range of f64.
    let unit = power_of_two(size);
    largest(tokens.column_iter().map(|token| (token / unit).norm())) * unit
}

/// R of the ball that holds the tokens: the radius that their source states, or the largest norm of listed tokens.
#[must_use]
pub fn radius_of(source: &TokenSource, tokens: &DMatrix<f64>) -> f64 {
    match source {
        TokenSource::Random(random) => random.radius,
        TokenSource::Adversarial { radius, .. } | TokenSource::Skew { radius, .. } => *radius,
        TokenSource::Explicit(_) | TokenSource::Clusters { .. } => largest_norm(tokens),
    }
}

/// n of the tokens, drawn without replacement and kept in their order, d x n; all of them if n is at least their
/// number.
#[must_use]
pub fn subset(tokens: &DMatrix<f64>, n: usize, seed: u64) -> DMatrix<f64> {
    if n >= tokens.ncols() {
        return tokens.clone();
    }
    let mut random = Random::new(seed, Stream::Subset);
    let mut indices: Vec<usize> = (0..tokens.ncols()).collect();
    for slot in 0..n {
        let pick = slot + random.below(indices.len() - slot);
        indices.swap(slot, pick);
    }
    indices.truncate(n);
    indices.sort_unstable();
    tokens.select_columns(&indices)
}

/// The query and key matrices of a head, both k x d.
#[derive(Clone, Copy, Debug)]
pub struct QueryKey<'a> {
    /// k x d.
    pub q: &'a DMatrix<f64>,
    /// k x d.
    pub k: &'a DMatrix<f64>,
}

impl QueryKey<'_> {
    /// A = K^T Q / sqrt(k), d x d.
    #[must_use]
    pub fn a(self) -> DMatrix<f64> {
        self.k.tr_mul(self.q) / (self.q.nrows() as f64).sqrt()
    }
}

/// The adversarial tokens of \[C\] and of its published script: a line through the origin, and positions on it.
#[derive(Clone, Debug, PartialEq)]
pub struct AdversarialDirection {
    /// u, a unit eigenvector of A for a real eigenvalue, its largest entry positive.
    pub direction: DVector<f64>,
    /// The first token is `first` R u.
    pub first: f64,
    /// The other tokens are `others` R u.
    pub others: f64,
    /// gamma = max(-lambda_min, lambda_max/8) over the real eigenvalues of A.
    pub gamma: f64,
}

impl AdversarialDirection {
    /// The direction for a head: R (-u, u, .., u) with the lowest real eigenvalue, or R (u, u/2, .., u/2) with the
    /// highest if lambda_max > -8 lambda_min.
    ///
    /// # Errors
    /// [`InputError::NoRealEigenvalue`] if A has none.
    pub fn of(head: QueryKey<'_>) -> Result<Self, InputError> {
        let small = SmallProblem::of(head);
        let (lambda_min, lambda_max) = extreme_real_eigenvalues(&small.matrix)?;
        let from_highest = lambda_max > -8.0 * lambda_min;
        let direction = small.direction(head, if from_highest { lambda_max } else { lambda_min });
        let (first, others) = if from_highest { (1.0, 0.5) } else { (-1.0, 1.0) };
        Ok(AdversarialDirection { direction, first, others, gamma: (-lambda_min).max(lambda_max / 8.0) })
    }

    /// n adversarial tokens of the largest norm `radius`, d x n.
    #[must_use]
    pub fn tokens(&self, n: usize, radius: f64) -> DMatrix<f64> {
        let (first, others) = (radius * self.first, radius * self.others);
        DMatrix::from_fn(self.direction.len(), n, |row, col| {
            self.direction[row] * if col == 0 { first } else { others }
        })
    }
}

/// The adversarial tokens of a head, d x n.
///
/// # Errors
/// [`InputError::NoRealEigenvalue`] if A has none.
pub fn adversarial_tokens(head: QueryKey<'_>, n: usize, radius: f64) -> Result<DMatrix<f64>, InputError> {
    Ok(AdversarialDirection::of(head)?.tokens(n, radius))
}

/// Unit eigenvectors of A for its lowest and its highest real eigenvalue.
///
/// # Errors
/// [`InputError::NoRealEigenvalue`] if A has none.
pub fn extreme_real_eigenvectors(head: QueryKey<'_>) -> Result<[DVector<f64>; 2], InputError> {
    let small = SmallProblem::of(head);
    let (lambda_min, lambda_max) = extreme_real_eigenvalues(&small.matrix)?;
    Ok([lambda_min, lambda_max].map(|lambda| small.direction(head, lambda)))
}

/// The 2 x 2 matrix A of the skew witness (ours, docs/theory.md section 4): A = -c I + sqrt(||A||^2 - c^2) J, where J
/// is the quarter turn of the plane and c R^2 = (1/2) ln(n - 1), at most ||A|| R^2.
#[must_use]
pub fn skew_matrix(a_norm: f64, radius: f64, ln_n_minus_1: f64) -> DMatrix<f64> {
    let c = (0.5 * ln_n_minus_1 / (radius * radius)).min(a_norm);
    // The factored form keeps the digits that the difference of squares would lose.
    let turn = ((a_norm - c) * (a_norm + c)).max(0.0).sqrt();
    DMatrix::from_row_slice(2, 2, &[-c, -turn, turn, -c])
}

/// The tokens of the skew witness: R (-e, e, .., e) in the plane, 2 x n.
#[must_use]
pub fn skew_tokens(n: usize, radius: f64) -> DMatrix<f64> {
    DMatrix::from_fn(2, n, |row, col| match (row, col) {
        (0, 0) => -radius,
        (0, _) => radius,
        _ => 0.0,
    })
}

/// A small matrix with the nonzero eigenvalues of A: A itself, or for k < d the k x k matrix B = Q K^T / sqrt(k), where
/// B w = lambda w gives A K^T w = lambda K^T w, or, if Q and K are multiples of the identity and so A = s I, the 1 x 1
/// matrix s.
struct SmallProblem {
    matrix: DMatrix<f64>,
    side: Side,
}

enum Side {
    Tokens,
    Queries,
    /// A is a multiple of the identity: the first coordinate direction is an eigenvector like any other.
    Alike,
}

impl SmallProblem {
    fn of(head: QueryKey<'_>) -> Self {
        let (k, d) = head.q.shape();
        if let (Some(query), Some(key)) = (multiple_of_identity(head.q), multiple_of_identity(head.k)) {
            let a = key * query / (k as f64).sqrt();
            return SmallProblem { matrix: DMatrix::from_element(1, 1, a), side: Side::Alike };
        }
        match k < d {
            true => SmallProblem { matrix: head.q * head.k.transpose() / (k as f64).sqrt(), side: Side::Queries },
            false => SmallProblem { matrix: head.a(), side: Side::Tokens },
        }
    }

    /// The unit eigenvector of A for an eigenvalue, its largest entry positive.
    fn direction(&self, head: QueryKey<'_>, lambda: f64) -> DVector<f64> {
        let w = eigenvector(&self.matrix, lambda);
        let mut u = match self.side {
            Side::Tokens => w,
            Side::Queries => head.k.tr_mul(&w),
            Side::Alike => w.resize_vertically(head.q.ncols(), 0.0),
        };
        if u.norm() == 0.0 {
            u[0] = 1.0;
        }
        let lead = u[u.iamax()];
        let length = u.norm();
        u /= lead.signum() * length;
        u
    }
}

/// The lowest and the highest real eigenvalue of a square matrix.
fn extreme_real_eigenvalues(a: &DMatrix<f64>) -> Result<(f64, f64), InputError> {
    let scale = a.amax().max(f64::MIN_POSITIVE);
    let schur = nalgebra::Schur::try_new(a / scale, f64::EPSILON, 100 * a.nrows().max(10))
        .ok_or(InputError::NoRealEigenvalue)?;
    let real: Vec<f64> = schur
        .complex_eigenvalues()
        .iter()
        .filter(|z| z.im.abs() <= 1e-12 * z.re.abs().max(1e-3))
        .map(|z| z.re * scale)
        .collect();
    if real.is_empty() {
        return Err(InputError::NoRealEigenvalue);
    }
    let (lowest, highest) = (f64::INFINITY, f64::NEG_INFINITY);
    Ok((real.iter().copied().fold(lowest, minimum), real.iter().copied().fold(highest, maximum)))
}

/// A unit eigenvector for a real eigenvalue: the last right singular vector of A - lambda I.
fn eigenvector(a: &DMatrix<f64>, lambda: f64) -> DVector<f64> {
    let d = a.nrows();
    let shifted = a - DMatrix::identity(d, d) * lambda;
    let gram = shifted.transpose() * shifted;
    let eigen = gram.symmetric_eigen();
    eigen.eigenvectors.column(eigen.eigenvalues.imin()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_distribution_stays_in_its_ball_and_the_sphere_on_its_surface() {
        for distribution in [Distribution::Gaussian, Distribution::Sphere, Distribution::Ball] {
            let tokens = random_tokens(&RandomTokens { distribution, n: 500, d: 3, radius: 2.5, seed: 9 });
            for token in tokens.column_iter() {
                assert!(token.norm() <= 2.5 * (1.0 + 1e-12), "{distribution:?}: {}", token.norm());
                if distribution == Distribution::Sphere {
                    assert!((token.norm() - 2.5).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn a_longer_token_list_begins_with_the_shorter_one() {
        let draw = |n| random_tokens(&RandomTokens { distribution: Distribution::Ball, n, d: 3, radius: 1.0, seed: 4 });
        assert_eq!(draw(7), draw(50).columns(0, 7).into_owned());
    }

    #[test]
    fn adversarial_tokens_for_a_equal_to_minus_one_and_one_are_those_of_the_paper() {
        let (one, minus) = (DMatrix::from_element(1, 1, 1.0), DMatrix::from_element(1, 1, -1.0));
        let tokens = adversarial_tokens(QueryKey { q: &minus, k: &one }, 4, 2.0).expect("a real eigenvalue");
        assert_eq!(tokens.as_slice(), &[-2.0, 2.0, 2.0, 2.0]);
        let tokens = adversarial_tokens(QueryKey { q: &one, k: &one }, 3, 2.0).expect("a real eigenvalue");
        assert_eq!(tokens.as_slice(), &[2.0, 1.0, 1.0]);
    }

    #[test]
    fn a_rotation_has_no_real_eigenvalue() {
        let rotation = DMatrix::from_row_slice(2, 2, &[0.0, -1.0, 1.0, 0.0]);
        let identity = DMatrix::identity(2, 2);
        let head = QueryKey { q: &rotation, k: &identity };
        assert_eq!(adversarial_tokens(head, 4, 1.0), Err(InputError::NoRealEigenvalue));
    }

    #[test]
    fn eigenvectors_from_the_small_problem_are_eigenvectors_of_a() {
        let entry = |row: usize, col: usize, turn: f64| ((3 * row + 5 * col) as f64 * turn).sin();
        let (q, k) = (DMatrix::from_fn(3, 7, |r, c| entry(r, c, 1.3)), DMatrix::from_fn(3, 7, |r, c| entry(r, c, 0.7)));
        let head = QueryKey { q: &q, k: &k };
        for u in extreme_real_eigenvectors(head).expect("an odd size has a real eigenvalue") {
            let image = head.a() * &u;
            assert!((&image - &u * u.dot(&image)).norm() < 1e-10 * head.a().norm(), "{u} is not an eigenvector");
        }
    }

    #[test]
    fn the_skew_matrix_has_the_requested_norm() {
        for (a_norm, radius, ln_n) in [(1.0, 3.0, 10.0), (0.5, 1.0, 3.0), (1e3, 1e3, 41.0), (2.0, 1e-3, 5.0)] {
            let norm = skew_matrix(a_norm, radius, ln_n).singular_values()[0];
            assert!((norm / a_norm - 1.0).abs() < 1e-12, "{norm} for {a_norm}");
        }
    }

    #[test]
    fn a_subset_keeps_order_and_takes_each_token_once() {
        let tokens = DMatrix::from_fn(1, 10, |_, col| col as f64);
        let some = subset(&tokens, 6, 3);
        let list = some.as_slice();
        assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "{list:?}");
        assert_eq!(subset(&tokens, 10, 3), tokens);
    }
}
