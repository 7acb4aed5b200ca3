//! Tables in which something looks like something else: tokens like comments, numbers like names, one column like two.
//! Each is read as what it is, asked about with an answer that holds, or refused by name.

use lipscope_core::experiment::{
    FirstColumn, FirstRow, InputError, NumberComma, Table, TableAnswers, TableQuestion, TableSource,
};

/// The rows that were read, and the line about them.
fn read(text: &str, answers: TableAnswers) -> Result<(Vec<Vec<f64>>, String), InputError> {
    let source = TableSource { answers, ..TableSource::text(text) };
    let reading = source.read(Table::Tokens)?;
    Ok((reading.rows.iter().map(<[f64]>::to_vec).collect(), reading.line(Table::Tokens).to_string()))
}

#[track_caller]
fn check(text: &str, rows: &[&[f64]], told: &str) {
    let (found, line) = read(text, TableAnswers::default()).unwrap_or_else(|problem| panic!("{text}: {problem}"));
    assert_eq!(found, rows, "{text}: {line}");
    assert!(line.contains(told), "{text}: {line}");
}

#[test]
fn tokens_that_look_like_comments_are_rows() {
    let three: [&[f64]; 3] = [&[1.25, -2.5], &[3.5, 4.75], &[-0.125, 6.0]];
    for text in [
        "token\tx\ty\nplay\t1.25\t-2.5\n##ing\t3.5\t4.75\nnow\t-0.125\t6.0",
        "play 1.25 -2.5\n##ing 3.5 4.75\nnow -0.125 6.0",
        ",x,y\nplay,1.25,-2.5\n##ing,3.5,4.75\nnow,-0.125,6.0",
        "          x     y\nplay   1.25 -2.50\n##ing  3.50  4.75\nnow   -0.125  6.00",
        "the 1.25 -2.5\n% 3.5 4.75\nof -0.125 6.0",
        "# 1.25 -2.5\nthe 3.5 4.75\nof -0.125 6.0",
        "a\t1.25\t-2.5\n//\t3.5\t4.75\nb\t-0.125\t6",
    ] {
        check(text, &three, "as a row");
    }
    for text in [
        "a 1.25 -2.5\n##1 3.5 4.75\nb -0.125 6.0",
        "token,vector\na,\"[1.25, -2.5]\"\n#,\"[3.5, 4.75]\"\n##1,\"[-0.125, 6]\"",
        "a,1.25,-2.5\n//1,3.5,4.75\n#2,-0.125,6",
        "          x     y\n#     1.25 -2.50\n##ing  3.50  4.75\n%    -0.125  6.00",
        "##1 1.25 -2.5\n##2 3.5 4.75\n##3 -0.125 6",
    ] {
        check(text, &three, "");
    }
    check("# 1.25 -2.5\n% 3.5 4.75\n// -0.125 6", &three, "row names");
    check("x y\n1.25 -2.5\n# 9 9\n3.5 4.75\n-0.125 6 # last", &three, "comments, the comment # 9 9");
    check("# a\n# b\n1.25 -2.5\n3.5 4.75\n-0.125 6", &three, "2 comments (# a, ..)");
}

#[test]
fn numbers_with_units_are_refused_and_not_left_out() {
    for text in ["1 cm,2 cm", "1 cm,2 cm\n3 cm,4 cm", "1.5,2 cm\n3.5,4 cm", "x;y\n1;2 kg\n3;4 kg", "1 2cm\n3 4cm"] {
        let problem = read(text, TableAnswers::default()).expect_err(text);
        assert!(matches!(problem, InputError::NotANumber { .. }), "{text}: {problem}");
    }
}

#[test]
fn a_vocabulary_holds_signs_and_numbers() {
    let text = ", 1 2\n. 3 4\nthe 5 6\nof 7 8\nto 9 1\n... 2 3\n1990 4 5\nnan 6 7";
    let (rows, line) = read(text, TableAnswers::default()).expect("a vocabulary");
    assert_eq!((rows.len(), &rows[6][..]), (8, &[4.0, 5.0][..]), "{line}");
    let quotes = "the\t1\t2\n\"\t3\t4\nof\t5\t6\n\"\t7\t8\nto\t9\t1";
    check(quotes, &[&[1.0, 2.0], &[3.0, 4.0], &[5.0, 6.0], &[7.0, 8.0], &[9.0, 1.0]], "row names");
}

#[test]
fn rows_that_number_the_columns_and_levels_of_names_are_dropped() {
    let two: [&[f64]; 2] = [&[1.25, -2.5], &[3.5, 4.75]];
    for text in [
        "token,0,1\na,1.25,-2.5\nb,3.5,4.75",
        "word\t1\t2\na\t1.25\t-2.5\nb\t3.5\t4.75",
        ";2020;2021\r\na;1,25;-2,5\r\nb;3,5;4,75",
        ",q,q\n,0,1\n0,1.25,-2.5\n1,3.5,4.75",
        "      q      \n      0     1\n0  1.25 -2.50\n1  3.50  4.75",
        "kind     q      \ndim      0     1\n0     1.25 -2.50\n1     3.50  4.75",
        "       x     y\nid            \n7   1.25 -2.5\n9   3.5   4.75",
        "   word     x     y\n0   cat  1.25 -2.50\n1   dog  3.50  4.75",
        "1.25,-2.5,setosa\n3.5,4.75,virginica",
        ";;\r\n;1,25;-2,5\r\n;3,5;4,75\r\n;;\r\n",
        "       x     y\n1:  1.25 -2.50\n2:  3.50  4.75",
        "      x     y\n0  1.25 -2.5\n1  3.5  4.75\n2 rows × 2 columns",
        " 1.2500 -2.5000\n 3.5000  4.7500\n[ CPUFloatType{2,2} ]",
        "torch_tensor\n 1.2500 -2.5000\n 3.5000  4.7500\n[ CPUFloatType{2,2} ]",
        "single([1.25 -2.5;3.5 4.75])",
        "double x[2][2] = {{1.25, -2.5}, {3.5, 4.75}};",
        "[][]float64{{1.25, -2.5}, {3.5, 4.75}}",
        "- [1.25, -2.5]\n- [3.5, 4.75]",
        "$\\begin{bmatrix} 1.25 & -2.5 \\\\ 3.5 & 4.75 \\end{bmatrix}$",
        "{\"embeddings\":{\"float\":[[1.25,-2.5],[3.5,4.75]]},\"texts\":[\"a\",\"b\"],\"meta\":{\"v\":\"2\"}}",
        " id | embedding \n----+-----------\n  1 | [1.25,-2.5]\n  2 | [3.5,4.75]\n(2 rows)",
        "word,embedding\ncat,\"[1.25, -2.5]\"\ndog,\"[3.5, 4.75]\"",
    ] {
        check(text, &two, "");
    }
    for text in [
        "            mpg cyl\nDatsun 710 1.25   -2.5\nFiat 128   3.5   4.75",
        "           x   y\nSample 1 1.25 -2.5\nSample 2 3.5 4.75",
        "         [,1] [,2]\nSample 3  1.25 -2.5\nSample 7  3.5  4.75",
        "##     x   y\n## 1 1.25 -2.5\n## 2 3.5 4.75",
        "#>     x   y\n#> 1 1.25 -2.5\n#> 2 3.5 4.75",
        "     x     y\n1: 1.25 -2.50\n2: 3.50 4.75\n     x     y",
        "ARMA_MAT_TXT_FN008\n2 2\n 1.25 -2.5\n 3.5 4.75",
        ",a,a\n,0,1\n0,1.25,-2.5\n1,3.5,4.75",
        ",token,0,1\n0,the,1.25,-2.5\n1,cat,3.5,4.75",
        "  token     0     1\n0   the  1.25  -2.5\n1   cat   3.5  4.75",
        "# A tibble: 2 × 2\n  `2019` `2020`\n   <dbl>  <dbl>\n1    1.25   -2.5\n2    3.5    4.75",
        "# A tibble: 2 × 2\n         x     y\n     <dbl> <dbl>\n1 1.25e+ 0 -2.5\n2 3.5 e+ 0  4.75",
        "2 2\n3 1.25 -2.5\n7 3.5 4.75",
        ">>> 1.25 -2.5\n> 3.5 4.75",
        " x | y \n---+---\n 1.25 | -2.5 \n 3.5 | 4.75 \n(2 rows)\n\nTime: 0.345 ms",
        "x           y\n----------- -----------\n 1.25   -2.5\n 3.5   4.75\n\n(2 rows affected)",
        "octave:1> A\nA =\n\n 1.25 -2.5\n 3.5 4.75\n\noctave:2> ",
        "       x      y      g\n   <num>  <num> <fctr>\n1:   1.25   -2.5     1\n2:   3.5   4.75      2",
        "# Created by Octave 8\n# name: A\n# type: matrix\n# rows: 2\n# columns: 2\n 1.25 -2.5\n 3.5 4.75",
    ] {
        match read(text, TableAnswers::default()) {
            Err(InputError::TwoReadings { question: TableQuestion::Header, .. }) => {
                let answers = TableAnswers { header: Some(FirstRow::Header), ..TableAnswers::default() };
                assert_eq!(read(text, answers).expect(text).0, two, "{text}");
            }
            _ => check(text, &two, ""),
        }
    }
    check("1,2\n3,4.5\n\n5,6\n7,8", &[&[1.0, 2.0], &[3.0, 4.5], &[5.0, 6.0], &[7.0, 8.0]], "blank lines");
    let scaled = "A =\n\n  1.0e+03  *\n\n   1.0000e-03   1.5\n   2.0   -3.5000e-03\n";
    check(scaled, &[&[1.0, 1500.0], &[2000.0, -3.5]], "1e3");
    check(",token,x\n0,7,1.5\n1,8,2.5", &[&[7.0, 1.5], &[8.0, 2.5]], "the column token as numbers");
    check("x,y\n\"1,234\",5\n\"2,5\",6", &[&[1.234, 5.0], &[2.5, 6.0]], "decimal commas");
    check("     [,1]\n[1,]    3\n[2,]    4", &[&[3.0], &[4.0]], "row names");
    check("ans =\n\n  2×2 single matrix\n\n     0     1\n     1     0\n", &[&[0.0, 1.0], &[1.0, 0.0]], "");
    check("ans =\n\nDiagonal Matrix\n\n   1   0\n   0   2\n\n", &[&[1.0, 0.0], &[0.0, 2.0]], "");
    check("0    1.50\n1   -0.25\nLength: 2, dtype: float64", &[&[1.5], &[-0.25]], "index column");
    check("x\n1,5\n3\n2,5", &[&[1.5], &[3.0], &[2.5]], "decimal commas");
    let factor = "D =\n\n Columns 1 and 2:\n\n   1.0e+03  *\n\n 1.5 2\n 3 4\n\n Column 3:\n\n   1.0e+03  *\n\n 5\n 7\n";
    check(factor, &[&[1500.0, 2000.0, 5000.0], &[3000.0, 4000.0, 7000.0]], "1e3");
}

#[test]
fn what_leaves_out_rows_or_lists_no_rows_is_refused() {
    for (text, part) in [
        (
            "# A tibble: 3 × 12\n      x     y\n  <dbl> <dbl>\n1  1.25  -2.5\n2  3.5    4.75\n# ℹ 9 more variables",
            "abridged",
        ),
        ("# A tibble: 5 × 2\n      x     y\n  <dbl> <dbl>\n1  1.25  -2.5\n2  3.5    4.75\n# i 2 more rows", "abridged"),
        ("# A tibble: 5 × 2\n      x     y\n  <dbl> <dbl>\n1  1.25  -2.5\n2  3.5    4.75", "5 x 2"),
        ("       x     y\n1:  1.25 -2.50\n---\n9:  3.50  4.75", "abridged"),
        ("  x y\n1 1 2\n2 3 4\n [ reached 'max' / getOption(\"max.print\") -- omitted 998 rows ]", "abridged"),
        ("+----+---+\n|   x|  y|\n+----+---+\n|1.25|-2|\n| 3.5| 4|\n+----+---+\nonly showing top 2 rows", "abridged"),
        ("Rows: 3\nColumns: 2\n$ x <f64> 1.25, 3.5, -0.125\n$ y <f64> -2.5, 4.75, 6.0", "summary"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1.25", "MatrixMarket"),
        ("{\"0\":{\"0\":1.25,\"1\":3.5},\"1\":{\"0\":-2.5,\"1\":4.75}}", "orient=\"values\""),
        ("1,2\n3,4\ntotal,6", "total"),
        (
            "T =\n\n  2×2 table\n\n     a         b\n    ___    _________\n\n    1.5    2       3\n    0.5    4       5\n",
            "MATLAB",
        ),
        ("@RELATION t\n@ATTRIBUTE x NUMERIC\n@DATA\n0.12,-0.53\n0.7,0.31", "ARFF"),
        ("[1] 1 2 3\nLevels: 1 2 3", "factor"),
        ("  (1.5,2.0)  (3.0,4.0)\n  (0.5,1.0)  (2.0,5.0)", "pairs"),
        ("# name: A\n# type: sparse matrix\n# nnz: 2\n# rows: 2\n# columns: 2\n1 1 1\n2 1 3", "Octave"),
        ("{\"embedding\": [0.12, -0.53, 1.4]}", "one token"),
        ("TRUE,1\nFALSE,2", "TRUE"),
        ("x\ty\n#DIV/0!\t1\n#DIV/0!\t2", "#DIV/0!"),
        ("1.5 2 # 1\n3 4 # 2", "#"),
    ] {
        let problem = read(text, TableAnswers::default()).expect_err(text).to_string();
        assert!(problem.contains(part), "{text}: {problem}");
    }
}

#[test]
fn what_may_be_a_name_or_a_number_is_asked_and_both_answers_hold() {
    let header = |header| TableAnswers { header: Some(header), ..TableAnswers::default() };
    let index = |index| TableAnswers { index: Some(index), ..TableAnswers::default() };
    let decimal = |decimal| TableAnswers { decimal: Some(decimal), ..TableAnswers::default() };
    type Rows<'a> = &'a [&'a [f64]];
    let check = |text: &str, expected: TableQuestion, answers: [TableAnswers; 2], rows: [Rows<'_>; 2]| {
        let problem = read(text, TableAnswers::default()).expect_err(text);
        assert!(
            matches!(problem, InputError::TwoReadings { question, .. } if question == expected),
            "{text}: {problem}"
        );
        for (answers, rows) in answers.into_iter().zip(rows) {
            let (found, _) = read(text, answers).unwrap_or_else(|problem| panic!("{text}: {problem}"));
            assert_eq!(found, rows, "{text}");
        }
    };
    let headers = [FirstRow::Header, FirstRow::Numbers].map(header);
    for (text, rows) in [
        (
            "token,2019,2020\na,1.5,2\nb,3,4",
            [&[&[1.5, 2.0][..], &[3.0, 4.0]][..], &[&[2019.0, 2020.0], &[1.5, 2.0], &[3.0, 4.0]]],
        ),
        ("2020;2021\n1,5;2,5\n3,5;4,5", [&[&[1.5, 2.5], &[3.5, 4.5]], &[&[2020.0, 2021.0], &[1.5, 2.5], &[3.5, 4.5]]]),
        ("q,q\n0,1\n1.25,2\n3,4.5", [&[&[1.25, 2.0], &[3.0, 4.5]], &[&[0.0, 1.0], &[1.25, 2.0], &[3.0, 4.5]]]),
        ("2 2\n1.5 2\n4 6.5", [&[&[1.5, 2.0], &[4.0, 6.5]], &[&[2.0, 2.0], &[1.5, 2.0], &[4.0, 6.5]]]),
        ("0\n5\n7\n9", [&[&[5.0], &[7.0], &[9.0]], &[&[0.0], &[5.0], &[7.0], &[9.0]]]),
    ] {
        check(text, TableQuestion::Header, headers, rows);
    }
    let indices = [FirstColumn::Index, FirstColumn::Numbers].map(index);
    for text in [
        "id,a\n100,1\n200,3",
        "Unnamed: 0,a\n100,1\n200,3",
        "token,a\n100,1\n200,3",
        "[{\"id\":100,\"a\":1},{\"id\":200,\"a\":3}]",
    ] {
        check(text, TableQuestion::Index, indices, [&[&[1.0], &[3.0]], &[&[100.0, 1.0], &[200.0, 3.0]]]);
    }
    let rows: [Rows<'_>; 2] =
        [&[&[0.5, 1.5], &[0.25, 2.5], &[0.75, 3.5]], &[&[5.0, 0.5, 1.5], &[17.0, 0.25, 2.5], &[3.0, 0.75, 3.5]]];
    check("5,0.5,1.5\n17,0.25,2.5\n3,0.75,3.5", TableQuestion::Index, indices, rows);
    let commas = [NumberComma::Decimal, NumberComma::Thousands].map(decimal);
    for (text, rows) in [
        ("x\r\n1,5\r\n2,5\r\n", [&[&[1.5][..], &[2.5]][..], &[&[1.0, 5.0], &[2.0, 5.0]]]),
        ("1,5\r\n2,5\r\n3,75", [&[&[1.5], &[2.5], &[3.75]], &[&[1.0, 5.0], &[2.0, 5.0], &[3.0, 75.0]]]),
        ("1,5\r\n-2,25\r\n0,75", [&[&[1.5], &[-2.25], &[0.75]], &[&[1.0, 5.0], &[-2.0, 25.0], &[0.0, 75.0]]]),
        ("1,5E-03\n2,5E-03", [&[&[0.0015], &[0.0025]], &[&[1.0, 0.005], &[2.0, 0.005]]]),
    ] {
        let answers = commas.map(|answers| TableAnswers { index: Some(FirstColumn::Numbers), ..answers });
        check(text, TableQuestion::Columns, answers, rows);
    }
    let points = [&[&[1234.0, 2500.0][..], &[3000.0, 4125.0]][..], &[&[1.234, 2.5], &[3.0, 4.125]]];
    check("1.234;2.500\n3.000;4.125", TableQuestion::Point, commas, points);
    let (rows, line) = read("2,5\n1,5\n3,7", commas[0]).expect("decimal commas");
    assert_eq!(rows, [[2.5], [1.5], [3.7]], "{line}");
    let (_, line) = read("2,5\n1,5\n3,7", TableAnswers::default()).expect("two columns");
    assert!(line.contains("2 dimensions") && line.contains("commas between columns"), "{line}");
}
