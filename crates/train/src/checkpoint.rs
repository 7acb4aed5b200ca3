//! A run as bytes: plan, weights, moments and step. Seed and step determine the windows of a step, so no generator
//! state is stored.

use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;
use serde::{Deserialize, Serialize};

use super::corpus::Corpus;
use super::optimizer::Moments;
use super::parameters::Parameters;
use super::plan::{MOST_STEPS, Plan};

/// The first number of a checkpoint, which tells it from other files.
const FORMAT: u32 = 0x4c50_5401;

#[derive(Serialize, Deserialize)]
struct Record {
    format: u32,
    plan: Plan,
    /// The fingerprint of the text: a run continues only with the same text.
    fingerprint: u64,
    step: usize,
    weights: Vec<Vec<f32>>,
    moments: Moments,
}

/// The state of a run without its text.
pub(crate) struct State {
    pub(crate) plan: Plan,
    pub(crate) step: usize,
    pub(crate) parameters: Parameters,
    pub(crate) moments: Moments,
}

pub(crate) fn write(state: &State, corpus: &Corpus) -> Vec<u8> {
    let record = Record {
        format: FORMAT,
        plan: state.plan.clone(),
        fingerprint: corpus.fingerprint(),
        step: state.step,
        weights: state.parameters.iter().map(|parameter| parameter.values.clone()).collect(),
        moments: state.moments.clone(),
    };
    // Writes numbers to memory: this cannot fail.
    postcard::to_allocvec(&record).expect("postcard")
}

/// # Errors
/// [`InputError::File`] if the bytes are not a checkpoint, or are a checkpoint of another text. Training keeps weights
/// and moments finite, so bytes with an infinity or NaN are no checkpoint either.
pub(crate) fn read(bytes: &[u8], corpus: &Corpus) -> Result<State, InputError> {
    let broken = |problem: Phrase| InputError::File {
        file: phrase!("training_checkpoint", "The checkpoint"),
        problem,
        fix: phrase!("begin_training_again", "Give the checkpoint and the text of one run, or begin the run again."),
    };
    let not_one = || broken(phrase!("not_a_checkpoint", "it is not a whole checkpoint of this version"));
    let record: Record = postcard::from_bytes(bytes).map_err(|_| not_one())?;
    if record.format != FORMAT {
        return Err(not_one());
    }
    if record.fingerprint != corpus.fingerprint() {
        return Err(broken(phrase!("checkpoint_of_another_text", "it belongs to another text")));
    }
    let Record { plan, step, weights, moments, .. } = record;
    let vocabulary = corpus.vocabulary().len();
    let parameters = Parameters::of_values(&plan, vocabulary, weights).ok_or_else(not_one)?;
    let fits = |moments: &Vec<Vec<f32>>| {
        moments.len() == parameters.len()
            && moments.iter().zip(parameters.iter()).all(|(moments, parameter)| moments.len() == parameter.values.len())
    };
    let finite = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
    let is_finite = parameters.iter().all(|parameter| finite(&parameter.values))
        && moments.first.iter().chain(&moments.second).all(|moments| finite(moments));
    if !(fits(&moments.first) && fits(&moments.second) && is_finite && step <= MOST_STEPS) {
        return Err(not_one());
    }
    Ok(State { plan, step, parameters, moments })
}
