//! Own tokens and weights, and what can be taken away.

use crate::state::{PageState, TokenChoice, WeightChoice};
use lipscope_plot::Number;

use super::t;

words! {
    own: "Your own tokens and weights", "您自己的词元与权重";
    own_hint: "One token a line, its numbers separated by commas, tabs or blanks; or JSON; or a whole experiment file. Files (.csv .tsv .json .npy) can be dropped anywhere.", "每行一个词元，数之间用逗号、制表符或空格分隔；或 JSON；或整个实验文件。文件（.csv .tsv .json .npy）可拖放到任意处。";
}
pub const OWN_PLACEHOLDER: &str = "-1\n1\n1";
words! {
    reading: "Reading …", "读取中……";
    apply: "Use these", "使用";
    choose_file: "Choose a file", "选择文件";
    drop: "Drop tokens or an experiment", "放下词元或实验";
    export_hint: "The experiment on screen, as the file that lipscope measure reads:", "屏幕上的实验，即 lipscope measure 读取的文件：";
    copy_experiment: "Copy experiment", "复制实验";
    copy_link: "Copy link", "复制链接";
    own_form: "The form of weights", "权重的格式";
    own_form_note: "Weights come in an experiment file. A head has Q and K (k rows of d numbers) and V (any number of rows of d); an output matrix may follow the heads as \"output\".", "权重放在实验文件中。每个头有 Q 和 K（k 行，每行 d 个数）与 V（任意行数，每行 d 个数）；头之后可有输出矩阵 \"output\"。";
}
pub const OWN_FORM_EXAMPLE: &str = r#"{
  "tokens": {"source": "random", "law": "ball", "n": 16, "d": 2, "radius": 2},
  "weights": {"source": "explicit", "heads": [
    {"q": [[1, 0.5]], "k": [[0.25, -1]], "v": [[1, 0], [0, 1]]}
  ]}
}"#;
words! {
    own_form_use: "Start from this", "从这里开始";
    address_too_short: "These numbers are too long for the page’s address, so a reload loses them. Save the experiment to keep them.", "这些数对页面地址而言太长，重新载入会丢失。要保留请保存实验。";
    link_too_long: "These tokens or weights are too long for a link; save the experiment instead.", "这些词元或权重太长，放不进链接；请改为保存实验。";
    download_experiment: "Save experiment", "保存实验";
    download_measurement: "Save numbers", "保存数值";
}

pub fn applied(state: &PageState) -> String {
    match (state.tokens, state.weights) {
        (TokenChoice::Own, WeightChoice::Own) => {
            say!(
                "In use: your {} × {} tokens and your weights.",
                "使用中：您的 {} × {} 个词元与您的权重。",
                state.n_listed(),
                state.dim()
            )
        }
        (TokenChoice::Own, _) => {
            say!("In use: your {} × {} tokens.", "使用中：您的 {} × {} 个词元。", state.n_listed(), state.dim())
        }
        (TokenChoice::Clusters, _) => {
            say!(
                "In use: {} tokens at {} positions.",
                "使用中：{} 个词元，位于 {} 个位置。",
                Number::short(state.n_tokens()),
                state.n_listed()
            )
        }
        (_, WeightChoice::Own) => t("In use: your weights.", "使用中：您的权重。").into(),
        _ => t("In use: the experiment.", "使用中：该实验。").into(),
    }
}
