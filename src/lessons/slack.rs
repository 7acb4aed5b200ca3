//! Bounds are not values.

use crate::state::{TokenChoice, WeightChoice};
use lipscope_core::bounds::BoundId;
use lipscope_core::experiment::Distribution;

use super::lesson::{Lesson, Step, Task};
use super::said::{alike, said};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "slack",
    title: said("Bounds are not values", "界不是值"),
    summary: said(
        "Say where the norm is, then follow what each step of a proof gives away.",
        "先说范数在哪里，再看证明的每一步损失了什么。",
    ),
    steps: &[
        Step {
            title: said("Say where it is", "说出它在哪里"),
            set: |setup| {
                setup.state.choose_tokens(TokenChoice::Distribution(Distribution::Gaussian));
                setup.state.choose_weights(WeightChoice::Random);
                (setup.state.d, setup.state.head_dim) = (8, 8);
                setup.state.radius = 2.0;
                setup.state.sweep_max = 128;
                setup.rung = None;
            },
            text: &[
                said(
                    "n = {n} random tokens of norm up to R = {R} in d = {d} dimensions, one random head. For all tokens of this ball L {bound unified} (ours), and some have L {bound two_clusters}.",
                    "d = {d} 维中 n = {n} 个范数至多 R = {R} 的随机词元，一个随机头。对此球内所有词元 L {bound unified}（本工具），有些词元 L {bound two_clusters}。",
                ),
                said(
                    "Where is L at these random tokens? Move the mark, then reveal.",
                    "在这些随机词元处 L 在哪里？移动标记，然后揭晓。",
                ),
            ],
            source: said(
                "docs/theory.md, section 6, has all bounds in a table.",
                "docs/theory.md，第 6 节，表中列有所有的界。",
            ),
            task: Task::PlaceNorm,
        },
        Step {
            title: said("Three kinds of statement", "三种陈述"),
            set: |_| {},
            text: &[
                said("At these tokens, measured: L {measured}.", "在这些词元处，测得：L {measured}。"),
                said("At these tokens, proved: L {bound local}.", "在这些词元处，已证：L {bound local}。"),
                said(
                    "For all tokens of the ball: L {bound unified}, and published L {bound castin_general} and L {bound castin_mean_field}. They are about the worst tokens, which these are not.",
                    "对球内所有词元：L {bound unified}，已发表的为 L {bound castin_general} 和 L {bound castin_mean_field}。它们针对最坏的词元，而这些不是。",
                ),
            ],
            source: said(
                "Castin, Ablin, Peyré 2024, Theorem 3.3 and the mean-field theorem; docs/theory.md.",
                "Castin, Ablin, Peyré 2024，定理 3.3 与平均场定理；docs/theory.md。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("Close by: local", "近处：局部界"),
            set: |setup| setup.rung = Some(BoundId::Local),
            text: &[
                alike("{formula local}"),
                said(
                    "It knows the attention matrix at these tokens, and is {times local} the norm. It loses where it adds the own and the mixed part as if both were largest in one direction.",
                    "它知道这些词元处的注意力矩阵，是范数的 {times local}。它把自身部分与混合部分相加，仿佛二者在同一方向最大，损失就在这里。",
                ),
            ],
            source: said("docs/theory.md, section 2, local. Ours.", "docs/theory.md，第 2 节，局部界。本工具。"),
            task: Task::Read,
        },
        Step {
            title: said("Factor by factor: unified", "逐个因子：统一界"),
            set: |setup| setup.rung = Some(BoundId::Unified),
            text: &[
                said(
                    "The bound unified puts the worst that n, ‖A‖, ‖V‖ and R allow in place of what these tokens have. It is {times unified} the norm.",
                    "统一界以 n、‖A‖、‖V‖ 和 R 所允许的最坏情形代替这些词元的实际情形。它是范数的 {times unified}。",
                ),
                said("What each step gives away: {losses unified}.", "每一步的损失：{losses unified}。"),
            ],
            source: said(
                "docs/theory.md, section 2, from local to unified, factor by factor.",
                "docs/theory.md，第 2 节，从局部界到统一界，逐个因子。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("An exponent too many", "多出的指数"),
            set: |setup| setup.rung = Some(BoundId::CastinMeanField),
            text: &[said(
                "The published mean-field bound is {times castin_mean_field} the norm. Against unified it gives away {losses castin_mean_field}.",
                "已发表的平均场界是范数的 {times castin_mean_field}。与统一界相比，它损失了 {losses castin_mean_field}。",
            )],
            source: said(
                "Castin, Ablin, Peyré 2024, mean-field theorem; docs/theory.md, section 2.",
                "Castin, Ablin, Peyré 2024，平均场定理；docs/theory.md，第 2 节。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("At the worst tokens", "在最坏的词元处"),
            set: |setup| {
                setup.state.weights = WeightChoice::IdentityMinus;
                setup.state = setup.state.with_best_two_clusters();
                setup.rung = Some(BoundId::Unified);
            },
            text: &[
                said(
                    "The same bound at tokens that are made for it: n = {n} in two clusters on a line. L {measured}, and L {bound unified}, which is {times unified} the norm.",
                    "同一个界，在专为它设计的词元处：直线上两簇共 n = {n} 个。L {measured}，L {bound unified}，是范数的 {times unified}。",
                ),
                said(
                    "A large gap at your tokens does not make a bound bad, and a small one here does not make your tokens rough.",
                    "在您的词元处间隙大，不说明界不好；这里间隙小，也不说明您的词元粗糙。",
                ),
            ],
            source: said(
                "docs/theory.md, section 4, two clusters and skew. Ours.",
                "docs/theory.md，第 4 节，双簇与斜对称。本工具。",
            ),
            task: Task::Read,
        },
    ],
};
