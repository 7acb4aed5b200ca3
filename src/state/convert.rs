//! The state as an experiment, and an experiment as a state.

use std::sync::Arc;

use lipscope_core::experiment::{
    Distribution, Experiment, InputError, RandomTokens, RandomWeights, Rows, TokenSource, WeightSource,
};

use super::{OwnClusters, OwnWeights, PageState, TokenChoice, WeightChoice};
use lipscope_core::experiment::Phrase;
use lipscope_core::phrase;

impl PageState {
    /// The experiment that this state describes.
    #[must_use]
    pub fn experiment(&self) -> Experiment {
        let (n, radius) = (self.n, self.radius);
        let random = |distribution| RandomTokens { distribution, n, d: self.dim(), radius, seed: self.token_seed };
        let tokens = match (self.tokens, &self.own_tokens) {
            (TokenChoice::Own, Some(rows)) => TokenSource::Explicit(rows.clone()),
            (TokenChoice::Adversarial, _) => TokenSource::Adversarial { n, radius },
            (TokenChoice::Skew, _) => TokenSource::Skew { n, radius },
            (TokenChoice::Distribution(distribution), _) => TokenSource::Random(random(distribution)),
            (TokenChoice::Clusters, _) => {
                self.cluster_source().unwrap_or_else(|| TokenSource::Random(random(Distribution::Ball)))
            }
            (TokenChoice::Own, None) | (TokenChoice::Worst, _) => TokenSource::Random(random(Distribution::Ball)),
        };
        let weights = match (self.weights, &self.own_weights) {
            (WeightChoice::Own, Some(own)) => {
                let OwnWeights { heads, shared, output } = own.as_ref().clone();
                WeightSource::Explicit { heads, shared, output }
            }
            (WeightChoice::Random, _) => WeightSource::Random(RandomWeights {
                heads: self.heads,
                kv_heads: self.kv_heads(),
                differential: self.differential,
                head_dim: self.head_dim,
                scale: self.scale,
                seed: self.weight_seed,
                output: self.output,
            }),
            (WeightChoice::Kim, _) => {
                WeightSource::Kim { heads: self.heads, scale: self.scale, seed: self.weight_seed }
            }
            (WeightChoice::IdentityPlus, _) => WeightSource::Identity { sign: 1.0 },
            (WeightChoice::IdentityMinus | WeightChoice::Own, _) => WeightSource::Identity { sign: -1.0 },
        };
        Experiment {
            version: 1,
            attention: self.attention,
            mask: self.mask.clone(),
            score: self.score.clone(),
            weighting: self.weighting.clone(),
            normalization: self.normalization,
            normalization_scope: self.scope,
            eps: self.eps,
            tokens,
            // The skew witness brings its own weights.
            weights: (self.tokens != TokenChoice::Skew).then_some(weights),
        }
    }

    /// The number of key and value heads of random weights: those that the heads share equally, or one for each head.
    #[must_use]
    pub fn kv_heads(&self) -> usize {
        if self.heads.is_multiple_of(self.heads_per_key) { self.heads / self.heads_per_key } else { self.heads }
    }

    /// The numbers of heads and of heads a key of random weights, where the second does not divide the first, so that
    /// each head has its own K and V.
    #[must_use]
    pub fn undivided_heads(&self) -> Option<(usize, usize)> {
        let is_random = self.weights == WeightChoice::Random;
        (is_random && !self.heads.is_multiple_of(self.heads_per_key)).then_some((self.heads, self.heads_per_key))
    }

    fn cluster_source(&self) -> Option<TokenSource> {
        self.own_clusters.as_ref().map(|own| TokenSource::Clusters {
            positions: own.positions.clone(),
            log_multiplicities: own.log_multiplicities.clone(),
        })
    }

    /// This state with an experiment put into it. Controls that the experiment does not set keep their values.
    ///
    /// # Errors
    /// [`InputError`] where the page cannot show it.
    pub fn with_experiment(&self, experiment: Experiment) -> Result<Self, InputError> {
        let mut state = PageState {
            attention: experiment.attention,
            mask: experiment.mask,
            score: experiment.score,
            weighting: experiment.weighting,
            normalization: experiment.normalization,
            scope: experiment.normalization_scope,
            eps: experiment.eps,
            head_shown: 0,
            ..self.clone()
        };
        match experiment.tokens {
            TokenSource::Explicit(rows) => state = state.with_own_tokens(rows),
            TokenSource::Random(random) => {
                state.tokens = TokenChoice::Distribution(random.distribution);
                (state.n, state.d, state.radius, state.token_seed) = (random.n, random.d, random.radius, random.seed);
            }
            TokenSource::Adversarial { n, radius } => {
                state.tokens = TokenChoice::Adversarial;
                (state.n, state.radius) = (n, radius);
            }
            TokenSource::Skew { n, radius } => {
                // The skew witness brings its own weights. With other weights from the file, the page would show
                // another experiment than the file's.
                if !matches!(experiment.weights, None | Some(WeightSource::Identity { .. })) {
                    let instead = phrase!(
                        "skew_without_weights_identity",
                        "skew without weights or with the identity, or other tokens"
                    );
                    return Err(not_yet("tokens.source", "skew", instead));
                }
                state.tokens = TokenChoice::Skew;
                (state.n, state.radius) = (n, radius);
            }
            clusters @ TokenSource::Clusters { .. } => state = state.with_clusters(&clusters),
        }
        Ok(match experiment.weights {
            Some(weights) => state.with_weights(weights),
            None => state,
        })
    }

    /// This state with other weights.
    #[must_use]
    pub fn with_weights(&self, weights: WeightSource) -> Self {
        let mut state = self.clone();
        match weights {
            WeightSource::Explicit { heads, shared, output } => {
                state.weights = WeightChoice::Own;
                state.own_weights = Some(Arc::new(OwnWeights { heads, shared, output }));
            }
            WeightSource::Random(random) => {
                state.weights = WeightChoice::Random;
                (state.heads, state.head_dim) = (random.heads, random.head_dim);
                (state.scale, state.weight_seed, state.output) = (random.scale, random.seed, random.output);
                (state.heads_per_key, state.differential) = (random.heads / random.kv_heads, random.differential);
            }
            WeightSource::Identity { sign } => {
                state.weights = if sign < 0.0 { WeightChoice::IdentityMinus } else { WeightChoice::IdentityPlus };
            }
            WeightSource::Kim { heads, scale, seed } => {
                state.choose_weights(WeightChoice::Kim);
                (state.heads, state.scale, state.weight_seed) = (heads, scale, seed);
            }
        }
        state
    }

    /// This state, with the reader's own tokens, weights and clusters of `now` where it has none. Where both states
    /// have equal data, the result shares the memory of `now`.
    #[must_use]
    pub fn keeping_data_of(self, now: &PageState) -> Self {
        fn kept<T: Clone + PartialEq>(new: Option<T>, old: &Option<T>) -> Option<T> {
            if new.is_none() || new == *old { old.clone() } else { new }
        }
        PageState {
            own_tokens: kept(self.own_tokens, &now.own_tokens),
            own_weights: kept(self.own_weights, &now.own_weights),
            own_clusters: kept(self.own_clusters, &now.own_clusters),
            ..self
        }
    }

    /// This state with the reader's own tokens.
    #[must_use]
    pub fn with_own_tokens(&self, rows: Rows) -> Self {
        PageState { tokens: TokenChoice::Own, own_tokens: Some(rows), own_from: None, ..self.clone() }
    }

    /// This state with other tokens.
    #[must_use]
    pub fn with_tokens(&self, choice: TokenChoice) -> Self {
        let mut state = self.clone();
        state.choose_tokens(choice);
        state
    }

    /// This state with tokens that are drawn in this way.
    #[must_use]
    pub fn with_draw(&self, random: &RandomTokens) -> Self {
        let tokens = TokenChoice::Distribution(random.distribution);
        let RandomTokens { n, d, radius, seed: token_seed, .. } = *random;
        PageState { tokens, n, d, radius, token_seed, ..self.clone() }
    }

    /// This state with 4096 tokens in two clusters on a line. For A = -1 the search finds no two clusters with a larger
    /// norm in the ball of radius 3.
    #[must_use]
    pub fn with_best_two_clusters(&self) -> Self {
        let [first, second] = [3.0, -1.821_199_125_662_694];
        let [few, many] = [1f64, 4095.0];
        let positions = Rows::new(phrase!("positions", "The positions"), 1, vec![first, second]);
        let log_multiplicities = vec![few.ln(), many.ln()];
        positions.map_or_else(
            |_| self.clone(),
            |positions| self.with_clusters(&TokenSource::Clusters { positions, log_multiplicities }),
        )
    }

    /// This state with clusters as tokens, and without a mask. Any other token source changes nothing.
    #[must_use]
    pub fn with_clusters(&self, source: &TokenSource) -> Self {
        let mut state = self.clone();
        if let Some(own) = OwnClusters::of(source) {
            (state.own_clusters, state.own_from) = (Some(Arc::new(own)), None);
            state.choose_tokens(TokenChoice::Clusters);
        }
        state
    }
}

fn not_yet(key: &str, value: &str, instead: Phrase) -> InputError {
    InputError::NotYet { key: key.into(), value: value.into(), instead }
}
