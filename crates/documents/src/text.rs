//! What a reader reads of Markdown, without markup: the text in which the search finds words.

use pulldown_cmark::{Event, TagEnd};

use crate::formula::sign_at;

/// In place of a formula that has no plain form, such as a fraction.
const LEFT_OUT: &str = "…";

/// Commands of LaTeX, each followed by its sign.
const SIGNS: &str = r"
    \le ≤ \ge ≥ \lt < \gt > \ne ≠ \approx ≈ \ll ≪ \in ∈ \to → \times × \cdot · \pm ± \otimes ⊗ \star ⋆ \dots …
    \sum ∑ \partial ∂ \infty ∞ \top ⊤ \max max \min min \ln ln \sin sin \cos cos \tanh tanh
    \alpha α \beta β \gamma γ \Gamma Γ \delta δ \epsilon ϵ \varepsilon ε \zeta ζ \eta η \theta θ \kappa κ \lambda λ
    \mu μ \nu ν \xi ξ \pi π \Pi Π \rho ρ \sigma σ \tau τ \phi ϕ \varphi φ \omega ω
";
/// The same for commands that stand close to what follows them, and to what precedes them.
const OPENING: &str = r"\lvert | \lVert ‖ \langle ⟨ \lfloor ⌊ \sqrt √";
const CLOSING: &str = r"\rvert | \rVert ‖ \rangle ⟩ \rfloor ⌋";
/// Commands that only move or enlarge what follows them.
const SPACES: [&str; 8] = [r"\,", r"\;", r"\quad", r"\qquad", r"\big", r"\Big", r"\textstyle", r"\displaystyle"];

/// The text of some events in one line.
pub fn readable(events: &[Event<'_>]) -> String {
    let mut text = String::new();
    for event in events {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(part),
            Event::InlineMath(latex) => text += &formula(latex),
            Event::DisplayMath(latex) => text = text + " " + &formula(latex) + " ",
            Event::SoftBreak
            | Event::HardBreak
            | Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell | TagEnd::CodeBlock) => text.push(' '),
            _ => {}
        }
    }
    one_line(&text)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A formula as plain text: `‖A‖ ≤ √(2 n)`. A formula is left out rather than shown as something else.
fn formula(latex: &str) -> String {
    with_signs(latex).and_then(without_braces).map_or_else(|| LEFT_OUT.into(), |text| one_line(&text))
}

/// LaTeX with signs in the places of its commands, if each command has one.
fn with_signs(latex: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = latex;
    while !rest.is_empty() {
        let command = sign_at(rest);
        rest = &rest[command.len()..];
        if let Some(sign) = sign_of(command, OPENING) {
            text += sign;
            rest = rest.trim_start();
        } else if let Some(sign) = sign_of(command, CLOSING) {
            text.truncate(text.trim_end().len());
            text += sign;
        } else if SPACES.contains(&command) {
            text.push(' ');
        } else if command.starts_with('\\') {
            text += sign_of(command, SIGNS)?;
        } else {
            text += command;
        }
    }
    Some(text)
}

/// What follows a command in a list of commands and signs.
fn sign_of(command: &str, list: &'static str) -> Option<&'static str> {
    let mut words = list.split_whitespace();
    words.find(|word| command.starts_with('\\') && *word == command)?;
    words.next()
}

/// A formula with round brackets in place of its braces. There are none around one sign or around an index, since `x_ij`
/// has one reading. If braces are not closed, there is no text.
fn without_braces(mut text: String) -> Option<String> {
    while let Some(end) = text.find('}') {
        let start = text[..end].rfind('{')?;
        let (before, inside, after) = (&text[..start], &text[start + 1..end], &text[end + 1..]);
        let is_index = before.ends_with('_') && inside.chars().all(char::is_alphanumeric);
        let is_alone = is_index || inside.chars().count() == 1;
        text = if is_alone { format!("{before}{inside}{after}") } else { format!("{before}({inside}){after}") };
    }
    (!text.contains('{')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_shown_as_plain_text_or_left_out() {
        for (latex, text) in [
            (r"n", "n"),
            (r"\lVert A \rVert \, R^2 \le \sqrt{2 n}", "‖A‖ R^2 ≤ √(2 n)"),
            (r"e^{2a}", "e^(2a)"),
            (r"\sum_{j} P_{ij} x_j, \qquad \sqrt n", "∑_j P_ij x_j, √n"),
            (r"\lvert q_i - k_{j+1} \rvert^2", "|q_i - k_(j+1)|^2"),
            (r"\frac{1}{2} n", "…"),
            (r"\mathrm{Lip}(f)", "…"),
        ] {
            assert_eq!(formula(latex), text, "{latex}");
        }
    }
}
