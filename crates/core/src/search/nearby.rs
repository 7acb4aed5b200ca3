//! The largest norm near given tokens: projected ascent where every token stays within eps of its own place.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::gradient::{AttentionAt, gradient_of_attention, norm_of_attention};
use crate::experiment::InputError;
use crate::random::{Random, Stream};
use crate::spectral::{LanczosOptions, SingularTriplet};
use crate::tokens::largest_norm;

/// The effort of a search near given tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearbyEffort {
    /// Number of starts: first the best tokens known within eps, then random ones.
    pub restarts: usize,
    /// The most gradient steps of each start.
    pub iterations: usize,
    /// Seed of the random starts.
    pub seed: u64,
}

impl NearbyEffort {
    /// The usual effort.
    #[doc(hidden)]
    pub const DEFAULT: NearbyEffort = NearbyEffort { restarts: 3, iterations: 40, seed: 0 };
}

/// The first step moves the token with the largest gradient by this times eps.
const FIRST_STEP: f64 = 0.5;
/// The shortest step, in units of eps.
const LEAST_STEP: f64 = 1e-4;

/// A search over all tokens x'_i with |x'_i - x_i| <= eps, where the places x_i are given tokens. Every norm that it
/// finds is a lower bound on the largest norm.
#[derive(Clone, Debug)]
pub struct NearbySearch {
    eps: f64,
    effort: NearbyEffort,
    /// When the iterations for norms stop.
    options: LanczosOptions,
    first: DMatrix<f64>,
    /// The number of restarts begun.
    begun: usize,
    current: Option<Ascent>,
    best: Option<(DMatrix<f64>, f64)>,
}

/// The restart under way.
#[derive(Clone, Debug)]
struct Ascent {
    tokens: DMatrix<f64>,
    triplet: SingularTriplet,
    /// Length of the next step in units of eps.
    step: f64,
    /// Gradient steps so far.
    iterations: usize,
}

impl NearbySearch {
    /// Begins at `first` (d x n). Each of its tokens must lie within eps >= 0 of the same token of the `places` that
    /// [`NearbySearch::step`] is given.
    #[must_use]
    pub fn new(first: DMatrix<f64>, eps: f64, effort: NearbyEffort) -> Self {
        let options = LanczosOptions::default();
        NearbySearch { eps, effort, options, first, begun: 0, current: None, best: None }
    }

    /// The same search with norms from iterations that stop so: a loose tolerance takes less time and finds a little less.
    #[must_use]
    pub fn with_options(self, options: LanczosOptions) -> Self {
        NearbySearch { options, ..self }
    }

    /// The best tokens so far (d x n) and ||J|| there; `None` before the first step.
    #[must_use]
    pub fn best(&self) -> Option<(&DMatrix<f64>, f64)> {
        self.best.as_ref().map(|(tokens, norm)| (tokens, *norm))
    }

    /// One start or one gradient step around `places` (d x n); `false` when nothing is left to do.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if scores overflow at a start.
    pub fn step(&mut self, attention: &impl AttentionAt, places: &DMatrix<f64>) -> Result<bool, InputError> {
        let ascent = match self.current.take() {
            None if self.begun >= self.effort.restarts.max(1) => return Ok(false),
            None => {
                let tokens = self.start(places);
                let triplet = norm_of_attention(attention, &tokens, None, self.options)?;
                self.begun += 1;
                Some(Ascent { tokens, triplet, step: FIRST_STEP, iterations: 0 })
            }
            Some(ascent) => self.ascended(ascent, attention, places)?,
        };
        if let Some(ascent) = &ascent
            && self.best.as_ref().is_none_or(|(_, norm)| ascent.triplet.value > *norm)
        {
            self.best = Some((ascent.tokens.clone(), ascent.triplet.value));
        }
        self.current = ascent;
        Ok(true)
    }

    /// The first tokens of the next restart.
    fn start(&self, places: &DMatrix<f64>) -> DMatrix<f64> {
        if self.begun == 0 {
            return self.first.clone();
        }
        let mut random = Random::new(self.effort.seed, Stream::AscentStart(self.begun));
        let mut tokens = places.clone();
        tokens.iter_mut().for_each(|x| *x += self.eps * random.normal());
        near(tokens, places, self.eps)
    }

    /// A gradient step, kept where the norm grows and made shorter where it does not; `None` at the end of the restart.
    fn ascended(
        &self,
        ascent: Ascent,
        attention: &impl AttentionAt,
        places: &DMatrix<f64>,
    ) -> Result<Option<Ascent>, InputError> {
        let Ascent { tokens, triplet, step, iterations } = ascent;
        if iterations >= self.effort.iterations || step <= LEAST_STEP || self.eps <= 0.0 {
            return Ok(None);
        }
        let direction = gradient_of_attention(attention, &tokens, &triplet)?;
        let steepest = largest_norm(&direction);
        if !(steepest > 0.0 && steepest.is_finite()) {
            return Ok(None);
        }
        let moved = near(&tokens + direction * (step * self.eps / steepest), places, self.eps);
        let iterations = iterations + 1;
        Ok(Some(match norm_of_attention(attention, &moved, Some(&triplet.right), self.options) {
            Ok(there) if there.value > triplet.value => {
                Ascent { tokens: moved, triplet: there, step: (step * 1.6).min(2.0), iterations }
            }
            // Tokens whose norm cannot be computed count as no gain.
            _ => Ascent { tokens, triplet, step: step * 0.3, iterations },
        }))
    }
}

/// Moves every token that is farther than eps from its place back to that distance.
fn near(mut tokens: DMatrix<f64>, places: &DMatrix<f64>, eps: f64) -> DMatrix<f64> {
    for (mut token, place) in tokens.column_iter_mut().zip(places.column_iter()) {
        let away = &token - place;
        let distance = away.norm();
        if distance > eps {
            token.copy_from(&(place + away * (eps / distance)));
        }
    }
    tokens
}
