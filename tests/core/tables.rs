//! Tables written by NumPy, PyTorch, JSON, CSV and people are read as the numbers they mean, for tokens and for
//! weights.

use lipscope_core::experiment::table::Table;
use lipscope_core::experiment::{Given, TableSource, WeightSource, WeightTables};
use lipscope_core::measure::measure;
use serde_json::json;

/// Prints of one and the same array, as NumPy 2 and PyTorch 2 make them, and other ways to write it down.
const SAME: [&str; 24] = [
    "[[ 1.   -2.5 ]\n [ 0.25  3.  ]]",
    "array([[ 1.  , -2.5 ],\n       [ 0.25,  3.  ]])",
    "np.array([[1, -2.5], [.25, 3.]])",
    "x = numpy.array([[1, -2.5], [.25, 3.]], dtype=np.float64);",
    "array([[ 1.  , -2.5 ],\n       [ 0.25,  3.  ]], dtype=float32)",
    "matrix([[ 1.  , -2.5 ],\n        [ 0.25,  3.  ]])",
    "tensor([[ 1.0000, -2.5000],\n        [ 0.2500,  3.0000]])",
    "tensor([[ 1.0000, -2.5000],\n        [ 0.2500,  3.0000]], dtype=torch.float64)",
    "tensor([[ 1.0000, -2.5000],\n        [ 0.2500,  3.0000]], device='cuda:0')",
    "tensor([[ 1.0000, -2.5000],\n        [ 0.2500,  3.0000]], device='cuda:0', grad_fn=<MmBackward0>)",
    "tensor([[ 1.0000, -2.5000],\n        [ 0.2500,  3.0000]], dtype=torch.float64,\n       grad_fn=<AddBackward0>)",
    "Parameter containing:\ntensor([[ 1.0000, -2.5000],\n        [ 0.2500,  3.0000]], requires_grad=True)",
    "tensor([[ 1.0000e+00, -2.5000e+00],\n        [ 2.5000e-01,  3.0000e+00]])",
    "Array([[ 1.  , -2.5 ],\n       [ 0.25,  3.  ]], dtype=float32)",
    "[[np.float64(1.0), np.float64(-2.5)], [np.float64(0.25), np.float64(3.0)]]",
    "[[tensor(1.), tensor(-2.5000, dtype=torch.float64)], [tensor(0.25), tensor(3.)]]",
    "[[1, -2.5], [0.25, 3]]",
    "[[1.,\u{2212}2.5],[2.5e-1,+3.]]",
    "1,-2.5\n0.25,3\n",
    "1., -2.5\n.25, 3.",
    "1\t\u{2212}2.5\n.25\t3e0",
    "1 -2.5\r\n0.25 3\r\n",
    "\u{feff}a;b\n1;-2.5\n25e-2;3",
    "# numpy.savetxt\n1.000000000000000000e+00 -2.500000000000000000e+00\n2.500000000000000000e-01 3.000000000000000000e+00",
];

#[test]
fn every_print_of_an_array_is_read_for_tokens_and_for_every_matrix() {
    for text in SAME {
        for table in [Table::Tokens, Table::Query, Table::Key, Table::Value, Table::Output] {
            let rows = table.read(None, text.as_bytes()).unwrap_or_else(|problem| panic!("{text}\n{problem}"));
            assert_eq!((rows.n_columns(), rows.entries()), (2, &[1.0, -2.5, 0.25, 3.0][..]), "{text}");
        }
    }
}

#[test]
fn rows_that_are_printed_over_several_lines_are_rows() {
    let wide: Vec<String> = (0..24).map(|at| format!("{at}.")).collect();
    let wrapped = |row: &[String]| row.chunks(7).map(|chunk| chunk.join(" ")).collect::<Vec<_>>().join("\n  ");
    let text = format!("[[{}]\n [{}]]", wrapped(&wide), wrapped(&wide));
    let rows = Table::Tokens.read(None, text.as_bytes()).expect("two rows");
    assert_eq!((rows.n_rows(), rows.n_columns(), rows.entries()[47]), (2, 24, 23.0));
}

#[test]
fn a_flat_list_is_tokens_of_one_number_and_one_row_of_a_matrix() {
    for text in ["[-1. 1. 1.]", "array([-1.,  1.,  1.])", "tensor([-1., 1., 1.])", "[-1, 1, 1]"] {
        let shape = |table: Table| table.read(None, text.as_bytes()).map(|rows| (rows.n_rows(), rows.n_columns()));
        assert_eq!((shape(Table::Tokens), shape(Table::Query)), (Ok((3, 1)), Ok((1, 3))), "{text}");
    }
    assert_eq!(Table::Value.read(None, b"1,2,3").map(|rows| rows.n_rows()), Ok(1));
}

#[test]
fn what_cannot_be_read_is_answered_with_the_place_and_the_fix() {
    for (text, parts) in [
        ("[[1. 2.]\n ...\n [3. 4.]]", &["abridged", "set_printoptions", "numpy.save"][..]),
        ("tensor([[1., 2., ..., 3.]])", &["abridged", "torch.set_printoptions"]),
        ("1 2 … 3\n4 5 … 6", &["abridged"]),
        ("[[1, 2], [3]]", &["Row 2", "length 1", "length 2"]),
        ("[[1. 2.]\n [3. nan]]", &["Row 2, column 2", "nan"]),
        ("[[1. 2.]\n [3. 4j]]", &["Row 2, column 2", "4j"]),
        ("[[True, False], [1, 2]]", &["Row 1, column 1", "True"]),
        ("[[1, 2], 3]", &["Row 2", "list of numbers"]),
        ("[1, [2]]", &["beside its rows"]),
        ("[[[1, 2]], [[3, 4]]]", &["two dimensions"]),
        ("[[1, 2], [3, 4]", &["not closed", "whole list"]),
        ("[[1, 2], [3, 4]] [[5, 6]]", &["follows its last bracket"]),
        ("tensor([[1., 2.]])\ntensor([[3., 4.]])", &["follows its last bracket"]),
        ("[]", &["empty"]),
        ("[[]]", &["empty"]),
    ] {
        let problem = Table::Tokens.read(None, text.as_bytes()).expect_err(text).to_string();
        assert!(parts.iter().all(|part| problem.contains(part)), "{text}: {problem}");
    }
    let problem = Table::Key.read(None, b"[[1, x]]").expect_err("a word").to_string();
    assert!(problem.contains("column 2 of K"), "{problem}");
}

fn tables(q: &str, k: &str, v: &str, output: &str) -> WeightTables {
    let [q, k, v, output] = [q, k, v, output].map(TableSource::text);
    WeightTables { q, k, v, output }
}

#[test]
fn the_tables_of_a_head_are_the_weights_of_an_experiment_with_the_same_matrices() {
    let read = tables("tensor([[1., 0.5]])", "[[0.25 -1.]]", "1 0\n0 1\n1 1", "[1. 2. 3.]").read(Some(2)).expect("fit");
    let value = json!({
        "tokens": {"source": "random", "n": 5, "d": 2, "radius": 2},
        "weights": {"source": "explicit", "heads": [{"q": [[1, 0.5]], "k": [[0.25, -1]], "v": [[1, 0], [0, 1], [1, 1]]}],
                    "output": [[1, 2, 3]]},
    });
    let experiment = lipscope_core::experiment::Experiment::from_value(value).expect("valid");
    assert_eq!(experiment.weights.as_ref(), Some(&read));
    assert!(measure(&experiment).expect("measured").spectral > 0.0);
    // Without a table for V, V is the identity; without one for the output matrix, there is none.
    let WeightSource::Explicit { heads, output, .. } = tables("1 2", "3 4", " \n", "").read(None).expect("fit") else {
        panic!("listed weights");
    };
    assert_eq!((heads[0].v.entries(), output), (&[1.0, 0.0, 0.0, 1.0][..], None));
}

#[test]
fn tables_that_do_not_fit_are_named_with_the_shapes_found_and_allowed() {
    let (two, three) = ("1 2\n3 4", "1 2 3\n4 5 6");
    for (given, d, parts) in [
        (tables(two, two, "", ""), Some(3), ["Q is 2 x 2", "any number of rows of 3 numbers", "dimension 3"]),
        (tables(two, three, "", ""), Some(2), ["K is 2 x 3", "2 x 2", "Q x_i"]),
        (tables(two, "1 2", "", ""), None, ["K is 1 x 2", "2 x 2", "Q x_i"]),
        (tables(two, two, three, ""), Some(2), ["V is 2 x 3", "any number of rows of 2 numbers", "same tokens"]),
        (tables(two, two, two, three), Some(2), ["The output matrix is 2 x 3", "rows of 2 numbers", "V x"]),
        (tables("", two, "", ""), Some(2), ["Q is empty", "row", "number"]),
    ] {
        let problem = given.read(d).expect_err("shapes that do not fit").to_string();
        assert!(parts.iter().all(|part| problem.contains(part)), "{problem}");
    }
}

#[test]
fn a_print_that_is_dropped_or_pasted_is_tokens() {
    let found = Given::read(None, SAME[9].as_bytes());
    assert!(matches!(&found, Ok(Given::Tokens(reading)) if reading.rows.n_rows() == 2), "{found:?}");
}
