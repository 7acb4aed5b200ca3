//! How the rows of a run are grouped.

use lipscope_run::{Place, Row, Run};

/// A log of two layers at steps 0 and 10, with a loss and a column of layers.
fn log() -> String {
    let mut lines = Vec::new();
    for step in [10, 0] {
        for (at, layer) in ["h.10", "h.9"].into_iter().enumerate() {
            for map in ["attention", "block"] {
                let mut row = Row::new(step, layer, map);
                row.value = (map == "block").then_some(step as f64 + at as f64);
                row.further.insert("loss".into(), Some(1.0 / (1.0 + step as f64)));
                row.further.insert("rank".into(), Some(at as f64));
                if map == "attention" {
                    row.sink = Some(2.0);
                    row.heads.insert("sink".into(), vec![Some(2.0), None]);
                }
                lines.push(row.to_line());
            }
        }
    }
    lines.join("\n")
}

fn place(layer: &str) -> Place {
    Place { layer: layer.into(), call: None, item: None }
}

#[test]
fn rows_are_grouped_by_step_layer_and_map() {
    let run = Run::parse(&log()).expect("a run");
    assert_eq!(run.steps(), [0, 10]);
    assert_eq!(run.maps(), ["attention", "block"]);
    assert_eq!(run.places("block"), [place("h.10"), place("h.9")]);
    let grid = run.grid("block", "value");
    assert_eq!(grid.values, [Some(0.0), Some(10.0), Some(1.0), Some(11.0)]);
    assert_eq!((grid.of_place(1), grid.at(2, 0), grid.at(0, 2)), (vec![(0, 1.0), (10, 11.0)], None, None));
    assert_eq!(run.row("block", &place("h.9"), 10).and_then(|row| row.value), Some(11.0));
}

#[test]
fn columns_are_those_with_numbers() {
    let run = Run::parse(&log()).expect("a run");
    assert_eq!(run.columns("block"), ["value", "loss", "rank"]);
    assert_eq!(run.columns("attention"), ["sink", "loss", "rank"]);
    assert_eq!(run.columns("mlp"), Vec::<&str>::new());
    assert_eq!(run.columns_per_step(), ["loss"]);
    assert_eq!(run.per_step("loss"), Some(vec![(0, 1.0), (10, 1.0 / 11.0)]));
    assert_eq!((run.per_step("rank"), run.per_step("sink")), (None, None));
}

#[test]
fn heads_are_those_of_a_step() {
    let run = Run::parse(&log()).expect("a run");
    assert_eq!(run.head_columns("attention"), ["sink"]);
    assert_eq!(run.head_columns("block"), Vec::<&str>::new());
    let found = run.heads("attention", 10);
    assert_eq!(found.len(), 2);
    assert_eq!((&found[1].0, &found[1].1["sink"]), (&place("h.9"), &vec![Some(2.0), None]));
}

#[test]
fn the_later_of_two_measurements_of_a_step_counts() {
    let row = |value: f64| Row { value: Some(value), ..Row::new(5, "h.0", "block") }.to_line();
    let run = Run::parse(&[row(1.0), row(2.0)].join("\n")).expect("a run");
    assert_eq!((run.rows().len(), run.rows()[0].value), (1, Some(2.0)));
}

#[test]
fn items_and_calls_are_places_of_their_own() {
    let row = |call, item| Row { call, item, ..Row::new(0, "h.0", "block") };
    let lines: Vec<String> = [(None, None), (Some(1), None), (None, Some(2)), (Some(1), Some(2))]
        .map(|(call, item)| row(call, item).to_line())
        .into();
    let names: Vec<String> =
        Run::parse(&lines.join("\n")).expect("a run").places("block").iter().map(Place::to_string).collect();
    assert_eq!(names, ["h.0", "h.0 call=1", "h.0 item=2", "h.0 call=1 item=2"]);
}
