//! Text around a list: calls, a final semicolon, the keys of a print.

use std::borrow::Cow;

/// Whether a text begins with a list in brackets or with a call around a list. The indices that R prints, `[1,]` and
/// `[1] 2`, are not lists.
pub(in super::super) fn is_list(text: &str) -> bool {
    let word_end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
    let (word, rest) = text.split_at(word_end);
    match rest.chars().next() {
        Some('[') if word.is_empty() => !is_index(rest),
        Some('{' | '(') if word.is_empty() => true,
        Some('[' | '(') => word.contains(|c: char| c.is_ascii_alphabetic()),
        _ => false,
    }
}

/// The text without the dashes that YAML writes before the lists of a list.
pub(in super::super) fn without_dashes(text: &str) -> Cow<'_, str> {
    if !text.lines().all(|line| line.trim_start().starts_with("- [")) {
        return Cow::Borrowed(text);
    }
    let lists: Vec<&str> = text.lines().map(|line| line.trim_start().trim_start_matches('-')).collect();
    Cow::Owned(lists.join("\n").trim_start().to_string())
}

/// Characters of the name of a call, such as `np.array` or `vec!`.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '!' | '-')
}

/// Whether a text begins with an index that R prints: `[1,]`, `[,1]`, or `[1]` with numbers after it on the line.
fn is_index(text: &str) -> bool {
    let Some((inside, after)) = text[1..].split_once(']') else { return false };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let inside = inside.trim();
    let is_of_matrix = inside.strip_suffix(',').is_some_and(digits) || inside.strip_prefix(',').is_some_and(digits);
    let line = after.split('\n').next().unwrap_or_default();
    let more = line.trim_start();
    let is_of_vector =
        digits(inside) && line.starts_with(' ') && !more.is_empty() && !more.starts_with(['[', ',', ';', ')', ']']);
    is_of_matrix || is_of_vector
}

/// Whether the text after the last list only closes what is around it: a mark such as a semicolon, or the keys of a
/// print (`, shape=[3, 2], strides=[2, 1]`).
pub(super) fn is_end(rest: &str) -> bool {
    if matches!(rest, ";" | "," | "." | ">") {
        return true;
    }
    let Some(keys) = rest.strip_prefix(',') else { return false };
    let key = keys.trim_start().split('=').next().unwrap_or_default();
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_key && keys.contains('=') && !keys.contains("[[") && !keys.contains('\n')
}

/// The text without MATLAB's dots that continue a line.
pub(super) fn without_continuations(text: &str) -> Cow<'_, str> {
    if text.contains("...\n") { Cow::Owned(text.replace("...\n", " ")) } else { Cow::Borrowed(text) }
}
