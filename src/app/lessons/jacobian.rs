//! The Jacobian of attention.

use crate::app::page::PlotChoice;
use crate::app::state::{TokenChoice, WeightChoice};
use crate::bounds::BoundId;
use crate::experiment::Law;

use super::lesson::{Lesson, Step, Task};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "jacobian",
    title: "The Jacobian of attention",
    summary: "Its blocks, its two parts, and what becomes of it for small and for large tokens.",
    steps: &[
        Step {
            title: "A block for each pair of tokens",
            set: |setup| {
                setup.plot = PlotChoice::Draws;
                setup.rung = None;
                setup.state.choose_tokens(TokenChoice::Law(Law::Ball));
                (setup.state.n, setup.state.d, setup.state.radius) = (16, 2, 1.0);
                setup.state.sweep_max = 64;
            },
            text: &[
                "Token i gives the share Pᵢⱼ of its attention to token j, and takes in the mean mᵢ.",
                "{formula attention}",
                "The block of J from token j to token i is",
                "{formula jacobian}",
                "{formula mixed}",
                "with Cᵢ the covariance of what token i attends to. At these n = {n} tokens L {measured}.",
            ],
            source: "docs/theory.md, section 1.",
            task: Task::Read,
        },
        Step {
            title: "Two parts",
            set: |setup| setup.rung = Some(BoundId::Local),
            text: &[
                "The term with δᵢⱼ is the own part: token i moves, its query moves, and so it attends to others.",
                "{formula covariance}",
                "The rest is the mixed part: what token i attends to moves. Bounding both parts at these tokens and adding them gives L {bound local}, where L {measured}.",
            ],
            source: "docs/theory.md, section 2, local. Ours.",
            task: Task::Read,
        },
        Step {
            title: "Small tokens: an average",
            set: |setup| setup.state.radius = 0.1,
            text: &[
                "At R = {R} all scores are near zero and softmax is near uniform. Each token draws about as much attention as it gives: the largest column sum {column-sum}.",
                "J is nearly the average over tokens followed by V, and that has norm ‖V‖, which is one here: L {measured}.",
            ],
            source: "docs/theory.md, section 1, at a = zero.",
            task: Task::Read,
        },
        Step {
            title: "Large tokens: a choice",
            set: |setup| setup.state.radius = 200.0,
            text: &[
                "At R = {R} softmax all but picks one token for each row. The covariances Cᵢ vanish, and J is that choice followed by V.",
                "A token that is picked by many rows moves all of them. As R grows L goes to the root of the most rows that pick one token; that limit {large-radius}. Here L {measured}, and the largest column sum {column-sum}.",
            ],
            source: "Castin, Ablin, Peyré 2024, large radius; docs/theory.md, section 4.",
            task: Task::Read,
        },
        Step {
            title: "Never written down",
            set: |setup| {
                setup.state.choose_weights(WeightChoice::Random);
                (setup.state.n, setup.state.d, setup.state.head_dim) = (512, 8, 8);
                setup.state.radius = 2.0;
            },
            text: &[
                "J has n d rows and as many columns. At n = {n} and d = {d} the page does not write it down: the largest singular value needs only the products Jξ and its transpose, each of them matrix-free.",
                "Here {steps} steps of Lanczos give L {measured}, with a relative residual of {residual}.",
            ],
            source: "docs/performance.md.",
            task: Task::Read,
        },
    ],
};
