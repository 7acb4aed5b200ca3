//! A text as characters: its distinct characters are the vocabulary, its last tenth is held out.

use lipscope_core::experiment::InputError;
use lipscope_core::phrase;

/// A text in any script, as ids of its distinct characters.
#[derive(Clone, Debug, PartialEq)]
pub struct Corpus {
    /// The distinct characters, in the order of their code points.
    vocabulary: Vec<char>,
    ids: Vec<u32>,
    /// Where the held-out part begins.
    split: usize,
    fingerprint: u64,
}

/// The most distinct characters of a text.
pub const MOST_CHARACTERS: usize = 4096;

impl Corpus {
    /// Reads a text.
    ///
    /// # Errors
    /// [`InputError::Empty`] for a text without characters, [`InputError::BadValue`] for one distinct character alone,
    /// [`InputError::TooLarge`] over [`MOST_CHARACTERS`] distinct ones.
    pub fn new(text: &str) -> Result<Corpus, InputError> {
        let mut vocabulary: Vec<char> = text.chars().collect();
        vocabulary.sort_unstable();
        vocabulary.dedup();
        match vocabulary.len() {
            0 => {
                return Err(InputError::Empty {
                    what: phrase!("training_text", "The text"),
                    least: phrase!("some_characters", "two distinct characters, many times"),
                });
            }
            1 => {
                return Err(InputError::bad_value(
                    phrase!("training_text", "The text"),
                    phrase!("one_character_again", "one character again and again"),
                    phrase!(
                        "text_of_two_characters",
                        "a text of at least two distinct characters, so that there is something to learn"
                    ),
                ));
            }
            count if count > MOST_CHARACTERS => {
                return Err(InputError::TooLarge {
                    what: phrase!("number_distinct_characters", "The number of distinct characters of the text"),
                    found: count.to_string().into(),
                    limit: MOST_CHARACTERS.to_string().into(),
                    fix: phrase!("use_plain_text", "Use a plain text in one language."),
                });
            }
            _ => {}
        }
        let id = |c: char| vocabulary.binary_search(&c).unwrap_or_default() as u32;
        let ids: Vec<u32> = text.chars().map(id).collect();
        let split = ids.len() - ids.len() / 10;
        Ok(Corpus { fingerprint: fingerprint(text), split, ids, vocabulary })
    }

    /// The distinct characters, in the order of their ids.
    #[must_use]
    pub fn vocabulary(&self) -> &[char] {
        &self.vocabulary
    }

    /// The part that is trained on: the first nine tenths.
    #[must_use]
    pub fn training(&self) -> &[u32] {
        &self.ids[..self.split]
    }

    /// The last tenth, which is never trained on.
    #[must_use]
    pub fn held_out(&self) -> &[u32] {
        &self.ids[self.split..]
    }

    /// The text of some ids.
    #[must_use]
    pub fn text(&self, ids: &[u32]) -> String {
        ids.iter().filter_map(|id| self.vocabulary.get(*id as usize)).collect()
    }

    /// A number that distinguishes texts (64-bit FNV-1a).
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Where windows of T characters begin in the held-out part: at most `most` places, evenly spread. The character
    /// after each window is held out too.
    #[must_use]
    pub fn held_out_windows(&self, context: usize, most: usize) -> Vec<usize> {
        let last = self.held_out().len().saturating_sub(context + 1);
        let count = (last / context + 1).min(most);
        (0..count).map(|at| if count > 1 { at * last / (count - 1) } else { 0 }).collect()
    }

    /// Checks that both parts hold a window of T characters and the character after it.
    pub(crate) fn check(&self, context: usize) -> Result<(), InputError> {
        let found = self.ids.len();
        if self.held_out().len() > context {
            return Ok(());
        }
        Err(InputError::bad_value(
            phrase!("training_text", "The text"),
            phrase!("so_many_characters", "{found} characters long", found = found),
            phrase!(
                "at_least_characters",
                "at least {least} characters long, so that its last tenth, which is held out, has a window of {context}",
                least = 10 * (context + 1),
                context = context
            ),
        ))
    }
}

fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
