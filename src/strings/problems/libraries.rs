//! What serde_json says of a text that is no JSON: the common ones; others are quoted by their templates.

use super::Entry;

pub const ALL: &[Entry] = &[
    ("{problem!} at line {line!} column {column!}", "第 {line} 行第 {column} 列：{problem}"),
    ("EOF while parsing a list", "列表没有结束"),
    ("EOF while parsing an object", "对象没有结束"),
    ("EOF while parsing a string", "字符串没有结束"),
    ("EOF while parsing a value", "文本在此结束，缺少一个值"),
    ("expected `:`", "应为 `:`"),
    ("expected `,` or `]`", "应为 `,` 或 `]`"),
    ("expected `,` or `}`", "应为 `,` 或 `}`"),
    ("expected ident", "应为 `true`、`false` 或 `null`"),
    ("expected value", "应为一个值"),
    ("expected `\"`", "应为 `\"`"),
    ("invalid escape", "转义无效"),
    ("invalid number", "数的写法无效"),
    ("number out of range", "数超出范围"),
    ("invalid unicode code point", "Unicode 码位无效"),
    ("control character (\\u0000-\\u001F) found while parsing a string", "字符串中有控制字符"),
    ("key must be a string", "键必须是字符串"),
    ("lone leading surrogate in hex escape", "十六进制转义中有单独的前导代理"),
    ("trailing comma", "多余的逗号"),
    ("trailing characters", "多余的字符"),
    ("unexpected end of hex escape", "十六进制转义不完整"),
    ("recursion limit exceeded", "嵌套过深"),
];
