//! The set of allowed tokens of a search: the ball of radius R, or the sphere.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// The set of allowed tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Region {
    /// |x_i| <= R.
    #[default]
    Ball,
    /// |x_i| = R.
    Sphere,
}

/// A token within this relative distance of the sphere counts as on it.
const ON_SPHERE: f64 = 1e-9;

/// Rounding left by scaling a token to norm R; within it, projecting again changes nothing.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

impl Region {
    /// Its name in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// Projects the tokens (d x n) onto the region.
    #[must_use]
    #[doc(hidden)]
    pub fn project(self, mut tokens: DMatrix<f64>, radius: f64) -> DMatrix<f64> {
        for mut token in tokens.column_iter_mut() {
            let norm = token.norm();
            match self {
                Region::Ball if norm <= radius * (1.0 + ROUNDING) => {}
                Region::Sphere if (norm - radius).abs() <= ROUNDING * radius => {}
                // The origin is equally far from every point of the sphere; the first axis is chosen.
                Region::Sphere if norm == 0.0 => token[0] = radius,
                _ => token *= radius / norm,
            }
        }
        tokens
    }

    /// The part of a direction (d x n) that does not lead out of the region at the given tokens.
    #[must_use]
    #[doc(hidden)]
    pub fn feasible(self, mut direction: DMatrix<f64>, tokens: &DMatrix<f64>, radius: f64) -> DMatrix<f64> {
        for (mut step, token) in direction.column_iter_mut().zip(tokens.column_iter()) {
            let square = token.norm_squared();
            let outward = step.dot(&token);
            let leaves = match self {
                Region::Sphere => true,
                Region::Ball => outward > 0.0 && square.sqrt() >= radius * (1.0 - ON_SPHERE),
            };
            if leaves && square > 0.0 {
                step.axpy(-outward / square, &token, 1.0);
            }
        }
        direction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_put_back_and_outward_directions_are_turned_along_the_edge() {
        let tokens = DMatrix::from_column_slice(2, 3, &[3.0, 4.0, 0.3, 0.4, 0.0, 0.0]);
        let ball = Region::Ball.project(tokens.clone(), 2.0);
        assert!((ball.column(0).norm() - 2.0).abs() < 1e-15 && ball[(0, 1)] == 0.3);
        let sphere = Region::Sphere.project(tokens, 2.0);
        assert!(sphere.column_iter().all(|token| (token.norm() - 2.0).abs() < 1e-15));
        let outward = ball.clone();
        let along = Region::Ball.feasible(outward.clone(), &ball, 2.0);
        assert!(along.column(0).norm() < 1e-15 && along[(1, 1)] == 0.4);
        assert_eq!(Region::Ball.feasible(-&outward, &ball, 2.0), -&outward);
        assert!(Region::Sphere.feasible(-outward, &sphere, 2.0).column(1).norm() < 1e-15);
    }
}
