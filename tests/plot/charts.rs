//! Line charts on an SVG back end: curves, bands, rules, labels, and reading values from them.

use lipscope_plot::{
    AxisSpec, Band, Extent, Kind, LineChart, Palette, Role, Rule, Scale, Series, SeriesKind, Style, Theme, css,
};

use lipscope_testkit::pictures::{
    Element, SCALE, SIZES, THEMES, assert_texts_are_separate, assert_written, chart, draw_chart, elements, texts,
    unescaped,
};

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
            assert_texts_are_separate(&svg, size);
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
fn larger_values_are_higher_and_further_right() {
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
            assert!((back - n).abs() < 1e-9 * n, "x = {n} was mapped to {back}");
            let back = layout.px_to_y(layout.y_to_px(n));
            assert!((back - n).abs() < 1e-9 * n, "y = {n} was mapped to {back}");
        }
        assert!((layout.x_to_px(2.0) - layout.plot.left).abs() < 1e-9);
        assert!((layout.y_to_px(1000.0) - layout.plot.top).abs() < 1e-9);
    }
}

#[test]
fn curves_are_clipped_at_the_frame_with_an_arrow_where_they_leave() {
    let mut chart = chart();
    chart.y.range = Extent::new(1.0, 100.0);
    let (layout, svg) = draw_chart(&chart, Theme::Light, (900, 520));
    let plot = layout.plot;
    // Apart from curves, only leader lines are strokes beside the plot.
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
fn bands_are_behind_everything_and_clipped_exactly_at_the_frame() {
    let mut chart = chart();
    let points = [2.0, 8.0, 64.0, f64::NAN, 512.0, 4096.0];
    // From far below the frame (zero on a log axis) to beyond the range of f64.
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
            assert!((found - wanted).abs() < 0.3, "the area ends at {found}, expected {wanted}");
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
        assert_texts_are_separate(&svg, size);
        assert_written(&svg, &["near the right end", "first of two", "second of two", "at the left end"]);
        for element in elements(&svg, "text") {
            let text = unescaped(element.text);
            assert!(text != "outside" && text != "nowhere", "{text:?} is written");
            if chart.rules.iter().any(|rule| rule.label == text) {
                let (rect, plot) = (element.text_box(), layout.plot);
                // The names of curves begin 8 pixels to the right of the plot.
                let inside = rect.left > plot.left && rect.right < plot.right + 8.0 && rect.top >= plot.top;
                assert!(inside, "{text:?} {rect:?} leaves the plot {plot:?}");
            }
        }
    }
}

#[test]
fn a_curve_that_ends_early_has_its_name_at_its_own_end() {
    let line = |id: &str, last: f64| {
        let data = [2.0, last].map(|x: f64| (x, x.sqrt())).to_vec();
        Series::new(id, id, Role::Measured, SeriesKind::Line, data)
    };
    let axis = |label| AxisSpec::new(label, Scale::Log);
    let chart = LineChart::new(axis("n"), axis("L"), vec![line("early", 256.0), line("whole", 1e6)]);
    let (layout, svg) = draw_chart(&chart, Theme::Light, (900, 520));
    let left_and_middle = |name: &str| {
        let all = elements(&svg, "text");
        let label = all.iter().find(|e| e.text == name).unwrap_or_else(|| panic!("{name} is not written")).text_box();
        (label.left, 0.5 * (label.top + label.bottom))
    };
    let (left, middle) = left_and_middle("early");
    let end = (layout.x_to_px(256.0), layout.y_to_px(16.0));
    assert!((0.0..20.0).contains(&(left - end.0)), "the name begins at {left}, the curve ends at {}", end.0);
    assert!((middle - end.1).abs() < 6.0, "the name is at the height {middle}, the end at {}", end.1);
    assert!(left_and_middle("whole").0 > layout.plot.right);
}

#[test]
fn what_lies_far_above_all_others_is_lifted_into_the_strip() {
    let flat = |id: &str, log10: f64| {
        let data = vec![(2.0, log10), (256.0, log10)];
        Series::new(id, id, Role::PublishedGeneral, SeriesKind::Line, data).given_log10()
    };
    let lifted = |scale: Scale, logs: [f64; 3]| {
        let series = ["low", "near", "far"].into_iter().zip(logs).map(|(id, log10)| flat(id, log10)).collect();
        let mut chart = LineChart::new(AxisSpec::new("n", Scale::Log), AxisSpec::new("L", scale), series);
        chart.lift(&["near", "far"], 2.0, |label, log10, up| {
            [format!("{label}: {log10}, {up} decades up"), label.to_owned()]
        });
        let words = chart.above.iter().map(|above| above.words[0].clone()).collect::<Vec<_>>();
        (words, chart.series.len())
    };
    assert_eq!(lifted(Scale::Log, [0.5, 2.0, 9.5]), (vec!["far: 9.5, 9 decades up".to_owned()], 2));
    // A series near one that stays also stays.
    assert_eq!(lifted(Scale::Log, [0.5, 2.0, 3.9]), (vec![], 3));
    assert_eq!(lifted(Scale::Log, [0.5, 4.0, 5.0]).1, 1);
    // An axis that is no logarithm has no strip.
    assert_eq!(lifted(Scale::Linear, [0.5, 4.0, 9.5]), (vec![], 3));
    // A faint series is faint in the strip too.
    let faint = Series { opacity: 0.4, ..flat("far", 9.5) };
    let [x, y] = ["n", "L"].map(|name| AxisSpec::new(name, Scale::Log));
    let mut chart = LineChart::new(x, y, vec![flat("low", 0.5), faint]);
    chart.lift(&["far"], 2.0, |label, _, _| [label.to_owned(), label.to_owned()]);
    assert_eq!(chart.above.iter().map(|above| above.opacity).collect::<Vec<_>>(), [0.4]);
}

#[test]
fn a_narrow_strip_leaves_out_how_far_a_value_is_above_before_it_cuts_the_value() {
    let flat = |id: &str, log10: f64| {
        Series::new(id, id, Role::PublishedGeneral, SeriesKind::Line, vec![(2.0, log10), (256.0, log10)]).given_log10()
    };
    let [x, y] = ["n", "L"].map(|name| AxisSpec::new(name, Scale::Log));
    let mut chart = LineChart::new(x, y, vec![flat("low", 0.5), flat("mean-field [C]", 9.5)]);
    let short = "mean-field [C] ≤ 3.163 × 10⁹";
    chart.lift(&["mean-field [C]"], 2.0, |_, _, up| [format!("{short}, {up} decades up"), short.into()]);
    for (width, words) in [(900, "mean-field [C] ≤ 3.163 × 10⁹, 9 decades up"), (362, short)] {
        let (_, svg) = draw_chart(&chart, Theme::Light, (width, 217));
        assert!(elements(&svg, "text").iter().any(|text| text.text == words), "{width}: {words}");
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
    let filled = fill(Role::LowerBound);
    assert!(filled.len() == 2 && !filled.contains(&"none".to_owned()), "{filled:?}");
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
fn bounds_in_the_table_are_rounded_so_that_they_still_hold() {
    let axis = || AxisSpec::new("", Scale::Linear);
    let of = |id: &str, claim| {
        Series::new(id, id, Role::Unified, SeriesKind::Line, vec![(1.0, 2.00049f64.log10())]).given_log10().claim(claim)
    };
    let series = vec![of("upper", Kind::UpperBound), of("lower", Kind::LowerBound), of("plain", Kind::Plain)];
    let table = LineChart::new(axis(), axis(), series).to_table();
    assert_eq!(table.rows, [["1", "2.001", "2.000", "2.000"]]);
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
fn an_empty_chart_shows_its_axes_and_its_note() {
    let axis = |label| AxisSpec::new(label, Scale::Log);
    let mut chart = LineChart::new(axis("tokens n"), axis("norm"), vec![]);
    chart.note = "measuring".into();
    let (_, svg) = draw_chart(&chart, Theme::Light, (360, 260));
    assert_written(&svg, &["tokens n", "norm", "measuring", "100"]);
}
