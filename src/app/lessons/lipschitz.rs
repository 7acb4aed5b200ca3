//! What a Lipschitz constant is.

use crate::app::page::PlotChoice;
use crate::app::state::TokenChoice;
use crate::bounds::{BoundId, Norm};
use crate::experiment::Law;

use super::lesson::{Lesson, Step, Task};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "lipschitz",
    title: "What a Lipschitz constant is",
    summary: "How much a small change grows: at these tokens, on a ball, in other norms.",
    steps: &[
        Step {
            title: "A small change",
            set: |setup| {
                setup.plot = PlotChoice::Draws;
                setup.rung = None;
                setup.state.choose_tokens(TokenChoice::Law(Law::Ball));
                (setup.state.n, setup.state.d, setup.state.radius) = (16, 2, 1.0);
                setup.state.sweep_max = 64;
            },
            text: &[
                "Attention turns n tokens into n tokens. Move the tokens X a little along ξ, and its output moves by Jξ, where J is the Jacobian at X.",
                "The local Lipschitz constant L is the largest ratio of the two lengths: the largest singular value of J.",
                "{formula lipschitz}",
                "On screen are n = {n} tokens in d = {d} dimensions, drawn in a ball. Here L {measured}.",
            ],
            source: "Definitions: Kim, Papamakarios, Mnih 2021, section 2; Castin, Ablin, Peyré 2024.",
            task: Task::Read,
        },
        Step {
            title: "It belongs to a place",
            set: |setup| setup.state.radius = 3.0,
            text: &[
                "The same weights and the same draw, scaled up to R = {R}. Now L {measured}.",
                "J depends on X, and so does L. A local constant says nothing about other tokens.",
            ],
            source: "The Jacobian: docs/theory.md, section 1.",
            task: Task::Read,
        },
        Step {
            title: "The largest one on a ball",
            set: |setup| setup.rung = Some(BoundId::Unified),
            text: &[
                "Take the largest L over all n tokens of norm at most R. The ball is convex, so this is the Lipschitz constant of attention on it.",
                "{formula ball}",
                "No one computes this maximum exactly. It is enclosed: some tokens reach L {bound two_clusters}, and no tokens pass L {bound unified}. The tokens on screen have L {measured}.",
            ],
            source: "docs/theory.md, sections 1, 2 and 4. The mean value inequality; both bounds are ours.",
            task: Task::Read,
        },
        Step {
            title: "Other lengths, other constants",
            set: |setup| {
                setup.rung = None;
                setup.state.norm = Norm::Linf;
            },
            text: &[
                "The constant depends on how the length of a move is measured. If it is the largest entry, the constant is the largest row sum of |J|, and ‖J‖∞ {linf}. If it is the sum of the entries, it is the largest column sum, and ‖J‖₁ {l1}.",
                "The root of the sum of all squared entries of J is no such constant, but it is never below L. This Frobenius norm {frobenius}, and L {measured}.",
                "The page now shows ‖J‖∞; the switch is among the controls. Bounds on another norm are gone.",
            ],
            source: "Kim, Papamakarios, Mnih 2021, section 2: constants in ℓ∞ and ℓ2.",
            task: Task::Read,
        },
        Step {
            title: "What the signs say",
            set: |setup| {
                setup.state.norm = Norm::Spectral;
                setup.state.n = 256;
                setup.rung = Some(BoundId::Local);
            },
            text: &[
                "Every number here says what it is: = is the quantity itself, ≥ a lower bound, ≤ an upper bound.",
                "At n = {n} the norm is iterated: {steps} steps of Lanczos leave a relative residual of {residual}. That is small enough to write L {measured}.",
                "At the same tokens L {bound local}; on the ball L {bound unified}.",
            ],
            source: "docs/theory.md, section 2; ARCHITECTURE.md, invariants.",
            task: Task::Read,
        },
    ],
};
