//! The controls: their names, their hints, their choices.

use crate::field::Field;
use crate::state::{TokenChoice, WeightChoice};
use lipscope_core::experiment::{Distribution, Scope};

use super::t;

type Options<const N: usize> = [(&'static str, &'static str); N];

words! {
    example: "Example", "示例";
    example_none: "your settings", "您的设置";
    example_two_clusters: "two clusters (ours), n = 4096, R = 3", "双簇（本工具），n = 4096，R = 3";
    example_skew: "skew witness, n = 4096, R = 3", "斜对称见证，n = 4096，R = 3";
    example_million: "a million tokens, causal", "一百万个词元，因果";
    example_ball: "random tokens in a ball", "球内的随机词元";
    example_adversarial: "adversarial, A = −1, R = 3", "对抗，A = −1，R = 3";
    example_causal: "the same ball, causal", "同一个球，因果";
    example_random_heads: "random weights, d = 8", "随机权重，d = 8";
    example_layer_norm: "LayerNorm, two heads", "LayerNorm，两个头";
    example_small_ball: "a small ball, R = 0.5", "小球，R = 0.5";
}

words! {
    tokens: "Tokens", "词元";
    law: "Law", "分布";
    law_hint: "How the tokens are drawn", "词元如何抽取";
    weights: "Weights", "权重";
    weight_law: "Matrices", "矩阵";
    weight_law_hint: "Where Q, K and V come from; A = KᵀQ/√k", "Q、K、V 的来源；A = KᵀQ/√k";
    attention: "Attention", "注意力";
    kernel: "Kernel", "核";
    kernel_hint: "What the scores before softmax are", "softmax 之前的得分是什么";
}
pub fn kernels() -> Options<2> {
    [("dot", t("dot product", "点积")), ("l2", t("L2 distance", "L2 距离"))]
}
words! {
    mask: "Mask", "掩码";
    mask_hint: "Which tokens a token attends to", "一个词元关注哪些词元";
}
pub fn masks() -> Options<2> {
    [("none", t("none: all tokens", "无：所有词元")), ("causal", t("causal: earlier ones", "因果：只看前面的"))]
}
words! {
    normalizer: "Normaliser", "归一化";
    normalizer_hint: "What is done to each token before attention", "注意力之前对每个词元做什么";
}
pub fn normalizers() -> Options<3> {
    [("none", t("none", "无")), ("layer", "LayerNorm"), ("rms", "RMSNorm")]
}
words! {
    scope: "Map", "映射";
    scope_hint: "Which map the Jacobian is of", "雅可比矩阵属于哪个映射";
}
pub fn scopes() -> Options<2> {
    [("inputs", t("attention alone", "仅注意力")), ("composed", t("normaliser and attention", "归一化与注意力"))]
}
words! {
    output: "Output matrix", "输出矩阵";
    output_hint: "What is done with the concatenated heads", "对拼接后的头做什么";
}
pub fn outputs() -> Options<2> {
    [("absent", t("none", "无")), ("drawn", t("random", "随机"))]
}
words! {
    more: "More", "更多";
    more_changed: "changed from the first values", "与初始值不同";
    sweep: "Sweep", "扫描";
    seed: "Seed", "种子";
    seed_hint: "The same seed gives the same numbers, here and on the command line", "相同的种子在这里和命令行给出相同的数";
    redraw: "Redraw", "重抽";
    redraw_tokens: "Redraw the tokens with the next seed", "用下一个种子重抽词元";
    redraw_weights: "Redraw the weights with the next seed", "用下一个种子重抽权重";
    pause: "Pause", "暂停";
    resume: "Go on", "继续";
    one_length: "Clusters have one n: nothing to sweep.", "簇只有一个 n：没有可扫描的。";
    not_swept: "Nothing to sweep; the sentence above says why.", "没有可扫描的；原因见上一句。";
}

words! {
    fixed_by_own_tokens: "your tokens’", "由您的词元定";
    fixed_by_own_weights: "your weights’", "由您的权重定";
    fixed_by_clusters: "the clusters’", "由簇定";
    fixed_by_skew: "2 for the witness", "见证取 2";
    fixed_by_witness: "the witness’s", "由见证定";
    skew_weights: "its own A, ‖A‖ = 1", "自带 A，‖A‖ = 1";
    skew_note: "The skew witness brings its own A, one for each n, and V = I.", "斜对称见证自带 A（每个 n 一个），且 V = I。";
    no_causal_clusters: "Clusters have no order, so there are no earlier tokens to mask.", "簇没有次序，因此没有更早的词元可遮盖。";
    fixed_by_heads: "heads × head dim.", "头数 × 每头维数";
    fixed_by_identity: "1 for identity", "恒等时为 1";
    only_random: "random only", "仅随机时";
    only_normalized: "with a normaliser only", "仅有归一化时";
    one_draw: "nothing random", "无随机";
}

pub fn field_label(field: Field) -> &'static str {
    match field {
        Field::N => t("Tokens n", "词元数 n"),
        Field::D => t("Dimension d", "维数 d"),
        Field::Radius => t("Radius R", "半径 R"),
        Field::Heads => t("Heads", "头数"),
        Field::HeadDim => t("Head dimension", "每头维数"),
        Field::Scale => t("Scale", "尺度"),
        Field::Eps => "Epsilon",
        Field::SweepMax => t("Up to n", "n 至"),
        Field::Draws => t("Draws", "抽样数"),
        Field::GrowthMax => t("n up to", "n 至"),
        Field::GrowthAt => t("read at n =", "读数 n ="),
    }
}

pub fn field_hint(field: Field) -> &'static str {
    match field {
        Field::N => t("How many tokens attend to each other", "有多少词元相互关注"),
        Field::D => t("How many numbers a token has", "一个词元有多少个数"),
        Field::Radius => t("The ball around the origin that holds every token", "以原点为中心、包含所有词元的球"),
        Field::Heads => t("Attention heads, concatenated", "注意力头，拼接"),
        Field::HeadDim => t("Rows of Q, K and V of each head", "每个头的 Q、K、V 的行数"),
        Field::Scale => t("Entries of Q, K and V have variance scale²/d", "Q、K、V 的元素方差为尺度²/d"),
        Field::Eps => t("Added to the variance by the normaliser", "归一化时加到方差上的量"),
        Field::SweepMax => t("The longest list of tokens that the plot measures", "图中测量的最长词元列表"),
        Field::Draws => t("Independent draws of the tokens at each n", "每个 n 处词元的独立抽样"),
        Field::GrowthMax => t("The right end of the plot over n", "图的 n 轴右端"),
        Field::GrowthAt => t(
            "The number of tokens at which the curves are read; every value is computed there, none is interpolated",
            "读取曲线处的词元数；每个值都在该处算出，没有插值",
        ),
    }
}

pub fn number_box(field: Field) -> String {
    say!("{}, number", "{}，数值", field_label(field))
}

pub fn token_choice(choice: TokenChoice, own: Option<(usize, usize)>) -> String {
    match (choice, own) {
        (TokenChoice::Distribution(Distribution::Gaussian), _) => t("gaussian, cut at R", "高斯，截断于 R").into(),
        (TokenChoice::Distribution(Distribution::Sphere), _) => t("uniform on the sphere", "球面上均匀").into(),
        (TokenChoice::Distribution(Distribution::Ball), _) => t("uniform in the ball", "球内均匀").into(),
        (TokenChoice::Worst, _) => t("the worst known in the ball", "球内已知最坏").into(),
        (TokenChoice::Adversarial, _) => t("adversarial", "对抗").into(),
        (TokenChoice::Skew, _) => t("skew witness", "斜对称见证").into(),
        (TokenChoice::Clusters, Some((positions, _))) => {
            say!("clusters ({positions} positions)", "簇（{positions} 个位置）")
        }
        (TokenChoice::Clusters, None) => t("clusters …", "簇……").into(),
        (TokenChoice::Own, Some((n, d))) => say!("your own ({n} × {d})", "您自己的（{n} × {d}）"),
        (TokenChoice::Own, None) => t("your own …", "您自己的……").into(),
    }
}

pub fn weight_choice(choice: WeightChoice, own: Option<(usize, usize)>) -> String {
    match (choice, own) {
        (WeightChoice::Random, _) => t("random", "随机").into(),
        (WeightChoice::IdentityPlus, _) => t("identity, A = I", "恒等，A = I").into(),
        (WeightChoice::IdentityMinus, _) => t("identity, A = −I", "恒等，A = −I").into(),
        (WeightChoice::Kim, _) => t("L2-MHA (Kim et al.)", "L2-MHA（Kim 等）").into(),
        (WeightChoice::Own, Some((1, d))) => say!("your own (1 head, d = {d})", "您自己的（1 个头，d = {d}）"),
        (WeightChoice::Own, Some((heads, d))) => {
            say!("your own ({heads} heads, d = {d})", "您自己的（{heads} 个头，d = {d}）")
        }
        (WeightChoice::Own, None) => t("your own …", "您自己的……").into(),
    }
}

pub fn scope_note(scope: Scope) -> &'static str {
    match scope {
        Scope::Inputs => t(
            "The Jacobian of attention, taken at the normalised tokens.",
            "注意力的雅可比矩阵，取在归一化后的词元处。",
        ),
        Scope::Composed => t(
            "The Jacobian of normaliser and attention together, with respect to the raw tokens.",
            "归一化与注意力复合的雅可比矩阵，对原始词元求导。",
        ),
    }
}

pub fn sweeping(percent: usize, milliseconds_left: Option<f64>) -> String {
    let left = match milliseconds_left {
        Some(ms) if ms >= 90_000.0 => say!(", about {:.0} min left", "，约剩 {:.0} 分钟", ms / 60_000.0),
        Some(ms) => say!(", about {:.0} s left", "，约剩 {:.0} 秒", (ms / 1000.0).max(1.0)),
        None => String::new(),
    };
    format!("{percent}%{left}")
}

pub fn paused(done: usize, total: usize) -> String {
    say!("Paused at {done} of {total} points", "已暂停：{total} 个点中完成 {done} 个")
}

pub fn swept(points: usize) -> String {
    say!("{points} points measured", "已测 {points} 个点")
}
