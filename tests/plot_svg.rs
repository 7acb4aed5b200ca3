//! The plots on an SVG back end: what is written where, and that no data break them.

use lipscope::plot::{
    AxisSpec, Band, Changes, Extent, HeatMap, Kind, Ladder, LadderRow, LineChart, Mark, Palette, PixelRect, PlaneShape,
    Role, Rule, Scale, Series, SeriesKind, Style, Sway, Theme, TokenPlane, css, finish_svg, text_width,
};
use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, IntoDrawingArea, SVGBackend};

const THEMES: [Theme; 2] = [Theme::Light, Theme::Dark];
const SIZES: [(u32, u32); 2] = [(360, 260), (900, 520)];
/// Units of the drawing area in a CSS pixel.
const SCALE: f64 = 4.0;

/// Draws on an SVG of a size in CSS pixels; returns what `draw` returned and the document.
fn render<T>((width, height): (u32, u32), draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, Shift>) -> T) -> (T, String) {
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

fn draw_chart(chart: &LineChart, theme: Theme, size: (u32, u32)) -> (lipscope::plot::ChartLayout, String) {
    let (layout, svg) = render(size, |area| chart.draw(area, &Style::svg(theme, SCALE)));
    (layout.expect("SVG draws"), svg)
}

/// An element of a document: its attributes, and its text if it has one.
struct Element<'a> {
    head: &'a str,
    text: &'a str,
}

impl Element<'_> {
    fn attribute(&self, name: &str) -> &str {
        let (_, rest) =
            self.head.split_once(&format!(" {name}=\"")).unwrap_or_else(|| panic!("no {name} in {}", self.head));
        rest.split_once('"').expect("attributes are closed").0
    }

    /// A coordinate in CSS pixels.
    fn px(&self, name: &str) -> f64 {
        self.attribute(name).parse::<f64>().expect("coordinates are numbers") / SCALE
    }

    fn points(&self) -> Vec<(f64, f64)> {
        let number = |s: &str| s.parse::<f64>().expect("coordinates are numbers") / SCALE;
        let pair = |s: &str| s.split_once(',').map(|(x, y)| (number(x), number(y)));
        self.attribute("points").split_whitespace().filter_map(pair).collect()
    }

    /// The box of a text in CSS pixels.
    fn text_box(&self) -> PixelRect {
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

fn elements<'a>(svg: &'a str, tag: &str) -> Vec<Element<'a>> {
    let open = format!("<{tag} ");
    let mut found = Vec::new();
    for piece in svg.split('<') {
        if let Some(piece) = piece.strip_prefix(&open[1..]) {
            let (_, text) = piece.split_once('>').expect("tags are closed");
            // One space is kept before the first attribute.
            let start = piece.as_ptr() as usize - svg.as_ptr() as usize - 1;
            let head = &svg[start..start + 1 + piece.len() - text.len()];
            found.push(Element { head, text: text.trim() });
        }
    }
    found
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'").replace("&amp;", "&")
}

fn texts(svg: &str) -> Vec<String> {
    elements(svg, "text").iter().map(|e| unescaped(e.text)).collect()
}

#[track_caller]
fn assert_written(svg: &str, wanted: &[&str]) {
    let all = texts(svg).join("\n");
    for text in wanted {
        assert!(all.contains(text), "{text:?} is not written; there is:\n{all}");
    }
}

/// No two texts overlap, and all are inside the picture.
#[track_caller]
fn assert_texts_are_apart(svg: &str, (width, height): (u32, u32)) {
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

/// A chart as the page draws it: eight draws at each n, bounds below and far above.
fn chart() -> LineChart {
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

fn ladder() -> Ladder {
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

fn heat_map(n: usize) -> HeatMap {
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

fn plane() -> TokenPlane {
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

#[test]
fn line_charts_name_curves_axes_and_numbers_without_overlap() {
    for theme in THEMES {
        for size in SIZES {
            let (layout, svg) = draw_chart(&chart(), theme, size);
            assert_eq!(layout.compact, size.0 == 360);
            assert_written(
                &svg,
                &["tokens n", "norm of the Jacobian, units", "n = 512", "measured", "lower bound", "unified", "local"],
            );
            assert_written(
                &svg,
                if layout.compact {
                    &["general", "mean-field"]
                } else {
                    &["published general", "published mean-field"]
                },
            );
            assert_written(&svg, &["10", "100", "1000", "↑ 3.9 × 10⁴"]);
            assert_texts_are_apart(&svg, size);
            let palette = Palette::of(theme);
            for color in
                [palette.background, palette.ink, palette.accent].into_iter().chain(Role::ALL.map(|r| palette.role(r)))
            {
                assert!(svg.contains(&css(color).to_uppercase()), "{} is not used", css(color));
            }
            assert!(svg.len() < 400_000, "{} bytes for one chart", svg.len());
        }
    }
}

#[test]
fn heat_maps_name_axes_key_and_sums_without_overlap() {
    for theme in THEMES {
        for size in SIZES {
            let (layout, svg) = render(size, |area| heat_map(64).draw(area, &Style::svg(theme, SCALE)));
            let layout = layout.expect("SVG draws");
            assert!((layout.plot.width() - layout.plot.height()).abs() < 1e-9, "cells are square");
            assert_written(&svg, &["attention P", "from token", "to token", "column sum", "0", "64", "0.5"]);
            assert_texts_are_apart(&svg, size);
        }
    }
}

#[test]
fn token_planes_name_axes_and_ball_without_overlap() {
    for theme in THEMES {
        for size in SIZES {
            let (_, svg) = render(size, |area| plane().draw(area, &Style::svg(theme, SCALE)));
            assert_written(&svg, &["first axis, 83% of variance", "second axis, 12%", "R = 2", "4"]);
            assert_texts_are_apart(&svg, size);
        }
    }
}

#[test]
fn labels_are_escaped() {
    let data = vec![(1.0, 1.0), (2.0, 2.0)];
    let series = Series::new("s", "a<b> & \"c\"", Role::Unified, SeriesKind::Line, data);
    let axis = |label| AxisSpec::new(label, Scale::Linear);
    let (_, svg) = draw_chart(&LineChart::new(axis("<script>"), axis("x & y"), vec![series]), Theme::Light, (900, 520));
    assert!(!svg.contains("<script>") && !svg.contains("<b>"), "{svg}");
    assert_written(&svg, &["a<b> & \"c\"", "<script>", "x & y"]);
    assert!(finish_svg(&svg, SCALE, "<t>").contains("<title>&lt;t&gt;</title>"));
}

#[test]
fn greater_values_are_higher_and_further_right() {
    for scale in [Scale::Linear, Scale::Log, Scale::Sqrt] {
        let axis = || AxisSpec::new("", scale).range(Extent::new(1.0, 100.0));
        let data = vec![(10.0, 20.0), (50.0, 70.0)];
        let series = Series::new("s", "", Role::Measured, SeriesKind::Points, data.clone());
        let (layout, svg) = draw_chart(&LineChart::new(axis(), axis(), vec![series]), Theme::Light, (900, 520));
        let dots = elements(&svg, "circle");
        assert_eq!(dots.len(), 2);
        assert!(dots[1].px("cx") > dots[0].px("cx") + 5.0, "{scale:?}: greater x is not further right");
        assert!(dots[1].px("cy") < dots[0].px("cy") - 5.0, "{scale:?}: greater y is not higher");
        for (dot, (x, y)) in dots.iter().zip(data) {
            let (px, py) = (layout.x_to_px(x), layout.y_to_px(y));
            assert!((dot.px("cx") - px).abs() < 0.2 && (dot.px("cy") - py).abs() < 0.2, "{scale:?}: off its place");
        }
    }
}

#[test]
fn pixels_map_to_data_and_back() {
    for size in SIZES {
        let layout = chart().layout((f64::from(size.0), f64::from(size.1)), &Style::svg(Theme::Light, SCALE));
        for n in [2.0, 17.0, 4096.0] {
            let back = layout.px_to_x(layout.x_to_px(n));
            assert!((back - n).abs() < 1e-9 * n, "x {n} came back as {back}");
            let back = layout.px_to_y(layout.y_to_px(n));
            assert!((back - n).abs() < 1e-9 * n, "y {n} came back as {back}");
        }
        assert!((layout.x_to_px(2.0) - layout.plot.left).abs() < 1e-9);
        assert!((layout.y_to_px(1000.0) - layout.plot.top).abs() < 1e-9);
    }
}

#[test]
fn curves_are_cut_at_the_frame_with_an_arrow_where_they_leave() {
    let mut chart = chart();
    chart.y.range = Extent::new(1.0, 100.0);
    let (layout, svg) = draw_chart(&chart, Theme::Light, (900, 520));
    let plot = layout.plot;
    // Leader lines are the only strokes beside the plot.
    let strokes: Vec<(f64, f64)> = elements(&svg, "polyline").iter().flat_map(Element::points).collect();
    assert!(strokes.iter().all(|p| p.1 >= plot.top - 0.3 && p.1 <= plot.bottom + 0.3), "a curve leaves the frame");
    let highest = strokes.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    assert!((highest - plot.top).abs() < 0.3, "the curve ends at {highest}, the frame at {}", plot.top);
    // 12 sqrt(n) passes 100 at n = 69.4.
    let crossing = layout.x_to_px((100f64 / 12.0).powi(2));
    let general = css(Palette::of(Theme::Light).role(Role::PublishedGeneral)).to_uppercase();
    let arrows: Vec<f64> = elements(&svg, "polygon")
        .iter()
        .filter(|e| e.attribute("fill") == general)
        .flat_map(|e| e.points().into_iter().min_by(|a, b| a.1.total_cmp(&b.1)))
        .map(|tip| tip.0)
        .collect();
    assert_eq!(arrows.len(), 1);
    assert!((arrows[0] - crossing).abs() < 1.5, "the arrow is at {}, the crossing at {crossing}", arrows[0]);
    assert_written(&svg, &["published general ↑ 770", "↑ 3.9 × 10⁴"]);
}

#[test]
fn values_beyond_floating_point_are_drawn_from_their_logarithms() {
    let mut chart = chart();
    chart.y.range = Extent::new(1.0, 1e300);
    let data = vec![(2.0, 10.0), (64.0, 200.0), (4096.0, 1234.5)];
    chart.series.push(Series::new("huge", "huge", Role::PublishedGeneral, SeriesKind::Line, data).given_log10());
    let (layout, svg) = draw_chart(&chart, Theme::Light, (900, 520));
    assert_written(&svg, &["huge ↑ 3.2 × 10¹²³⁴", "10¹⁰⁰"]);
    let values = chart.at(&layout, 64.0).expect("there are data");
    let huge = values.iter().find(|v| v.id == "huge").expect("the series is there");
    assert_eq!(huge.number.to_string(), "1.000 × 10²⁰⁰\u{200a}units");
}

#[test]
fn bands_lie_behind_everything_and_are_cut_exactly_at_the_frame() {
    let mut chart = chart();
    let points = [2.0, 8.0, 64.0, f64::NAN, 512.0, 4096.0];
    // From far below the frame, on a log axis even from nothing, to beyond floating point.
    let data = points.iter().map(|&n| (n, f64::from(-400), 400.0)).collect();
    chart.bands = vec![Band::new("everything", "no name in the picture", Role::Skew, data).given_log10()];
    let (layout, svg) = draw_chart(&chart, Theme::Light, (900, 520));
    let areas: Vec<_> = elements(&svg, "polygon").into_iter().filter(|e| e.points().len() >= 4).collect();
    assert_eq!(areas.len(), 2, "a point that is not finite makes a gap");
    assert!(svg.find("<polygon") < svg.find("<polyline") && svg.find("<polygon") < svg.find("<text"));
    for (area, (from, to)) in areas.iter().zip([(2.0, 64.0), (512.0, 4096.0)]) {
        let corners = area.points();
        let span = |side: fn(&(f64, f64)) -> f64| Extent::of(corners.iter().map(side)).expect("finite");
        let (across, down) = (span(|p| p.0), span(|p| p.1));
        let wanted = (layout.x_to_px(from), layout.x_to_px(to), layout.plot.top, layout.plot.bottom);
        for (found, wanted) in [across.lo(), across.hi(), down.lo(), down.hi()].iter().zip(<[f64; 4]>::from(wanted)) {
            assert!((found - wanted).abs() < 0.3, "the area ends at {found} rather than {wanted}");
        }
        let opacity: f64 = area.attribute("opacity").parse().expect("a number");
        assert!((opacity - Band::OPACITY).abs() < 0.01, "opacity {opacity}");
    }
    assert!(!texts(&svg).iter().any(|text| text.contains("no name")));
}

#[test]
fn the_slanted_edge_of_a_band_meets_the_frame_where_the_curve_does() {
    let axis = || AxisSpec::new("", Scale::Linear).range(Extent::new(0.0, 1.0));
    let mut chart = LineChart::new(axis(), axis(), vec![]);
    chart.bands = vec![Band::new("b", "", Role::Unified, vec![(0.0, 0.0, 0.0), (1.0, 0.0, 4.0)])];
    let (layout, svg) = draw_chart(&chart, Theme::Light, (900, 520));
    let corners = elements(&svg, "polygon")[0].points();
    let crossing = (layout.x_to_px(0.25), layout.plot.top);
    let nearest = corners.iter().map(|p| (p.0 - crossing.0).hypot(p.1 - crossing.1)).fold(f64::INFINITY, f64::min);
    assert!(nearest < 0.4, "no corner within {nearest} of {crossing:?}: {corners:?}");
}

#[test]
fn names_of_rules_stay_inside_the_plot_and_apart() {
    for size in SIZES {
        let mut chart = chart();
        let rule = |x, label: &str| Rule::new(x, label).role(Role::PublishedGeneral);
        chart.rules = vec![
            rule(3800.0, "near the right end"),
            rule(900.0, "first of two"),
            rule(1000.0, "second of two"),
            rule(2.0, "at the left end"),
            rule(1e9, "outside"),
            rule(f64::NAN, "nowhere"),
        ];
        let (layout, svg) = draw_chart(&chart, Theme::Dark, size);
        assert_texts_are_apart(&svg, size);
        assert_written(&svg, &["near the right end", "first of two", "second of two", "at the left end"]);
        for element in elements(&svg, "text") {
            let text = unescaped(element.text);
            assert!(text != "outside" && text != "nowhere", "{text:?} is written");
            if chart.rules.iter().any(|rule| rule.label == text) {
                let (rect, plot) = (element.text_box(), layout.plot);
                let inside = rect.left > plot.left && rect.right < plot.right && rect.top >= plot.top;
                assert!(inside, "{text:?} {rect:?} leaves the plot {plot:?}");
            }
        }
    }
}

#[test]
fn points_of_a_family_of_lower_bounds_are_hollow() {
    let axis = || AxisSpec::new("", Scale::Linear);
    let fill = |role| {
        let series = Series::new("s", "", role, SeriesKind::Points, vec![(1.0, 1.0), (2.0, 2.0)]);
        let (_, svg) = draw_chart(&LineChart::new(axis(), axis(), vec![series]), Theme::Light, (900, 520));
        elements(&svg, "circle").iter().map(|dot| dot.attribute("fill").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(fill(Role::LowerFamily), ["none", "none"]);
    assert!(!fill(Role::LowerBound).contains(&"none".to_owned()));
}

#[test]
fn ladders_write_labels_numbers_and_decades_without_overlap() {
    for theme in THEMES {
        for size in [(360, 220), (520, 260)] {
            let (layout, svg) = render(size, |area| ladder().draw(area, &Style::svg(theme, SCALE)));
            let layout = layout.expect("SVG draws");
            assert_eq!((layout.compact, layout.rows.len()), (size.0 == 360, 8));
            assert_texts_are_apart(&svg, size);
            assert_written(
                &svg,
                &["this configuration", "= 11.83", "≥ 5.129", "≥ 0", "≤ 3.483 × 10⁴", "≤ 1.995 × 10⁵⁰⁰⁰", "2.512"],
            );
            assert_written(&svg, &["1", "100", "10⁴", "norm of the Jacobian"]);
        }
    }
}

#[test]
fn bars_of_a_ladder_end_at_their_numbers_or_leave_with_an_arrow() {
    let ladder = ladder();
    let (layout, svg) = render((520, 260), |area| ladder.draw(area, &Style::svg(Theme::Light, SCALE)));
    let layout = layout.expect("SVG draws");
    let palette = Palette::of(Theme::Light);
    let strokes = elements(&svg, "polyline");
    let reach = |i: usize| {
        let color = css(palette.role(ladder.rows[i].role)).to_uppercase();
        let of_row = strokes.iter().filter(|e| e.attribute("stroke") == color).flat_map(Element::points);
        of_row.filter(|p| layout.row_at(p.1) == Some(i)).map(|p| p.0).fold(f64::NEG_INFINITY, f64::max)
    };
    for i in [0, 4, 5] {
        let (found, wanted) = (reach(i), layout.log10_to_px(ladder.rows[i].log10));
        assert!((found - wanted).abs() < 0.3, "row {i} reaches {found} rather than {wanted}");
    }
    assert_eq!(reach(3), f64::NEG_INFINITY, "zero has no bar");
    let tips: Vec<f64> = elements(&svg, "polygon")
        .iter()
        .flat_map(Element::points)
        .map(|p| p.0)
        .filter(|x| *x > layout.plot.right)
        .collect();
    assert!(!tips.is_empty() && reach(6) < layout.plot.right, "what leaves the axis has an arrow");
}

#[test]
fn a_held_axis_of_a_ladder_does_not_move_with_its_numbers() {
    let style = Style::svg(Theme::Light, SCALE);
    let mut ladder = ladder();
    ladder.range = ladder.extent();
    let before = ladder.layout((520.0, 260.0), &style);
    ladder.rows[0].log10 = -2.0;
    ladder.rows[4].log10 = 11.0;
    assert_eq!(ladder.layout((520.0, 260.0), &style).plot, before.plot);
    assert_eq!(ladder.layout((520.0, 260.0), &style).log10_to_px(1.0), before.log10_to_px(1.0));
}

#[test]
fn a_ladder_finds_the_row_at_a_height_and_has_a_row_for_each_number() {
    let ladder = ladder();
    let layout = ladder.layout((360.0, 220.0), &Style::svg(Theme::Light, SCALE));
    for (i, row) in layout.rows.iter().enumerate() {
        assert_eq!(layout.row_at((row.top + row.bottom) / 2.0), Some(i));
    }
    assert_eq!((layout.row_at(-1.0), layout.row_at(219.0)), (None, None));
    let table = ladder.table();
    assert_eq!(table.header[1], "norm of the Jacobian");
    assert_eq!(table.rows[6], ["published mean-field", "≤ 1.995 × 10⁵⁰⁰⁰"]);
    let csv = ladder.to_csv();
    assert!(csv.starts_with("row,label,sign,log10 of norm of the Jacobian\r\nexact,this configuration,=,1.073\r\n"));
    assert!(csv.contains("skew,\"same norm, skew\",≥,-inf\r\n"), "{csv}");
}

#[test]
fn csv_holds_exactly_the_numbers_given() {
    let chart = chart();
    let csv = chart.to_csv();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("series,label,tokens n,\"norm of the Jacobian, units\",form"));
    for series in &chart.series {
        for (x, y) in &series.data {
            let line = lines.next().expect("a line for each point");
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells[0], series.id);
            assert_eq!((cells[2].parse(), cells[3].parse()), (Ok(*x), Ok(*y)));
        }
    }
    assert_eq!(lines.next(), None);

    let map = heat_map(5);
    let read: Vec<f64> = map
        .to_csv()
        .lines()
        .flat_map(|l| l.split(',').map(|c| c.parse().expect("a number")).collect::<Vec<_>>())
        .collect();
    assert_eq!(read, map.values);

    let plane = plane();
    for (line, point) in plane.to_csv().lines().skip(1).zip(&plane.points) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!((cells[1].parse(), cells[2].parse()), (Ok(point.0), Ok(point.1)));
    }
}

#[test]
fn the_table_has_a_row_for_each_x_and_a_column_for_each_series() {
    let mut chart = chart();
    chart.series.truncate(2);
    let table = chart.to_table();
    assert_eq!(table.header, ["tokens n", "measured", "released script"]);
    assert_eq!(table.rows.len(), chart.x_values().len());
    let row = table.rows.iter().find(|row| row[0] == "64").expect("64 tokens were measured");
    assert!(row[1].ends_with("(8 values)"), "{row:?}");
    assert_eq!(row[2], "1.760");
}

#[test]
fn hovering_reads_the_nearest_value_of_each_series() {
    let chart = chart();
    let (layout, _) = draw_chart(&chart, Theme::Light, (900, 520));
    let values = chart.nearest(&layout, layout.x_to_px(500.0)).expect("inside the plot");
    assert_eq!(values.len(), chart.series.len());
    assert_eq!((values[0].id.as_str(), values[0].x, values[0].count), ("measured", 512.0, 8));
    assert!(values[0].low <= values[0].y && values[0].y <= values[0].high);
    assert!(values.iter().all(|v| (v.at.is_some()) == (v.id != "mean-field")), "only what is inside has a place");
    assert_eq!(chart.nearest(&layout, layout.plot.left - 20.0), None);
    let xs = chart.x_values();
    assert!(xs.is_sorted() && xs.contains(&512.0));
}

#[test]
fn finer_coordinates_show_the_same_picture() {
    let draw = |style: Style| render((360, 260), |area| plane().draw(area, &style)).1;
    let (coarse, fine) =
        (draw(Style::canvas(Theme::Light, SCALE)), draw(Style::canvas(Theme::Light, SCALE).with_subpixel(8.0)));
    let (coarse, fine) = (elements(&coarse, "circle"), elements(&fine, "circle"));
    assert_eq!(coarse.len(), fine.len());
    for (a, b) in coarse.iter().zip(&fine) {
        for side in ["cx", "cy"] {
            let error = a.px(side) - b.px(side) / 8.0;
            assert!(error.abs() <= 0.6 / SCALE, "{side} {} became {}", a.px(side), b.px(side) / 8.0);
        }
    }
}

#[test]
fn marking_and_hovering_do_not_move_the_plot() {
    let mut chart = chart();
    let before = draw_chart(&chart, Theme::Light, (900, 520)).0;
    chart.mark_x = None;
    chart.rules.push(Rule::new(100.0, "a rule"));
    chart.bands.push(Band::new("b", "a band", Role::Skew, vec![(2.0, 1.0, 2e9), (4096.0, 1.0, 3e9)]));
    chart.hover_x = Some(100.0);
    chart.series[0].opacity = 0.3;
    assert_eq!(draw_chart(&chart, Theme::Dark, (900, 520)).0, before);
}

#[test]
fn fading_series_are_translucent() {
    let mut chart = chart();
    for series in &mut chart.series {
        series.opacity = 0.0;
    }
    let (_, svg) = draw_chart(&chart, Theme::Light, (900, 520));
    assert!(elements(&svg, "circle").is_empty(), "an invisible series draws nothing");
}

#[test]
fn the_first_row_of_a_heat_map_is_on_top_and_pixels_find_their_cell() {
    let mut map = HeatMap::new(2, 3, vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.5]);
    map.column_sums = Some(vec![1.0, 0.0, 0.5]);
    let style = Style::svg(Theme::Light, SCALE);
    let layout = map.layout((360.0, 260.0), &style);
    for (row, col) in [(0, 0), (1, 2), (0, 2)] {
        let rect = layout.cell_rect(row, col);
        let middle = ((rect.left + rect.right) / 2.0, (rect.top + rect.bottom) / 2.0);
        assert_eq!(layout.cell_at(middle.0, middle.1), Some((Some(row), col)));
    }
    let sums = layout.sums.expect("there are sums");
    assert_eq!(layout.cell_at(sums.right - 1.0, sums.bottom - 1.0), Some((None, 2)));
    assert_eq!(layout.cell_at(0.0, 0.0), None);

    let image = map.rgba(6, 4, &style.palette);
    let pixel = |x: usize, y: usize| &image[4 * (6 * y + x)..][..3];
    let dark = style.palette.sequential(1.0);
    assert_eq!(pixel(0, 0), [dark.0, dark.1, dark.2]);
    assert_eq!(pixel(1, 1), pixel(0, 0));
    let ground = style.palette.background;
    assert_eq!(pixel(5, 0), [ground.0, ground.1, ground.2]);
    assert_eq!(pixel(0, 3), pixel(5, 0));
}

#[test]
fn large_heat_maps_have_no_more_rectangles_than_can_be_seen() {
    let (_, svg) = render((360, 260), |area| heat_map(700).draw(area, &Style::svg(Theme::Light, SCALE)).map(|_| ()));
    let rectangles = elements(&svg, "rect").len();
    assert!(rectangles < 192 * 192 + 2000, "{rectangles} rectangles");
    assert_eq!(heat_map(700).rgba(100, 80, &Palette::of(Theme::Dark)).len(), 4 * 100 * 80);
}

#[test]
fn no_bright_cell_and_no_tall_bar_is_rounded_away() {
    for n in [64, 191, 300, 512] {
        for at in [0, n / 3, n - 1] {
            let mut map = HeatMap::new(n, n, vec![0.0; n * n]);
            map.values[at * n + at] = 1.0;
            map.range = Extent::new(0.0, 1e-3);
            map.column_sums = Some((0..n).map(|j| if j == at { 5.0 } else { 0.0 }).collect());
            let (layout, svg) = render((360, 260), |area| map.draw(area, &Style::svg(Theme::Light, SCALE)));
            let layout = layout.expect("SVG draws");
            let palette = Palette::of(Theme::Light);
            let visible = |color: String, inside: PixelRect| {
                let drawn = elements(&svg, "rect");
                let sharp = drawn.iter().filter(|e| e.attribute("fill") == color.to_uppercase());
                sharp.filter(|e| inside.contains(e.px("x"), e.px("y"))).map(|e| e.px("width")).fold(0.0, f64::max)
            };
            let cell = visible(css(palette.sequential(1.0)), layout.plot);
            // The tallest bar is the one that is set off.
            let bar = visible(css(palette.accent), layout.sums.expect("there are sums"));
            assert!(cell >= 1.0 && bar >= 1.0, "{n} cells, {at}: the cell is {cell} wide, the bar {bar}");
        }
    }
}

#[test]
fn the_largest_column_sum_is_set_off_and_names_its_number_and_column() {
    for (column, names) in [(0, ["1", "400"]), (6, ["7", "400"]), (250, ["251", "400"]), (399, ["1", "400"])] {
        let mut map = heat_map(4);
        (map.row_span, map.col_span) = (400, 400);
        map.column_sums = Some((0..400).map(|j| if j == column { 13.27 } else { 1.0 }).collect());
        for size in SIZES {
            let (layout, svg) = render(size, |area| map.draw(area, &Style::svg(Theme::Light, SCALE)));
            let sums = layout.expect("SVG draws").sums.expect("there are sums");
            assert_eq!(sums.height(), if size.0 == 360 { 28.0 } else { 44.0 });
            let accent = css(Palette::of(Theme::Light).accent).to_uppercase();
            let bars = elements(&svg, "rect");
            let tall: Vec<_> = bars.iter().filter(|e| e.attribute("fill") == accent).collect();
            assert_eq!(tall.len(), 1, "one bar is set off");
            let middle = tall[0].px("x") + tall[0].px("width") / 2.0;
            let wanted = sums.left + sums.width() * (column as f64 + 0.5) / 400.0;
            assert!((middle - wanted).abs() < 1.5, "the bar is at {middle}, its column at {wanted}");
            assert!((tall[0].px("height") - sums.height()).abs() < 0.5, "the largest fills the scale");
            assert_written(&svg, &["13.27"]);
            assert_written(&svg, &names);
            let name = (column + 1).to_string();
            let of_column = |e: &&Element| e.text == name && e.attribute("fill") == accent;
            assert_eq!(elements(&svg, "text").iter().filter(of_column).count(), 1);
            assert_texts_are_apart(&svg, size);
        }
    }
}

#[test]
fn a_heat_map_of_means_counts_what_its_cells_stand_for() {
    let mut map = heat_map(4);
    (map.row_span, map.col_span) = (400, 400);
    map.column_sums = Some(vec![1.0; 400]);
    let (layout, svg) = render((900, 520), |area| map.draw(area, &Style::svg(Theme::Light, SCALE)));
    let plot = layout.as_ref().expect("SVG draws").plot;
    assert_eq!(layout.expect("SVG draws").cell_at(plot.right - 0.1, plot.bottom - 0.1), Some((Some(399), 399)));
    assert_eq!(map.value(399, 0), Some(map.values[12]));
    assert_written(&svg, &["400"]);
}

#[test]
fn planes_have_equal_axes_and_find_the_nearest_point() {
    for (width, height) in SIZES {
        let plane = plane();
        let layout = plane.layout((f64::from(width), f64::from(height)), &Style::svg(Theme::Light, SCALE));
        let unit_x = layout.chart.x_to_px(1.0) - layout.chart.x_to_px(0.0);
        let unit_y = layout.chart.y_to_px(0.0) - layout.chart.y_to_px(1.0);
        assert!((unit_x - unit_y).abs() < 1e-9, "a unit is {unit_x} wide and {unit_y} high");
        let (x, y) = layout.positions[10].expect("finite points have a place");
        assert_eq!(layout.nearest(x + 1.0, y, 8.0), Some(10));
        assert_eq!(layout.nearest(-100.0, -100.0, 8.0), None);
    }
}

#[test]
fn points_on_a_line_are_stacked_where_they_coincide() {
    let mut line = TokenPlane::new(vec![(0.0, 0.0), (0.0, 0.0), (1.0, 0.0)]);
    line.x_label = "coordinate".into();
    let (layout, svg) = render((360, 260), |area| line.draw(area, &Style::svg(Theme::Light, SCALE)));
    let places: Vec<(f64, f64)> = layout.expect("SVG draws").positions.into_iter().flatten().collect();
    assert_eq!(places[0].0, places[1].0);
    assert!(places[1].1 < places[0].1 && places[2].1 == places[0].1 && places[2].0 > places[0].0);
    assert_written(&svg, &["coordinate"]);
    let mut crowd = TokenPlane::new(vec![(0.5, 0.0); 4096]);
    crowd.ball_radius = Some(1.0);
    let layout = crowd.layout((360.0, 260.0), &Style::svg(Theme::Light, SCALE));
    assert!(layout.positions.iter().flatten().all(|p| p.1 >= layout.chart.plot.top), "a stack leaves the plot");
}

#[test]
fn the_label_of_the_ball_on_a_line_is_clear_of_the_points() {
    let clusters = |at: &[f64]| TokenPlane::new(at.iter().flat_map(|&x| vec![(x, 0.0); 40]).collect());
    for size in SIZES {
        for ends in [[-2.0, 2.0], [2.0, 2.3], [2.05, 2.1]] {
            let mut line = clusters(&ends);
            (line.ball_radius, line.ball_label) = (Some(2.0), "R = 2.000".into());
            line.x_label = "coordinate".into();
            let (layout, svg) = render(size, |area| line.draw(area, &Style::svg(Theme::Light, SCALE)));
            let layout = layout.expect("SVG draws");
            assert_texts_are_apart(&svg, size);
            let texts = elements(&svg, "text");
            let label = texts.iter().find(|e| e.text == "R = 2.000").expect("the ball is named").text_box();
            for (x, y) in layout.positions.into_iter().flatten() {
                let near = PixelRect { left: x - 3.0, top: y - 3.0, right: x + 3.0, bottom: y + 3.0 };
                let meet = near.left < label.right
                    && label.left < near.right
                    && near.top < label.bottom
                    && label.top < near.bottom;
                assert!(!meet, "{ends:?}: a point at ({x}, {y}) is under the label {label:?}");
            }
        }
    }
}

#[test]
fn points_that_stand_for_many_grow_with_the_logarithm_and_have_one_dot_each() {
    let mut line = TokenPlane::new(vec![(-1.0, 0.0), (0.0, 0.0), (0.0, 0.0), (1.0, 0.0)]);
    let sizes = vec![0.0, 1e6f64.ln(), 1e12f64.ln(), 1e18f64.ln()];
    line.ln_sizes = Some(sizes.clone());
    let (layout, svg) = render((900, 520), |area| line.draw(area, &Style::svg(Theme::Light, SCALE)));
    let radii: Vec<f64> = elements(&svg, "circle").iter().map(|e| e.px("r")).collect();
    assert_eq!(radii.len(), 4);
    let steps: Vec<f64> = radii.windows(2).map(|r| r[1].powi(2) - r[0].powi(2)).collect();
    for step in &steps {
        // Radii are rounded to a quarter of a pixel.
        assert!((step - steps[0]).abs() < 0.15 * steps[0], "equal ratios add unequal areas: {steps:?}");
    }
    assert!((radii[3] - 9.0).abs() < 0.3, "the largest has a radius of {}", radii[3]);
    let places: Vec<(f64, f64)> = layout.expect("SVG draws").positions.into_iter().flatten().collect();
    let feet: Vec<f64> = places.iter().zip(&radii).map(|(p, r)| p.1 + r).collect();
    assert!(feet.iter().all(|foot| (foot - feet[0]).abs() < 0.3), "not all stand on the line: {feet:?}");
    let table = line.to_table();
    assert_eq!(table.header.last().map(String::as_str), Some("ln size"));
    assert_eq!(table.rows[3].last().map(String::as_str), Some("41.45"));
    for (line, size) in line.to_csv().lines().skip(1).zip(&sizes) {
        assert_eq!(line.rsplit(',').next().map(str::parse), Some(Ok(*size)));
    }
}

/// Four points with a change of each, their images, and the shares of one.
fn plane_with_changes(shape: PlaneShape) -> TokenPlane {
    let mut plane = TokenPlane::new(vec![(-2.0, 0.0), (0.0, 1.0), (1.0, -1.0), (2.0, 0.5)]);
    plane.shape = shape;
    (plane.x_label, plane.y_label) = ("1st".into(), "2nd".into());
    plane.selected = Some(1);
    plane.shares = vec![0.0, 0.25, 0.5, 0.25];
    plane.shares_label = "attention from 2".into();
    plane.changes = Some(Changes {
        nudges: vec![(0.5, 0.0), (0.0, 0.5), (0.0, 0.0), (-0.5, 0.25)],
        images: vec![(0.0, 0.0); 4],
        responses: vec![(0.25, 0.25); 4],
        stretch: 2.0,
        names: ["v".into(), "F(X)".into(), "σu".into()],
        sway: Sway::Arrows,
    });
    plane
}

#[test]
fn changes_are_arrows_with_filled_heads_and_their_images_squares_with_open_ones() {
    for theme in THEMES {
        let palette = Palette::of(theme);
        let colored = |svg: &str, name: &str, color: &str| -> Vec<Vec<(f64, f64)>> {
            let has = |e: &Element<'_>| e.head.contains(&color.to_uppercase());
            elements(svg, name).iter().filter(|e| has(e)).map(Element::points).collect()
        };
        let plane = plane_with_changes(PlaneShape::Plane);
        let (layout, svg) = render((900, 520), |area| plane.draw(area, &Style::svg(theme, SCALE)));
        let layout = layout.expect("SVG draws");
        // A token whose change is zero has no arrow.
        let heads = colored(&svg, "polygon", &css(palette.nudge));
        assert_eq!(heads.len(), 3);
        let unit = layout.chart.x_to_px(1.0) - layout.chart.x_to_px(0.0);
        let (from, tip) = (layout.positions[0].expect("a place"), heads[0][0]);
        assert!((tip.0 - from.0 - 2.0 * 0.5 * unit).abs() < 0.5, "the arrow is not twice as long as its change");
        let lines = colored(&svg, "polyline", &css(palette.response));
        // For each image a square, a shaft and an open head.
        assert_eq!(lines.iter().filter(|line| line.len() == 5).count(), 4);
        assert_eq!(lines.iter().filter(|line| line.len() == 3).count(), 4);
        assert!(colored(&svg, "polygon", &css(palette.response)).is_empty());
    }
}

#[test]
fn a_swing_moves_points_and_images_and_its_ends_are_marked() {
    let places = |sway: Sway, shape: PlaneShape| -> (usize, Vec<f64>) {
        let mut plane = plane_with_changes(shape);
        plane.selected = None;
        plane.held = Extent::new(-4.0, 4.0).map(|extent| (extent, extent));
        plane.changes.as_mut().expect("changes").sway = sway;
        let (layout, svg) = render((600, 600), |area| plane.draw(area, &Style::svg(Theme::Light, SCALE)));
        let circles = elements(&svg, "circle");
        let shown = layout.expect("SVG draws").shown().expect("finite");
        assert_eq!((shown.0.lo(), shown.0.hi()), (-4.0, 4.0));
        (circles.len(), circles.iter().map(|e| e.px("cx")).collect())
    };
    for shape in [PlaneShape::Plane, PlaneShape::Line] {
        let (still, moved) = (places(Sway::Arrows, shape), places(Sway::At(0.5), shape));
        assert_eq!((still.0, moved.0), (4, 4));
        assert!(moved.1[0] > still.1[0] + 5.0 && (moved.1[2] - still.1[2]).abs() < 0.5, "{still:?} {moved:?}");
        let rings = places(Sway::Ends, shape).0 - 4;
        // On a line a change across it is not seen.
        assert_eq!(rings, if shape == PlaneShape::Line { 4 } else { 6 });
    }
}

#[test]
fn the_shares_of_the_selected_point_are_lines_as_wide_as_they_are() {
    let mut plane = plane_with_changes(PlaneShape::Plane);
    plane.changes = None;
    let (layout, svg) = render((900, 520), |area| plane.draw(area, &Style::svg(Theme::Light, SCALE)));
    let from = layout.expect("SVG draws").positions[1].expect("a place");
    let starts_there = |e: &&Element<'_>| e.points().first().is_some_and(|p| (p.0 - from.0).hypot(p.1 - from.1) < 0.5);
    let lines = elements(&svg, "polyline");
    let widths: Vec<f64> = lines.iter().filter(starts_there).map(|e| e.px("stroke-width")).collect();
    assert_eq!(widths.len(), 2, "none to the one without a share, a ring for its own");
    assert!(widths[0] > widths[1] + 1.5, "{widths:?}");
}

#[test]
fn the_table_of_a_plane_has_the_changes_true_to_scale() {
    let table = plane_with_changes(PlaneShape::Plane).to_table();
    let header = ["point", "1st", "2nd", "v, 1st", "v, 2nd", "F(X), 1st", "F(X), 2nd", "σu, 1st", "σu, 2nd"];
    assert_eq!(table.header[..9], header.map(String::from));
    assert_eq!(table.header[9], "attention from 2");
    assert_eq!(table.rows[3][3..5], ["\u{2212}0.5000".to_owned(), "0.2500".to_owned()]);
    assert!(table.rows.iter().all(|row| row.len() == table.header.len()));
    let line = plane_with_changes(PlaneShape::Line).to_table();
    assert_eq!(line.header.len(), 7);
    assert!(line.rows.iter().all(|row| row.len() == line.header.len()));
}

#[test]
fn no_data_break_a_plot() {
    let nasty =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324];
    let mut sets: Vec<Vec<(f64, f64)>> = vec![vec![], vec![(3.0, 3.0)], vec![(3.0, 3.0); 5], vec![(1.0, f64::NAN); 3]];
    sets.extend(nasty.iter().map(|&a| nasty.iter().map(|&b| (a, b)).collect()));
    sets.push(nasty.iter().flat_map(|&a| nasty.iter().map(move |&b| (a, b))).collect());
    let sizes = [(0, 0), (1, 1), (1, 500), (30, 30), (70, 70), (360, 260)];
    let style = Style::svg(Theme::Dark, SCALE);
    for data in &sets {
        for size in sizes {
            for scale in [Scale::Linear, Scale::Log, Scale::Sqrt] {
                let kinds = [SeriesKind::Points, SeriesKind::Hollow, SeriesKind::Line, SeriesKind::Range];
                let series = |kind| Series::new("s", "a series", Role::Local, kind, data.clone());
                let plain = kinds.map(series);
                let logs = kinds.map(|kind| series(kind).given_log10());
                let axis = || AxisSpec::new("axis", scale);
                let mut chart = LineChart::new(axis(), axis(), plain.into_iter().chain(logs).collect());
                chart.mark_x = Some(Mark { x: 3.0, label: "mark".into() });
                chart.hover_x = data.first().map(|p| p.0);
                chart.rules = data.iter().map(|p| Rule::new(p.0, "rule")).collect();
                let band = Band::new("b", "", Role::Skew, data.iter().map(|p| (p.0, p.1, p.0)).collect());
                chart.bands = vec![band.clone().given_log10(), band];
                chart.note = "nothing yet".into();
                let (layout, svg) = draw_chart(&chart, Theme::Dark, size);
                assert!(!svg.contains("NaN"), "NaN was drawn");
                chart.nearest(&layout, 100.0);
                chart.to_table();
                chart.to_csv();
            }
            let mut plane = TokenPlane::new(data.clone());
            plane.changes = Some(Changes {
                nudges: data.clone(),
                images: data.iter().map(|p| (p.1, p.0)).collect(),
                responses: data.clone(),
                stretch: data.first().map_or(1.0, |p| p.1),
                sway: Sway::Ends,
                ..Changes::default()
            });
            plane.shares = data.iter().map(|p| p.0).collect();
            plane.weights = data.iter().map(|p| p.0).collect();
            plane.labels = vec!["name".into(); data.len() + 2];
            plane.ball_label = "R".into();
            plane.ln_sizes = (size.0 % 2 == 0).then(|| data.iter().map(|p| p.1).collect());
            plane.to_table();
            plane.ball_radius = data.first().map(|p| p.0);
            plane.selected = Some(data.len() / 2);
            let (drawn, svg) = render(size, |area| plane.draw(area, &style));
            assert!(drawn.is_ok() && !svg.contains("NaN"));

            let row = |p: &(f64, f64)| LadderRow {
                id: String::new(),
                label: "a number".into(),
                log10: p.1,
                kind: Kind::UpperBound,
                role: Role::Skew,
            };
            let mut ladder = Ladder::new("axis", data.iter().map(row).collect());
            for range in [None, data.first().and_then(|p| Extent::new(p.0, p.1))] {
                (ladder.range, ladder.selected) = (range, Some(3));
                let (drawn, svg) = render(size, |area| ladder.draw(area, &style));
                assert!(drawn.is_ok() && !svg.contains("NaN"));
                drawn.expect("SVG draws").row_at(f64::NAN);
                ladder.table();
                ladder.to_csv();
            }

            let values: Vec<f64> = data.iter().flat_map(|p| [p.0, p.1]).collect();
            for scale in [Scale::Linear, Scale::Log, Scale::Sqrt] {
                let mut map = HeatMap::new(2, data.len(), values.clone());
                map.scale = scale;
                map.column_sums = Some(values.clone());
                (map.highlight_row, map.highlight_col) = (Some(1), Some(99));
                let (drawn, svg) = render(size, |area| map.draw(area, &style));
                assert!(drawn.is_ok() && !svg.contains("NaN"));
                map.rgba(7, 0, &style.palette);
                map.to_csv();
            }
        }
    }
}

#[test]
fn an_empty_chart_shows_its_axes_and_its_note() {
    let axis = |label| AxisSpec::new(label, Scale::Log);
    let mut chart = LineChart::new(axis("tokens n"), axis("norm"), vec![]);
    chart.note = "measuring".into();
    let (_, svg) = draw_chart(&chart, Theme::Light, (360, 260));
    assert_written(&svg, &["tokens n", "norm", "measuring", "100"]);
}
