//! The symbols of the lessons' formulas: which of them a step does not explain itself, and what these stand for.

use crate::strings;

use super::formulas::LessonFormula;
use super::lesson::Step;
use super::text::{Piece, pieces};

/// Symbols that every step may use: those of the controls, indices, functions.
const KNOWN: [&str; 12] = ["n", "R", "L", "i", "j", "l", "t", "e", "max", "min", "…", "⊤"];

/// A symbol: how it is written, and what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The symbol in plain characters.
    pub glyph: &'static str,
    /// What it stands for.
    pub words: &'static str,
}

/// The symbols of a step's formula that neither its text, nor an equation of the step, nor an earlier formula explains.
///
/// # Errors
/// A symbol that the table does not have.
pub fn unexplained(step: &'static Step, formula: LessonFormula) -> Result<Vec<Explained>, String> {
    let text: Vec<&str> = step.text.iter().filter(|part| part.when.is_empty()).map(|part| part.text.now()).collect();
    let of_text = |text: &&'static str| pieces(text).unwrap_or_default();
    let formulas: Vec<LessonFormula> = text
        .iter()
        .flat_map(of_text)
        .filter_map(|piece| match piece {
            Piece::Formula(formula) => Some(formula),
            _ => None,
        })
        .collect();
    let earlier = formulas.iter().take_while(|known| **known != formula);
    let mut glyphs: Vec<&str> = Vec::new();
    for known in earlier {
        glyphs.extend(symbols(known.markup).iter().filter_map(|symbol| entry(known.name, symbol)).map(|it| it.glyph));
    }
    let mut found = Vec::new();
    for symbol in symbols(formula.markup) {
        let is_defined = formulas.iter().any(|known| defines(known.markup, &symbol));
        if KNOWN.contains(&symbol.as_str()) || is_defined {
            continue;
        }
        let explained = entry(formula.name, &symbol).ok_or_else(|| format!("{symbol} of {}", formula.name))?;
        let is_said = glyphs.contains(&explained.glyph) || text.iter().any(|text| says(text, explained.glyph));
        if !is_said {
            glyphs.push(explained.glyph);
            found.push(explained);
        }
    }
    Ok(found)
}

/// Whether a text says what a symbol is: it writes an equation for it, or names it with its indices.
fn says(text: &str, glyph: &str) -> bool {
    let has_index = glyph.chars().any(|c| "ᵢⱼ".contains(c));
    let bare = glyph.split('(').next().unwrap_or(glyph);
    let is_start = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '‖' || c == '/');
    (has_index && text.contains(glyph)) || text.match_indices(&format!("{bare} = ")).any(|(at, _)| is_start(at))
}

/// The symbols of MathML, each once, with `_` before its indices: `P_ij`, `a`.
#[must_use]
pub fn symbols(markup: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = markup;
    while let Some(at) = rest.find("<m") {
        rest = &rest[at..];
        let symbol = if let Some(inside) = rest.strip_prefix("<msub>") {
            let (inside, after) = inside.split_once("</msub>").unwrap_or((inside, ""));
            rest = after;
            let mut parts = leaves(inside);
            let name = if parts.is_empty() { String::new() } else { parts.remove(0) };
            format!("{name}_{}", parts.concat())
        } else if let Some((_, inside)) = rest.split_once('>').filter(|_| rest.starts_with("<mi")) {
            let (name, after) = inside.split_once("</mi>").unwrap_or((inside, ""));
            rest = after;
            name.trim().to_owned()
        } else {
            rest = &rest[2..];
            continue;
        };
        if !found.contains(&symbol) {
            found.push(symbol);
        }
    }
    found
}

/// The characters of all leaves of MathML.
fn leaves(markup: &str) -> Vec<String> {
    let texts = markup.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text.trim().to_owned());
    texts.filter(|text| !text.is_empty()).collect()
}

/// Whether a formula is an equation for a symbol, or has one among several.
fn defines(markup: &str, symbol: &str) -> bool {
    let equations = markup.split("<mo>=</mo>").collect::<Vec<_>>();
    let before = &equations[..equations.len().saturating_sub(1)];
    before.iter().any(|left| {
        // What stands between the last comma, or the beginning, and the sign.
        let left = left.rsplit(",</mo>").next().unwrap_or(left);
        symbols(left) == [symbol.to_owned()] && !left.contains(">|</mo>")
    })
}

/// What a symbol of a formula stands for.
fn entry(formula: &str, symbol: &str) -> Option<Explained> {
    use strings::symbol as words;
    let (glyph, words) = match (formula, symbol) {
        ("sharp", "G") => ("G(a)", words::row_term()),
        ("sharp", "F") => ("F(a)", words::ratio_term()),
        ("skip" | "fixed-point", "F") => ("F", words::attention()),
        ("skip", "g") => ("g", words::skip()),
        (_, "J") => ("J", words::jacobian()),
        (_, "J_f") => ("J_f", words::jacobian_of_attention()),
        (_, "J_ij") => ("Jᵢⱼ", words::block()),
        (_, "ξ") => ("ξ", words::change()),
        (_, "X") => ("X", words::tokens()),
        (_, "X_t" | "X_t+1" | "X_0" | "X_1") => ("Xₜ", words::iterate()),
        (_, "Y") => ("Y", words::output()),
        (_, "c") => ("c", words::contraction()),
        (_, "x_i" | "x_j") => ("xᵢ", words::token()),
        (_, "x") => ("x", words::any_token()),
        (_, "y") => ("y", words::normalized()),
        (_, "d") => ("d", words::dimension()),
        (_, "var" | "var_i") => ("var", words::variance()),
        (_, "ε") => ("ε", words::eps()),
        (_, "P_ij") => ("Pᵢⱼ", words::share()),
        (_, "s_ij" | "s_il") => ("sᵢⱼ", words::score()),
        (_, "m_i") => ("mᵢ", words::mean()),
        (_, "M_ij") => ("Mᵢⱼ", words::mixed()),
        (_, "C_i") => ("Cᵢ", words::covariance()),
        (_, "δ_ij") => ("δᵢⱼ", words::delta()),
        (_, "G_i") => ("Gᵢ", words::own()),
        (_, "w_i") => ("wᵢ", words::mixed_square()),
        (_, "S_c") => ("S_c", words::causal_sum()),
        (_, "T") => ("T", words::flat_term()),
        (_, "U") => ("U", words::unified_term()),
        (_, "S_Γ") => ("S_Γ", words::column_sum()),
        (_, "V") => ("V", words::value_matrix()),
        (_, "A") => ("A", words::score_matrix()),
        (_, "I") => ("I", words::identity()),
        (_, "Q") => ("Q", words::query_matrix()),
        (_, "K") => ("K", words::key_matrix()),
        (_, "k") => ("k", words::head_dimension()),
        (_, "v") => ("v", words::value_norm()),
        (_, "τ") => ("τ", words::soft_cap()),
        (_, "a") => ("a", words::largest_score()),
        _ => return None,
    };
    Some(Explained { glyph, words })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::{formulas, lessons};

    #[test]
    fn every_symbol_of_a_formula_is_explained_where_it_first_stands_in_a_step() {
        let mut lines = 0;
        for lesson in lessons() {
            for (at, step) in lesson.steps.iter().enumerate() {
                for part in &step.text {
                    for piece in pieces(part.text.now()).expect("pieces") {
                        let Piece::Formula(formula) = piece else { continue };
                        let found = unexplained(step, formula);
                        let found = found.unwrap_or_else(|lost| panic!("{}, step {}: {lost}", lesson.id, at + 1));
                        lines += usize::from(!found.is_empty());
                    }
                }
            }
        }
        assert!(lines >= 15, "only {lines} formulas have a line");
    }

    #[test]
    fn symbols_are_read_off_the_markup() {
        let of = |name| symbols(formulas::find(name).expect("a formula").markup);
        assert_eq!(of("castin_general"), ["v", "a", "n"]);
        assert_eq!(of("attention"), ["P_ij", "e", "s_ij", "l", "s_il", "m_i", "j", "x_j"]);
        let markup = formulas::find("attention").expect("a formula").markup;
        assert!(defines(markup, "P_ij") && defines(markup, "m_i") && !defines(markup, "s_ij"));
        assert!(says("with a = ‖A‖R² and v = ‖V‖", "a") && says("gives the share Pᵢⱼ of", "Pᵢⱼ"));
        assert!(!says("take a step", "a") && !says("with ‖a = b", "a"));
    }
}
