//! The model in f64, with the attention of `lipscope-core`; it shares no code with the tensors used in training.

use lipscope_core::bounds::{HeadNorms, Hypotheses, KIM_LINF};
use lipscope_core::experiment::{Attention, InputError, MaskKind};
use lipscope_core::extremum::{largest, maximum};
use lipscope_core::phrase;
use lipscope_core::random::{Random, Stream};
use lipscope_core::weights::{HeadWeights, L2Mha, Weights};
use nalgebra::{DMatrix, DVector};

use super::branch::{AttentionBranch, Branch, LayerNorm, MlpBranch};
use super::corpus::Corpus;
use super::gelu::GELU_SLOPE;
use super::number::Number;
use super::parameters::{Parameters, in_block};
use super::plan::Plan;

/// A block: x -> x + attention(x), x -> x + MLP(x).
#[derive(Clone, Debug)]
pub struct Block {
    /// The attention branch.
    pub attention: AttentionBranch,
    /// The MLP branch, after attention.
    pub mlp: MlpBranch,
}

/// Embeddings, blocks and head. Tokens are columns: d x n.
#[derive(Clone, Debug)]
pub struct Stack {
    /// d x vocabulary.
    embedding: DMatrix<f64>,
    /// d x T.
    position: DMatrix<f64>,
    blocks: Vec<Block>,
    norm: Option<LayerNorm>,
    /// vocabulary x d.
    head: DMatrix<f64>,
    head_bias: DVector<f64>,
}

impl Block {
    /// Its two branches, in the order in which the tokens pass them.
    #[must_use]
    pub fn branches(&self) -> [Branch<'_>; 2] {
        [Branch::Attention(&self.attention), Branch::Mlp(&self.mlp)]
    }
}

impl Stack {
    /// The model of these weights.
    ///
    /// # Panics
    /// If the weights are not those of the plan.
    #[must_use]
    pub fn new<E: Number>(plan: &Plan, parameters: &Parameters<E>) -> Stack {
        let read = Reader { plan, parameters };
        Stack {
            embedding: read.matrix("embedding").transpose(),
            position: read.matrix("position").transpose(),
            blocks: (0..plan.blocks)
                .map(|block| Block { attention: read.attention(block), mlp: read.mlp(block) })
                .collect(),
            norm: plan.norm_elsewhere().then(|| read.norm("norm")),
            head: read.matrix("head").transpose(),
            head_bias: read.vector("head_bias"),
        }
    }

    /// The longest window, T.
    #[must_use]
    pub fn context(&self) -> usize {
        self.position.ncols()
    }

    /// The blocks.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Embedding plus position of at most T characters, d x n.
    ///
    /// # Panics
    /// If there are more than T characters, or one is not in the vocabulary.
    #[must_use]
    pub fn embed(&self, ids: &[u32]) -> DMatrix<f64> {
        let columns =
            ids.iter().enumerate().map(|(at, id)| self.embedding.column(*id as usize) + self.position.column(at));
        DMatrix::from_columns(&columns.collect::<Vec<_>>())
    }

    /// The character at each position whose embedding plus position is nearest to the token.
    #[must_use]
    pub fn nearest(&self, tokens: &DMatrix<f64>) -> Vec<u32> {
        let nearest = |(at, token): (usize, _)| {
            let sought: DVector<f64> = token - self.position.column(at);
            let distances = self.embedding.column_iter().map(|embedding| (&sought - embedding).norm_squared());
            distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(id, _)| id as u32)
        };
        tokens.column_iter().enumerate().map(nearest).collect()
    }

    /// The tokens before each branch, and those after the last one: 2 blocks + 1 matrices d x n.
    ///
    /// # Errors
    /// [`InputError::Overflow`] where tokens or scores overflow.
    pub fn states(&self, ids: &[u32]) -> Result<Vec<DMatrix<f64>>, InputError> {
        let mut states = vec![self.embed(ids)];
        for branch in self.blocks.iter().flat_map(Block::branches) {
            let tokens = &states[states.len() - 1];
            let next = tokens + branch.apply(tokens)?;
            states.push(next);
        }
        Ok(states)
    }

    /// For each of the characters, the logits of the character that follows it, vocabulary x n.
    ///
    /// # Errors
    /// As [`Stack::states`].
    pub fn logits(&self, ids: &[u32]) -> Result<DMatrix<f64>, InputError> {
        let mut tokens = self.embed(ids);
        for branch in self.blocks.iter().flat_map(Block::branches) {
            tokens += branch.apply(&tokens)?;
        }
        let normed = self.norm.as_ref().map_or_else(|| tokens.clone(), |norm| norm.apply(&tokens));
        let mut logits = &self.head * normed;
        for mut column in logits.column_iter_mut() {
            column += &self.head_bias;
        }
        Ok(logits)
    }
}

/// Reads weights by name.
struct Reader<'a, E> {
    plan: &'a Plan,
    parameters: &'a Parameters<E>,
}

impl<E: Number> Reader<'_, E> {
    /// The matrix of that name, rows x columns, for tokens as rows.
    ///
    /// # Panics
    /// If there is no matrix of that name. This cannot happen: parameters and stack are built from one plan.
    fn matrix(&self, name: &str) -> DMatrix<f64> {
        let parameter = self.parameters.get(name).expect(name);
        let values = parameter.values.iter().map(|value| value.double());
        DMatrix::from_row_iterator(parameter.rows, parameter.columns, values)
    }

    fn vector(&self, name: &str) -> DVector<f64> {
        self.matrix(name).row(0).transpose()
    }

    fn norm(&self, name: &str) -> LayerNorm {
        LayerNorm { scale: self.vector(&format!("{name}.scale")), shift: self.vector(&format!("{name}.shift")) }
    }

    fn attention(&self, block: usize) -> AttentionBranch {
        let matrix = |part: &str| self.matrix(&in_block(block, part));
        let k = self.plan.head_width();
        let of_heads = |matrix: DMatrix<f64>| -> Vec<DMatrix<f64>> {
            (0..self.plan.heads).map(|head| matrix.columns(head * k, k).into_owned()).collect()
        };
        let (query, value) = (of_heads(matrix("attention.query")), of_heads(matrix("attention.value")));
        let output = matrix("attention.output");
        let weights = if self.plan.kind.is_tied() {
            L2Mha { queries: query, values: value, output }.weights()
        } else {
            let heads = query.iter().zip(of_heads(matrix("attention.key"))).zip(&value);
            let head = |((q, k), v): ((&DMatrix<f64>, DMatrix<f64>), &DMatrix<f64>)| HeadWeights {
                q: q.transpose(),
                k: k.transpose(),
                v: v.transpose(),
                second: None,
            };
            Weights {
                heads: heads.map(head).collect(),
                shared: Vec::new(),
                output: Some(output.transpose()),
                l2_mha: None,
            }
        };
        let contraction = self.plan.kind.is_contraction().then_some(self.plan.c);
        AttentionBranch {
            norm: self.plan.norm_before_attention().then(|| self.norm(&in_block(block, "attention.norm"))),
            kernel: self.plan.kind.kernel(),
            steps: self.plan.kind.steps(self.plan.context),
            factor: contraction.map_or(1.0, |c| c / kim_linf(&weights, self.plan.context)),
            weights,
            contraction,
        }
    }

    fn mlp(&self, block: usize) -> MlpBranch {
        let part = |part: &str| in_block(block, part);
        let (up, down) = (self.matrix(&part("mlp.up")).transpose(), self.matrix(&part("mlp.down")).transpose());
        let contraction = self.plan.mlp_is_contraction().then_some(self.plan.c);
        MlpBranch {
            norm: self.plan.norm_elsewhere().then(|| self.norm(&part("mlp.norm"))),
            factor: contraction.map_or(1.0, |c| c / (GELU_SLOPE * row_sum(&up) * row_sum(&down))),
            up,
            up_bias: self.vector(&part("mlp.up_bias")),
            down,
            down_bias: self.vector(&part("mlp.down_bias")),
            contraction,
        }
    }
}

/// Draws a text of `characters` characters, each from the model's distribution after the last T characters. The text
/// starts after a line break, or after the vocabulary's first character if the training text has no line break.
///
/// # Errors
/// [`InputError::Overflow`] where tokens, scores or logits overflow.
pub fn draw_text(stack: &Stack, corpus: &Corpus, characters: usize, seed: u64) -> Result<String, InputError> {
    let mut random = Random::new(seed, Stream::TrainedText);
    let line_end = corpus.vocabulary().binary_search(&'\n').unwrap_or_default();
    let mut ids = vec![line_end as u32];
    for _ in 0..characters {
        let logits = stack.logits(&ids[ids.len().saturating_sub(stack.context())..])?;
        let last: Vec<f64> = logits.column(logits.ncols() - 1).iter().copied().collect();
        let id = draw(&last, random.uniform());
        ids.push(id.ok_or_else(|| InputError::Overflow { what: phrase!("logits", "The logits") })? as u32);
    }
    Ok(corpus.text(&ids[1..]))
}

/// The engine's `kim_linf` for n tokens; infinite where the weights have no such bound.
fn kim_linf(weights: &Weights, n: usize) -> f64 {
    let norms = HeadNorms { a_norm: 0.0, v_norm: 0.0 };
    let hypotheses = Hypotheses::of_norms(Attention::L2, MaskKind::None, norms, 0.0, n as f64).with_l2_mha(weights);
    KIM_LINF.at(&hypotheses).and_then(|bound| bound.value).unwrap_or(f64::INFINITY)
}

/// ||W||_inf, the largest absolute row sum.
fn row_sum(matrix: &DMatrix<f64>) -> f64 {
    largest(matrix.row_iter().map(|row| row.iter().map(|x| x.abs()).sum()))
}

/// The index that a uniform number from [0, 1) selects from the softmax of the logits; `None` if they are not finite.
fn draw(logits: &[f64], uniform: f64) -> Option<usize> {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, maximum);
    if !largest.is_finite() {
        return None;
    }
    let masses: Vec<f64> = logits.iter().map(|logit| libm::exp(logit - largest)).collect();
    let mut rest = uniform * masses.iter().sum::<f64>();
    let reached = masses.iter().position(|mass| {
        rest -= mass;
        rest < 0.0
    });
    // Rounding may leave a remainder after the last index.
    reached.or(logits.len().checked_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logits_that_are_not_finite_select_no_character() {
        assert_eq!([0.0, 0.3, 0.6, 0.999].map(|uniform| draw(&[0.0, 0.0, -1e9, 0.0], uniform)), [0, 0, 1, 3].map(Some));
        for wrong in [f64::NAN, -f64::NAN, f64::INFINITY] {
            for at in 0..3 {
                let mut logits = [0.0, 1.0, 2.0];
                logits[at] = wrong;
                assert_eq!(draw(&logits, 0.5), None, "{logits:?}");
            }
        }
    }

    #[test]
    fn a_matrix_with_a_nan_has_no_row_sum() {
        assert_eq!(row_sum(&DMatrix::from_row_slice(2, 2, &[1.0, -2.0, 0.5, 0.0])), 3.0);
        assert!(row_sum(&DMatrix::from_row_slice(2, 2, &[1.0, -2.0, f64::NAN, 0.0])).is_nan());
    }
}
