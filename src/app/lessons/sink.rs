//! The sink, and growth like the root of n.

use crate::app::page::PlotChoice;
use crate::app::state::{TokenChoice, XAxis};
use crate::bounds::BoundId;
use crate::experiment::Law;

use super::lesson::{Lesson, Step, Task};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "sink",
    title: "The sink and √n",
    summary: "One token that draws all attention: draw how L grows, then see why.",
    steps: &[
        Step {
            title: "Draw it first",
            set: |setup| {
                setup.plot = PlotChoice::Draws;
                setup.rung = None;
                setup.state.x_axis = XAxis::LogLog;
            },
            text: &[
                "Tokens on a line: one stands at −R, all others at R, with R = {R} and A = −I. Opposite tokens have the highest scores.",
                "How does L grow with the number of tokens, up to n = {longest}? Draw your curve over the plot, then reveal what the page computes.",
            ],
            source: "Tokens: Castin, Ablin, Peyré 2024, and their published script.",
            task: Task::DrawCurve,
        },
        Step {
            title: "It grows like √n",
            set: |_| {},
            text: &[
                "Up to n = {longest} the slope of log L on log n is {slope}. A slope of one half is growth like √n.",
                "At n = {n}, L {measured}; over √n {ratio}.",
            ],
            source: "Castin, Ablin, Peyré 2024, Theorem 3.3: √n is the most there can be.",
            task: Task::Read,
        },
        Step {
            title: "Why: everyone looks at one token",
            set: |_| {},
            text: &[
                "The attention matrix has one full column, that of the first token. The largest column sum {column-sum}, of n = {n}.",
                "Move this token by one unit: every other output moves by about one unit. A move of length one becomes a move of length √n.",
            ],
            source: "docs/theory.md, section 2, why unified flattens; section 4, adversarial.",
            task: Task::Read,
        },
        Step {
            title: "It takes large scores",
            set: |setup| setup.state.radius = 1.0,
            text: &[
                "Scores lie between −a and a, so one token cannot draw more than this of another one’s attention:",
                "{formula largest-weight}",
                "At R = {R} the largest column sum {column-sum}, of n = {n}, and L {measured}. There is no sink.",
            ],
            source: "docs/theory.md, section 2, unified, step 3 of the proof.",
            task: Task::Read,
        },
        Step {
            title: "Random tokens",
            set: |setup| {
                setup.state.radius = 3.0;
                setup.state.choose_tokens(TokenChoice::Law(Law::Ball));
            },
            text: &[
                "Tokens drawn in the ball of radius R = {R}, {draws} draws at each length. Tokens near the edge draw more attention than others, but none stands against all.",
                "The slope is {slope}. At n = {n} the largest column sum {column-sum}, and L {measured}.",
            ],
            source: "Measured on this page.",
            task: Task::Read,
        },
        Step {
            title: "The theorem",
            set: |setup| {
                setup.state.choose_tokens(TokenChoice::Adversarial);
                setup.rung = Some(BoundId::CastinGeneral);
            },
            text: &[
                "For every n and all tokens in the ball,",
                "{formula castin_general}",
                "is an upper bound, with a = ‖A‖R² and v = ‖V‖. Back at the first tokens: L {measured}, and the theorem says L {bound castin_general}. Ours says L {bound unified}.",
                "The rate √n is right as long as n is far below e^(2a). The next lesson goes further.",
            ],
            source: "Castin, Ablin, Peyré 2024, Theorem 3.3.",
            task: Task::Read,
        },
    ],
};
