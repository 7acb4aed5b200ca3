//! Exports and citations.

pub use crate::words::export::*;

use lipscope_core::experiment::{Attention, Normalization};
use lipscope_core::script::Dialect;
use lipscope_plot::{DrawingTool, Number};

use crate::published;
use crate::state::{PageState, TokenChoice, WeightChoice};

use super::controls::{kernels, normalizers, scopes, token_choice, weight_choice};
use super::steps::{mask_name, step_names};

/// The paper whose results a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paper {
    /// How Smooth Is Attention?
    Castin,
    /// The Lipschitz Constant of Self-Attention.
    Kim,
}

const LIPSCOPE: &str = "@software{lipscope,
  title = {Lipscope: an explorer of the local Lipschitz constant of self-attention},
  author = {{The Lipscope authors}},
  version = {VERSION},
  year = {2026},
  url = {HOME},
  note = {Local Lipschitz constants of self-attention and bounds on them, in the browser}
}
";
const CASTIN: &str = "@inproceedings{castin2024smooth,
  title = {How Smooth Is Attention?},
  author = {Castin, Val{\\'e}rie and Ablin, Pierre and Peyr{\\'e}, Gabriel},
  booktitle = {Proceedings of the 41st International Conference on Machine Learning},
  series = {Proceedings of Machine Learning Research},
  volume = {235},
  pages = {5817--5840},
  year = {2024},
  publisher = {PMLR},
  url = {https://proceedings.mlr.press/v235/castin24a.html}
}
";
const KIM: &str = "@inproceedings{kim2021lipschitz,
  title = {The Lipschitz Constant of Self-Attention},
  author = {Kim, Hyunjik and Papamakarios, George and Mnih, Andriy},
  booktitle = {Proceedings of the 38th International Conference on Machine Learning},
  series = {Proceedings of Machine Learning Research},
  volume = {139},
  pages = {5562--5571},
  year = {2021},
  publisher = {PMLR},
  url = {https://proceedings.mlr.press/v139/kim21i.html}
}
";

/// Lipscope and both papers, as BibTeX. Of the papers, that of the view comes first: every view shows bounds or
/// attention of the other paper too.
pub fn citations(paper: Paper) -> String {
    let [first, second] = match paper {
        Paper::Castin => [CASTIN, KIM],
        Paper::Kim => [KIM, CASTIN],
    };
    let lipscope = LIPSCOPE.replace("VERSION", env!("CARGO_PKG_VERSION")).replace("HOME", published::HOME);
    format!("{lipscope}\n{first}\n{second}")
}

/// The parts of a list of settings that `settings` and `setting_parts` share.
struct Rows {
    n: Number,
    d: usize,
    tokens: String,
    weights: String,
    heads: String,
    kernel: String,
    mask: String,
    normalizer: String,
}

impl Rows {
    fn of(state: &PageState) -> Self {
        let d = state.dim();
        let tokens = token_choice(state.tokens, Some((state.n_listed(), d)));
        let weights = weight_choice(state.weights, Some((state.n_heads(), d)));
        Rows {
            n: Number::short(state.n_tokens()),
            d,
            tokens: match state.tokens {
                TokenChoice::Distribution(_) => settings::drawn { seed: state.token_seed, tokens }.text(),
                _ => settings::tokens(tokens),
            },
            weights: match state.weights {
                WeightChoice::Random | WeightChoice::Kim => {
                    settings::weights_drawn { seed: state.weight_seed, weights }.text()
                }
                _ => settings::weights(weights),
            },
            heads: settings::heads(state.n_heads()),
            kernel: settings::kernel(named(kernels(), state.attention.id())),
            mask: settings::mask(mask_name(&state.mask)),
            normalizer: match state.normalization {
                Normalization::None => settings::normalizer_none().into(),
                _ => {
                    let normalizer = named(normalizers(), state.normalization.id());
                    settings::normalizer { normalizer, scope: named(scopes(), state.scope.id()) }.text()
                }
            },
        }
    }
}

/// The settings of a figure, in one line. Default settings that say nothing are left out.
pub fn settings(state: &PageState) -> String {
    let Rows { n, d, tokens, weights, heads, kernel, mask, normalizer } = Rows::of(state);
    let listed = matches!(state.tokens, TokenChoice::Own | TokenChoice::Clusters);
    let sizes = if listed {
        settings::sizes_listed { d, n }.text()
    } else {
        settings::sizes { d, n, radius: state.radius }.text()
    };
    let parts = [
        Some(sizes),
        Some(tokens),
        Some(weights),
        Some(heads).filter(|_| state.n_heads() > 1),
        Some(kernel).filter(|_| state.attention == Attention::L2),
        Some(mask),
        Some(normalizer).filter(|_| state.normalization != Normalization::None),
    ];
    parts.into_iter().flatten().chain(step_names(state)).collect::<Vec<_>>().join(settings::between())
}

/// Every setting of a state that can change its numbers, each by itself.
pub fn setting_parts(state: &PageState) -> Vec<String> {
    let Rows { n, d, tokens, weights, heads, kernel, mask, normalizer } = Rows::of(state);
    let radius = format!("R = {}", Number::short(state.shown_radius()));
    let mut parts =
        vec![format!("n = {n}"), format!("d = {d}"), radius, tokens, weights, heads, kernel, mask, normalizer];
    parts.extend(step_names(state));
    parts
}

/// The words of an option.
fn named<const N: usize>(options: [(&'static str, &'static str); N], id: &str) -> &'static str {
    options.into_iter().find(|(known, _)| *known == id).map_or("", |(_, words)| words)
}

pub fn tool_name(tool: DrawingTool) -> &'static str {
    match tool {
        DrawingTool::Matplotlib => "Matplotlib",
        DrawingTool::Pgfplots => "pgfplots",
        DrawingTool::VegaLite => "Vega-Lite",
    }
}

pub fn script_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::NumPy => "NumPy",
        Dialect::PyTorch => "PyTorch",
    }
}

pub fn script_hint(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::NumPy => script_hint::numpy(),
        Dialect::PyTorch => script_hint::pytorch(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_say_how_to_cite_as_the_page_does() {
        let text = include_str!("../../docs/cite.md");
        let entries = text.split("```bibtex\n").skip(1).filter_map(|rest| rest.split("```").next());
        assert_eq!(entries.collect::<Vec<_>>().join("\n"), citations(Paper::Castin));
    }

    #[test]
    fn every_view_cites_both_papers_its_own_first() {
        for (paper, first) in [(Paper::Castin, "castin2024smooth"), (Paper::Kim, "kim2021lipschitz")] {
            let text = citations(paper);
            let keys: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("@inproceedings{")).collect();
            assert_eq!(keys.len(), 2, "{text}");
            assert!(keys[0].starts_with(first) && keys[0] != keys[1], "{text}");
        }
    }
}
