//! Not Lipschitz on the whole space, and L2 attention.

use crate::page::PlotChoice;
use crate::state::{TokenChoice, WeightChoice};
use lipscope_core::bounds::BoundId;
use lipscope_core::experiment::{Attention, Distribution};

use super::lesson::{Lesson, Step, Task};
use super::said::{alike, said};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "whole-space",
    title: said("The whole space, and L2 attention", "全空间与 L2 注意力"),
    summary: said(
        "Dot-product attention has no constant on the whole space; L2 attention has one.",
        "点积注意力在全空间没有利普希茨常数；L2 注意力有。",
    ),
    steps: &[
        Step {
            title: said("No constant for all tokens", "没有对所有词元成立的常数"),
            set: |setup| {
                setup.plot = PlotChoice::Scaled;
                setup.state.choose_tokens(TokenChoice::Distribution(Distribution::Ball));
                setup.state.choose_weights(WeightChoice::Kim);
                (setup.state.n, setup.state.d, setup.state.heads) = (16, 8, 1);
                setup.state.radius = 1.0;
                setup.state.sweep_max = 64;
                setup.rung = Some(BoundId::KimL2);
            },
            text: &[
                said(
                    "One of n = {n} tokens is put at zero, the others are scaled up to norm R.",
                    "n = {n} 个词元中一个放在零处，其余放大到范数 R。",
                ),
                said(
                    "The norm of dot-product attention grows like a power of R with exponent {scaled-slope-dot}. At R = {scaled-radius}, L {scaled-dot}. It is not Lipschitz on the whole space.",
                    "点积注意力的范数如 R 的幂增长，指数为 {scaled-slope-dot}。R = {scaled-radius} 时 L {scaled-dot}。它在全空间不是利普希茨的。",
                ),
            ],
            source: said("Kim, Papamakarios, Mnih 2021, Theorem 3.1.", "Kim, Papamakarios, Mnih 2021，定理 3.1。"),
            task: Task::Read,
        },
        Step {
            title: said("Why", "原因"),
            set: |_| {},
            text: &[
                said(
                    "The token at zero has the same score, zero, for everyone. It attends to all alike, however large they are.",
                    "零处的词元对每个词元的得分都是零。无论其余词元多大，它对它们的关注都相同。",
                ),
                alike("{formula covariance}"),
                said(
                    "Its covariance grows like R², and the own part of J is V Cᵢ A. A small move of this token decides whom it attends to.",
                    "其协方差如 R² 增长，J 的自身部分为 V Cᵢ A。这个词元稍一移动就决定它关注谁。",
                ),
            ],
            source: said("docs/theory.md, section 4, large R.", "docs/theory.md，第 4 节，大 R。"),
            task: Task::Read,
        },
        Step {
            title: said("L2 attention", "L2 注意力"),
            set: |_| {},
            text: &[
                alike("{formula l2-score}"),
                said(
                    "With Q = K a token attends to those near it. For the same weights the exponent is {scaled-slope-l2}, and at R = {scaled-radius}, L {scaled-l2}.",
                    "Q = K 时词元关注邻近的词元。同样的权重下指数为 {scaled-slope-l2}，R = {scaled-radius} 时 L {scaled-l2}。",
                ),
                said(
                    "For n = {n} tokens anywhere in the space, L {bound kim_l2}.",
                    "对空间任意处的 n = {n} 个词元，L {bound kim_l2}。",
                ),
            ],
            source: said("Kim, Papamakarios, Mnih 2021, Theorem 3.2.", "Kim, Papamakarios, Mnih 2021，定理 3.2。"),
            task: Task::Read,
        },
        Step {
            title: said("Queries that are not keys", "查询不等于键"),
            set: |setup| {
                setup.state.choose_weights(WeightChoice::Random);
                setup.state.attention = Attention::L2;
                setup.state.head_dim = 8;
                setup.rung = Some(BoundId::Local);
            },
            text: &[
                said(
                    "The theorem needs Q = K. Random weights have two matrices; then the exponent of L2 attention is {scaled-slope-l2} here, and at R = {scaled-radius}, L {scaled-l2}.",
                    "定理要求 Q = K。随机权重有两个矩阵；这里 L2 注意力的指数为 {scaled-slope-l2}，R = {scaled-radius} 时 L {scaled-l2}。",
                ),
                said(
                    "A curve along one ray of tokens is no proof for all. The published bound does not apply to these weights, so it is absent from the ladder.",
                    "沿一条词元射线的曲线不能证明所有情形。已发表的界不适用于这些权重，因此不在阶梯上。",
                ),
            ],
            source: said(
                "Kim, Papamakarios, Mnih 2021, Theorem 3.2: its hypotheses.",
                "Kim, Papamakarios, Mnih 2021，定理 3.2：其假设。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("How tight is it", "有多紧"),
            set: |setup| setup.plot = PlotChoice::Tightness,
            text: &[
                said(
                    "In the norm of row sums, for one dimension and weights of one, a search over clusters on a line looks for large norms.",
                    "采用行和范数，取一维、权重为一，在直线上的簇中搜索大的范数。",
                ),
                said(
                    "At n = {tight-n} some tokens have ‖J‖∞ {tight-found}, and none have more than the bound: ‖J‖∞ {tight-bound}. The ratio of both {tight-ratio}. Both grow like log n.",
                    "n = {tight-n} 时有词元 ‖J‖∞ {tight-found}，没有词元超过界：‖J‖∞ {tight-bound}。两者之比 {tight-ratio}。二者都如 log n 增长。",
                ),
            ],
            source: said(
                "Kim, Papamakarios, Mnih 2021, Theorem 3.2, and their section on tightness.",
                "Kim, Papamakarios, Mnih 2021，定理 3.2 及其关于紧度的一节。",
            ),
            task: Task::Read,
        },
    ],
};
