//! Draws plots as SVG documents and reads the positions of their texts and shapes.

use lipscope_plot::{
    AxisSpec, ChartLayout, Extent, HeatMap, Kind, Ladder, LadderRow, LineChart, Mark, PixelRect, Role, Scale, Series,
    SeriesKind, Style, Theme, TokenPlane, text_width,
};
use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, IntoDrawingArea, SVGBackend};

pub const THEMES: [Theme; 2] = [Theme::Light, Theme::Dark];

pub const SIZES: [(u32, u32); 2] = [(360, 260), (900, 520)];

/// Units of the drawing area per CSS pixel.
pub const SCALE: f64 = 4.0;

/// Draws on an SVG of a size in CSS pixels; returns the result of `draw` and the document.
pub fn render<T>(
    (width, height): (u32, u32),
    draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, Shift>) -> T,
) -> (T, String) {
    let mut svg = String::new();
    let result = {
        let size = (width * SCALE as u32, height * SCALE as u32);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let result = draw(&area);
        area.present().expect("a string can be written");
        result
    };
    (result, svg)
}

pub fn draw_chart(chart: &LineChart, theme: Theme, size: (u32, u32)) -> (ChartLayout, String) {
    let (layout, svg) = render(size, |area| chart.draw(area, &Style::svg(theme, SCALE)));
    (layout.expect("SVG draws"), svg)
}

/// An element of a document: its attributes, and its text, if any.
pub struct Element<'a> {
    pub head: &'a str,
    pub text: &'a str,
}

impl Element<'_> {
    pub fn attribute(&self, name: &str) -> &str {
        let (_, rest) =
            self.head.split_once(&format!(" {name}=\"")).unwrap_or_else(|| panic!("no {name} in {}", self.head));
        rest.split_once('"').expect("attributes are closed").0
    }

    /// A coordinate in CSS pixels.
    pub fn px(&self, name: &str) -> f64 {
        self.attribute(name).parse::<f64>().expect("coordinates are numbers") / SCALE
    }

    pub fn points(&self) -> Vec<(f64, f64)> {
        let number = |s: &str| s.parse::<f64>().expect("coordinates are numbers") / SCALE;
        let pair = |s: &str| s.split_once(',').map(|(x, y)| (number(x), number(y)));
        self.attribute("points").split_whitespace().filter_map(pair).collect()
    }

    /// The box of a text in CSS pixels.
    pub fn text_box(&self) -> PixelRect {
        let (x, y, size) = (self.px("x"), self.px("y"), self.px("font-size"));
        let width = text_width(&unescaped(self.text), size);
        let left = match self.attribute("text-anchor") {
            "start" => x,
            "middle" => x - width / 2.0,
            _ => x - width,
        };
        PixelRect { left, top: y - 0.5 * size, right: left + width, bottom: y + 0.5 * size }
    }
}

pub fn elements<'a>(svg: &'a str, tag: &str) -> Vec<Element<'a>> {
    let open = format!("<{tag} ");
    let mut found = Vec::new();
    for piece in svg.split('<') {
        if let Some(piece) = piece.strip_prefix(&open[1..]) {
            let (_, text) = piece.split_once('>').expect("tags are closed");
            // The space before the first attribute is kept.
            let start = piece.as_ptr() as usize - svg.as_ptr() as usize - 1;
            let head = &svg[start..start + 1 + piece.len() - text.len()];
            found.push(Element { head, text: text.trim() });
        }
    }
    found
}

pub fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'").replace("&amp;", "&")
}

pub fn texts(svg: &str) -> Vec<String> {
    elements(svg, "text").iter().map(|e| unescaped(e.text)).collect()
}

#[track_caller]
pub fn assert_written(svg: &str, wanted: &[&str]) {
    let all = texts(svg).join("\n");
    for text in wanted {
        assert!(all.contains(text), "{text:?} is not written; there is:\n{all}");
    }
}

/// Asserts that no two texts overlap and that all are inside the picture.
#[track_caller]
pub fn assert_texts_are_separate(svg: &str, (width, height): (u32, u32)) {
    let boxes: Vec<(String, PixelRect)> =
        elements(svg, "text").iter().map(|e| (unescaped(e.text), e.text_box())).collect();
    for (i, (text, a)) in boxes.iter().enumerate() {
        let inside =
            a.left >= -0.5 && a.right <= f64::from(width) + 0.5 && a.top >= -0.5 && a.bottom <= f64::from(height) + 0.5;
        assert!(inside, "{text:?} leaves the picture: {a:?}");
        for (other, b) in &boxes[..i] {
            let meet = a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
            assert!(!meet, "{text:?} {a:?} and {other:?} {b:?} overlap");
        }
    }
}

/// A chart as the page draws it: eight samples at each n, bounds below and far above.
pub fn chart() -> LineChart {
    let ns: Vec<f64> = (0..23).map(|i| 2f64.powf(1.0 + 0.5 * f64::from(i)).round()).collect();
    let spread = |i: usize| 1.0 + 0.3 * ((i * 7919) as f64).sin();
    let measured: Vec<(f64, f64)> = ns
        .iter()
        .enumerate()
        .flat_map(|(k, &n)| (0..8).map(move |i| (n, 0.5 * n.sqrt() * spread(8 * k + i))))
        .collect();
    let script = ns.iter().map(|&n| (n, 0.22 * n.sqrt())).collect();
    let curve =
        |f: fn(f64) -> f64| (0..200).map(|i| 2.0 * 2048f64.powf(f64::from(i) / 199.0)).map(|n| (n, f(n))).collect();
    let selected = measured.iter().copied().filter(|p| p.0 == 512.0).collect();
    let x = AxisSpec::new("tokens n", Scale::Log).range(Extent::new(2.0, 4096.0));
    let y = AxisSpec::new("norm of the Jacobian", Scale::Log).unit("units").range(Extent::new(0.1, 1000.0));
    use Role::{Local, LowerBound, Measured, PublishedGeneral, PublishedMeanField, ReleasedScript, Selected, Unified};
    use SeriesKind::{Hollow, Line, Points};
    let mut chart = LineChart::new(
        x,
        y,
        vec![
            Series::new("measured", "measured", Measured, Points, measured),
            Series::new("script", "released script", ReleasedScript, Hollow, script).short_label("script"),
            Series::new("lower", "lower bound", LowerBound, Line, curve(|n| 0.3 * n.sqrt())),
            Series::new("unified", "unified", Unified, Line, curve(|n| 2.2 * n.powf(0.45))),
            Series::new("local", "local", Local, Line, curve(|n| 1.3 * n.powf(0.48))),
            Series::new("general", "published general", PublishedGeneral, Line, curve(|n| 12.0 * n.sqrt()))
                .short_label("general"),
            Series::new("mean-field", "published mean-field", PublishedMeanField, Line, curve(|_| 3.9e4))
                .short_label("mean-field"),
            Series::new("selected", "", Selected, Points, selected),
        ],
    );
    chart.mark_x = Some(Mark { x: 512.0, label: "n = 512".into() });
    chart
}

pub fn ladder() -> Ladder {
    let row =
        |id: &str, label: &str, log10, kind, role| LadderRow { id: id.into(), label: label.into(), log10, kind, role };
    use Kind::{Exact, LowerBound, Plain, UpperBound};
    let rows = vec![
        row("exact", "this configuration", 1.073, Exact, Role::Measured),
        row("clusters", "two clusters", 0.71, LowerBound, Role::LowerBound),
        row("family", "adversarial family", 2.31, LowerBound, Role::LowerFamily),
        row("skew", "same norm, skew", f64::NEG_INFINITY, LowerBound, Role::Skew),
        row("unified", "unified", 2.62, UpperBound, Role::Unified),
        row("general", "published general", 4.542, UpperBound, Role::PublishedGeneral),
        row("mean-field", "published mean-field", 5000.3, UpperBound, Role::PublishedMeanField),
        row("script", "released script", 0.4, Plain, Role::ReleasedScript),
    ];
    let mut ladder = Ladder::new("norm of the Jacobian", rows);
    ladder.selected = Some(4);
    ladder
}

pub fn heat_map(n: usize) -> HeatMap {
    let values: Vec<f64> = (0..n * n).map(|i| ((i * i) % 97) as f64 / 97.0).collect();
    let sums = (0..n).map(|j| (0..n).map(|i| values[i * n + j]).sum()).collect();
    let mut map = HeatMap::new(n, n, values);
    map.title = "attention P".into();
    map.row_label = "from token".into();
    map.col_label = "to token".into();
    map.column_sums = Some(sums);
    map.sums_label = "column sum".into();
    map
}

pub fn plane() -> TokenPlane {
    let angle = |i: i32| 2.4 * f64::from(i);
    let point = |i: i32| {
        (2.0 * (f64::from(i) / 64.0).sqrt() * angle(i).cos(), 2.0 * (f64::from(i) / 64.0).sqrt() * angle(i).sin())
    };
    let mut plane = TokenPlane::new((0..64).map(point).collect());
    plane.ball_radius = Some(2.0);
    plane.ball_label = "R = 2".into();
    plane.x_label = "first axis, 83% of variance".into();
    plane.y_label = "second axis, 12%".into();
    plane.labels = (1..=64).map(|i| i.to_string()).collect();
    plane.selected = Some(3);
    plane
}
