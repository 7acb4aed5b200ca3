//! Where growth like the root of n ends.

use crate::app::state::RadiusLaw;
use crate::bounds::BoundId;

use super::lesson::{Lesson, Step, Task};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "regime",
    title: "Where √n ends",
    summary: "Two published theorems, one bound for every n, and the crossover between them.",
    steps: &[
        Step {
            title: "Two theorems",
            set: |setup| {
                setup.state.radius = 2.0;
                setup.rung = Some(BoundId::CastinMeanField);
            },
            text: &[
                "One bound grows like √n for ever. The other does not know n at all: it is about measures, infinitely many tokens.",
                "Read at n = {at}, for R = {R}: the first says L {there castin_general}, the second L {there castin_mean_field}.",
                "{formula castin_mean_field}",
            ],
            source: "Castin, Ablin, Peyré 2024, Theorem 3.3 and the mean-field theorem.",
            task: Task::Read,
        },
        Step {
            title: "One bound for every n",
            set: |setup| setup.rung = Some(BoundId::Unified),
            text: &[
                "{formula unified}",
                "It rises like √n, then flattens, and is never above either of the two. At n = {at}: L {there unified}.",
                "Its exponent, a in place of twice a, is the right one.",
            ],
            source: "docs/theory.md, section 2, unified. Ours.",
            task: Task::Read,
        },
        Step {
            title: "The crossover",
            set: |setup| setup.state.regime.at = 1e4,
            text: &[
                "Here a = ‖A‖R² is {a}, and e^(2a) is {crossover}: the upright dashes in the plot.",
                "Below it one token can draw nearly all attention. Past it scores between −a and a cannot make a single token such a sink any more.",
                "At n = {at}: L {there unified}.",
            ],
            source: "docs/theory.md, section 2, why unified flattens.",
            task: Task::Read,
        },
        Step {
            title: "From below",
            set: |setup| {
                setup.state.regime.at = 1e9;
                setup.rung = Some(BoundId::TwoClusters);
            },
            text: &[
                "Put the tokens in two clusters on a line, with the best places and the best sizes for each n. Their exact norm is that of a small matrix, whatever n.",
                "At n = {at} some tokens reach L {there two_clusters}. The best upper bound is {gap} this: the shaded gap.",
            ],
            source: "docs/theory.md, sections 3 and 4, two clusters. Ours.",
            task: Task::Read,
        },
        Step {
            title: "A family that falls",
            set: |setup| setup.rung = Some(BoundId::Adversarial),
            text: &[
                "One token at −R against all others at R, the sink of the last lesson. At n = {at} these tokens have L {exact-there}.",
                "One token among so many is no sink. The constant on the ball has not fallen: it takes a share of the tokens there, not a single one.",
            ],
            source: "Tokens: Castin, Ablin, Peyré 2024. Exact norms: docs/theory.md, section 3.",
            task: Task::Read,
        },
        Step {
            title: "If R grows",
            set: |setup| {
                setup.state.regime.radius_law = RadiusLaw::SqrtLog;
                setup.rung = Some(BoundId::Unified);
            },
            text: &[
                "Let R grow like √log n, from R = {R} at n = {n}. Then a grows like log n, and n stays below e^(2a) for ever.",
                "At n = {at} R is {radius-there}: between L {there two_clusters} and L {there unified}. The growth like √n does not end.",
            ],
            source: "docs/theory.md, section 2; Castin, Ablin, Peyré 2024, Theorem 3.3.",
            task: Task::Read,
        },
    ],
};
