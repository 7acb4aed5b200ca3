//! The steps of lessons: goals, hints, predictions, leaving.

use lipscope_plot::Number;

use super::lessons::lesson_slope;

words! {
    goals: "Goals", "目标";
    goal_reached: "reached", "已达到";
    goal_ruled_out: "impossible", "不可能";
    cannot_be: "cannot be", "不可能达到";
    cannot_be_hint: "Say that this goal cannot be reached", "指出这个目标无法达到";
    it_can_be: "This one can be reached.", "这个目标可以达到。";
    hint: "Hint: ", "提示：";
    show_answer: "Show the answer", "显示答案";
    lesson_skip: "Skip", "跳过";
    lesson_show_all: "Show all", "全部显示";
    lesson_show_all_hint: "Shows hints, answers and all texts of this step", "显示此步的提示、答案和全部文字";
    lesson_up_next: "Next lesson: ", "下一课：";
    leave_question: "Leave the lesson. Which configuration do you want?", "离开课程。您要哪一套配置？";
    leave_keep: "Keep the lesson's", "保留课程的";
    leave_mine: "Give me mine back", "恢复我的";
    leave_stay: "Stay", "留在课程";
    share_copy: "Copy the link", "复制链接";
    share_label: "Link to what is shown", "指向当前内容的链接";
    teacher_controls: "Controls of the teacher view", "教师视图的控件";
}

pub fn lesson_minutes(minutes: &str) -> String {
    say!("{minutes} min", "{minutes} 分钟")
}

/// What a slider in a text is called.
pub fn lesson_handle(key: &str) -> &str {
    match key {
        "R" => super::t("R, the radius", "R，半径"),
        "n" => super::t("n, the number of tokens", "n，词元数"),
        "d" => super::t("d, the dimension", "d，维数"),
        "at" => super::t("n, where the curves are read", "n，读数处"),
        "inverse-c" => "c",
        "restarts" => super::t("restarts", "重启次数"),
        _ => key,
    }
}

/// What the reader chose beside what the page says.
pub fn choice_answer(chosen: &str, right: &str) -> String {
    if chosen == right {
        return say!("You said: {chosen} The page says the same.", "您说：{chosen}页面也这么说。");
    }
    say!("You said: {chosen} The page says: {right}", "您说：{chosen}页面说：{right}")
}

/// The slope of what the reader drew, beside that of the tokens.
pub fn slopes_beside(yours: f64, measured: f64) -> String {
    say!(
        "You drew slope {}; the tokens say {}.",
        "您画的斜率为 {}；词元给出 {}。",
        lesson_slope(yours),
        lesson_slope(measured)
    )
}

/// Why a goal cannot be reached: the least upper bound.
pub fn ruled_out(bound: Option<f64>) -> String {
    match bound {
        Some(bound) => say!("Right: it is proved that L ≤ {}.", "对：已证明 L ≤ {}。", Number::of(bound)),
        None => super::t("Right: a bound says so.", "对：有界为证。").to_owned(),
    }
}

/// What a screen reader hears of goals.
pub fn goals_said(reached: usize, all: usize) -> String {
    say!("{reached} of {all} goals reached.", "{all} 个目标中已达到 {reached} 个。")
}
