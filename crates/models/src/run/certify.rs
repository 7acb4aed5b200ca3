//! How far a bound reaches at a window of a model: for each eps an upper bound on the norm of attention at all tokens
//! within eps of those that the heads see, beside the norm there and the largest norm that a search within eps finds
//! (`certified(eps)` of docs/theory.md).
//!
//! The tokens are those that enter attention, after the layer's norm where that comes first. The map is attention alone,
//! with its biases, under any mask of the model, with shared keys and values and with what is added to scores by distance.
//! The bound is not proved with rotary positions, norms of queries and keys, a soft cap, sinks, or L2 attention; models that
//! have them are refused by the step's name.

use nalgebra::{DMatrix, DVector};

use super::norm::{NormIteration, NormStep};
use super::plan::Plan;
use super::plan_text::MODEL_TOLERANCE;
use crate::config::map_kind::{Heads, MapKind};
use crate::config::model_config::ModelConfig;
use crate::parts::attention_map::{LayerRules, columns, projections};
use crate::parts::layer_map::LayerMap;
use crate::parts::model::Model;
use crate::results::estimate::SpectralNorm;
use crate::results::table::Cell;
use lipscope_core::attention::{Dual, Forward, Projections};
use lipscope_core::bounds::{DotAttention, Neighbourhood};
use lipscope_core::certify::check_relative;
use lipscope_core::cost::{check_sizes, size_at};
use lipscope_core::experiment::{Attention, InputError, Mask, Memory, Order, Phrase, Size};
use lipscope_core::extremum::largest;
use lipscope_core::measure::UpperNumber;
use lipscope_core::phrase;
use lipscope_core::search::{AttentionAt, NearbyEffort, NearbySearches};
use lipscope_core::spectral::LanczosOptions;
use lipscope_core::weights::{HeadWeights, Weights};

/// What is certified at a cell, beside the cell and its [`Plan`].
#[derive(Clone, Debug, PartialEq)]
pub struct WindowCertifyPlan {
    /// The values of eps, in units of R ([`CertifiedWindow::radius`]).
    pub relative: Vec<f64>,
    /// How long the search within each eps is.
    pub effort: NearbyEffort,
}

/// The bounds and the largest norm found within one eps of the tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct CertifiedWindowRow {
    /// eps/R.
    pub relative: f64,
    /// eps.
    pub epsilon: f64,
    /// Upper bound on the norm of each head, through its part of the output matrix if the map has that.
    pub heads: Vec<f64>,
    /// The heads' bounds added, or before the output matrix the root of the sum of their squares.
    pub added: f64,
    /// Upper bound on the norm of all heads: at most `added`.
    pub certified: f64,
    /// The largest norm known within eps: a lower bound.
    pub found: f64,
}

/// The norms at the tokens of a window, and a row for each eps.
#[derive(Clone, Debug, PartialEq)]
pub struct CertifiedWindow {
    /// R: the largest norm of a token.
    pub radius: f64,
    /// ||J|| of all heads at the tokens.
    pub norm: SpectralNorm,
    /// ||J|| of each head at the tokens.
    pub heads: Vec<SpectralNorm>,
    /// A row for each eps, in the order of the plan.
    pub rows: Vec<CertifiedWindowRow>,
}

/// A certificate of a window under way: the bounds at each eps, then the search within each.
#[derive(Debug)]
pub struct WindowCertificate {
    plan: WindowCertifyPlan,
    tokens: DMatrix<f64>,
    attention: LayerAttention,
    neighbourhood: Neighbourhood,
    certified: CertifiedWindow,
    searches: NearbySearches,
}

impl WindowCertifyPlan {
    /// Refuses an eps that is no number from 0 on, a map that is more than attention, models whose attention has steps
    /// that the proof does not have, and windows that would take more memory than the limit.
    ///
    /// # Errors
    /// [`InputError`].
    pub fn check(&self, config: &ModelConfig, plan: &Plan, cell: &Cell, memory: Memory) -> Result<(), InputError> {
        check_relative(&self.relative)?;
        if !plan.kind.is_attention_alone() {
            return Err(InputError::Conflict {
                what: phrase!("map_named", "The map {map}", map = plan.kind.id()),
                problem: phrase!(
                    "no_certificate_of_map",
                    "has no certified bound: it is proved for attention alone, without a residual connection"
                ),
                fix: phrase!(
                    "choose_map_attention",
                    "Choose the map {before} or {after}.",
                    before = MapKind::Attention.id(),
                    after = MapKind::WithOutput.id()
                ),
            });
        }
        if let Some(step) = step_without_certificate(config, cell.layer) {
            return Err(InputError::Conflict {
                what: phrase!("the_model_of_family", "The model, a {family},", family = config.family.name()),
                problem: phrase!(
                    "has_step_without_certificate",
                    "has {step} in layer {layer}, for which the certified bound is not proved",
                    step = step,
                    layer = cell.layer
                ),
                fix: phrase!(
                    "use_bounds_at_tokens",
                    "Use `lipscope model --bounds`, whose bounds at the tokens themselves hold for it."
                ),
            });
        }
        let n = cell.n;
        let sizes = [(Size::Tokens, n as u64), (Size::Dimension, config.d as u64)];
        check_sizes(phrase!("certificate", "The certificate"), &sizes, memory, |changed| bytes(config, n, changed))
    }

    /// Approximate memory of a certificate at a window of n tokens in bytes, besides the model, with a margin for
    /// temporaries; saturates.
    #[must_use]
    pub fn bytes(config: &ModelConfig, n: usize) -> u64 {
        bytes(config, n, None)
    }
}

/// The first step of a layer's attention that the proof of `certified(eps)` does not have.
fn step_without_certificate(config: &ModelConfig, layer: usize) -> Option<Phrase> {
    let l2 = (config.attention != Attention::Dot).then(|| phrase!("described_l2", "L2 attention"));
    let rope = config.rope_of(layer).map(|_| phrase!("described_rope", "RoPE"));
    let norm = config.family.qk_norm.map(|_| phrase!("described_qk_norm", "QK norm"));
    let sinks = config.family.sinks.map(|_| phrase!("described_sinks", "sinks"));
    let of_cap = |tau: f64| phrase!("described_softcap", "soft cap of the scores at {tau}", tau = tau);
    l2.or(rope).or(norm).or(sinks).or(config.softcap.map(of_cap))
}

/// As [`WindowCertifyPlan::bytes`], with a size changed.
fn bytes(config: &ModelConfig, n: usize, changed: Option<(Size, u64)>) -> u64 {
    const MARGIN: f64 = 1.2;
    let at = |size: Size, default: usize| size_at(changed, size, default);
    let (n, d) = (at(Size::Tokens, n), at(Size::Dimension, config.d));
    let wider = d / config.d as f64;
    let heads = config.heads as f64;
    let inner = heads * config.head_dim as f64 * wider;
    // Projections in f64 and as dual numbers; those of a head in f64 and f32; the weights and the matrices of
    // `StackedValues`, with Q of each head once more.
    let matrices = config.numbers_of_attention() as f64 * wider * wider * (3.0 + 2.0 / heads) + 6.0 * inner * d;
    let gram = 8.0 * d.min(inner).powi(2);
    let neighbourhood = heads * n * n + 4.0 * inner * n;
    // A forward pass with its Jacobian in dual numbers, the vectors of the iteration, and the tokens of the search.
    let search = 2.0 * (2.5 * heads * n * n + 12.0 * inner * n) + 110.0 * n * d;
    (8.0 * MARGIN * (matrices + gram + neighbourhood + search)) as u64
}

impl WindowCertificate {
    /// Measures the tokens (d x n) themselves and prepares the bounds.
    ///
    /// # Errors
    /// [`InputError`] as [`WindowCertifyPlan::check`], if the model has no such layer, or numbers overflow.
    pub fn start_within(
        model: &Model,
        (plan, cell): (&Plan, &Cell),
        certify: &WindowCertifyPlan,
        tokens: &DMatrix<f64>,
        memory: Memory,
    ) -> Result<Self, InputError> {
        certify.check(&model.config, plan, cell, memory)?;
        let (layer, kind, order) = (cell.layer, plan.kind, plan.mask);
        let rules = LayerRules::of(model, layer, Heads::All)?;
        let mask = rules.mask(order);
        let (weights, query_biases) = dot_attention(model, layer, kind)?;
        let attention = DotAttention {
            weights: &weights,
            query_biases: &query_biases,
            score_biases: &rules.steps(tokens.ncols()).bias,
            mask: &mask,
        };
        let norm_of = |heads: Heads| norm(&LayerMap::new(model, layer, kind, heads)?, tokens, order);
        let certified = CertifiedWindow {
            radius: largest(tokens.column_iter().map(|token| token.norm())),
            norm: norm_of(Heads::All)?,
            heads: (0..model.config.heads).map(|head| norm_of(Heads::One(head))).collect::<Result<_, InputError>>()?,
            rows: Vec::with_capacity(certify.relative.len()),
        };
        Ok(WindowCertificate {
            neighbourhood: Neighbourhood::of_attention(attention, tokens),
            attention: LayerAttention {
                double: projections(model, layer, kind, Heads::All)?,
                dual: projections(model, layer, kind, Heads::All)?,
                rules,
                mask,
            },
            // A norm within 1e-7 or so serves a lower bound.
            searches: NearbySearches::new(tokens, certify.effort)
                .with_options(LanczosOptions { tolerance: MODEL_TOLERANCE, ..LanczosOptions::default() }),
            plan: certify.clone(),
            certified,
            tokens: tokens.clone(),
        })
    }

    /// The rows so far; a row whose search is not over may have a smaller `found` than at the end.
    #[must_use]
    pub fn so_far(&self) -> &CertifiedWindow {
        &self.certified
    }

    /// The number of values of eps whose search is over.
    #[must_use]
    pub fn searched(&self) -> usize {
        self.searches.over()
    }

    /// Computes the bounds at one eps, or one step of a search; `false` at the end.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if scores overflow at a start of a search.
    pub fn step(&mut self) -> Result<bool, InputError> {
        let CertifiedWindow { rows, radius, norm, .. } = &mut self.certified;
        if let Some(relative) = self.plan.relative.get(rows.len()) {
            let epsilon = relative * *radius;
            let bounds = self.neighbourhood.certified_heads(epsilon);
            let certified = bounds.value();
            let (added, heads) = (bounds.added, bounds.heads);
            let row = CertifiedWindowRow { relative: *relative, epsilon, heads, added, certified, found: norm.value };
            rows.push(row);
            return Ok(true);
        }
        let Some(eps) = rows.get(self.searches.over()).map(|row| row.epsilon) else { return Ok(false) };
        self.searches.step(eps, &self.attention, &self.tokens)?;
        if let Some((_, norm)) = self.searches.best() {
            // Tokens within eps are within every larger eps too.
            rows.iter_mut().filter(|row| row.epsilon >= eps).for_each(|row| row.found = row.found.max(norm));
        }
        Ok(true)
    }
}

/// The attention of all heads of a layer, for a search.
#[derive(Debug)]
struct LayerAttention {
    double: Projections<f64>,
    dual: Projections<Dual>,
    rules: LayerRules,
    mask: Mask,
}

impl AttentionAt for LayerAttention {
    fn forward(&self, tokens: &DMatrix<f64>) -> Result<Forward<f64>, InputError> {
        Forward::of_projections(self.double.clone(), self.mask.clone(), self.rules.steps(tokens.ncols()), tokens)
    }

    fn lifted(&self, tokens: &DMatrix<Dual>) -> Result<Forward<Dual>, InputError> {
        Forward::of_projections(self.dual.clone(), self.mask.clone(), self.rules.steps(tokens.ncols()), tokens)
    }
}

/// The weights of a layer's heads for scores over sqrt(k), and the biases of their queries.
fn dot_attention(model: &Model, layer: usize, kind: MapKind) -> Result<(Weights, Vec<DVector<f64>>), InputError> {
    let (config, part) = (model.config, &model.block(layer)?.attention);
    let (sizes, k) = (config.head_sizes(), config.head_dim);
    let factor = config.query_factor(layer) * config.given_scale().map_or(1.0, |scale| scale * (k as f64).sqrt());
    let heads = (0..sizes.heads).map(|head| {
        let (own, group) = (head * k, sizes.group(head) * k);
        let rows = |weight: &DMatrix<f32>, first: usize| weight.rows(first, k).map(f64::from);
        HeadWeights {
            q: rows(&part.query.weight, own) * factor,
            k: rows(&part.key.weight, group),
            v: rows(&part.value.weight, group),
            second: None,
        }
    });
    let bias = |head: usize| part.query.bias[head * k..][..k].iter().map(|x| f64::from(*x) * factor);
    let biases = (0..sizes.heads).map(|head| DVector::from_iterator(k, bias(head))).collect();
    let all = columns(model, Heads::All)?;
    let output = (kind != MapKind::Attention).then(|| part.output.weight.columns(all.start, all.len()).map(f64::from));
    Ok((Weights { heads: heads.collect(), shared: Vec::new(), output, l2_mha: None }, biases))
}

/// ||J|| of a map at tokens (d x n), to ten digits.
fn norm(map: &LayerMap, tokens: &DMatrix<f64>, order: Order) -> Result<SpectralNorm, InputError> {
    let mut jacobian = map.at(tokens, order)?.jacobian;
    let mut iteration = NormIteration::new(map, &jacobian, (LanczosOptions::default(), UpperNumber::Skipped))?;
    loop {
        if let NormStep::Done(found, _) = iteration.step(&mut jacobian) {
            return Ok(SpectralNorm::of(&found));
        }
    }
}
