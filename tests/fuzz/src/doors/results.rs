//! Tables of results that `lipscope model` wrote: read, merged, drawn, written again.

use lipscope_models::charts::{
    ModelWords, Released, adversarial_chart, by_sink, head_tiles, layer_tiles, lengths_table, norms_chart, sinks_chart,
};
use lipscope_models::{PUBLISHED, Table, head_grid, layer_grid, layers_by_head};
use lipscope_plot::{Caption, Figure};

use crate::door::{Allowance, Door, Verdict, refused, within};
use crate::mutate::{Form, vary};
use lipscope_testkit::dice::Dice;

pub(super) const DOOR: Door = Door {
    name: "results",
    about: "tables of `lipscope model` (CSV, JSON): read, merged, drawn as every figure, written and read again",
    made: Vec::new,
    vary: vary_table,
    feed,
};

const READING: Allowance = Allowance { base: 1 << 20, each: 400 };
/// A figure of some thousand windows, with its labels.
const DRAWING: Allowance = Allowance { base: 32 << 20, each: 4_000 };
const SIZE: (f64, f64) = (640.0, 400.0);

fn vary_table(dice: &mut Dice, inputs: &[Vec<u8>]) -> Vec<u8> {
    let form = if dice.once_in(3) { Form::Json } else { Form::Text };
    vary(dice, inputs, form)
}

fn feed(input: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(input);
    let table = match within("reading a table", READING.of(input), || Table::parse("table.csv", &text)) {
        Ok(Some(table)) => table,
        Ok(None) => return Verdict::Refused,
        Err(problem) => return refused(&problem),
    };
    let mut merged = table.clone();
    assert_eq!(merged.merge("itself", table.clone()), Ok(()), "a table does not fit itself");
    assert_eq!(merged, table, "merged with itself a table is another one");
    let csv = table.to_csv().unwrap_or_else(|problem| panic!("{problem}"));
    let json = table.to_value().to_string();
    for (form, written) in [("CSV", csv), ("JSON", json)] {
        let again = Table::parse(form, &written).unwrap_or_else(|problem| panic!("{form} of its own: {problem}"));
        assert_eq!(again.as_ref(), Some(&table), "a table that was written as {form} is another one when it is read");
    }
    within("drawing a table", DRAWING.of(input), || draw(&table));
    Verdict::Taken
}

/// Draws each kind of figure of a table as a file.
fn draw(table: &Table) {
    let (groups, words) = (table.groups(), ModelWords::english());
    let all: Vec<_> = groups.iter().collect();
    svg(&norms_chart(&all, Released::Shown, &PUBLISHED, &words), &table.subject.model);
    // The figures of every group are drawn alike: those of one are enough.
    if let Some(group) = groups.first() {
        svg(&adversarial_chart(group, &PUBLISHED, &words), &table.subject.map);
        svg(&sinks_chart(&by_sink(group), &words), &table.subject.mask);
        let _ = lengths_table(group, &words);
    }
    if let Some(grid) = layer_grid(&groups) {
        svg(&layer_tiles(&grid, &words), "layers");
    }
    if let Some(grid) = layers_by_head(&groups).first().and_then(|layer| head_grid(&groups, *layer)) {
        svg(&head_tiles(&grid, &words), "heads");
    }
}

fn svg(figure: &impl Figure, title: &str) {
    let svg = figure.to_svg(SIZE, title, &Caption::default()).unwrap_or_else(|problem| panic!("{problem}"));
    // A model may have any name, even NaN; a coordinate or a number of the picture must not be NaN.
    let is_none = |part: &str| part.rsplit_once('<').is_some_and(|(words, tag)| words == "NaN" || tag.contains("NaN"));
    assert!(!svg.split('>').any(is_none) && !svg.contains("<img") && !svg.contains('\0'), "svg: {svg:.2000}");
}
