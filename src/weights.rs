//! From an experiment to its heads and output matrix.

use nalgebra::DMatrix;

use crate::experiment::{
    Experiment, Head, InputError, Output, RandomWeights, Rows, TokenSource, WeightSource, limits::MAX_WEIGHT_ENTRIES,
    weights_too_large,
};
use crate::random::{Random, Stream};
use crate::tokens;

/// One head: Q and K are k x d, V is d_v x d.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadWeights {
    /// k x d.
    pub q: DMatrix<f64>,
    /// k x d.
    pub k: DMatrix<f64>,
    /// d_v x d.
    pub v: DMatrix<f64>,
}

/// The weights of self-attention: heads on the same d, and an output matrix or none.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// At least one.
    pub heads: Vec<HeadWeights>,
    /// d_out x (sum of d_v).
    pub output: Option<DMatrix<f64>>,
}

/// Tokens (d x n) and the weights that fit them.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// d x n, a column a token.
    pub tokens: DMatrix<f64>,
    /// Heads and output matrix.
    pub weights: Weights,
}

impl HeadWeights {
    /// A = K^T Q / sqrt(k), d x d.
    #[must_use]
    pub fn a(&self) -> DMatrix<f64> {
        self.k.tr_mul(&self.q) / (self.q.nrows() as f64).sqrt()
    }
}

impl Weights {
    /// The token dimension d.
    #[must_use]
    pub fn d(&self) -> usize {
        self.heads.first().map_or(0, |head| head.q.ncols())
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

/// Draws, lists or builds the tokens and weights of an experiment.
///
/// # Errors
/// [`InputError`] where the two do not fit, or the form cannot be measured yet.
pub fn inputs(experiment: &Experiment) -> Result<Inputs, InputError> {
    match &experiment.tokens {
        TokenSource::Explicit(rows) => with_tokens(experiment, tokens::listed_tokens(rows)),
        TokenSource::Random(law) => with_tokens(experiment, tokens::random_tokens(law)),
        TokenSource::Adversarial { n, radius } => {
            let weights = weights_for(experiment, d_of_weights(experiment)?)?;
            let d = weights.d();
            crate::experiment::limits::check_tokens(*n, d)?;
            let tokens = tokens::adversarial_tokens(&weights.heads[0].a(), *n, *radius)?;
            Ok(Inputs { tokens, weights })
        }
        TokenSource::Skew { .. } => Err(not_yet("tokens.source", "skew", "explicit, random, adversarial")),
        TokenSource::Clusters { .. } => Err(not_yet("tokens.source", "clusters", "explicit, random, adversarial")),
    }
}

fn with_tokens(experiment: &Experiment, tokens: DMatrix<f64>) -> Result<Inputs, InputError> {
    let weights = weights_for(experiment, tokens.nrows())?;
    Ok(Inputs { tokens, weights })
}

/// The weights of an experiment for tokens of dimension d.
///
/// # Errors
/// [`InputError`] where they do not fit, or the form cannot be measured yet.
pub fn weights_for(experiment: &Experiment, d: usize) -> Result<Weights, InputError> {
    let weights = match &experiment.weights {
        Some(WeightSource::Explicit { heads, output }) => explicit_weights(heads, output.as_ref(), d)?,
        Some(WeightSource::Random(law)) => random_weights(law, d)?,
        Some(WeightSource::Identity { sign }) => identity_weights(*sign, d)?,
        Some(WeightSource::Kim { .. }) => return Err(not_yet("weights.source", "kim", "explicit, random, identity")),
        None => return Err(InputError::MissingKey { key: "weights".into(), expected: "the weights' source".into() }),
    };
    Ok(weights)
}

/// The token dimension that the weights fix by themselves: their own where they are listed, heads times head dimension
/// where they are drawn, 1 for the identity.
fn d_of_weights(experiment: &Experiment) -> Result<usize, InputError> {
    match &experiment.weights {
        Some(WeightSource::Explicit { heads, .. }) => Ok(heads[0].q.n_columns()),
        Some(WeightSource::Random(law)) => Ok(law.heads * law.head_dim),
        _ => Ok(1),
    }
}

fn not_yet(key: &str, value: &str, instead: &str) -> InputError {
    InputError::NotYet { key: key.into(), value: value.into(), instead: instead.into() }
}

fn explicit_weights(heads: &[Head], output: Option<&Rows>, d: usize) -> Result<Weights, InputError> {
    let found = heads[0].q.n_columns();
    if found != d {
        return Err(InputError::Shape {
            what: "`weights.heads[0].q`".into(),
            found: heads[0].q.shape(),
            expected: format!("{} x {d}", heads[0].q.n_rows()),
            reason: format!("it takes the tokens, which have dimension {d}"),
        });
    }
    let matrix = |rows: &Rows| DMatrix::from_row_slice(rows.n_rows(), rows.n_columns(), rows.entries());
    Ok(Weights {
        heads: heads
            .iter()
            .map(|head| HeadWeights { q: matrix(&head.q), k: matrix(&head.k), v: matrix(&head.v) })
            .collect(),
        output: output.map(matrix),
    })
}

fn random_weights(law: &RandomWeights, d: usize) -> Result<Weights, InputError> {
    let entries = 4usize.saturating_mul(law.heads).saturating_mul(law.head_dim).saturating_mul(d);
    if entries > MAX_WEIGHT_ENTRIES {
        return Err(weights_too_large(entries));
    }
    let deviation = law.scale / (d as f64).sqrt();
    let draw = |stream: Stream, n_rows: usize, n_columns: usize| {
        let mut random = Random::new(law.seed, stream);
        let entries: Vec<f64> = (0..n_rows * n_columns).map(|_| deviation * random.normal()).collect();
        DMatrix::from_row_slice(n_rows, n_columns, &entries)
    };
    let heads = (0..law.heads)
        .map(|h| HeadWeights {
            q: draw(Stream::Query(h), law.head_dim, d),
            k: draw(Stream::Key(h), law.head_dim, d),
            v: draw(Stream::Value(h), law.head_dim, d),
        })
        .collect();
    let output = match law.output {
        Output::Absent => None,
        Output::Drawn => Some(draw(Stream::Output, d, law.heads * law.head_dim)),
    };
    Ok(Weights { heads, output })
}

fn identity_weights(sign: f64, d: usize) -> Result<Weights, InputError> {
    if 3usize.saturating_mul(d).saturating_mul(d) > MAX_WEIGHT_ENTRIES {
        return Err(weights_too_large(3 * d * d));
    }
    let identity = DMatrix::identity(d, d);
    let k = &identity * (sign * (d as f64).sqrt());
    Ok(Weights { heads: vec![HeadWeights { q: identity.clone(), k, v: identity }], output: None })
}
