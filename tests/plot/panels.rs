//! Panels on an SVG back end: one axis for all, rows of colours with their names.

use lipscope_plot::{
    AxisSpec, Extent, HeatRows, LineChart, Panel, Panels, PanelsLayout, Role, Scale, Series, SeriesKind, Style, Theme,
};
use lipscope_testkit::pictures::{SCALE, THEMES, assert_texts_are_separate, assert_written, elements, render};

const STEPS: [f64; 5] = [0.0, 10.0, 20.0, 40.0, 80.0];

fn lines(name: &str, scale: f64) -> Panel {
    let data = STEPS.iter().map(|step| (*step, scale * (1.0 + step))).collect();
    let series = Series::new(name, name, Role::Measured, SeriesKind::Line, data);
    Panel::Lines(LineChart::new(AxisSpec::new("", Scale::Linear), AxisSpec::new(name, Scale::Linear), vec![series]))
}

fn rows() -> HeatRows {
    HeatRows {
        x: AxisSpec::new("", Scale::Linear),
        rows: vec!["model.layers.0".into(), "model.layers.1".into()],
        positions: STEPS.to_vec(),
        values: vec![1.0, 2.0, f64::NAN, 8.0, 16.0, 1.5, 3.0, 6.0, 12.0, 100.0],
        row_label: "layer".into(),
        value_label: "L (block)".into(),
        scale: Scale::Log,
        range: None,
        selected: Some(1),
        mark_x: None,
    }
}

fn panels() -> Panels {
    let x = AxisSpec::new("step", Scale::Linear).whole();
    Panels::new(&x, vec![(lines("loss", 1.0), 1.0), (Panel::Rows(rows()), 1.5), (lines("max_logit", 1e6), 1.0)])
}

fn draw(panels: &Panels, theme: Theme, size: (u32, u32)) -> (PanelsLayout, String) {
    let (layout, svg) = render(size, |area| panels.draw(area, &Style::svg(theme, SCALE)));
    (layout.expect("SVG draws"), svg)
}

#[test]
fn every_panel_has_its_names_and_no_texts_overlap() {
    for theme in THEMES {
        for size in [(360, 520), (900, 620)] {
            let (_, svg) = draw(&panels(), theme, size);
            assert_written(&svg, &["loss", "layer", "model.layers.0", "model.layers.1", "max_logit", "step"]);
            assert_texts_are_separate(&svg, size);
        }
    }
    let (_, svg) = draw(&panels(), Theme::Light, (900, 620));
    assert_written(&svg, &["L (block)", "100"]);
}

#[test]
fn one_x_stands_at_the_same_place_in_all_panels() {
    let (layout, _) = draw(&panels(), Theme::Light, (900, 620));
    for step in STEPS {
        let places: Vec<f64> = layout.layouts().map(|panel| panel.x_to_px(step)).collect();
        assert_eq!(places.len(), 3);
        assert!(places.iter().all(|px| (px - places[0]).abs() < 1e-9), "{places:?}");
        assert!(layout.x_at(places[0]).is_some_and(|x| (x - step).abs() < 1e-6));
    }
    assert_eq!(layout.x_at(1.0), None);
}

#[test]
fn a_pixel_names_its_panel_and_its_row() {
    let (layout, _) = draw(&panels(), Theme::Light, (900, 620));
    let rows = rows();
    let at = |y: f64| {
        let (panel, own, y) = layout.panel_at(y).expect("a panel");
        (panel, rows.row_at(own, y))
    };
    // The rows begin at two sevenths of the height and end at five.
    assert_eq!(at(10.0).0, 0);
    let within: Vec<usize> = (0..620).map(f64::from).filter(|y| at(*y).0 == 1).filter_map(|y| at(y).1).collect();
    assert!(within.first() == Some(&0) && within.last() == Some(&1) && within.is_sorted(), "{within:?}");
    assert_eq!(at(619.0).0, 2);
}

#[test]
fn columns_are_as_wide_as_their_distances_and_a_missing_number_has_no_colour() {
    let only = Panels::new(&AxisSpec::new("step", Scale::Linear), vec![(Panel::Rows(rows()), 1.0)]);
    let (layout, svg) = draw(&only, Theme::Light, (900, 300));
    let own = layout.layouts().next().expect("a panel");
    assert_eq!(rows().x_extent(), Extent::new(-5.0, 100.0));
    let cells: Vec<(f64, f64)> = elements(&svg, "rect")
        .iter()
        .filter(|rect| rect.px("height") > 40.0 && rect.px("x") >= own.plot.left - 1.0 && rect.px("width") > 8.0)
        .filter(|rect| rect.px("width") < 0.6 * own.plot.width())
        .map(|rect| (rect.px("x"), rect.px("width")))
        .collect();
    assert_eq!(cells.len(), 9, "{cells:?}");
    let width = |from: f64, to: f64| own.x_to_px(to) - own.x_to_px(from);
    assert!((cells[0].1 - width(-5.0, 5.0)).abs() < 1.5, "{cells:?}");
    assert!(cells.iter().any(|cell| (cell.1 - width(60.0, 100.0)).abs() < 1.5), "{cells:?}");
}

#[test]
fn a_mark_is_drawn_in_every_panel() {
    let marks = |panels: &Panels| {
        let (_, svg) = draw(panels, Theme::Light, (900, 620));
        elements(&svg, "rect").iter().filter(|rect| rect.px("width") <= 1.1 && rect.px("height") > 60.0).count()
    };
    assert_eq!(marks(&panels().marked(Some(20.0), "")), marks(&panels()) + 3);
}

#[test]
fn many_columns_are_drawn_as_one_a_pixel() {
    let positions: Vec<f64> = (0..20_000).map(f64::from).collect();
    let values = positions.iter().map(|x| 1.0 + x).collect();
    let rows = HeatRows { rows: vec!["a".into()], positions, values, selected: None, ..rows() };
    let only = Panels::new(&AxisSpec::new("step", Scale::Linear), vec![(Panel::Rows(rows), 1.0)]);
    let (_, svg) = draw(&only, Theme::Light, (900, 300));
    assert!(elements(&svg, "rect").len() < 1500, "{} rectangles", elements(&svg, "rect").len());
}

#[test]
fn panels_without_numbers_or_room_are_drawn_too() {
    let empty = HeatRows { rows: Vec::new(), positions: Vec::new(), values: Vec::new(), selected: Some(3), ..rows() };
    let x = AxisSpec::new("step", Scale::Linear);
    for panels in [Panels::new(&x, Vec::new()), Panels::new(&x, vec![(Panel::Rows(empty), 1.0)]), panels()] {
        for size in [(4, 4), (80, 80), (900, 620)] {
            draw(&panels, Theme::Dark, size);
        }
    }
}

#[test]
fn the_numbers_are_a_table_with_a_line_for_each_row() {
    let table = rows().to_table();
    assert_eq!(table.header, ["layer \\ ", "0", "10", "20", "40", "80"]);
    assert_eq!(table.rows[0], ["model.layers.0", "1.000", "2.000", "", "8.000", "16.00"]);
    let csv = panels().to_csv();
    assert!(csv.contains("model.layers.1,1.5,3,6,12,100") && csv.contains("max_logit"), "{csv}");
}
