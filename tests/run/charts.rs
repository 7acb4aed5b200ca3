//! The figures of a run.

use lipscope_plot::{Kind as Claim, Panel, Scale};
use lipscope_run::{Kind, Row, Run, RunView, RunWords, claim, head_tiles, map_with, run_panels, step_table};

/// Two layers at steps 0 and 10; the attention of the first has scores and heads.
fn run() -> Run {
    let mut lines = Vec::new();
    for step in [0, 10] {
        for (at, layer) in ["h.0", "h.1"].into_iter().enumerate() {
            let further = [("loss".to_owned(), Some(3.0 - step as f64 / 10.0))].into();
            let value = Some(1.0 + at as f64 + step as f64);
            lines.push(Row { value, kind: Kind::LowerBound, further, ..Row::new(step, layer, "block") }.to_line());
        }
        let heads = [("max_logit".to_owned(), vec![Some(-1.0), None, Some(0.5)])].into();
        lines.push(Row { max_logit: Some(0.5 + step as f64), heads, ..Row::new(step, "h.0", "attention") }.to_line());
    }
    Run::parse(&lines.join("\n")).expect("a run")
}

fn titles(run: &Run, view: &RunView) -> Vec<String> {
    let title = |panel: &Panel| match panel {
        Panel::Lines(chart) => chart.y.label.clone(),
        Panel::Rows(rows) => rows.value_label.clone(),
    };
    run_panels(run, view, &RunWords::english()).panels().map(title).collect()
}

#[test]
fn a_run_shows_its_blocks_with_the_loss_and_the_layer_whose_norm_is_largest() {
    let run = run();
    let view = RunView::new(&run);
    assert_eq!((view.map.as_str(), view.layer.as_ref().map(|layer| layer.layer.as_str())), ("block", Some("h.1")));
    assert_eq!(titles(&run, &view), ["loss", "L (block)"]);
    let panels = run_panels(&run, &view, &RunWords::english());
    let Some(Panel::Rows(rows)) = panels.panels().nth(1) else { panic!("no rows") };
    assert_eq!((rows.scale, rows.selected, rows.positions.as_slice()), (Scale::Log, Some(1), &[0.0, 10.0][..]));
}

#[test]
fn a_column_of_another_map_is_found_and_the_chosen_layer_is_drawn_last() {
    let run = run();
    let view = RunView { columns: vec!["max_logit".into(), "value".into()], ..RunView::new(&run) };
    assert_eq!(titles(&run, &view), ["loss", "L (block)", "max_logit", "L"]);
    assert_eq!(map_with(&run, "block", "max_logit"), Some("attention"));
    assert_eq!(map_with(&run, "block", "sink"), None);
    let panels = run_panels(&run, &view, &RunWords::english());
    let Some(Panel::Lines(chart)) = panels.panels().last() else { panic!("no lines") };
    let labels: Vec<(&str, &str)> =
        chart.series.iter().map(|series| (series.id.as_str(), series.label.as_str())).collect();
    assert_eq!(labels, [("h.0", ""), ("h.1", "h.1")]);
}

#[test]
fn a_table_has_the_norms_of_a_step_with_their_signs() {
    let table = step_table(&run(), "block", 10, &RunWords::english());
    assert_eq!(table.header, ["layer", "kind", "L", "loss"]);
    assert_eq!(table.rows[1], ["h.1", "lower bound", "≥ 12.00", "2.000"]);
    let claims = Kind::ALL.map(claim);
    assert_eq!(claims, [Claim::Exact, Claim::LowerBound, Claim::Plain, Claim::Plain]);
}

#[test]
fn heads_are_tiles_and_a_head_without_a_number_has_none() {
    let tiles = head_tiles(&run(), "attention", "max_logit", 10, &RunWords::english());
    assert_eq!((tiles.rows.as_slice(), tiles.cols.len()), (&["h.0".to_owned()][..], 3));
    assert_eq!([0, 1, 2].map(|head| tiles.value(0, head)), [Some(-1.0), None, Some(0.5)]);
    assert!(head_tiles(&run(), "attention", "sink", 10, &RunWords::english()).cols.is_empty());
}
