//! Layer normalisation fixes the radius.

use crate::app::state::{TokenChoice, WeightChoice};
use crate::bounds::BoundId;
use crate::experiment::{Law, Normalization, Scope};

use super::lesson::{Lesson, Step, Task};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "layer-norm",
    title: "Layer normalisation fixes R at √d",
    summary: "What a normaliser takes from the tokens, and what is left to decide the constant.",
    steps: &[
        Step {
            title: "Without a normaliser",
            set: |setup| {
                setup.state.choose_tokens(TokenChoice::Law(Law::Gaussian));
                setup.state.choose_weights(WeightChoice::Random);
                (setup.state.d, setup.state.heads, setup.state.head_dim) = (16, 2, 8);
                setup.state.radius = 8.0;
                setup.state.sweep_max = 128;
                setup.rung = Some(BoundId::Unified);
            },
            text: &[
                "n = {n} random tokens in d = {d} dimensions, {heads} random heads. The bounds use the largest token norm: R = {radius}.",
                "L {measured} at these tokens, and L {bound unified} on the ball, which grows with a = ‖A‖R².",
            ],
            source: "docs/theory.md, section 2.",
            task: Task::Read,
        },
        Step {
            title: "With LayerNorm",
            set: |setup| setup.state.normalization = Normalization::Layer,
            text: &[
                "{formula layer-norm}",
                "Each token is put on the sphere of radius √d, or a little inside. For d = {d} the bounds take R = {radius}.",
                "At the normalised tokens L {measured}, and all tokens have L {bound unified}.",
            ],
            source: "Castin, Ablin, Peyré 2024; docs/theory.md, section 2, normalisers.",
            task: Task::Read,
        },
        Step {
            title: "The size of the tokens is gone",
            set: |setup| setup.state.radius = 80.0,
            text: &[
                "The raw tokens now have norms up to R = {R}. The bounds still take {radius}: L {bound unified}.",
                "L {measured}: scaling a token changes its normalised form only through ε.",
            ],
            source: "docs/theory.md, section 2, normalisers.",
            task: Task::Read,
        },
        Step {
            title: "The two maps together",
            set: |setup| {
                setup.state.radius = 1.0;
                setup.state.scope = Scope::Composed;
            },
            text: &[
                "The Jacobian may also be that of normaliser and attention together, at the raw tokens.",
                "{formula composed}",
                "For raw tokens of norm up to R = {R} the normaliser magnifies: L {measured}, and with this factor L {bound unified}. The factor belongs to the tokens; at a token of equal entries it is one over √ε.",
            ],
            source: "docs/theory.md, section 2, scope composed.",
            task: Task::Read,
        },
        Step {
            title: "What is left",
            set: |setup| setup.state.scope = Scope::Inputs,
            text: &[
                "With R fixed, a = ‖A‖d decides: the weights and the dimension. Here a is {a}.",
                "Growth like √n may go on up to about n = {crossover}. For ‖A‖ near one and d of a few hundred this is past every list of tokens, so √n is the regime that matters after a normaliser.",
            ],
            source: "Castin, Ablin, Peyré 2024, on layer normalisation; docs/theory.md, section 2.",
            task: Task::Read,
        },
    ],
};
