//! From an experiment to its token matrix X = [x_1 .. x_n], d x n, a column a token.

use nalgebra::{DMatrix, DVector};

use crate::experiment::{InputError, Law, RandomTokens, Rows};
use crate::random::{Random, Stream};

/// Tokens drawn from a law, d x n. The first tokens of a longer draw are the tokens of a shorter one.
#[must_use]
pub fn random_tokens(law: &RandomTokens) -> DMatrix<f64> {
    let mut random = Random::new(law.seed, Stream::Tokens);
    let (d, radius) = (law.d, law.radius);
    let mut tokens = DMatrix::zeros(d, law.n);
    for mut token in tokens.column_iter_mut() {
        token.iter_mut().for_each(|x| *x = random.normal());
        let norm = token.norm();
        match law.law {
            Law::Gaussian => {
                token *= radius / (d as f64).sqrt();
                let norm = token.norm();
                if norm > radius {
                    token *= radius / norm;
                }
            }
            Law::Sphere => token *= radius / norm.max(f64::MIN_POSITIVE),
            Law::Ball => {
                // Uniform in the ball: the radius is the d-th root of a uniform number.
                let shrink = libm::pow(random.uniform(), 1.0 / d as f64);
                token *= radius * shrink / norm.max(f64::MIN_POSITIVE);
            }
        }
    }
    tokens
}

/// Tokens listed as rows, d x n.
#[must_use]
pub fn listed_tokens(rows: &Rows) -> DMatrix<f64> {
    DMatrix::from_column_slice(rows.n_columns(), rows.n_rows(), rows.entries())
}

/// n of the listed tokens, drawn without replacement and kept in their order, d x n; all of them where n is as large.
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

/// The adversarial tokens of [C] (and its published script) for A, d x n: R (-u, u, .., u) or R (u, u/2, .., u/2),
/// with u a real eigenvector of A, whichever of the lowest and the highest eigenvalue serves better.
///
/// # Errors
/// [`InputError::NoRealEigenvalue`].
pub fn adversarial_tokens(a: &DMatrix<f64>, n: usize, radius: f64) -> Result<DMatrix<f64>, InputError> {
    let (lambda_min, lambda_max) = extreme_real_eigenvalues(a)?;
    let from_highest = lambda_max > -8.0 * lambda_min;
    let u = eigenvector(a, if from_highest { lambda_max } else { lambda_min });
    let (first, others) = if from_highest { (radius, 0.5 * radius) } else { (-radius, radius) };
    Ok(DMatrix::from_fn(a.nrows(), n, |row, col| u[row] * if col == 0 { first } else { others }))
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
    Ok((real.iter().copied().fold(f64::INFINITY, f64::min), real.iter().copied().fold(f64::NEG_INFINITY, f64::max)))
}

/// A unit eigenvector for a real eigenvalue: the last right singular vector of A - lambda I, its largest entry positive.
fn eigenvector(a: &DMatrix<f64>, lambda: f64) -> DVector<f64> {
    let d = a.nrows();
    let shifted = a - DMatrix::identity(d, d) * lambda;
    let gram = shifted.transpose() * shifted;
    let eigen = gram.symmetric_eigen();
    let mut u: DVector<f64> = eigen.eigenvectors.column(eigen.eigenvalues.imin()).into_owned();
    let lead = u[u.iamax()];
    u /= lead.signum() * u.norm();
    u
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_stays_in_its_ball_and_the_sphere_on_it() {
        for law in [Law::Gaussian, Law::Sphere, Law::Ball] {
            let tokens = random_tokens(&RandomTokens { law, n: 500, d: 3, radius: 2.5, seed: 9 });
            for token in tokens.column_iter() {
                assert!(token.norm() <= 2.5 * (1.0 + 1e-12), "{law:?}: {}", token.norm());
                if law == Law::Sphere {
                    assert!((token.norm() - 2.5).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn a_longer_draw_begins_with_the_shorter_one() {
        let draw = |n| random_tokens(&RandomTokens { law: Law::Ball, n, d: 3, radius: 1.0, seed: 4 });
        assert_eq!(draw(7), draw(50).columns(0, 7).into_owned());
    }

    #[test]
    fn adversarial_tokens_of_minus_one_are_the_papers() {
        let tokens = adversarial_tokens(&DMatrix::from_element(1, 1, -1.0), 4, 2.0).expect("a real eigenvalue");
        assert_eq!(tokens.as_slice(), &[-2.0, 2.0, 2.0, 2.0]);
        let tokens = adversarial_tokens(&DMatrix::from_element(1, 1, 1.0), 3, 2.0).expect("a real eigenvalue");
        assert_eq!(tokens.as_slice(), &[2.0, 1.0, 1.0]);
    }

    #[test]
    fn a_rotation_has_no_real_eigenvalue() {
        let rotation = DMatrix::from_row_slice(2, 2, &[0.0, -1.0, 1.0, 0.0]);
        assert_eq!(adversarial_tokens(&rotation, 4, 1.0), Err(InputError::NoRealEigenvalue));
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
