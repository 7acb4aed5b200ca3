//! What the controls hold. Everything else on the page is derived from one [`PageState`].
//!
//! Every control keeps its value also while it does not apply, so that switching a law away and back loses nothing.

use std::sync::Arc;

use crate::experiment::{
    Attention, Experiment, Head, InputError, Law, Mask, Normalization, Output, RandomTokens, RandomWeights, Rows,
    Scope, TokenSource, WeightSource, limits,
};

use super::strings;

/// The most tokens the page measures: the matrices of one step must fit a browser's memory.
pub const MAX_N: usize = 4096;
/// The most numbers in the page's token matrix: 4096 tokens of 128 numbers.
pub const MAX_TOKEN_ENTRIES: usize = 4096 * 128;
/// The most dimensions of a token on the page.
pub const MAX_D: usize = 1024;
/// The most numbers in the page's weights: twelve heads of 64 for d = 768 are 2.4 million.
pub const MAX_WEIGHTS: usize = 8 << 20;

/// Something large that is shared between states and compared by identity.
#[derive(Debug)]
pub struct Shared<T>(pub Arc<T>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Where the tokens come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenChoice {
    /// A law of chance.
    Law(Law),
    /// The adversarial tokens of the first head's A.
    Adversarial,
    /// The reader's own.
    Own,
}

/// Where the weights come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightChoice {
    /// Drawn.
    Random,
    /// A = I.
    IdentityPlus,
    /// A = -I.
    IdentityMinus,
    /// The reader's own.
    Own,
}

/// How the main plot spaces n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XAxis {
    /// By the square root of n.
    SqrtN,
    /// By n.
    N,
    /// Both axes by their logarithm.
    LogLog,
}

/// The reader's own weights.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnWeights {
    /// At least one.
    pub heads: Vec<Head>,
    /// d_out x (sum of d_v).
    pub output: Option<Rows>,
}

/// The value of every control.
#[derive(Clone, Debug, PartialEq)]
pub struct PageState {
    /// Where the tokens come from.
    pub tokens: TokenChoice,
    /// Number of tokens.
    pub n: usize,
    /// Dimension of a token.
    pub d: usize,
    /// Radius of the ball that holds the tokens.
    pub radius: f64,
    /// Seed of random tokens.
    pub token_seed: u64,
    /// The reader's own tokens, once there are some.
    pub own_tokens: Option<Shared<Rows>>,
    /// Where the weights come from.
    pub weights: WeightChoice,
    /// Number of heads of random weights.
    pub heads: usize,
    /// k = d_v of random weights.
    pub head_dim: usize,
    /// Scale of random weights.
    pub scale: f64,
    /// Seed of random weights.
    pub weight_seed: u64,
    /// Whether random weights have an output matrix.
    pub output: Output,
    /// The reader's own weights, once there are some.
    pub own_weights: Option<Shared<OwnWeights>>,
    /// Which scores.
    pub attention: Attention,
    /// Which tokens a token may attend to.
    pub mask: Mask,
    /// What is done to each token before attention.
    pub normalization: Normalization,
    /// Which map the Jacobian is of, where there is a normaliser.
    pub scope: Scope,
    /// The normaliser's epsilon.
    pub eps: f64,
    /// How the main plot spaces n.
    pub x_axis: XAxis,
    /// The longest length of the sweep.
    pub sweep_max: usize,
    /// Draws a length.
    pub draws: usize,
    /// Which head's attention is pictured, from zero.
    pub head_shown: usize,
}

impl Default for PageState {
    /// The worked example of a first visit: the adversarial tokens of A = -1, at which the norm grows like sqrt n.
    fn default() -> Self {
        PageState {
            tokens: TokenChoice::Adversarial,
            n: 64,
            d: 2,
            radius: 3.0,
            token_seed: 0,
            own_tokens: None,
            weights: WeightChoice::IdentityMinus,
            heads: 1,
            head_dim: 8,
            scale: 1.0,
            weight_seed: 0,
            output: Output::Absent,
            own_weights: None,
            attention: Attention::Dot,
            mask: Mask::None,
            normalization: Normalization::None,
            scope: Scope::Inputs,
            eps: 1e-5,
            x_axis: XAxis::SqrtN,
            sweep_max: 256,
            draws: 8,
            head_shown: 0,
        }
    }
}

impl PageState {
    /// The number of tokens that is measured.
    #[must_use]
    pub fn n_tokens(&self) -> usize {
        match (&self.tokens, &self.own_tokens) {
            (TokenChoice::Own, Some(rows)) => rows.0.n_rows(),
            _ => self.n,
        }
    }

    /// The token dimension that is measured: some choices fix it.
    #[must_use]
    pub fn dim(&self) -> usize {
        match (&self.tokens, &self.own_tokens) {
            (TokenChoice::Own, Some(rows)) => rows.0.n_columns(),
            (TokenChoice::Adversarial, _) => self.dim_of_weights().unwrap_or(1),
            _ => self.own_weight_dim().unwrap_or(self.d),
        }
    }

    /// The number of heads that is measured.
    #[must_use]
    pub fn n_heads(&self) -> usize {
        match (self.weights, &self.own_weights) {
            (WeightChoice::Random, _) => self.heads,
            (WeightChoice::Own, Some(own)) => own.0.heads.len(),
            _ => 1,
        }
    }

    /// k of the heads that are measured.
    #[must_use]
    pub fn head_dim_used(&self) -> usize {
        match (self.weights, &self.own_weights) {
            (WeightChoice::Own, Some(own)) => own.0.heads.first().map_or(self.head_dim, |head| head.q.n_rows()),
            (WeightChoice::IdentityPlus | WeightChoice::IdentityMinus, _) => self.dim(),
            _ => self.head_dim,
        }
    }

    /// The draws of a sweep that differ: tokens without chance have one.
    #[must_use]
    pub fn draws_used(&self) -> usize {
        if self.tokens == TokenChoice::Adversarial { 1 } else { self.draws }
    }

    /// The longest length of the sweep that there can be.
    #[must_use]
    pub fn sweep_max_used(&self) -> usize {
        match self.tokens {
            TokenChoice::Own => self.sweep_max.min(self.n_tokens()),
            _ => self.sweep_max,
        }
    }

    fn own_weight_dim(&self) -> Option<usize> {
        match (self.weights, &self.own_weights) {
            (WeightChoice::Own, Some(own)) => own.0.heads.first().map(|head| head.q.n_columns()),
            _ => None,
        }
    }

    fn dim_of_weights(&self) -> Option<usize> {
        match self.weights {
            WeightChoice::Random => Some(self.heads.saturating_mul(self.head_dim)),
            WeightChoice::IdentityPlus | WeightChoice::IdentityMinus => Some(1),
            WeightChoice::Own => self.own_weight_dim(),
        }
    }

    /// The experiment that this state describes.
    #[must_use]
    pub fn experiment(&self) -> Experiment {
        let (n, radius) = (self.n, self.radius);
        let random = |law| RandomTokens { law, n, d: self.dim(), radius, seed: self.token_seed };
        let tokens = match (self.tokens, &self.own_tokens) {
            (TokenChoice::Own, Some(rows)) => TokenSource::Explicit(rows.0.as_ref().clone()),
            (TokenChoice::Adversarial, _) => TokenSource::Adversarial { n, radius },
            (TokenChoice::Law(law), _) => TokenSource::Random(random(law)),
            (TokenChoice::Own, None) => TokenSource::Random(random(Law::Ball)),
        };
        let weights = match (self.weights, &self.own_weights) {
            (WeightChoice::Own, Some(own)) => {
                let OwnWeights { heads, output } = own.0.as_ref().clone();
                WeightSource::Explicit { heads, output }
            }
            (WeightChoice::Random, _) => WeightSource::Random(RandomWeights {
                heads: self.heads,
                head_dim: self.head_dim,
                scale: self.scale,
                seed: self.weight_seed,
                output: self.output,
            }),
            (WeightChoice::IdentityPlus, _) => WeightSource::Identity { sign: 1.0 },
            (WeightChoice::IdentityMinus | WeightChoice::Own, _) => WeightSource::Identity { sign: -1.0 },
        };
        Experiment {
            version: 1,
            attention: self.attention,
            mask: self.mask,
            normalization: self.normalization,
            normalization_scope: self.scope,
            eps: self.eps,
            tokens,
            weights: Some(weights),
        }
    }

    /// This state with an experiment taken over; controls that the experiment does not speak of keep their values.
    ///
    /// # Errors
    /// [`InputError`] where the page cannot show it.
    pub fn with_experiment(&self, experiment: Experiment) -> Result<Self, InputError> {
        let mut state = PageState {
            attention: experiment.attention,
            mask: experiment.mask,
            normalization: experiment.normalization,
            scope: experiment.normalization_scope,
            eps: experiment.eps,
            head_shown: 0,
            ..self.clone()
        };
        match experiment.tokens {
            TokenSource::Explicit(rows) => state = state.with_own_tokens(rows),
            TokenSource::Random(law) => {
                state.tokens = TokenChoice::Law(law.law);
                (state.n, state.d, state.radius, state.token_seed) = (law.n, law.d, law.radius, law.seed);
            }
            TokenSource::Adversarial { n, radius } => {
                state.tokens = TokenChoice::Adversarial;
                (state.n, state.radius) = (n, radius);
            }
            TokenSource::Skew { .. } => return Err(not_yet("tokens.source", "skew")),
            TokenSource::Clusters { .. } => return Err(not_yet("tokens.source", "clusters")),
        }
        match experiment.weights {
            Some(WeightSource::Explicit { heads, output }) => {
                state.weights = WeightChoice::Own;
                state.own_weights = Some(Shared(Arc::new(OwnWeights { heads, output })));
            }
            Some(WeightSource::Random(law)) => {
                state.weights = WeightChoice::Random;
                (state.heads, state.head_dim) = (law.heads, law.head_dim);
                (state.scale, state.weight_seed, state.output) = (law.scale, law.seed, law.output);
            }
            Some(WeightSource::Identity { sign }) => {
                state.weights = if sign < 0.0 { WeightChoice::IdentityMinus } else { WeightChoice::IdentityPlus };
            }
            Some(WeightSource::Kim { .. }) | None => return Err(not_yet("weights.source", "kim")),
        }
        Ok(state)
    }

    /// This state with the reader's own tokens.
    #[must_use]
    pub fn with_own_tokens(&self, rows: Rows) -> Self {
        PageState { tokens: TokenChoice::Own, own_tokens: Some(Shared(Arc::new(rows))), ..self.clone() }
    }

    /// What no single control shows: sizes together, and tokens that fit the weights.
    ///
    /// # Errors
    /// [`InputError`]; its sentence names the fix.
    pub fn check(&self) -> Result<(), InputError> {
        let (n, d) = (self.n_tokens(), self.dim());
        limits::check_tokens(n, d)?;
        let too_large = |what: &str, found: usize, limit: usize, fix: &str| {
            Err(InputError::TooLarge {
                what: what.into(),
                found: found.to_string(),
                limit: limit.to_string(),
                fix: fix.into(),
            })
        };
        if n > MAX_N {
            return too_large(strings::WHAT_N, n, MAX_N, strings::FIX_N);
        }
        if d > MAX_D {
            return too_large(strings::WHAT_D, d, MAX_D, strings::FIX_D);
        }
        if n * d > MAX_TOKEN_ENTRIES {
            return too_large(strings::WHAT_ND, n * d, MAX_TOKEN_ENTRIES, strings::FIX_ND);
        }
        if self.weights == WeightChoice::Random {
            let entries = 4 * self.heads * self.head_dim * d;
            if entries > MAX_WEIGHTS {
                return too_large(strings::WHAT_WEIGHTS, entries, MAX_WEIGHTS, strings::FIX_WEIGHTS);
            }
        }
        match self.own_weight_dim() {
            Some(found) if found != d => Err(InputError::Conflict {
                what: strings::tokens_of_dim(d),
                problem: strings::do_not_fit_weights(found),
                fix: strings::FIX_FIT.into(),
            }),
            _ => Ok(()),
        }
    }

    /// The state as far as a measurement depends on it.
    #[must_use]
    pub fn for_measuring(&self) -> Self {
        let view = PageState::default();
        PageState { x_axis: view.x_axis, sweep_max: view.sweep_max, draws: view.draws, ..self.clone() }
    }

    /// The state as far as a sweep depends on it: not on n, which it runs through.
    #[must_use]
    pub fn for_sweeping(&self) -> Self {
        let view = PageState::default();
        PageState {
            x_axis: view.x_axis,
            head_shown: 0,
            n: view.n,
            draws: self.draws_used(),
            sweep_max: self.sweep_max_used(),
            ..self.clone()
        }
    }
}

fn not_yet(key: &str, value: &str) -> InputError {
    InputError::NotYet { key: key.into(), value: value.into(), instead: strings::USABLE_SOURCES.into() }
}
