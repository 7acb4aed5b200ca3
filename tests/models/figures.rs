//! Charts of a table of model measurements, their labels, and the adversarial tokens of a head.

use std::collections::BTreeSet;

use lipscope_core::bounds::ADVERSARIAL;
use lipscope_core::experiment::{Experiment, InputError, Order};
use lipscope_core::fit::fit_power_law;
use lipscope_core::spectral::LanczosOptions;
use lipscope_models::charts::{
    ModelWords, Released, adversarial_chart, by_sink, head_map_table, head_map_tiles, head_tiles, layer_tiles,
    lengths_table, norms_chart, sinks_chart, sqrt_law,
};
use lipscope_models::{
    AdversarialPlan, Cell, Estimate, Estimators, HeadMap, Heads, MapKind, Model, ModelConfig, Needs, PUBLISHED,
    Published, Quantity, Sink, SpectralNorm, Subject, Table, adversarial_curve, adversarial_text, draw_model,
    head_grid, layer_grid, layers_by_head,
};
use lipscope_plot::{Dot, Figure, MOST_DRAWN, Scatter, Style, Theme};

fn subject(text: &str) -> Subject {
    Subject {
        model: "random:gpt2 768x12x12 seed 0".into(),
        text: text.into(),
        map: "with-output".into(),
        mask: "causal".into(),
        estimator: "both".into(),
    }
}

/// A table in which ||J||_2 = 0.2 s n^0.1, where s grows with layer and head and is 1 for the first head of layer 0,
/// and the released-script value is 0.445 n^0.25: each within one per cent, at 7 lengths with 3 windows each.
fn table(layers: &[usize], heads: &[Heads]) -> Table {
    let mut table = Table::new(subject("00ff"));
    for layer in layers {
        for (at, heads) in heads.iter().enumerate() {
            for n in [2usize, 4, 8, 16, 32, 64, 98] {
                for window in 0..3 {
                    let noise = 1.0 + 0.01 * (window as f64 - 1.0);
                    let size = noise * (1.0 + *layer as f64 + 0.1 * at as f64);
                    let value = 0.2 * size * (n as f64).powf(0.1);
                    let estimate = Estimate {
                        spectral: Some(SpectralNorm { value, iterations: 9, relative_residual: 1e-4 * noise }),
                        released: Some(0.445 * noise * (n as f64).powf(0.25)),
                        radius: 27.0 + window as f64,
                        sink: Some(Sink { mass: (n as f64).sqrt() * noise, token: 0, head: 3 }),
                        bounds: None,
                        upper: None,
                        statistics: Default::default(),
                    };
                    table.rows.insert(Cell { layer: *layer, heads: *heads, n, window }, estimate);
                }
            }
        }
    }
    table
}

fn texts(svg: &str) -> Vec<String> {
    let inside = svg.split("<text ").skip(1).filter_map(|rest| rest.split_once('>')?.1.split_once("</text>"));
    inside.map(|(text, _)| text.trim().to_owned()).collect()
}

fn svg(figure: &impl Figure, size: (f64, f64)) -> String {
    figure.to_svg(size, "a figure", &lipscope_plot::Caption::default()).expect("SVG draws")
}

#[test]
fn a_table_is_read_layer_by_layer_and_head_by_head() {
    let groups = table(&[0, 6], &[Heads::All, Heads::One(4)]).groups();
    let cells: Vec<(usize, Heads)> = groups.iter().map(|group| (group.layer, group.heads)).collect();
    assert_eq!(cells, [(0, Heads::All), (0, Heads::One(4)), (6, Heads::All), (6, Heads::One(4))]);
    let group = &groups[0];
    let fit = group.fit(Quantity::Spectral).expect("a fit");
    assert_eq!(Some(fit), fit_power_law(&group.points(Quantity::Spectral)));
    assert!((fit.exponent - 0.1).abs() < 1e-3 && (fit.factor / 0.2 - 1.0).abs() < 0.01, "{fit:?}");
    let [low, high] = fit.factor_interval();
    assert!(low < fit.factor && fit.factor < high && high / low < 1.05, "{fit:?}");
    let at = group.by_length();
    assert_eq!(at.iter().map(|at| (at.n, at.windows)).collect::<Vec<_>>()[..2], [(2, 3), (4, 3)]);
    let norms = at[0].spectral.expect("measured");
    assert!((norms.mean / (0.2 * 2f64.powf(0.1)) - 1.0).abs() < 1e-12, "{norms:?}");
    assert!(norms.low < norms.mean && norms.mean < norms.high);
    let radius = at[0].radius.expect("three windows").mean;
    assert!((at[0].worst_residual - 1.01e-4).abs() < 1e-12 && (radius - 28.0).abs() < 1e-12);
}

#[test]
fn the_scatter_has_its_axes_fits_key_and_published_curve() {
    let (table, words) = (table(&[6], &[Heads::All]), ModelWords::english());
    let groups = table.groups();
    let curves: Vec<Published> =
        PUBLISHED.into_iter().filter(|curve| curve.is_about(&table.subject, 6, Heads::All)).collect();
    assert_eq!(curves.len(), 1);
    let chart = norms_chart(&[&groups[0]], Released::Shown, &curves, &words);
    assert_eq!(chart.dots.len(), 21);
    let svg_text = svg(&chart, (760.0, 460.0));
    let written = texts(&svg_text);
    for wanted in ["n", "local constant", "token norm (RMS)", "27", "29", "‖J‖:", "released:", "published:"] {
        assert!(written.iter().any(|text| text.contains(wanted)), "{wanted} is not among {written:?}");
    }
    assert!(written.join(" ").contains("0.445 n⁰·²⁵"), "{written:?}");
    assert_eq!(svg_text.matches("<circle").count(), 42, "a disc and a ring each");
    let alone = norms_chart(&[&groups[0]], Released::Hidden, &[], &words);
    assert!(alone.series.iter().all(|series| !series.id.contains("released")), "{:?}", alone.series);
    // On a narrow screen no text leaves the figure, and the key is present.
    let narrow = svg(&chart, (340.0, 300.0));
    assert!(texts_inside(&narrow, 340.0 * 4.0), "{narrow}");
    assert!(
        texts(&narrow).iter().any(|text| text == "27") && texts(&narrow).iter().any(|text| text == "29"),
        "{narrow}"
    );
}

fn texts_inside(svg: &str, width: f64) -> bool {
    let cells = svg.split("<text ").skip(1).filter_map(|rest| rest.split_once("x=\"")?.1.split_once('"'));
    cells.filter_map(|(x, _)| x.parse::<f64>().ok()).all(|x| (0.0..=width).contains(&x))
}

#[test]
fn dots_differ_by_colour_and_size_and_are_found_by_pointer_and_keyboard() {
    let groups = table(&[6], &[Heads::All]).groups();
    let chart = norms_chart(&[&groups[0]], Released::Hidden, &[], &ModelWords::english());
    let layout = chart.layout((760.0, 460.0), &Style::svg(Theme::Light, 4.0));
    for (at, dot) in chart.dots.iter().enumerate() {
        let cell = (layout.chart.x_to_px(dot.x), layout.chart.y_to_px(dot.y));
        assert_eq!(layout.nearest(cell), Some(at));
    }
    assert_eq!(layout.nearest((layout.chart.plot.left, layout.chart.plot.top)), None, "nothing is there");
    assert_eq!((chart.next_x(1), chart.previous_x(4)), (Some(3), Some(2)));
    assert_eq!((chart.next_x(20), chart.previous_x(2)), (None, None));
    let document = svg(&chart, (760.0, 460.0));
    let values = |name: &str| -> BTreeSet<String> {
        let circles = document.split("<circle ").skip(1);
        circles.filter_map(|c| Some(c.split_once(&format!("{name}=\""))?.1.split_once('"')?.0.to_owned())).collect()
    };
    assert_eq!((values("r").len(), values("fill").len()), (3, 3), "three token norms");
    let selected = svg(&Scatter { selected: Some(3), ..chart.clone() }, (760.0, 460.0));
    assert!(selected.matches("<circle").count() > document.matches("<circle").count());
    assert_eq!(chart.to_csv().lines().filter(|line| line.starts_with("dots,")).count(), 21);
}

#[test]
fn of_ten_thousand_dots_some_are_drawn_and_all_can_be_found() {
    let groups = table(&[6], &[Heads::All]).groups();
    let mut chart = norms_chart(&[&groups[0]], Released::Hidden, &[], &ModelWords::english());
    chart.dots = (0..10_000)
        .map(|i| Dot { x: 2.0 + f64::from(i % 97), y: 0.1 + f64::from(i) * 1e-4, tint: f64::from(i % 7) })
        .collect();
    let document = svg(&chart, (760.0, 460.0));
    let layout = chart.layout((760.0, 460.0), &Style::svg(Theme::Light, 4.0));
    let drawn = document.matches("<circle").count();
    assert!(drawn <= MOST_DRAWN && drawn > MOST_DRAWN / 2, "{drawn}");
    assert_eq!(layout.n_drawn(), drawn);
    let dot = chart.dots[5_555];
    let found = layout.nearest((layout.chart.x_to_px(dot.x), layout.chart.y_to_px(dot.y))).expect("a dot");
    assert!((chart.dots[found].x - dot.x).abs() < 1.0);
}

#[test]
fn layers_and_heads_by_lengths_are_tiles_with_a_table() {
    let words = ModelWords::english();
    let mut of_layers = table(&[0, 6, 11], &[Heads::All]);
    of_layers.rows.retain(|cell, _| (cell.layer, cell.n) != (6, 8));
    let grid = layer_grid(&of_layers.groups()).expect("three layers");
    assert_eq!((grid.rows.as_slice(), grid.lengths.len()), (&[0, 6, 11][..], 7));
    assert_eq!(grid.at(0, 0).map(|(_, windows)| windows), Some(3));
    assert_eq!((grid.at(1, 2), grid.at(0, 7)), (None, None));
    let tiles = layer_tiles(&grid, &words);
    let document = svg(&tiles, (700.0, 240.0));
    let written = texts(&document);
    for wanted in ["layer", "n", "mean ‖J‖", "0", "6", "11", "98"] {
        assert!(written.iter().any(|text| text == wanted), "{wanted} is not among {written:?}");
    }
    let table_of = tiles.to_table();
    assert_eq!((table_of.header.len(), table_of.rows.len()), (8, 3));
    assert_eq!(table_of.rows[1][3], "", "what was not measured is empty");
    assert!(tiles.to_csv().lines().nth(1).is_some_and(|line| line.starts_with("0,0.2143")), "{}", tiles.to_csv());
    let layout = tiles.layout((700.0, 240.0), &Style::svg(Theme::Light, 4.0));
    let rect = layout.cell_rect(2, 5);
    assert_eq!(layout.cell_at((rect.left + rect.right) / 2.0, (rect.top + rect.bottom) / 2.0), Some((2, 5)));
    assert_eq!(layout.cell_at(0.0, 0.0), None);
    assert_eq!(layer_grid(&table(&[6], &[Heads::All]).groups()), None);

    let by_head = table(&[2, 4], &[Heads::One(0), Heads::One(3)]).groups();
    assert_eq!(layers_by_head(&by_head), [2, 4]);
    let tiles = head_tiles(&head_grid(&by_head, 4).expect("two heads"), &words);
    assert_eq!((tiles.rows.as_slice(), tiles.row_label.as_str()), (&["0".to_owned(), "3".to_owned()][..], "head"));
    assert_eq!(head_grid(&by_head, 0), None);
}

#[test]
fn the_map_of_heads_has_a_row_a_layer_and_a_gap_between_groups_that_share_keys() {
    let heads: Vec<Heads> = (0..6).map(Heads::One).collect();
    let groups = table(&[1, 4], &heads).groups();
    assert_eq!(HeadMap::lengths(&groups), [2, 4, 8, 16, 32, 64, 98]);
    let map = HeadMap::of(&groups, 32).expect("six heads");
    assert_eq!((&map.layers[..], &map.heads[..]), (&[1, 4][..], &[0, 1, 2, 3, 4, 5][..]));
    let (mean, windows) = map.at(1, 5).expect("measured");
    let at_length = groups.last().expect("a group").by_length();
    let of_windows = at_length.iter().find(|at| at.n == 32).and_then(|at| at.spectral).expect("measured");
    assert_eq!((mean, windows), (of_windows.mean, 3));
    assert_eq!((map.at(2, 0), map.at(0, 6)), (None, None));
    assert_eq!(HeadMap::of(&groups, 5), None);
    assert_eq!(HeadMap::of(&table(&[1, 4], &[Heads::All]).groups(), 32), None);
    let words = ModelWords::english();
    let config = ModelConfig { heads: 6, key_heads: 3, ..ModelConfig::llama() };
    assert_eq!(head_map_tiles(&map, Some(&config), &words).breaks, [2, 4]);
    assert_eq!(head_map_tiles(&map, None, &words).breaks, Vec::<usize>::new());
    let rows = head_map_table(&map, Some(&config), &words, |mean| mean.to_string()).rows;
    assert_eq!(rows.len(), 12);
    assert_eq!(rows[11][..4], ["4", "5", "2", "32"].map(str::to_owned));
}

#[test]
fn dots_are_ordered_by_sink_and_the_table_by_length() {
    let (groups, words) = (table(&[6], &[Heads::All]).groups(), ModelWords::english());
    let chart = sinks_chart(&by_sink(&groups[0]), &words);
    assert!(chart.dots.windows(2).all(|pair| pair[0].x <= pair[1].x));
    assert_eq!(by_sink(&groups[0]).len(), chart.dots.len());
    let written = texts(&svg(&chart, (700.0, 400.0)));
    assert!(written.iter().any(|text| text.contains("largest column sum")), "{written:?}");
    let table = lengths_table(&groups[0], &words);
    assert_eq!((table.rows.len(), table.rows[0][0].as_str(), table.rows[0][1].as_str()), (7, "2", "3"));
    assert_eq!(table.rows[0][2].matches('…').count(), 2, "{:?}", table.rows[0]);
}

fn drawn() -> Model {
    let config = ModelConfig::gpt2().resized(32, 3, 4).expect("sizes");
    draw_model(config, &Needs { layers: 3, mlps: 0, ids: BTreeSet::new(), positions: 0 }, 1).expect("a model")
}

fn plan(radius: f64, mask: Order) -> AdversarialPlan {
    let (kind, estimators) = (MapKind::Attention, Estimators::Both);
    AdversarialPlan { radius, mask, kind, estimators, options: LanczosOptions::default() }
}

#[test]
fn adversarial_tokens_of_a_drawn_head_are_those_of_an_experiment_and_reach_their_lower_bound() {
    let (model, radius, lengths, mut n_heads) = (drawn(), 60.0, [2, 5, 10, 30, 60, 98], 0);
    for mask in [Order::Free, Order::Causal] {
        for head in 0..4 {
            let rows = match adversarial_curve(&model, (2, head), &plan(radius, mask), &lengths) {
                Ok(rows) => rows,
                // A random A of rank 8 may have no real eigenvalue.
                Err(InputError::NoRealEigenvalue) => continue,
                Err(problem) => panic!("{problem}"),
            };
            n_heads += 1;
            // The same head as an experiment of the engine, whose bounds have their own tests.
            let part = &model.blocks[2].attention;
            let matrix = |weight: &nalgebra::DMatrix<f32>| -> Vec<Vec<f64>> {
                (0..8).map(|row| (0..32).map(|col| f64::from(weight[(8 * head + row, col)])).collect()).collect()
            };
            let weights = serde_json::json!({"source": "explicit", "heads": [{
                "q": matrix(&part.query.weight), "k": matrix(&part.key.weight), "v": matrix(&part.value.weight),
            }]});
            for (cell, estimate) in &rows {
                let text = serde_json::json!({
                    "tokens": {"source": "adversarial", "n": cell.n, "radius": radius},
                    "weights": weights,
                    "mask": if mask == Order::Causal { "causal" } else { "none" },
                });
                let experiment = Experiment::from_json(&text.to_string()).expect("an experiment");
                let measurement = lipscope_core::measure::measure(&experiment).expect("a norm");
                let measured = measurement.spectral;
                let norm = estimate.spectral.expect("asked for");
                assert!((norm.value / measured - 1.0).abs() < 1e-8, "{head} {cell:?}: {} {measured}", norm.value);
                assert!(norm.is_converged(), "{norm:?}");
                // All tokens but one may have half the norm.
                assert!((0.5..=1.0 + 1e-12).contains(&(estimate.radius / radius)), "{}", estimate.radius);
                let lower = measurement.bounds.iter().find(|bound| bound.id == &ADVERSARIAL);
                let lower = lower.and_then(|bound| bound.value).expect("it applies");
                assert!(norm.value >= lower * (1.0 - 1e-9), "{head} {cell:?}: {} below {lower}", norm.value);
            }
        }
    }
    assert!(n_heads >= 4, "{n_heads} heads have real eigenvalues");
}

#[test]
fn c_sqrt_n_is_fitted_and_the_table_names_its_adversarial_tokens() {
    let rows = adversarial_curve(&drawn(), (2, 1), &plan(60.0, Order::Causal), &[8, 2, 4]).expect("a curve");
    let mut table = Table::new(subject(&adversarial_text(60.0)));
    table.rows.extend(rows);
    let text = table.to_csv().expect("written");
    let again = Table::parse("a.csv", &text).expect("read").expect("rows");
    assert_eq!(again, table);
    assert_eq!(again.subject.adversarial_radius(), Some(60.0));
    let groups = again.groups();
    let fit = sqrt_law(&groups[0], Quantity::Spectral).expect("three lengths");
    let mean = groups[0].points(Quantity::Spectral).iter().map(|(n, l)| (l / n.sqrt()).ln()).sum::<f64>() / 3.0;
    assert!((fit.factor.ln() - mean).abs() < 1e-12 && fit.exponent == 0.5);
    let curve = Published::by_id("adversarial-random-gpt2-6").expect("known");
    let chart = adversarial_chart(&groups[0], &[curve], &ModelWords::english());
    let written = texts(&svg(&chart, (760.0, 460.0))).join(" ");
    assert!(written.contains("√n") && written.contains("0.92 √n"), "{written}");
    let nowhere = adversarial_curve(&drawn(), (2, 9), &plan(60.0, Order::Free), &[2]);
    assert!(nowhere.is_err_and(|problem| problem.to_string().contains("head")));
}
