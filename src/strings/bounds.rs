//! The bounds: their names, and what stands behind them.

use lipscope_core::bounds::{Bound, BoundId, Domain, Norm, Side, SlackFactor, SlackKind};
use lipscope_core::measure::Measurement;
use lipscope_plot::{Kind, Number};

use super::norms::needs_dense;
use super::numbers::kind_of;
use super::t;

words! {
    ladder_heading: "Bound ladder", "界的阶梯";
    story: "What stands behind the selected bound", "所选界背后的内容";
    ladder_note: "≥: some tokens in this ball reach it", "≥：此球内有词元能达到";
    load: "Load tokens of", "载入词元：";
    load_hint: "Take the tokens behind a lower bound, and measure them", "取出某个下界背后的词元并测量";
    load_two_clusters: "two clusters", "双簇";
    load_adversarial: "adversarial", "对抗";
    load_sink: "sink", "汇聚";
    load_fork: "fork", "叉形";
    load_skew: "skew", "斜对称";
    between_losses: "; ", "；";
}

pub fn bound_label(bound: BoundId) -> &'static str {
    match bound {
        BoundId::CastinGeneral => t("published, any n", "已发表，任意 n"),
        BoundId::CastinMeanField => t("published, mean-field", "已发表，平均场"),
        BoundId::Sharp => t("best bound (ours)", "最佳界（本工具）"),
        BoundId::SharpMasked => t("best bound, masked (ours)", "最佳界，掩码（本工具）"),
        BoundId::Unified => t("unified", "统一界"),
        BoundId::UnifiedMasked => t("unified, masked", "统一界（掩码）"),
        BoundId::Local => t("local", "局部界"),
        BoundId::LocalBlocks => t("local, by blocks", "局部界（分块）"),
        BoundId::Adversarial => t("adversarial", "对抗"),
        BoundId::AdversarialEnvelope => t("adversarial envelope", "对抗包络"),
        BoundId::TwoClusters => t("two clusters", "双簇"),
        BoundId::Sink => t("sink", "汇聚"),
        BoundId::Fork => t("fork", "叉形"),
        BoundId::Skew => t("skew witness", "斜对称见证"),
        BoundId::KimLinf => t("published, L2 attention, ℓ∞", "已发表，L2 注意力，ℓ∞"),
        BoundId::KimL2 => t("[K] Theorem 3.2, corrected", "[K] 定理 3.2（已更正）"),
        BoundId::MaxToken => t("row sums of block norms", "块范数的行和"),
    }
}

/// Its formula in words, where it has no short one.
pub fn formula_words(bound: BoundId) -> &'static str {
    match bound {
        BoundId::AdversarialEnvelope => {
            t("the largest adversarial bound over all lengths up to n", "长度不超过 n 时对抗下界的最大值")
        }
        BoundId::TwoClusters => t("the exact norm of the best two clusters on a line", "直线上最佳双簇的精确范数"),
        BoundId::Sink => t(
            "the exact norm of tokens at x and, far along Ax, at R Ax/|Ax|",
            "位于 x 与沿 Ax 方向的 R Ax/|Ax| 处的词元的精确范数",
        ),
        BoundId::Fork => t(
            "the exact norm of tokens at x and at two places on both sides of Ax",
            "位于 x 与 Ax 两侧两处的词元的精确范数",
        ),
        BoundId::Skew => t(
            "the exact norm of −e, e, .., e for A = −cI + √(‖A‖² − c²) J",
            "A = −cI + √(‖A‖² − c²) J 时 −e, e, .., e 的精确范数",
        ),
        bound => bound.formula(),
    }
}

pub fn bound_label_short(bound: BoundId) -> &'static str {
    match bound {
        BoundId::CastinGeneral => t("any n", "任意 n"),
        BoundId::CastinMeanField => t("mean-field", "平均场"),
        BoundId::Sharp | BoundId::SharpMasked => t("best bound", "最佳界"),
        BoundId::UnifiedMasked => t("unified", "统一界"),
        BoundId::AdversarialEnvelope => t("envelope", "包络"),
        BoundId::LocalBlocks => t("local", "局部界"),
        bound => bound_label(bound),
    }
}

/// The name in the ladder's narrow column.
pub fn rung_label(bound: BoundId) -> &'static str {
    match bound {
        BoundId::CastinGeneral => t("any n [C]", "任意 n [C]"),
        BoundId::CastinMeanField => t("mean-field [C]", "平均场 [C]"),
        BoundId::KimL2 | BoundId::KimLinf => t("Kim et al. [K]", "Kim 等 [K]"),
        bound => bound_label_short(bound),
    }
}

/// What the letters of a formula are.
pub fn formula_where(bound: BoundId) -> &'static str {
    match bound {
        BoundId::Local => t(
            "At these tokens: Gᵢ acts through token i’s own query, wᵢ bounds how much it takes from the others.",
            "在这些词元处：Gᵢ 经由词元 i 自身的查询起作用，wᵢ 是它从其他词元所取份额的上界。",
        ),
        BoundId::LocalBlocks => t(
            "At these tokens: σ is the largest singular value, Nᵢⱼ at least the norm of the block from token j to token i.",
            "在这些词元处：σ 为最大奇异值，Nᵢⱼ 不小于从词元 j 到词元 i 的块的范数。",
        ),
        BoundId::Sharp => t(
            "With a = ‖A‖₂R², v = ‖V‖₂ of each head; G(a) bounds a row of any length, F(a)/n a long one.",
            "其中 a = ‖A‖₂R²，v = ‖V‖₂（逐头）；G(a) 是任意长度的行的界，F(a)/n 是长行的界。",
        ),
        BoundId::SharpMasked => t(
            "With a = ‖A‖₂R², v = ‖V‖₂ of each head; G(a) bounds a row of any length, F(a)/i row i. Never above unified.",
            "其中 a = ‖A‖₂R²，v = ‖V‖₂（逐头）；G(a) 是任意长度的行的界，F(a)/i 是第 i 行的界。从不高于统一界。",
        ),
        BoundId::UnifiedMasked => t(
            "With a = ‖A‖₂R², v = ‖V‖₂ of each head, S_c = Σᵢ 1/(1 + (i − 1) e^(−2a)).",
            "其中 a = ‖A‖₂R²，v = ‖V‖₂（逐头），S_c = Σᵢ 1/(1 + (i − 1) e^(−2a))。",
        ),
        BoundId::Adversarial => t(
            "With Au = λu, g = γR², γ = max(−λ, λ/8), p = 1/(1 + (n − 1) e^(−2g)).",
            "其中 Au = λu，g = γR²，γ = max(−λ, λ/8)，p = 1/(1 + (n − 1) e^(−2g))。",
        ),
        BoundId::AdversarialEnvelope => {
            t("The largest of the adversarial bound over all lengths up to n.", "长度不超过 n 时对抗下界的最大值。")
        }
        BoundId::TwoClusters => t(
            "The exact norm, along a line, of the best n tokens in two clusters.",
            "一条直线上分成两簇的最佳 n 个词元的精确范数。",
        ),
        BoundId::Sink | BoundId::Fork => t(
            "For every A and V, without a mask. A closed form chooses the n tokens; the value is the exact norm there.",
            "适用于任意 A 与 V，无掩码。闭式选出 n 个词元；数值是该处的精确范数。",
        ),
        BoundId::Skew => t("For another A of the same norm.", "针对范数相同的另一个 A。"),
        BoundId::KimL2 | BoundId::KimLinf => t(
            "With φ(x) = x e^(x + 1), k = d / heads, and the matrices of L2-MHA.",
            "其中 φ(x) = x e^(x + 1)，k = d / 头数，矩阵为 L2-MHA 的矩阵。",
        ),
        _ => t("With a = ‖A‖₂R² and v = ‖V‖₂ of each head.", "其中 a = ‖A‖₂R²，v = ‖V‖₂（逐头）。"),
    }
}

/// What a bound says, and how far it is from the measured norm.
pub fn reach(bound: &Bound, measured: Option<f64>) -> String {
    let number = Number::from_log10(bound.log10);
    let apart = match measured.filter(|norm| *norm > 0.0).map(f64::log10) {
        None => String::new(),
        Some(log10) => {
            let times = Number::rough_from_log10((bound.log10 - log10).abs());
            if bound.log10 >= log10 {
                say!(", {times} × what these tokens have", "，是这些词元的 {times} 倍")
            } else {
                say!("; these tokens have {times} × as much", "；这些词元是它的 {times} 倍")
            }
        }
    };
    match (bound.side, bound.id.domain()) {
        (Side::Upper, Domain::Tokens) => {
            say!("These tokens reach at most {number}{apart}.", "这些词元至多达到 {number}{apart}。")
        }
        (Side::Upper, _) => {
            say!("All tokens in this ball reach at most {number}{apart}.", "此球内的所有词元至多达到 {number}{apart}。")
        }
        (Side::Lower, _) => {
            say!("Some tokens in this ball reach at least {number}{apart}.", "此球内有词元至少达到 {number}{apart}。")
        }
    }
}

/// Where a bound is proved.
pub fn source(bound: BoundId) -> String {
    let source = match bound {
        BoundId::CastinGeneral => t(
            "Castin, Ablin, Peyré 2024, Theorem 3.3 and its masked twin",
            "Castin, Ablin, Peyré 2024，定理 3.3 及其掩码版本",
        ),
        BoundId::CastinMeanField => {
            t("Castin, Ablin, Peyré 2024, mean-field theorem", "Castin, Ablin, Peyré 2024，平均场定理")
        }
        BoundId::KimLinf => t("Kim, Papamakarios, Mnih 2021, Theorem 3.2", "Kim, Papamakarios, Mnih 2021，定理 3.2"),
        BoundId::KimL2 => t(
            "Kim, Papamakarios, Mnih 2021, Theorem 3.2, corrected; proof in docs/theory.md",
            "Kim, Papamakarios, Mnih 2021，定理 3.2（已更正）；证明见 docs/theory.md",
        ),
        BoundId::Adversarial => t(
            "tokens of Castin, Ablin, Peyré 2024; see docs/theory.md",
            "Castin, Ablin, Peyré 2024 的词元；见 docs/theory.md",
        ),
        _ => t("ours; proof in docs/theory.md", "本工具；证明见 docs/theory.md"),
    };
    say!("Source: {source}.", "出处：{source}。")
}

/// The least factor that is worth a line.
const WORTH_TELLING: f64 = 1.05;

/// The steps of a bound that lose something worth telling, in words.
pub fn losses(losses: &[SlackFactor]) -> Vec<String> {
    losses.iter().filter(|loss| loss.times >= WORTH_TELLING).map(loss_words).collect()
}

/// A step that loses something, in words.
fn loss_words(loss: &SlackFactor) -> String {
    say!("{}: {} ×", "{}：{} ×", step_of_proof(loss.kind), Number::rough(loss.times))
}

fn step_of_proof(kind: SlackKind) -> &'static str {
    match kind {
        SlackKind::Parts => t("adding own part and mixed part", "自身部分与混合部分相加"),
        SlackKind::ColumnSums => t("column sums as large as they may be", "列和取到可能的最大"),
        SlackKind::ANorm => t("‖A‖ R for |A xᵢ|", "以 ‖A‖ R 代 |A xᵢ|"),
        SlackKind::Radius => t("R for the tokens’ spread", "以 R 代词元的散布"),
        SlackKind::VNorm => t("‖V‖ for every direction", "每个方向都用 ‖V‖"),
        SlackKind::Alignment => t("most attention from the rows that move most", "注意力多来自变动最大的行"),
        SlackKind::Length => t("n for every column sum", "每个列和都用 n"),
        SlackKind::Rows => t("every row and part at its own largest", "每行与每部分各取自身最大"),
        SlackKind::Scores => t("2a for the range of the scores", "以 2a 代得分的范围"),
        SlackKind::Own => t("v a for the own part", "以 v a 代自身部分"),
        SlackKind::Exponent => t("e^(2a) where e^a is enough", "e^a 足够处用了 e^(2a)"),
    }
}

pub fn ladder_finding(measurement: &Measurement, norm: Norm) -> String {
    let measured = measurement.norm(norm).map_or_else(
        || needs_dense().to_owned(),
        |value| say!("Measured {}", "测得 {}", Number::of(value).kind(kind_of(measurement, norm))),
    );
    let of = |bound: &Bound| {
        format!("{} {}", bound_label(bound.id), Number::from_log10(bound.log10).kind(side_kind(bound.side)))
    };
    let bounds: Vec<String> = measurement.bounds.iter().filter(|bound| bound.id.is_about(norm)).map(of).collect();
    say!(
        "{measured}; {}. Up and down arrows tell what stands behind each.",
        "{measured}；{}。上下箭头说明每一项的含义。",
        bounds.join(t(", ", "，"))
    )
}

/// What stands in front of a bound.
pub fn side_kind(side: Side) -> Kind {
    match side {
        Side::Upper => Kind::UpperBound,
        Side::Lower => Kind::LowerBound,
    }
}
