//! Points in the plane and on a line on an SVG back end, with changes of the points.

use lipscope_plot::{
    Changes, DrawnChanges, Extent, Palette, PixelRect, PlaneAxes, PlaneShape, Style, Sway, Theme, TokenPlane, css,
};

use lipscope_testkit::pictures::{
    Element, SCALE, SIZES, THEMES, assert_texts_are_separate, assert_written, elements, plane, render,
};

#[test]
fn token_planes_name_axes_and_ball_without_overlap() {
    for theme in THEMES {
        for size in SIZES {
            let (_, svg) = render(size, |area| plane().draw(area, &Style::svg(theme, SCALE)));
            assert_written(&svg, &["first axis, 83% of variance", "second axis, 12%", "R = 2", "4"]);
            assert_texts_are_separate(&svg, size);
        }
    }
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
fn the_disc_of_each_point_has_its_radius_and_lies_inside_the_plot() {
    let mut plane = TokenPlane::new(vec![(-1.0, 0.0), (1.5, 0.5), (0.0, -1.0)]);
    plane.reach = Some(0.75);
    for (width, height) in SIZES {
        let (layout, svg) = render((width, height), |area| plane.draw(area, &Style::svg(Theme::Light, SCALE)));
        let layout = layout.expect("SVG draws");
        let radius = layout.chart.x_to_px(0.75) - layout.chart.x_to_px(0.0);
        let discs: Vec<_> =
            elements(&svg, "circle").into_iter().filter(|disc| (disc.px("r") - radius).abs() < 1.0).collect();
        assert_eq!(discs.len(), 6, "a disc and its edge for each of three points");
        let plot = &layout.chart.plot;
        for disc in discs {
            let (x, y, r) = (disc.px("cx"), disc.px("cy"), disc.px("r"));
            assert!(plot.left <= x - r && x + r <= plot.right && plot.top <= y - r && y + r <= plot.bottom);
            assert!(layout.positions.iter().flatten().any(|place| (place.0 - x).hypot(place.1 - y) < 1.0));
        }
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
        labels: vec!["4 outputs here".into()],
        names: ["v".into(), "F(X)".into(), "σu".into()],
        drawn: None,
        sway: Sway::Arrows,
    });
    plane
}

#[test]
fn the_label_of_the_ball_does_not_cover_points_on_a_line() {
    let clusters = |at: &[f64]| TokenPlane::new(at.iter().flat_map(|&x| vec![(x, 0.0); 40]).collect());
    for size in SIZES {
        for ends in [[-2.0, 2.0], [2.0, 2.3], [2.05, 2.1]] {
            let mut line = clusters(&ends);
            (line.ball_radius, line.ball_label) = (Some(2.0), "R = 2.000".into());
            line.x_label = "coordinate".into();
            let (layout, svg) = render(size, |area| line.draw(area, &Style::svg(Theme::Light, SCALE)));
            let layout = layout.expect("SVG draws");
            assert_texts_are_separate(&svg, size);
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
fn no_label_lies_on_the_arrow_of_its_point() {
    let mut plane = plane_with_changes(PlaneShape::Plane);
    plane.labels = ["first", "second", "third", "fourth"].map(String::from).to_vec();
    let (layout, svg) = render((900, 520), |area| plane.draw(area, &Style::svg(Theme::Light, SCALE)));
    let layout = layout.expect("SVG draws");
    let texts = elements(&svg, "text");
    // The change of the first token goes to the right, that of the last one to the left and up.
    for (label, i, is_left) in [("first", 0, true), ("fourth", 3, false)] {
        let text = texts.iter().find(|e| e.text == label).expect("it is labelled").text_box();
        let place = layout.positions[i].expect("a place");
        assert_eq!(text.right < place.0, is_left, "{label}: {text:?} beside {place:?}");
    }
}

#[test]
fn no_label_of_a_point_lies_on_an_image() {
    // Ten tokens at the left end, and their outputs in a row to the right of it, as under the causal mask.
    let mut plane = plane_with_changes(PlaneShape::Plane);
    plane.selected = None;
    plane.held = Extent::new(-2.5, 2.5).map(|extent| (extent, extent));
    plane.labels = vec!["10 tokens here".into()];
    let changes = plane.changes.as_mut().expect("changes");
    changes.labels = Vec::new();
    changes.nudges = vec![(0.0, 0.0); 4];
    changes.responses = vec![(0.0, 0.01); 10];
    changes.images = (0..10).map(|i| (-1.8 + 0.1 * f64::from(i), 0.05)).collect();
    for size in [(362, 260), (900, 520)] {
        let (layout, svg) = render(size, |area| plane.draw(area, &Style::svg(Theme::Light, SCALE)));
        let chart = layout.expect("SVG draws").chart;
        let texts = elements(&svg, "text");
        let text = texts.iter().find(|e| e.text == "10 tokens here").expect("it is labelled").text_box();
        for (x, y) in &plane.changes.as_ref().expect("changes").images {
            let (x, y) = (chart.x_to_px(*x), chart.y_to_px(*y));
            let is_on = text.left <= x && x <= text.right && text.top <= y && y <= text.bottom;
            assert!(!is_on, "{size:?}: an output at ({x}, {y}) under {text:?}");
        }
    }
}

#[test]
fn a_plane_without_axes_gives_its_room_to_the_points() {
    let mut plane = TokenPlane::new(vec![(-1.5, 0.0), (0.0, 1.5), (1.5, -0.5)]);
    (plane.ball_radius, plane.ball_label) = (Some(1.5), "R = 1.5".into());
    let mut drawn = |axes: PlaneAxes, size: (u32, u32)| {
        plane.axes = axes;
        let (layout, svg) = render(size, |area| plane.draw(area, &Style::svg(Theme::Light, SCALE)));
        let chart = layout.expect("SVG draws").chart;
        (chart.x_to_px(1.5) - chart.x_to_px(-1.5), elements(&svg, "text").len())
    };
    for (size, least) in [((362, 240), 1.3), ((600, 500), 1.15)] {
        let (with, bare) = (drawn(PlaneAxes::Drawn, size), drawn(PlaneAxes::Absent, size));
        assert!(bare.0 > least * with.0, "{} px, {} px with axes", bare.0, with.0);
        assert_eq!(bare.1, 1, "the label of the ball is all its text");
    }
}

#[test]
fn tokens_at_one_place_are_a_pile_whose_area_grows_with_their_number() {
    let dots = |counts: [f64; 2]| {
        let mut plane = TokenPlane::new(vec![(-1.0, 0.5), (1.0, -0.5)]);
        plane.piles = counts.to_vec();
        let (_, svg) = render((400, 400), |area| plane.draw(area, &Style::svg(Theme::Light, SCALE)));
        let places: Vec<(f64, f64)> = elements(&svg, "circle").iter().map(|e| (e.px("cx"), e.px("cy"))).collect();
        let first: Vec<_> = places.iter().filter(|p| p.0 < 200.0).copied().collect();
        let width = |axis: fn(&(f64, f64)) -> f64| {
            let values = || first.iter().map(axis);
            values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
        };
        (places.len(), width(|p| p.0) * width(|p| p.1))
    };
    let (few, many) = (dots([16.0, 1.0]), dots([64.0, 1.0]));
    assert_eq!([few.0, many.0], [17, 65]);
    assert!((3.0..5.5).contains(&(many.1 / few.1)), "{} and {}", few.1, many.1);
    // A place that another point stands for has no dot, and a pile has so many dots at most.
    assert_eq!(dots([2.0, 0.0]).0, 2);
    assert_eq!(dots([1e6, 1.0]).0, 257);
}

#[test]
fn only_the_changes_that_are_wanted_are_drawn_and_the_table_has_all() {
    let mut plane = plane_with_changes(PlaneShape::Plane);
    let lines = |plane: &TokenPlane| {
        let (_, svg) = render((400, 400), |area| plane.draw(area, &Style::svg(Theme::Light, SCALE)));
        elements(&svg, "polyline").len() + elements(&svg, "polygon").len()
    };
    let (all, table) = (lines(&plane), plane.to_table());
    plane.changes.as_mut().expect("changes").drawn = Some(DrawnChanges { nudges: vec![0], images: vec![1] });
    let one = lines(&plane);
    plane.changes.as_mut().expect("changes").drawn = Some(DrawnChanges::default());
    assert!(lines(&plane) < one && one < all, "{} {one} {all}", lines(&plane));
    assert_eq!(plane.to_table(), table);
}

#[test]
fn the_label_of_an_image_is_below_its_square_and_within_the_plot() {
    let mut plane = plane_with_changes(PlaneShape::Plane);
    plane.held = Extent::new(-2.5, 2.5).map(|extent| (extent, extent));
    plane.changes.as_mut().expect("changes").images[0] = (2.45, 0.0);
    let (layout, svg) = render((300, 300), |area| plane.draw(area, &Style::svg(Theme::Light, SCALE)));
    let chart = layout.expect("SVG draws").chart;
    let texts = elements(&svg, "text");
    let label = texts.iter().find(|e| e.text == "4 outputs here").expect("it is labelled").text_box();
    assert!(label.top > chart.y_to_px(0.0) && label.top < chart.y_to_px(0.0) + 12.0, "{label:?}");
    assert!(label.right <= chart.plot.right + 1.0, "{label:?} is cut off at {}", chart.plot.right);
}

#[test]
fn an_animated_change_moves_points_and_images_and_a_static_one_marks_its_ends() {
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
        // On a line, the part of a change across the line is not drawn.
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
fn the_table_of_a_plane_has_the_changes_without_the_stretch() {
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
