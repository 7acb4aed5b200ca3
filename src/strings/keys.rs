//! The list of keys.

use crate::keys::{GuessKey, PageKey, PlotKey};

use super::t;

words! {
    keys_label: "Keyboard shortcuts", "键盘快捷键";
    keys_page: "Everywhere but while typing", "任意处（输入时除外）";
    keys_plots: "On a plot", "在图上";
    keys_guess: "On a curve or a mark that you draw", "在您画的曲线或标记上";
    keys_tokens: "On the tokens", "在词元上";
    keys_ladder: "On the bound ladder", "在界的阶梯上";
    keys_controls: "On controls", "在控件上";
}

pub fn ladder_keys() -> [(&'static str, &'static str); 2] {
    [("↑ ↓", t("the next bound", "下一个界")), ("Home End", t("the first, the last bound", "第一个、最后一个界"))]
}
pub fn token_keys() -> [(&'static str, &'static str); 5] {
    [
        ("n p", t("the next token, the one before; also [ ] and Page keys", "下一个、上一个词元；也可用 [ ] 和翻页键")),
        ("← ↑ → ↓", t("move it; with Shift further", "移动它；按住 Shift 更远")),
        ("a Delete", t("add one, remove it", "添加一个，删除它")),
        ("s S", t("snap all into the ball, onto the sphere", "全部移入球内、移到球面")),
        ("Esc", t("choose none", "取消选择")),
    ]
}
pub fn control_keys() -> [(&'static str, &'static str); 4] {
    [
        ("← →", t("on a slider: one step", "滑块上：一步")),
        ("Page ↑ Page ↓", t("on a slider: ten steps", "滑块上：十步")),
        ("↑ ↓", t("in a number: one step", "数字框中：一步")),
        (t("Double-click", "双击"), t("on a slider: back to the first value", "滑块上：回到初始值")),
    ]
}

pub fn page_key(key: PageKey) -> (&'static str, &'static str) {
    match key {
        PageKey::Help => ("?", t("this list", "此列表")),
        PageKey::Lessons => ("l", t("the lessons", "课程")),
        PageKey::NextStep => (
            "Alt →",
            t(
                "in a lesson: the next step; in the teacher view also → and Page ↓",
                "课程中：下一步；教师视图中也可用 → 和 Page ↓",
            ),
        ),
        PageKey::StepBack => (
            "Alt ←",
            t(
                "in a lesson: the step before; in the teacher view also ← and Page ↑",
                "课程中：上一步；教师视图中也可用 ← 和 Page ↑",
            ),
        ),
        PageKey::Teacher => ("t", t("teacher view: larger, for a projector", "教师视图：放大，供投影使用")),
    }
}

pub fn plot_key(key: PlotKey) -> (&'static str, &'static str) {
    match key {
        PlotKey::Left => ("←", t("reads the n, R or iteration to the left", "读左边的 n、R 或迭代")),
        PlotKey::Right => ("→", t("reads the one to the right", "读右边的")),
        PlotKey::First => ("Home", t("reads the first", "读第一个")),
        PlotKey::Last => ("End", t("reads the last", "读最后一个")),
        PlotKey::PageDown => ("Page ↓", t("over n: a decade lower", "n 轴上：低一个十倍程")),
        PlotKey::PageUp => ("Page ↑", t("over n: a decade higher", "n 轴上：高一个十倍程")),
        PlotKey::Keep => ("Enter", t("keeps the n that is read", "保留所读的 n")),
        PlotKey::Leave => ("Esc", t("reads nothing", "取消读数")),
    }
}

pub fn guess_key(key: GuessKey) -> (&'static str, &'static str) {
    match key {
        GuessKey::Left => ("←", t("the handle to the left; the mark lower", "左边的控制点；标记更低")),
        GuessKey::Right => ("→", t("the handle to the right; the mark higher", "右边的控制点；标记更高")),
        GuessKey::Up => ("↑", t("higher", "更高")),
        GuessKey::Down => ("↓", t("lower", "更低")),
        GuessKey::PageUp => ("Page ↑", t("twice as high", "升为两倍")),
        GuessKey::PageDown => ("Page ↓", t("half as high", "降为一半")),
        GuessKey::First => ("Home", t("the first handle", "第一个控制点")),
        GuessKey::Last => ("End", t("the last handle", "最后一个控制点")),
        GuessKey::Reveal => ("Enter", t("reveals", "揭晓")),
    }
}
