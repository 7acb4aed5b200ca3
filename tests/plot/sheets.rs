//! Figures on sheets: their size, their ground, the size of their type, and their alternative text.

use lipscope_plot::{AltText, Caption, Figure, Ground, Sheet, SheetWidth};
use lipscope_testkit::pictures::{assert_texts_are_separate, chart, elements, heat_map, ladder, plane};

/// Units of a document in an inch.
const INCH: f64 = 4.0 * 96.0;

fn sheets() -> Vec<Sheet> {
    let widths = SheetWidth::NAMED.into_iter().chain([SheetWidth::Inches(1.5), SheetWidth::Inches(12.0)]);
    widths.flat_map(|width| Ground::ALL.map(|ground| Sheet { width, ground })).collect()
}

fn documents() -> Vec<(Sheet, String)> {
    let caption = Caption { settings: "n = 12".into(), link: Some("https://example.org/#v3".into()) };
    let of_sheet = |sheet: Sheet| {
        let draw = [
            chart().on_sheet(&sheet, 0.6, "a chart", &caption),
            plane().on_sheet(&sheet, 1.0, "a plane", &caption),
            ladder().on_sheet(&sheet, 0.5, "a ladder", &caption),
            heat_map(12).on_sheet(&sheet, 0.8, "a matrix", &caption),
        ];
        draw.into_iter().map(move |svg| (sheet, svg.expect("a string takes every drawing")))
    };
    sheets().into_iter().flat_map(of_sheet).collect()
}

#[test]
fn a_sheet_has_its_width_and_all_its_type_has_eight_points() {
    for (sheet, svg) in documents() {
        assert!(
            svg.contains(&format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.4}in\"", sheet.width.inches()))
        );
        for text in elements(&svg, "text") {
            let points = text.attribute("font-size").parse::<f64>().expect("a size") / INCH * 72.0;
            assert!((points - 8.0).abs() < 0.1, "{points} pt: {}", text.text);
        }
    }
}

#[test]
fn the_ground_is_one_rectangle_or_none() {
    for (sheet, svg) in documents() {
        let first = elements(&svg, "rect").first().map(|rect| rect.attribute("fill").to_owned());
        match sheet.ground {
            Ground::White => assert_eq!(first.as_deref(), Some("#ffffff")),
            Ground::Dark => assert_eq!(first.as_deref(), Some("#121417")),
            Ground::None => assert_ne!(first.as_deref(), Some("#ffffff")),
        }
        assert!(!svg.contains("#FBFAF7"), "the page's ground is not that of a sheet");
    }
}

#[test]
fn every_figure_on_a_sheet_says_what_it_shows() {
    for (_, svg) in documents() {
        let head = &svg[..svg.find("<g ").expect("a panel")];
        assert!(head.contains("role=\"img\"") && head.contains("<title>a ") && head.contains("<desc>"), "{head}");
    }
}

#[test]
fn texts_of_a_chart_stay_apart_in_a_column() {
    let sheet = Sheet { width: SheetWidth::Column, ground: Ground::White };
    let size = (3.3 * 96.0, 240.0);
    let svg = chart().drawn_in(size, &sheet.style()).expect("a string takes every drawing");
    assert_texts_are_separate(&svg, (size.0 as u32, size.1 as u32));
}

#[test]
fn two_panels_and_a_caption_do_not_overlap() {
    let caption = Caption { settings: "n = 12".into(), link: None };
    for sheet in sheets() {
        let layout = sheet.lay_out(&[1.0, 0.7], &caption);
        let drawn: Vec<String> =
            [plane().drawn_in((10.0, 10.0), &sheet.style()), chart().drawn_in((10.0, 10.0), &sheet.style())]
                .map(|svg| svg.expect("a string takes every drawing"))
                .into();
        let [left, right] = layout.panels[..] else { panic!("two panels") };
        assert!(left.right < right.left || left.bottom < right.top, "{sheet:?}: {layout:?}");
        assert!(layout.caption_top >= left.bottom.max(right.bottom) && layout.size.1 > layout.caption_top);
        let svg = sheet.document(&layout, &drawn, AltText { title: "both", description: "" }, &caption);
        assert_eq!((svg.matches("<g transform").count(), svg.matches("<desc>").count()), (2, 0));
    }
}
