//! What page and worker say to each other: typed, every field named, every answer with the run it belongs to.
//!
//! A run id is given by the page and only grows. The worker answers a request with a stream of replies that ends with
//! `Finished`, `Failed` or `Cancelled`; a page drops replies of runs it no longer wants.

use serde::{Deserialize, Serialize};

use lipscope_core::bounds::{Bound, Norm};
use lipscope_core::estimators::{EstimatorPlan, EstimatorPoint};
use lipscope_core::experiment::{Experiment, Given};
use lipscope_core::growth::{FamilyPoint, Growth, GrowthPlan};
use lipscope_core::inverse::{ConstantKind, InversePlan, InverseStep, Outcome};
use lipscope_core::measure::{BlockNorms, Measurement};
use lipscope_core::picture::{AttentionPicture, PairRequest, TokenPicture, TopPair};
use lipscope_core::scaling::{ScalingPlan, ScalingPoint};
use lipscope_core::script::Dialect;
use lipscope_core::search::{SearchCheckpoint, SearchDomain, SearchPlan, SearchStep};
use lipscope_core::spectrum::{Spectrum, SpectrumPlan};
use lipscope_core::sweep::SweepPoint;
use lipscope_core::tightness::TightnessPoint;

/// Names a run.
pub type RunId = u64;

/// From the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Measure one experiment and picture it.
    Measure {
        /// The run.
        run_id: RunId,
        /// What to measure.
        experiment: Experiment,
        /// Which head's attention to picture.
        head_idx: usize,
        /// The most cells a side of the attention picture.
        most_cells: usize,
        /// Whether the bound over the largest token is computed too.
        block_norms: BlockNorms,
        /// Whether the leading singular pair is pictured too.
        pair: PairRequest,
    },
    /// Sweep an experiment over lengths.
    Sweep {
        /// The run.
        run_id: RunId,
        /// What to sweep; its n does not matter.
        experiment: Experiment,
        /// The lengths n.
        lengths: Vec<usize>,
        /// Draws a length.
        draws: usize,
        /// The norm that is wanted; any but the spectral one brings the other norms along.
        norm: Norm,
    },
    /// The bounds as curves over n, valid for every draw of a sweep: R is the radius of the ball that holds them all.
    Curves {
        /// The run.
        run_id: RunId,
        /// Whose tokens' law, weights, mask and normaliser.
        experiment: Experiment,
        /// The n, ascending.
        lengths: Vec<usize>,
        /// Draws a length of the sweep they must hold for.
        draws: usize,
    },
    /// The bounds over n from 2 on as far as one likes, then exact norms of the adversarial tokens.
    Growth {
        /// The run.
        run_id: RunId,
        /// Whose weights, ball, mask and normaliser.
        experiment: Experiment,
        /// The n of the curves.
        plan: GrowthPlan,
        /// The n of the exact norms.
        family_plan: GrowthPlan,
    },
    /// The norm of both kernels as the tokens are scaled up.
    Scale {
        /// The run.
        run_id: RunId,
        /// What to scale.
        plan: ScalingPlan,
    },
    /// The largest l_inf norm of L2 attention that a search finds at each n.
    Tightness {
        /// The run.
        run_id: RunId,
        /// The n.
        lengths: Vec<usize>,
        /// Random restarts at each.
        restarts: usize,
        /// Their seed.
        seed: u64,
    },
    /// The inverse of X + c F(X)/L, iteration by iteration.
    Invert {
        /// The run.
        run_id: RunId,
        /// What to invert.
        plan: InversePlan,
    },
    /// The singular values of the Jacobian.
    Spectrum {
        /// The run.
        run_id: RunId,
        /// Whose, and how many.
        plan: SpectrumPlan,
    },
    /// Estimators of the spectral norm, iteration by iteration.
    EstimatorComparison {
        /// The run.
        run_id: RunId,
        /// What they are tried on.
        plan: EstimatorPlan,
    },
    /// The largest norm over a ball that an ascent finds.
    Search {
        /// The run.
        run_id: RunId,
        /// What to search.
        plan: SearchPlan,
        /// Where a search of this plan stood, to go on from.
        mark: Option<Box<SearchCheckpoint>>,
    },
    /// Read a text or file: the page itself reads none.
    Read {
        /// The run.
        run_id: RunId,
        /// The file's name; `None` for a text.
        name: Option<String>,
        /// What is in it; UTF-8 for a text.
        bytes: Vec<u8>,
    },
    /// Write an experiment as a Python program.
    Script {
        /// The run.
        run_id: RunId,
        /// Which experiment.
        experiment: Experiment,
        /// For what.
        dialect: Dialect,
    },
    /// End whatever runs.
    Cancel,
}

impl Request {
    /// The run that it begins.
    #[must_use]
    pub fn run_id(&self) -> Option<RunId> {
        match self {
            Request::Measure { run_id, .. }
            | Request::Sweep { run_id, .. }
            | Request::Curves { run_id, .. }
            | Request::Growth { run_id, .. }
            | Request::Scale { run_id, .. }
            | Request::Tightness { run_id, .. }
            | Request::Invert { run_id, .. }
            | Request::Spectrum { run_id, .. }
            | Request::EstimatorComparison { run_id, .. }
            | Request::Search { run_id, .. }
            | Request::Read { run_id, .. }
            | Request::Script { run_id, .. } => Some(*run_id),
            Request::Cancel => None,
        }
    }
}

/// From the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The worker listens. Its first word.
    Ready,
    /// The worker has begun a run; whatever ran before is dropped.
    Started {
        /// The run.
        run_id: RunId,
    },
    /// How far a run is.
    Progress {
        /// The run.
        run_id: RunId,
        /// Points (of a sweep) or Lanczos steps (of a measurement) done.
        done: usize,
        /// Points in all; `None` where nobody knows.
        total: Option<usize>,
        /// Relative residual so far (of a measurement).
        relative_residual: Option<f64>,
    },
    /// A measurement and its pictures.
    Measured {
        /// The run.
        run_id: RunId,
        /// The numbers.
        measurement: Box<Measurement>,
        /// The attention matrix.
        attention: AttentionPicture,
        /// The tokens.
        tokens: Box<TokenPicture>,
        /// The leading singular pair, where it was asked for and can be pictured.
        pair: Option<TopPair>,
        /// Milliseconds in the worker.
        milliseconds: f64,
    },
    /// Points of a sweep, in order.
    Points {
        /// The run.
        run_id: RunId,
        /// Those since the last reply.
        points: Vec<SweepPoint>,
    },
    /// Bound curves: a list at each n that was asked for.
    Curves {
        /// The run.
        run_id: RunId,
        /// R of the curves.
        radius: f64,
        /// (n, the bounds that apply).
        bounds: Vec<(usize, Vec<Bound>)>,
    },
    /// Bound curves from n = 2 on.
    Growth {
        /// The run.
        run_id: RunId,
        /// The curves.
        growth: Box<Growth>,
    },
    /// Exact norms of adversarial tokens, in order of n.
    Family {
        /// The run.
        run_id: RunId,
        /// Those since the last reply.
        points: Vec<FamilyPoint>,
    },
    /// Norms at scaled tokens, in order of R.
    Scaled {
        /// The run.
        run_id: RunId,
        /// Those since the last reply.
        points: Vec<ScalingPoint>,
    },
    /// The best of a search at some n.
    Tight {
        /// The run.
        run_id: RunId,
        /// Those since the last reply.
        points: Vec<TightnessPoint>,
    },
    /// What an inverse begins from.
    Inverting {
        /// The run.
        run_id: RunId,
        /// L.
        constant: f64,
        /// What L is.
        kind: ConstantKind,
        /// The first two numbers of the tokens X and of their images Y, where there are few.
        tokens: Vec<(f32, f32)>,
        /// Y.
        images: Vec<(f32, f32)>,
    },
    /// Iterations of an inverse, in order.
    Inverse {
        /// The run.
        run_id: RunId,
        /// Those since the last reply.
        steps: Vec<InverseStep>,
        /// How it ended, with the last ones.
        outcome: Option<Outcome>,
    },
    /// What a search is in.
    Search {
        /// The run.
        run_id: RunId,
        /// R, n, d and the bounds.
        domain: Box<SearchDomain>,
    },
    /// Iterations of a search, in order.
    Searched {
        /// The run.
        run_id: RunId,
        /// Those since the last reply.
        steps: Vec<SearchStep>,
        /// Where it stands: to go on from, with the best tokens.
        mark: Box<SearchCheckpoint>,
        /// The current tokens.
        current: Box<TokenPicture>,
        /// The best tokens.
        best: Box<TokenPicture>,
    },
    /// Singular values; while they are sought, lower bounds on them.
    Spectrum {
        /// The run.
        run_id: RunId,
        /// As far as it is.
        spectrum: Box<Spectrum>,
    },
    /// Iterations of estimators, in order.
    EstimatorComparison {
        /// The run.
        run_id: RunId,
        /// Those since the last reply.
        points: Vec<EstimatorPoint>,
    },
    /// What a text or file holds.
    Read {
        /// The run.
        run_id: RunId,
        /// Tokens or an experiment.
        given: Given,
    },
    /// A Python program.
    Script {
        /// The run.
        run_id: RunId,
        /// For what.
        dialect: Dialect,
        /// Its text.
        text: String,
    },
    /// A run is complete.
    Finished {
        /// The run.
        run_id: RunId,
    },
    /// A run was ended by [`Request::Cancel`].
    Cancelled {
        /// The run.
        run_id: RunId,
    },
    /// A run cannot be done; the text names the field and the fix.
    Failed {
        /// The run.
        run_id: RunId,
        /// An input error, as a sentence.
        problem: String,
    },
}

/// A message as bytes.
///
/// # Errors
/// Where serialisation fails, which no message here does.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_stdvec(message)
}

/// A message from bytes.
///
/// # Errors
/// Where the bytes are not a message of this version.
pub fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, postcard::Error> {
    postcard::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_the_journey() {
        let experiment = Experiment::from_json(
            r#"{"tokens":{"source":"explicit","rows":[[-1],[1]]},"weights":{"source":"identity","sign":-1}}"#,
        )
        .expect("a valid experiment");
        let sent = Request::Measure {
            run_id: 7,
            experiment,
            head_idx: 0,
            most_cells: 64,
            block_norms: BlockNorms::Skipped,
            pair: PairRequest::Included,
        };
        let bytes = encode(&sent).expect("serialisable");
        assert_eq!(decode::<Request>(&bytes).expect("readable"), sent);
        assert!(decode::<Request>(&bytes[..bytes.len() - 1]).is_err());
    }
}
