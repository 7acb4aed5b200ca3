//! What can be taken away, and what to cite.

pub use crate::words::take::*;

use lipscope_core::script::Dialect;

/// Whose results a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paper {
    /// How Smooth Is Attention?
    Castin,
    /// The Lipschitz Constant of Self-Attention.
    Kim,
}

const LIPSCOPE: &str = "@software{lipscope,
  title = {Lipscope: how smooth is attention?},
  version = {VERSION},
  note = {Local Lipschitz constants of self-attention and bounds on them, in the browser}
}
";
const CASTIN: &str = "@inproceedings{castin2024smooth,
  title = {How Smooth Is Attention?},
  author = {Castin, Val{\\'e}rie and Ablin, Pierre and Peyr{\\'e}, Gabriel},
  booktitle = {Proceedings of the 41st International Conference on Machine Learning},
  series = {Proceedings of Machine Learning Research},
  volume = {235},
  year = {2024},
  publisher = {PMLR}
}
";
const KIM: &str = "@inproceedings{kim2021lipschitz,
  title = {The Lipschitz Constant of Self-Attention},
  author = {Kim, Hyunjik and Papamakarios, George and Mnih, Andriy},
  booktitle = {Proceedings of the 38th International Conference on Machine Learning},
  series = {Proceedings of Machine Learning Research},
  volume = {139},
  year = {2021},
  publisher = {PMLR}
}
";

/// Lipscope and a paper, as BibTeX.
pub fn citations(paper: Paper) -> String {
    let paper = match paper {
        Paper::Castin => CASTIN,
        Paper::Kim => KIM,
    };
    format!("{}\n{paper}", LIPSCOPE.replace("VERSION", env!("CARGO_PKG_VERSION")))
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
