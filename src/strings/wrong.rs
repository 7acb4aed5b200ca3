//! What cannot be: what is wrong, where, and what to do.

use lipscope_plot::Number;

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
