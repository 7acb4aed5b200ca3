//! The token plane: moving tokens, the leading singular pair, the row of a token.

use crate::state::{Fixed, PageState};
use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{Normalization, Scope};
use lipscope_core::measure::Measurement;
use lipscope_core::picture::{MOST_MOVABLE, MOST_MOVABLE_ENTRIES, TokenPicture};
use lipscope_plot::Number;

use super::norms::norm_symbol;
use super::numbers::{NONE_YET, kind_of};
use super::pictures::head;
use super::t;

words! {
    plot_tokens: "Tokens", "词元";
    plot_tokens_hint: "Drag tokens and see what changes", "拖动词元，看什么在变";
    plane_role: "token plane", "词元平面";
    plane_hint: "Drag a token; double-click adds one. Keys: n and p choose, arrows move (Shift: further), a adds, Delete removes.", "拖动词元；双击添加。按键：n 和 p 选择，方向键移动（Shift 更远），a 添加，Delete 删除。";
    enlarge: "Enlarge", "放大";
    enlarge_hint: "The tokens in the place of the plot, with tools", "在图的位置显示词元，带工具";
    add: "Add", "添加";
    add_hint: "Add a token beside the selected one (a, or double-click where it is to be)", "在所选词元旁添加一个（a，或在目标处双击）";
    remove: "Remove", "删除";
    remove_hint: "Remove the selected token (Delete); two stay", "删除所选词元（Delete）；至少留两个";
    snap_into_hint: "Tokens outside the ball go to its edge (s)", "球外的词元移到球的边缘（s）";
    snap_onto_hint: "All tokens go to the edge of the ball (Shift s)", "所有词元移到球的边缘（Shift s）";
    plane_shows: "Shown over the tokens", "词元上显示";
    show_row: "Row", "行";
    show_row_hint: "What the selected token attends to", "所选词元关注什么";
    show_pair: "Arrows", "箭头";
    show_pair_hint: "The change of the tokens that changes the output most, and what it does", "使输出变化最大的词元变化，及其作用";
    breathe: "Breathe", "摆动";
    breathe_hint: "Swing the tokens along that change, and their outputs with it", "让词元沿该变化摆动，输出随之摆动";
    no_images: "Outputs have another dimension than tokens, so they have no place here.", "输出与词元维数不同，因此这里没有它们的位置。";
}
/// Nudges, images and responses in the table.
pub const CHANGE_NAMES: [&str; 3] = ["v", "F(X)", "σu"];

pub fn snap_into(radius: f64) -> String {
    say!("Into |x| ≤ {}", "移入 |x| ≤ {}", Number::short(radius))
}

pub fn snap_onto(radius: f64) -> String {
    say!("Onto |x| = {}", "移到 |x| = {}", Number::short(radius))
}

/// Why no token can be moved.
pub fn fixed(fixed: Fixed) -> &'static str {
    match fixed {
        Fixed::Skew => t(
            "The skew witness brings weights made for exactly these tokens, so they stay where they are. Choose another law to move them.",
            "斜对称见证自带专为这些词元设计的权重，因此词元不动。要移动请换一种分布。",
        ),
        Fixed::Many => t(
            "These are too many to be moved by hand: use at most 256 tokens, of 4096 numbers in all.",
            "词元太多，无法手动移动：请至多用 256 个词元、共 4096 个数。",
        ),
        Fixed::Waiting => t("Being measured …", "测量中……"),
    }
}

/// Where a token is, and the chosen norm.
pub fn token_said(
    token: usize,
    (x, y): (f64, f64),
    picture: &TokenPicture,
    measurement: &Measurement,
    norm: Norm,
) -> String {
    let (x, y) = (Number::of(x), Number::of(y));
    let place = match (picture.d, picture.variance_shares) {
        (1, _) => say!("at {x}", "位于 {x}"),
        (_, None) => say!("at ({x}, {y})", "位于 ({x}, {y})"),
        (_, Some(_)) => say!("at ({x}, {y}) on the first two axes", "位于前两轴上的 ({x}, {y})"),
    };
    let value = measurement.norm(norm).map_or_else(|| NONE_YET.into(), |value| Number::of(value).to_string());
    say!(
        "token {} {place}, {} {} {value}",
        "词元 {}{place}，{} {} {value}",
        token + 1,
        norm_symbol(norm),
        kind_of(measurement, norm).sign()
    )
}

pub fn attention_from(token: usize) -> String {
    say!("attention from {}", "来自 {} 的注意力", token + 1)
}

pub fn nudge_legend(stretch: f64) -> String {
    say!(
        "v: of all small changes of the tokens, the one that changes the output most; drawn × {}.",
        "v：词元的所有微小变化中使输出变化最大的一个；放大 {} 倍绘出。",
        Number::short(stretch)
    )
}

pub fn response_legend(stretch: f64, sigma: f64) -> String {
    say!(
        "Square: F(X), where attention takes each token; arrow: σu, what v does to it, to first order; drawn × {}. |u| = |v| = 1 over all tokens, σ = L = {}.",
        "方块：F(X)，注意力把每个词元带到的位置；箭头：σu，v 对它的一阶作用；放大 {} 倍绘出。对所有词元 |u| = |v| = 1，σ = L = {}。",
        Number::short(stretch),
        Number::of(sigma)
    )
}

/// What swings.
pub fn swinging(stretch: f64) -> String {
    let e = Number::short(stretch);
    say!(
        "Swinging: X + e v and F(X) + e σu, e between −{e} and {e}, to first order.",
        "摆动中：X + e v 与 F(X) + e σu，e 在 −{e} 与 {e} 之间，一阶近似。"
    )
}

/// Both ends of a swing, for a reader who wants no motion.
pub fn swing_ends(stretch: f64) -> String {
    let e = Number::short(stretch);
    say!(
        "Rings and small squares: both ends of X ± e v and of F(X) ± e σu, with e = {e}, to first order.",
        "圈与小方块：X ± e v 与 F(X) ± e σu 的两端，e = {e}，一阶近似。"
    )
}

/// Why there are no arrows.
pub fn no_pair(state: &PageState, picture: &TokenPicture) -> String {
    let (n, d) = (picture.positions.len(), picture.d);
    if n > MOST_MOVABLE || n * d > MOST_MOVABLE_ENTRIES {
        return say!(
            "Arrows are drawn for at most {MOST_MOVABLE} tokens, of {MOST_MOVABLE_ENTRIES} numbers in all.",
            "箭头至多为 {MOST_MOVABLE} 个词元、共 {MOST_MOVABLE_ENTRIES} 个数绘制。"
        );
    }
    if state.normalization != Normalization::None && state.scope == Scope::Inputs {
        return t("The Jacobian is that at the normalised tokens, so v is no change of these: choose Map: normaliser and attention.", "雅可比矩阵取在归一化后的词元处，因此 v 不是这些词元的变化：请把映射设为“归一化与注意力”。").into();
    }
    t("No change of single positions is the leading one here.", "这里最大的变化不是单个位置的变化。").into()
}

/// What the selected token attends to.
pub fn row_legend(token: usize, head_idx: usize, shares: &[f64]) -> String {
    let largest = shares.iter().copied().fold(0.0, f64::max);
    let Some(to) = shares.iter().position(|share| *share == largest) else {
        return t("The row of a token is shown for at most 192 tokens.", "词元的行至多为 192 个词元显示。").into();
    };
    say!(
        "Lines: what token {} attends to in head {}, as wide as the weight; most to {}: {}.",
        "线：词元 {} 在头 {} 中关注谁，线宽为权重；最多给{}：{}。",
        token + 1,
        head(head_idx),
        if to == token { t("itself", "自己").to_owned() } else { say!("token {}", "词元 {}", to + 1) },
        Number::of(largest)
    )
}
