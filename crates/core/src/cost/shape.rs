//! The sizes of an experiment, read off it before tokens or weights are drawn.

use std::collections::HashSet;

use super::steps::StepSizes;
use super::{largest, product, sum};
use crate::experiment::{
    Attention, Distribution, Experiment, MaskKind, Normalization, Output, Rows, Scope, Size, TokenSource, WeightSource,
};

/// The code groups equal tokens where a group has at least this many tokens on average.
pub(crate) const LEAST_MEAN_SIZE: usize = 8;
/// Without a mask, the code groups equal tokens up to this many positions times dimensions, or up to the limit for a
/// dense SVD where that is larger.
pub(crate) const MOST_GATHERED: usize = 512;

/// The form of the Jacobian to use, with the number of distinct positions or of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Every token by itself.
    Tokens,
    /// A token measure.
    Clusters(u64),
    /// Runs of equal tokens under the causal mask.
    Runs(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tokens {
    Listed,
    Drawn,
    /// Adversarial tokens: their dimension follows from the weights.
    Adversarial,
    Skew,
    Measure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weights {
    Listed,
    Drawn,
    Identity,
    Kim,
}

/// The sizes of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Columns of the token matrix: tokens, or the positions of a token measure.
    pub n: u64,
    /// Dimension of a token.
    pub d: u64,
    /// Number of heads.
    pub heads: u64,
    /// The largest key dimension of a head.
    pub key_dim: u64,
    /// The largest value dimension of a head.
    pub value_dim: u64,
    /// Key dimensions of all heads together.
    pub keys: u64,
    /// Value dimensions of all heads together.
    pub values: u64,
    /// Rows of the output matrix, where there is one.
    pub output: Option<u64>,
    /// The kernel.
    pub attention: Attention,
    /// The mask.
    pub mask: MaskKind,
    /// The normaliser.
    pub normalization: Normalization,
    /// Whether the Jacobian includes the normaliser.
    pub scope: Scope,
    pub(super) steps: StepSizes,
    is_plain: bool,
    tokens: Tokens,
    pub(super) weights: Weights,
    /// Distinct tokens, where they are few.
    distinct: Option<u64>,
    /// Runs of equal tokens, where they are few.
    runs: Option<u64>,
}

/// The sizes of an experiment, before anything is drawn. Equal listed tokens are counted.
#[must_use]
pub fn shape_of(experiment: &Experiment) -> Shape {
    let (tokens, n, own_d) = match &experiment.tokens {
        TokenSource::Explicit(rows) => (Tokens::Listed, rows.n_rows(), Some(rows.n_columns())),
        TokenSource::Random(random) => (Tokens::Drawn, random.n, Some(random.d)),
        TokenSource::Adversarial { n, .. } => (Tokens::Adversarial, *n, None),
        TokenSource::Skew { n, .. } => (Tokens::Skew, *n, Some(2)),
        TokenSource::Clusters { positions, .. } => (Tokens::Measure, positions.n_rows(), Some(positions.n_columns())),
    };
    let (n, own_d) = (n as u64, own_d.map(|d| d as u64));
    let (distinct, runs) = match &experiment.tokens {
        TokenSource::Explicit(rows) => (distinct(rows), runs(rows)),
        TokenSource::Adversarial { .. } | TokenSource::Skew { .. } => (Some(2), Some(2)),
        // On a line the sphere is two points.
        TokenSource::Random(tokens) if tokens.distribution == Distribution::Sphere && tokens.d == 1 => (Some(2), None),
        TokenSource::Random(_) | TokenSource::Clusters { .. } => (None, None),
    };
    let mut shape = Shape {
        n,
        d: own_d.unwrap_or(1),
        heads: 1,
        key_dim: 1,
        value_dim: 1,
        keys: 1,
        values: 1,
        output: None,
        attention: experiment.attention,
        mask: experiment.mask.kind(),
        normalization: experiment.normalization,
        scope: experiment.scope(),
        steps: StepSizes::of(experiment),
        is_plain: experiment.is_plain(),
        tokens,
        weights: Weights::Identity,
        // Equal tokens of a list are grouped only for plain attention.
        distinct: distinct.filter(|_| experiment.is_plain()),
        runs: runs.filter(|_| experiment.is_plain()),
    };
    match &experiment.weights {
        Some(WeightSource::Explicit { heads, output, .. }) => {
            let total = |read: fn(&crate::experiment::Head) -> usize| {
                heads.iter().fold(0u64, |sum, head| sum.saturating_add(read(head) as u64))
            };
            let most = |read: fn(&crate::experiment::Head) -> usize| {
                heads.iter().map(|head| read(head) as u64).max().unwrap_or(1)
            };
            shape.weights = Weights::Listed;
            shape.d = own_d.unwrap_or(heads.first().map_or(1, |head| head.q.n_columns() as u64));
            shape.heads = heads.len() as u64;
            (shape.key_dim, shape.value_dim) = (most(|head| head.q.n_rows()), most(|head| head.v.n_rows()));
            (shape.keys, shape.values) = (total(|head| head.q.n_rows()), total(|head| head.v.n_rows()));
            shape.output = output.as_ref().map(|rows| rows.n_rows() as u64);
        }
        Some(WeightSource::Random(random)) => {
            let (heads, k) = (random.heads as u64, random.head_dim as u64);
            shape.weights = Weights::Drawn;
            shape.d = own_d.unwrap_or(product([heads, k]));
            (shape.heads, shape.key_dim, shape.value_dim) = (heads, k, k);
            (shape.keys, shape.values) = (product([heads, k]), product([heads, k]));
            shape.output = (random.output == Output::Drawn).then_some(shape.d);
        }
        Some(WeightSource::Kim { heads, .. }) => {
            let heads = *heads as u64;
            shape.weights = Weights::Kim;
            shape.d = own_d.unwrap_or(heads);
            let k = (shape.d / heads.max(1)).max(1);
            (shape.heads, shape.key_dim, shape.value_dim) = (heads, k, k);
            (shape.keys, shape.values) = (product([heads, k]), product([heads, k]));
            shape.output = Some(shape.d);
        }
        Some(WeightSource::Identity { .. }) | None => {
            let d = shape.d;
            (shape.key_dim, shape.value_dim, shape.keys, shape.values) = (d, d, d, d);
        }
    }
    shape
}

impl Shape {
    /// Dimension of an output token.
    #[must_use]
    pub fn d_out(&self) -> u64 {
        self.output.unwrap_or(self.values)
    }

    /// Rows of the stacked projections, p; keys and values that heads share count once.
    #[must_use]
    pub fn projections(&self) -> u64 {
        sum([self.queries(), self.steps.projected(sum([self.queries(), self.values]))])
    }

    /// Whether attention is plain.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Attention maps of all heads.
    pub(crate) fn maps(&self) -> u64 {
        product([self.heads, self.steps.maps_a_head])
    }

    /// Key dimensions of all maps together.
    pub(crate) fn queries(&self) -> u64 {
        product([self.keys, self.steps.maps_a_head])
    }

    /// Value dimensions of all maps together.
    pub(crate) fn map_values(&self) -> u64 {
        product([self.values, self.steps.maps_a_head])
    }

    /// How many n x n matrices of weights and slopes the maps have.
    pub(crate) fn stored(&self) -> u64 {
        product([self.maps(), self.steps.a_pair])
    }

    /// Numbers that the steps keep at a forward pass.
    pub(crate) fn of_steps(&self) -> u64 {
        let a_token = self.steps.a_token(self.queries(), self.values, self.maps());
        sum([product([self.n, a_token]), self.steps.rows(self.maps(), self.n), self.steps.tables(self.n)])
    }

    /// Numbers in the token matrix, n d.
    #[must_use]
    pub fn inputs(&self) -> u64 {
        product([self.n, self.d])
    }

    /// Numbers in the outputs, n d_out.
    #[must_use]
    pub fn outputs(&self) -> u64 {
        product([self.n, self.d_out()])
    }

    /// Rows or columns of the Jacobian, whichever are more.
    #[must_use]
    pub fn side(&self) -> u64 {
        self.inputs().max(self.outputs())
    }

    /// Entries of the dense Jacobian.
    #[must_use]
    pub fn entries(&self) -> u64 {
        product([self.inputs(), self.outputs()])
    }

    /// Numbers that the experiment itself lists; a task keeps a copy of them.
    pub(crate) fn listed(&self) -> u64 {
        let tokens = if matches!(self.tokens, Tokens::Listed | Tokens::Measure) { self.inputs() } else { 0 };
        let weights = if self.weights == Weights::Listed { self.matrices() } else { 0 };
        sum([tokens, weights])
    }

    /// Numbers in Q, K and V of all heads and in the output matrix.
    pub(crate) fn matrices(&self) -> u64 {
        let rows = sum([self.queries(), self.queries(), self.values]);
        sum([product([rows, self.d]), product([self.output.unwrap_or(0), self.values])])
    }

    /// Whether the tokens come from the weights' eigenvectors.
    pub(crate) fn is_adversarial(&self) -> bool {
        self.tokens == Tokens::Adversarial
    }

    /// The form of the Jacobian. Equal tokens are grouped only if the Jacobian has more than `svd_limit` rows or
    /// columns.
    #[must_use]
    pub fn form(&self, svd_limit: usize) -> Form {
        if self.tokens == Tokens::Measure {
            return Form::Clusters(self.n);
        }
        let size_of_token = largest([self.d, self.d_out()]);
        if self.side() <= svd_limit as u64 {
            return Form::Tokens;
        }
        let most = self.n / LEAST_MEAN_SIZE as u64;
        match (self.mask, self.distinct, self.runs) {
            (MaskKind::None, Some(m), _)
                if m <= most && product([m, size_of_token]) <= (svd_limit.max(MOST_GATHERED)) as u64 =>
            {
                Form::Clusters(m)
            }
            (MaskKind::Causal, _, Some(m)) if m <= most => Form::Runs(m),
            _ => Form::Tokens,
        }
    }

    /// The same with every token by itself.
    #[must_use]
    pub(crate) fn ungathered(self) -> Shape {
        Shape { distinct: None, runs: None, ..self }
    }

    /// The same at another number of tokens; a token measure stays as it is.
    #[must_use]
    pub(crate) fn with_tokens(self, n: u64) -> Shape {
        if self.tokens == Tokens::Measure { self } else { Shape { n, ..self } }
    }

    /// The same tokens as a list.
    #[must_use]
    pub(crate) fn with_listed_tokens(self) -> Shape {
        Shape { tokens: Tokens::Listed, ..self }
    }

    /// The same with another kernel.
    #[must_use]
    pub(crate) fn with_attention(self, attention: Attention) -> Shape {
        Shape { attention, ..self }
    }

    /// The sizes that may be changed, with their current values.
    pub(super) fn sizes(&self) -> Vec<(Size, u64)> {
        let mut sizes = vec![match self.tokens {
            Tokens::Measure => (Size::Positions, self.n),
            _ => (Size::Tokens, self.n),
        }];
        if self.tokens != Tokens::Skew {
            if self.tokens != Tokens::Adversarial {
                sizes.push((Size::Dimension, self.d));
            }
            match self.weights {
                Weights::Listed | Weights::Drawn => {
                    sizes.extend([(Size::Heads, self.heads), (Size::HeadDimension, self.key_dim)]);
                }
                Weights::Kim if self.tokens == Tokens::Adversarial => sizes.push((Size::Heads, self.heads)),
                Weights::Kim | Weights::Identity => {}
            }
        }
        sizes
    }

    /// The same with one size at another value.
    pub(crate) fn with(self, size: Size, value: u64) -> Shape {
        let scaled = |x: u64, from: u64| (u128::from(x) * u128::from(value) / u128::from(from.max(1))).max(1) as u64;
        let mut shape = self;
        match size {
            Size::Tokens | Size::Positions => shape.n = value,
            Size::Dimension => {
                shape.d = value;
                if matches!(self.weights, Weights::Identity | Weights::Kim) {
                    for part in [&mut shape.key_dim, &mut shape.value_dim, &mut shape.keys, &mut shape.values] {
                        *part = scaled(*part, self.d);
                    }
                }
                if self.weights != Weights::Listed {
                    shape.output = self.output.map(|rows| scaled(rows, self.d));
                }
            }
            Size::Layers | Size::Text => {}
            Size::Heads | Size::HeadDimension => {
                let from = if size == Size::Heads { self.heads } else { self.key_dim };
                if size == Size::Heads {
                    shape.heads = value;
                } else {
                    (shape.key_dim, shape.value_dim) = (value, scaled(self.value_dim, from));
                }
                (shape.keys, shape.values) = (scaled(self.keys, from), scaled(self.values, from));
                if self.is_adversarial() {
                    shape.d = scaled(self.d, from);
                    shape.output = self.output.map(|rows| scaled(rows, from));
                }
            }
        }
        shape
    }
}

/// The number of distinct tokens in the list; `None` where they are too many to group.
fn distinct(rows: &Rows) -> Option<u64> {
    let most = rows.n_rows() / LEAST_MEAN_SIZE;
    let mut known: HashSet<Vec<u64>> = HashSet::new();
    for token in rows.iter() {
        // Adding zero turns -0 into 0.
        known.insert(token.iter().map(|x| (x + 0.0).to_bits()).collect());
        if known.len() > most {
            return None;
        }
    }
    Some(known.len() as u64)
}

/// The number of runs of equal tokens in the list; `None` where they are too many to group.
fn runs(rows: &Rows) -> Option<u64> {
    let changes = rows.iter().zip(rows.iter().skip(1)).filter(|(before, token)| before != token).count();
    (changes < rows.n_rows() / LEAST_MEAN_SIZE).then_some(changes as u64 + 1)
}
