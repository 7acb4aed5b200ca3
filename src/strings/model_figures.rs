//! The figures of models.

use lipscope_core::experiment::Mask;
use lipscope_core::fit::PowerLaw;
use lipscope_models::charts::{ModelWords, power_law_text, sqrt_law_text};
use lipscope_models::{Cell, CurveTokens, Estimate, Family, Group, Heads, Published, Quantity, Training};
use lipscope_plot::{Kind, Number};

use super::t;

words! {
    model_empty: "No window is measured yet. Choose a model and a text above and run it, or open a table that the command line wrote.", "还没有测量任何窗口。请在上方选择模型和文本并运行，或打开命令行写出的表。";
    model_norms_heading: "The constant over the length of the window", "常数随窗口长度的变化";
    model_layers_heading: "Layers by lengths", "层 × 长度";
    model_heads_heading: "Heads by lengths", "头 × 长度";
    model_sinks_heading: "The attention sink and the norm", "注意力汇聚点与范数";
    model_adversarial_heading: "Adversarial tokens of one head", "单个头的对抗词元";
    model_group: "Layer and head", "层与头";
    model_released_too: "released-script estimator too", "同时显示已发布脚本的估计量";
    model_released_why: "‖J‖₂ is the local Lipschitz constant. The script released with the paper takes the first of the pair that torch.func.jvp(f, (X,), (u,)) returns, which is the value f(X), where the product J u is the second; what it then returns is √|Jᵀf(X)|, another number that grows faster with n.", "‖J‖₂ 是局部利普希茨常数。论文所附脚本取 torch.func.jvp(f, (X,), (u,)) 返回值对中的第一个，即函数值 f(X)，而乘积 J u 是第二个；因此它返回的是 √|Jᵀf(X)|，这是另一个随 n 增长更快的数。";
    model_released_theorems: "The published curves reproduce that number; the theorems of the paper do not depend on it.", "论文发表的曲线重现的是那个数；论文的定理不依赖于它。";
    model_curves: "Published curves", "已发表的曲线";
    model_curves_note: "Castin, Ablin, Peyré, How Smooth Is Attention?, ICML 2024, section 5, by the released script. One that is about the model, layer and mask on screen is ticked by itself; a model is known by its name alone.", "Castin, Ablin, Peyré，How Smooth Is Attention?，ICML 2024，第 5 节，由已发布脚本得到。与当前模型、层和掩码一致的曲线自动勾选；模型仅按名称识别。";
    model_open_window: "Open these tokens in the explorer", "在探索器中打开这些词元";
    model_open_hint: "The window's tokens and the map's weights become the experiment of the page", "该窗口的词元与映射的权重成为本页的实验";
    model_window_hint: "Click or tap a dot, or focus the plot and use ← →; PageUp and PageDown go to another length, Enter opens the window.", "点击一个点，或聚焦后用 ← →；PageUp、PageDown 换长度，Enter 打开该窗口。";
    model_length_hint: "Click or tap a dot, or focus the plot and use ← →, to read values.", "点击一个点，或聚焦后用 ← → 读数。";
    model_tile_hint: "Point at a tile, or focus the plot and use ← →; PageUp and PageDown go to another row.", "指向一格，或聚焦后用 ← →；PageUp、PageDown 换行。";
    model_tiles_note: "Each mean is of lower bounds that an iteration reached; a window's residual is in its table.", "每个平均值是迭代所达到下界的平均；各窗口的残差在其表中。";
    model_sinks_note: "The largest column sum of an attention matrix is the attention that one token receives, at most n: the √n regime is one token that receives nearly all.", "注意力矩阵的最大列和是单个词元收到的注意力，至多为 n：√n 区域就是一个词元几乎收到全部注意力。";
    model_adversarial_note: "Tokens R (−u, u, …, u), or R (u, u/2, …, u/2), with u an eigenvector of A = KᵀQ/√k of this head; C of C √n is fitted to what is measured. Each norm is a lower bound on the head's constant over the ball of radius R.", "词元为 R (−u, u, …, u) 或 R (u, u/2, …, u/2)，u 是该头 A = KᵀQ/√k 的特征向量；C √n 的 C 由测得值拟合。每个范数都是该头在半径 R 的球上常数的下界。";
    model_adversarial_layer: "Layer", "层";
    model_adversarial_head: "Head", "头";
    model_adversarial_measure: "Measure at n = 2 to 98", "测量 n = 2 至 98";
    model_waiting: "measuring …", "测量中……";
}

/// Names of axes and curves.
pub fn model_words() -> ModelWords {
    let own = |english: &'static str, chinese: &'static str| t(english, chinese).to_owned();
    ModelWords {
        length: own("tokens n", "词元数 n"),
        norm: "‖J‖₂".into(),
        mean_norm: own("mean ‖J‖₂", "平均 ‖J‖₂"),
        both: own("‖J‖₂, released-script estimator", "‖J‖₂、已发布脚本估计量"),
        released: own("released script", "已发布脚本"),
        token_norm: own("token norm (RMS)", "词元范数（均方根）"),
        sink: own("largest column sum of attention", "注意力的最大列和"),
        layer: own("layer", "层"),
        head: own("head", "头"),
        published: own("published", "已发表"),
        windows: own("windows", "窗口数"),
        residual: own("largest residual", "最大残差"),
        note: model_waiting().to_owned(),
    }
}

/// A layer with all its heads, or one head of it.
pub fn model_place(layer: usize, heads: Heads) -> String {
    match heads {
        Heads::All => say!("layer {layer}, all heads", "第 {layer} 层，所有头"),
        Heads::One(head) => say!("layer {layer}, head {head}", "第 {layer} 层，头 {head}"),
    }
}

fn quantity(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Spectral => "‖J‖₂",
        Quantity::Released => t("released script √|Jᵀf|", "已发布脚本 √|Jᵀf|"),
    }
}

/// A fit with both its intervals.
pub fn model_fit(of: Quantity, fit: &PowerLaw) -> String {
    let [low, high] = fit.factor_interval();
    let (name, law) = (quantity(of), power_law_text(fit));
    say!(
        "{name} ≈ {law}: α = {:.3} ± {:.3}, c in [{low:.3}, {high:.3}] (95%, {} windows)",
        "{name} ≈ {law}：α = {:.3} ± {:.3}，c 在 [{low:.3}, {high:.3}] 内（95%，{} 个窗口）",
        fit.exponent,
        fit.half_width,
        fit.n_points
    )
}

/// C sqrt(n) with its interval.
pub fn model_root_fit(of: Quantity, fit: &PowerLaw) -> String {
    let [low, high] = fit.factor_interval();
    let (name, law) = (quantity(of), sqrt_law_text(fit));
    say!(
        "{name} ≈ {law}: C in [{low:.3}, {high:.3}] (95%, {} lengths)",
        "{name} ≈ {law}：C 在 [{low:.3}, {high:.3}] 内（95%，{} 个长度）",
        fit.n_points
    )
}

/// What keeps a fit from being there.
pub fn model_no_fit(of: Quantity) -> String {
    let name = quantity(of);
    say!("{name}: a fit needs three windows at two lengths or more", "{name}：拟合需要至少三个窗口、两种长度")
}

/// A window in one line: each number with what it is.
pub fn model_readout(cell: &Cell, estimate: &Estimate) -> String {
    let Cell { layer, heads, n, window } = *cell;
    let where_it_is = model_place(layer, heads);
    let mut parts = vec![say!("n = {n}, window {window}, {where_it_is}", "n = {n}，窗口 {window}，{where_it_is}")];
    parts.extend(numbers(estimate));
    let sink = estimate.sink;
    let mass = Number::of(sink.mass);
    parts.push(say!(
        "largest column sum {mass} (token {}, head {})",
        "最大列和 {mass}（词元 {}，头 {}）",
        sink.token + 1,
        sink.head
    ));
    parts.join("  ·  ")
}

/// A length at adversarial tokens in one line.
pub fn model_length_readout(n: usize, estimate: &Estimate) -> String {
    let parts: Vec<String> = std::iter::once(format!("n = {n}")).chain(numbers(estimate)).collect();
    parts.join("  ·  ")
}

fn numbers(estimate: &Estimate) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(norm) = estimate.spectral {
        let kind = if norm.is_converged() { Kind::Exact } else { Kind::LowerBound };
        let value = Number::of(norm.value).kind(kind);
        let residual = Number::rough(norm.relative_residual);
        parts.push(say!(
            "‖J‖₂ {value} (residual {residual}, {} steps)",
            "‖J‖₂ {value}（残差 {residual}，{} 步）",
            norm.iterations
        ));
    }
    if let Some(released) = estimate.released {
        let name = quantity(Quantity::Released);
        parts.push(say!("{name} = {} (no bound)", "{name} = {}（不是界）", Number::of(released)));
    }
    parts.push(say!("token norm {} (RMS)", "词元范数 {}（均方根）", Number::of(estimate.radius)));
    parts
}

/// A tile in one line.
pub fn model_tile_readout(row: &str, n: usize, mean: f64, windows: usize) -> String {
    let mean = Number::of(mean).kind(Kind::LowerBound);
    say!(
        "{row}  ·  n = {n}  ·  mean ‖J‖₂ {mean} over {windows} windows",
        "{row}  ·  n = {n}  ·  {windows} 个窗口的平均 ‖J‖₂ {mean}"
    )
}

/// A published curve: its law and what it is about.
pub fn model_curve(curve: &Published) -> String {
    let family = match (curve.family, curve.training) {
        (Family::Gpt2, Training::Trained) => t("GPT-2, trained", "GPT-2，已训练"),
        (Family::Gpt2, Training::Random) => t("GPT-2, randomly initialised", "GPT-2，随机初始化"),
        (_, Training::Trained) => t("BERT, trained", "BERT，已训练"),
        (_, Training::Random) => t("BERT, randomly initialised", "BERT，随机初始化"),
    };
    let mask = match curve.mask {
        Mask::None => t("no mask", "无掩码"),
        Mask::Causal => t("causal mask", "因果掩码"),
    };
    let head = curve.head.map_or_else(String::new, |head| say!(", head {head}", "，头 {head}"));
    let tokens = match curve.tokens {
        CurveTokens::Text => t("windows of text", "文本窗口").to_owned(),
        CurveTokens::Adversarial(radius) => say!("adversarial tokens, R = {radius}", "对抗词元，R = {radius}"),
    };
    let law = if curve.exponent == 0.5 {
        format!("{} √n", curve.factor)
    } else {
        format!("{} n^{}", curve.factor, curve.exponent)
    };
    let layer = curve.layer;
    say!(
        "{law} — {family}, layer {layer}{head}, {mask}, {tokens}",
        "{law} — {family}，第 {layer} 层{head}，{mask}，{tokens}"
    )
}

/// What the figures are about.
pub fn model_about(model: &str, map: &str, mask: &str, rows: usize) -> String {
    let map = if map == "with-output" {
        t("through the output matrix", "经输出矩阵")
    } else {
        t("before the output matrix", "输出矩阵之前")
    };
    let mask = if mask == "causal" { t("causal", "因果掩码") } else { t("no mask", "无掩码") };
    say!("{model}  ·  {map}  ·  {mask}  ·  {rows} rows", "{model}  ·  {map}  ·  {mask}  ·  {rows} 行")
}

/// What a curve of adversarial tokens is about.
pub fn model_adversarial_about(model: &str, mask: &str, radius: f64) -> String {
    let mask = if mask == "causal" { t("causal mask", "因果掩码") } else { t("no mask", "无掩码") };
    say!("{model}  ·  {mask}  ·  R = {radius}", "{model}  ·  {mask}  ·  R = {radius}")
}

/// A text that is no R.
pub fn model_not_a_radius(typed: &str) -> String {
    say!("R must be a number above 0, such as 15.5; “{typed}” is none.", "R 须为大于 0 的数，如 15.5；“{typed}”不是。")
}

/// Dots that are not drawn, where there are some.
pub fn model_thinned(drawn: usize, all: usize) -> String {
    if drawn < all {
        say!(
            "{drawn} of {all} dots are drawn: the others lie on these. All can be selected.",
            "画出 {all} 个点中的 {drawn} 个：其余与之重叠。所有点都可选择。"
        )
    } else {
        String::new()
    }
}

/// The scatter in words.
pub fn model_norms_finding(group: Option<&Group>) -> String {
    match group.and_then(|group| Some((group, group.spectral?, group.ends()?))) {
        Some((group, fit, (first, last))) => say!(
            "‖J‖₂ of {} windows over n from {first} to {last}, a dot each, tinted by its token norm; it grows like n to the {:.2}. Left and right arrows go through the windows.",
            "{} 个窗口的 ‖J‖₂ 随 n（{first} 至 {last}）的变化，每窗一点，以词元范数着色；增长如 n 的 {:.2} 次方。左右箭头逐窗移动。",
            group.readings.len(),
            fit.exponent
        ),
        None => t(
            "‖J‖₂ of each window over n; too few windows for a fit yet.",
            "各窗口的 ‖J‖₂ 随 n 的变化；窗口太少，尚不能拟合。",
        )
        .into(),
    }
}

/// The tiles in words.
pub fn model_tiles_finding(what: &str, rows: usize, columns: usize) -> String {
    say!(
        "Mean ‖J‖₂ as tiles, {rows} times {columns}: {what}. Left and right arrows read tiles.",
        "平均 ‖J‖₂ 的色块图，{rows} × {columns}：{what}。左右箭头读数。"
    )
}

words! {
    model_sinks_finding: "‖J‖₂ of each window against the largest column sum of its attention, tinted by n. Left and right arrows go through the windows.", "各窗口的 ‖J‖₂ 与其注意力最大列和，以 n 着色。左右箭头逐窗移动。";
    model_adversarial_finding: "‖J‖₂ and the released-script estimator at adversarial tokens over n, with fitted multiples of the square root of n. Left and right arrows read values.", "对抗词元处的 ‖J‖₂ 与已发布脚本估计量随 n 的变化，以及拟合的 √n 倍数。左右箭头读数。";
}
