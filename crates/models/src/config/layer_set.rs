//! A set of layers of a model, such as those whose attention has a window.

use serde::{Deserialize, Serialize};

/// The most layers of a model; far above existing models.
pub(crate) const MAX_LAYERS: usize = 1_024;
const WORDS: usize = MAX_LAYERS / 64;

/// A set of layers, each by its index below `MAX_LAYERS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerSet([u64; WORDS]);

impl LayerSet {
    /// The layers below [`MAX_LAYERS`] for which `has` is true.
    pub(crate) fn of(has: impl Fn(usize) -> bool) -> Self {
        let word = |word: usize| (0..64).fold(0, |bits, at| bits | u64::from(has(64 * word + at)) << at);
        LayerSet(std::array::from_fn(word))
    }

    /// Whether a layer is in the set.
    #[must_use]
    pub fn has(&self, layer: usize) -> bool {
        self.0.get(layer / 64).is_some_and(|bits| bits >> (layer % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_the_layers_of_its_rule_and_none_beyond() {
        let set = LayerSet::of(|layer| layer % 3 == 1);
        assert!((0..MAX_LAYERS).all(|layer| set.has(layer) == (layer % 3 == 1)) && !set.has(MAX_LAYERS + 1));
    }
}
