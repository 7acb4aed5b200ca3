//! What of the state each kind of work depends on: a change of anything else orders nothing anew.

use lipscope_core::bounds::Norm;

use super::{GrowthView, PageState, RadiusLaw, TokenChoice, WeightChoice};

impl PageState {
    /// The state as far as a measurement depends on it.
    #[must_use]
    pub fn for_measuring(&self) -> Self {
        let first = PageState::default();
        // All norms come together, but for the one that is dear.
        let norm = if self.norm == Norm::MaxToken { self.norm } else { first.norm };
        PageState {
            norm,
            x_axis: first.x_axis,
            sweep_max: first.sweep_max,
            draws: first.draws,
            growth: first.growth,
            ..self.clone()
        }
    }

    /// The state as far as a sweep depends on it: not on n, which it runs through.
    #[must_use]
    pub fn for_sweeping(&self) -> Self {
        let first = PageState::default();
        // The norms that need every entry come together.
        let norm = match self.norm {
            Norm::Linf | Norm::L1 | Norm::Frobenius => Norm::Frobenius,
            Norm::Spectral | Norm::MaxToken => self.norm,
        };
        PageState {
            // Of the worst tokens there is one list a length: the draws beside them are of the ball.
            tokens: self.tokens.or_random(),
            norm,
            x_axis: first.x_axis,
            head_shown: 0,
            n: first.n,
            draws: self.draws_used(),
            sweep_max: self.sweep_max_used(),
            growth: first.growth,
            ..self.clone()
        }
    }

    /// The state as far as the bounds beside a sweep depend on it: on the ball, not on which tokens are drawn in it, nor on
    /// n, which they run through.
    #[must_use]
    pub fn for_curves(&self) -> Self {
        self.for_sweeping().for_ball()
    }

    /// The state as far as the curves over n depend on it: on n only where R or A is set by it, or where it is read.
    #[must_use]
    pub fn for_growth(&self) -> Self {
        let first = PageState::default();
        let n = self.n_tokens();
        let needs_n = self.tokens == TokenChoice::Skew
            || self.growth.radius_law == RadiusLaw::SqrtLog
            || self.read_at() == n
            || self.growth_end() == n;
        PageState {
            norm: first.norm,
            x_axis: first.x_axis,
            head_shown: 0,
            draws: first.draws,
            token_seed: first.token_seed,
            n: if needs_n { self.n } else { first.n },
            growth: GrowthView {
                range: self.growth.range,
                at: self.growth.at,
                radius_law: self.growth.radius_law,
                ..first.growth
            },
            ..self.clone()
        }
    }

    /// The state as far as the ball depends on it: on its radius and n, not on which tokens of a distribution are drawn in it.
    #[must_use]
    pub fn for_ball(&self) -> Self {
        PageState {
            tokens: self.tokens.or_random(),
            token_seed: PageState::default().token_seed,
            ..self.without_view()
        }
    }

    /// The state without what only says how it is looked at: the norm that is shown, the plot's lengths and draws, the view
    /// over n.
    pub(super) fn without_view(&self) -> Self {
        let first = PageState::default();
        PageState {
            norm: first.norm,
            x_axis: first.x_axis,
            sweep_max: first.sweep_max,
            draws: first.draws,
            head_shown: 0,
            growth: first.growth,
            ..self.clone()
        }
    }
}

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
