//! The views of Kim, Papamakarios, Mnih: scaled tokens, tightness, the inverse.

use crate::labs::{Phase, Side, Which};
use crate::state::{DotWeights, LabTokens};
use lipscope_core::bounds::Norm;
use lipscope_core::experiment::WeightSource;
use lipscope_core::fit::PowerLaw;
use lipscope_core::inverse::{ConstantKind, Outcome};
use lipscope_core::scaling::{ScaledTokens, ScalingPoint};
use lipscope_core::tightness::TightnessPoint;
use lipscope_plot::Number;

use super::norms::norm_title;
use super::t;

words! {
    plot_scaled: "Scaled", "缩放";
    plot_scaled_hint: "The norm as the tokens grow without bound, for both kernels", "两种核下，词元无限增大时的范数";
    plot_tightness: "Tightness", "紧度";
    plot_tightness_hint: "The largest ℓ∞ norms that a search finds, against the published bound", "搜索到的最大 ℓ∞ 范数与已发表的界";
    plot_inverse: "Inverse", "求逆";
    plot_inverse_hint: "Inverting X + c F(X)/L by its fixed point, for both attentions", "用不动点求 X + c F(X)/L 的逆，两种注意力";
    scaled_heading: "Local Lipschitz constant over the scale of the tokens", "局部利普希茨常数随词元尺度的变化";
    tightness_heading: "Largest ℓ∞ norm found over the number of tokens", "搜索到的最大 ℓ∞ 范数随词元数的变化";
    inverse_heading: "Inverting attention with a skip", "带残差连接的注意力的逆";
}

words! {
    dot_product: "dot product", "点积";
}
pub const L2: &str = "L2";
pub const L2_MHA: &str = "L2-MHA";
words! {
    stop: "Stop", "停止";
    again: "Do it again", "再来一次";
}

words! {
    share_of_head: "d / heads", "d / 头数";
    one_a_head: "one a head", "每头一维";
}

words! {
    scaled_dot_grows: "Dot product grows like ", "点积的增长如 ";
    scaled_l2_grows: ", L2 like ", "，L2 如 ";
    scaled_last_decades: " over the last two decades.", "（最后两个十倍程）。";
    scaled_tokens: "Tokens", "词元";
    scaled_at: "at R", "R 处";
    scaled_x: "R, the largest token norm, logarithmic", "R，最大词元范数（对数）";
    slope_2: "slope 2", "斜率 2";
}
pub fn scaled_columns() -> [&'static str; 3] {
    ["R", t("dot product", "点积"), "L2"]
}
words! {
    scaled_untied: "L2 is bounded where queries and keys are one matrix (Q = K); these weights have two.", "查询与键为同一矩阵（Q = K）时 L2 有界；这些权重有两个矩阵。";
    take_kim: "Take L2-MHA weights", "改用 L2-MHA 权重";
    scaled_skew: "The skew witness brings another A for each R. Choose other tokens.", "斜对称见证对每个 R 有不同的 A。请换词元。";
    scaled_clusters: "Clusters are no list of tokens. Choose a law of tokens, or paste your own.", "簇不是词元列表。请选择一种分布，或粘贴您自己的词元。";
    scaled_normalized: "A normaliser undoes every scaling of the tokens. Set Normaliser to none.", "归一化会抵消词元的任何缩放。请把归一化设为无。";
}

words! {
    tightness_about: "L2 attention, d = 1, one head, weights 1. Tokens in two to four clusters on a line, moved uphill.", "L2 注意力，d = 1，一个头，权重为 1。直线上两到四簇词元，逐步上升。";
    restarts: "Restarts", "重启数";
    restarts_hint: "Random starts at each n, besides one token apart from all others", "每个 n 处的随机起点，另加一个词元远离其余的起点";
    largest_found: "largest found", "找到的最大值";
    largest_found_short: "found", "找到";
    kim_linf: "Kim et al., ℓ∞", "Kim 等，ℓ∞";
    kim_linf_short: "bound", "界";
    found_over_bound: "found / bound", "找到 / 界";
    tightness_x: "number of tokens n, logarithmic", "词元数 n（对数）";
    tightness_y: "ℓ∞ norm of J", "J 的 ℓ∞ 范数";
}
pub fn tightness_columns() -> [&'static str; 5] {
    [
        "n",
        t("largest found (lower bound)", "找到的最大值（下界）"),
        t("Kim et al. (upper bound)", "Kim 等（上界）"),
        t("found / bound", "找到 / 界"),
        t("clusters (place × size)", "簇（位置 × 大小）"),
    ]
}

words! {
    inverse_x: "iteration t", "迭代 t";
    inverse_y: "error |Xₜ − X|", "误差 |Xₜ − X|";
    guaranteed: "guaranteed for L2-MHA", "L2-MHA 保证的";
    guaranteed_short: "guaranteed", "保证的";
    error: "error", "误差";
    step_residual: "residual", "残差";
}
pub const CONSTANT: &str = "L";
pub fn inverse_columns() -> [&'static str; 6] {
    [
        "t",
        t("L2-MHA error", "L2-MHA 误差"),
        t("L2-MHA residual", "L2-MHA 残差"),
        t("L2-MHA guaranteed (upper bound)", "L2-MHA 保证的（上界）"),
        t("dot product error", "点积误差"),
        t("dot product residual", "点积残差"),
    ]
}
words! {
    inverse_no_tokens: "The tokens of the controls depend on the weights, or are no list. Choose a law of tokens, or paste your own.", "控制栏的词元依赖权重，或不是列表。请选择一种分布，或粘贴您自己的词元。";
}
pub const FRACTION: &str = "c";
words! {
    fraction_hint: "The map is X + c F(X)/L; below 1 L2-MHA has an inverse for sure", "映射为 X + c F(X)/L；小于 1 时 L2-MHA 必有逆";
    no_guarantee: "From c = 1 on nothing is guaranteed.", "c 达到 1 起不再有保证。";
    where_dot_fails: "Where dot product fails", "点积失败之处";
    where_dot_fails_hint: "Four random tokens of norm up to 21.7 in 4 dimensions, A = I, c = 0.9", "4 维中范数至多 21.7 的四个随机词元，A = I，c = 0.9";
    dot_weights_text: "Dot product has", "点积使用";
    lab_n_hint: "How many tokens are drawn", "抽取多少词元";
    lab_d_hint: "How many numbers a token has; the first two are pictured", "一个词元有多少个数；画出前两个";
    lab_r_hint: "Radius of the ball, or half the side of the grid", "球的半径，或网格边长的一半";
    plane_x: "first number", "第一个数";
    plane_y: "second", "第二个";
    plane_many: "more than 1024 tokens", "超过 1024 个词元";
}
pub fn plane_columns() -> [&'static str; 7] {
    [
        t("token", "词元"),
        t("X 1st", "X 第一维"),
        t("X 2nd", "X 第二维"),
        t("Y 1st", "Y 第一维"),
        t("Y 2nd", "Y 第二维"),
        t("Xₜ 1st", "Xₜ 第一维"),
        t("Xₜ 2nd", "Xₜ 第二维"),
    ]
}
words! {
    player: "Iterations", "迭代";
    play: "Play", "播放";
    step_on: "One iteration on", "前进一次迭代";
    step_back: "One iteration back", "后退一次迭代";
}

pub fn kim_note(heads: usize, d: usize) -> String {
    let steps =
        if heads > 1 { say!(" d goes in steps of {heads}.", "d 以 {heads} 为步长。") } else { String::new() };
    say!(
        "Queries are keys, so the kernel is set to L2. Each head has d / heads = {} dimensions.{steps}",
        "查询即键，因此核设为 L2。每个头有 d / 头数 = {} 维。{steps}",
        d / heads.max(1)
    )
}

pub fn lab_progress(phase: &Phase, done: usize, total: usize) -> String {
    match phase {
        Phase::Waiting | Phase::Done => String::new(),
        Phase::Running if total > 0 => say!("{done} of {total}", "{done} / {total}"),
        Phase::Running => t("computing …", "计算中……").into(),
        Phase::Paused | Phase::Stopped => t("Stopped; what was found stays.", "已停止；已找到的保留。").into(),
        Phase::Failed(problem) => problem.clone(),
    }
}

pub fn lab_note(phase: &Phase) -> String {
    match phase {
        Phase::Waiting | Phase::Running | Phase::Done => t("computing …", "计算中……").into(),
        Phase::Paused | Phase::Stopped => t("stopped", "已停止").into(),
        Phase::Failed(_) => t("nothing to draw; the sentence below says why", "没有可画的；原因见下一句").into(),
    }
}

/// An exponent with two decimals and a real minus sign; no minus before zeros.
pub fn power(x: f64) -> String {
    let text = format!("{x:.2}");
    if text == "-0.00" { "0.00".into() } else { text.replace('-', "\u{2212}") }
}

pub fn scaled_choice(choice: ScaledTokens) -> String {
    match choice {
        ScaledTokens::OneAtZero => t("one token at 0", "一个词元在 0").into(),
        ScaledTokens::AsTheyAre => t("as they are, scaled", "原样缩放").into(),
    }
}

pub fn scaled_finding(norm: Norm, last: Option<ScalingPoint>, fits: Option<(PowerLaw, PowerLaw)>) -> String {
    match (last, fits) {
        (Some(last), Some((dot, l2))) => say!(
            "{} over the largest token norm R. Dot product grows like R to the {}, L2 like R to the {}; at R = {} they are {} and {}. Left and right arrows read values.",
            "{}随最大词元范数 R 的变化。点积增长如 R 的 {} 次方，L2 如 R 的 {} 次方；在 R = {} 处分别为 {} 和 {}。左右箭头读数。",
            norm_title(norm),
            power(dot.exponent),
            power(l2.exponent),
            Number::short(last.radius),
            Number::of(last.dot),
            Number::of(last.l2)
        ),
        _ => say!(
            "{} over the largest token norm; being computed.",
            "{}随最大词元范数的变化；计算中。",
            norm_title(norm)
        ),
    }
}

pub fn scaled_readout(point: Option<ScalingPoint>) -> String {
    let word_dot_product = dot_product();
    match point {
        Some(point) => format!(
            "R = {}  ·  {word_dot_product} = {}  ·  {L2} = {}",
            Number::of(point.radius),
            Number::of(point.dot),
            Number::of(point.l2)
        ),
        None => {
            t("Point at the plot, or focus it and use ← →, to read values.", "指向图，或聚焦后用 ← → 读数。").into()
        }
    }
}

pub fn tightness_finding(points: &[TightnessPoint]) -> String {
    match points.last() {
        Some(last) => say!(
            "Largest ℓ∞ norm found over the number of tokens: at n = {} at least {}, and at most {} by the bound. Left and right arrows read values.",
            "搜索到的最大 ℓ∞ 范数随词元数的变化：n = {} 处至少 {}，按界至多 {}。左右箭头读数。",
            last.n,
            Number::of(last.found),
            Number::of(last.bound)
        ),
        None => t(
            "Largest ℓ∞ norm found over the number of tokens; being searched.",
            "搜索到的最大 ℓ∞ 范数随词元数的变化；搜索中。",
        )
        .into(),
    }
}

pub fn clusters_of(point: &TightnessPoint) -> String {
    let part = |(place, size): &(f64, usize)| format!("{} × {size}", Number::of(*place));
    point.clusters.iter().map(part).collect::<Vec<_>>().join(", ")
}

pub fn tightness_readout(point: &TightnessPoint) -> String {
    say!(
        "n = {}  ·  found at tokens (place × how many): {}",
        "n = {}  ·  所在词元（位置 × 个数）：{}",
        point.n,
        clusters_of(point)
    )
}

pub fn inverse_finding(l2: &Side, dot: &Side) -> String {
    let one = |name: &str, side: &Side| match side.steps.last() {
        Some(last) => say!(
            "{name}: {}, error {}.",
            "{name}：{}，误差 {}。",
            ended(side.outcome, side.steps.len()),
            Number::of(last.error)
        ),
        None => say!("{name}: being computed.", "{name}：计算中。"),
    };
    say!(
        "Error of the inverse against the iteration. {} {} Left and right arrows read values.",
        "逆的误差随迭代的变化。{}{}左右箭头读数。",
        one(L2_MHA, l2),
        one(dot_product(), dot)
    )
}

pub fn inverse_readout(iteration: usize, l2: &Side, dot: &Side) -> String {
    let one = |name: &str, side: &Side| {
        side.steps.get(iteration).map(|step| say!("{name} error {}", "{name} 误差 {}", Number::of(step.error)))
    };
    let guaranteed = l2.steps.get(iteration).and_then(|step| step.guaranteed);
    let guaranteed = guaranteed.map(|rate| say!("guaranteed ≤ {}", "保证 ≤ {}", Number::of(rate)));
    [Some(self::iteration(iteration)), one(L2_MHA, l2), guaranteed, one(dot_product(), dot)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("  ·  ")
}

pub fn iteration(t: usize) -> String {
    format!("t = {t}")
}

pub fn ended(outcome: Option<Outcome>, iterations: usize) -> String {
    match outcome {
        Some(Outcome::Converged) => say!("converged in {iterations} iterations", "{iterations} 次迭代后收敛"),
        Some(Outcome::Diverged) => say!("diverged after {iterations} iterations", "{iterations} 次迭代后发散"),
        Some(Outcome::Stalled) => {
            say!("stalled: no inverse after {iterations} iterations", "停滞：{iterations} 次迭代后仍无逆")
        }
        None if iterations > 0 => say!("iterating: {iterations}", "迭代中：{iterations}"),
        None => t("computing …", "计算中……").into(),
    }
}

pub fn constant_kind(kind: Option<ConstantKind>) -> &'static str {
    match kind {
        Some(ConstantKind::KimL2) => t("L: Kim et al.’s bound, for all tokens", "L：Kim 等的界，对所有词元"),
        Some(ConstantKind::Local) => t("L: ‖J‖₂ at X, no bound elsewhere", "L：X 处的 ‖J‖₂，别处不是界"),
        None => "",
    }
}

pub fn lab_tokens(choice: LabTokens) -> String {
    match choice {
        LabTokens::Drawn => t("random in a ball", "球内随机").into(),
        LabTokens::Grid => t("a grid, d = 2", "网格，d = 2").into(),
        LabTokens::Page => t("those of the controls", "控制栏的词元").into(),
    }
}

pub fn dot_weights(choice: DotWeights) -> String {
    match choice {
        DotWeights::IdentityPlus => "A = I, V = I".into(),
        DotWeights::IdentityMinus => "A = −I, V = I".into(),
        DotWeights::Same => t("the weights of L2-MHA", "L2-MHA 的权重").into(),
    }
}

pub fn l2_weights(weights: &WeightSource) -> String {
    match weights {
        WeightSource::Kim { heads: 1, scale, seed } => {
            say!("L2-MHA: 1 head, scale {scale}, seed {seed}", "L2-MHA：1 个头，尺度 {scale}，种子 {seed}")
        }
        WeightSource::Kim { heads, scale, seed } => {
            say!("L2-MHA: {heads} heads, scale {scale}, seed {seed}", "L2-MHA：{heads} 个头，尺度 {scale}，种子 {seed}")
        }
        _ => String::new(),
    }
}

pub fn plane_caption(times: f64, side: &Side) -> String {
    if side.tokens.is_empty() {
        return String::new();
    }
    match times {
        1.0 => t("rings X, dots Xₜ", "圈为 X，点为 Xₜ").into(),
        times => say!(
            "rings X, dots Xₜ; moves drawn {} × as long",
            "圈为 X，点为 Xₜ；位移放大 {} 倍绘出",
            Number::short(times)
        ),
    }
}

pub fn plane_words(which: Which, iteration: usize) -> String {
    let name = match which {
        Which::L2 => L2_MHA,
        Which::Dot => dot_product(),
    };
    say!(
        "{name}: the tokens X as rings, the iterate at t = {iteration} as dots, in the plane of their first two numbers",
        "{name}：词元 X 为圈，t = {iteration} 的迭代为点，画在前两个数的平面上"
    )
}
