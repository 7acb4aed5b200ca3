//! The bounds on the ball as functions of n.

use super::{Bound, BoundId, Hypotheses, TwoClusterCurve};

/// All bounds on a ball, as functions of n: everything that does not depend on n is computed once.
#[derive(Clone, Debug)]
pub struct BoundsOverN {
    hypotheses: Hypotheses,
    curve: Option<TwoClusterCurve>,
}

impl BoundsOverN {
    /// Prepares the bounds for up to `longest` tokens; ignores the n of `hypotheses`.
    #[must_use]
    pub fn new(hypotheses: Hypotheses, longest: f64) -> Self {
        let curve = TwoClusterCurve::new(&hypotheses, longest.ln());
        BoundsOverN { hypotheses, curve }
    }

    /// The bounds that apply at n tokens.
    #[must_use]
    pub fn at(&self, n: f64) -> Vec<Bound> {
        let at = self.hypotheses.with_n(n);
        let two_clusters = |id| self.curve.as_ref()?.at(at.ln_n).map(|found| Bound::of_ln(id, found.norm.ln()));
        let bound = |id: BoundId| if id == BoundId::TwoClusters { two_clusters(id) } else { id.at(&at) };
        BoundId::ALL.into_iter().filter_map(bound).collect()
    }

    /// R of the ball.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.hypotheses.radius
    }
}
