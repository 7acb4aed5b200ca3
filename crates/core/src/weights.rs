//! Builds the heads and the output matrix of an experiment.

use nalgebra::DMatrix;

use crate::experiment::Phrase;
use crate::experiment::{
    Attention, Experiment, Head, InputError, Output, RandomWeights, Rows, TokenSource, WeightSource, limits,
};
use crate::phrase;
use crate::random::{Random, Stream};
use crate::tokens::{self, QueryKey};

/// One head: Q and K are k x d, V is d_v x d.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadWeights {
    /// k x d.
    pub q: DMatrix<f64>,
    /// k x d.
    pub k: DMatrix<f64>,
    /// d_v x d.
    pub v: DMatrix<f64>,
    /// The map that is subtracted, for differential attention.
    pub second: Option<SecondWeights>,
}

/// The second map of a differential head, with the same values: the weights are P(Q, K) - lambda P(Q2, K2).
#[derive(Clone, Debug, PartialEq)]
pub struct SecondWeights {
    /// k x d.
    pub q: DMatrix<f64>,
    /// k x d.
    pub k: DMatrix<f64>,
    /// lambda.
    pub lambda: f64,
}

/// The weights of self-attention: heads that take tokens of the same dimension d, and an optional output matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The heads, at least one.
    pub heads: Vec<HeadWeights>,
    /// For each head the index of its keys and values, where heads share them; empty where each head has its own.
    pub shared: Vec<usize>,
    /// d_out x (sum of d_v).
    pub output: Option<DMatrix<f64>>,
    /// The matrices of \[K\]'s L2 multi-head attention, if the weights were built from them.
    pub l2_mha: Option<L2Mha>,
}

/// The matrices of \[K\]'s L2 multi-head attention: f(X) = concat_h(P_h X A_h W_V,h) W_O in rows, with
/// A_h = W_Q,h W_Q,h^T/sqrt(k). As heads: Q_h = K_h = W_Q,h^T, V_h = W_V,h^T A_h, O = W_O^T.
#[derive(Clone, Debug, PartialEq)]
pub struct L2Mha {
    /// W_Q,h, d x k with k = d/heads.
    pub queries: Vec<DMatrix<f64>>,
    /// W_V,h, d x k.
    pub values: Vec<DMatrix<f64>>,
    /// W_O, d x d.
    pub output: DMatrix<f64>,
}

/// Tokens (d x n) and weights for tokens of that dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// d x n, one column per token.
    pub tokens: DMatrix<f64>,
    /// Heads and output matrix.
    pub weights: Weights,
    /// For a token measure, ln N_a of the position in each column of `tokens`.
    pub ln_multiplicities: Option<Vec<f64>>,
}

impl HeadWeights {
    /// Q and K of this head.
    #[must_use]
    pub fn query_key(&self) -> QueryKey<'_> {
        QueryKey { q: &self.q, k: &self.k }
    }
}

impl Weights {
    /// Whether the squares of all values at these tokens, through the output matrix too, and those of their differences stay in
    /// the range of f64.
    pub(crate) fn have_ordinary_sizes(&self, tokens: &DMatrix<f64>) -> bool {
        const ORDINARY: std::ops::RangeInclusive<f64> = 1e-70..=1e70;
        const ORDINARY_TOKENS: std::ops::RangeInclusive<f64> = 1e-60..=1e60;
        let token = tokens.amax();
        if token != 0.0 && !ORDINARY_TOKENS.contains(&token) {
            return false;
        }
        let output = self.output.as_ref().map_or(1.0, DMatrix::amax);
        self.heads.iter().all(|head| {
            let value = head.v.amax();
            // Beside much larger keys, the squares of values underflow; those of small keys do so themselves.
            let (query, key) = (head.q.amax(), head.k.amax());
            let is_scored = query.max(key) <= *ORDINARY.end() && (key == 0.0 || key >= *ORDINARY.start());
            is_scored && (value == 0.0 || (ORDINARY.contains(&value) && ORDINARY.contains(&(value * output))))
        })
    }

    /// The token dimension d.
    #[must_use]
    pub fn d(&self) -> usize {
        self.heads.first().map_or(0, |head| head.q.ncols())
    }

    /// For each head the pair (O_h^T, V_h): the head adds O_h V_h to the output. Without an output matrix O_h is the
    /// identity. Yields one pair at a time: the identities of all heads together would take heads d_v^2 numbers.
    pub fn values_through_output(&self) -> impl Iterator<Item = (DMatrix<f64>, &DMatrix<f64>)> {
        let mut column = 0;
        self.heads.iter().map(move |head| {
            let d_v = head.v.nrows();
            let outer = match &self.output {
                Some(output) => output.columns(column, d_v).transpose(),
                None => DMatrix::identity(d_v, d_v),
            };
            column += d_v;
            (outer, &head.v)
        })
    }

    /// For each head the matrix O_h V_h, and the first entry of an output token that it writes. Without an output
    /// matrix, where heads are concatenated, the matrix is V_h.
    pub fn values_in_output(&self) -> impl Iterator<Item = (DMatrix<f64>, usize)> {
        let mut column = 0;
        self.heads.iter().map(move |head| {
            let start = column;
            column += head.v.nrows();
            match &self.output {
                Some(output) => (output.columns(start, head.v.nrows()) * &head.v, 0),
                None => (head.v.clone(), start),
            }
        })
    }

    /// The dimension of an output token.
    #[must_use]
    pub fn d_out(&self) -> usize {
        match &self.output {
            Some(output) => output.nrows(),
            None => self.heads.iter().map(|head| head.v.nrows()).sum(),
        }
    }
}

/// Draws or builds the tokens and weights of an experiment.
///
/// # Errors
/// [`InputError`] if tokens and weights do not fit together or have too many entries.
pub fn inputs(experiment: &Experiment) -> Result<Inputs, InputError> {
    match &experiment.tokens {
        TokenSource::Explicit(rows) => with_tokens(experiment, tokens::listed_tokens(rows)),
        TokenSource::Random(parameters) => with_tokens(experiment, tokens::random_tokens(parameters)),
        TokenSource::Adversarial { n, radius } => {
            let weights = weights_for(experiment, d_of_weights(experiment)?)?;
            let d = weights.d();
            limits::check_tokens(*n, d)?;
            let tokens = tokens::adversarial_tokens(weights.heads[0].query_key(), *n, *radius)?;
            Ok(Inputs { tokens, weights, ln_multiplicities: None })
        }
        TokenSource::Skew { n, radius } => {
            limits::check_tokens(*n, 2)?;
            let weights = skew_weights(experiment, *radius, (*n as f64 - 1.0).max(1.0).ln())?;
            Ok(Inputs { tokens: tokens::skew_tokens(*n, *radius), weights, ln_multiplicities: None })
        }
        TokenSource::Clusters { positions, log_multiplicities } => {
            let inputs = with_tokens(experiment, tokens::listed_tokens(positions))?;
            Ok(Inputs { ln_multiplicities: Some(log_multiplicities.clone()), ..inputs })
        }
    }
}

/// The weights of the skew witness: its own A with the ||A|| and V of the experiment's weights. Without weights, ||A||
/// = 1 and V = I.
fn skew_weights(experiment: &Experiment, radius: f64, ln_n_minus_1: f64) -> Result<Weights, InputError> {
    let conflict = |problem: Phrase| InputError::Conflict {
        what: "`tokens.source` = \"skew\"".into(),
        problem,
        fix: phrase!(
            "leave_weights_out_give",
            "Leave the weights out, or give one head for tokens of dimension 2 without an output matrix."
        ),
    };
    let (a_norm, v) = match &experiment.weights {
        None => (1.0, DMatrix::identity(2, 2)),
        Some(WeightSource::Explicit { heads, .. }) if heads[0].q.n_columns() != 2 => {
            return Err(conflict(phrase!(
                "has_tokens_dimension_2",
                "has tokens of dimension 2, and these weights take tokens of another dimension"
            )));
        }
        Some(_) => {
            let Weights { heads, output, .. } = weights_for(experiment, 2)?;
            match (<[HeadWeights; 1]>::try_from(heads), output) {
                (Ok([head]), None) => (head.query_key().a().singular_values()[0], head.v),
                _ => return Err(conflict(phrase!("has_one_head_no", "has one head and no output matrix"))),
            }
        }
    };
    if experiment.attention != Attention::Dot {
        return Err(InputError::Conflict {
            what: "`tokens.source` = \"skew\"".into(),
            problem: phrase!("witness_for_dot_product", "is a witness for dot-product attention"),
            fix: phrase!("use_attention_dot", "Use \"attention\":\"dot\" with it."),
        });
    }
    // A = K^T Q / sqrt(k) with Q = I and k = 2.
    let k = tokens::skew_matrix(a_norm, radius, ln_n_minus_1).transpose() * 2f64.sqrt();
    Ok(Weights {
        heads: vec![HeadWeights { q: DMatrix::identity(2, 2), k, v, second: None }],
        shared: Vec::new(),
        output: None,
        l2_mha: None,
    })
}

fn with_tokens(experiment: &Experiment, tokens: DMatrix<f64>) -> Result<Inputs, InputError> {
    let weights = weights_for(experiment, tokens.nrows())?;
    Ok(Inputs { tokens, weights, ln_multiplicities: None })
}

/// The weights of an experiment for tokens of dimension d.
///
/// # Errors
/// [`InputError`] if the weights do not fit tokens of dimension d or have too many entries.
pub fn weights_for(experiment: &Experiment, d: usize) -> Result<Weights, InputError> {
    let weights = match &experiment.weights {
        Some(WeightSource::Explicit { heads, shared, output }) => explicit_weights(heads, shared, output.as_ref(), d)?,
        Some(WeightSource::Random(parameters)) => random_weights(parameters, d)?,
        Some(WeightSource::Identity { sign }) => identity_weights(*sign, d)?,
        Some(WeightSource::Kim { heads, scale, seed }) => kim_weights(*heads, *scale, *seed, d)?,
        None => {
            return Err(InputError::MissingKey {
                key: "weights".into(),
                expected: phrase!("source_weights", "the source of the weights"),
            });
        }
    };
    Ok(weights)
}

/// Refuses token and weight matrices over their limits, before anything is drawn.
///
/// # Errors
/// [`InputError::TooLarge`].
pub(crate) fn check_sizes(experiment: &Experiment) -> Result<(), InputError> {
    let (n, d) = match &experiment.tokens {
        TokenSource::Explicit(rows) | TokenSource::Clusters { positions: rows, .. } => {
            (rows.n_rows(), rows.n_columns())
        }
        TokenSource::Random(random) => (random.n, random.d),
        TokenSource::Adversarial { n, .. } => (*n, d_of_weights(experiment)?),
        TokenSource::Skew { n, .. } => (*n, 2),
    };
    match &experiment.weights {
        Some(WeightSource::Random(random)) => limits::check_weights(drawn_entries(random, d))?,
        Some(WeightSource::Identity { .. } | WeightSource::Kim { .. }) => limits::check_weights(three_squares(d))?,
        Some(WeightSource::Explicit { .. }) | None => {}
    }
    limits::check_tokens(n, d)
}

/// The number of entries of Q, K, V and an output matrix, which is counted even where none is drawn.
fn drawn_entries(random: &RandomWeights, d: usize) -> u64 {
    [random.heads, random.head_dim, d].into_iter().fold(4u64, |entries, size| entries.saturating_mul(size as u64))
}

fn three_squares(d: usize) -> u64 {
    3u64.saturating_mul(d as u64).saturating_mul(d as u64)
}

/// The token dimension that the weights fix by themselves: the listed matrices' own, heads times head dimension for
/// drawn weights, 1 for the identity, the number of heads for L2 multi-head attention.
fn d_of_weights(experiment: &Experiment) -> Result<usize, InputError> {
    match &experiment.weights {
        Some(WeightSource::Explicit { heads, .. }) => Ok(heads[0].q.n_columns()),
        Some(WeightSource::Random(random)) => Ok(random.heads.saturating_mul(random.head_dim)),
        Some(WeightSource::Kim { heads, .. }) => Ok(*heads),
        _ => Ok(1),
    }
}

/// Draws the weights of \[K\]'s L2 multi-head attention: entries of W_Q, W_V and W_O are N(0, scale^2/d).
fn kim_weights(heads: usize, scale: f64, seed: u64, d: usize) -> Result<Weights, InputError> {
    if !d.is_multiple_of(heads) {
        return Err(InputError::Conflict {
            what: format!("`weights.heads` = {heads}").into(),
            problem: phrase!(
                "does_not_divide_token",
                "does not divide the token dimension {d}, which the heads share equally",
                d = d
            ),
            fix: phrase!("use_number_heads_divides", "Use a number of heads that divides it."),
        });
    }
    limits::check_weights(three_squares(d))?;
    let (k, deviation) = (d / heads, scale / (d as f64).sqrt());
    let draw = |stream: Stream, n_columns: usize| {
        let mut random = Random::new(seed, stream);
        let entries: Vec<f64> = (0..d * n_columns).map(|_| deviation * random.normal()).collect();
        DMatrix::from_row_slice(d, n_columns, &entries)
    };
    Ok(L2Mha {
        queries: (0..heads).map(|h| draw(Stream::Query(h), k)).collect(),
        values: (0..heads).map(|h| draw(Stream::Value(h), k)).collect(),
        output: draw(Stream::Output, d),
    }
    .weights())
}

impl L2Mha {
    /// The same map as heads and an output matrix.
    #[must_use]
    pub fn weights(self) -> Weights {
        let heads = self
            .queries
            .iter()
            .zip(&self.values)
            .map(|(query, value)| {
                let q = query.transpose();
                let a = query * &q / (q.nrows() as f64).sqrt();
                HeadWeights { v: value.tr_mul(&a), k: q.clone(), q, second: None }
            })
            .collect();
        Weights { heads, shared: Vec::new(), output: Some(self.output.transpose()), l2_mha: Some(self) }
    }
}

fn explicit_weights(heads: &[Head], shared: &[usize], output: Option<&Rows>, d: usize) -> Result<Weights, InputError> {
    if heads[0].q.n_columns() != d {
        return Err(heads[0].of_other_dimension("`weights.heads[0].q`".into(), d));
    }
    let matrix = |rows: &Rows| DMatrix::from_row_slice(rows.n_rows(), rows.n_columns(), rows.entries());
    Ok(Weights {
        heads: heads
            .iter()
            .map(|head| HeadWeights {
                q: matrix(&head.q),
                k: matrix(&head.k),
                v: matrix(&head.v),
                second: head.second.as_ref().map(|second| SecondWeights {
                    q: matrix(&second.q),
                    k: matrix(&second.k),
                    lambda: second.lambda,
                }),
            })
            .collect(),
        shared: shared.to_vec(),
        output: output.map(matrix),
        l2_mha: None,
    })
}

fn random_weights(parameters: &RandomWeights, d: usize) -> Result<Weights, InputError> {
    limits::check_weights(drawn_entries(parameters, d))?;
    let deviation = parameters.scale / (d as f64).sqrt();
    let draw = |stream: Stream, n_rows: usize, n_columns: usize| {
        let mut random = Random::new(parameters.seed, stream);
        let entries: Vec<f64> = (0..n_rows * n_columns).map(|_| deviation * random.normal()).collect();
        DMatrix::from_row_slice(n_rows, n_columns, &entries)
    };
    let is_grouped = parameters.kv_heads != parameters.heads;
    let group_of = |head_idx: usize| head_idx * parameters.kv_heads / parameters.heads;
    let heads = (0..parameters.heads)
        .map(|h| {
            let (group, k) = (group_of(h), parameters.head_dim);
            HeadWeights {
                q: draw(Stream::Query(h), k, d),
                k: draw(Stream::Key(group), k, d),
                v: draw(Stream::Value(group), k, d),
                second: parameters.differential.map(|lambda| SecondWeights {
                    q: draw(Stream::SecondQuery(h), k, d),
                    k: draw(Stream::SecondKey(group), k, d),
                    lambda,
                }),
            }
        })
        .collect();
    let shared = if is_grouped { (0..parameters.heads).map(group_of).collect() } else { Vec::new() };
    let output = match parameters.output {
        Output::Absent => None,
        Output::Drawn => Some(draw(Stream::Output, d, parameters.heads * parameters.head_dim)),
    };
    Ok(Weights { heads, shared, output, l2_mha: None })
}

fn identity_weights(sign: f64, d: usize) -> Result<Weights, InputError> {
    limits::check_weights(three_squares(d))?;
    let identity = DMatrix::identity(d, d);
    let k = &identity * (sign * (d as f64).sqrt());
    Ok(Weights {
        heads: vec![HeadWeights { q: identity.clone(), k, v: identity, second: None }],
        shared: Vec::new(),
        output: None,
        l2_mha: None,
    })
}
