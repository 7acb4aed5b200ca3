//! What a door is, and the checks that all doors share.

use lipscope::chinese_texts;
use lipscope::language::{Language, keep_chinese, set};
use lipscope_core::experiment::InputError;
use lipscope_testkit::peak::peak;

use crate::mutate::bytes;
use lipscope_testkit::dice::Dice;

/// A place where Lipscope reads input from outside: from a person, another program, or another process of Lipscope.
#[derive(Clone, Copy, Debug)]
pub struct Door {
    /// Its name: the folder of its corpus, `DOOR=..` of `make fuzz`.
    pub name: &'static str,
    /// For the table: what is read there, and what is done with accepted inputs.
    pub about: &'static str,
    /// Inputs made by code, in addition to the corpus, where the format changes with the code.
    pub made: fn() -> Vec<Vec<u8>>,
    /// A variation of one of the inputs.
    pub vary: fn(&mut Dice, &[Vec<u8>]) -> Vec<u8>,
    /// Reads an input; panics at any fault.
    pub feed: fn(&[u8]) -> Verdict,
}

/// The result of reading an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was read.
    Taken,
    /// It was refused with a sentence.
    Refused,
}

impl Door {
    /// Input `number` of a seed: always the same bytes for the same valid inputs.
    #[must_use]
    pub fn input(&self, seed: u64, number: u64, valid: &[Vec<u8>]) -> Vec<u8> {
        let mut dice = Dice::new(seed, number);
        if dice.once_in(100) {
            return (0..dice.below(600)).map(|_| dice.bits() as u8).collect();
        }
        let input = (self.vary)(&mut dice, valid);
        if dice.once_in(20) { bytes::vary(&mut dice, &input, valid) } else { input }
    }
}

/// A memory limit: a fixed part, and a part per byte of the input.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Bytes allowed for any input.
    pub base: u64,
    /// Bytes allowed for each byte of the input.
    pub each: u64,
}

impl Allowance {
    /// The limit for this input, in bytes.
    #[must_use]
    pub fn of(self, input: &[u8]) -> u64 {
        self.base + self.each * input.len() as u64
    }
}

/// Does some work that may hold at most `bytes` more bytes at a time than now.
///
/// # Panics
/// Where it held more.
pub fn within<T>(what: &str, bytes: u64, work: impl FnOnce() -> T) -> T {
    let mut outcome = None;
    let held = peak(|| outcome = Some(work()));
    assert!(held <= bytes, "memory: {what} held {held} bytes, and {bytes} are allowed");
    outcome.unwrap_or_else(|| unreachable!("the work was done"))
}

/// Checks that a refusal is one short sentence in both languages.
///
/// # Panics
/// Where it is not.
pub fn refused(problem: &InputError) -> Verdict {
    /// Numbers of a list, names of keys and a part of a text fit; the whole input does not.
    const MOST_CHARACTERS: usize = 1_200;
    keep_chinese(chinese_texts());
    for language in Language::OFFERED {
        set(language);
        let sentence = lipscope::problem_text(problem);
        let length = sentence.chars().count();
        assert!((8..MOST_CHARACTERS).contains(&length), "sentence: {length} characters: {sentence:.300}");
        assert!(!sentence.contains(['\0', '\u{1b}']), "sentence: a control character in {sentence:?}");
    }
    set(Language::English);
    Verdict::Refused
}
