//! The values of the form's fields, as the reader types them.

use crate::fault::Fault;
use crate::field::number;
use crate::state::MOST_SEED;
use crate::strings;
use lipscope_protocol::train::{Kind, Norms, Plan, PlanFields};

/// The models to train, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainForm {
    /// The kinds that are ticked, in the order of [`Kind::ALL`].
    pub kinds: Vec<Kind>,
    /// Number of blocks.
    pub blocks: String,
    /// d, the width.
    pub width: String,
    /// Number of heads.
    pub heads: String,
    /// T, the context length.
    pub context: String,
    /// c, above 0 and below 1: how much the branches of contractive and invertible models may magnify a change.
    pub c: String,
    /// Where layer norms stand, for kinds that can have some.
    pub norms: Norms,
    /// Number of steps.
    pub steps: String,
    /// The largest learning rate.
    pub learning_rate: String,
    /// Windows per step.
    pub batch: String,
    /// Steps from one measurement to the next.
    pub every: String,
    /// The seed of the training.
    pub seed: String,
}

/// The number of steps in which the learning rate rises. In a shorter run it rises in every step.
const WARM_UP: usize = 50;

impl Default for TrainForm {
    /// Two models that take a few minutes to train: the usual attention, and one that can be run backwards.
    fn default() -> Self {
        let default = PlanFields::of_kind(Kind::Dot);
        TrainForm {
            kinds: vec![Kind::Dot, Kind::Invertible],
            steps: "600".into(),
            every: "20".into(),
            ..TrainForm::of_plan(&default)
        }
    }
}

impl TrainForm {
    /// The form with the fields of a plan; only its kind is ticked.
    pub fn of_plan(plan: &PlanFields) -> Self {
        TrainForm {
            kinds: vec![plan.kind],
            blocks: plan.blocks.to_string(),
            width: plan.width.to_string(),
            heads: plan.heads.to_string(),
            context: plan.context.to_string(),
            c: plan.c.to_string(),
            norms: plan.norms,
            steps: plan.steps.to_string(),
            learning_rate: plan.learning_rate.to_string(),
            batch: plan.batch.to_string(),
            every: "20".into(),
            seed: plan.seed.to_string(),
        }
    }

    /// A plan for each kind that is ticked.
    ///
    /// # Errors
    /// [`Fault`]: a field cannot be used, or no kind is ticked.
    pub fn plans(&self) -> Result<Vec<Plan>, Fault> {
        if self.kinds.is_empty() {
            return Err(Fault::NoKind);
        }
        let seed = self.seed.trim().parse::<u64>().ok().filter(|seed| *seed <= MOST_SEED);
        let steps = whole(strings::train_steps(), &self.steps)?;
        let fields = PlanFields {
            width: whole(strings::train_width(), &self.width)?,
            heads: whole(strings::train_heads(), &self.heads)?,
            blocks: whole(strings::train_blocks(), &self.blocks)?,
            context: whole(strings::train_context(), &self.context)?,
            batch: whole(strings::train_batch(), &self.batch)?,
            c: number("c", &self.c)?,
            norms: self.norms,
            learning_rate: number(strings::train_rate(), &self.learning_rate)?,
            warm_up: WARM_UP.min(steps),
            steps,
            seed: seed.ok_or_else(|| Fault::NotASeed { text: self.seed.trim().to_owned(), most: MOST_SEED })?,
            kind: Kind::Dot,
        };
        let plan = |kind: &Kind| {
            let norms = if *kind == Kind::Invertible { Norms::None } else { self.norms };
            Ok(Plan::new(PlanFields { kind: *kind, norms, ..fields.clone() })?)
        };
        self.kinds.iter().map(plan).collect()
    }

    /// Steps from one measurement to the next.
    ///
    /// # Errors
    /// [`Fault`] where the field is no whole number of at least 1.
    pub fn every(&self) -> Result<usize, Fault> {
        let name = strings::train_every();
        let every = whole(name, &self.every)?;
        if every == 0 { Err(Fault::NotACount { name, text: self.every.clone() }) } else { Ok(every) }
    }
}

fn whole(name: &'static str, text: &str) -> Result<usize, Fault> {
    text.trim().parse().map_err(|_| Fault::NotACount { name, text: text.trim().to_owned() })
}
