//! Where growth like the root of n ends.

use crate::state::RadiusLaw;
use lipscope_core::bounds::BoundId;

use super::lesson::{Lesson, Step, Task};
use super::said::{alike, said};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "regime",
    title: said("Where √n ends", "√n 止于何处"),
    summary: said(
        "Two published theorems, one bound for every n, and the crossover between them.",
        "两个已发表的定理、一个适用于每个 n 的界，以及其间的转折。",
    ),
    steps: &[
        Step {
            title: said("Two theorems", "两个定理"),
            set: |setup| {
                setup.state.radius = 2.0;
                setup.rung = Some(BoundId::CastinMeanField);
            },
            text: &[
                said(
                    "One bound grows like √n for ever. The other does not know n at all: it is about measures, infinitely many tokens.",
                    "一个界永远如 √n 增长。另一个与 n 无关：它关于测度，即无穷多个词元。",
                ),
                said(
                    "Read at n = {at}, for R = {R}: the first says L {there castin_general}, the second L {there castin_mean_field}.",
                    "在 n = {at}、R = {R} 处读数：前者给出 L {there castin_general}，后者给出 L {there castin_mean_field}。",
                ),
                alike("{formula castin_mean_field}"),
            ],
            source: said(
                "Castin, Ablin, Peyré 2024, Theorem 3.3 and the mean-field theorem.",
                "Castin, Ablin, Peyré 2024，定理 3.3 与平均场定理。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("One bound for every n", "一个适用于每个 n 的界"),
            set: |setup| setup.rung = Some(BoundId::Unified),
            text: &[
                alike("{formula unified}"),
                said(
                    "It rises like √n, then flattens, and is never above either of the two. At n = {at}: L {there unified}.",
                    "它先如 √n 上升，然后变平，从不高于前两者。n = {at} 时：L {there unified}。",
                ),
                said(
                    "Its exponent, a in place of twice a, is the right one.",
                    "它的指数是 a 而不是两倍的 a，这才是正确的指数。",
                ),
            ],
            source: said("docs/theory.md, section 2, unified. Ours.", "docs/theory.md，第 2 节，统一界。本工具。"),
            task: Task::Read,
        },
        Step {
            title: said("The crossover", "转折"),
            set: |setup| setup.state.growth.at = 1e4,
            text: &[
                said(
                    "Here a = ‖A‖R² is {a}, and e^(2a) is {crossover}: the upright dashes in the plot.",
                    "这里 a = ‖A‖R² 为 {a}，e^(2a) 为 {crossover}：图中的竖虚线。",
                ),
                said(
                    "Below it one token can draw nearly all attention. Past it scores between −a and a cannot make a single token such a sink any more.",
                    "在它以下，一个词元可以吸引几乎全部注意力。超过它，−a 与 a 之间的得分再不能使单个词元成为这样的汇聚点。",
                ),
                said("At n = {at}: L {there unified}.", "n = {at} 时：L {there unified}。"),
            ],
            source: said(
                "docs/theory.md, section 2, why unified flattens.",
                "docs/theory.md，第 2 节，统一界为何变平。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("From below", "从下方"),
            set: |setup| {
                setup.state.growth.at = 1e9;
                setup.rung = Some(BoundId::TwoClusters);
            },
            text: &[
                said(
                    "Put the tokens in two clusters on a line, with the best places and the best sizes for each n. Their exact norm is that of a small matrix, whatever n.",
                    "把词元放成直线上的两簇，对每个 n 取最佳位置与最佳大小。无论 n 多大，其精确范数都是一个小矩阵的范数。",
                ),
                said(
                    "At n = {at} some tokens reach L {there two_clusters}. The best upper bound is {gap} this: the shaded gap.",
                    "n = {at} 时有词元达到 L {there two_clusters}。最佳上界是它的 {gap}：阴影间隙。",
                ),
            ],
            source: said(
                "docs/theory.md, sections 3 and 4, two clusters. Ours.",
                "docs/theory.md，第 3、4 节，双簇。本工具。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("A family that falls", "会下降的一族"),
            set: |setup| setup.rung = Some(BoundId::Adversarial),
            text: &[
                said(
                    "One token at −R against all others at R, the sink of the last lesson. At n = {at} these tokens have L {exact-there}.",
                    "一个词元在 −R，其余都在 R，即上一课的汇聚。n = {at} 时这些词元 L {exact-there}。",
                ),
                said(
                    "One token among so many is no sink. The constant on the ball has not fallen: it takes a share of the tokens there, not a single one.",
                    "这么多词元中的一个不再是汇聚点。球上的常数并未下降：那里需要一定份额的词元，而不是单个。",
                ),
            ],
            source: said(
                "Tokens: Castin, Ablin, Peyré 2024. Exact norms: docs/theory.md, section 3.",
                "词元：Castin, Ablin, Peyré 2024。精确范数：docs/theory.md，第 3 节。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("If R grows", "若 R 增大"),
            set: |setup| {
                setup.state.growth.radius_law = RadiusLaw::SqrtLog;
                setup.rung = Some(BoundId::Unified);
            },
            text: &[
                said(
                    "Let R grow like √log n, from R = {R} at n = {n}. Then a grows like log n, and n stays below e^(2a) for ever.",
                    "让 R 如 √log n 增长，从 n = {n} 处的 R = {R} 起。于是 a 如 log n 增长，n 永远小于 e^(2a)。",
                ),
                said(
                    "At n = {at} R is {radius-there}: between L {there two_clusters} and L {there unified}. The growth like √n does not end.",
                    "n = {at} 时 R 为 {radius-there}：介于 L {there two_clusters} 与 L {there unified} 之间。如 √n 的增长没有终点。",
                ),
            ],
            source: said(
                "docs/theory.md, section 2; Castin, Ablin, Peyré 2024, Theorem 3.3.",
                "docs/theory.md，第 2 节；Castin, Ablin, Peyré 2024，定理 3.3。",
            ),
            task: Task::Read,
        },
    ],
};
