//! Turns the SVG output of plotters into standalone files.

use std::fmt::Write;

use plotters::style::RGBColor;

use super::alt::AltText;
use super::caption::Caption;
use super::palette::css;
use super::style::Style;

/// Finishes an SVG document drawn with `style.scale` units per CSS pixel: sets its size in CSS pixels, adds the texts for
/// screen readers, puts the caption under the figure, and selects tabular figures. Plotters writes integer coordinates
/// only: at a scale of 4 or more, curves stay smooth.
///
/// A document that does not start as plotters writes it is returned unchanged.
pub fn finish_svg(svg: &str, style: &Style, alt: AltText<'_>, caption: &Caption) -> String {
    finished(svg, style, alt, caption).unwrap_or_else(|| svg.to_owned())
}

fn finished(svg: &str, style: &Style, alt: AltText<'_>, caption: &Caption) -> Option<String> {
    let (head, body) = svg.strip_prefix("<svg ")?.split_once('>')?;
    let side = |name: &str| -> Option<f64> {
        let (_, rest) = head.split_once(&format!("{name}=\""))?;
        rest.split_once('"')?.0.parse().ok()
    };
    let (width, height) = (side("width")?, side("height")?);
    let scale = style.scale;
    let whole = height + scale * caption.lines(width / scale, style).height;
    let figure = xml_text(body.trim_end().strip_suffix("</svg>").unwrap_or(body));
    let body = figure + &under(caption, (width, height), style, Some(style.palette.background));
    let pixels = |length: f64| (length / scale).to_string();
    Some(document((pixels(width), pixels(whole)), (width, whole), alt, &body))
}

/// A document of a size, for a view box from the origin to a corner, with its texts for screen readers.
pub(super) fn document(size: (String, String), (right, bottom): (f64, f64), alt: AltText<'_>, body: &str) -> String {
    let description = match alt.description {
        "" => String::new(),
        text => format!("<desc>{}</desc>", escaped(text)),
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {right} {bottom}\" \
         role=\"img\" style=\"font-variant-numeric: tabular-nums\">\n<title>{}</title>{description}{body}</svg>\n",
        size.0,
        size.1,
        escaped(alt.title)
    )
}

/// Elements of plotters as XML: it escapes `<`, `>` and `&`, but keeps control characters, which XML forbids.
pub(super) fn xml_text(elements: &str) -> String {
    elements.replace(|c: char| is_foreign(c) && c != '\n', " ")
}

/// The caption under a figure of this size, all in units of the document, on a ground of its own if there is one.
pub(super) fn under(caption: &Caption, (width, top): (f64, f64), style: &Style, ground: Option<RGBColor>) -> String {
    let Style { scale, palette, .. } = style;
    let lines = caption.lines(width / scale, style);
    let mut svg = String::new();
    if let Some(ground) = ground.filter(|_| !lines.lines.is_empty()) {
        let (height, fill) = (scale * lines.height, css(ground));
        // A string takes every line, here and below.
        let _ = writeln!(
            svg,
            "<rect x=\"0\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" stroke=\"none\"/>"
        );
    }
    for (i, line) in lines.lines.iter().enumerate() {
        let (x, y) = lines.place(i);
        let text = format!(
            "<text x=\"{}\" y=\"{}\" font-family=\"{}\" font-size=\"{}\" fill=\"{}\">{}</text>",
            scale * x,
            top + scale * y,
            style.font.text,
            scale * lines.size,
            css(if i < lines.n_settings { palette.ink } else { palette.accent }),
            escaped(line)
        );
        let link = caption.link.as_ref().filter(|link| i >= lines.n_settings && is_address(link));
        let _ = match link {
            Some(link) => writeln!(svg, "<a href=\"{}\">{text}</a>", escaped(link)),
            None => writeln!(svg, "{text}"),
        };
    }
    svg
}

/// Whether a link leads to a web page, so that it runs no script.
fn is_address(link: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| link.starts_with(scheme))
}

/// Escapes a text for use in an element or an attribute. Control characters, which XML forbids, become spaces.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if is_foreign(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Whether a character is invalid in XML, or a control character that does not belong in a text.
fn is_foreign(c: char) -> bool {
    c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Theme;

    const DRAWN: &str = "<svg width=\"400\" height=\"200\" viewBox=\"0 0 400 200\" xmlns=\"x\">\n<rect/>\n</svg>\n";

    fn finish(svg: &str, caption: &Caption) -> String {
        let alt = AltText { title: "norm < bound", description: "n: 1 – 9 & more" };
        finish_svg(svg, &Style::svg(Theme::Light, 4.0), alt, caption)
    }

    #[test]
    fn a_finished_document_has_its_size_in_css_pixels_and_a_title() {
        let svg = finish(DRAWN, &Caption::default());
        assert!(svg.contains("width=\"100\" height=\"50\" viewBox=\"0 0 400 200\""), "{svg}");
        assert!(svg.contains("<title>norm &lt; bound</title><desc>n: 1 – 9 &amp; more</desc>\n<rect/>"), "{svg}");
    }

    #[test]
    fn a_caption_stands_under_the_figure_and_its_link_cannot_break_out() {
        let link = "https://example.org/#v3&name=\"><script>";
        let caption = Caption { settings: "n < 3".into(), link: Some(link.into()) };
        let svg = finish(DRAWN, &caption);
        let height = caption.lines(100.0, &Style::svg(Theme::Light, 4.0)).height;
        assert!(
            height > 0.0
                && svg.contains(&format!("height=\"{}\" viewBox=\"0 0 400 {}\"", 50.0 + height, 200.0 + 4.0 * height)),
            "{svg}"
        );
        assert!(svg.contains(">n &lt; 3</text>"), "{svg}");
        assert!(svg.contains("<a href=\"https://example.org/#v3&amp;name=&quot;&gt;&lt;script&gt;\">"), "{svg}");
        assert!(!svg.contains("<script") && svg.trim_end().ends_with("</svg>"), "{svg}");
    }

    #[test]
    fn no_text_of_a_reader_breaks_out_of_a_document() {
        let text = "\"'><img src=x onerror=alert(1)></title><script>alert(1)</script>\0\u{1b}\u{ffff}]]>&";
        let drawn = DRAWN.replace("<rect/>", "<text>a\0b\u{1}</text>");
        let caption = Caption { settings: text.into(), link: Some(format!("javascript:{text}")) };
        let svg =
            finish_svg(&drawn, &Style::svg(Theme::Light, 4.0), AltText { title: text, description: text }, &caption);
        assert!(!svg.contains("<img") && !svg.contains("<script") && !svg.contains("]]>"), "{svg}");
        assert!(!svg.contains(|c: char| is_foreign(c) && c != '\n'), "{svg:?}");
        assert_eq!((svg.matches("</title>").count(), svg.matches("<a ").count()), (1, 0), "{svg}");
    }

    #[test]
    fn other_text_is_returned_unchanged() {
        assert_eq!(finish("no picture", &Caption::default()), "no picture");
    }
}
