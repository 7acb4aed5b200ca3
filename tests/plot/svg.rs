//! Ladders and heat maps on an SVG back end, and properties of every plot: its CSV, and robustness against any data.

use lipscope_plot::{
    AltText, AxisSpec, Band, Caption, Changes, Dot, Extent, HeatMap, KeyEntry, KeyMark, Kind, Ladder, LadderRow,
    LineChart, MOST_DRAWN, Mark, Palette, PixelRect, Role, Rule, Scale, Scatter, Series, SeriesKind, Style, Sway,
    Theme, Tiles, TokenPlane, css, finish_svg,
};

use lipscope_testkit::pictures::{
    Element, SCALE, SIZES, THEMES, assert_texts_are_separate, assert_written, chart, draw_chart, elements, heat_map,
    ladder, plane, render,
};

#[test]
fn a_narrow_ladder_shortens_its_labels_before_it_shows_nothing() {
    let row =
        |label: &str, log10, kind| LadderRow { id: String::new(), label: label.into(), log10, kind, role: Role::Sharp };
    let rows = vec![
        row("mean-field, published", 9.2645, Kind::UpperBound),
        row("measured at these tokens", 0.2, Kind::Exact),
        row("largest up to n", 123.4, Kind::LowerBound),
    ];
    // The widths that a ladder has beside an open panel.
    for width in [200, 212, 240, 320] {
        let style = Style::canvas(Theme::Light, 1.0);
        let layout = Ladder::new("L", rows.clone()).layout((f64::from(width), 300.0), &style);
        assert_eq!(layout.rows.len(), 3, "{width} px");
        assert!(layout.plot.width() >= 24.0 - 1e-6 && layout.plot.left > 50.0, "{width} px: {:?}", layout.plot);
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
            assert_texts_are_separate(&svg, size);
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
    assert!(
        finish_svg(
            &svg,
            &Style::svg(Theme::Light, SCALE),
            AltText { title: "<t>", description: "" },
            &Caption::default()
        )
        .contains("<title>&lt;t&gt;</title>")
    );
}

#[test]
fn the_roots_of_two_and_three_stand_beside_the_name_of_their_row() {
    for size in SIZES {
        let line = Series::new("s", "measured", Role::Measured, SeriesKind::Line, vec![(2.0, 1.2), (3.0, 1.3)]);
        let x = AxisSpec::new("tokens n", Scale::Log).whole().root("√n").range(Extent::new(2.0, 3.0));
        let (_, svg) = draw_chart(&LineChart::new(x, AxisSpec::new("L", Scale::Log), vec![line]), Theme::Light, size);
        assert_written(&svg, &["√n", "1.414", "1.732"]);
        assert_texts_are_separate(&svg, size);
    }
}

#[test]
fn the_ball_is_as_large_as_its_radius_also_where_type_and_marks_are_enlarged() {
    for times in [1.0, 1.35] {
        let style = Style::svg(Theme::Light, SCALE).enlarged(times);
        let (layout, svg) = render((520, 520), |area| plane().draw(area, &style));
        let chart = layout.expect("SVG draws").chart;
        let expected = chart.x_to_px(2.0) - chart.x_to_px(0.0);
        let radii = elements(&svg, "circle").into_iter();
        let largest = radii.map(|circle| circle.px("r")).fold(0.0, f64::max);
        assert!((largest - expected).abs() < 1.0, "enlarged {times} times: {largest} px for {expected}");
    }
}

#[test]
fn ladders_write_labels_numbers_and_decades_without_overlap() {
    for theme in THEMES {
        for size in [(360, 220), (520, 260)] {
            let (layout, svg) = render(size, |area| ladder().draw(area, &Style::svg(theme, SCALE)));
            let layout = layout.expect("SVG draws");
            assert_eq!((layout.compact, layout.rows.len()), (size.0 == 360, 8));
            assert_texts_are_separate(&svg, size);
            assert_written(
                &svg,
                &["this configuration", "= 11.83", "≥ 5.128", "≥ 0", "≤ 3.484 × 10⁴", "≤ 1.996 × 10⁵⁰⁰⁰", "2.512"],
            );
            assert_written(&svg, &["1", "100", "10⁴", "norm of the Jacobian"]);
        }
    }
}

#[test]
fn bars_of_a_ladder_end_at_their_numbers_or_have_an_arrow_at_the_frame() {
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
        assert!((found - wanted).abs() < 0.3, "row {i} reaches {found}, expected {wanted}");
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
fn a_tall_ladder_fills_its_file() {
    let (ladder, style) = (ladder(), Style::svg(Theme::Light, SCALE));
    let (width, height) = ladder.filled((800.0, 1200.0), &style);
    assert!(width == 800.0 && height < 600.0, "{height} px for {} rows", ladder.rows.len());
    let last = |size: (f64, f64)| ladder.layout(size, &style).rows.last().expect("rows").bottom;
    assert!((last((width, height)) - last((800.0, 1200.0))).abs() < 1.0, "it is drawn as in the tall figure");
    assert!(height - last((width, height)) < 60.0, "{height}: blank below the axis");
    // A figure that the ladder fills keeps its size.
    assert_eq!(ladder.filled((520.0, 160.0), &style), (520.0, 160.0));
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
    assert_eq!(table.rows[6], ["published mean-field", "≤ 1.996 × 10⁵⁰⁰⁰"]);
    let csv = ladder.to_csv();
    assert!(csv.starts_with("row,label,sign,log10 of norm of the Jacobian\r\nexact,this configuration,=,1.073\r\n"));
    assert!(csv.contains("skew,\"same norm, skew\",≥,-inf\r\n"), "{csv}");
}

/// A column of values with logarithms between them cannot be drawn or summed.
#[test]
fn values_and_logarithms_have_columns_of_their_own() {
    let (mut chart, values, logs) =
        (chart(), vec![(2.0, 100.0), (3.0, 0.0)], vec![(2.0, 2.0), (3.0, 5000.0), (4.0, -5000.0)]);
    let line = |id: &str, data| Series::new(id, id, Role::Sharp, SeriesKind::Line, data);
    chart.series = vec![line("values", values), line("logs", logs).given_log10()];
    let csv = chart.to_csv();
    let rows: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').skip(2).collect()).collect();
    assert_eq!(rows[..3], [["2", "100", "2"], ["3", "0", "-inf"], ["2", "100", "2"]]);
    assert_eq!(rows[3..], [["3", "", "5000"], ["4", "", "-5000"]], "past f64 there is the logarithm alone");
}

#[test]
fn csv_holds_exactly_the_numbers_given() {
    let chart = chart();
    let csv = chart.to_csv();
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some("series,label,tokens n,\"norm of the Jacobian, units\",\"log10 of norm of the Jacobian, units\"")
    );
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
fn single_bright_cells_and_tall_bars_remain_visible() {
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
            // The tallest bar has the accent colour.
            let bar = visible(css(palette.accent), layout.sums.expect("there are sums"));
            assert!(cell >= 1.0 && bar >= 1.0, "{n} cells, {at}: the cell is {cell} wide, the bar {bar}");
        }
    }
}

#[test]
fn the_largest_column_sum_is_highlighted_with_its_number_and_column() {
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
            assert_texts_are_separate(&svg, size);
        }
    }
}

#[test]
fn a_heat_map_of_means_counts_items_and_not_cells() {
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
fn any_data_can_be_drawn() {
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
            plane.piles = data.iter().map(|p| p.1).collect();
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
fn many_dots_of_any_numbers_are_drawn_or_left_out() {
    let nasty = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1.0, 2.5, f64::MAX, f64::MIN_POSITIVE];
    let pairs = nasty.iter().flat_map(|&x| nasty.iter().map(move |&y| Dot { x, y, tint: x - y }));
    let dots: Vec<Dot> = pairs.cycle().take(6 * MOST_DRAWN).collect();
    for size in [(0, 0), (1, 1), (1, 500), (70, 70), (360, 260)] {
        for scale in [Scale::Linear, Scale::Log, Scale::Sqrt] {
            let axis = || AxisSpec::new("", scale).range(Extent::new(0.5, 4.0));
            for mut chart in [Scatter::new(axis(), axis()), Scatter::new(axis().range(None), axis().range(None))] {
                chart.dots.clone_from(&dots);
                chart.selected = Some(6 * MOST_DRAWN);
                let (layout, svg) = render(size, |area| chart.draw(area, &Style::svg(Theme::Light, SCALE)));
                let layout = layout.expect("SVG draws");
                // The dots in the frame are at a few positions: either all are drawn, or one per position.
                assert!(layout.n_drawn() <= MOST_DRAWN, "{}", layout.n_drawn());
                assert_eq!(elements(&svg, "circle").len(), layout.n_drawn());
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }
}

#[test]
fn tiles_without_a_number_are_grey_where_they_have_a_meaning_and_the_key_names_it() {
    let tiles = |absent: &str| Tiles {
        rows: vec!["2".into(), "1".into()],
        cols: vec!["10".into(), String::new(), "10³".into()],
        values: vec![1.0, 2.0, 4.0, f64::NAN, 1.5, 3.0],
        row_label: "radius R".into(),
        col_label: "number n".into(),
        value_label: "ratio".into(),
        colors: Extent::new(1.0, 4.0).map(|ends| (ends, Scale::Log)),
        absent: absent.into(),
        ..Tiles::default()
    };
    let draw = |absent: &str, size| {
        render(size, |area| tiles(absent).draw(area, &Style::svg(Theme::Light, SCALE)).expect("SVG draws"))
    };
    for size in SIZES {
        let (layout, svg) = draw("no bound", size);
        assert_written(&svg, &["radius R", "number n", "ratio", "no bound", "10³"]);
        assert_texts_are_separate(&svg, size);
        let (without, svg) = draw("", size);
        assert!(!svg.contains("no bound"));
        assert!(without.plot.top < layout.plot.top, "the entry has a row of its own");
    }
    // Without cells to explain there is no entry.
    let whole = Tiles { values: vec![1.0, 2.0, 4.0, 2.0, 1.5, 3.0], ..tiles("no bound") };
    let (_, svg) = render(SIZES[0], |area| whole.draw(area, &Style::svg(Theme::Light, SCALE)).expect("SVG draws"));
    assert!(!svg.contains("no bound"));
}

#[test]
fn a_band_has_a_bar_where_it_is_told_and_the_key_shows_an_area() {
    let line = |id: &str, times: f64| {
        let data = [1.0, 10.0, 100.0].map(|x: f64| (x, times * x.sqrt())).to_vec();
        Series::new(id, id, Role::Sharp, SeriesKind::Line, data)
    };
    let data = vec![(1.0, 0.0, 0.1), (10.0, 0.5, 1.5), (100.0, 1.0, 1.2)];
    let plain = LineChart {
        bands: vec![Band::new("gap", "gap", Role::Measured, data).given_log10()],
        ..LineChart::new(
            AxisSpec::new("n", Scale::Log),
            AxisSpec::new("L", Scale::Log),
            vec![line("low", 1.0), line("high", 30.0)],
        )
    };
    assert_eq!(plain.bands[0].heights().map(|(x, _)| x).collect::<Vec<_>>(), [1.0, 10.0, 100.0]);
    assert!((plain.bands[0].heights().nth(1).expect("a point").1 - 1.0).abs() < 1e-12);
    let mut marked = plain.clone();
    marked.bands[0].bar = Some(10.0);
    marked.key = vec![KeyEntry { mark: KeyMark::Area(Role::Measured), words: "between the bounds".into() }];
    let draw = |chart: &LineChart| {
        render(SIZES[0], |area| chart.draw(area, &Style::svg(Theme::Light, SCALE)).expect("SVG draws")).1
    };
    let (plain, marked) = (draw(&plain), draw(&marked));
    assert_written(&marked, &["between the bounds"]);
    let lines =
        |svg: &str| svg.matches("<polyline").count() + svg.matches("<line").count() + svg.matches("<path").count();
    // The bar and its two caps, and those of the key.
    assert_eq!(lines(&marked), lines(&plain) + 6);
}
