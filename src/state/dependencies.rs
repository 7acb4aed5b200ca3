//! The part of the state that each kind of work depends on: other changes order no new work. A new field of the state
//! orders all work anew; it is named here only if some work does not depend on it.

use lipscope_core::bounds::Norm;

use super::{GrowthView, PageState, RadiusGrowth, TokenChoice, WeightChoice};

impl PageState {
    /// The part of the state that a measurement depends on.
    #[must_use]
    pub fn for_measuring(&self) -> Self {
        let first = PageState::default();
        // One measurement gives all norms but the expensive one.
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

    /// The part of the state that a sweep depends on. A sweep runs through n, so it does not depend on it.
    #[must_use]
    pub fn for_sweeping(&self) -> Self {
        let first = PageState::default();
        // One measurement gives all norms that need every entry.
        let norm = match self.norm {
            Norm::Linf | Norm::L1 | Norm::Frobenius => Norm::Frobenius,
            Norm::Spectral | Norm::MaxToken => self.norm,
        };
        PageState {
            // There is one list of worst tokens per length, so the draws beside it are random tokens of the ball.
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

    /// The part of the state that the bounds beside a sweep depend on. They depend on the ball, not on the tokens drawn
    /// in it. They run through n, so they do not depend on it.
    #[must_use]
    pub fn for_curves(&self) -> Self {
        self.for_sweeping().for_ball()
    }

    /// The part of the state that the curves over n depend on. They depend on n only where it sets R or A, or where
    /// they are read.
    #[must_use]
    pub fn for_growth(&self) -> Self {
        let first = PageState::default();
        let n = self.n_tokens();
        let needs_n = self.tokens == TokenChoice::Skew
            || self.growth.radius_growth == RadiusGrowth::SqrtLog
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
                radius_growth: self.growth.radius_growth,
                ..first.growth
            },
            ..self.clone()
        }
    }

    /// The part of the state that the bounds on the ball depend on: its radius and n, not which random tokens are drawn
    /// in it.
    #[must_use]
    pub fn for_ball(&self) -> Self {
        PageState {
            tokens: self.tokens.or_random(),
            token_seed: PageState::default().token_seed,
            ..self.without_view()
        }
    }

    /// The state without settings of the view: the norm that is shown, the plot's lengths and draws, the view over n.
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
    /// Kernel, mask, normaliser and weights. It has tokens only where they bring their own weights, and d only where
    /// weights are drawn for it.
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
