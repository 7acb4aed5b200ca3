//! A figure as a specification of Vega-Lite.

use super::layers::{Layer, LayerMark, Plotted, PlottedAxis};
use super::text::{MOST_LINES, in_lines, quoted};
use crate::extent::Scale;
use crate::palette::LineStyle;

/// The lines of the specification beside those of the layers.
const OTHERS: usize = 14;
/// CSS pixels in an inch.
const INCH: f64 = 96.0;

pub(super) fn source(plotted: &Plotted, title: &str, (width, height): (f64, f64)) -> String {
    let names: Vec<&Layer> = plotted.layers.iter().filter(|layer| !layer.label.is_empty()).collect();
    let list = |texts: Vec<String>| texts.join(", ");
    let colors = format!(
        "{{\"domain\": [{}], \"range\": [{}]}}",
        list(names.iter().map(|layer| quoted(&layer.label)).collect()),
        list(names.iter().map(|layer| quoted(&layer.css())).collect())
    );
    let layers = plotted.layers.iter().enumerate().map(|(at, layer)| format!("    {}", of_layer(at, layer, &colors)));
    let layers = in_lines(layers.collect(), MOST_LINES - OTHERS, ",").join(",\n");
    let data = format!("layer,x,y,high\\n{}", plotted.points().join("\\n"));
    let (width, height) = ((INCH * width).round(), (INCH * height).round());
    format!(
        r#"{{
  "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
  "title": {title},
  "width": {width}, "height": {height}, "autosize": {{"type": "fit", "contains": "padding"}},
  "data": {{"values": "{data}", "format": {{"type": "csv", "parse": {{"layer": "number", "x": "number", "y": "number", "high": "number"}}}}}},
  "transform": [{{"window": [{{"op": "row_number", "as": "row"}}]}}],
  "encoding": {{
    "x": {{"field": "x", "type": "quantitative", {x}}},
    "y": {{"field": "y", "type": "quantitative", {y}}},
    "order": {{"field": "row", "type": "quantitative"}}
  }},
  "layer": [
{layers}
  ],
  "config": {{"font": "Inter, sans-serif", "axis": {{"labelFontSize": 10.667, "titleFontSize": 10.667}}, "legend": {{"labelFontSize": 10.667}}}}
}}
"#,
        title = quoted(title),
        x = axis(&plotted.x),
        y = axis(&plotted.y),
    )
}

fn of_layer(at: usize, layer: &Layer, colors: &str) -> String {
    // A layer without a name has its colour from its mark, and no entry in the legend.
    let (encoding, color) = if layer.label.is_empty() {
        (String::new(), format!(", \"color\": \"{}\"", layer.css()))
    } else {
        let name = quoted(&layer.label);
        (
            format!("\"color\": {{\"datum\": {name}, \"type\": \"nominal\", \"title\": null, \"scale\": {colors}}}"),
            String::new(),
        )
    };
    let upper = if layer.mark == LayerMark::Area { "\"y2\": {\"field\": \"high\"}" } else { "" };
    let between = if encoding.is_empty() || upper.is_empty() { "" } else { ", " };
    let mark = mark(layer);
    format!(
        "{{\"transform\": [{{\"filter\": \"datum.layer == {at}\"}}], \"mark\": {{{mark}, \"opacity\": {}, \"clip\": true{color}}}, \
         \"encoding\": {{{encoding}{between}{upper}}}}}",
        layer.opacity
    )
}

/// The mark, with its dashes in CSS pixels.
fn mark(layer: &Layer) -> String {
    let dashes = match layer.mark {
        LayerMark::Dots => return "\"type\": \"point\", \"filled\": true, \"size\": 16".into(),
        LayerMark::Rings => return "\"type\": \"point\", \"filled\": false, \"size\": 20".into(),
        LayerMark::Area => return "\"type\": \"area\", \"strokeWidth\": 0".into(),
        LayerMark::Line(LineStyle::Solid) => "",
        LayerMark::Line(LineStyle::Dashed) => ", \"strokeDash\": [7, 4]",
        LayerMark::Line(LineStyle::Dotted) => ", \"strokeDash\": [1, 4]",
        LayerMark::Line(LineStyle::DashDot) => ", \"strokeDash\": [9, 4, 1, 4]",
    };
    format!("\"type\": \"line\", \"strokeWidth\": {}{dashes}", layer.width / 0.75)
}

/// The keys that set an axis.
fn axis(axis: &PlottedAxis) -> String {
    let kind = match axis.scale {
        Scale::Linear => "linear",
        Scale::Log => "log",
        Scale::Sqrt => "sqrt",
    };
    let range = axis.range.filter(|range| range.lo() < range.hi());
    let domain = range.map_or_else(String::new, |range| {
        format!(", \"domain\": [{:?}, {:?}], \"nice\": false", range.lo(), range.hi())
    });
    format!("\"title\": {}, \"scale\": {{\"type\": \"{kind}\", \"zero\": false{domain}}}", quoted(&axis.title))
}
