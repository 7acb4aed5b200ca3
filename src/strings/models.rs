//! Attention inside transformers.

use crate::models::{ModelPhase, Progress, RemotePhase, SourceKind};
use lipscope_core::experiment::Mask;
use lipscope_models::{Estimators, Family, LeftOut, MapKind, ModelConfig};

use super::t;
use super::wrong::shortened;

words! {
    plot_model: "Models", "模型";
    plot_model_hint: "Attention inside BERT and GPT-2, trained or drawn, over windows of text", "BERT 与 GPT-2（已训练或随机初始化）内部的注意力，按文本窗口测量";
    model_heading: "The constant of attention inside a transformer, over windows of text", "Transformer 内部注意力的常数，按文本窗口";
}

words! {
    model_form_name: "The form", "表单";
    model_name: "Model", "模型";
    model_width: "Width d", "宽度 d";
    model_depth: "Layers", "层数";
    model_n_heads: "Heads", "头数";
    model_choose_folder: "Choose its folder", "选择文件夹";
    model_choose_files: "Choose its files", "选择文件";
    model_drop_hint: "config.json, model.safetensors and its tokenizer, or drop the folder here. Nothing leaves this computer.", "config.json、model.safetensors 与分词器，或把文件夹拖到此处。数据不会离开本机。";
    model_address: "Address of its folder", "文件夹地址";
    model_address_hint: "Where config.json and model.safetensors lie. Nothing is fetched before you say so.", "config.json 与 model.safetensors 所在处。未经确认不会下载。";
    model_look: "Look what is there", "查看文件";
    model_cancel: "Cancel", "取消";
    model_text: "Text", "文本";
    model_counting: "…", "……";
    model_choose_text: "Choose a text file", "选择文本文件";
    model_own_text: "Type a text instead", "改为输入文本";
    model_dropped_text: "dropped text", "拖入的文本";
}

words! {
    model_layers: "Measured layers", "测量的层";
    model_layers_hint: "Counted from 0: a list 0,6", "从 0 数起：列表 0,6";
    model_lengths: "Lengths n", "长度 n";
    model_lengths_hint: "A list 2,4,8, a range 2:98:2, or 2:98:x8 for 8 lengths evenly spaced in log n", "列表 2,4,8，范围 2:98:2，或 2:98:x8（按 log n 均匀取 8 个）";
    model_windows: "Windows a length", "每个长度的窗口数";
    model_windows_hint: "The text is cut from its beginning into windows of n tokens", "文本从头切成每段 n 个词元的窗口";
    model_published: "The paper's figure", "论文的图";
    model_published_hint: "Lengths 2 to 98 in steps of 2, ten windows each, as in section 5 of Castin, Ablin, Peyré", "长度 2 至 98，步长 2，各十个窗口，如 Castin, Ablin, Peyré 第 5 节";
    model_more: "Heads, mask, map", "头、掩码、映射";
    model_heads: "Measured heads", "测量的头";
    model_heads_hint: "all together, each by itself, or a list 0,7 of heads by themselves", "all 一起，each 逐个，或列表 0,7 逐个";
    model_mask: "Mask", "掩码";
    model_map: "Map", "映射";
    model_estimator: "Estimators", "估计量";
}

words! {
    model_run: "Run", "运行";
    model_pause: "Pause", "暂停";
    model_resume: "Resume", "继续";
    model_command: "As a command line", "作为命令行";
    model_command_hint: "Copies the line of lipscope model that measures the same; a text of your own is a file text.txt there", "复制测量相同内容的 lipscope model 命令行；自己的文本在那里为文件 text.txt";
    model_open_table: "Open results", "打开结果";
    model_opening_window: "Opening the window …", "正在打开窗口……";
    model_not_chosen: "There is no model yet. Choose one, or its files, first.", "还没有模型。请先选择模型或其文件。";
    model_no_table: "Nothing is measured yet. Press Run first.", "尚未测量。请先运行。";
    model_no_files: "Among these files is no model.safetensors with its config.json. Choose the model's folder, or these files together with its tokenizer.", "这些文件中没有 model.safetensors 与 config.json。请选择模型的文件夹，或同时选择这些文件与分词器。";
    model_empty_table: "The file holds no row of results.", "该文件没有结果行。";
    model_file_name: "The file", "该文件";
    model_worker_replaced: "A worker stopped, perhaps for want of memory; another goes on.", "一个工作线程停止了，可能内存不足；另一个接着运行。";
    model_worker_lost: "The workers stopped, perhaps for want of memory. What was measured stays; measure fewer layers, a smaller model, or use the command line.", "工作线程停止了，可能内存不足。已测的保留；请减少层数、换较小的模型，或使用命令行。";
    model_cannot_start: "The workers of models cannot be started. Check the connection and reload the page.", "模型的工作线程无法启动。请检查连接并重新加载页面。";
}

pub fn model_source(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Gpt2 => t("random GPT-2", "随机 GPT-2"),
        SourceKind::Bert => t("random BERT", "随机 BERT"),
        SourceKind::Files => t("files or a folder", "文件或文件夹"),
        SourceKind::Address => t("a URL", "网址"),
    }
}

pub fn model_mask_choice(mask: Option<Mask>) -> &'static str {
    match mask {
        None => t("the model's own", "模型自身的"),
        Some(Mask::None) => t("none: all tokens", "无：所有词元"),
        Some(Mask::Causal) => t("causal: earlier ones", "因果：只看前面的"),
    }
}

pub fn model_map_choice(kind: Option<MapKind>) -> &'static str {
    match kind {
        None => t("the model's own", "模型自身的"),
        Some(MapKind::Attention) => t("before the output matrix", "输出矩阵之前"),
        Some(MapKind::WithOutput) => t("through the output matrix", "经过输出矩阵"),
    }
}

pub fn model_estimator_choice(estimators: Estimators) -> &'static str {
    match estimators {
        Estimators::Both => t("both", "两者"),
        Estimators::Spectral => t("spectral norm", "谱范数"),
        Estimators::Released => t("released script", "已发布脚本"),
    }
}

pub fn model_facts(config: &ModelConfig, label: &str) -> String {
    let ModelConfig { d, layers, heads, positions, .. } = config;
    let family = match config.family {
        Family::Bert => "BERT",
        Family::DistilBert => "DistilBERT",
        Family::Gpt2 => "GPT-2",
    };
    let mask = model_mask_choice(Some(config.usual_mask()));
    let map = model_map_choice(Some(config.usual_map()));
    say!(
        "{family}: {layers} layers, {heads} heads, d = {d}, at most {positions} tokens; mask {mask}; {map}. ({label})",
        "{family}：{layers} 层，{heads} 头，d = {d}，至多 {positions} 个词元；掩码{mask}；{map}。（{label}）"
    )
}

pub fn model_given(name: &str, names: &[String], size: f64) -> String {
    format!("{}: {} ({})", shortened(name), names.join(", "), model_bytes(size))
}

/// Bytes as people say them.
pub fn model_bytes(bytes: f64) -> String {
    if bytes < 1e6 { format!("{:.0} KB", (bytes / 1e3).ceil()) } else { format!("{:.0} MB", bytes / 1e6) }
}

pub fn model_tokens(count: usize) -> String {
    say!("{count} tokens", "{count} 个词元")
}

pub fn model_text_file(name: &str, bytes: usize) -> String {
    format!("{} ({})", shortened(name), model_bytes(bytes as f64))
}

pub fn model_fetch(size: Option<u64>) -> String {
    match size {
        Some(size) => {
            let size = model_bytes(size as f64);
            say!("Fetch {size}", "下载 {size}")
        }
        None => t("Fetch (the server does not say how much)", "下载（服务器未说明大小）").into(),
    }
}

pub fn model_remote(phase: &RemotePhase) -> String {
    match phase {
        RemotePhase::Typed => String::new(),
        RemotePhase::Looking => t("asking the server …", "正在询问服务器……").into(),
        RemotePhase::Found(files) => {
            let size = |size: Option<u64>| size.map_or_else(|| "?".into(), |size| model_bytes(size as f64));
            let files: Vec<String> = files.iter().map(|file| format!("{} {}", file.name, size(file.size))).collect();
            files.join(", ")
        }
        RemotePhase::Fetching(done, total) => {
            let (done, total) = (*done as f64, total.map(|total| total as f64));
            let here = model_bytes(done);
            match total.filter(|total| *total > 0.0) {
                Some(total) => {
                    let (percent, total) = (100.0 * done / total, model_bytes(total));
                    say!("{here} of {total}, {percent:.0} %", "{here} / {total}，{percent:.0} %")
                }
                None => here,
            }
        }
        RemotePhase::Here => t("here", "已下载").into(),
    }
}

pub fn model_progress(phase: ModelPhase, progress: &Progress) -> String {
    let Progress { rows, total, workers, .. } = *progress;
    match phase {
        ModelPhase::Idle => String::new(),
        ModelPhase::Running if total == 0 => t("opening the model …", "正在打开模型……").into(),
        ModelPhase::Running if progress.first.is_none() => {
            say!(
                "{rows} of {total} rows; weights come first ({workers} workers)",
                "{rows} / {total} 行；先准备权重（{workers} 个工作线程）"
            )
        }
        ModelPhase::Running => match time_left(progress) {
            Some(left) => say!("{rows} of {total} rows, {left} left", "{rows} / {total} 行，剩余 {left}"),
            None => say!("{rows} of {total} rows", "{rows} / {total} 行"),
        },
        ModelPhase::Paused => say!("{rows} of {total} rows; paused", "{rows} / {total} 行；已暂停"),
        ModelPhase::Stopped => {
            say!("{rows} of {total} rows; stopped, they stay", "{rows} / {total} 行；已停止，结果保留")
        }
        ModelPhase::Done => say!("{total} rows", "{total} 行"),
    }
}

/// From the rate since the first rows.
fn time_left(progress: &Progress) -> Option<String> {
    let (began, before) = progress.first?;
    let done = progress.done - before;
    let seconds = (progress.last - began) / 1e3 * (progress.cost - progress.done) / done;
    if !(done > 0.0 && seconds.is_finite()) {
        return None;
    }
    Some(if seconds < 90.0 {
        say!("{:.0} s", "{:.0} 秒", seconds.max(1.0))
    } else {
        say!("{:.0} min", "{:.0} 分钟", seconds / 60.0)
    })
}

pub fn model_not_whole(name: &str, text: &str) -> String {
    say!(
        "{name} is “{}”, but it must be a whole number from 1 on.",
        "{name}为“{}”，但必须是不小于 1 的整数。",
        shortened(text)
    )
}

pub fn model_no_address(text: &str) -> String {
    say!(
        "“{}” is no address of a folder. Give one from https:// on.",
        "“{}”不是文件夹地址。请从 https:// 起填写。",
        shortened(text)
    )
}

pub fn model_not_at_address(name: &str) -> String {
    say!(
        "There is no {name} at this address. Give the address of the folder that holds it.",
        "此地址没有 {name}。请填写包含它的文件夹的地址。"
    )
}

pub fn model_not_text(name: &str) -> String {
    say!("{} is not text (UTF-8). Choose another file.", "{} 不是文本（UTF-8）。请选择其他文件。", shortened(name))
}

pub fn model_table_opened(rows: usize) -> String {
    say!(
        "{rows} rows opened. With the same model, text and plan, Run measures what is missing.",
        "已打开 {rows} 行。模型、文本与计划相同时，运行会测量缺少的部分。"
    )
}

pub fn model_left_out(n: usize) -> String {
    say!(
        "A worker stopped again, over windows of up to {n} tokens, perhaps for want of memory: they are left out.",
        "工作线程在至多 {n} 个词元的窗口上再次停止，可能内存不足：已跳过。"
    )
}

pub fn model_window_opened(left_out: LeftOut) -> &'static str {
    match left_out {
        LeftOut::Nothing => t(
            "The window's tokens and its layer's weights are now your own data; nothing is left out.",
            "该窗口的词元与该层的权重现为您的数据；无遗漏。",
        ),
        LeftOut::Constants => t(
            "The window's tokens and its layer's weights are now your own data, without the biases: those of keys and values do not change the Jacobian.",
            "该窗口的词元与该层的权重现为您的数据，不含偏置：键与值的偏置不改变雅可比矩阵。",
        ),
        LeftOut::QueryBias => t(
            "The window's tokens and its layer's weights are now your own data, without the biases, which an experiment has not: those of keys and values do not change the Jacobian, the queries' does, so that the norm here differs from the table's.",
            "该窗口的词元与该层的权重现为您的数据，不含偏置（实验没有偏置）：键与值的偏置不改变雅可比矩阵，查询的偏置会改变，故此处的范数与表中不同。",
        ),
    }
}
