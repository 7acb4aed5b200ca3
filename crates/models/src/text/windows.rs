//! Splits a text into token ids and windows.

use std::collections::HashMap;
use std::ops::Range;

use lipscope_core::experiment::InputError;
use lipscope_core::phrase;

/// Token ids for a model without a tokenizer: every word, and every character that is neither letter, digit nor blank,
/// is a token. The first distinct token gets id 1, the next id 2, and so on; after id `vocabulary - 1` the count begins
/// again at 1. In a randomly initialised model all embeddings have the same distribution, so only equality of ids
/// matters.
#[must_use]
pub fn ids_by_first_appearance(text: &str, vocabulary: usize) -> Vec<u32> {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let most = vocabulary.saturating_sub(1).max(1);
    words(text)
        .map(|span| {
            let next = (seen.len() % most) as u32 + 1;
            *seen.entry(&text[span]).or_insert(next)
        })
        .collect()
}

/// The byte ranges of the tokens of [`ids_by_first_appearance`].
#[must_use]
pub fn spans_of_words(text: &str) -> Vec<Range<usize>> {
    words(text).collect()
}

/// The token range of window `window` of length n. For each n the text is cut from its beginning into consecutive
/// windows, so the range depends only on n and `window`.
#[must_use]
pub fn window_span(n: usize, window: usize) -> Range<usize> {
    window * n..(window + 1) * n
}

/// The token ids of a window.
///
/// # Errors
/// [`InputError::Conflict`] if the text has no such window.
pub(crate) fn ids_of_window(ids: &[u32], n: usize, window: usize) -> Result<&[u32], InputError> {
    ids.get(window_span(n, window)).ok_or_else(|| InputError::Conflict {
        what: phrase!("text", "The text"),
        problem: phrase!(
            "has_tokens_no_window",
            "is too short for window {window} of length {n}: its tokens are {tokens}",
            tokens = ids.len(),
            window = window,
            n = n
        ),
        fix: phrase!("give_text_table_was", "Give the text that the table was measured on."),
    })
}

/// Checks that the text has enough tokens for `windows` windows of the longest length.
///
/// # Errors
/// [`InputError::Conflict`] with both numbers.
pub fn check_windows(n_tokens: usize, longest: usize, windows: usize) -> Result<(), InputError> {
    let needed = longest.saturating_mul(windows);
    if needed > n_tokens {
        return Err(InputError::Conflict {
            what: phrase!("text", "The text"),
            problem: phrase!(
                "has_tokens_windows_need",
                "is too short: it has {tokens} of the {needed} tokens that its windows need ({windows} x {longest})",
                tokens = n_tokens,
                windows = windows,
                longest = longest,
                needed = needed
            ),
            fix: phrase!("give_longer_text_fewer", "Give a longer text, fewer windows or shorter lengths."),
        });
    }
    Ok(())
}

/// A 64-bit FNV-1a hash, to detect whether two runs have the same input; not cryptographic.
#[must_use]
pub fn fingerprint(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        let rest = &text[at..];
        let first = rest.chars().next()?;
        let len = if first.is_alphanumeric() {
            rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let word = at..at + len;
        at = word.end;
        Some(word)
    })
}

/// The fingerprint of a text's token ids, as written in tables.
#[must_use]
pub fn text_fingerprint(ids: &[u32]) -> String {
    format!("{:016x}", fingerprint(ids.iter().flat_map(|id| id.to_le_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_have_equal_ids() {
        assert_eq!(ids_by_first_appearance("The end, the end; The\u{a0}end.", 100), [1, 2, 3, 4, 2, 5, 1, 2, 6]);
        assert_eq!(ids_by_first_appearance("a b c d", 3), [1, 2, 1, 2]);
        assert_eq!(ids_by_first_appearance("  ", 0), Vec::<u32>::new());
        assert_eq!(ids_by_first_appearance("über 你好!", 9), [1, 2, 3]);
        assert_eq!(spans_of_words("über 你好!"), [0..5, 6..12, 12..13]);
    }

    #[test]
    fn the_error_for_a_short_text_gives_the_numbers() {
        assert_eq!(check_windows(980, 98, 10), Ok(()));
        let problem = check_windows(979, 98, 10).expect_err("one token short").to_string();
        assert!(problem.contains("979") && problem.contains("980"), "{problem}");
        assert!(check_windows(5, usize::MAX, 2).is_err());
    }

    #[test]
    fn the_fingerprint_is_fnv_1a() {
        assert_eq!(fingerprint(*b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
