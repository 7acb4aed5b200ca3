//! Colours and line styles: each meaning has the same look in every view and in both themes.
//!
//! The hues stay distinct under the common colour-blindnesses. Roles of one hue differ in line style, width or shape.
//! The tests compute contrasts (WCAG 2.2) and distances under simulated colour-blindness.

use plotters::style::RGBColor;

use super::oklab::{self, Lab};

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Theme {
    /// Dark ink on a light background.
    #[default]
    Light,
    /// Light ink on a dark background.
    Dark,
}

/// The meaning of a series, which decides its colour and line style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Measured here: dots in ink.
    Measured,
    /// Measured here and selected: dots in the accent colour.
    Selected,
    /// A lower bound: teal, solid.
    LowerBound,
    /// A lower bound from tokens with one sink: teal, solid, thin.
    LowerSink,
    /// A lower bound from tokens with two sinks: teal, solid, thicker.
    LowerFork,
    /// A lower bound from a family of inputs: teal, dashed; its points are rings.
    LowerFamily,
    /// A lower bound for other weights of the same norm: teal, dotted.
    Skew,
    /// The largest of a family of lower bounds: teal, dash-dot, thinner.
    Envelope,
    /// The best upper bound: blue, solid, thicker.
    Sharp,
    /// The unified upper bound: blue, solid, thin.
    Unified,
    /// The local upper bound: blue, dotted.
    Local,
    /// A published upper bound other than the mean-field one: orange, dashed.
    PublishedGeneral,
    /// The published mean-field upper bound: magenta, dash-dot.
    PublishedMeanField,
    /// The released-script estimator: grey, rings.
    ReleasedScript,
    /// A curve to compare with, such as the root of n: grey, dashed, thinner.
    Reference,
}

impl Role {
    /// Every role, in the order of legends.
    pub const ALL: [Role; 15] = [
        Role::Measured,
        Role::Selected,
        Role::LowerBound,
        Role::LowerSink,
        Role::LowerFork,
        Role::LowerFamily,
        Role::Skew,
        Role::Envelope,
        Role::Sharp,
        Role::Unified,
        Role::Local,
        Role::PublishedGeneral,
        Role::PublishedMeanField,
        Role::ReleasedScript,
        Role::Reference,
    ];

    /// The dash pattern of lines of this role.
    pub fn line(self) -> LineStyle {
        match self {
            Role::Local | Role::Skew => LineStyle::Dotted,
            Role::PublishedGeneral | Role::LowerFamily | Role::Reference => LineStyle::Dashed,
            Role::PublishedMeanField | Role::Envelope => LineStyle::DashDot,
            _ => LineStyle::Solid,
        }
    }

    /// The width of a line of this role in CSS pixels.
    pub fn width(self) -> f64 {
        match self {
            Role::Sharp => 2.5,
            Role::LowerFork => 2.0,
            Role::Unified | Role::LowerSink | Role::Envelope | Role::Reference => 1.0,
            _ => 1.5,
        }
    }

    /// Whether points of this role are rings even if a series asks for dots.
    pub(super) fn is_hollow(self) -> bool {
        matches!(self, Role::LowerFamily | Role::ReleasedScript)
    }
}

/// A dash pattern; lengths are in pixels, whatever the axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineStyle {
    /// Unbroken.
    Solid,
    /// Round dots.
    Dotted,
    /// Even dashes.
    Dashed,
    /// A long dash and a dot in turn.
    DashDot,
}

/// The colours of one theme.
#[derive(Debug, Clone, PartialEq)]
pub struct Palette {
    /// The theme these colours belong to.
    pub theme: Theme,
    /// The background of everything.
    pub background: RGBColor,
    /// Text and measured marks.
    pub ink: RGBColor,
    /// Secondary text: tick labels, axis titles.
    pub muted: RGBColor,
    /// Rules and ticks: 12% ink on the background.
    pub hairline: RGBColor,
    /// Interactive and selected elements.
    pub accent: RGBColor,
    /// A change of the inputs: arrows with filled heads.
    pub nudge: RGBColor,
    /// The resulting change of the outputs: squares, and arrows with open heads.
    pub response: RGBColor,
}

impl Palette {
    /// The palette of a theme.
    pub fn of(theme: Theme) -> Self {
        let (background, ink, accent) = match theme {
            Theme::Light => (RGBColor(0xfb, 0xfa, 0xf7), RGBColor(0x1b, 0x1d, 0x21), RGBColor(0x4b, 0x33, 0xd6)),
            Theme::Dark => (RGBColor(0x12, 0x14, 0x17), RGBColor(0xe8, 0xe6, 0xe1), RGBColor(0xa4, 0x9b, 0xff)),
        };
        let (nudge, response) = match theme {
            Theme::Light => (RGBColor(0x6c, 0x6a, 0x00), RGBColor(0xb0, 0x36, 0x2c)),
            Theme::Dark => (RGBColor(0xd8, 0xd0, 0x5a), RGBColor(0xff, 0x8b, 0x7c)),
        };
        let (muted, hairline) = (ink, ink);
        Palette { theme, background, ink, muted, hairline, accent, nudge, response }.on(background)
    }

    /// The same colours on another background.
    #[must_use]
    pub fn on(self, background: RGBColor) -> Self {
        let (muted, hairline) = (mix(background, self.ink, 0.68), mix(background, self.ink, 0.12));
        Palette { background, muted, hairline, ..self }
    }

    /// The colour of a role; it has enough contrast for text.
    pub fn role(&self, role: Role) -> RGBColor {
        let (light, dark) = match role {
            Role::Measured => return self.ink,
            Role::Selected => return self.accent,
            Role::LowerBound | Role::LowerSink | Role::LowerFork | Role::LowerFamily | Role::Skew | Role::Envelope => {
                (RGBColor(0x12, 0x80, 0x7c), RGBColor(0x2f, 0xc9, 0xb0))
            }
            Role::Sharp | Role::Unified | Role::Local => (RGBColor(0x0f, 0x4d, 0xa3), RGBColor(0x41, 0x93, 0xde)),
            Role::PublishedGeneral => (RGBColor(0xb0, 0x5a, 0x08), RGBColor(0xf7, 0xa0, 0x4d)),
            Role::PublishedMeanField => (RGBColor(0x95, 0x1a, 0x5c), RGBColor(0xe8, 0x4f, 0xa8)),
            Role::ReleasedScript | Role::Reference => (RGBColor(0x6b, 0x6e, 0x75), RGBColor(0x96, 0x99, 0x9f)),
        };
        match self.theme {
            Theme::Light => light,
            Theme::Dark => dark,
        }
    }

    /// The sequential colour map at `t` in [0, 1]: from the background to ink-blue in the light theme, to light in the
    /// dark theme. Lightness is linear in `t` (OKLab), so equal steps look equal.
    pub fn sequential(&self, t: f64) -> RGBColor {
        let t = if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) };
        let from = oklab::from_rgb(self.background);
        let (through, to) = match self.theme {
            Theme::Light => (SEQUENTIAL_MIDDLE_LIGHT, SEQUENTIAL_END_LIGHT),
            Theme::Dark => (SEQUENTIAL_MIDDLE_DARK, SEQUENTIAL_END_DARK),
        };
        // A quadratic Bézier curve in chroma only; lightness stays linear.
        let bend = |a: f64, b: f64, c: f64| (1.0 - t) * (1.0 - t) * a + 2.0 * t * (1.0 - t) * b + t * t * c;
        oklab::to_rgb(Lab {
            l: from.l + t * (to.l - from.l),
            a: bend(from.a, through.a, to.a),
            b: bend(from.b, through.b, to.b),
        })
    }

    /// The sequential map at 256 equal steps, for painting many cells.
    pub fn sequential_table(&self) -> Vec<RGBColor> {
        (0..=255u8).map(|i| self.sequential(f64::from(i) / 255.0)).collect()
    }
}

/// Mixes two colours in sRGB, as a translucent layer would.
pub fn mix(under: RGBColor, over: RGBColor, share: f64) -> RGBColor {
    let blend = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
    RGBColor(blend(under.0, over.0), blend(under.1, over.1), blend(under.2, over.2))
}

/// A colour in CSS syntax, so that the page uses the same colours.
pub fn css(color: RGBColor) -> String {
    format!("#{:02x}{:02x}{:02x}", color.0, color.1, color.2)
}

// Chroma of the sequential maps: saturated in the middle to differ from grey, less at the ends where the gamut is
// narrow. Of the two middles only the chroma is used: lightness is linear between the background and the end.
const SEQUENTIAL_MIDDLE_LIGHT: Lab = Lab { l: 0.6, a: -0.035, b: -0.13 };
const SEQUENTIAL_END_LIGHT: Lab = Lab { l: 0.24, a: -0.003, b: -0.075 };
const SEQUENTIAL_MIDDLE_DARK: Lab = Lab { l: 0.6, a: -0.035, b: -0.15 };
const SEQUENTIAL_END_DARK: Lab = Lab { l: 0.97, a: -0.005, b: 0.01 };

#[cfg(test)]
mod tests {
    use super::super::tint::Written;
    use super::*;

    const THEMES: [Theme; 2] = [Theme::Light, Theme::Dark];

    /// WCAG 2.2 contrast ratio.
    fn contrast(a: RGBColor, b: RGBColor) -> f64 {
        let luminance = |c: RGBColor| {
            let [r, g, b] = oklab::linear(c);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn distance(a: Lab, b: Lab) -> f64 {
        ((a.l - b.l).powi(2) + (a.a - b.a).powi(2) + (a.b - b.b).powi(2)).sqrt()
    }

    #[test]
    fn text_and_roles_have_enough_contrast_with_the_background() {
        for theme in THEMES {
            let palette = Palette::of(theme);
            let mut texts = vec![
                ("ink", palette.ink),
                ("muted", palette.muted),
                ("accent", palette.accent),
                ("nudge", palette.nudge),
                ("response", palette.response),
            ];
            texts.extend(Role::ALL.map(|role| ("role", palette.role(role))));
            for (name, color) in texts {
                let ratio = contrast(color, palette.background);
                assert!(ratio >= 4.5, "{theme:?} {name} {}: contrast {ratio:.2} < 4.5", css(color));
            }
        }
    }

    #[test]
    fn the_sequential_map_has_monotone_evenly_spaced_lightness() {
        for theme in THEMES {
            let lightness: Vec<f64> =
                Palette::of(theme).sequential_table().iter().map(|c| oklab::from_rgb(*c).l).collect();
            let step = (lightness[255] - lightness[0]) / 255.0;
            for pair in lightness.windows(8) {
                let moved = (pair[7] - pair[0]) / 7.0;
                let error = (moved - step).abs() / step.abs();
                assert!(error < 0.5, "{theme:?}: lightness moved {moved:.5} a step, expected {step:.5}");
            }
            assert!(step.abs() > 0.6 / 255.0, "{theme:?}: the map spans too little lightness");
        }
    }

    #[test]
    fn tinted_marks_stand_out_and_numbers_on_tiles_can_be_read() {
        for theme in THEMES {
            let palette = Palette::of(theme);
            for share in (0..=20).map(|i| f64::from(i) / 20.0) {
                let mark = contrast(palette.tint(share), palette.background);
                assert!(mark >= 3.0, "{theme:?} {share}: a mark has contrast {mark:.2}");
                let text = contrast(palette.ink, palette.tile(share, Written::Yes));
                assert!(text >= 4.5, "{theme:?} {share}: a number on its tile has contrast {text:.2}");
            }
        }
    }

    /// Dichromats simulated as in Viénot, Brettel and Mollon (1999), with Brettel's tritanope as one plane; matrices
    /// act on linear RGB.
    const BLINDNESSES: [(&str, [[f64; 3]; 3]); 4] = [
        ("none", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        ("protan", [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]]),
        ("deutan", [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]),
        ("tritan", [[1.01277, 0.13548, -0.14826], [-0.01243, 0.86812, 0.14431], [0.07589, 0.80500, 0.11911]]),
    ];

    /// The colour of a role as seen by a dichromat.
    fn seen(palette: &Palette, role: Role, matrix: [[f64; 3]; 3]) -> Lab {
        let rgb = oklab::linear(palette.role(role));
        oklab::from_linear(matrix.map(|row| (0..3).map(|i| row[i] * rgb[i]).sum::<f64>().clamp(0.0, 1.0)))
    }

    #[test]
    fn roles_stay_distinct_under_colour_blindness() {
        let roles = [Role::Measured, Role::LowerBound, Role::Sharp, Role::PublishedGeneral, Role::PublishedMeanField];
        for theme in THEMES {
            let palette = Palette::of(theme);
            for (blindness, matrix) in BLINDNESSES {
                let seen = |role: Role| seen(&palette, role, matrix);
                for (i, &a) in roles.iter().enumerate() {
                    for &b in &roles[..i] {
                        let deviation = distance(seen(a), seen(b));
                        assert!(deviation > 0.06, "{theme:?} {blindness}: {a:?} and {b:?} are {deviation:.3} apart");
                    }
                }
            }
        }
    }

    #[test]
    fn no_two_roles_look_the_same() {
        for theme in THEMES {
            let palette = Palette::of(theme);
            for (i, a) in Role::ALL.iter().enumerate() {
                for b in &Role::ALL[..i] {
                    let same_color = palette.role(*a) == palette.role(*b);
                    let same_line = a.line() == b.line() && a.width() == b.width();
                    assert!(!same_color || !same_line, "{theme:?}: {a:?} and {b:?} cannot be told apart");
                }
            }
        }
    }

    #[test]
    fn lines_that_look_alike_under_colour_blindness_differ_in_style() {
        // Measured, selected and released-script values are points, distinguished by shape and size.
        let points = [Role::Measured, Role::Selected, Role::ReleasedScript];
        let lines: Vec<Role> = Role::ALL.into_iter().filter(|role| !points.contains(role)).collect();
        for theme in THEMES {
            let palette = Palette::of(theme);
            for (blindness, matrix) in BLINDNESSES {
                for (i, &a) in lines.iter().enumerate() {
                    for &b in &lines[..i] {
                        let deviation = distance(seen(&palette, a, matrix), seen(&palette, b, matrix));
                        let same_line = a.line() == b.line() && a.width() == b.width();
                        assert!(deviation > 0.06 || !same_line, "{theme:?} {blindness}: {a:?} looks like {b:?}");
                    }
                }
            }
        }
    }
}
