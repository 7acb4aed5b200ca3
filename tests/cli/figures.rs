//! Figures as files: widths, sheets, PDF with its font, and sources for other tools.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

const RUN: [&str; 13] = [
    "model",
    "--weights",
    "random:gpt2",
    "--dim",
    "32",
    "--heads",
    "4",
    "--layers",
    "0",
    "-n",
    "2:8:2",
    "--windows",
    "1",
];

fn drawn(folder: &Path, options: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
    command.current_dir(folder).args(RUN).args(["-o", "table.csv"]).args(options).assert()
}

#[test]
fn an_svg_file_has_the_width_and_the_sheet_that_were_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let widths = [("column", "3.3000in"), ("page", "6.9000in"), ("slide", "6.2992in"), ("5", "5.0000in")];
    for (width, inches) in widths {
        drawn(folder.path(), &["--svg", "a.svg", "--width", width]).success();
        let svg = fs::read_to_string(folder.path().join("a.svg")).expect("written");
        assert!(
            svg.contains(&format!("width=\"{inches}\"")) && svg.contains("fill=\"#ffffff\""),
            "{width}: {svg:.300}"
        );
        assert!(
            svg.contains("role=\"img\"") && svg.contains("<title>") && svg.contains("<desc>"),
            "{width}: {svg:.300}"
        );
        // 8 pt: a third of an inch has 24 of them, and 128 units of the document.
        assert!(svg.contains("font-size=\"43\"") || svg.contains("font-size=\"42.6"), "{width}: {svg:.2000}");
    }
    drawn(folder.path(), &["--svg", "a.svg", "--sheet", "none"]).success();
    let svg = fs::read_to_string(folder.path().join("a.svg")).expect("written");
    assert!(!svg.contains("fill=\"#ffffff\"") && !svg.contains("#FBFAF7"), "{svg:.300}");
}

#[test]
fn a_pdf_file_has_its_size_and_its_font() {
    let folder = tempfile::tempdir().expect("a folder");
    drawn(folder.path(), &["--pdf", "a.pdf", "--width", "column"]).success();
    let pdf = fs::read(folder.path().join("a.pdf")).expect("written");
    let text = String::from_utf8_lossy(&pdf);
    assert!(text.starts_with("%PDF-") && text.trim_end().ends_with("%%EOF"));
    assert!(text.contains("Inter-Regular") && text.contains("/FontFile"), "the font is not in the file");
    assert!(!text.contains("/Subtype /Image"), "a figure is vectors");
    assert!(text.contains("/MediaBox [0 0 237."), "3.3 in are nearly 238 pt");
}

#[test]
fn a_figure_is_written_as_a_source_for_each_tool() {
    let folder = tempfile::tempdir().expect("a folder");
    for (file, word) in [("a.py", "import matplotlib"), ("a.tex", "\\begin{axis}"), ("a.json", "vega-lite")] {
        drawn(folder.path(), &["--redraw", file]).success();
        let source = fs::read_to_string(folder.path().join(file)).expect("written");
        assert!(source.contains(word), "{file}: {source:.300}");
    }
}

#[test]
fn a_width_or_a_file_of_no_kind_is_refused_with_those_that_there_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = [
        (&["--svg", "a.svg", "--width", "wide"][..], "column, page, slide"),
        (&["--svg", "a.svg", "--sheet", "grey"], "white"),
        (&["--redraw", "a.txt"], ".tex for pgfplots"),
        (&["--width", "page"], "--svg"),
    ];
    for (options, words) in refused {
        let assert = drawn(folder.path(), options).code(2);
        let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(said.contains(words), "{options:?}: {said}");
    }
}
