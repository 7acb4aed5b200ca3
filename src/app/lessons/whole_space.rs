//! Not Lipschitz on the whole space, and L2 attention.

use crate::app::page::PlotChoice;
use crate::app::state::{TokenChoice, WeightChoice};
use crate::bounds::BoundId;
use crate::experiment::{Attention, Law};

use super::lesson::{Lesson, Step, Task};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "whole-space",
    title: "The whole space, and L2 attention",
    summary: "Dot-product attention has no constant on the whole space; L2 attention has one.",
    steps: &[
        Step {
            title: "No constant for all tokens",
            set: |setup| {
                setup.plot = PlotChoice::Scaled;
                setup.state.choose_tokens(TokenChoice::Law(Law::Ball));
                setup.state.choose_weights(WeightChoice::Kim);
                (setup.state.n, setup.state.d, setup.state.heads) = (16, 8, 1);
                setup.state.radius = 1.0;
                setup.state.sweep_max = 64;
                setup.rung = Some(BoundId::KimL2);
            },
            text: &[
                "One of n = {n} tokens is put at zero, the others are scaled up to norm R.",
                "The norm of dot-product attention grows like a power of R with exponent {scaled-slope-dot}. At R = {scaled-radius}, L {scaled-dot}. It is not Lipschitz on the whole space.",
            ],
            source: "Kim, Papamakarios, Mnih 2021, Theorem 3.1.",
            task: Task::Read,
        },
        Step {
            title: "Why",
            set: |_| {},
            text: &[
                "The token at zero has the same score, zero, for everyone. It attends to all alike, however large they are.",
                "{formula covariance}",
                "Its covariance grows like R², and the own part of J is V Cᵢ A. A small move of this token decides whom it attends to.",
            ],
            source: "docs/theory.md, section 4, large R.",
            task: Task::Read,
        },
        Step {
            title: "L2 attention",
            set: |_| {},
            text: &[
                "{formula l2-score}",
                "With Q = K a token attends to those near it. For the same weights the exponent is {scaled-slope-l2}, and at R = {scaled-radius}, L {scaled-l2}.",
                "For n = {n} tokens anywhere in the space, L {bound kim_l2}.",
            ],
            source: "Kim, Papamakarios, Mnih 2021, Theorem 3.2.",
            task: Task::Read,
        },
        Step {
            title: "Queries that are not keys",
            set: |setup| {
                setup.state.choose_weights(WeightChoice::Random);
                setup.state.attention = Attention::L2;
                setup.state.head_dim = 8;
                setup.rung = Some(BoundId::Local);
            },
            text: &[
                "The theorem needs Q = K. Random weights have two matrices; then the exponent of L2 attention is {scaled-slope-l2} here, and at R = {scaled-radius}, L {scaled-l2}.",
                "A curve along one ray of tokens is no proof for all. The published bound does not apply to these weights, so it is absent from the ladder.",
            ],
            source: "Kim, Papamakarios, Mnih 2021, Theorem 3.2: its hypotheses.",
            task: Task::Read,
        },
        Step {
            title: "How tight is it",
            set: |setup| setup.plot = PlotChoice::Tightness,
            text: &[
                "In the norm of row sums, for one dimension and weights of one, a search over clusters on a line looks for large norms.",
                "At n = {tight-n} some tokens have ‖J‖∞ {tight-found}, and none have more than the bound: ‖J‖∞ {tight-bound}. The ratio of both {tight-ratio}. Both grow like log n.",
            ],
            source: "Kim, Papamakarios, Mnih 2021, Theorem 3.2, and their section on tightness.",
            task: Task::Read,
        },
    ],
};
