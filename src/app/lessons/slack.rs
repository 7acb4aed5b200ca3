//! Bounds are not values.

use crate::app::state::{TokenChoice, WeightChoice};
use crate::bounds::BoundId;
use crate::experiment::Law;

use super::lesson::{Lesson, Step, Task};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "slack",
    title: "Bounds are not values",
    summary: "Say where the norm is, then follow what each step of a proof gives away.",
    steps: &[
        Step {
            title: "Say where it is",
            set: |setup| {
                setup.state.choose_tokens(TokenChoice::Law(Law::Gaussian));
                setup.state.choose_weights(WeightChoice::Random);
                (setup.state.d, setup.state.head_dim) = (8, 8);
                setup.state.radius = 2.0;
                setup.state.sweep_max = 128;
                setup.rung = None;
            },
            text: &[
                "n = {n} random tokens of norm up to R = {R} in d = {d} dimensions, one random head. For all tokens of this ball L {bound unified} (ours), and some have L {bound two_clusters}.",
                "Where is L at these random tokens? Move the mark, then reveal.",
            ],
            source: "docs/theory.md, section 6, has all bounds in a table.",
            task: Task::PlaceNorm,
        },
        Step {
            title: "Three kinds of statement",
            set: |_| {},
            text: &[
                "At these tokens, measured: L {measured}.",
                "At these tokens, proved: L {bound local}.",
                "For all tokens of the ball: L {bound unified}, and published L {bound castin_general} and L {bound castin_mean_field}. They are about the worst tokens, which these are not.",
            ],
            source: "Castin, Ablin, Peyré 2024, Theorem 3.3 and the mean-field theorem; docs/theory.md.",
            task: Task::Read,
        },
        Step {
            title: "Close by: local",
            set: |setup| setup.rung = Some(BoundId::Local),
            text: &[
                "{formula local}",
                "It knows the attention matrix at these tokens, and is {times local} the norm. It loses where it adds the own and the mixed part as if both were largest in one direction.",
            ],
            source: "docs/theory.md, section 2, local. Ours.",
            task: Task::Read,
        },
        Step {
            title: "Factor by factor: unified",
            set: |setup| setup.rung = Some(BoundId::Unified),
            text: &[
                "The bound unified puts the worst that n, ‖A‖, ‖V‖ and R allow in place of what these tokens have. It is {times unified} the norm.",
                "What each step gives away: {losses unified}.",
            ],
            source: "docs/theory.md, section 2, from local to unified, factor by factor.",
            task: Task::Read,
        },
        Step {
            title: "An exponent too many",
            set: |setup| setup.rung = Some(BoundId::CastinMeanField),
            text: &[
                "The published mean-field bound is {times castin_mean_field} the norm. Against unified it gives away {losses castin_mean_field}.",
            ],
            source: "Castin, Ablin, Peyré 2024, mean-field theorem; docs/theory.md, section 2.",
            task: Task::Read,
        },
        Step {
            title: "At the worst tokens",
            set: |setup| {
                setup.state.weights = WeightChoice::IdentityMinus;
                setup.state = setup.state.with_best_two_clusters();
                setup.rung = Some(BoundId::Unified);
            },
            text: &[
                "The same bound at tokens that are made for it: n = {n} in two clusters on a line. L {measured}, and L {bound unified}, which is {times unified} the norm.",
                "A large gap at your tokens does not make a bound bad, and a small one here does not make your tokens rough.",
            ],
            source: "docs/theory.md, section 4, two clusters and skew. Ours.",
            task: Task::Read,
        },
    ],
};
