//! The description of a run: model, batches, schedule and seed.

use std::ops::Deref;

use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;
use serde::{Deserialize, Serialize};

use super::kind::{Kind, Norms};

/// The numbers of a plan, before they are checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFields {
    /// Kind of attention.
    pub kind: Kind,
    /// d, the dimension of a token; a multiple of `heads`.
    pub width: usize,
    /// Heads of every layer.
    pub heads: usize,
    /// Blocks of attention and MLP.
    pub blocks: usize,
    /// T, the characters of a window.
    pub context: usize,
    /// Windows a step.
    pub batch: usize,
    /// c of the contractions, above 0 and below 1; unused in other kinds.
    pub c: f64,
    /// Where layer norms stand; `invertible` has none.
    pub norms: Norms,
    /// The largest learning rate.
    pub learning_rate: f64,
    /// Steps of the warm-up, in which the learning rate rises to its largest value.
    pub warm_up: usize,
    /// Steps in all.
    pub steps: usize,
    /// Seed of the weights and of the windows.
    pub seed: u64,
}

/// A plan whose numbers fit together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PlanFields", into = "PlanFields")]
pub struct Plan(PlanFields);

const MOST_WIDTH: usize = 1024;
const MOST_BLOCKS: usize = 64;
const MOST_CONTEXT: usize = 1024;
const MOST_BATCH: usize = 1024;
/// The most steps that a plan may ask for, and that a checkpoint may have behind it.
pub(crate) const MOST_STEPS: usize = 10_000_000;

impl PlanFields {
    /// A small model of a kind: d = 64, 4 heads, 2 blocks, T = 64, 16 windows a step, 2,000 steps.
    #[must_use]
    pub fn of_kind(kind: Kind) -> Self {
        PlanFields {
            kind,
            width: 64,
            heads: 4,
            blocks: 2,
            context: 64,
            batch: 16,
            c: 0.9,
            norms: if kind == Kind::Invertible { Norms::None } else { Norms::Layer },
            learning_rate: 3e-3,
            warm_up: 50,
            steps: 2000,
            seed: 0,
        }
    }
}

impl Plan {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`InputError`] that names the first field that cannot be used.
    pub fn new(fields: PlanFields) -> Result<Plan, InputError> {
        let PlanFields { width, heads, blocks, context, batch, warm_up, steps, .. } = fields;
        whole("width", width, (1, MOST_WIDTH))?;
        whole("heads", heads, (1, width))?;
        if !width.is_multiple_of(heads) {
            let expected = phrase!("divisor_of_width", "a divisor of the width {width}", width = width);
            return Err(InputError::bad_value("heads", heads.to_string(), expected));
        }
        if fields.kind == Kind::Rope && width / heads < 2 {
            let expected = phrase!(
                "heads_with_pairs",
                "at most half of the width, because the kind \"rope\" turns the entries of a head in pairs"
            );
            return Err(InputError::bad_value("heads", heads.to_string(), expected));
        }
        whole("blocks", blocks, (1, MOST_BLOCKS))?;
        whole("context", context, (2, MOST_CONTEXT))?;
        whole("batch", batch, (1, MOST_BATCH))?;
        whole("steps", steps, (1, MOST_STEPS))?;
        whole("warm_up", warm_up, (0, steps))?;
        if !(fields.c > 0.0 && fields.c < 1.0) {
            let expected = phrase!("number_between_0_and_1", "a number above 0 and below 1");
            return Err(InputError::bad_value("c", fields.c.to_string(), expected));
        }
        if !(fields.learning_rate > 0.0 && fields.learning_rate <= 1.0) {
            let expected = phrase!("number_above_0_to_1", "a number above 0, at most 1");
            return Err(InputError::bad_value("learning_rate", fields.learning_rate.to_string(), expected));
        }
        if fields.kind == Kind::Invertible && fields.norms == Norms::Layer {
            return Err(InputError::Conflict {
                what: "`norms` = \"layer\"".into(),
                problem: phrase!(
                    "no_norm_in_invertible",
                    "is not invertible, so the kind \"invertible\" has no layer norm"
                ),
                fix: phrase!("use_norms_none", "Use \"norms\":\"none\"."),
            });
        }
        Ok(Plan(fields))
    }

    /// The name of its run: that of the run's folder, and of its model.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}-{}-seed{}", self.kind.id(), self.blocks, self.seed)
    }

    /// The dimension of a head.
    #[must_use]
    pub fn head_width(&self) -> usize {
        self.width / self.heads
    }

    /// The dimension between the two matrices of the MLP.
    #[must_use]
    pub fn inner_width(&self) -> usize {
        4 * self.width
    }

    /// Whether a layer norm stands before attention.
    #[must_use]
    pub fn norm_before_attention(&self) -> bool {
        self.norms == Norms::Layer && !self.kind.is_contraction()
    }

    /// Whether a layer norm stands before the MLP and before the head.
    #[must_use]
    pub fn norm_elsewhere(&self) -> bool {
        self.norms == Norms::Layer
    }

    /// Whether the MLP's branch is a contraction too.
    #[must_use]
    pub fn mlp_is_contraction(&self) -> bool {
        self.kind == Kind::Invertible
    }

    /// Refuses a model whose step would hold too much memory, before anything is drawn.
    pub(crate) fn check_memory(&self, vocabulary: usize) -> Result<(), InputError> {
        /// 2 GiB of f32.
        const MOST_NUMBERS: u64 = 1 << 29;
        let found = self.numbers(vocabulary);
        if found <= MOST_NUMBERS {
            return Ok(());
        }
        Err(InputError::TooLarge {
            what: phrase!("numbers_of_training_step", "The number of values that a step of training holds"),
            found: found.to_string().into(),
            limit: MOST_NUMBERS.to_string().into(),
            fix: phrase!("lower_batch_context", "Lower the batch, the context, the width or the number of blocks."),
        })
    }

    /// About how many numbers a step holds: the forward pass as far as the gradient needs it, weights, gradients,
    /// moments.
    fn numbers(&self, vocabulary: usize) -> u64 {
        let [d, t, batch, blocks, heads, v] =
            [self.width, self.context, self.batch, self.blocks, self.heads, vocabulary].map(|size| size as u64);
        let (tokens, scores) = (batch * t, batch * heads * t * t);
        let a_block = 60 * tokens * d + 8 * scores;
        let weights = blocks * 12 * d * d + t * d;
        // `Plan::new` limits all other sizes, but not the vocabulary.
        (blocks * a_block + 4 * weights).saturating_add(v.saturating_mul(8 * tokens + 8 * d))
    }
}

impl Deref for Plan {
    type Target = PlanFields;

    fn deref(&self) -> &PlanFields {
        &self.0
    }
}

impl TryFrom<PlanFields> for Plan {
    type Error = InputError;

    fn try_from(fields: PlanFields) -> Result<Plan, InputError> {
        Plan::new(fields)
    }
}

impl From<Plan> for PlanFields {
    fn from(plan: Plan) -> PlanFields {
        plan.0
    }
}

/// Checks a whole number against its smallest and largest allowed value.
fn whole(key: &str, found: usize, (least, most): (usize, usize)) -> Result<(), InputError> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    let expected: Phrase =
        phrase!("whole_number_from_to", "a whole number from {least} to {most}", least = least, most = most);
    Err(InputError::bad_value(key, found.to_string(), expected))
}
