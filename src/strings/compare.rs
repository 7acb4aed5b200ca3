//! The lab that compares kinds of attention.

use crate::words::labs as words;

use crate::state::{CompareSettings, ComparedAlong, ComparedKind, ComparedTokens, PageState, TokenChoice};
use lipscope_core::compare::{ComparisonPoint, Effect};
use lipscope_core::experiment::Normalization;
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

/// The name of a kind beside its points: with the step that the axis sets in every kind, or with a word where the axis
/// changes nothing.
pub fn compared_name(kind: ComparedKind, settings: &CompareSettings, effect: Effect) -> String {
    use words::compared_kind as of;
    let step = match settings.along {
        ComparedAlong::Tokens | ComparedAlong::Radius => return compared_kind(kind, settings),
        ComparedAlong::Cap => (ComparedKind::Cap, of::cap("τ")),
        ComparedAlong::Window => (ComparedKind::Window, of::window("W")),
        ComparedAlong::Sink => (ComparedKind::Sink, of::sink("c₀")),
    };
    match (effect, step) {
        (Effect::None, _) => words::compared_unchanged(compared_kind(kind, settings)),
        (Effect::Changes, (of_axis, step)) if of_axis == kind => step,
        (Effect::Changes, (_, step)) => words::compared_with { kind: compared_kind(kind, settings), step }.text(),
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

/// Whether a norm exceeds another one by more than rounding.
pub fn exceeds(norm: f64, other: f64) -> bool {
    norm > other * (1.0 + 1e-9)
}

/// A norm with its sign.
pub fn compare_value(norm: f64, kind: Kind) -> String {
    let sign = if kind == Kind::LowerBound { "≥" } else { "=" };
    format!("{sign} {}", Number::digits(norm, kind))
}

/// The largest constant that a search has found, beside the norm from which it began; a reason where nothing was
/// searched.
pub fn compare_found_value(point: &ComparisonPoint, state: &PageState, settings: &CompareSettings) -> String {
    let is_of_page = settings.tokens == ComparedTokens::Page;
    match point.found {
        // The same tokens, measured again.
        Some(found) if !exceeds(found, point.norm) => words::compare_none_larger().into(),
        Some(found) => compare_value(found, Kind::LowerBound),
        None if is_of_page && state.tokens == TokenChoice::Clusters => words::compare_unlisted().into(),
        None if is_of_page && state.normalization != Normalization::None => words::compare_normalized().into(),
        None => words::compare_many().into(),
    }
}

/// An upper bound with its sign, from its decimal logarithm.
pub fn compare_bound_value(log10: f64) -> String {
    Number::claimed(log10, Kind::UpperBound).to_string()
}

/// The size of an output beside that of the tokens.
pub fn compare_output_value(size: f64) -> String {
    Number::of(size).to_string()
}

/// A value of the horizontal axis.
pub fn compare_place(at: f64) -> String {
    Number::short(at).to_string()
}

/// Under a sink, a smaller output than this times the tokens is called out: the map is smooth for want of an output.
const LITTLE_OUTPUT: f64 = 0.1;

/// The smoothest kinds at a place, and the size of the output there where there is one such kind.
pub fn compare_finding(kinds: &[String], point: &ComparisonPoint, settings: &CompareSettings) -> String {
    let along = settings.along;
    let is_sink = along == ComparedAlong::Sink || settings.kinds.get(point.kind) == Some(&ComparedKind::Sink);
    let x = format!("{} = {}", compared_symbol(along), compare_place(point.at));
    let norm = Number::digits(point.norm, Kind::Plain);
    let first = match kinds {
        [kind] => words::compare_finding::sentence { kind, norm, x }.text(),
        _ => return words::compare_finding::alike { kinds: kinds.join(super::between_losses()), norm, x }.text(),
    };
    let second = match point.output {
        Some(size) if is_sink && size < LITTLE_OUTPUT => words::compare_finding::little(Number::of(size)),
        Some(size) => words::compare_finding::output(Number::of(size)),
        None => return first,
    };
    [first, second].join(super::between_sentences())
}

/// The columns of the table of a comparison.
pub fn compare_columns(along: ComparedAlong) -> Vec<String> {
    use words::compare_columns as of;
    let symbol = compared_symbol(along);
    let columns = [
        words::compare_kind(),
        symbol,
        of::sign(),
        of::norm(),
        of::output(),
        of::found(),
        of::bound(),
        of::bound_log10(),
    ];
    columns.map(String::from).to_vec()
}
