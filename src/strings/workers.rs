//! What the page says about its workers, and aloud.

use crate::workers::EngineLane;
use lipscope_core::bounds::Norm;
use lipscope_core::measure::Measurement;
use lipscope_plot::Number;

use super::norms::{needs_dense, norm_symbol, norm_title};
use super::numbers::NONE_YET;
use super::t;

words! {
    cannot_start: "The part that computes did not start. Check the connection, allow workers for this page, then try again.", "计算部分没有启动。请检查连接，允许此页使用工作线程（worker），然后重试。";
    later_waiting: "Loading this part of the page.", "正在加载页面的这一部分。";
    later_lost: "This part of the page did not load. Check the connection, then try again.", "页面的这一部分没有加载。请检查连接，然后重试。";
    try_again: "Try again", "重试";
}

pub fn restarted(lane: EngineLane) -> &'static str {
    match lane {
        EngineLane::Measure => t(
            "The worker that measures stopped and was started again; the measurement was sent again.",
            "测量线程停止后已重新启动；测量已重新发送。",
        ),
        EngineLane::Sweep => t(
            "The worker that sweeps stopped and was started again; the sweep was sent again.",
            "扫描线程停止后已重新启动；扫描已重新发送。",
        ),
        EngineLane::Read => t(
            "The worker that reads your data stopped and was started again; they were sent again.",
            "读取数据的线程停止后已重新启动；数据已重新发送。",
        ),
        EngineLane::Growth => t(
            "The worker that draws the curves over n stopped and was started again; they were sent again.",
            "绘制 n 曲线的线程停止后已重新启动；曲线已重新请求。",
        ),
        EngineLane::Ball => t(
            "The worker that computes the bounds stopped and was started again; its work was sent again.",
            "计算界的线程停止后已重新启动；工作已重新发送。",
        ),
        EngineLane::Lab => t(
            "The worker of this view stopped and was started again; its work was sent again.",
            "此视图的线程停止后已重新启动；工作已重新发送。",
        ),
    }
}

pub fn gave_up(lane: EngineLane) -> &'static str {
    match lane {
        EngineLane::Measure => t(
            "This configuration stopped the worker twice, so it is not tried again. It may need too much memory: use fewer tokens or heads.",
            "此配置两次使线程停止，不再尝试。可能需要太多内存：请减少词元或头数。",
        ),
        EngineLane::Read => t(
            "These data stopped the worker twice, so they are not tried again. Use fewer tokens.",
            "这些数据两次使线程停止，不再尝试。请减少词元。",
        ),
        EngineLane::Growth => t(
            "The curves over n stopped the worker twice, so they are not tried again. Use fewer heads or smaller weights.",
            "n 曲线两次使线程停止，不再尝试。请减少头数或缩小权重。",
        ),
        EngineLane::Ball => t(
            "The bounds stopped the worker twice, so they are not tried again. Use fewer heads or smaller weights.",
            "界两次使线程停止，不再尝试。请减少头数或缩小权重。",
        ),
        EngineLane::Lab => t(
            "This view stopped the worker twice, so it is not tried again. Use fewer tokens.",
            "此视图两次使线程停止，不再尝试。请减少词元。",
        ),
        EngineLane::Sweep => t(
            "This sweep stopped the worker twice, so it is not tried again. It may need too much memory: sweep to a smaller n.",
            "此扫描两次使线程停止，不再尝试。可能需要太多内存：请扫描到较小的 n。",
        ),
    }
}

pub fn announcement(measurement: &Measurement, norm: Norm) -> String {
    let word_needs_dense = needs_dense();
    match measurement.norm(norm) {
        Some(value) => say!("{} {} at n = {}.", "{} {}，n = {}。", norm_title(norm), Number::of(value), measurement.n),
        None => say!("{}: {word_needs_dense}.", "{}：{word_needs_dense}。", norm_title(norm)),
    }
}

pub fn sheet_value(measurement: &Measurement, norm: Norm) -> String {
    let value = measurement.norm(norm).map_or_else(|| NONE_YET.into(), |value| Number::of(value).to_string());
    format!("{} = {value}", norm_symbol(norm))
}
