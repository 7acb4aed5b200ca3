//! What the causal mask does.

use crate::page::PlotChoice;
use crate::state::XAxis;
use lipscope_core::bounds::BoundId;
use lipscope_core::experiment::Mask;

use super::lesson::{Lesson, Step, Task};
use super::said::{alike, said};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "mask",
    title: said("The mask", "掩码"),
    summary: said("Looking back only: it can lower the constant, or raise it.", "只看前面：可能降低常数，也可能升高。"),
    steps: &[
        Step {
            title: said("Without a mask", "没有掩码"),
            set: |setup| {
                setup.plot = PlotChoice::Draws;
                setup.state.x_axis = XAxis::LogLog;
                (setup.state.n, setup.state.radius) = (100, 2.0);
            },
            text: &[
                said(
                    "One token at −R against all others at R, with R = {R} and n = {n}. Every token sees every other.",
                    "一个词元在 −R，其余都在 R，R = {R}，n = {n}。每个词元都看见其余所有词元。",
                ),
                said("L {measured}. The largest column sum {column-sum}.", "L {measured}。最大列和 {column-sum}。"),
            ],
            source: said("Tokens: Castin, Ablin, Peyré 2024.", "词元：Castin, Ablin, Peyré 2024。"),
            task: Task::Read,
        },
        Step {
            title: said("With the mask", "有掩码"),
            set: |setup| {
                setup.state.mask = Mask::Causal;
                setup.rung = Some(BoundId::UnifiedMasked);
            },
            text: &[
                said(
                    "Now a token sees itself and earlier ones only. The first token comes first, so that all others still see it.",
                    "现在一个词元只看见自己和更早的词元。第一个词元排在最前，因此其余仍都看见它。",
                ),
                said(
                    "The same tokens have L {measured}. The largest column sum {column-sum}.",
                    "同样的词元 L {measured}。最大列和 {column-sum}。",
                ),
            ],
            source: said("Masked attention: Castin, Ablin, Peyré 2024.", "掩码注意力：Castin, Ablin, Peyré 2024。"),
            task: Task::Read,
        },
        Step {
            title: said("Nearer tokens, without a mask", "更近的词元，没有掩码"),
            set: |setup| {
                setup.state.mask = Mask::None;
                setup.state.radius = 1.0;
                setup.rung = Some(BoundId::Unified);
            },
            text: &[
                said(
                    "At R = {R} scores are small. The first token is one among n = {n} and draws little: the largest column sum {column-sum}.",
                    "R = {R} 时得分很小。第一个词元只是 n = {n} 个中的一个，吸引不多：最大列和 {column-sum}。",
                ),
                said("L {measured}.", "L {measured}。"),
            ],
            source: said("docs/theory.md, section 2.", "docs/theory.md，第 2 节。"),
            task: Task::Read,
        },
        Step {
            title: said("Nearer tokens, with the mask", "更近的词元，有掩码"),
            set: |setup| {
                setup.state.mask = Mask::Causal;
                setup.rung = Some(BoundId::UnifiedMasked);
            },
            text: &[
                said(
                    "The mask raises the constant of the same tokens: L {measured}.",
                    "掩码升高了同样词元的常数：L {measured}。",
                ),
                said(
                    "Early rows see few tokens, so the first one has a large share of each of them. Row i sees i tokens:",
                    "靠前的行只看见少数词元，因此第一个词元在其中各占很大份额。第 i 行看见 i 个词元：",
                ),
                alike("{formula largest-causal-weight}"),
                said("The largest column sum {column-sum}.", "最大列和 {column-sum}。"),
            ],
            source: said(
                "docs/theory.md, section 2, unified, masked. Ours.",
                "docs/theory.md，第 2 节，统一界（掩码）。本工具。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("Bounds under the mask", "掩码下的界"),
            set: |_| {},
            text: &[
                alike("{formula unified_masked}"),
                said(
                    "Ours says L {bound unified_masked}, the published one for any n says L {bound castin_general}, for all tokens of the ball.",
                    "对球内所有词元，本工具给出 L {bound unified_masked}，已发表的任意 n 的界给出 L {bound castin_general}。",
                ),
                said(
                    "The published mean-field bound is for attention without a mask. It does not apply, so it is absent.",
                    "已发表的平均场界针对没有掩码的注意力。它不适用，因此不出现。",
                ),
            ],
            source: said(
                "Castin, Ablin, Peyré 2024, the masked twin of Theorem 3.3; docs/theory.md, section 2.",
                "Castin, Ablin, Peyré 2024，定理 3.3 的掩码版本；docs/theory.md，第 2 节。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("A very long list", "很长的列表"),
            set: |setup| (setup.state.n, setup.state.radius) = (1_000_000, 2.0),
            text: &[
                said(
                    "Runs of equal tokens are gathered, and a product with J costs about as much as reading the list. So n = {n} is measured on this page.",
                    "相同词元的连续段被合并，与 J 的一次乘积约等于读一遍列表的代价。因此 n = {n} 也在此页测量。",
                ),
                said(
                    "L {measured}, after {steps} steps of Lanczos. No tokens of the ball pass L {bound unified_masked}.",
                    "Lanczos {steps} 步后 L {measured}。球内没有词元超过 L {bound unified_masked}。",
                ),
            ],
            source: said("docs/theory.md, section 3, causal runs. Ours.", "docs/theory.md，第 3 节，因果段。本工具。"),
            task: Task::Read,
        },
    ],
};
