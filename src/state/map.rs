//! The state as far as the map depends on it whose Jacobian is measured.

use super::{PageState, TokenChoice, WeightChoice};

impl PageState {
    /// Kernel, mask, normaliser and weights; tokens only where they bring weights of their own, d only where weights are
    /// drawn for it.
    #[must_use]
    pub fn for_map(&self) -> Self {
        let first = PageState::default();
        let is_skew = self.tokens == TokenChoice::Skew;
        let is_identity = matches!(self.weights, WeightChoice::IdentityPlus | WeightChoice::IdentityMinus);
        PageState {
            tokens: if is_skew { TokenChoice::Skew } else { first.tokens },
            n: if is_skew { self.n } else { first.n },
            d: if is_identity { first.d } else { self.dim() },
            radius: if is_skew { self.radius } else { first.radius },
            token_seed: first.token_seed,
            own_tokens: None,
            own_clusters: None,
            ..self.without_view()
        }
    }
}
