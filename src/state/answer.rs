//! An answer to the question of a lesson's step, beside what the page has found.

use serde::{Deserialize, Serialize};

/// A guess beside what the page has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Guessed {
    /// A choice, by its id, and the id of the right one.
    #[serde(rename = "c")]
    Choice(String, String),
    /// A mark, and the measured norm.
    #[serde(rename = "m")]
    Mark(f64, f64),
    /// A curve: n, the guess, and the measured norm, for each of its points.
    #[serde(rename = "k")]
    Curve(Vec<(f64, f64, f64)>),
}

/// A text with more parts is not read.
const MOST_PARTS: usize = 3 * 64;

impl Guessed {
    /// The text in a link: parts with commas between.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Guessed::Choice(yours, right) => format!("{yours},{right}"),
            Guessed::Mark(yours, found) => format!("{yours},{found}"),
            Guessed::Curve(points) => {
                let of = |(n, yours, found): &(f64, f64, f64)| format!("{n},{yours},{found}");
                points.iter().map(of).collect::<Vec<_>>().join(",")
            }
        }
    }

    /// Reads a text in the form of [`Guessed::text`]; `None` for a text in another form. It does not check whether a
    /// step asks for such an answer.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split(',').take(MOST_PARTS + 1).collect();
        if parts.len() > MOST_PARTS {
            return None;
        }
        let numbers: Option<Vec<f64>> = parts.iter().map(|part| part.parse().ok().filter(|x: &f64| *x > 0.0)).collect();
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|c| c.is_ascii_lowercase() || c == b'-');
        match (numbers.as_deref(), parts.as_slice()) {
            (Some([yours, found]), _) => Some(Guessed::Mark(*yours, *found)),
            (Some(numbers), _) if numbers.len() % 3 == 0 => {
                Some(Guessed::Curve(numbers.chunks_exact(3).map(|point| (point[0], point[1], point[2])).collect()))
            }
            (None, [yours, right]) if is_word(yours) && is_word(right) => {
                Some(Guessed::Choice((*yours).to_owned(), (*right).to_owned()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_comes_back_from_its_text_and_another_text_is_none() {
        let all = [
            Guessed::Choice("lower".into(), "much-higher".into()),
            Guessed::Mark(10.4, 1.4745),
            Guessed::Curve(vec![(2.0, 1.0, 1.25), (256.0, 3e-3, 17.92)]),
        ];
        for guessed in all {
            assert_eq!(Guessed::read(&guessed.text()), Some(guessed));
        }
        for text in ["", "lower", "1", "1,2,3,4", "lower,1", "0,1", "-1,2", "a,b,c", "A,b"] {
            assert_eq!(Guessed::read(text), None, "{text}");
        }
        assert_eq!(Guessed::read(&"1,".repeat(300)), None);
    }
}
