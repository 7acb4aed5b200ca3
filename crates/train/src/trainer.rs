//! A run of training, a step at a time.

use lipscope_core::experiment::InputError;
use lipscope_core::parallel::both;
use lipscope_core::random::{Random, Stream};

use super::checkpoint::{self, State};
use super::corpus::Corpus;
use super::gradient::{Batch, loss};
use super::half::{HalfGradient, Halves};
use super::layers::{LayerConstant, measure_layers};
use super::optimizer::{Moments, learning_rate};
use super::parameters::Parameters;
use super::plan::Plan;
use super::stack::{Stack, draw_text};

/// The most held-out windows whose loss is averaged.
const HELD_OUT_WINDOWS: usize = 128;

/// The report of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// The step that was done, counted from 1.
    pub step: usize,
    /// The mean cross entropy over the step's windows before the step, in nats; not finite once training has diverged.
    /// From then on the weights stay unchanged.
    pub loss: f64,
    /// The learning rate of the step.
    pub learning_rate: f64,
}

/// A model and everything needed to train it.
pub struct Trainer {
    corpus: Corpus,
    state: State,
}

impl Trainer {
    /// Draws the initial weights.
    ///
    /// # Errors
    /// [`InputError`] if the text is too short for the plan's windows, or a step would hold more than 2 GiB.
    pub fn new(plan: Plan, corpus: Corpus) -> Result<Trainer, InputError> {
        check(&plan, &corpus)?;
        let parameters = Parameters::draw(&plan, corpus.vocabulary().len());
        let moments = Moments::zero(&parameters);
        Ok(Trainer { state: State { plan, step: 0, parameters, moments }, corpus })
    }

    /// A run restored from its [checkpoint](Trainer::checkpoint); it continues with the digits of an uninterrupted run.
    ///
    /// # Errors
    /// [`InputError::File`] if the bytes are not a checkpoint of this text.
    pub fn resume(bytes: &[u8], corpus: Corpus) -> Result<Trainer, InputError> {
        let state = checkpoint::read(bytes, &corpus)?;
        check(&state.plan, &corpus)?;
        Ok(Trainer { state, corpus })
    }

    /// The state of the run as bytes: plan, step, weights and the optimiser's moments.
    #[must_use]
    pub fn checkpoint(&self) -> Vec<u8> {
        checkpoint::write(&self.state, &self.corpus)
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.state.plan
    }

    /// The text.
    #[must_use]
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Steps done so far.
    #[must_use]
    pub fn steps_done(&self) -> usize {
        self.state.step
    }

    /// Whether all steps of the plan are done; more may follow at the last learning rate.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.state.step >= self.state.plan.steps
    }

    /// The weights, by name.
    #[must_use]
    pub fn weights(&self) -> &Parameters {
        &self.state.parameters
    }

    /// Does one step: loss and gradient of its windows, then AdamW. The two halves are computed at the same time if a
    /// thread is free, with the same digits.
    pub fn step(&mut self) -> StepReport {
        let Halves { first, second } = self.halves();
        let (first, second) = match second {
            Some(second) => {
                let (first, second) = both(|| self.gradient(&first), || self.gradient(&second));
                (first, Some(second))
            }
            None => (self.gradient(&first), None),
        };
        self.finish_step(first, second)
    }

    /// The windows of the next step.
    #[must_use]
    pub fn halves(&self) -> Halves {
        let plan = &self.state.plan;
        Halves::of(training_batch(plan, &self.corpus, self.state.step + 1), plan.context)
    }

    /// Computes the loss and gradient of a half of the next step.
    #[must_use]
    pub fn gradient(&self, half: &Batch) -> HalfGradient {
        HalfGradient::new(&self.state.plan, &self.state.parameters, half)
    }

    /// The loss and gradient of a half that was computed elsewhere, from its loss and [bytes](HalfGradient::to_bytes);
    /// `None` if the number of bytes does not fit the weights.
    #[must_use]
    pub fn gradient_of_bytes(&self, half: &Batch, loss: f64, bytes: &[u8]) -> Option<HalfGradient> {
        HalfGradient::of_bytes(&self.state.parameters, half, loss, bytes)
    }

    /// Does the next step with the gradients of its [halves](Trainer::halves).
    pub fn finish_step(&mut self, first: HalfGradient, second: Option<HalfGradient>) -> StepReport {
        let State { plan, step, parameters, moments } = &mut self.state;
        *step += 1;
        let (loss, gradients) = HalfGradient::mean(first, second);
        let learning_rate = learning_rate(plan, *step);
        if loss.is_finite() {
            moments.update(parameters, &gradients, learning_rate, *step);
        }
        StepReport { step: *step, loss, learning_rate }
    }

    /// The mean cross entropy in nats over up to 128 windows, evenly spread over the held-out part.
    #[must_use]
    pub fn held_out(&self) -> f64 {
        let State { plan, parameters, .. } = &self.state;
        let starts = self.corpus.held_out_windows(plan.context, HELD_OUT_WINDOWS);
        let parts = starts.chunks(plan.batch).map(|part| {
            let batch = Batch::new(self.corpus.held_out(), part, plan.context);
            loss(plan, parameters, &batch) * part.len() as f64
        });
        parts.sum::<f64>() / starts.len() as f64
    }

    /// The model in f64.
    #[must_use]
    pub fn stack(&self) -> Stack {
        Stack::new(&self.state.plan, &self.state.parameters)
    }

    /// The norm of every layer's attention, and the bounds on it, at the first held-out window.
    ///
    /// # Errors
    /// [`InputError::Overflow`] where training has diverged so far that the scores overflow.
    pub fn layers(&self) -> Result<Vec<LayerConstant>, InputError> {
        measure_layers(&self.stack(), &self.corpus.held_out()[..self.state.plan.context])
    }

    /// A text that the model writes, character by character; the same seed gives the same text.
    ///
    /// # Errors
    /// As [`Trainer::layers`].
    pub fn sample(&self, characters: usize, seed: u64) -> Result<String, InputError> {
        draw_text(&self.stack(), &self.corpus, characters, seed)
    }
}

fn check(plan: &Plan, corpus: &Corpus) -> Result<(), InputError> {
    corpus.check(plan.context)?;
    plan.check_memory(corpus.vocabulary().len())
}

/// The windows of a step, drawn from the training part.
fn training_batch(plan: &Plan, corpus: &Corpus, step: usize) -> Batch {
    let text = corpus.training();
    let mut random = Random::new(plan.seed, Stream::TrainingWindows(step));
    let starts: Vec<usize> = (0..plan.batch).map(|_| random.below(text.len() - plan.context)).collect();
    Batch::new(text, &starts, plan.context)
}
