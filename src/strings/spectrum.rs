//! The singular values, and estimators of the largest one.

use crate::state::Shown;
use lipscope_core::estimators::{Estimator, EstimatorPoint, Preset, Stop};
use lipscope_core::spectrum::{Coverage, Level, Places, Spectrum, TopPair};
use lipscope_plot::{Kind, Number};

use super::t;

words! {
    plot_spectrum: "Spectrum", "谱";
    plot_spectrum_hint: "The singular values of the Jacobian, and the tokens that the first pair lives on", "雅可比矩阵的奇异值，以及第一对奇异向量所在的词元";
    spectrum_heading: "Singular values of the Jacobian", "雅可比矩阵的奇异值";
    spectrum_x: "index i", "序号 i";
    spectrum_x_log: "index i, logarithmic", "序号 i（对数）";
    spectrum_y: "singular value σᵢ", "奇异值 σᵢ";
    at_least: "at least", "至少";
    leading: "Leading values", "所求奇异值数";
    leading_hint: "How many of the largest are iterated where the Jacobian has more than 600 rows", "雅可比矩阵超过 600 行时，迭代求多少个最大的奇异值";
    spectral_gap: "gap σ₁/σ₂", "间隙 σ₁/σ₂";
    numerical_rank: "numerical rank", "数值秩";
    of_values: "singular values", "奇异值个数";
    top_residual: "residual of the first pair", "第一对的残差";
}
pub fn spectrum_columns() -> [&'static str; 5] {
    [t("i from", "i 自"), t("claim", "性质"), "σᵢ", t("how often", "重数"), t("relative residual", "相对残差")]
}
words! {
    energy_x: "token", "词元";
    energy_x_clusters: "cluster", "簇";
    energy_y: "share of the first pair", "在第一对中的份额";
    output_shares: "output", "输出";
    input_shares: "input", "输入";
}
pub fn energy_columns() -> [&'static str; 3] {
    [t("token or cluster", "词元或簇"), t("output |uᵢ|²", "输出 |uᵢ|²"), t("input |vⱼ|²", "输入 |vⱼ|²")]
}

words! {
    plot_estimators: "Estimators", "估计方法";
    plot_estimators_hint: "Power iteration, Lanczos and the dense SVD on one Jacobian", "同一雅可比矩阵上的幂迭代、Lanczos 与稠密 SVD";
    estimators_heading: "Estimators of the spectral norm", "谱范数的估计方法";
    trial_text: "Tried on", "用于";
    estimators_shows: "Shows", "显示";
    stop_tolerance: "Tolerance of the stops", "停止容差";
    stop_tolerance_hint: "Power iteration stops where s² changes by no more than this, or by no more than this times s²", "s² 的变化不超过此值、或不超过此值乘 s² 时，幂迭代停止";
    estimators_x: "iteration, logarithmic", "迭代（对数）";
    estimators_error: "relative error of s", "s 的相对误差";
    estimators_residual: "relative residual |Jᵀu − s v| / s", "相对残差 |Jᵀu − s v| / s";
    estimators_value: "value s", "值 s";
    dense: "dense SVD", "稠密 SVD";
    dense_rounding: "dense SVD, rounding", "稠密 SVD，舍入误差";
    power_text: "power iteration", "幂迭代";
    power_short: "power", "幂迭代";
}
pub const LANCZOS: &str = "Lanczos";
words! {
    estimators_ends: "Where each stopped", "各自停在何处";
}
pub fn estimators_ends_columns() -> [&'static str; 5] {
    [
        t("estimator", "估计方法"),
        "‖J‖₂",
        t("relative error", "相对误差"),
        t("products with J, Jᵀ", "与 J、Jᵀ 的乘积数"),
        t("time", "用时"),
    ]
}
pub fn estimators_columns() -> [&'static str; 8] {
    [
        t("estimator", "估计方法"),
        t("iteration", "迭代"),
        t("products", "乘积数"),
        t("claim", "性质"),
        "s",
        t("relative error", "相对误差"),
        t("relative residual", "相对残差"),
        t("stops here", "停于此"),
    ]
}

/// The sign of a converged number or of a lower bound.
pub fn claim(is_converged: bool) -> &'static str {
    if is_converged { Kind::Exact.sign() } else { Kind::LowerBound.sign() }
}

pub fn spectrum_how(spectrum: Option<&Spectrum>) -> String {
    let Some(found) = spectrum else {
        return t("The singular values of J, largest first.", "J 的奇异值，从大到小。").into();
    };
    let size = Number::short(found.size);
    let how = super::method(found.method);
    let listed = match found.coverage {
        Coverage::All if found.iterations > 0 => {
            say!("All that are not zero, of {size}, by {how}.", "{size} 个中所有非零的，方法：{how}。")
        }
        Coverage::All => say!("All {size} singular values, by {how}.", "全部 {size} 个奇异值，方法：{how}。"),
        Coverage::Leading => {
            say!(
                "The leading {} of {size} singular values, by {how}, {} steps.",
                "{size} 个奇异值中最大的 {} 个，方法：{how}，{} 步。",
                Number::short(found.listed()),
                found.iterations
            )
        }
    };
    let zeros = found.listed() - found.rank();
    if found.coverage == Coverage::All && zeros > 0.0 {
        let zeros = Number::short(zeros);
        return say!(
            "{listed} {zeros} of them are zero to rounding and not drawn.",
            "{listed}其中 {zeros} 个在舍入误差内为零，未画出。"
        );
    }
    listed
}

pub fn spectrum_finding(spectrum: Option<&Spectrum>) -> String {
    let first = spectrum.and_then(Spectrum::first);
    match (spectrum, first) {
        (Some(found), Some(first)) => {
            let last = found.levels.iter().rev().find(|level| level.value > found.zero_below).unwrap_or(&first);
            say!(
                "Singular values over their index. {} The first is {}, the last drawn {}. Left and right arrows read values.",
                "奇异值随序号的变化。{} 第一个为 {}，画出的最后一个为 {}。左右箭头读数。",
                spectrum_how(spectrum),
                Number::of(first.value),
                Number::of(last.value)
            )
        }
        _ => t("Singular values over their index; being computed.", "奇异值随序号的变化；计算中。").into(),
    }
}

pub fn spectrum_readout(at: Option<(f64, Level)>) -> String {
    let Some((index, level)) = at else {
        return t("Point at the plot, or focus it and use ← →, to read values.", "指向图，或聚焦后用 ← → 读数。")
            .into();
    };
    let sign = claim(level.is_converged());
    let times = match level.multiplicity {
        1.0 => String::new(),
        many => say!("  ·  {} times", "  ·  重数 {}", Number::short(many)),
    };
    let residual = match level.relative_residual {
        Some(0.0) => t("  ·  dense SVD", "  ·  稠密 SVD").into(),
        Some(residual) => say!("  ·  residual {}", "  ·  残差 {}", Number::rough(residual)),
        None => t("  ·  still sought", "  ·  仍在求").into(),
    };
    format!("i = {}  ·  σ {sign} {}{times}{residual}", Number::short(index), Number::of(level.value))
}

fn place_name(places: Places) -> &'static str {
    match places {
        Places::Tokens => t("token", "词元"),
        Places::Clusters => t("cluster", "簇"),
    }
}

fn percent(share: f64) -> String {
    format!("{}%", Number::rough(100.0 * share))
}

pub fn top_block(spectrum: Option<&Spectrum>) -> String {
    let top = spectrum.and_then(|spectrum| spectrum.top.as_ref());
    let Some((top, block)) = top.and_then(|top| Some((top, top.block?))) else {
        return match top {
            Some(_) => t("Too many tokens to look at every block.", "词元太多，无法查看每个块。").into(),
            None => t("The first pair is being looked for.", "正在求第一对奇异向量。").into(),
        };
    };
    let name = place_name(top.places);
    say!(
        "Output {name} {} takes {} from input {name} {}. This block carries {} of σ₁; its own norm is {}.",
        "输出{name} {} 的 {} 来自输入{name} {}。此块占 σ₁ 的 {}；它自身的范数为 {}。",
        block.output + 1,
        percent(block.of_output),
        block.input + 1,
        percent(block.share),
        Number::of(block.norm)
    )
}

pub fn energy_finding(spectrum: Option<&Spectrum>) -> String {
    say!(
        "Shares of the first singular pair over the tokens. {} Left and right arrows read values.",
        "第一对奇异向量在各词元上的份额。{}左右箭头读数。",
        top_block(spectrum)
    )
}

pub fn energy_readout(top: Option<&TopPair>, at: Option<f64>) -> String {
    let found = top.zip(at).and_then(|(top, at)| {
        let energy = top.energies.iter().find(|energy| 1.0 + energy.place as f64 == at)?;
        Some((place_name(top.places), *energy))
    });
    match found {
        Some((name, energy)) => say!(
            "{name} {}  ·  output {}  ·  input {} of the first pair",
            "{name} {}  ·  第一对中输出占 {}  ·  输入占 {}",
            energy.place + 1,
            percent(energy.output),
            percent(energy.input)
        ),
        None => t(
            "Dots: how much of the first pair each output token has; rings: each input token.",
            "点：每个输出词元在第一对奇异向量中的份额；圈：每个输入词元的份额。",
        )
        .into(),
    }
}

pub fn estimator(estimator: Estimator) -> &'static str {
    match estimator {
        Estimator::DenseSvd => dense(),
        Estimator::Lanczos => LANCZOS,
        Estimator::Power => power_text(),
    }
}

pub fn trial(preset: Option<Preset>) -> String {
    match preset {
        Some(Preset::SmallValues) => t("small values: V × 0.02", "小数值：V × 0.02").into(),
        Some(Preset::SmallGap) => t("a small gap", "小间隙").into(),
        Some(Preset::Easy) => t("an easy one", "容易的一例").into(),
        None => t("this configuration", "当前配置").into(),
    }
}

pub fn trial_about(preset: Option<Preset>) -> &'static str {
    match preset {
        Some(Preset::SmallValues) => t(
            "Random tokens and weights, V × 0.02. The absolute tolerance, 10⁻⁴ on s² in the released script, is large beside s²: power iteration stops early.",
            "随机词元与权重，V × 0.02。绝对容差（已发布脚本中对 s² 为 10⁻⁴）相对 s² 过大：幂迭代过早停止。",
        ),
        Some(Preset::SmallGap) => t(
            "Random tokens and weights whose first two singular values are close: power iteration crawls, Lanczos does not.",
            "前两个奇异值接近的随机词元与权重：幂迭代很慢，Lanczos 不慢。",
        ),
        Some(Preset::Easy) => t(
            "Adversarial tokens: the first singular value stands far above the others, and all agree.",
            "对抗词元：第一奇异值远大于其余，各方法一致。",
        ),
        None => t(
            "The controls’ configuration, up to 600 rows. One iteration is a product with J and one with Jᵀ.",
            "控制栏的配置，至多 600 行。一次迭代为一次与 J、一次与 Jᵀ 的乘积。",
        ),
    }
}

pub fn estimators_shown(shown: Shown) -> &'static str {
    match shown {
        Shown::Error => t("error", "误差"),
        Shown::Residual => t("residual", "残差"),
        Shown::Value => t("value", "值"),
    }
}

pub fn stop_short(estimator: Estimator, stop: Stop) -> &'static str {
    match (estimator, stop) {
        (Estimator::Lanczos, Stop::StepLimit) => t("Lanczos, step limit", "Lanczos，步数上限"),
        (Estimator::Lanczos, _) => "Lanczos",
        (_, Stop::AbsoluteChange) => t("absolute stop", "绝对停止"),
        (_, Stop::RelativeChange) => t("relative stop", "相对停止"),
        (_, Stop::Residual) => t("residual stop", "残差停止"),
        (_, Stop::StepLimit) => t("step limit", "步数上限"),
    }
}

pub fn stop_name(estimator: Estimator, stop: Option<Stop>) -> String {
    let word_power_text = power_text();
    match (estimator, stop) {
        (Estimator::DenseSvd, _) | (_, None) => dense().into(),
        (Estimator::Lanczos, Some(stop)) => stop_short(Estimator::Lanczos, stop).into(),
        (Estimator::Power, Some(stop)) => {
            say!("{word_power_text}, {}", "{word_power_text}，{}", stop_short(Estimator::Power, stop))
        }
    }
}

pub fn stop_id(estimator: Estimator, stop: Stop) -> &'static str {
    match (estimator, stop) {
        (Estimator::DenseSvd, _) => "dense",
        (Estimator::Lanczos, _) => "lanczos",
        (Estimator::Power, Stop::AbsoluteChange) => "absolute",
        (Estimator::Power, Stop::RelativeChange) => "relative",
        (Estimator::Power, Stop::Residual) => "residual",
        (Estimator::Power, Stop::StepLimit) => "limit",
    }
}

pub fn estimators_finding(ends: &[(&EstimatorPoint, Option<Stop>)]) -> String {
    if ends.is_empty() {
        return t(
            "Estimators of the spectral norm over the iteration; being computed.",
            "谱范数的估计随迭代的变化；计算中。",
        )
        .into();
    }
    let one = |(point, stop): &(&EstimatorPoint, Option<Stop>)| {
        let name = stop_name(point.estimator, *stop);
        let sign = if point.is_converged() { "" } else { t("at least ", "至少 ") };
        match stop {
            None => format!("{name}: {}.", Number::of(point.value)),
            Some(_) => say!(
                "{name} after {}: {sign}{}, error {}.",
                "{name}（{} 次后）：{sign}{}，误差 {}。",
                point.iteration,
                Number::of(point.value),
                Number::rough(point.error)
            ),
        }
    };
    let all: Vec<String> = ends.iter().map(one).collect();
    say!(
        "Estimators of the spectral norm over the iteration. {} Left and right arrows read values.",
        "谱范数的估计随迭代的变化。{}左右箭头读数。",
        all.join(t(" ", ""))
    )
}

pub fn estimators_readout(points: &[EstimatorPoint], at: Option<f64>) -> String {
    let Some(at) = at else {
        return t("Point at the plot, or focus it and use ← →, to read values.", "指向图，或聚焦后用 ← → 读数。")
            .into();
    };
    let one = |which: Estimator| {
        let point = points.iter().find(|point| point.estimator == which && point.iteration as f64 == at)?;
        let sign = claim(point.is_converged());
        let (value, error) = (Number::of(point.value), Number::rough(point.error));
        Some(say!("{} s {sign} {value}, error {error}", "{} s {sign} {value}，误差 {error}", estimator(which)))
    };
    let iteration = Some(say!("iteration {}", "迭代 {}", Number::short(at)));
    [iteration, one(Estimator::Lanczos), one(Estimator::Power)].into_iter().flatten().collect::<Vec<_>>().join("  ·  ")
}
