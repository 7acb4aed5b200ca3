//! Tables of tokens and weights: texts, and NumPy's files.

use lipscope_core::experiment::table::{Table, TableReading};
use lipscope_core::experiment::{
    Experiment, FirstColumn, FirstRow, Given, Rows, TableAnswers, TableSource, TokenSource, WeightSource, WeightTables,
};

use super::experiment::{READING, go_on_with};
use crate::door::{Door, Verdict, refused, within};
use crate::mutate::{Form, vary};
use lipscope_testkit::dice::Dice;

pub(super) const TEXT: Door = Door {
    name: "table",
    about: "tables as text (CSV, TSV, JSON, NumPy's and PyTorch's prints) as tokens and as each of the weights",
    made: Vec::new,
    vary: |dice, inputs| vary(dice, inputs, Form::Text),
    feed,
};

pub(super) const NPY: Door = Door {
    name: "npy",
    about: "NumPy's .npy files as tokens and as each of the weights",
    made: Vec::new,
    vary: vary_npy,
    feed,
};

/// Faults are in the header more often than in the numbers.
fn vary_npy(dice: &mut Dice, inputs: &[Vec<u8>]) -> Vec<u8> {
    /// Magic, version, length, and a dictionary.
    const HEADER: usize = 128;
    let input = dice.of(inputs).clone();
    let (header, rest) = input.split_at(HEADER.min(input.len()));
    // The dictionary is text, behind ten bytes that are not.
    if header.len() == HEADER && dice.once_in(2) {
        let mut dictionary = vary(dice, &[header[10..].to_vec()], Form::Text);
        dictionary.resize(HEADER - 10, b' ');
        return [&header[..10], &dictionary, rest].concat();
    }
    vary(dice, inputs, Form::Bytes)
}

fn feed(input: &[u8]) -> Verdict {
    let allowed = READING.of(input);
    let verdict = match within("reading tokens", allowed, || Given::read(Some("tokens.txt"), input)) {
        Ok(Given::Tokens(TableReading { rows, .. })) => {
            read_again(&rows, input.len());
            go_on_with(&Experiment::of(TokenSource::Explicit(rows), WeightSource::Identity { sign: -1.0 }));
            Verdict::Taken
        }
        Ok(_) => Verdict::Taken,
        Err(problem) => refused(&problem),
    };
    let mut query = None;
    for table in [Table::Query, Table::Key, Table::Value, Table::Output] {
        match within("reading weights", allowed, || table.read(Some("weights.npy"), input)) {
            Ok(rows) => query = query.or(Some(rows.n_columns() as u64)),
            Err(problem) => drop(refused(&problem)),
        }
    }
    // If the input is no table of any matrix, no head can be made of it.
    let Some(d) = query else { return verdict };
    // The same table always fits as Q and as K, and by chance as V or as the output matrix. Without a V, V is the d x d
    // identity, which an experiment may have up to the limit on its weights.
    let source = TableSource { bytes: input.to_vec(), ..TableSource::default() };
    let empty = TableSource::default();
    for (v, output) in [(&empty, &empty), (&source, &empty), (&empty, &source)] {
        let tables = WeightTables { q: source.clone(), k: source.clone(), v: v.clone(), output: output.clone() };
        if let Err(problem) = within("reading a head", 4 * allowed + 32 * d * d, || tables.read(None)) {
            refused(&problem);
        }
    }
    verdict
}

/// A notation for a table: text around it, between rows, around each row, and between the numbers of a row.
struct Notation {
    name: &'static str,
    around: [&'static str; 2],
    between_rows: &'static str,
    row: [&'static str; 2],
    between: &'static str,
    number: fn(f64) -> String,
}

const NOTATIONS: [Notation; 8] = [
    notation("tabs", ["", ""], "\n", ["", ""], "\t"),
    notation("NumPy", ["[", "]"], "\n ", ["[", "]"], " "),
    notation("MATLAB", ["X = [", "];"], "; ", ["", ""], " "),
    notation("JSON", ["[", "]"], ",", ["[", "]"], ","),
    notation("tuples", ["[", "]"], ", ", ["(", ",)"], ", "),
    notation("Markdown", ["", ""], "\n", ["| ", " |"], " | "),
    Notation {
        number: |x| format!("{x:e}").replace('e', "*^"),
        ..notation("Mathematica", ["{", "}"], ", ", ["{", "}"], ", ")
    },
    Notation {
        number: |x| format!("{x:e}").replace('.', ","),
        ..notation("decimal commas", ["", ""], "\n", ["", ""], ";")
    },
];

const fn notation(
    name: &'static str,
    around: [&'static str; 2],
    between_rows: &'static str,
    row: [&'static str; 2],
    between: &'static str,
) -> Notation {
    Notation { name, around, between_rows, row, between, number: |x| format!("{x:e}") }
}

impl Notation {
    fn write(&self, rows: &Rows) -> String {
        let row = |row: &[f64]| {
            let numbers: Vec<String> = row.iter().map(|x| (self.number)(*x)).collect();
            [self.row[0], &numbers.join(self.between), self.row[1]].concat()
        };
        let rows: Vec<String> = rows.iter().map(row).collect();
        [self.around[0], &rows.join(self.between_rows), self.around[1]].concat()
    }
}

/// Accepted tokens must give the same tokens in three other notations.
fn read_again(rows: &Rows, seed: usize) {
    /// Larger tables take long and show nothing new.
    const MOST_NUMBERS: usize = 4_000;
    if rows.entries().len() > MOST_NUMBERS {
        return;
    }
    // A row 0, 1, 2 is asked about in some notations.
    let answers =
        TableAnswers { header: Some(FirstRow::Numbers), index: Some(FirstColumn::Numbers), ..TableAnswers::default() };
    for notation in NOTATIONS.iter().cycle().skip(seed % NOTATIONS.len()).take(3) {
        // Without a second number nothing tells a decimal comma from one between numbers.
        if notation.between == ";" && rows.n_columns() == 1 {
            continue;
        }
        let text = notation.write(rows);
        match Table::Tokens.read_with(None, text.as_bytes(), answers) {
            Ok(reading) => assert_eq!(reading.rows, *rows, "{}: {text}", notation.name),
            Err(problem) => panic!("{}: {problem}\n{text}", notation.name),
        }
    }
}
