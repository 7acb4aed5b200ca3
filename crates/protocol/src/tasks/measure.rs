//! One measurement with its pictures: the task behind the number on the page.

use lipscope_core::experiment::{Experiment, InputError, Memory};
use lipscope_core::measure::{
    BlockNorms, FirstNorm, FirstNormBy, MeasureOptions, Measurement, Measuring, Step, UpperNumber,
};
use lipscope_core::picture::{
    AttentionPicture, PairRequest, TokenPicture, TopPair, attention_picture, check_with_pair, token_picture, top_pair,
};
use serde::{Deserialize, Serialize};

use crate::task::{Poll, Report, Task};

/// The experiment, and what is pictured of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasurePlan {
    /// The experiment that is measured.
    pub experiment: Experiment,
    /// The head whose attention matrix is pictured.
    pub head_idx: usize,
    /// The most cells along a side of that picture.
    pub most_cells: usize,
    /// Whether the bound on the max-token norm is computed too.
    pub block_norms: BlockNorms,
    /// R of the ball that the bounds are about, where it is larger than that of the tokens.
    pub radius: Option<f64>,
    /// Whether the leading singular pair is pictured too.
    pub pair: PairRequest,
}

/// A measurement and its pictures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Norms, bounds and warnings.
    pub measurement: Box<Measurement>,
    /// The attention matrix.
    pub attention: AttentionPicture,
    /// The tokens.
    pub tokens: Box<TokenPicture>,
    /// The leading singular pair, where it was asked for and can be pictured.
    pub pair: Option<TopPair>,
    /// Time that the measurement took in the worker, in milliseconds.
    pub milliseconds: f64,
}

/// What a measurement reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MeasureEvent {
    /// The norm alone, where the rest takes longer.
    First {
        /// The norm.
        norm: FirstNorm,
        /// Time until it was found, in milliseconds.
        milliseconds: f64,
    },
    /// All of it.
    Whole(Measured),
}

/// A measurement under way.
#[derive(Debug)]
pub struct MeasureTask {
    measuring: Measuring,
    head_idx: usize,
    most_cells: usize,
    pair: PairRequest,
}

impl Task<Memory> for MeasureTask {
    type Plan = MeasurePlan;
    type Event = MeasureEvent;

    fn start(plan: MeasurePlan, memory: &mut Memory) -> Result<Self, InputError> {
        let MeasurePlan { experiment, head_idx, most_cells, block_norms, radius, pair } = plan;
        let first_norm = FirstNormBy::Iteration;
        let mut options = MeasureOptions {
            block_norms,
            first_norm,
            upper: UpperNumber::Included,
            radius,
            memory: *memory,
            ..MeasureOptions::default()
        };
        if pair == PairRequest::Included {
            options = options.within(|options| check_with_pair(&experiment, options))?;
        }
        Ok(MeasureTask { measuring: Measuring::start(&experiment, options)?, head_idx, most_cells, pair })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, MeasureEvent>) -> Result<Poll, InputError> {
        match self.measuring.step()? {
            Step::Going { iterations, relative_residual } => {
                if let Some(norm) = self.measuring.first_norm() {
                    report.event(MeasureEvent::First { norm, milliseconds: report.elapsed() });
                }
                if report.is_due() {
                    report.iterations(iterations, relative_residual.is_finite().then_some(relative_residual));
                }
                Ok(Poll::More)
            }
            Step::Done(measurement) => {
                report.event(MeasureEvent::Whole(Measured {
                    measurement,
                    attention: attention_picture(self.measuring.view(), self.head_idx, self.most_cells),
                    tokens: Box::new(picture_of_tokens(&self.measuring)),
                    pair: if self.pair == PairRequest::Included { top_pair(&self.measuring) } else { None },
                    milliseconds: report.elapsed(),
                }));
                Ok(Poll::Done)
            }
        }
    }
}

/// Pictures the tokens one by one. Of a token measure, and of a long list whose equal tokens the measurement has
/// grouped, it pictures the distinct positions with their multiplicities.
fn picture_of_tokens(measuring: &Measuring) -> TokenPicture {
    /// The longest list that is pictured token by token.
    const MOST_LISTED: f64 = 4096.0;
    let tokens = &measuring.inputs().tokens;
    match measuring.distinct() {
        Some((positions, logs)) if measuring.n() > MOST_LISTED || measuring.inputs().ln_multiplicities.is_some() => {
            token_picture(positions, Some(logs))
        }
        _ => token_picture(tokens, None),
    }
}
