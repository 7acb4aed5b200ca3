//! The Jacobian of attention.

use crate::page::PlotChoice;
use crate::state::{TokenChoice, WeightChoice};
use lipscope_core::bounds::BoundId;
use lipscope_core::experiment::Distribution;

use super::lesson::{Lesson, Step, Task};
use super::said::{alike, said};

/// The lesson.
pub const LESSON: Lesson = Lesson {
    id: "jacobian",
    title: said("The Jacobian of attention", "注意力的雅可比矩阵"),
    summary: said(
        "Its blocks, its two parts, and what becomes of it for small and for large tokens.",
        "它的块、它的两部分，以及词元很小和很大时它变成什么。",
    ),
    steps: &[
        Step {
            title: said("A block for each pair of tokens", "每对词元一个块"),
            set: |setup| {
                setup.plot = PlotChoice::Draws;
                setup.rung = None;
                setup.state.choose_tokens(TokenChoice::Distribution(Distribution::Ball));
                (setup.state.n, setup.state.d, setup.state.radius) = (16, 2, 1.0);
                setup.state.sweep_max = 64;
            },
            text: &[
                said(
                    "Token i gives the share Pᵢⱼ of its attention to token j, and takes in the mean mᵢ.",
                    "词元 i 把份额 Pᵢⱼ 的注意力给词元 j，并取得均值 mᵢ。",
                ),
                alike("{formula attention}"),
                said("The block of J from token j to token i is", "J 中从词元 j 到词元 i 的块为"),
                alike("{formula jacobian}"),
                alike("{formula mixed}"),
                said(
                    "with Cᵢ the covariance of what token i attends to. At these n = {n} tokens L {measured}.",
                    "其中 Cᵢ 是词元 i 所关注内容的协方差。在这 n = {n} 个词元处 L {measured}。",
                ),
            ],
            source: said("docs/theory.md, section 1.", "docs/theory.md，第 1 节。"),
            task: Task::Read,
        },
        Step {
            title: said("Two parts", "两部分"),
            set: |setup| setup.rung = Some(BoundId::Local),
            text: &[
                said(
                    "The term with δᵢⱼ is the own part: token i moves, its query moves, and so it attends to others.",
                    "含 δᵢⱼ 的项是自身部分：词元 i 移动，其查询随之移动，于是它转而关注别的词元。",
                ),
                alike("{formula covariance}"),
                said(
                    "The rest is the mixed part: what token i attends to moves. Bounding both parts at these tokens and adding them gives L {bound local}, where L {measured}.",
                    "其余是混合部分：词元 i 所关注的内容在移动。在这些词元处分别界定两部分再相加，得 L {bound local}，而 L {measured}。",
                ),
            ],
            source: said("docs/theory.md, section 2, local. Ours.", "docs/theory.md，第 2 节，局部界。本工具。"),
            task: Task::Read,
        },
        Step {
            title: said("Small tokens: an average", "小词元：平均"),
            set: |setup| setup.state.radius = 0.1,
            text: &[
                said(
                    "At R = {R} all scores are near zero and softmax is near uniform. Each token draws about as much attention as it gives: the largest column sum {column-sum}.",
                    "R = {R} 时所有得分接近零，softmax 接近均匀。每个词元吸引的注意力与给出的大致相等：最大列和 {column-sum}。",
                ),
                said(
                    "J is nearly the average over tokens followed by V, and that has norm ‖V‖, which is one here: L {measured}.",
                    "J 近似于先对词元取平均再作用 V，其范数为 ‖V‖，这里等于一：L {measured}。",
                ),
            ],
            source: said("docs/theory.md, section 1, at a = zero.", "docs/theory.md，第 1 节，a 为零时。"),
            task: Task::Read,
        },
        Step {
            title: said("Large tokens: a choice", "大词元：选择"),
            set: |setup| setup.state.radius = 200.0,
            text: &[
                said(
                    "At R = {R} softmax all but picks one token for each row. The covariances Cᵢ vanish, and J is that choice followed by V.",
                    "R = {R} 时 softmax 几乎为每行选出一个词元。协方差 Cᵢ 消失，J 就是这一选择再作用 V。",
                ),
                said(
                    "A token that is picked by many rows moves all of them. As R grows L goes to the root of the most rows that pick one token; that limit {large-radius}. Here L {measured}, and the largest column sum {column-sum}.",
                    "被许多行选中的词元会带动所有这些行。R 增大时，L 趋于选中同一词元的最多行数的平方根；该极限 {large-radius}。这里 L {measured}，最大列和 {column-sum}。",
                ),
            ],
            source: said(
                "Castin, Ablin, Peyré 2024, large radius; docs/theory.md, section 4.",
                "Castin, Ablin, Peyré 2024，大半径；docs/theory.md，第 4 节。",
            ),
            task: Task::Read,
        },
        Step {
            title: said("Never written down", "从不写出"),
            set: |setup| {
                setup.state.choose_weights(WeightChoice::Random);
                (setup.state.n, setup.state.d, setup.state.head_dim) = (512, 8, 8);
                setup.state.radius = 2.0;
            },
            text: &[
                said(
                    "J has n d rows and as many columns. At n = {n} and d = {d} the page does not write it down: the largest singular value needs only the products Jξ and its transpose, each of them matrix-free.",
                    "J 有 n d 行和同样多的列。n = {n}、d = {d} 时页面不写出它：求最大奇异值只需与 J 及其转置的乘积，二者都无需写出矩阵。",
                ),
                said(
                    "Here {steps} steps of Lanczos give L {measured}, with a relative residual of {residual}.",
                    "这里 Lanczos {steps} 步得 L {measured}，相对残差为 {residual}。",
                ),
            ],
            source: said("docs/performance.md.", "docs/performance.md。"),
            task: Task::Read,
        },
    ],
};
