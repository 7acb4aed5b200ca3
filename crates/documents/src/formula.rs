//! LaTeX as MathML.

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};

use crate::problem::Problem;

/// LaTeX of more characters than this may be wider than a phone, which shows about 40 signs in a line.
const MAY_BE_WIDE: usize = 30;

/// Relations before which a long formula may go on in the next line.
const RELATIONS: [&str; 9] = ["=", r"\le", r"\ge", r"\lt", r"\gt", r"\to", r"\ll", r"\approx", r"\in"];

/// Makes MathML of LaTeX.
pub struct Formulas(LatexToMathML);

impl Formulas {
    /// A converter that knows the commands of LaTeX alone: the documents define no commands of their own.
    pub fn new() -> Self {
        Formulas(LatexToMathML::new(MathCoreConfig::default()).expect("no command is defined, so none is wrong"))
    }

    /// A formula within a sentence. A line cannot end inside a `<math>` element, so a long formula is cut into several
    /// of them, before its relations and after its commas. All but the first one have the class `more`.
    ///
    /// # Errors
    /// LaTeX that cannot be read.
    pub fn inline(&self, latex: &str) -> Result<String, Problem> {
        let parts = if latex.chars().count() > MAY_BE_WIDE { parts(latex) } else { vec![latex] };
        let mut html = String::new();
        for (at, part) in parts.iter().enumerate() {
            // MathML puts no space around a relation or a comma at the end of an element. An empty group between the
            // two keeps the space.
            let before = if at > 0 && !parts[at - 1].ends_with(',') { "{}" } else { "" };
            let after = if at + 1 < parts.len() && part.ends_with(',') { "{}" } else { "" };
            let math = self.convert(&format!("{before}{part}{after}"), MathDisplay::Inline)?;
            html += &if at == 0 { math } else { math.replacen("<math", "<math class=\"more\"", 1) };
        }
        Ok(html)
    }

    /// A formula on a line of its own. If it is wider than the text, its line scrolls. The keyboard scrolls the element
    /// that has the focus, so a formula that may be wide can be given the focus.
    ///
    /// # Errors
    /// LaTeX that cannot be read.
    pub fn display(&self, latex: &str) -> Result<String, Problem> {
        let math = self.convert(latex, MathDisplay::Block)?;
        let wide = latex.chars().count() > MAY_BE_WIDE;
        let focus = if wide { r#" tabindex="0" role="group" aria-label="Formula""# } else { "" };
        Ok(format!(r#"<span class="formula"{focus}>{math}</span>"#))
    }

    fn convert(&self, latex: &str, display: MathDisplay) -> Result<String, Problem> {
        match self.0.convert_with_local_state(latex, display) {
            Ok(found) => Ok(found.mathml),
            Err(problem) => Err(Problem::Formula { latex: latex.into(), reason: format!("{problem:?}") }),
        }
    }
}

/// Cuts LaTeX where a line may end: before each relation and after each comma outside brackets.
fn parts(latex: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let mut from = 0;
    let mut found = Vec::new();
    let mut cut = |at: usize, from: &mut usize| {
        if !latex[*from..at].trim().is_empty() {
            found.push(&latex[*from..at]);
            *from = at;
        }
    };
    let mut at = 0;
    while at < latex.len() {
        let sign = sign_at(&latex[at..]);
        match sign {
            "{" | "(" | "[" | r"\lvert" | r"\lVert" | r"\lbrace" | r"\lfloor" | r"\langle" | r"\left" => depth += 1,
            "}" | ")" | "]" | r"\rvert" | r"\rVert" | r"\rbrace" | r"\rfloor" | r"\rangle" | r"\right" => depth -= 1,
            "," if depth == 0 => cut(at + 1, &mut from),
            _ if depth == 0 && RELATIONS.contains(&sign) => cut(at, &mut from),
            _ => {}
        }
        at += sign.len();
    }
    cut(latex.len(), &mut from);
    found
}

/// The first sign of LaTeX: a command, or a character.
pub fn sign_at(latex: &str) -> &str {
    let letters = latex.strip_prefix('\\').map(|rest| rest.chars().take_while(char::is_ascii_alphabetic).count());
    let one = latex.chars().next().map_or(0, char::len_utf8);
    match letters {
        Some(0) => &latex[..1 + latex[1..].chars().next().map_or(0, char::len_utf8)],
        Some(letters) => &latex[..1 + letters],
        None => &latex[..one],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_formula_may_go_on_before_a_relation_outside_brackets() {
        let latex = r"\lvert y \rvert^2 = d (s^2 = \varepsilon)/s^2 \le \max_{i \le n} x_i, \quad z";
        assert_eq!(
            parts(latex),
            [r"\lvert y \rvert^2 ", r"= d (s^2 = \varepsilon)/s^2 ", r"\le \max_{i \le n} x_i,", r" \quad z"]
        );
        assert_eq!(parts(r"= x"), ["= x"]);
        assert_eq!(parts(r"\lt \left( a = b \right)"), [r"\lt \left( a = b \right)"]);
    }

    #[test]
    fn a_cut_keeps_the_space_around_a_relation() {
        let html = Formulas::new().inline(r"a_{ij}, b_{ij} = \partial s_{ij} / \partial x_i").expect("a formula");
        assert_eq!(html.matches("<math").count(), 3, "{html}");
        assert!(!html.contains("lspace=\"0\">=") && !html.contains("rspace=\"0\">,"), "{html}");
    }

    #[test]
    fn latex_that_cannot_be_read_is_a_problem() {
        let formulas = Formulas::new();
        assert!(formulas.inline(r"\frac{1}{2}").is_ok_and(|html| html.contains("<mfrac>")));
        for latex in [r"\frac{1}{2", r"\nosuchcommand x", r"\left( x"] {
            let refused = formulas.display(latex);
            assert!(matches!(&refused, Err(Problem::Formula { latex: named, .. }) if named == latex), "{refused:?}");
        }
    }
}
