//! A figure as a Python program for Matplotlib.

use super::layers::{Layer, Plotted, PlottedAxis};
use super::text::{SCRIPT, one_line, quoted};
use crate::extent::Scale;

pub(super) fn source(plotted: &Plotted, title: &str, (width, height): (f64, f64)) -> String {
    let layer = |layer: &Layer| {
        let (color, mark) = (layer.css(), layer.mark.id());
        format!("    ({}, \"{mark}\", \"{color}\", {}, {}),\n", quoted(&layer.label), layer.opacity, layer.width)
    };
    let layers: String = plotted.layers.iter().map(layer).collect();
    let points = plotted.points().join("\n");
    let equal = if plotted.has_equal_units { "\naxes.set_aspect(\"equal\")" } else { "" };
    format!(
        r##"# {title}
# label, mark, colour, opacity and line width (pt) of each layer
LAYERS = [
{layers}]
# number of the layer, x, y, upper y of an area
POINTS = """
{points}
"""
# {SCRIPT}
# Writes figure.pdf, or the file that is named after the program. Needs matplotlib.
import sys

import matplotlib.pyplot as plt

plt.rcParams.update({{"font.size": 8, "pdf.fonttype": 42, "axes.spines.top": False, "axes.spines.right": False}})
rows = [[float(cell) for cell in line.split(",")] for line in POINTS.split()]
figure, axes = plt.subplots(figsize=({width:.4}, {height:.4}), layout="constrained")
for number, (label, mark, color, opacity, width) in enumerate(LAYERS):
    points = [row[1:] for row in rows if row[0] == number]
    x, y, high = zip(*points) if points else ((), (), ())
    look = {{"color": color, "alpha": opacity, "label": label or None}}
    if mark == "area":
        axes.fill_between(x, y, high, linewidth=0, **look)
    elif mark in ("dots", "rings"):
        face = color if mark == "dots" else "none"
        axes.plot(x, y, "o", markersize=3, markerfacecolor=face, **look)
    else:
        axes.plot(x, y, linestyle=mark, linewidth=width, **look)
{x}
{y}{equal}
if any(layer[0] for layer in LAYERS):
    axes.legend(frameon=False)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "figure.pdf")
"##,
        title = one_line(title),
        x = axis("x", &plotted.x),
        y = axis("y", &plotted.y),
    )
}

/// The lines that set an axis.
fn axis(name: &str, axis: &PlottedAxis) -> String {
    let title = quoted(&axis.title);
    let scale = match axis.scale {
        Scale::Linear => String::new(),
        Scale::Log => format!("\naxes.set_{name}scale(\"log\")"),
        Scale::Sqrt => {
            format!("\naxes.set_{name}scale(\"function\", functions=(lambda v: abs(v) ** 0.5, lambda v: v * v))")
        }
    };
    let range = axis.range.filter(|range| range.lo() < range.hi());
    let range =
        range.map_or_else(String::new, |range| format!("\naxes.set_{name}lim({:?}, {:?})", range.lo(), range.hi()));
    format!("axes.set_{name}label({title}){scale}{range}")
}
