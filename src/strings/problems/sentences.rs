//! The templates of sentences: one a variant of `InputError`, and of some of them more, the closer one first.

use super::Entry;

pub const ALL: &[Entry] = &[
    (
        "This is not valid JSON: {detail!}. Check the text there, or export an experiment to see the form.",
        "这不是有效的 JSON（{detail}）。请检查该处的文本，或导出一个实验来看格式。",
    ),
    (
        "This is not valid JSON: {detail}. Check the text there, or export an experiment to see the form.",
        "这不是有效的 JSON（解析器原文：“{detail}”）。请检查该处的文本，或导出一个实验来看格式。",
    ),
    ("Unknown key `{key=}`. Remove it, or use one of: {expected=}.", "没有键 `{key}`。请删除，或改用：`{expected}`。"),
    ("`{key=}` is missing. Add it: {expected!}.", "缺少 `{key}`。请补上：{expected}。"),
    (
        "Row {row!} of {what} has {found!} numbers, but row 1 has {expected!}. Give every row the same number of columns.",
        "{what}第 {row} 行有 {found} 个数，而第 1 行有 {expected} 个。请使每行的列数相同。",
    ),
    (
        "Row {row!}, column {column!} of {what} is empty, which is not a finite number. Replace it.",
        "{what}第 {row} 行第 {column} 列为空，不是有限的数。请填写。",
    ),
    (
        "Row {row!}, column {column!} of {what} is {found}, which is not a finite number. Replace it.",
        "{what}第 {row} 行第 {column} 列为{found}，不是有限的数。请替换。",
    ),
    ("{what} is empty. Give at least {least!}.", "{what}为空。请至少给出{least}。"),
    (
        "There is only one token. Give at least two: with one, attention is the linear map V, whatever the scores.",
        "只有一个词元。请至少给出两个：只有一个时，无论得分如何，注意力都是线性映射 V。",
    ),
    (
        "`{key=}` = \"{value=}\" cannot be measured by this version yet. Use one of: {instead!}.",
        "此版本还不能测量 `{key}` = \"{value}\"。请改用：{instead}。",
    ),
    ("{what} is {found}, over the limit of {limit!}. {fix!}", "{what}为{found}，超过上限{limit}。{fix}"),
    (
        "{what!} would take {bytes!} of memory, over the limit of {limit!}: lower {lower!}.",
        "{what}需要 {bytes} 内存，超过上限 {limit}：请减小{lower}。",
    ),
    (
        "{what} is {found}, but it must be {expected!} so that {reason!}.",
        "{what}为{found}，但必须为{expected}，{reason}。",
    ),
    ("`the {key!}` is {found}, but it must be {expected!}.", "{key}为{found}，但必须为{expected}。"),
    (
        "`config.json: (the whole file)` is {found}, but it must be {expected!}.",
        "config.json 整个文件为{found}，但必须为{expected}。",
    ),
    ("`token id` is {found}, but it must be {expected!}.", "词元编号为{found}，但必须为{expected}。"),
    ("`{key=}` is {found}, but it must be {expected!}.", "`{key}` 为{found}，但必须为{expected}。"),
    (
        "The adversarial tokens need a real eigenvalue of A = K^T Q / sqrt(k), and the first head's A has none. Choose \
         another seed for the weights, or identity weights.",
        "对抗词元需要 A = K^T Q / √k 的实特征值，而第一个头的 A 没有。请为权重另选种子，或用恒等权重。",
    ),
    (
        "{what} overflow 64-bit numbers. Make the tokens (radius) or the weights (scale) smaller.",
        "{what}超出 64 位浮点数的范围。请减小词元（半径）或权重（尺度）。",
    ),
    (
        "The link cannot be read: {problem!}. Copy the whole link again; the page does not show its experiment.",
        "链接无法读取：{problem}。请重新复制整个链接；屏幕上的不是链接所说的内容。",
    ),
    ("Tensor `{tensor=}` {problem!}. Expected: {expected!}.", "张量 `{tensor}` {problem}。应为：{expected}。"),
    ("The token list cannot be read: {problem!}. {fix!}", "词元列表无法读取：{problem}。{fix}"),
    ("The token list cannot be read: {problem}. {fix!}", "词元列表无法读取（原文：“{problem}”）。{fix}"),
    ("The file cannot be read: {problem!}. {fix!}", "文件无法读取：{problem}。{fix}"),
    ("The download cannot be read: {problem!}. {fix!}", "下载的文件无法读取：{problem}。{fix}"),
    ("The tokenizer cannot be read: {problem!}. {fix!}", "分词器无法读取：{problem}。{fix}"),
    (
        "vocab.json with merges.txt cannot be read: {problem!}. {fix!}",
        "vocab.json 与 merges.txt 无法读取：{problem}。{fix}",
    ),
    ("{file=} cannot be read: {problem!}. {fix!}", "{file}无法读取：{problem}。{fix}"),
    ("{file=} cannot be read: {problem}. {fix!}", "{file}无法读取（原文：“{problem}”）。{fix}"),
    ("{what} {problem!}. {fix!}", "{what}{problem}。{fix}"),
];
