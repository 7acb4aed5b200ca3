//! What a Lipschitz constant is.

use crate::page::PlotChoice;
use crate::state::TokenChoice;
use lipscope_core::bounds::{BoundId, Norm};
use lipscope_core::experiment::Distribution;

use super::lesson::{Lesson, Step, Task};
use super::said::{alike, said};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "lipschitz",
    title: said("What a Lipschitz constant is", "什么是利普希茨常数"),
    summary: said(
        "How much a small change grows: at these tokens, on a ball, in other norms.",
        "微小变化能增大多少：在这些词元处、在球上、在其他范数下。",
    ),
    steps: &[
        Step {
            title: said("A small change", "微小变化"),
            set: |setup| {
                setup.plot = PlotChoice::Draws;
                setup.rung = None;
                setup.state.choose_tokens(TokenChoice::Distribution(Distribution::Ball));
                (setup.state.n, setup.state.d, setup.state.radius) = (16, 2, 1.0);
                setup.state.sweep_max = 64;
            },
            text: &[
                said(
                    "Attention turns n tokens into n tokens. Move the tokens X a little along ξ, and its output moves by Jξ, where J is the Jacobian at X.",
                    "注意力把 n 个词元变为 n 个词元。让词元 X 沿 ξ 稍作移动，输出便移动 Jξ，其中 J 是 X 处的雅可比矩阵。",
                ),
                said(
                    "The local Lipschitz constant L is the largest ratio of the two lengths: the largest singular value of J.",
                    "局部利普希茨常数 L 是这两个长度之比的最大值：J 的最大奇异值。",
                ),
                alike("{formula lipschitz}"),
                said(
                    "On screen are n = {n} tokens in d = {d} dimensions, drawn in a ball. Here L {measured}.",
                    "屏幕上是 d = {d} 维中 n = {n} 个词元，抽自一个球。这里 L {measured}。",
                ),
            ],
            source: said(
                "Definitions: Kim, Papamakarios, Mnih 2021, section 2; Castin, Ablin, Peyré 2024.",
                "定义：Kim, Papamakarios, Mnih 2021，第 2 节；Castin, Ablin, Peyré 2024。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("It belongs to a place", "它属于一个位置"),
            set: |setup| setup.state.radius = 3.0,
            text: &[
                said(
                    "The same weights and the same draw, scaled up to R = {R}. Now L {measured}.",
                    "同样的权重、同样的抽样，放大到 R = {R}。现在 L {measured}。",
                ),
                said(
                    "J depends on X, and so does L. A local constant says nothing about other tokens.",
                    "J 依赖于 X，L 也一样。局部常数不涉及其他词元。",
                ),
            ],
            source: said("The Jacobian: docs/theory.md, section 1.", "雅可比矩阵：docs/theory.md，第 1 节。"),
            task: Task::Read,
        },
        Step {
            title: said("The largest one on a ball", "球上的最大值"),
            set: |setup| setup.rung = Some(BoundId::Unified),
            text: &[
                said(
                    "Take the largest L over all n tokens of norm at most R. The ball is convex, so this is the Lipschitz constant of attention on it.",
                    "对所有范数至多 R 的 n 个词元取最大的 L。球是凸的，因此这就是注意力在球上的利普希茨常数。",
                ),
                alike("{formula ball}"),
                said(
                    "No one computes this maximum exactly. It is enclosed: some tokens reach L {bound two_clusters}, and no tokens pass L {bound unified}. The tokens on screen have L {measured}.",
                    "无人能精确算出这个最大值，但可以夹住它：有词元达到 L {bound two_clusters}，而没有词元超过 L {bound unified}。屏幕上的词元 L {measured}。",
                ),
            ],
            source: said(
                "docs/theory.md, sections 1, 2 and 4. The mean value inequality; both bounds are ours.",
                "docs/theory.md，第 1、2、4 节。中值不等式；两个界均为本工具所有。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("Other lengths, other constants", "换一种长度，换一个常数"),
            set: |setup| {
                setup.rung = None;
                setup.state.norm = Norm::Linf;
            },
            text: &[
                said(
                    "The constant depends on how the length of a move is measured. If it is the largest entry, the constant is the largest row sum of |J|, and ‖J‖∞ {linf}. If it is the sum of the entries, it is the largest column sum, and ‖J‖₁ {l1}.",
                    "常数取决于如何度量移动的长度。若取最大元素，常数为 |J| 的最大行和，‖J‖∞ {linf}。若取元素之和，常数为最大列和，‖J‖₁ {l1}。",
                ),
                said(
                    "The root of the sum of all squared entries of J is no such constant, but it is never below L. This Frobenius norm {frobenius}, and L {measured}.",
                    "J 所有元素平方和的平方根不是这样的常数，但从不小于 L。这个弗罗贝尼乌斯范数 {frobenius}，而 L {measured}。",
                ),
                said(
                    "The page now shows ‖J‖∞; the switch is among the controls. Bounds on another norm are gone.",
                    "页面现在显示 ‖J‖∞；开关在控制栏中。关于其他范数的界不再显示。",
                ),
            ],
            source: said(
                "Kim, Papamakarios, Mnih 2021, section 2: constants in ℓ∞ and ℓ2.",
                "Kim, Papamakarios, Mnih 2021，第 2 节：ℓ∞ 与 ℓ2 下的常数。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("What the signs say", "符号说明什么"),
            set: |setup| {
                setup.state.norm = Norm::Spectral;
                setup.state.n = 256;
                setup.rung = Some(BoundId::Local);
            },
            text: &[
                said(
                    "Every number here says what it is: = is the quantity itself, ≥ a lower bound, ≤ an upper bound.",
                    "这里每个数都说明自己是什么：= 是该量本身，≥ 是下界，≤ 是上界。",
                ),
                said(
                    "At n = {n} the norm is iterated: {steps} steps of Lanczos leave a relative residual of {residual}. That is small enough to write L {measured}.",
                    "n = {n} 时范数由迭代求得：Lanczos {steps} 步后相对残差为 {residual}，小到可以写 L {measured}。",
                ),
                said(
                    "At the same tokens L {bound local}; on the ball L {bound unified}.",
                    "在同样的词元处 L {bound local}；在球上 L {bound unified}。",
                ),
            ],
            source: said(
                "docs/theory.md, section 2; ARCHITECTURE.md, invariants.",
                "docs/theory.md，第 2 节；ARCHITECTURE.md，invariants。",
            ),
            task: Task::Read,
        },
    ],
};
