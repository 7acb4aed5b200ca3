//! What can be taken away, and what to cite.

use lipscope_core::script::Dialect;

use super::t;

words! {
    take: "Take away", "导出";
    take_picture: "Picture", "图片";
    take_numbers: "Numbers", "数值";
    take_experiment: "Experiment", "实验";
    take_citation: "To cite", "引用";
    copy_bibtex: "Copy BibTeX", "复制 BibTeX";
    no_picture: "There is no picture yet.", "还没有图。";
    writing_script: "Writing …", "正在生成……";
}

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
        Dialect::NumPy => t(
            "A script that builds the same tokens and weights and computes the norm by the formula",
            "构造相同词元与权重、用公式计算范数的脚本",
        ),
        Dialect::PyTorch => t(
            "A script that builds the same tokens and weights and computes the norm by differentiation",
            "构造相同词元与权重、用自动微分计算范数的脚本",
        ),
    }
}
