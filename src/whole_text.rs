//! A text to copy, such as a link, in a box that shows all of it.

use crate::prelude::*;

/// Letters that surely fit on a line of the narrowest box.
const LETTERS_A_LINE: usize = 44;
/// A longer text is scrolled.
const MOST_LINES: usize = 8;

/// A box with a text that is read and copied, as many lines high as the text needs.
#[component]
pub fn WholeText(
    /// The id of the box.
    id: &'static str,
    /// Names it.
    label: String,
    /// The text.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    let rows = move || text.with(|text| lines(text)).to_string();
    view! { <textarea class="whole-text" id=id readonly spellcheck="false" rows=rows aria-label=label prop:value=text></textarea> }
}

/// How many lines a text gets.
fn lines(text: &str) -> usize {
    text.chars().count().div_ceil(LETTERS_A_LINE).clamp(1, MOST_LINES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_gets_more_lines_up_to_a_limit() {
        assert_eq!([0, 44, 45, 16_000].map(|length| lines(&"a".repeat(length))), [1, 1, 2, MOST_LINES]);
    }
}
