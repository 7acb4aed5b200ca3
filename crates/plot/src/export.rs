//! Turns the SVG output of plotters into standalone files.

/// Finishes an SVG document drawn with `scale` units per CSS pixel: sets its size in CSS pixels, adds a title for
/// screen readers, and selects tabular figures. Plotters writes integer coordinates only; a scale of 4 or more keeps
/// curves smooth.
///
/// A document that does not start as plotters writes it is returned unchanged.
pub fn finish_svg(svg: &str, scale: f64, title: &str) -> String {
    finished(svg, scale, title).unwrap_or_else(|| svg.to_owned())
}

fn finished(svg: &str, scale: f64, title: &str) -> Option<String> {
    let (head, body) = svg.strip_prefix("<svg ")?.split_once('>')?;
    let side = |name: &str| -> Option<f64> {
        let (_, rest) = head.split_once(&format!("{name}=\""))?;
        rest.split_once('"')?.0.parse().ok()
    };
    let (width, height) = (side("width")?, side("height")?);
    let scale = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" style=\"font-variant-numeric: tabular-nums\">\n<title>{}</title>{body}",
        width / scale,
        height / scale,
        escaped(title)
    ))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWN: &str = "<svg width=\"400\" height=\"200\" viewBox=\"0 0 400 200\" xmlns=\"x\">\n<rect/>\n</svg>\n";

    #[test]
    fn a_finished_document_has_its_size_in_css_pixels_and_a_title() {
        let svg = finish_svg(DRAWN, 4.0, "norm < bound");
        assert!(svg.contains("width=\"100\" height=\"50\" viewBox=\"0 0 400 200\""), "{svg}");
        assert!(svg.contains("<title>norm &lt; bound</title>\n<rect/>"), "{svg}");
    }

    #[test]
    fn other_text_is_returned_unchanged() {
        assert_eq!(finish_svg("no picture", 4.0, "t"), "no picture");
    }
}
