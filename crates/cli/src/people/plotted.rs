//! A monitored run for people: how L of the layers changed, and where it is largest.

use lipscope_plot::Number;
use lipscope_run::{LOSS, Place, Row, Run, RunView, claim as claimed};

use super::ladder::{Rung, claim};
use super::look::{Ink, Look};
use super::page::Page;

/// The most layers that are shown.
const MOST_LAYERS: usize = 12;

/// The text of a run.
pub(crate) fn plotted(run: &Run, view: &RunView, look: Look) -> String {
    let steps = run.steps();
    let (first, last) = (steps.first().copied().unwrap_or_default(), steps.last().copied().unwrap_or_default());
    let worst = worst(run, &view.map);
    let headline = worst.map_or_else(|| "No norm was found.".to_owned(), |row| format!("L {}", number(row)));
    let place = worst.map(|row| format!("The largest of all steps and layers: step {}, {}.", row.step, row.place()));
    let places = run.places(&view.map);
    let rungs: Vec<Rung> = places.iter().take(MOST_LAYERS).filter_map(|place| rung(run, view, place, last)).collect();
    let hidden = places.len().saturating_sub(MOST_LAYERS);
    Page::new(&headline, look)
        .lines(Ink::Text, place)
        .line(Ink::Text, &subject(run, view, places.len()))
        .lines(Ink::Text, loss(run))
        .gap()
        .ladder(&format!("L of each layer at step {last}, on a logarithmic scale:"), &rungs)
        .lines(Ink::Muted, (hidden > 0).then(|| format!("{hidden} more layers are not shown.")))
        .line(
            Ink::Muted,
            &format!("Steps {first} to {last}, {} in all. --csv writes every row, --out a figure.", steps.len()),
        )
        .text()
}

/// The row of a map with the largest norm.
fn worst<'a>(run: &'a Run, map: &str) -> Option<&'a Row> {
    let rows = run.rows().iter().filter(|row| row.map == map);
    let norms = rows.filter_map(|row| Some((row, row.value?)));
    norms.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, _)| row)
}

fn subject(run: &Run, view: &RunView, layers: usize) -> String {
    let model = run.header().map_or_else(String::new, |header| format!("Model {}, ", header.model));
    format!("{model}map {}, layers: {layers}.", view.map)
}

fn loss(run: &Run) -> Option<String> {
    let losses = run.per_step(LOSS)?;
    let (first, last) = (losses.first()?, losses.last()?);
    let [from, to] = [first, last].map(|(step, loss)| format!("{} at step {step}", Number::of(*loss)));
    Some(format!("Loss {from}, {to}."))
}

fn rung(run: &Run, view: &RunView, place: &Place, step: u64) -> Option<Rung> {
    let row = run.row(&view.map, place, step)?;
    Some(Rung::from_value(place.to_string(), row.value.unwrap_or(f64::NAN), claimed(row.kind), Ink::Strong))
}

fn number(row: &Row) -> String {
    claim(row.value.unwrap_or(f64::NAN).log10(), claimed(row.kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_run::Kind;

    use crate::people::look::Colours;

    #[test]
    fn a_run_shows_its_largest_norm_and_each_layer_at_the_last_step() {
        let row = |step, layer: &str, value, loss| {
            let kind = if value == Some(4.0) { Kind::Exact } else { Kind::LowerBound };
            let further = [("loss".to_owned(), Some(loss))].into();
            Row { value, kind, further, ..Row::new(step, layer, "block") }.to_line()
        };
        let lines = [
            row(0, "h.0", Some(2.0), 4.0),
            row(0, "h.1", Some(9.5), 4.0),
            row(50, "h.0", Some(4.0), 2.5),
            row(50, "h.1", None, 2.5),
        ];
        let run = Run::parse(&lines.join("\n")).expect("a run");
        let text = plotted(&run, &RunView::new(&run), Look { width: 60, colours: Colours::Absent });
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(lines[1], "  L ≥ 9.500", "{text}");
        assert!(text.contains("The largest of all steps and layers: step 0, h.1."), "{text}");
        assert!(text.contains("Loss 4.000 at step 0, 2.500 at step 50."), "{text}");
        assert!(lines.iter().any(|line| line.starts_with("  h.0  = 4")), "{text}");
        assert!(lines.contains(&"  h.1  no value"), "{text}");
    }
}
