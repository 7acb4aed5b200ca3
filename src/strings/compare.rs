//! The lab that compares kinds of attention.

use crate::words::labs as words;

use crate::state::{CompareSettings, ComparedAlong, ComparedKind, ComparedTokens};
use lipscope_core::compare::{ComparisonPoint, Effect};
use lipscope_plot::{Kind, Number};

pub fn compared_kind(kind: ComparedKind, settings: &CompareSettings) -> String {
    use words::compared_kind as of;
    match kind {
        ComparedKind::Plain => of::plain().into(),
        ComparedKind::Causal => of::causal().into(),
        ComparedKind::Cap => of::cap(Number::short(settings.cap)),
        ComparedKind::Window => of::window(settings.window),
        ComparedKind::Sink => of::sink(Number::short(settings.sink)),
        ComparedKind::Alibi => of::alibi().into(),
        ComparedKind::QkNorm => of::qk_norm().into(),
        ComparedKind::Rope => of::rope().into(),
        ComparedKind::L2 => of::l2().into(),
        ComparedKind::Cosine => of::cosine().into(),
        ComparedKind::Linear => of::linear().into(),
        ComparedKind::Sigmoid => of::sigmoid().into(),
        ComparedKind::Relu => of::relu().into(),
        ComparedKind::Own => of::own().into(),
    }
}

/// The name of a kind beside its points: without the number of a step that is the axis, and with a word where the axis
/// changes nothing.
pub fn compared_name(kind: ComparedKind, settings: &CompareSettings, effect: Effect) -> String {
    use words::compared_kind as of;
    let name = match (kind, settings.along) {
        (ComparedKind::Cap, ComparedAlong::Cap) => of::cap("τ"),
        (ComparedKind::Window, ComparedAlong::Window) => of::window("W"),
        (ComparedKind::Sink, ComparedAlong::Sink) => of::sink("c₀"),
        _ => compared_kind(kind, settings),
    };
    match effect {
        Effect::Changes => name,
        Effect::None => words::compared_unchanged(name),
    }
}

pub fn compared_along(along: ComparedAlong) -> String {
    use words::compared_along as of;
    match along {
        ComparedAlong::Tokens => of::tokens(),
        ComparedAlong::Radius => of::radius(),
        ComparedAlong::Cap => of::cap(),
        ComparedAlong::Sink => of::sink(),
        ComparedAlong::Window => of::window(),
    }
    .into()
}

/// The name of the horizontal axis.
pub fn compared_x(along: ComparedAlong) -> &'static str {
    use words::compared_x as of;
    match along {
        ComparedAlong::Tokens => of::tokens(),
        ComparedAlong::Radius => of::radius(),
        ComparedAlong::Cap => of::cap(),
        ComparedAlong::Sink => of::sink(),
        ComparedAlong::Window => of::window(),
    }
}

/// The symbol of the horizontal axis.
pub fn compared_symbol(along: ComparedAlong) -> &'static str {
    match along {
        ComparedAlong::Tokens => "n",
        ComparedAlong::Radius => "R",
        ComparedAlong::Cap => "τ",
        ComparedAlong::Sink => "c₀",
        ComparedAlong::Window => "W",
    }
}

pub fn compared_tokens(tokens: ComparedTokens) -> String {
    match tokens {
        ComparedTokens::Adversarial => words::compared_tokens::adversarial(),
        ComparedTokens::Page => words::compared_tokens::page(),
    }
    .into()
}

/// A norm with its sign.
pub fn compare_value(norm: f64, kind: Kind) -> String {
    let sign = if kind == Kind::LowerBound { "≥" } else { "=" };
    format!("{sign} {}", Number::digits(norm, kind))
}

/// An upper bound with its sign, from its decimal logarithm.
pub fn compare_bound_value(log10: f64) -> String {
    Number::claimed(log10, Kind::UpperBound).to_string()
}

/// A value of the horizontal axis.
pub fn compare_place(at: f64) -> String {
    Number::short(at).to_string()
}

pub fn compare_finding(kind: &str, point: &ComparisonPoint, along: ComparedAlong) -> String {
    let x = format!("{} = {}", compared_symbol(along), compare_place(point.at));
    words::compare_finding::sentence(kind, Number::of(point.norm), x)
}

/// The columns of the table of a comparison.
pub fn compare_columns(along: ComparedAlong) -> Vec<String> {
    let bound = format!("log10 {}", words::compare_bound());
    vec![
        words::compare_kind().into(),
        compared_symbol(along).into(),
        words::compare_norm().into(),
        words::compare_found().into(),
        bound,
    ]
}
