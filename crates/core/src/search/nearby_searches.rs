//! Searches within several eps of the same tokens, one after the other.

use nalgebra::DMatrix;

use super::gradient::AttentionAt;
use super::nearby::{NearbyEffort, NearbySearch};
use crate::experiment::InputError;
use crate::spectral::LanczosOptions;

/// The searches: each starts at the best tokens of the one before, unless its eps is smaller.
#[derive(Clone, Debug)]
pub struct NearbySearches {
    effort: NearbyEffort,
    options: LanczosOptions,
    over: usize,
    search: Option<NearbySearch>,
    /// The eps of the last search that is over, and its best tokens (d x n).
    reached: (f64, DMatrix<f64>),
    /// ||J|| at the best tokens of the last search that is over.
    reached_norm: Option<f64>,
}

impl NearbySearches {
    /// Searches around tokens (d x n), each of this length.
    #[must_use]
    pub fn new(places: &DMatrix<f64>, effort: NearbyEffort) -> Self {
        let (options, reached) = (LanczosOptions::default(), (0.0, places.clone()));
        NearbySearches { effort, options, over: 0, search: None, reached, reached_norm: None }
    }

    /// As [`NearbySearch::with_options`].
    #[must_use]
    pub fn with_options(self, options: LanczosOptions) -> Self {
        NearbySearches { options, ..self }
    }

    /// The number of searches that are over.
    #[must_use]
    pub fn over(&self) -> usize {
        self.over
    }

    /// The best tokens so far (d x n) and ||J|| there of the search that was stepped last.
    #[must_use]
    pub fn best(&self) -> Option<(&DMatrix<f64>, f64)> {
        match &self.search {
            Some(search) => search.best(),
            None => self.reached_norm.map(|norm| (&self.reached.1, norm)),
        }
    }

    /// Does one step of the present search within `eps` of `places`; the step that ends it makes way for the next one.
    ///
    /// # Errors
    /// As [`NearbySearch::step`].
    pub fn step(&mut self, eps: f64, attention: &impl AttentionAt, places: &DMatrix<f64>) -> Result<(), InputError> {
        let (effort, options, (reached, best)) = (self.effort, self.options, &self.reached);
        let search = self.search.get_or_insert_with(|| {
            let first = if eps >= *reached { best } else { places };
            NearbySearch::new(first.clone(), eps, effort).with_options(options)
        });
        if !search.step(attention, places)? {
            self.reached_norm = search.best().map(|(_, norm)| norm);
            if let Some((tokens, _)) = search.best() {
                self.reached = (eps, tokens.clone());
            }
            self.search = None;
            self.over += 1;
        }
        Ok(())
    }
}
