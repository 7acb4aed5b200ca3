//! What is wrong with a link, and what cannot be put into one.

use super::t;
use super::wrong::{plain, shortened};

words! {
    between_sentences: " ", "";
    link_rest: "The rest of the link was taken.", "链接的其余部分已采用。";
    link_lost: "The link was not read, because a part of the page did not load. Check the connection, then reload the page.", "链接没有读取，因为页面的一部分没有加载。请检查连接，然后重新加载页面。";
    link_damaged: "characters are missing or changed; copy the whole link again.", "有字符缺失或被改动；请重新复制整个链接。";
    link_no_data: "the link brings no such numbers; copy the whole link again.", "链接中没有这样的数；请重新复制整个链接。";
    link_kim_is_l2: "these weights are those of L2 attention; l2 is used.", "这些权重属于 L2 注意力；采用 l2。";
    link_no_lesson: "that is no step of a lesson; write its name, a point and the step.", "没有这一课的这一步；请写课名、点和步数。";
    link_far_too_long: "The link is too long to be read. Open the experiment's file instead.", "链接太长，无法读取。请改为打开实验文件。";
}

/// What is wrong with a field.
pub fn link_field(key: &str, problem: &str) -> String {
    say!("`{key}`: {problem}", "`{key}`：{problem}")
}

pub fn link_unknown(key: &str) -> String {
    say!("`{}`: this page knows no such field.", "`{}`：此页没有这个字段。", shortened(key))
}

/// What a link says where it names a lesson or a step that there is not.
pub fn link_unknown_lesson(text: &str) -> String {
    say!(
        "there is no lesson or step “{}”. The button Lessons lists them all.",
        "没有“{}”这一课或这一步。“课程”按钮列出全部。",
        shortened(text)
    )
}

pub fn link_twice(key: &str) -> String {
    say!("`{key}` is there twice; the last one counts.", "`{key}` 出现两次；以最后一个为准。")
}

pub fn link_more(count: usize) -> String {
    say!("And {count} more like these.", "还有 {count} 处类似问题。")
}

pub fn link_version(version: &str) -> String {
    say!(
        "The link starts with “{}”, but this page reads links of version v1 and v2. Copy the whole link again.",
        "链接以“{}”开头，而此页读取 v1 和 v2 版的链接。请重新复制整个链接。",
        shortened(version)
    )
}

pub fn not_known(text: &str, words: &[&str]) -> String {
    let known = match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => say!("{} or {last}", "{} 或 {last}", rest.join(t(", ", "、"))),
        None => String::new(),
    };
    say!("“{}” is not known; use {known}.", "无法识别“{}”；请用 {known}。", shortened(text))
}

pub fn not_a_number_from(text: &str, least: f64, most: f64) -> String {
    if most == f64::MAX {
        let from = if least > 0.0 {
            t("above 0", "大于 0").to_owned()
        } else {
            say!("from {}", "不小于 {}", plain(least))
        };
        return say!("“{}” is no number {from}.", "“{}”不是{from}的数。", shortened(text));
    }
    say!("“{}” is no number from {} to {}.", "“{}”不是 {} 到 {} 之间的数。", shortened(text), plain(least), plain(most))
}

pub fn not_a_whole_number_from(text: &str, least: u64, most: u64) -> String {
    say!("“{}” is no whole number from {least} to {most}.", "“{}”不是 {least} 到 {most} 之间的整数。", shortened(text))
}
