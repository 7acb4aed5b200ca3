//! The inverse of attention with a skip.

use crate::page::PlotChoice;
use crate::state::InverseSettings;

use super::lesson::{Lesson, Step, Task};
use super::said::{alike, said};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "inverse",
    title: said("The inverse", "逆"),
    summary: said(
        "What a Lipschitz constant buys: attention with a skip that can be undone.",
        "利普希茨常数带来什么：带残差连接的注意力可以求逆。",
    ),
    steps: &[
        Step {
            title: said("A skip and a contraction", "残差连接与压缩映射"),
            set: |setup| {
                setup.plot = PlotChoice::Inverse;
                setup.settings.inverse.fraction = 0.5;
            },
            text: &[
                alike("{formula skip}"),
                said(
                    "If F has the Lipschitz constant L and c is below one, the second term is a contraction. Then Y = g(X) has one X, found by iterating",
                    "若 F 的利普希茨常数为 L 且 c 小于一，第二项就是压缩映射。于是 Y = g(X) 有唯一的 X，由迭代求得",
                ),
                alike("{formula fixed-point}"),
                said("With c = {c}, L2-MHA has {inverse-l2 outcome}.", "c = {c} 时，L2-MHA：{inverse-l2 outcome}。"),
            ],
            source: said(
                "Kim, Papamakarios, Mnih 2021, section 4; Banach’s fixed-point theorem.",
                "Kim, Papamakarios, Mnih 2021，第 4 节；巴拿赫不动点定理。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("How fast", "有多快"),
            set: |setup| setup.settings.inverse.fraction = 0.9,
            text: &[
                alike("{formula rate}"),
                said(
                    "The error falls at least by the factor c at each step: the dashed line. With c = {c}, L2-MHA has {inverse-l2 outcome}; the last error {inverse-l2 error}. That is sooner than guaranteed where L is larger than these tokens need.",
                    "误差每步至少乘以 c：虚线。c = {c} 时，L2-MHA：{inverse-l2 outcome}；最后的误差 {inverse-l2 error}。若 L 大于这些词元所需，就比保证的更快。",
                ),
            ],
            source: said("docs/theory.md, section 5, the inverse.", "docs/theory.md，第 5 节，逆。"),
            task: Task::Read,
        },
        Step {
            title: said("Which L", "哪个 L"),
            set: |_| {},
            text: &[
                said(
                    "L2-MHA has a bound for all tokens, wherever the iteration goes: L {inverse-l2 constant}.",
                    "无论迭代走到哪里，L2-MHA 都有对所有词元的界：L {inverse-l2 constant}。",
                ),
                said(
                    "Dot-product attention has none. In its place stands the local constant at X, L {inverse-dot constant}. With it dot-product attention has {inverse-dot outcome}.",
                    "点积注意力没有。代替它的是 X 处的局部常数，L {inverse-dot constant}。用它时，点积注意力：{inverse-dot outcome}。",
                ),
            ],
            source: said(
                "Kim, Papamakarios, Mnih 2021, Theorems 3.1 and 3.2.",
                "Kim, Papamakarios, Mnih 2021，定理 3.1 与 3.2。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("Where it fails", "何处失败"),
            set: |setup| setup.settings.inverse = InverseSettings::where_dot_fails(),
            text: &[
                said(
                    "A few tokens far out, with c = {c}. At X softmax is one-hot, and dot-product attention has L {inverse-dot constant} there. On its way the iteration meets tokens with larger ones.",
                    "少数远处的词元，c = {c}。X 处 softmax 为独热，点积注意力在那里 L {inverse-dot constant}。迭代途中会遇到常数更大的词元。",
                ),
                said(
                    "Dot product: {inverse-dot outcome}; the last residual {inverse-dot residual}.",
                    "点积：{inverse-dot outcome}；最后的残差 {inverse-dot residual}。",
                ),
                said(
                    "L2-MHA: {inverse-l2 outcome}; the last error {inverse-l2 error}.",
                    "L2-MHA：{inverse-l2 outcome}；最后的误差 {inverse-l2 error}。",
                ),
            ],
            source: said(
                "Kim, Papamakarios, Mnih 2021, section 4; docs/theory.md, section 5.",
                "Kim, Papamakarios, Mnih 2021，第 4 节；docs/theory.md，第 5 节。",
            ),
            task: Task::Read,
        },
    ],
};
