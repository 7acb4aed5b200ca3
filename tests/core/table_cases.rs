//! Tables as other programs write and print them, from public bug reports. Each kept file of `tests/data/cases/tables`
//! is read as the tokens it means, asked about, or refused with words that say how to fix it. The exports made for
//! these tests are read too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use lipscope_core::experiment::{
    FirstColumn, FirstRow, Given, InputError, NumberComma, Rows, Table, TableAnswers, TableQuestion, TableSource,
};
use lipscope_testkit::in_repository;
use serde_json::Value;

fn folder() -> PathBuf {
    in_repository("tests/data/cases/tables")
}

fn source(name: &str) -> TableSource {
    TableSource::file(name, std::fs::read(folder().join(name)).expect(name))
}

/// The rows and the line about them, read as the page and as the command line read them.
fn read(source: &TableSource) -> Result<(Rows, String), InputError> {
    let reading = source.read(Table::Tokens);
    match (Given::read_source(source), &reading) {
        (Ok(Given::Tokens(other)), Ok(reading)) => assert_eq!(other, *reading),
        (Err(other), Err(problem)) => assert_eq!(other, *problem),
        (other, reading) => panic!("{other:?}, but {reading:?}"),
    }
    reading.map(|reading| (reading.rows.clone(), reading.line(Table::Tokens).to_string()))
}

#[track_caller]
fn check(name: &str, source: &TableSource, rows: &[&[f64]], told: &str) {
    let (found, line) = read(source).unwrap_or_else(|problem| panic!("{name}: {problem}"));
    assert_eq!(found.iter().collect::<Vec<_>>(), rows, "{name}: {line}");
    assert!(line.contains(told), "{name}: {line}");
}

/// The expected result of each kept file, for all readers (tests/data/cases/README.md).
fn kept() -> BTreeMap<String, Value> {
    serde_json::from_str(include_str!("../data/cases/tables.json")).expect("JSON")
}

fn words(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().map(|word| word.as_str().expect("words")).collect()
}

#[test]
fn every_kept_file_is_read_asked_about_or_refused() {
    for (name, case) in kept() {
        let mut source = source(&name);
        if let Some(asked) = case["asked"].as_str() {
            let problem = read(&source).expect_err(&name);
            assert!(matches!(problem, InputError::TwoReadings { question: TableQuestion::Header, .. }), "{problem}");
            assert_eq!((asked, &case["answer"]), ("header", &Value::from("first-row")), "{name}");
            source.answers.header = Some(FirstRow::Header);
        }
        if case["refused"].is_array() {
            let problem = read(&source).expect_err(&name).to_string();
            assert!(words(&case["refused"]).iter().all(|part| problem.contains(part)), "{name}: {problem}");
        } else {
            let rows: Vec<Vec<f64>> = serde_json::from_value(case["rows"].clone()).expect("rows");
            let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
            check(&name, &source, &rows, case["told"].as_str().expect("words"));
        }
    }
}

#[test]
fn no_kept_file_is_left_out() {
    let files = std::fs::read_dir(folder()).expect("the kept files").map(|entry| entry.expect("a file").file_name());
    let files: BTreeSet<String> = files.map(|name| name.into_string().expect("a name")).collect();
    assert_eq!(kept().into_keys().collect::<BTreeSet<_>>(), files);
}

/// The tokens of the exports made here.
const OWN: [&[f64]; 2] = [&[1.5, 2.0], &[-0.25, 3.0]];

#[test]
fn exports_of_other_programs_are_read_in_their_shape() {
    let scaled = "\nX =\n\n   1.0e+03 *\n\n    1.5000    0.0020\n   -0.0003    0.0030\n\n";
    for (text, told) in [
        ("\"\";\"x\";\"y\"\n\"1\";1,5;2\n\"2\";-0,25;3\n", "decimal commas"),
        ("\"x\";\"y\"\n1,5;2,0\n-0,25;3,0\n", "decimal commas"),
        ("X =\n\n  Columns 1 through 1\n\n    1.5000\n   -0.2500\n\n  Column 2\n\n    2\n    3\n", "joined"),
        ("X =\n\n Columns 1 and 2:\n\n   1.5000   2.0000\n  -0.2500   3.0000\n\n", ""),
        ("ans =\n\n  2\u{d7}2 single matrix\n\n    1.5000    2.0000\n   -0.2500    3.0000\n", ""),
        ("2-element Vector{Vector{Float64}}:\n [1.5, 2.0]\n [-0.25, 3.0]", ""),
        ("2\u{d7}2 Matrix{Float64}:\n  1.5   2.0\n -0.25  3.0", ""),
        ("julia> [1.5 2.0; -0.25 3.0]\n2\u{d7}2 Matrix{Float64}:\n  1.5   2.0\n -0.25  3.0\n\njulia>", "a prompt"),
        ("[1.5 2.0\n -0.25 3.0]", ""),
        ("      x     y\n0  1.50  2.00\n1 -0.25  3.00\n\n[2 rows x 2 columns]", "header (x, y), index column"),
        ("        x  \\\n0  1.50   \n1 -0.25   \n\n     y  \n0  2.0  \n1  3.0  ", "joined"),
        ("        0  \\\n0  1.50   \n1 -0.25   \n\n     1  \n0  2.0  \n1  3.0  \n\n[2 rows x 2 columns]", "joined"),
        ("        x    y\ncat  1.50  2.0\ndog -0.25  3.0", "row names"),
        ("word,x,y\ncat,1.5,2\ndog,-0.25,3\n", "row names"),
        ("{\"x\":{\"0\":1.5,\"1\":-0.25},\"y\":{\"0\":2.0,\"1\":3.0}}", "names of columns"),
        ("{\"0\":{\"x\":1.5,\"y\":2.0},\"1\":{\"x\":-0.25,\"y\":3.0}}", "names of columns"),
        ("[{\"word\":\"cat\",\"y\":1.5,\"x\":2},{\"x\":3,\"y\":-0.25,\"word\":\"dog\"}]", "the keys word"),
        (
            "{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"index\":0,\"embedding\":[1.5,2]},\
             {\"object\":\"embedding\",\"index\":1,\"embedding\":[-0.25,3]}],\"model\":\"m\",\"usage\":{\"total_tokens\":4}}",
            "the keys",
        ),
        ("x;y\n1,5;2\n-0,25;3", "decimal commas"),
        ("1,5 2\n-0,25 3", "decimal commas"),
        ("Array([[ 1.5e+00,  2.0e+00],\n       [-2.5e-01,  3.0e+00]], dtype=float32, weak_type=True)", ""),
        (
            "<tf.Variable 'Variable:0' shape=(2, 2) dtype=float32, numpy=\narray([[ 1.5 ,  2.  ],\n       [-0.25,  3.  ]], dtype=float32)>",
            "",
        ),
        (
            "Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,\n       [[ 1.5,  2. ],\n        [-0.25,  3. ]])",
            "",
        ),
        ("     [,1]\n[1,]  1.50\n[2,] -0.25\n     [,2]\n[1,]    2\n[2,]    3", "joined"),
        ("      x  y\ncat  1.50  2\ndog -0.25  3", "row names"),
        ("# A tibble: 2 \u{d7} 2\n      x     y\n  <dbl> <dbl>\n1  1.5      2\n2 -0.25     3", "index column"),
        ("   x   | y \n-------+---\n   1.5 | 2\n -0.25 | 3\n(2 rows)", "header (x, y)"),
        ("\\begin{bmatrix}\n1.5 & 2 \\\\\n-0.25 & 3\n\\end{bmatrix}", ""),
        ("\\left[\\begin{array}{cc} 1.5 & 2 \\\\ -0.25 & 3 \\end{array}\\right]", ""),
        ("{{1.5`16., 2}, {-2.5*^-1, 3.`}}", ""),
        ("tokens = np.array([\n    [1.5, 2],\n    [-0.25, 3],\n])", ""),
        ("array([[[ 1.5 ,  2.  ],\n        [-0.25,  3.  ]]])", "batch of one"),
        ("...1,...2\n1.5,2\n-0.25,3", "header (...1, ...2)"),
        ("matrix([1.5,2],[-0.25,3])", ""),
        ("Out[3]= {{1.5, 2.}, {-0.25, 3.}}", "a prompt"),
        ("2 2\nking 1.5 2\nman -0.25 3\n", "the line 2 2, row names"),
        (
            "+-------+---+\n| x     | y |\n+-------+---+\n|   1.5 | 2 |\n| -0.25 | 3 |\n+-------+---+\n2 rows in set (0.00 sec)\n",
            "header (x, y)",
        ),
    ] {
        check(text, &TableSource::text(text), &OWN, told);
    }
    check(scaled, &TableSource::text(scaled), &[&[1500.0, 2.0], &[-0.3, 3.0]], "format long g");
    let thousands = "x;y\n1.234,5;2\n-0,25;3";
    check(thousands, &TableSource::text(thousands), &[&[1234.5, 2.0], &[-0.25, 3.0]], "decimal commas");
    let narrow = "1\u{202f}234,5\t2\n-0,25\t3";
    check(narrow, &TableSource::text(narrow), &[&[1234.5, 2.0], &[-0.25, 3.0]], "decimal commas");
    for text in [
        "[1] 1.5 -0.25\n[3] 3.0",
        "3-element Vector{Float64}:\n  1.5\n -0.25\n  3.0",
        "0    1.50\n1   -0.25\n2    3.00\nName: x, dtype: float64",
        "[1.5; -0.25; 3]",
        "c(1.5, -0.25, 3)",
        "X =\n\n    1.5000\n   -0.2500\n    3.0000\n",
        "x\n1.5\n-0.25\n3",
    ] {
        check(text, &TableSource::text(text), &[&[1.5], &[-0.25], &[3.0]], "");
    }
}

#[test]
fn exports_that_mean_nothing_certain_are_refused_with_the_way_out() {
    for (text, parts) in [
        ("        x    y\n0    1.5  2.0\n..   ...  ...\n99 -0.25  3.0\n\n[100 rows x 2 columns]", &["abridged"][..]),
        ("3\u{d7}2 Matrix{Float64}:\n 1.0  2.0\n \u{22ee}\n 3.0 4.0", &["abridged"]),
        ("      x    y\n0  1.50  NaN\n1 -0.25  3.0", &["Row 1, column 3", "NaN"]),
        ("      x  y\n1  1.50 NA\n2 -0.25  3", &["Row 1, column 3", "NA"]),
        ("3\u{d7}2 Matrix{Float64}:\n 1.0  2.0\n 3.0 4.0", &["3 x 2", "2 x 2 were read"]),
        ("x\u{2502}y\n1\u{2502}2", &["frame of lines", "CSV"]),
        (
            "X =\n\n  Columns 1 through 2\n\n 1 2\n 3 4\n\n  Columns 4 through 5\n\n 1 2\n 3 4\n",
            &["do not fit together", "CSV"],
        ),
        ("     [,1] [,2]\n[1,]  1.5    2", &["one token"]),
        ("x(:,:,1) =\n\n 1 2\n 3 4\n\nx(:,:,2) =\n\n 5 6\n 7 8", &["more than two dimensions"]),
        ("{\"cells\": [], \"metadata\": {}, \"nbformat\": 4}", &["notebook", "numpy.save"]),
        ("{\"king\": [1, 2], \"queen\": [3, 4]}", &["king, queen", "list of rows"]),
        ("[{\"x\":1,\"y\":2},{\"x\":1,\"z\":2}]", &["object 2"]),
        ("[{\"x\":1,\"x\":2},{\"x\":3,\"x\":4}]", &["`x` stands twice"]),
        ("[{\"x\":1},{\"x\":\"1.5\"}]", &["Row 2, column 1", "1.5"]),
        ("np.exp([[1, 2], [3, 4]])", &["np.exp", "paste the list"]),
        ("np.array([[1, 2], [3, 4]]).T", &["follows its last bracket"]),
        ("[1 2 3; 4 5]", &["Row 2"]),
        ("$1.50,2\n$3,4", &["$1.50"]),
        ("1,2\n3,4\ntotal,6", &["Row 3, column 1", "total"]),
        ("x;y\n1.5;2,5\n3;4", &["2,5"]),
    ] {
        let problem = read(&TableSource::text(text)).expect_err(text).to_string();
        assert!(parts.iter().all(|part| problem.contains(part)), "{text}: {problem}");
    }
    for (bytes, part) in [
        (&b"PK\x03\x04\x14\0\0\0\x08\0xl/workbook.xml"[..], "save the sheet as csv"),
        (b"MATLAB 5.0 MAT-file, Platform: GLNXA64", "writematrix"),
        (b"\x80\x04\x95\x10", "pickle"),
        (b"\x1f\x8b\x08\0", "write.csv"),
        (b"PAR1\x15\x04", "to_csv"),
    ] {
        let problem = read(&TableSource::file("it", bytes.to_vec())).expect_err("a container").to_string();
        assert!(problem.starts_with("it cannot be read") && problem.to_lowercase().contains(part), "{problem}");
    }
}

#[test]
fn what_can_be_read_in_two_ways_is_asked_and_each_answer_holds() {
    let header = |header| TableAnswers { header: Some(header), ..TableAnswers::default() };
    let index = |index| TableAnswers { index: Some(index), ..TableAnswers::default() };
    let decimal = |decimal| TableAnswers { decimal: Some(decimal), ..TableAnswers::default() };
    type Answered<'a> = (TableAnswers, &'a [&'a [f64]]);
    let cases: [(&str, TableQuestion, [Answered<'_>; 2]); 6] = [
        (
            "0,1\n1.5,2.5\n",
            TableQuestion::Header,
            [(header(FirstRow::Numbers), &[&[0.0, 1.0], &[1.5, 2.5]]), (header(FirstRow::Header), &[])],
        ),
        (
            "0\n1.5\n2.5\n",
            TableQuestion::Header,
            [(header(FirstRow::Numbers), &[&[0.0], &[1.5], &[2.5]]), (header(FirstRow::Header), &[&[1.5], &[2.5]])],
        ),
        (
            "0\t1.5\n1\t2.5\n2\t-1",
            TableQuestion::Index,
            [
                (index(FirstColumn::Numbers), &[&[0.0, 1.5], &[1.0, 2.5], &[2.0, -1.0]]),
                (index(FirstColumn::Index), &[&[1.5], &[2.5], &[-1.0]]),
            ],
        ),
        (
            "id,x\n1,1.5\n2,2.5\n",
            TableQuestion::Index,
            [
                (index(FirstColumn::Numbers), &[&[1.0, 1.5], &[2.0, 2.5]]),
                (index(FirstColumn::Index), &[&[1.5], &[2.5]]),
            ],
        ),
        (
            "x y\n10 1.5 3\n20 2.5 4\n",
            TableQuestion::Index,
            [
                (index(FirstColumn::Numbers), &[&[10.0, 1.5, 3.0], &[20.0, 2.5, 4.0]]),
                (index(FirstColumn::Index), &[&[1.5, 3.0], &[2.5, 4.0]]),
            ],
        ),
        (
            "1,234\t2\n3\t4,500\n",
            TableQuestion::Decimal,
            [
                (decimal(NumberComma::Decimal), &[&[1.234, 2.0], &[3.0, 4.5]]),
                (decimal(NumberComma::Thousands), &[&[1234.0, 2.0], &[3.0, 4500.0]]),
            ],
        ),
    ];
    for (text, expected, answers) in cases {
        let problem = read(&TableSource::text(text)).expect_err(text);
        let InputError::TwoReadings { table: Table::Tokens, question, .. } = problem else {
            panic!("{text}: {problem}")
        };
        assert_eq!(question, expected, "{text}");
        for (answers, rows) in answers {
            let source = TableSource { answers, ..TableSource::text(text) };
            match rows {
                [] => assert!(read(&source).is_err(), "{text}: one token"),
                rows => check(text, &source, rows, ""),
            }
        }
    }
    // Brackets and types leave nothing to ask.
    for text in ["[[0, 1], [1, 0]]", "[0 1; 1 0]", "tensor([[0., 1.], [1., 0.]])"] {
        check(text, &TableSource::text(text), &[&[0.0, 1.0], &[1.0, 0.0]], "");
    }
}
