//! The opening view: its sentence, its plot, its few controls; the names of the four views.

use crate::explore::Place;
use crate::state::View;
use lipscope_core::experiment::{Mask, Scope};
use lipscope_plot::{FarAbove, Kind, Number, Role};

use super::plot::count;
use super::t;

words! {
    plot_explore: "The question", "问题";
    plot_explore_hint: "Tokens in a disc, and their constant over n", "圆盘中的词元及其随 n 的常数";
    way_tokens: "Move tokens, larger", "放大并移动词元";
    way_spectrum: "Singular values", "奇异值";
    way_growth: "All bounds, n to 10¹⁸", "所有界，n 至 10¹⁸";
    undo: "Undo", "撤销";
    redo: "Redo", "重做";
    undo_hint: "Undo the last change (Ctrl+Z)", "撤销上一个更改（Ctrl+Z）";
    redo_hint: "Do it again (Ctrl+Shift+Z)", "重做（Ctrl+Shift+Z）";
    views: "Views", "视图";
    quick: "Main controls", "主要控件";
    quick_random: "random", "随机";
    quick_worst: "worst known", "已知最坏";
    quick_yours: "yours", "您的";
    quick_none: "none", "无";
    quick_causal: "causal", "因果";
    quick_rms: "RMSNorm", "RMSNorm";
    quick_layer: "LayerNorm", "LayerNorm";
    new_sample: "New sample", "新样本";
    more_controls: "More", "更多";
    fewer_controls: "Less", "收起";
    explore_headline: "At these tokens", "在这些词元处";
    explore_nudge: "the worst small change of the tokens", "词元的最坏微小变化";
    explore_response: "what it does to the outputs", "它对输出的作用";
    computing: "computing", "计算中";
    why_it_matters: "Why it matters", "为什么重要";
    why_robustness: "Robustness: L says how far an attack that moves the tokens a little can move the outputs.", "鲁棒性：L 说明稍微移动词元的攻击能把输出移动多远。";
    why_depth: "Depth: constants multiply. Twelve layers of 2 can magnify a change 4096 times, so growth with n matters in every layer.", "深度：常数相乘。十二层、每层为 2，可把变化放大 4096 倍，因此每一层随 n 的增长都重要。";
    why_inverse: "Invertibility: x + f(x) can be undone by iteration when the constant of f is below 1, so a bound says by what f must be divided.", "可逆性：当 f 的常数小于 1 时，x + f(x) 可由迭代求逆，因此界说明 f 须除以多少。";
    explore_no_worst: "No worst tokens are known for this setting.", "此设置下没有已知的最坏词元。";
    explore_is_worst: "They are the worst known.", "它们是已知最坏的。";
    explore_no_bound: "No bound on the ball is proved for this setting.", "此设置下没有已证明的球上的界。";
    explore_plot: "Local Lipschitz constant L against the number of tokens n: measured, the worst tokens known, the best bound, the mean-field bound, and the root of n.", "局部利普希茨常数 L 随词元数 n 的变化：测得值、已知最坏词元、最佳界、平均场界与 √n。";
    explore_x: "number of tokens n", "词元数 n";
    explore_x_root: "√n", "√n";
    explore_y: "local Lipschitz constant L", "局部利普希茨常数 L";
    explore_value: "Value", "值";
    explore_mean: "measured, mean", "测得，均值";
    explore_root: "√n, to compare", "√n，作比较";
    explore_worst_known: "worst tokens known", "已知最坏词元";
    explore_best_bound: "best bound", "最佳界";
    explore_mean_field: "mean-field [C]", "平均场 [C]";
}

/// The name of a view.
pub fn view_name(view: View) -> &'static str {
    match view {
        View::Explore => t("Explore", "探索"),
        View::Growth => t("Growth", "增长"),
        View::Models => t("Models", "模型"),
        View::Lab => t("Lab", "实验室"),
    }
}

/// What is in a view, in a few words.
pub fn view_hint(view: View) -> &'static str {
    match view {
        View::Explore => {
            t("Tokens, and how much attention magnifies their changes", "词元，以及注意力把其变化放大多少")
        }
        View::Growth => t("How the constant and its bounds grow with n", "常数及其界随 n 的增长"),
        View::Models => t("Attention inside BERT, DistilBERT and GPT-2", "BERT、DistilBERT 与 GPT-2 中的注意力"),
        View::Lab => t("Experiments with settings of their own", "有各自设置的实验"),
    }
}

/// What these tokens do.
pub fn explore_measured(n: f64, (value, kind): (f64, Kind)) -> String {
    let (n, value) = (count(n), Number::of(value));
    match kind {
        Kind::LowerBound => say!(
            "Some small change of these {n} tokens grows at least {value} times.",
            "这 {n} 个词元的某个微小变化至少放大 {value} 倍。"
        ),
        _ => say!(
            "No small change of these {n} tokens grows more than {value} times.",
            "这 {n} 个词元的任何微小变化放大不超过 {value} 倍。"
        ),
    }
}

/// Where the tokens are that bounds speak of.
pub fn explore_place(place: Place, radius: f64) -> String {
    let radius = Number::of(radius);
    match place {
        Place::Disc => t("in this disc", "此圆盘内").into(),
        Place::Ball => say!("in the ball of radius {radius}", "半径 {radius} 的球内"),
        Place::Normalized => say!("of normalised length (up to {radius})", "归一化长度（至多 {radius}）"),
    }
}

/// What the worst tokens known do.
pub fn explore_worst(n: f64, place: &str, value: &str) -> String {
    let n = count(n);
    say!("Some {n} tokens {place} reach {value}.", "{place}某 {n} 个词元达到 {value}。")
}

/// What no tokens can do.
pub fn explore_best(n: f64, place: &str, best: &str, limit: &str) -> String {
    let n = count(n);
    say!(
        "No {n} tokens {place} pass {best}; however many there are, none pass {limit}.",
        "{place}任何 {n} 个词元都不超过 {best}；无论有多少词元，都不超过 {limit}。"
    )
}

/// The same where no bound holds for every n.
pub fn explore_best_alone(n: f64, place: &str, best: &str) -> String {
    let n = count(n);
    say!("No {n} tokens {place} pass {best}.", "{place}任何 {n} 个词元都不超过 {best}。")
}

/// A curve that is not there.
pub fn explore_absent(name: &str, mask: Mask) -> String {
    match mask {
        Mask::Causal => say!("{name}: not proved for the causal mask", "{name}：因果掩码下未证明"),
        Mask::None => say!("{name}: none known for this setting", "{name}：此设置下未证明"),
    }
}

/// A curve that is far above all others.
pub fn far_above(role: Role, name: &str, log10: f64, decades: f64) -> FarAbove {
    let (value, decades) = (Number::from_log10(log10).kind(Kind::UpperBound), decades.floor());
    let words = say!("{name} {value}, {decades} decades up", "{name} {value}，高 {decades} 个数量级");
    FarAbove { role, words }
}

/// LayerNorm where there is no room for it.
pub fn layer_collapse(d: usize) -> &'static str {
    match d {
        1 => t("In one dimension LayerNorm maps every token to 0.", "一维时 LayerNorm 把每个词元映为 0。"),
        _ => t(
            "In two dimensions LayerNorm maps every token to one of two points.",
            "二维时 LayerNorm 把每个词元映到两点之一。",
        ),
    }
}

/// Another dimension in one press.
pub fn use_dim(d: usize) -> String {
    say!("Use d = {d}", "改用 d = {d}")
}

/// Which map is shown under a normaliser.
pub fn which_map(scope: Scope, d: usize) -> String {
    match scope {
        Scope::Inputs => {
            let radius = Number::of((d as f64).sqrt());
            say!(
                "Shown: attention at the normalised tokens, which lie within √d = {radius}; R hardly matters.",
                "所示：归一化后词元处的注意力，其范数不超过 √d = {radius}；R 几乎无影响。"
            )
        }
        Scope::Composed => t(
            "Shown: normaliser and attention together, so that small tokens count more.",
            "所示：归一化与注意力合在一起，因此小词元影响更大。",
        )
        .into(),
    }
}

/// The other map.
pub fn other_scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Inputs => t("Show both together", "合并显示"),
        Scope::Composed => t("Show attention alone", "仅显示注意力"),
    }
}
