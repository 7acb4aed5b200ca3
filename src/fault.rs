//! What is wrong with a text that a reader typed, or with a part of a link: data, of which a sentence is made where it is
//! shown.

use lipscope_core::experiment::InputError;

/// What is wrong with a number in a box (`strings::number_fault`).
#[derive(Clone, Debug, PartialEq)]
pub enum NumberFault {
    /// The text is no number.
    NotANumber {
        /// The number's name in the page's language.
        name: &'static str,
        /// What was typed or read.
        text: String,
    },
    /// The number is past the range of f64.
    TooLarge {
        /// The number's name in the page's language.
        name: &'static str,
        /// What was typed or read.
        text: String,
    },
    /// The number is outside its range.
    OutOfRange {
        /// The number's name in the page's language.
        name: &'static str,
        /// What was typed or read.
        text: String,
        /// The least that is accepted.
        least: f64,
        /// The most that is accepted.
        most: f64,
    },
    /// The number is not whole.
    NotWhole {
        /// The number's name in the page's language.
        name: &'static str,
        /// What was typed or read.
        text: String,
    },
    /// The number does not divide the number of heads.
    MustDivide {
        /// The number's name in the page's language.
        name: &'static str,
        /// The number.
        found: f64,
        /// The number of heads.
        heads: usize,
    },
}

/// What is wrong with a link or a form (`strings::fault_text`). Apart from [`NumberFault`]: its sentences are in the page's later
/// part, with those of the engine's errors.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// A number of a form cannot be used.
    Number(NumberFault),
    /// A field of a form holds no whole number, or none of at least 1 where 0 makes no sense.
    NotACount {
        /// The number's name in the page's language.
        name: &'static str,
        /// What was typed or read.
        text: String,
    },
    /// A field of a form holds no seed.
    NotASeed {
        /// What was typed or read.
        text: String,
        /// The most that is accepted.
        most: u64,
    },
    /// No model is chosen yet.
    NoModel,
    /// No table of a model is on screen.
    NoTable,
    /// No kind of model to train is ticked.
    NoKind,
    /// The text of a link is none of the words that its field knows.
    NotKnown {
        /// What was typed or read.
        text: String,
        /// The words that are known.
        words: Vec<&'static str>,
    },
    /// The text of a link is no number of this range.
    NotANumberFrom {
        /// What was typed or read.
        text: String,
        /// The least that is accepted.
        least: f64,
        /// The most that is accepted.
        most: f64,
    },
    /// The text of a link is no whole number of this range.
    NotAWholeNumberFrom {
        /// What was typed or read.
        text: String,
        /// The least that is accepted.
        least: u64,
        /// The most that is accepted.
        most: u64,
    },
    /// The text of a link is no number of tokens.
    NotATokenCount {
        /// What was typed or read.
        text: String,
    },
    /// The text of a link names no step of a lesson.
    NoLessonStep,
    /// The text of a link is no answer to a question.
    NoAnswer,
    /// The text of a link is no list of goals.
    NoGoals,
    /// Packed data of a link cannot be unpacked, or are not what they should be.
    Damaged,
    /// What was given cannot be measured, or is no experiment.
    Input(InputError),
}

impl Fault {
    /// A text that is none of these words.
    #[must_use]
    pub fn not_known(text: &str, words: &[&'static str]) -> Self {
        Fault::NotKnown { text: text.to_owned(), words: words.to_vec() }
    }
}

impl From<NumberFault> for Fault {
    fn from(fault: NumberFault) -> Self {
        Fault::Number(fault)
    }
}

impl From<InputError> for Fault {
    fn from(problem: InputError) -> Self {
        Fault::Input(problem)
    }
}
