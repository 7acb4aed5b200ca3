//! Numbers many decades apart as bars of text on one logarithmic axis, whose range is that of the page's ladder.

use lipscope_plot::{Extent, Kind, Number, ladder_range};

use super::look::{Ink, Look, MARGIN, cut};

/// The spaces between names, numbers and bars.
const GAP: usize = 2;
/// The least width of the bars beside their names; below it a name has a line of its own.
const LEAST_BAR: usize = 12;
/// The largest width of the bars.
const MOST_BAR: usize = 40;
/// The first seven eighths of a block.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// A number of a ladder.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rung {
    name: String,
    /// The number with its sign, or the words for a missing one.
    number: String,
    pub(super) log10: f64,
    pub(super) kind: Kind,
    ink: Ink,
}

impl Rung {
    /// The number 10^`log10`, rounded so that its sign is true.
    pub(crate) fn new(name: impl Into<String>, log10: f64, kind: Kind, ink: Ink) -> Self {
        Rung { name: name.into(), number: claim(log10, kind), log10, kind, ink }
    }

    /// A number in the range of f64.
    pub(crate) fn from_value(name: impl Into<String>, value: f64, kind: Kind, ink: Ink) -> Self {
        Rung::new(name, value.log10(), kind, ink)
    }

    /// A number with two digits and no sign, such as an error.
    pub(crate) fn rough(name: impl Into<String>, value: f64, ink: Ink) -> Self {
        let number = if value.is_finite() { Number::rough(value).to_string() } else { claim(value, Kind::Plain) };
        Rung { name: name.into(), number, log10: value.log10(), kind: Kind::Plain, ink }
    }
}

/// The number 10^`log10` with its sign. A missing number is words: NaN is no value, and an infinite bound states nothing.
pub(crate) fn claim(log10: f64, kind: Kind) -> String {
    match log10 {
        _ if log10.is_nan() => "no value".to_owned(),
        _ if log10 == f64::INFINITY => "no finite value".to_owned(),
        _ => Number::claimed(log10, kind).to_string(),
    }
}

/// How the parts of a rung are placed.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// Name, number and bar in one line; names have this width.
    Row(usize),
    /// The name in a line of its own.
    Stack,
}

/// The rungs, the first on top, and under their bars the ends of the axis.
pub(super) fn ladder(rungs: &[Rung], look: Look) -> Vec<String> {
    let widest = |text: fn(&Rung) -> &str| rungs.iter().map(|rung| text(rung).chars().count()).max().unwrap_or(0);
    let (names, numbers) = (widest(|rung| rung.name.as_str()), widest(|rung| rung.number.as_str()));
    let room = look.width.saturating_sub(MARGIN);
    let beside = room.saturating_sub(names + numbers + 2 * GAP);
    let (layout, bars) = if beside >= LEAST_BAR {
        (Layout::Row(names), beside.min(MOST_BAR))
    } else {
        (Layout::Stack, room.saturating_sub(MARGIN + numbers + GAP).min(MOST_BAR))
    };
    let exact = rungs.iter().find(|rung| rung.kind == Kind::Exact && rung.log10.is_finite()).map(|rung| rung.log10);
    let range = ladder_range(rungs.iter().map(|rung| rung.log10), exact);
    let mut lines = Vec::new();
    for Rung { name, number, log10, ink, .. } in rungs {
        let bar = range.map_or_else(String::new, |range| bar(*log10, range, bars));
        let value = format!("{number:<numbers$}{:GAP$}{bar}", "");
        let value = look.paint(*ink, value.trim_end());
        let of_name = if *ink == Ink::Strong { Ink::Strong } else { Ink::Text };
        match layout {
            Layout::Row(names) => {
                let name = look.paint(of_name, &format!("{name:<names$}"));
                lines.push(format!("{:MARGIN$}{name}{:GAP$}{value}", "", ""));
            }
            Layout::Stack => {
                lines.push(format!("{:MARGIN$}{}", "", look.paint(of_name, &cut(name, room))));
                lines.push(format!("{:MARGIN$}{:MARGIN$}{value}", "", ""));
            }
        }
    }
    let before = match layout {
        Layout::Row(names) => MARGIN + names + GAP + numbers + GAP,
        Layout::Stack => 2 * MARGIN + numbers + GAP,
    };
    let axis = range.and_then(|range| axis(range, bars));
    lines.extend(axis.map(|axis| format!("{:before$}{}", "", look.paint(Ink::Muted, &axis))));
    lines
}

/// The bar of a number, with an arrow where the number is beyond the axis. Zero and what is no number have none.
fn bar(log10: f64, range: Extent, width: usize) -> String {
    let share = (log10 - range.lo()) / (range.hi() - range.lo());
    match share {
        _ if width == 0 || !share.is_finite() => String::new(),
        _ if share < 0.0 => "←".to_owned(),
        _ if share > 1.0 => "█".repeat(width - 1) + "→",
        _ => {
            let eighths = ((8 * width) as f64 * share).round().max(1.0) as usize;
            "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
        }
    }
}

/// The ends of an axis with a line between them; `None` where there is no room for it.
fn axis(range: Extent, width: usize) -> Option<String> {
    let [low, high] = [range.lo(), range.hi()].map(power_of_ten);
    let line = width.checked_sub(low.chars().count() + high.chars().count() + 2).filter(|line| *line > 0)?;
    Some(format!("{low} {} {high}", "─".repeat(line)))
}

fn power_of_ten(log10: f64) -> String {
    let is_in_range = log10.abs() < 300.0;
    let number = if is_in_range { Number::short(10f64.powf(log10)) } else { Number::from_log10(log10) };
    number.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::look::Colours;

    fn plain(rungs: &[Rung], width: usize) -> Vec<String> {
        ladder(rungs, Look { width, colours: Colours::Absent })
    }

    fn around() -> [Rung; 4] {
        [
            Rung::from_value("mean-field [C]", 3.9e21, Kind::UpperBound, Ink::MeanField),
            Rung::from_value("best bound (ours)", 8.5012, Kind::UpperBound, Ink::Best),
            Rung::from_value("these tokens", 4.0406, Kind::Exact, Ink::Strong),
            Rung::from_value("a token between two clusters", 3.98765, Kind::LowerBound, Ink::Lower),
        ]
    }

    #[test]
    fn a_bound_twenty_decades_up_leaves_the_axis_to_the_others() {
        let expected = [
            "  mean-field [C]                ≤ 3.900 × 10²¹  ███████████████████████████████→",
            "  best bound (ours)             ≤ 8.502         █████████████████████████████▊",
            "  these tokens                  = 4.041         ███████████████████▍",
            "  a token between two clusters  ≥ 3.987         ███████████████████▎",
            "                                                1 ─────────────────────────── 10",
        ];
        assert_eq!(plain(&around(), 80), expected);
    }

    #[test]
    fn where_bars_have_no_room_beside_names_a_name_has_its_own_line() {
        let expected = [
            "  mean-field [C]",
            "    ≤ 3.900 × 10²¹  ███████████████████→",
            "  best bound (ours)",
            "    ≤ 8.502         ██████████████████▋",
            "  these tokens",
            "    = 4.041         ████████████▏",
            "  a token between two clusters",
            "    ≥ 3.987         ████████████",
            "                    1 ─────────────── 10",
        ];
        assert_eq!(plain(&around(), 40), expected);
        for width in 0..100 {
            let widest = plain(&around(), width).iter().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(widest <= width.max(24), "{widest} characters in {width}");
        }
    }

    #[test]
    fn number_and_bar_have_the_colour_of_their_role() {
        let [_, best, own, _] = around();
        let expected = [
            "  best bound (ours)  \u{1b}[1m\u{1b}[38;5;33m≤ 8.502  ███████████████████████████▉\u{1b}[0m",
            "  \u{1b}[1mthese tokens     \u{1b}[0m  \u{1b}[1m= 4.041  ██████████████████▎\u{1b}[0m",
            "                              \u{1b}[38;5;244m1 ───────────────────────── 10\u{1b}[0m",
        ];
        assert_eq!(ladder(&[best, own], Look { width: 60, colours: Colours::Ansi }), expected);
    }

    #[test]
    fn a_missing_value_is_no_number_and_has_no_bar() {
        let missing = Rung::from_value("nan", f64::NAN, Kind::UpperBound, Ink::Upper);
        let rungs = [
            missing.clone(),
            Rung::from_value("infinite", f64::INFINITY, Kind::UpperBound, Ink::Best),
            Rung::from_value("zero", 0.0, Kind::LowerBound, Ink::Lower),
            Rung::new("these", 0.5, Kind::Exact, Ink::Strong),
        ];
        let expected = [
            "  nan       no value",
            "  infinite  no finite value",
            "  zero      ≥ 0",
            "  these     = 3.162          ███████████████▌",
            "                             1 ────────────────────────── 10",
        ];
        assert_eq!(plain(&rungs, 60), expected);
        assert_eq!(plain(&[missing], 60), ["  nan  no value"]);
        assert_eq!(plain(&[], 60), [""; 0]);
        for wrong in [f64::NAN, f64::INFINITY] {
            let rough = Rung::rough("error", wrong, Ink::Text);
            assert!(!rough.number.contains(|c: char| c.is_ascii_digit() || c == '∞' || c == '–'), "{rough:?}");
        }
    }

    #[test]
    fn what_is_beyond_the_axis_has_an_arrow() {
        let rungs = [
            Rung::new("far", 5000.0, Kind::UpperBound, Ink::General),
            Rung::new("low", -30.0, Kind::LowerBound, Ink::Lower),
            Rung::new("these", 0.5, Kind::Exact, Ink::Strong),
        ];
        let expected = [
            "  far    ≤ 1.000 × 10⁵⁰⁰⁰  ████████████████████████████████→",
            "  low    ≥ 1.000 × 10⁻³⁰   ←",
            "  these  = 3.162           ████████████████▌",
            "                           1 ──────────────────────────── 10",
        ];
        assert_eq!(plain(&rungs, 60), expected);
    }
}
