//! A figure as SVG, drawn for several windows. Its colours are custom properties, so that one picture serves both themes.

use std::fmt::Write;

use lipscope_plot::{Figure, Theme, Type};

/// A window for which the pictures are drawn, and the sizes of both in it, in CSS pixels.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Its width and height.
    pub window: (u32, u32),
    /// The disc with the tokens.
    pub disc: (u32, u32),
    /// The plot over n.
    pub plot: (u32, u32),
}

/// The windows, the narrowest first. In a window of another size the pictures of the nearest one are scaled until the
/// program paints its own. `tests/e2e/opening.test.mjs` compares the sizes with those of the page.
pub const SCREENS: [Screen; 4] = [
    Screen { window: (390, 844), disc: (362, 245), plot: (362, 216) },
    Screen { window: (1280, 720), disc: (549, 373), plot: (671, 397) },
    Screen { window: (1440, 900), disc: (621, 554), plot: (759, 578) },
    Screen { window: (1920, 1080), disc: (837, 734), plot: (1023, 758) },
];

/// The colours of pictures, in the light and in the dark theme, in the order of their custom properties.
#[derive(Clone, Debug, Default)]
pub struct Colors(Vec<(String, String)>);

impl Colors {
    /// The custom property of a colour.
    fn name(&mut self, light: &str, dark: &str) -> String {
        format!("--o{}", place_of((light.to_owned(), dark.to_owned()), &mut self.0))
    }

    /// The properties: for a light page, for a system that is dark, and for a reader who has chosen the dark theme.
    #[must_use]
    pub fn css(&self) -> String {
        let of = |theme: fn(&(String, String)) -> &String| {
            let lines = self.0.iter().enumerate().map(|(at, pair)| format!("--o{at}:{}", theme(pair).to_lowercase()));
            lines.collect::<Vec<_>>().join(";")
        };
        let (light, dark) = (of(|pair| &pair.0), of(|pair| &pair.1));
        format!(
            "#opening{{{light}}}\n@media (prefers-color-scheme:dark){{:root:not([data-theme=light]) #opening{{{dark}}}}}\n\
             :root[data-theme=dark] #opening{{{dark}}}\n"
        )
    }
}

/// The index of an item in a list, to which it is added if it is new.
fn place_of<T: PartialEq>(item: T, list: &mut Vec<T>) -> usize {
    list.iter().position(|known| *known == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// The shapes of pictures: each is kept once, and pictures refer to it.
#[derive(Clone, Debug, Default)]
pub struct Shapes(Vec<String>);

impl Shapes {
    /// The id of these shapes.
    fn id(&mut self, shapes: String) -> String {
        format!("shapes-{}", place_of(shapes, &mut self.0))
    }

    /// All of them, as an element that shows nothing.
    #[must_use]
    pub fn svg(&self) -> String {
        let groups = self.0.iter().enumerate().map(|(at, shapes)| format!("<g id=\"shapes-{at}\">{shapes}</g>"));
        format!("<svg hidden><defs>{}</defs></svg>", groups.collect::<String>())
    }
}

/// The pictures that take the place of a canvas.
#[derive(Clone, Debug)]
pub struct Pictures {
    /// The id of the canvas.
    pub canvas: &'static str,
    /// One SVG for each window.
    pub svg: String,
}

/// Draws a figure for every window; `sizes` are those of its canvas there.
pub fn pictures(
    canvas: &'static str,
    figure: &impl Figure,
    sizes: [(u32, u32); SCREENS.len()],
    (colors, kept): (&mut Colors, &mut Shapes),
) -> Pictures {
    let mut svg = String::new();
    for (screen, (width, height)) in SCREENS.iter().zip(sizes) {
        let size = (f64::from(width), f64::from(height));
        let [light, dark] =
            [Theme::Light, Theme::Dark].map(|theme| figure.drawn(size, theme).expect("a string takes every drawing"));
        let (shapes, texts) = separate(&in_both_themes(&light, &dark, colors));
        let (window, id, view_box) = (screen.window.0, kept.id(shapes), view_box(&light));
        // A string takes every line.
        let _ = write!(
            svg,
            "<svg class=\"for-{window}\" viewBox=\"{view_box}\" aria-hidden=\"true\"><use href=\"#{id}\"/>{texts}</svg>"
        );
    }
    Pictures { canvas, svg }
}

/// The shapes of a drawing, and its texts, which stand over the shapes.
fn separate(svg: &str) -> (String, String) {
    let (mut shapes, mut texts) = (String::new(), String::new());
    let mut rest = svg;
    while let Some(start) = rest.find("<text") {
        let end = rest[start..].find("</text>").map_or(rest.len(), |at| start + at + "</text>".len());
        shapes.push_str(&rest[..start]);
        texts.push_str(&rest[start..end]);
        rest = &rest[end..];
    }
    shapes.push_str(rest);
    (grouped(&shapes), grouped(&texts))
}

/// Says once what neighbouring elements of one kind have in common.
fn grouped(elements: &str) -> String {
    /// What an element does not take from its group.
    const OWN: [&str; 9] = ["x", "y", "width", "height", "dy", "cx", "cy", "r", "points"];
    let mut out = String::new();
    let mut group: Option<(&str, String)> = None;
    let mut rest = elements;
    while let Some((tag, after)) = rest.split_once('>') {
        let (name, attributes) = tag.trim_start_matches('<').split_once(' ').unwrap_or((tag, ""));
        let (body, after) = match (tag.ends_with('/'), after.split_once("</text>")) {
            (false, Some((text, after))) => (format!(">{text}</text>"), after),
            _ => ("/>".to_owned(), after),
        };
        rest = after;
        let attributes: Vec<(&str, &str)> = attributes
            .trim_end_matches('/')
            .split("\" ")
            .filter_map(|attribute| attribute.trim_end_matches('"').split_once("=\""))
            .collect();
        let write = |is_own: fn(bool) -> bool| {
            let wanted = attributes.iter().filter(|(key, _)| is_own(OWN.contains(key)));
            wanted.map(|(key, value)| format!(" {key}=\"{value}\"")).collect::<String>()
        };
        let (own, look) = (write(|is_own| is_own), write(|is_own| !is_own));
        // The opacity of a group would hide where its elements overlap.
        let look =
            look.replace(" opacity=", if look.contains("stroke=") { " stroke-opacity=" } else { " fill-opacity=" });
        // Lines that let nothing through are one path: where they overlap, they look the same.
        let is_path = name == "polyline" && !look.contains("opacity");
        if group.as_ref() != Some(&(name, look.clone())) {
            out.push_str(group.take().map_or("", end_of));
            let _ =
                write!(out, "{}{look}{}", if is_path { "<path" } else { "<g" }, if is_path { " d=\"" } else { ">" });
            group = Some((name, look));
        }
        if is_path {
            let points = attributes.iter().find(|(key, _)| *key == "points").map_or("", |(_, points)| points);
            let _ = write!(out, "M{points}");
        } else {
            let _ = write!(out, "<{name}{own}{body}");
        }
    }
    out.push_str(group.take().map_or("", end_of));
    out
}

/// What ends a group of elements of this kind and look.
fn end_of((name, look): (&str, String)) -> &'static str {
    if name == "polyline" && !look.contains("opacity") { "\"/>" } else { "</g>" }
}

/// The elements of a drawing.
pub(super) fn inner(svg: &str) -> &str {
    svg.split_once('>').map_or("", |(_, rest)| rest).trim_end().trim_end_matches("</svg>")
}

/// The view box of a drawing.
pub(super) fn view_box(svg: &str) -> &str {
    svg.split_once("viewBox=\"").and_then(|(_, rest)| rest.split_once('"')).map_or("", |(view_box, _)| view_box)
}

/// The elements of a drawing whose colours differ between the themes by custom properties, without what is the default.
fn in_both_themes(light: &str, dark: &str, colors: &mut Colors) -> String {
    let body = |svg: &str| -> Vec<String> { inner(svg).split('"').map(str::to_owned).collect() };
    let (light, dark) = (body(light), body(dark));
    assert_eq!(light.len(), dark.len(), "the themes differ in colours alone");
    let mut out = Vec::with_capacity(light.len());
    for (of_light, of_dark) in light.iter().zip(&dark) {
        let is_color = |text: &str| text.starts_with('#') && text.len() == 7;
        if is_color(of_light) {
            assert!(is_color(of_dark), "{of_light} is {of_dark} in the dark");
            out.push(format!("var({})", colors.name(of_light, of_dark)));
        } else {
            assert_eq!(of_light, of_dark, "the themes differ in colours alone");
            out.push(of_light.clone());
        }
    }
    without_defaults(&out.join("\""))
}

/// Leaves out what is so without it: attributes with their defaults, line ends.
fn without_defaults(svg: &str) -> String {
    let family = format!(" font-family=\"{}\"", Type::default().text);
    // The style sheet has the family of the type.
    let said = [" opacity=\"1\"", " fill-opacity=\"1\"", " stroke=\"none\"", " text-anchor=\"start\"", &family];
    let svg = said.iter().fold(svg.replace('\n', ""), |svg, said| svg.replace(said, ""));
    svg.replace(" \"/>", "\"/>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_one_look_are_a_group_and_texts_stand_over_the_shapes() {
        let svg = r#"<rect x="1"/><polyline stroke="a" points="1,2"/><text x="5" fill="c">n</text><polyline stroke="a" points="5,6"/><polyline opacity="0.5" stroke="a" points="1,1"/><circle cx="1" opacity="0.5" fill="a"/>"#;
        let (shapes, texts) = separate(svg);
        assert_eq!(
            shapes,
            r#"<g><rect x="1"/></g><path stroke="a" d="M1,2M5,6"/><g stroke-opacity="0.5" stroke="a"><polyline points="1,1"/></g><g fill-opacity="0.5" fill="a"><circle cx="1"/></g>"#
        );
        assert_eq!(texts, r#"<g fill="c"><text x="5">n</text></g>"#);
    }

    #[test]
    fn equal_shapes_are_kept_once() {
        let mut shapes = Shapes::default();
        assert_eq!(["a", "b", "a"].map(|svg| shapes.id(svg.into())), ["shapes-0", "shapes-1", "shapes-0"]);
        assert_eq!(shapes.svg().matches("<g ").count(), 2);
    }

    #[test]
    fn a_color_that_differs_between_the_themes_is_a_property() {
        let mut colors = Colors::default();
        let of = |color: &str| format!("<svg viewBox=\"0 0 1 1\">\n<rect fill=\"{color}\"/>\n</svg>\n");
        let body = in_both_themes(&of("#FFFFFF"), &of("#000000"), &mut colors);
        assert_eq!(body, "<rect fill=\"var(--o0)\"/>");
        assert!(colors.css().starts_with("#opening{--o0:#ffffff}"), "{}", colors.css());
    }
}
