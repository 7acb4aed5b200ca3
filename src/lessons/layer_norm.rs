//! Layer normalisation fixes the radius.

use crate::state::{TokenChoice, WeightChoice};
use lipscope_core::bounds::BoundId;
use lipscope_core::experiment::{Distribution, Normalization, Scope};

use super::lesson::{Lesson, Step, Task};
use super::said::{alike, said};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "layer-norm",
    title: said("Layer normalisation fixes R at √d", "层归一化把 R 固定为 √d"),
    summary: said(
        "What a normaliser takes from the tokens, and what is left to decide the constant.",
        "归一化从词元中拿走什么，又留下什么来决定常数。",
    ),
    steps: &[
        Step {
            title: said("Without a normaliser", "没有归一化"),
            set: |setup| {
                setup.state.choose_tokens(TokenChoice::Distribution(Distribution::Gaussian));
                setup.state.choose_weights(WeightChoice::Random);
                (setup.state.d, setup.state.heads, setup.state.head_dim) = (16, 2, 8);
                setup.state.radius = 8.0;
                setup.state.sweep_max = 128;
                setup.rung = Some(BoundId::Unified);
            },
            text: &[
                said(
                    "n = {n} random tokens in d = {d} dimensions, {heads} random heads. The bounds use the largest token norm: R = {radius}.",
                    "d = {d} 维中 n = {n} 个随机词元，{heads} 个随机头。界使用最大词元范数：R = {radius}。",
                ),
                said(
                    "L {measured} at these tokens, and L {bound unified} on the ball, which grows with a = ‖A‖R².",
                    "在这些词元处 L {measured}，在球上 L {bound unified}，后者随 a = ‖A‖R² 增大。",
                ),
            ],
            source: said("docs/theory.md, section 2.", "docs/theory.md，第 2 节。"),
            task: Task::Read,
        },
        Step {
            title: said("With LayerNorm", "有 LayerNorm"),
            set: |setup| setup.state.normalization = Normalization::Layer,
            text: &[
                alike("{formula layer-norm}"),
                said(
                    "Each token is put on the sphere of radius √d, or a little inside. For d = {d} the bounds take R = {radius}.",
                    "每个词元被放到半径 √d 的球面上，或稍靠内。d = {d} 时界取 R = {radius}。",
                ),
                said(
                    "At the normalised tokens L {measured}, and all tokens have L {bound unified}.",
                    "在归一化后的词元处 L {measured}，所有词元都有 L {bound unified}。",
                ),
            ],
            source: said(
                "Castin, Ablin, Peyré 2024; docs/theory.md, section 2, normalisers.",
                "Castin, Ablin, Peyré 2024；docs/theory.md，第 2 节，归一化。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("The size of the tokens is gone", "词元的大小消失了"),
            set: |setup| setup.state.radius = 80.0,
            text: &[
                said(
                    "The raw tokens now have norms up to R = {R}. The bounds still take {radius}: L {bound unified}.",
                    "原始词元的范数现在可达 R = {R}。界仍取 {radius}：L {bound unified}。",
                ),
                said(
                    "L {measured}: scaling a token changes its normalised form only through ε.",
                    "L {measured}：缩放词元只通过 ε 改变其归一化形式。",
                ),
            ],
            source: said("docs/theory.md, section 2, normalisers.", "docs/theory.md，第 2 节，归一化。"),
            task: Task::Read,
        },
        Step {
            title: said("The two maps together", "两个映射合在一起"),
            set: |setup| {
                setup.state.radius = 1.0;
                setup.state.scope = Scope::Composed;
            },
            text: &[
                said(
                    "The Jacobian may also be that of normaliser and attention together, at the raw tokens.",
                    "雅可比矩阵也可以是归一化与注意力复合的，取在原始词元处。",
                ),
                alike("{formula composed}"),
                said(
                    "For raw tokens of norm up to R = {R} the normaliser magnifies: L {measured}, and with this factor L {bound unified}. The factor belongs to the tokens; at a token of equal entries it is one over √ε.",
                    "对范数至多 R = {R} 的原始词元，归一化会放大：L {measured}，带上这个因子 L {bound unified}。该因子属于这些词元；在元素全相等的词元处它为 √ε 分之一。",
                ),
            ],
            source: said("docs/theory.md, section 2, scope composed.", "docs/theory.md，第 2 节，复合映射。"),
            task: Task::Read,
        },
        Step {
            title: said("What is left", "还剩什么"),
            set: |setup| setup.state.scope = Scope::Inputs,
            text: &[
                said(
                    "With R fixed, a = ‖A‖d decides: the weights and the dimension. Here a is {a}.",
                    "R 固定后由 a = ‖A‖d 决定：权重与维数。这里 a 为 {a}。",
                ),
                said(
                    "Growth like √n may go on up to about n = {crossover}. For ‖A‖ near one and d of a few hundred this is past every list of tokens, so √n is the regime that matters after a normaliser.",
                    "如 √n 的增长可持续到约 n = {crossover}。若 ‖A‖ 接近一而 d 为数百，这已超过任何词元列表，因此归一化之后重要的是 √n 的区域。",
                ),
            ],
            source: said(
                "Castin, Ablin, Peyré 2024, on layer normalisation; docs/theory.md, section 2.",
                "Castin, Ablin, Peyré 2024，关于层归一化；docs/theory.md，第 2 节。",
            ),
            task: Task::Read,
        },
    ],
};
