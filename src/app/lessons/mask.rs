//! What the causal mask does.

use crate::app::page::PlotChoice;
use crate::app::state::XAxis;
use crate::bounds::BoundId;
use crate::experiment::Mask;

use super::lesson::{Lesson, Step, Task};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "mask",
    title: "The mask",
    summary: "Looking back only: it can lower the constant, or raise it.",
    steps: &[
        Step {
            title: "Without a mask",
            set: |setup| {
                setup.plot = PlotChoice::Draws;
                setup.state.x_axis = XAxis::LogLog;
                (setup.state.n, setup.state.radius) = (100, 2.0);
            },
            text: &[
                "One token at −R against all others at R, with R = {R} and n = {n}. Every token sees every other.",
                "L {measured}. The largest column sum {column-sum}.",
            ],
            source: "Tokens: Castin, Ablin, Peyré 2024.",
            task: Task::Read,
        },
        Step {
            title: "With the mask",
            set: |setup| {
                setup.state.mask = Mask::Causal;
                setup.rung = Some(BoundId::UnifiedMasked);
            },
            text: &[
                "Now a token sees itself and earlier ones only. The first token comes first, so that all others still see it.",
                "The same tokens have L {measured}. The largest column sum {column-sum}.",
            ],
            source: "Masked attention: Castin, Ablin, Peyré 2024.",
            task: Task::Read,
        },
        Step {
            title: "Nearer tokens, without a mask",
            set: |setup| {
                setup.state.mask = Mask::None;
                setup.state.radius = 1.0;
                setup.rung = Some(BoundId::Unified);
            },
            text: &[
                "At R = {R} scores are small. The first token is one among n = {n} and draws little: the largest column sum {column-sum}.",
                "L {measured}.",
            ],
            source: "docs/theory.md, section 2.",
            task: Task::Read,
        },
        Step {
            title: "Nearer tokens, with the mask",
            set: |setup| {
                setup.state.mask = Mask::Causal;
                setup.rung = Some(BoundId::UnifiedMasked);
            },
            text: &[
                "The mask raises the constant of the same tokens: L {measured}.",
                "Early rows see few tokens, so the first one has a large share of each of them. Row i sees i tokens:",
                "{formula largest-causal-weight}",
                "The largest column sum {column-sum}.",
            ],
            source: "docs/theory.md, section 2, unified, masked. Ours.",
            task: Task::Read,
        },
        Step {
            title: "Bounds under the mask",
            set: |_| {},
            text: &[
                "{formula unified_masked}",
                "Ours says L {bound unified_masked}, the published one for any n says L {bound castin_general}, for all tokens of the ball.",
                "The published mean-field bound is for attention without a mask. It does not apply, so it is absent.",
            ],
            source: "Castin, Ablin, Peyré 2024, the masked twin of Theorem 3.3; docs/theory.md, section 2.",
            task: Task::Read,
        },
        Step {
            title: "A very long list",
            set: |setup| (setup.state.n, setup.state.radius) = (1_000_000, 2.0),
            text: &[
                "Runs of equal tokens are gathered, and a product with J costs about as much as reading the list. So n = {n} is measured on this page.",
                "L {measured}, after {steps} steps of Lanczos. No tokens of the ball pass L {bound unified_masked}.",
            ],
            source: "docs/theory.md, section 3, causal runs. Ours.",
            task: Task::Read,
        },
    ],
};
