//! The inverse of attention with a skip.

use crate::app::page::PlotChoice;
use crate::app::state::InverseSettings;

use super::lesson::{Lesson, Step, Task};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "inverse",
    title: "The inverse",
    summary: "What a Lipschitz constant buys: attention with a skip that can be undone.",
    steps: &[
        Step {
            title: "A skip and a contraction",
            set: |setup| {
                setup.plot = PlotChoice::Inverse;
                setup.settings.inverse.fraction = 0.5;
            },
            text: &[
                "{formula skip}",
                "If F has the Lipschitz constant L and c is below one, the second term is a contraction. Then Y = g(X) has one X, found by iterating",
                "{formula fixed-point}",
                "With c = {c}, L2-MHA has {inverse-l2 outcome}.",
            ],
            source: "Kim, Papamakarios, Mnih 2021, section 4; Banach’s fixed-point theorem.",
            task: Task::Read,
        },
        Step {
            title: "How fast",
            set: |setup| setup.settings.inverse.fraction = 0.9,
            text: &[
                "{formula rate}",
                "The error falls at least by the factor c at each step: the dashed line. With c = {c}, L2-MHA has {inverse-l2 outcome}; the last error {inverse-l2 error}. That is sooner than guaranteed where L is larger than these tokens need.",
            ],
            source: "docs/theory.md, section 5, the inverse.",
            task: Task::Read,
        },
        Step {
            title: "Which L",
            set: |_| {},
            text: &[
                "L2-MHA has a bound for all tokens, wherever the iteration goes: L {inverse-l2 constant}.",
                "Dot-product attention has none. In its place stands the local constant at X, L {inverse-dot constant}. With it dot-product attention has {inverse-dot outcome}.",
            ],
            source: "Kim, Papamakarios, Mnih 2021, Theorems 3.1 and 3.2.",
            task: Task::Read,
        },
        Step {
            title: "Where it fails",
            set: |setup| setup.settings.inverse = InverseSettings::where_dot_fails(),
            text: &[
                "A few tokens far out, with c = {c}. At X softmax is one-hot, and dot-product attention has L {inverse-dot constant} there. On its way the iteration meets tokens with larger ones.",
                "Dot product: {inverse-dot outcome}; the last residual {inverse-dot residual}.",
                "L2-MHA: {inverse-l2 outcome}; the last error {inverse-l2 error}.",
            ],
            source: "Kim, Papamakarios, Mnih 2021, section 4; docs/theory.md, section 5.",
            task: Task::Read,
        },
    ],
};
