//! Around the lessons: their panel, what a reader draws, the teacher's view. The lessons themselves are in `lessons`.

use lipscope_plot::{Kind, Number};

use super::plot::count;
use super::t;

words! {
    lessons: "Lessons", "课程";
    lessons_hint: "Short texts beside the page; their steps set the controls", "页面旁的短文；每一步设置控件";
    lessons_about: "Each step sets the controls. The numbers in the texts are those of the page: change a control and they follow.", "每一步都会设置控件。文中的数就是页面上的数：改动控件，它们随之变化。";
    lesson_close: "Close the lessons", "关闭课程";
    lesson_all: "List", "列表";
    lesson_all_hint: "All lessons", "所有课程";
    lesson_back: "Back", "上一步";
    lesson_next: "Next", "下一步";
    lesson_end: "End", "完成";
    lesson_source: "Source: ", "出处：";
    lesson_again: "Set this step up again", "重新设置此步";
    lesson_again_hint: "Controls have been changed since this step set them", "此步设置之后控件已被改动";
    lesson_restore: "Restore my configuration", "恢复我的配置";
    lesson_restore_hint: "Puts the controls back to where they were before the first lesson, and closes", "把控件恢复到第一课之前的状态，并关闭";
}
pub const LESSON_WAITING: &str = "…";
words! {
    teacher: "Teacher view", "教师视图";
    teacher_hint: "Plot and main numbers, large, for a projector (key t)", "放大图和主要数值，供投影使用（按键 t）";
}

words! {
    covered: "Covered until you reveal.", "揭晓前遮住。";
    reveal: "Reveal", "揭晓";
    guess_again: "Guess again", "再猜一次";
    draw_label: "Your curve of L against n", "您画的 L 随 n 的曲线";
    draw_hint: "Draw over the plot; or focus it, choose a handle with ← → and move it with ↑ ↓. Enter reveals.", "在图上画；或聚焦后用 ← → 选控制点、用 ↑ ↓ 移动。Enter 揭晓。";
    place_label: "Your mark for L at these tokens", "您为这些词元处的 L 作的标记";
    place_hint: "Drag the mark; or focus the plot and use ← →. Enter reveals.", "拖动标记；或聚焦图后用 ← →。Enter 揭晓。";
    your_curve: "your curve", "您的曲线";
    your_mark: "your mark", "您的标记";
    guess_x: "number of tokens n, logarithmic", "词元数 n（对数）";
    guess_y: "local Lipschitz constant L, your guess", "局部利普希茨常数 L，您的猜测";
}
pub fn guess_columns() -> [&'static str; 4] {
    ["n", t("your curve", "您的曲线"), t("measured", "测得"), t("yours / measured", "您的 / 测得")]
}

/// Guesses up to so much off are as good as right.
const GOOD: f64 = 1.1;

pub fn lesson_number(number: usize, title: &str) -> String {
    format!("{number}. {title}")
}

pub fn lesson_progress(step: usize, steps: usize) -> String {
    say!("{} of {steps}", "{} / {steps}", step + 1)
}

pub fn lesson_said(step: usize, steps: usize, title: &str) -> String {
    say!("Step {} of {steps}: {title}", "第 {} 步，共 {steps} 步：{title}", step + 1)
}

/// A slope with three decimals.
pub fn lesson_slope(exponent: f64) -> String {
    format!("{exponent:.3}").replace('-', "\u{2212}")
}

pub fn times(number: &str) -> String {
    format!("{number} ×")
}

/// A handle of the curve, as a slider says its value.
pub fn handle(n: f64, value: f64) -> String {
    format!("n = {}: L = {}", count(n), Number::rough(value))
}

pub fn mark(value: f64) -> String {
    format!("L = {}", Number::rough(value))
}

fn off(ratio: f64) -> String {
    let (times, side) = if ratio > 1.0 { (ratio, t("high", "高")) } else { (ratio.recip(), t("low", "低")) };
    say!("{} × too {side}", "偏{side}至 {} 倍", Number::rough(times))
}

/// How far a curve is from the measured one: (n, yours, measured) where they are furthest apart.
pub fn curve_off(n: f64, yours: f64, measured: f64) -> String {
    let ratio = yours / measured;
    if ratio.max(ratio.recip()) < GOOD {
        return say!(
            "Your curve is nowhere more than {} × off.",
            "您的曲线处处偏差不超过 {} 倍。",
            Number::of(ratio.max(ratio.recip()))
        );
    }
    say!(
        "Your curve is furthest off at n = {}: you drew {}, measured {}. That is {}.",
        "您的曲线在 n = {} 处偏差最大：您画 {}，测得 {}。{}。",
        count(n),
        Number::rough(yours),
        Number::of(measured).kind(Kind::Exact),
        off(ratio)
    )
}

/// How far a mark is from the measured norm.
pub fn mark_off(yours: f64, measured: f64, kind: Kind) -> String {
    let ratio = yours / measured;
    let found = Number::of(measured).kind(kind);
    if ratio.max(ratio.recip()) < GOOD {
        return say!("Measured {found}. You said {}: right.", "测得 {found}。您说 {}：正确。", Number::rough(yours));
    }
    say!("You said {}, measured {found}. That is {}.", "您说 {}，测得 {found}。{}。", Number::rough(yours), off(ratio))
}
