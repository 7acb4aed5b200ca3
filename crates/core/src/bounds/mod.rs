//! Bounds on the Lipschitz constant and their hypotheses. A bound whose hypotheses fail is absent.
//!
//! This file is the registry; docs/theory.md has statements and proofs.
//!
//! | folder or file | concept |
//! | --- | --- |
//! | `ball` | upper bounds that hold for all tokens of a ball |
//! | `lower` | lower bounds: tokens of a ball, with the norm there |
//! | `local` | upper bounds at given tokens |
//! | `certified` | upper bounds for all tokens near given ones |
//! | `variant` | the steps of attention and the norms that bounds on variants depend on |
//! | `hypotheses`, `heads`, `stacked_values`, `exponents`, `isotropic`, `logarithms`, `maximum` | what bounds depend on, and tools that the folders share |
//! | `bound`, `best`, `absence`, `slack` | a bound as data, the best of several, why one is absent, and its proof's slack |

mod absence;
mod ball;
mod best;
mod bound;
mod certified;
mod exponents;
mod heads;
mod hypotheses;
mod isotropic;
mod local;
mod logarithms;
mod lower;
mod maximum;
mod slack;
mod stacked_values;
mod variant;

use ball::{castin, elementwise, general, kim, sharp, two_tokens, unified};
use lower::witness_form::Shape;
use lower::{
    adversarial, causal_witness, centre, cesaro, equal_tokens, two_clusters, variant_fork, window_causal, witness,
    zero_key,
};

use crate::experiment::MaskKind;

pub use absence::Absence;
pub use best::{best_lower, best_upper, is_replaced};
pub use bound::{Bound, BoundId, Domain, Norm, Side};
pub use certified::{CertifiedHeads, DotAttention, Neighbourhood};
use heads::Mixing;
pub use heads::{Combination, HeadNorms};
use hypotheses::HeadOnBall;
pub use hypotheses::{Hypotheses, radius_of_ball};
pub use local::at_tokens::LocalBound;
pub(crate) use local::dot_head::DotHead;
pub(crate) use local::general::{GeneralHead, RowWeights};
pub(crate) use local::rounding::Counts;
pub use local::rows::LocalParts;
pub(crate) use local::rows::combine as combine_local;
pub(crate) use local::shared::{LocalBuffers, LocalTokens};
pub(crate) use logarithms::ln_sum;
pub use lower::two_clusters::{TwoClusterCurve, TwoClusters};
pub use lower::witness::ClusterWitness;
pub(crate) use lower::witness_direction::norm_of_clusters;
pub use slack::{BoundSlack, SlackFactor, SlackKind, slacks};
pub(crate) use stacked_values::MOST_STACKED;

impl BoundId {
    /// ln of a bound on the ball; `None` if its hypotheses do not hold.
    fn ln(self, hypotheses: &Hypotheses) -> Option<f64> {
        if self.is_plain_only() && !hypotheses.is_plain() {
            return None;
        }
        match self {
            BoundId::CastinGeneral => ln_of_heads(hypotheses, |at, head| castin::ln_general(at, head.a)),
            BoundId::CastinMeanField => ln_of_heads(hypotheses, |at, head| castin::ln_mean_field(at, head.a)),
            BoundId::Sharp => ln_of_mixed_heads(hypotheses, &hypotheses.mixings, sharp::ln_sharp),
            BoundId::SharpMasked => ln_of_mixed_heads(hypotheses, &hypotheses.mixings, sharp::ln_sharp_masked),
            BoundId::Unified => ln_of_heads(hypotheses, |at, head| unified::ln_unified(at, head.a)),
            BoundId::UnifiedMasked => ln_of_heads(hypotheses, |at, head| unified::ln_unified_masked(at, head.a)),
            BoundId::Adversarial => adversarial::ln_adversarial(hypotheses),
            BoundId::AdversarialEnvelope => adversarial::ln_envelope(hypotheses),
            BoundId::TwoClusters => two_clusters::ln_two_clusters(hypotheses),
            BoundId::Sink | BoundId::Fork if hypotheses.mask == MaskKind::Causal && hypotheses.is_plain() => {
                let shape = if self == BoundId::Sink { Shape::Sink } else { Shape::Fork };
                causal_witness::best(hypotheses, shape).map(|found| found.ln_closed)
            }
            BoundId::Sink => witness::best(hypotheses, Shape::Sink).map(|found| found.norm.ln()),
            BoundId::Fork => fork(hypotheses).map(|found| found.norm.ln()),
            BoundId::General => general::ln_general(hypotheses),
            BoundId::GeneralToken if hypotheses.is_plain() => {
                ln_of_mixed_heads(hypotheses, &hypotheses.mixings, |at, head| general::ln_plain_token(at, head.a))
            }
            BoundId::GeneralToken => general::ln_general_token(hypotheses),
            BoundId::Elementwise => elementwise::ln_elementwise(hypotheses),
            BoundId::ElementwiseToken => elementwise::ln_elementwise_token(hypotheses),
            BoundId::EqualTokens => equal_tokens::ln_equal_tokens(hypotheses),
            BoundId::ZeroKey => zero_key::ln_zero_key(hypotheses),
            BoundId::WindowCausal => window_causal::ln_window_causal(hypotheses),
            BoundId::KimLinf => kim::ln_linf(hypotheses),
            BoundId::KimL2 => kim::ln_l2(hypotheses),
            BoundId::KimColumn => kim::ln_column(hypotheses),
            BoundId::TwoTokens => ln_of_mixed_heads(hypotheses, &hypotheses.mixings, two_tokens::ln_two_tokens),
            BoundId::Centre => centre::best(hypotheses).map(|found| found.ln_closed),
            BoundId::Cesaro => cesaro::ln_cesaro(hypotheses),
            BoundId::Local | BoundId::LocalBlocks | BoundId::LocalToken | BoundId::Skew | BoundId::MaxToken => None,
        }
    }

    /// The bound under these hypotheses; `None` if they do not hold, if they do not determine the bound (bounds at
    /// given tokens, and `Skew`), or if it is infinite.
    #[must_use]
    #[doc(hidden)]
    pub fn at(self, hypotheses: &Hypotheses) -> Option<Bound> {
        self.ln(hypotheses).filter(|ln| *ln < f64::INFINITY).map(|ln| Bound::of_ln(self, ln))
    }
}

/// All bounds on the ball that apply under the hypotheses.
#[must_use]
pub fn all_bounds(hypotheses: &Hypotheses) -> Vec<Bound> {
    bounds_and_witnesses(hypotheses).0
}

/// The tokens behind the lower bounds; `None` where a bound does not apply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Witnesses {
    /// The tokens behind `two_clusters`.
    pub two_clusters: Option<TwoClusters>,
    /// The tokens behind `sink`.
    pub sink: Option<ClusterWitness>,
    /// The tokens behind `fork`.
    pub fork: Option<ClusterWitness>,
    /// The tokens behind `centre`.
    pub centre: Option<ClusterWitness>,
}

/// All bounds on the ball that apply under the hypotheses, and the tokens behind the lower ones.
#[must_use]
pub fn bounds_and_witnesses(hypotheses: &Hypotheses) -> (Vec<Bound>, Witnesses) {
    let curve = TwoClusterCurve::new(hypotheses, hypotheses.ln_n);
    let witnesses = Witnesses {
        two_clusters: curve.and_then(|curve| curve.at(hypotheses.ln_n)),
        sink: hypotheses.is_plain().then(|| witness::best(hypotheses, Shape::Sink)).flatten(),
        fork: fork(hypotheses),
        centre: hypotheses.is_plain().then(|| centre::best(hypotheses)).flatten(),
    };
    let bound = |id: BoundId| {
        let norm = match id {
            BoundId::TwoClusters => witnesses.two_clusters.as_ref().map(|found| found.norm),
            // Under the causal mask the two have closed forms, and no clusters.
            BoundId::Sink | BoundId::Fork if hypotheses.mask == MaskKind::Causal => return id.at(hypotheses),
            BoundId::Sink => witnesses.sink.as_ref().map(|found| found.norm),
            BoundId::Fork => witnesses.fork.as_ref().map(|found| found.norm),
            _ => return id.at(hypotheses),
        };
        norm.filter(|norm| !norm.is_nan()).map(|norm| Bound::of_ln(id, norm.ln()))
    };
    (BoundId::ALL.into_iter().filter_map(bound).collect(), witnesses)
}

/// The tokens behind the lower bounds under the causal mask, where their order counts: each witness lists them in it.
#[must_use]
pub(crate) fn causal_witnesses(hypotheses: &Hypotheses) -> Witnesses {
    if !hypotheses.is_plain() || hypotheses.mask != MaskKind::Causal {
        return Witnesses::default();
    }
    let [sink, fork] = [Shape::Sink, Shape::Fork].map(|shape| causal_witness::best(hypotheses, shape));
    Witnesses { two_clusters: None, sink, fork, centre: centre::best(hypotheses) }
}

/// The best fork: with its exact norm for plain experiments, with its closed form elsewhere.
fn fork(hypotheses: &Hypotheses) -> Option<ClusterWitness> {
    if hypotheses.is_plain() { witness::best(hypotheses, Shape::Fork) } else { variant_fork::best(hypotheses) }
}

/// All bounds on a ball, as functions of n. The search for the two clusters, which does not depend on n, is made once.
#[derive(Clone, Debug)]
pub struct BoundsOverN {
    hypotheses: Hypotheses,
    curve: Option<TwoClusterCurve>,
}

impl BoundsOverN {
    /// Prepares the bounds for up to `longest` tokens; ignores the n of `hypotheses`.
    #[must_use]
    pub fn new(hypotheses: Hypotheses, longest: f64) -> Self {
        let curve = TwoClusterCurve::new(&hypotheses, longest.ln());
        BoundsOverN { hypotheses, curve }
    }

    /// The bounds that apply at n tokens.
    #[must_use]
    pub fn at(&self, n: f64) -> Vec<Bound> {
        let at = self.hypotheses.with_n(n);
        let two_clusters = |id| self.curve.as_ref()?.at(at.ln_n).map(|found| Bound::of_ln(id, found.norm.ln()));
        let bound = |id: BoundId| if id == BoundId::TwoClusters { two_clusters(id) } else { id.at(&at) };
        BoundId::ALL.into_iter().filter_map(bound).collect()
    }

    /// R of the ball.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.hypotheses.radius
    }
}

/// ln of an upper bound whose heads behind an output matrix add up. `ln_one_head` is ln of the bound for one head with v =
/// 1.
fn ln_of_heads(hypotheses: &Hypotheses, ln_one_head: impl Fn(&Hypotheses, &HeadOnBall) -> Option<f64>) -> Option<f64> {
    ln_of_mixed_heads(hypotheses, &[], ln_one_head)
}

/// ln of an upper bound whose heads behind an output matrix add up, or combine in one of the ways given.
fn ln_of_mixed_heads(
    hypotheses: &Hypotheses,
    mixings: &[Mixing],
    ln_one_head: impl Fn(&Hypotheses, &HeadOnBall) -> Option<f64>,
) -> Option<f64> {
    let heads: Vec<HeadOnBall> = (0..hypotheses.heads.len()).map(|at| hypotheses.head_on_ball(at)).collect();
    let ln_ones = heads.iter().map(|head| ln_one_head(hypotheses, head)).collect::<Option<Vec<f64>>>()?;
    let ln_heads: Vec<f64> = ln_ones.iter().zip(&heads).map(|(ln, head)| ln + head.v_norm.ln()).collect();
    let ln_apart = hypotheses.combination.ln_combine(&ln_heads);
    let ln_mixed = mixings.iter().map(|mixing| mixing.ln_combine(&ln_ones)).filter(|ln| !ln.is_nan());
    Some(ln_mixed.fold(ln_apart, f64::min) + hypotheses.outer_factor.ln())
}
