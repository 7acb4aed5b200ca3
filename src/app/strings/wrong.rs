//! What cannot be: what is wrong, where, and what to do.

use crate::plot::Number;

words! {
    what_n: "The number of tokens n", "词元数 n";
    fix_n: "Use fewer tokens here, or the command line.", "请在此减少词元，或使用命令行。";
    what_d: "The token dimension d", "词元维数 d";
    fix_d: "Use a smaller dimension here, or the command line.", "请在此减小维数，或使用命令行。";
    what_nd: "n times d", "n 乘 d";
    fix_nd: "Use fewer tokens or fewer dimensions here, or the command line.", "请在此减少词元或维数，或使用命令行。";
    what_weights: "The number of weights", "权重数";
    fix_weights: "Use fewer heads or smaller dimensions here, or the command line.", "请在此减少头数或维数，或使用命令行。";
    fix_heads: "Use a number of heads that does, or other tokens.", "请用能整除的头数，或换词元。";
    fix_fit: "Use tokens of that dimension, or other weights.", "请用该维数的词元，或换权重。";
    skew_without_weights: "skew without weights or with the identity, or other tokens", "不带权重或带恒等权重的 skew，或换词元";
}

pub fn tokens_of_dim(d: usize) -> String {
    say!("A token list of dimension {d}", "维数为 {d} 的词元列表")
}

pub fn do_not_fit_weights(d: usize) -> String {
    say!("does not fit your weights, which take dimension {d}", "与您的权重不符，权重要求维数 {d}")
}

pub fn heads_of(heads: usize) -> String {
    say!("{heads} heads of L2-MHA", "L2-MHA 的 {heads} 个头")
}

pub fn do_not_divide(d: usize) -> String {
    say!("cannot share the token dimension {d} equally", "不能平分词元维数 {d}")
}

pub fn not_a_number(name: &str, text: &str) -> String {
    match text {
        "" => say!("{name} is empty. Type a number.", "{name}为空。请输入一个数。"),
        _ => say!(
            "{name} is “{}”, which is not a number. Type digits, with a point for decimals.",
            "{name}为“{}”，不是数。请输入数字，小数用点。",
            shortened(text)
        ),
    }
}

pub fn out_of_range(name: &str, text: &str, least: f64, most: f64) -> String {
    say!(
        "{name} is {}, but it must be from {} to {}.",
        "{name}为 {}，但必须在 {} 到 {} 之间。",
        shortened(text),
        plain(least),
        plain(most)
    )
}

pub fn not_whole(name: &str, text: &str) -> String {
    say!("{name} is {}, but it must be a whole number.", "{name}为 {}，但必须是整数。", shortened(text))
}

pub fn not_a_seed(text: &str, most: u64) -> String {
    say!(
        "The seed is “{}”, but it must be a whole number from 0 to {most}.",
        "种子为“{}”，但必须是 0 到 {most} 的整数。",
        shortened(text)
    )
}

pub fn file_too_large(name: &str, size: f64, most: f64) -> String {
    say!(
        "{} has {:.0} MB; this page reads up to {:.0} MB. Use fewer tokens, or the command line.",
        "{} 有 {:.0} MB；此页至多读取 {:.0} MB。请减少词元，或使用命令行。",
        shortened(name),
        size / 1048576.0,
        most / 1048576.0
    )
}

pub fn file_unreadable(name: &str) -> String {
    say!(
        "{} cannot be read. Check that it is a file, and choose it again.",
        "{} 无法读取。请确认它是文件并重新选择。",
        shortened(name)
    )
}

pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(super) fn plain(x: f64) -> String {
    if (1e-4..1e7).contains(&x) || x == 0.0 { x.to_string() } else { Number::short(x).to_string() }
}
