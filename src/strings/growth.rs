//! The view over n up to 1e18.

use crate::live::GrowthData;
use crate::state::{RadiusLaw, Trace};
use lipscope_core::bounds::{Bound, BoundId, Norm};
use lipscope_core::experiment::Mask;
use lipscope_core::growth::{Crossover, GrowthRow};
use lipscope_plot::{Kind, Number};

use super::bounds::{bound_label, side_kind};
use super::norms::{norm_axis, norm_note};
use super::plot::count;
use super::t;

words! {
    plots: "Plot", "图";
    plot_growth: "Regime: n to 10¹⁸", "区域：n 至 10¹⁸";
    plot_growth_hint: "Every bound on the ball, and what is reached in it, against n", "球上的所有界及球内达到的值，随 n 变化";
    plot_draws: "Draws", "抽样";
    plot_draws_hint: "The norm at draws of these tokens, against n", "这些词元抽样处的范数，随 n 变化";
    growth_heading: "Lipschitz constant on the ball, against n from 2 to 10¹⁸", "球上的利普希茨常数，n 从 2 到 10¹⁸";
    growth_x: "number of tokens n", "词元数 n";
    growth_hint: "Point at the plot, or focus it and use ← →; click or Enter keeps that n.", "指向图，或聚焦后用 ← →；点击或 Enter 保留该 n。";
    curves_on: "Curves, and their values at this n", "曲线及其在此 n 处的值";
    radius_law_text: "Radius", "半径";
    gap_text: "upper / lower", "上界 / 下界";
    gap_hint: "The lowest upper bound over the highest lower bound at this n: the shaded gap", "此 n 处最低上界与最高下界之比：阴影间隙";
    crossover_text: "√n ends near", "√n 止于";
    crossover_hint: "Past n = e^Γ, with Γ the largest R|Ax| − x·Ax over the ball, no token can draw all attention any more; Γ is at most 2‖A‖R², and that for A = −I", "Γ 为球上 R|Ax| − x·Ax 的最大值，超过 n = e^Γ 后，再没有词元能独占注意力；Γ 至多为 2‖A‖R²，A = −I 时取到";
    radius_there: "R there", "该处的 R";
}
pub const REGIME_TABLE: &str = "n";
pub const REGIME_RADIUS: &str = "R";

pub fn growth_axis(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => t("Lipschitz constant L on the ball |xᵢ| ≤ R", "球 |xᵢ| ≤ R 上的利普希茨常数 L"),
        other => norm_axis(other),
    }
}

/// Why there are no curves.
pub fn growth_note(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => t(
            "No bound over the ball is known here; dot-product attention has some, and L2 attention with L2-MHA weights.",
            "这里没有已知的球上的界；点积注意力有，L2-MHA 权重的 L2 注意力也有。",
        ),
        other => norm_note(other),
    }
}

pub fn radius_law(law: RadiusLaw) -> &'static str {
    match law {
        RadiusLaw::Fixed => t("R fixed", "R 固定"),
        RadiusLaw::SqrtLog => t("R grows like √log n", "R 如 √log n 增长"),
    }
}

pub fn mask_switch(mask: Mask) -> &'static str {
    match mask {
        Mask::None => t("no mask", "无掩码"),
        Mask::Causal => t("causal", "因果"),
    }
}

/// The name of a trace, beside its value and at the end of its curve.
pub fn trace_label(trace: Trace) -> &'static str {
    match trace {
        Trace::Sharp => t("best bound (ours)", "最佳界（本工具）"),
        Trace::Unified => t("unified", "统一界"),
        Trace::General => t("published, any n", "已发表，任意 n"),
        Trace::Kim => t("published, L2 attention", "已发表，L2 注意力"),
        Trace::MeanField => t("published, mean-field", "已发表，平均场"),
        Trace::TwoClusters => t("two clusters", "双簇"),
        Trace::Sink => t("sink", "汇聚"),
        Trace::Fork => t("fork", "叉形"),
        Trace::Adversarial => t("adversarial, R fixed", "对抗，R 固定"),
        Trace::Envelope => t("adversarial envelope", "对抗包络"),
        Trace::Skew => t("skew, another A", "斜对称，另一个 A"),
        Trace::Exact => t("adversarial, exact norm", "对抗，精确范数"),
        Trace::Draws => t("measured", "测得"),
    }
}

pub fn trace_label_short(trace: Trace) -> &'static str {
    match trace {
        Trace::Sharp => t("best bound", "最佳界"),
        Trace::General => t("any n", "任意 n"),
        Trace::Kim => t("Kim et al.", "Kim 等"),
        Trace::MeanField => t("mean-field", "平均场"),
        Trace::Adversarial => t("adversarial", "对抗"),
        Trace::Envelope => t("envelope", "包络"),
        Trace::Skew => t("skew", "斜对称"),
        other => trace_label(other),
    }
}

/// The name of a trace in its line of the readout.
pub fn trace_line(trace: Trace) -> &'static str {
    match trace {
        Trace::Sharp => t("best bound", "最佳界"),
        Trace::General => t("any n [C]", "任意 n [C]"),
        Trace::Kim => t("L2 attention [K]", "L2 注意力 [K]"),
        Trace::MeanField => t("mean-field [C]", "平均场 [C]"),
        Trace::Adversarial => t("adversarial", "对抗"),
        Trace::Exact => t("its exact norm", "其精确范数"),
        Trace::Envelope => t("its envelope", "其包络"),
        Trace::Skew => t("skew, other A", "斜对称，另一 A"),
        other => trace_label(other),
    }
}

pub fn trace_hint(trace: Trace) -> &'static str {
    match trace {
        Trace::Sharp => t(
            "Ours, with the right constant for few and for many tokens: at most this, for every list of n tokens in the ball",
            "本工具，词元少和多时常数都正确：球内任意 n 个词元至多如此",
        ),
        Trace::Unified => {
            t("Ours: at most this, for every list of n tokens in the ball", "本工具：球内任意 n 个词元至多如此")
        }
        Trace::General => {
            t("Castin, Ablin, Peyré 2024, for any n: at most this", "Castin, Ablin, Peyré 2024，任意 n：至多如此")
        }
        Trace::MeanField => t(
            "Castin, Ablin, Peyré 2024, mean-field: at most this, whatever n",
            "Castin, Ablin, Peyré 2024，平均场：无论 n，至多如此",
        ),
        Trace::Kim => t(
            "Kim, Papamakarios, Mnih 2021, for L2 multi-head attention: at most this, for all tokens whatever R",
            "Kim, Papamakarios, Mnih 2021，L2 多头注意力：无论 R，对所有词元至多如此",
        ),
        Trace::Sink => t(
            "Ours, for every A: some n tokens, one cluster drawing the attention of the other, reach at least this; without a mask",
            "本工具，任意 A：某 n 个词元，其中一簇吸引另一簇的注意力，至少达到；无掩码",
        ),
        Trace::Fork => t(
            "Ours, for every A: some n tokens, two clusters sharing the attention of the third, reach at least this; without a mask",
            "本工具，任意 A：某 n 个词元，其中两簇分享第三簇的注意力，至少达到；无掩码",
        ),
        Trace::TwoClusters => t(
            "Ours: some n tokens in this ball, in two clusters, reach at least this",
            "本工具：球内某 n 个分成两簇的词元至少达到",
        ),
        Trace::Adversarial => t(
            "The tokens R (−u, u, .., u) at exactly this n reach at least this; at fixed R they fall again",
            "恰为此 n 的词元 R (−u, u, .., u) 至少达到；R 固定时会再下降",
        ),
        Trace::Envelope => {
            t("The best of the adversarial family over all lengths up to n", "长度不超过 n 的对抗族中的最佳")
        }
        Trace::Skew => t(
            "The exact norm for another A of the same norm, one for each n: shows how sharp unified is",
            "范数相同的另一个 A（每个 n 一个）的精确范数：显示统一界有多紧",
        ),
        Trace::Exact => {
            t("The exact norm at the adversarial tokens, as a token measure", "对抗词元处的精确范数，按词元测度")
        }
        Trace::Draws => t(
            "The norm at draws of the present tokens, and at the present configuration",
            "当前词元抽样处及当前配置处的范数",
        ),
    }
}

pub fn crossover(crossover: &Crossover) -> String {
    let n = Number::from_log10(crossover.ln_n / std::f64::consts::LN_10);
    format!("n = e^Γ = {n}")
}

pub fn crossover_rule() -> &'static str {
    "n = e^Γ"
}

pub fn gap(log10: f64) -> String {
    format!("{} ×", Number::from_log10(log10))
}

fn of_bound(bound: &Bound) -> String {
    let number = Number::from_log10(bound.log10).kind(side_kind(bound.side));
    format!("{} {number}", bound_label(bound.id))
}

/// What is read at an n, aloud.
pub fn growth_said(row: &GrowthRow, norm: Norm, exact: Option<f64>) -> String {
    let word_gap_text = gap_text();
    let mut parts = vec![format!("n = {}", count(row.n))];
    parts.extend(row.bounds.iter().filter(|bound| bound.id != BoundId::Skew && bound.id.is_about(norm)).map(of_bound));
    let exact = exact.filter(|_| norm == Norm::Spectral);
    parts.extend(exact.map(|value| format!("{} {}", trace_label(Trace::Exact), Number::of(value).kind(Kind::Exact))));
    parts.extend(row.gap_log10(norm).map(|log10| format!("{word_gap_text} {}", gap(log10))));
    parts.join(t(", ", "，"))
}

pub fn growth_finding(data: &GrowthData, norm: Norm) -> String {
    let Some(growth) = &data.growth else {
        return t("The bounds against n; being computed.", "界随 n 的变化；计算中。").into();
    };
    let Some(last) = growth.rows.last() else { return growth_note(norm).into() };
    let gap = last.gap_log10(norm).map(|log10| {
        say!(" The best bounds are a factor {} apart there.", "该处最佳上下界相差 {} 倍。", Number::from_log10(log10))
    });
    let ends = |bound: Option<&Bound>| bound.map_or_else(|| t("nothing", "无").into(), of_bound);
    say!(
        "At n = {}: {}; {}.{} Left and right arrows read values.",
        "n = {}：{}；{}。{}左右箭头读数。",
        count(last.n),
        ends(last.best_upper(norm)),
        ends(last.best_lower(norm)),
        gap.unwrap_or_default()
    )
}
