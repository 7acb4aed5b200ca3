//! The value of every control.

use std::borrow::Cow;
use std::sync::Arc;

use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{
    Attention, Distribution, Mask, Normalization, Order, Output, Preset, Rows, Scope, Score, Steps, TokenSource,
    Weighting, limits,
};
use lipscope_core::extremum::largest;

use super::choices::{OwnClusters, OwnWeights, TokenChoice, WeightChoice, XAxis};
use super::growth::{GrowthView, Range};

/// The most tokens the page measures: the matrices of one step must fit a browser's memory.
pub const MAX_N: usize = 4096;
/// The most tokens of a witness. Its equal tokens are grouped, so that they cost next to nothing.
pub const MAX_WITNESS_N: usize = limits::MAX_TOKENS;
/// The most numbers in the page's token matrix: 4096 tokens of 128 numbers.
pub const MAX_TOKEN_ENTRIES: usize = 4096 * 128;
/// The most dimensions of a token on the page.
pub const MAX_D: usize = 1024;
/// The most numbers in the page's weights: twelve heads of 64 for d = 768 are 2.4 million.
pub const MAX_WEIGHTS: usize = 8 << 20;

/// The largest seed that every program reads without rounding.
pub const MOST_SEED: u64 = (1 << 53) - 1;

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
    pub own_tokens: Option<Rows>,
    /// The clusters, once there are some.
    pub own_clusters: Option<Arc<OwnClusters>>,
    /// The choice that the reader's own tokens or clusters come from, if the reader has moved some by hand; `None`
    /// where they were pasted or loaded. See [`PageState::moved_from`].
    pub own_from: Option<TokenChoice>,
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
    /// How many heads of random weights share one K and V; 1 where each has its own.
    pub heads_per_key: usize,
    /// lambda of the second map of every head of random weights; `None` without one.
    pub differential: Option<f64>,
    /// The reader's own weights, once there are some.
    pub own_weights: Option<Arc<OwnWeights>>,
    /// Which scores attention has: dot products or L2.
    pub attention: Attention,
    /// Which tokens a token may attend to.
    pub mask: Mask,
    /// The steps between projections and weights.
    pub score: Score,
    /// How scores become weights.
    pub weighting: Weighting,
    /// What is done to each token before attention.
    pub normalization: Normalization,
    /// Which map the Jacobian is of, where there is a normaliser.
    pub scope: Scope,
    /// The normaliser's epsilon.
    pub eps: f64,
    /// Which norm of the Jacobian is shown.
    pub norm: Norm,
    /// How the plots over n space n; `None` leaves it to each of them.
    pub x_axis: Option<XAxis>,
    /// The longest length of the sweep.
    pub sweep_max: usize,
    /// Draws at each length.
    pub draws: usize,
    /// Which head's attention is pictured, from zero.
    pub head_shown: usize,
    /// What the view over n shows.
    pub growth: GrowthView,
}

impl Default for PageState {
    /// The state of a first visit: few tokens in a disc, so that each can be seen and moved.
    fn default() -> Self {
        PageState {
            tokens: TokenChoice::Distribution(Distribution::Ball),
            n: 12,
            d: 2,
            radius: 1.5,
            token_seed: 0,
            own_tokens: None,
            own_clusters: None,
            own_from: None,
            weights: WeightChoice::IdentityMinus,
            heads: 1,
            head_dim: 8,
            scale: 1.0,
            weight_seed: 0,
            output: Output::Absent,
            heads_per_key: 1,
            differential: None,
            own_weights: None,
            attention: Attention::Dot,
            mask: Mask::None,
            score: Score::default(),
            weighting: Weighting::SOFTMAX,
            normalization: Normalization::None,
            scope: Scope::Inputs,
            eps: 1e-5,
            norm: Norm::Spectral,
            x_axis: None,
            sweep_max: 256,
            draws: 8,
            head_shown: 0,
            growth: GrowthView::default(),
        }
    }
}

impl PageState {
    /// The state that the fields of a link change: what a link of this version leaves out stays as it was when the first
    /// such links were written, whatever a first visit shows since.
    #[must_use]
    pub fn link_base() -> Self {
        PageState { n: 64, ..PageState::default() }
    }

    /// The base of the examples: the adversarial tokens of A = -1.
    #[must_use]
    pub fn adversarial() -> Self {
        let (tokens, x_axis) = (TokenChoice::Adversarial, Some(XAxis::SqrtN));
        PageState { tokens, radius: 3.0, x_axis, ..PageState::link_base() }
    }
}

impl PageState {
    /// How the opening plot spaces n. Without a choice by the square root, where growth like sqrt(n) is a straight line.
    #[must_use]
    pub fn explore_axis(&self) -> XAxis {
        self.x_axis.unwrap_or(XAxis::SqrtN)
    }

    /// How the view over n spaces n. Without a choice by the logarithm, which holds every n and every bound.
    #[must_use]
    pub fn growth_axis(&self) -> XAxis {
        self.x_axis.unwrap_or(XAxis::LogLog)
    }

    /// The choice whose tokens these were before the reader moved some by hand; `None` for all other tokens.
    ///
    /// Moving a token changes the token only: ball, draws and bounds stay those of this choice ([`PageState::drawn`]).
    #[must_use]
    pub fn moved_from(&self) -> Option<TokenChoice> {
        self.own_from.filter(|_| matches!(self.tokens, TokenChoice::Own | TokenChoice::Clusters))
    }

    /// The state whose tokens are drawn in the ball of these tokens: for tokens moved by hand that of the choice which
    /// they come from, else this state.
    #[must_use]
    pub fn drawn(&self) -> Cow<'_, PageState> {
        let Some(from) = self.moved_from() else { return Cow::Borrowed(self) };
        let (n, d, radius) = (self.n_tokens() as usize, self.dim(), self.ball_radius());
        let mut drawn = PageState { tokens: from, own_tokens: None, own_clusters: None, n, d, radius, ..self.clone() };
        if drawn.dim() != d {
            // The weights have changed since, and the tokens of that choice with them.
            drawn.tokens = TokenChoice::Distribution(Distribution::Ball);
        }
        Cow::Owned(drawn)
    }

    /// Whether the list fixes the number of tokens: it was pasted or loaded.
    #[must_use]
    pub fn has_fixed_n(&self) -> bool {
        matches!(self.tokens, TokenChoice::Own | TokenChoice::Clusters) && self.moved_from().is_none()
    }

    /// Whether a new sample can be drawn: the tokens are random, or were before the reader moved some.
    #[must_use]
    pub fn has_samples(&self) -> bool {
        matches!(self.moved_from().unwrap_or(self.tokens), TokenChoice::Distribution(_))
    }

    /// Where the reader has moved tokens by hand, goes back to the choice that they come from, whose tokens the page
    /// then draws for the present settings. The moved tokens stay in the state, for the choice "own".
    pub fn draw_anew(&mut self) {
        if let Some(from) = self.moved_from() {
            self.choose_tokens(from);
        }
    }

    /// The number of tokens, or of positions, in the list.
    #[must_use]
    pub fn n_listed(&self) -> usize {
        match (&self.tokens, &self.own_tokens, &self.own_clusters) {
            (TokenChoice::Own, Some(rows), _) => rows.n_rows(),
            (TokenChoice::Clusters, _, Some(own)) => own.positions.n_rows(),
            _ => self.n,
        }
    }

    /// The number of tokens of a measurement; it may exceed any integer type.
    #[must_use]
    pub fn n_tokens(&self) -> f64 {
        match (&self.tokens, &self.own_clusters) {
            (TokenChoice::Clusters, Some(own)) => own.total,
            _ => self.n_listed() as f64,
        }
    }

    /// The largest number of tokens that the choice of tokens allows.
    #[must_use]
    pub fn most_tokens(&self) -> usize {
        match self.tokens {
            TokenChoice::Adversarial | TokenChoice::Skew => MAX_WITNESS_N,
            _ => MAX_N,
        }
    }

    /// The token dimension of a measurement: some choices fix it.
    #[must_use]
    pub fn dim(&self) -> usize {
        match (&self.tokens, &self.own_tokens, &self.own_clusters) {
            (TokenChoice::Own, Some(rows), _) => rows.n_columns(),
            (TokenChoice::Clusters, _, Some(own)) => own.positions.n_columns(),
            (TokenChoice::Adversarial, ..) => self.dim_of_weights().unwrap_or(1),
            (TokenChoice::Skew, ..) => 2,
            (TokenChoice::Distribution(_) | TokenChoice::Worst, ..) if self.weights == WeightChoice::Kim => {
                self.divided_dim()
            }
            _ => self.own_weight_dim().unwrap_or(self.d),
        }
    }

    /// The number of heads of a measurement.
    #[must_use]
    pub fn n_heads(&self) -> usize {
        match (self.tokens, self.weights, &self.own_weights) {
            (TokenChoice::Skew, ..) => 1,
            (_, WeightChoice::Random | WeightChoice::Kim, _) => self.heads,
            (_, WeightChoice::Own, Some(own)) => own.heads.len(),
            _ => 1,
        }
    }

    /// Whether an output matrix mixes the heads of a measurement.
    #[must_use]
    pub fn has_output_matrix(&self) -> bool {
        match (self.tokens, self.weights, &self.own_weights) {
            (TokenChoice::Skew, ..) => false,
            (_, WeightChoice::Random, _) => self.output == Output::Drawn,
            (_, WeightChoice::Kim, _) => true,
            (_, WeightChoice::Own, Some(own)) => own.output.is_some(),
            _ => false,
        }
    }

    /// k of the heads of a measurement.
    #[must_use]
    pub fn key_dim(&self) -> usize {
        match (self.weights, &self.own_weights) {
            _ if self.tokens == TokenChoice::Skew => self.dim(),
            (WeightChoice::Own, Some(own)) => own.heads.first().map_or(self.head_dim, |head| head.q.n_rows()),
            (WeightChoice::IdentityPlus | WeightChoice::IdentityMinus, _) => self.dim(),
            (WeightChoice::Kim, _) => self.dim() / self.heads.max(1),
            _ => self.head_dim,
        }
    }

    /// How many draws each length has: one for adversarial tokens, the skew witness and clusters, else as many as the
    /// control says.
    #[must_use]
    pub fn draws_per_length(&self) -> usize {
        match self.tokens {
            TokenChoice::Adversarial | TokenChoice::Skew | TokenChoice::Clusters => 1,
            TokenChoice::Distribution(_) | TokenChoice::Worst | TokenChoice::Own => self.draws,
        }
    }

    /// The longest length that the sweep can have.
    #[must_use]
    pub fn longest_length(&self) -> usize {
        match self.tokens {
            // Tokens moved by hand keep the sweep of the choice that they come from.
            TokenChoice::Own if self.moved_from().is_none() => self.sweep_max.min(self.n_listed()),
            _ => self.sweep_max,
        }
    }

    pub(super) fn own_weight_dim(&self) -> Option<usize> {
        match (self.weights, &self.own_weights) {
            _ if self.tokens == TokenChoice::Skew => None,
            (WeightChoice::Own, Some(own)) => own.heads.first().map(|head| head.q.n_columns()),
            _ => None,
        }
    }

    fn dim_of_weights(&self) -> Option<usize> {
        match self.weights {
            WeightChoice::Random => Some(self.heads.saturating_mul(self.head_dim)),
            WeightChoice::IdentityPlus | WeightChoice::IdentityMinus => Some(1),
            WeightChoice::Kim => Some(self.heads),
            WeightChoice::Own => self.own_weight_dim(),
        }
    }

    /// Whether there are lengths to sweep: clusters have one n.
    #[must_use]
    pub fn can_sweep(&self) -> bool {
        self.tokens != TokenChoice::Clusters
    }

    /// This state with the list of the worst tokens of its ball in place of the choice `Worst`; random tokens where no
    /// list is known.
    #[must_use]
    pub fn with_worst(&self, worst: Option<&TokenSource>) -> Self {
        match worst {
            // Under the causal mask the order of tokens counts, so the worst tokens are a list.
            Some(TokenSource::Explicit(rows)) => {
                PageState { own_from: Some(TokenChoice::Worst), ..self.with_own_tokens(rows.clone()) }
            }
            // Otherwise they are clusters. `own_from` names the choice that they come from, in case the reader moves
            // them.
            Some(tokens) => PageState { own_from: Some(TokenChoice::Worst), ..self.with_clusters(tokens) },
            None => PageState { tokens: self.tokens.or_random(), ..self.clone() },
        }
    }

    /// Whether the bounds of a measurement hold for all tokens of the ball. With normaliser and attention together they
    /// do not: they have a factor of the normaliser at the measured tokens. The bounds on the ball, which are computed
    /// without tokens, have the largest such factor.
    #[must_use]
    pub fn measured_bounds_hold_on_ball(&self) -> bool {
        self.normalization == Normalization::None || self.scope == Scope::Inputs
    }

    /// The multiple of the number of heads that is nearest d.
    fn divided_dim(&self) -> usize {
        let step = self.dim_step();
        ((self.d + step / 2) / step).max(1) * step
    }

    /// The step of the token dimension. In the attention of Kim et al. each head has an equal share of the dimension.
    #[must_use]
    pub fn dim_step(&self) -> usize {
        if self.weights == WeightChoice::Kim { self.heads.max(1) } else { 1 }
    }

    /// Mask, score and weighting.
    #[must_use]
    pub fn steps(&self) -> Steps {
        Steps { mask: self.mask.clone(), score: self.score.clone(), weighting: self.weighting.clone() }
    }

    /// Chooses another kernel, and drops the steps that it does not have.
    pub fn choose_kernel(&mut self, kernel: Attention) {
        self.attention = kernel;
        if kernel != Attention::Cosine {
            self.score.cosine_eps = None;
        }
        if kernel != Attention::Dot {
            self.score.qk_norm = None;
        }
        if matches!(kernel, Attention::L2 | Attention::Linear) {
            self.score.rope = None;
        }
        if kernel == Attention::Linear {
            (self.score.scale, self.score.softcap) = (None, None);
            self.weighting = Weighting::SOFTMAX;
        }
    }

    /// Chooses a mask by its name. A window or a prefix begins with sixteen tokens; a mask of a table stays as it is.
    pub fn choose_mask(&mut self, id: &str) {
        const FIRST: usize = 16;
        self.mask = match id {
            _ if id == self.mask.id() => return,
            "causal" => Mask::Causal,
            "window" => Mask::Window { width: FIRST, order: Order::Causal },
            "prefix" => Mask::Prefix { length: FIRST },
            _ => Mask::None,
        };
    }

    /// Chooses kernel, mask and steps of a family of models. Clusters, which have no order, become the tokens that are
    /// drawn anew; weights of L2 attention become random ones.
    pub fn choose_preset(&mut self, preset: Preset) {
        let (attention, steps) = preset.attention();
        let needs_order = steps.mask != Mask::None || steps.score.knows_positions();
        if needs_order && self.tokens == TokenChoice::Clusters {
            self.draw_anew();
            if self.tokens == TokenChoice::Clusters {
                self.choose_tokens(TokenChoice::Distribution(Distribution::Ball));
            }
        }
        if self.weights == WeightChoice::Kim {
            self.weights = WeightChoice::Random;
        }
        (self.attention, self.mask) = (attention, steps.mask);
        (self.score, self.weighting) = (steps.score, steps.weighting);
    }

    /// Chooses other weights. The weights of Kim et al. bring the L2 kernel, for which they are made.
    pub fn choose_weights(&mut self, choice: WeightChoice) {
        self.weights = choice;
        if choice == WeightChoice::Kim {
            self.choose_kernel(Attention::L2);
        }
    }

    /// Chooses other tokens, and corrects settings that they exclude.
    pub fn choose_tokens(&mut self, choice: TokenChoice) {
        self.tokens = choice;
        self.n = self.n.min(self.most_tokens());
        if choice == TokenChoice::Clusters {
            // Clusters have no order.
            self.mask = Mask::None;
            (self.score.rope, self.score.alibi, self.score.bias) = (None, None, None);
        }
    }

    /// The right end of the plot over n: the end of its range, or the number of tokens if that is larger.
    #[must_use]
    pub fn growth_end(&self) -> f64 {
        self.growth.range.end(self.sweep_max).max(self.n_tokens())
    }

    /// The n at which the plot over n is read: the n that the reader has kept, if the axis reaches it, else the number
    /// of tokens.
    #[must_use]
    pub fn read_at(&self) -> f64 {
        self.growth.at.filter(|at| *at <= self.growth_end()).unwrap_or_else(|| self.n_tokens())
    }

    /// Keeps an n as the reading position. The axis grows if it ends before this n.
    pub fn keep_read_at(&mut self, n: f64) {
        self.growth.at = (n != self.n_tokens()).then_some(n);
        if n > self.growth_end() {
            self.growth.range = Range::reaching(n, self.sweep_max);
        }
    }

    /// The dimension of listed tokens, which weights must fit. Random tokens take the dimension of the weights.
    #[must_use]
    pub fn listed_dim(&self) -> Option<usize> {
        matches!(self.tokens, TokenChoice::Own | TokenChoice::Clusters).then(|| self.dim())
    }

    /// The radius to show in the box: the radius of the controls, or for listed tokens their largest norm, to four
    /// digits.
    #[must_use]
    pub fn shown_radius(&self) -> f64 {
        let used = self.ball_radius();
        if used == self.radius { used } else { four_digits(used) }
    }

    /// R of the ball that the bounds are about. Listed tokens have the ball of the farthest one; tokens moved by hand
    /// keep the R of the controls while they are inside.
    #[must_use]
    pub fn ball_radius(&self) -> f64 {
        match self.largest_listed() {
            Some(largest) if self.moved_from().is_none() || largest > self.radius * (1.0 + ON_THE_RIM) => largest,
            _ => self.radius,
        }
    }

    /// The least R that the reader can set: tokens moved by hand lie in the ball.
    #[must_use]
    pub fn least_radius(&self) -> f64 {
        self.largest_listed().filter(|_| self.moved_from().is_some()).map_or(0.0, four_digits)
    }

    /// The radius of the ball that a moved token stays in, unless the reader lets the ball grow: that of the controls, while
    /// all tokens are inside. `None` for a list that was pasted or loaded, and for tokens that a normaliser changes.
    #[must_use]
    pub fn rim(&self) -> Option<f64> {
        let is_ball = self.normalization == Normalization::None && !self.has_fixed_n();
        (is_ball && self.ball_radius() == self.radius).then_some(self.radius)
    }

    /// The largest norm of listed tokens.
    fn largest_listed(&self) -> Option<f64> {
        match (self.tokens, &self.own_tokens, &self.own_clusters) {
            (TokenChoice::Own, Some(rows), _) => Some(largest_norm(rows)),
            (TokenChoice::Clusters, _, Some(own)) => Some(largest_norm(&own.positions)),
            _ => None,
        }
    }
}

/// A token that is farther out than R by this part of it lies on the sphere: its norm is rounded.
const ON_THE_RIM: f64 = 1e-9;

fn four_digits(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

/// The largest norm of a token.
#[must_use]
pub fn largest_norm(rows: &Rows) -> f64 {
    largest(rows.iter().map(|token| token.iter().map(|x| x * x).sum::<f64>().sqrt()))
}
