//! The sink, and growth like the root of n.

use crate::page::PlotChoice;
use crate::state::{TokenChoice, XAxis};
use lipscope_core::bounds::BoundId;
use lipscope_core::experiment::Distribution;

use super::lesson::{Lesson, Step, Task};
use super::said::{alike, said};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "sink",
    title: said("The sink and √n", "汇聚与 √n"),
    summary: said(
        "One token that draws all attention: draw how L grows, then see why.",
        "一个词元吸引全部注意力：先画出 L 如何增长，再看原因。",
    ),
    steps: &[
        Step {
            title: said("Draw it first", "先画出来"),
            set: |setup| {
                setup.plot = PlotChoice::Draws;
                setup.rung = None;
                setup.state.x_axis = XAxis::LogLog;
            },
            text: &[
                said(
                    "Tokens on a line: one stands at −R, all others at R, with R = {R} and A = −I. Opposite tokens have the highest scores.",
                    "直线上的词元：一个在 −R，其余都在 R，R = {R}，A = −I。相对的词元得分最高。",
                ),
                said(
                    "How does L grow with the number of tokens, up to n = {longest}? Draw your curve over the plot, then reveal what the page computes.",
                    "L 随词元数如何增长，直到 n = {longest}？在图上画出您的曲线，再揭晓页面算出的结果。",
                ),
            ],
            source: said(
                "Tokens: Castin, Ablin, Peyré 2024, and their published script.",
                "词元：Castin, Ablin, Peyré 2024 及其已发布的脚本。",
            ),
            task: Task::DrawCurve,
        },
        Step {
            title: said("It grows like √n", "如 √n 增长"),
            set: |_| {},
            text: &[
                said(
                    "Up to n = {longest} the slope of log L on log n is {slope}. A slope of one half is growth like √n.",
                    "直到 n = {longest}，log L 对 log n 的斜率为 {slope}。斜率为二分之一即如 √n 增长。",
                ),
                said("At n = {n}, L {measured}; over √n {ratio}.", "n = {n} 时 L {measured}；除以 √n {ratio}。"),
            ],
            source: said(
                "Castin, Ablin, Peyré 2024, Theorem 3.3: √n is the most there can be.",
                "Castin, Ablin, Peyré 2024，定理 3.3：至多为 √n。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("Why: everyone looks at one token", "原因：都看着一个词元"),
            set: |_| {},
            text: &[
                said(
                    "The attention matrix has one full column, that of the first token. The largest column sum {column-sum}, of n = {n}.",
                    "注意力矩阵有一整列是满的，即第一个词元的列。最大列和 {column-sum}，而 n = {n}。",
                ),
                said(
                    "Move this token by one unit: every other output moves by about one unit. A move of length one becomes a move of length √n.",
                    "把这个词元移动一个单位：其余每个输出约移动一个单位。长度为一的移动变成长度为 √n 的移动。",
                ),
            ],
            source: said(
                "docs/theory.md, section 2, why unified flattens; section 4, adversarial.",
                "docs/theory.md，第 2 节，统一界为何变平；第 4 节，对抗。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("It takes large scores", "需要大的得分"),
            set: |setup| setup.state.radius = 1.0,
            text: &[
                said(
                    "Scores lie between −a and a, so one token cannot draw more than this of another one’s attention:",
                    "得分在 −a 与 a 之间，因此一个词元从另一个词元吸引的注意力至多为：",
                ),
                alike("{formula largest-weight}"),
                said(
                    "At R = {R} the largest column sum {column-sum}, of n = {n}, and L {measured}. There is no sink.",
                    "R = {R} 时最大列和 {column-sum}，而 n = {n}，L {measured}。没有汇聚。",
                ),
            ],
            source: said(
                "docs/theory.md, section 2, unified, step 3 of the proof.",
                "docs/theory.md，第 2 节，统一界，证明第 3 步。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("Random tokens", "随机词元"),
            set: |setup| {
                setup.state.radius = 3.0;
                setup.state.choose_tokens(TokenChoice::Distribution(Distribution::Ball));
            },
            text: &[
                said(
                    "Tokens drawn in the ball of radius R = {R}, {draws} draws at each length. Tokens near the edge draw more attention than others, but none stands against all.",
                    "词元抽自半径 R = {R} 的球，每个长度 {draws} 次抽样。靠近边缘的词元吸引更多注意力，但没有一个与其余所有词元相对。",
                ),
                said(
                    "The slope is {slope}. At n = {n} the largest column sum {column-sum}, and L {measured}.",
                    "斜率为 {slope}。n = {n} 时最大列和 {column-sum}，L {measured}。",
                ),
            ],
            source: said("Measured on this page.", "在此页测得。"),
            task: Task::Read,
        },
        Step {
            title: said("The theorem", "定理"),
            set: |setup| {
                setup.state.choose_tokens(TokenChoice::Adversarial);
                setup.rung = Some(BoundId::CastinGeneral);
            },
            text: &[
                said("For every n and all tokens in the ball,", "对每个 n 和球内所有词元，"),
                alike("{formula castin_general}"),
                said(
                    "is an upper bound, with a = ‖A‖R² and v = ‖V‖. Back at the first tokens: L {measured}, and the theorem says L {bound castin_general}. Ours says L {bound unified}.",
                    "是上界，其中 a = ‖A‖R²，v = ‖V‖。回到最初的词元：L {measured}，定理给出 L {bound castin_general}，本工具给出 L {bound unified}。",
                ),
                said(
                    "The rate √n is right as long as n is far below e^(2a). The next lesson goes further.",
                    "只要 n 远小于 e^(2a)，√n 的增长率就是对的。下一课走得更远。",
                ),
            ],
            source: said("Castin, Ablin, Peyré 2024, Theorem 3.3.", "Castin, Ablin, Peyré 2024，定理 3.3。"),
            task: Task::Read,
        },
    ],
};
