//! A question about a table that can be read in two ways, and the reader's answers to it.

use lipscope_core::experiment::{FirstColumn, FirstRow, InputError, NumberComma, Table, TableAnswers, TableQuestion};
use lipscope_protocol::tasks::ReadPlan;

/// An answer to a question about a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableAnswer {
    /// What the first row is.
    Header(FirstRow),
    /// What the first column is.
    Index(FirstColumn),
    /// What commas and points in numbers are.
    Decimal(NumberComma),
}

impl TableAnswer {
    /// The two answers to a question, in the order of their sentences.
    pub fn to(question: TableQuestion) -> [Self; 2] {
        match question {
            TableQuestion::Header => [FirstRow::Header, FirstRow::Numbers].map(TableAnswer::Header),
            TableQuestion::Index => [FirstColumn::Index, FirstColumn::Numbers].map(TableAnswer::Index),
            TableQuestion::Decimal | TableQuestion::Columns | TableQuestion::Point => {
                [NumberComma::Decimal, NumberComma::Thousands].map(TableAnswer::Decimal)
            }
        }
    }
}

/// A plan that failed, and the question about its table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableProblem {
    plan: ReadPlan,
    table: Table,
    question: TableQuestion,
}

impl TableProblem {
    /// The question in an error; `None` for an error that asks nothing.
    pub fn of(plan: &ReadPlan, problem: &InputError) -> Option<Self> {
        match problem {
            InputError::TwoReadings { table, question, .. } => {
                Some(TableProblem { plan: plan.clone(), table: *table, question: *question })
            }
            _ => None,
        }
    }

    /// The question that the table leaves open.
    pub fn question(&self) -> TableQuestion {
        self.question
    }

    /// The table of the question.
    pub fn table(&self) -> Table {
        self.table
    }

    /// The plan with the answer.
    pub fn answered(mut self, answer: TableAnswer) -> ReadPlan {
        let source = match &mut self.plan {
            ReadPlan::Any(source) => Some(source),
            ReadPlan::Weights { tables, .. } => tables.source_mut(self.table),
        };
        if let Some(source) = source {
            put(&mut source.answers, answer);
        }
        self.plan
    }
}

fn put(answers: &mut TableAnswers, answer: TableAnswer) {
    match answer {
        TableAnswer::Header(header) => answers.header = Some(header),
        TableAnswer::Index(index) => answers.index = Some(index),
        TableAnswer::Decimal(decimal) => answers.decimal = Some(decimal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_core::experiment::{Given, TableSource, WeightTables};

    #[test]
    fn each_answer_decides_what_was_asked_until_the_table_is_read() {
        let plan = ReadPlan::Any(TableSource::text("0,1\n0,1.5\n1,2.5\n2,-1.5"));
        let read = |plan: &ReadPlan| match plan {
            ReadPlan::Any(source) => Given::read_source(source),
            ReadPlan::Weights { .. } => panic!("tokens"),
        };
        let first = TableProblem::of(&plan, &read(&plan).expect_err("asked")).expect("a question");
        assert_eq!((first.question(), first.table()), (TableQuestion::Header, Table::Tokens));
        let plan = first.answered(TableAnswer::Header(FirstRow::Header));
        let second = TableProblem::of(&plan, &read(&plan).expect_err("asked again")).expect("a question");
        assert_eq!(second.question(), TableQuestion::Index);
        let Ok(Given::Tokens(reading)) = read(&second.answered(TableAnswer::Index(FirstColumn::Index))) else {
            panic!("tokens");
        };
        assert_eq!((reading.rows.n_columns(), reading.rows.entries()), (1, &[1.5, 2.5, -1.5][..]));
    }

    #[test]
    fn an_answer_about_a_matrix_is_for_that_matrix() {
        let [q, k] = ["1,0\n0,1", "0,1\n1,0"].map(TableSource::text);
        let tables = Box::new(WeightTables { q, k, ..WeightTables::default() });
        let plan = ReadPlan::Weights { tables: tables.clone(), d: None };
        let asked = TableProblem::of(&plan, &tables.read(None).expect_err("asked")).expect("a question");
        assert_eq!(asked.table(), Table::Key);
        let ReadPlan::Weights { tables, .. } = asked.answered(TableAnswer::Header(FirstRow::Numbers)) else {
            panic!("weights");
        };
        assert_eq!((tables.q.answers.header, tables.k.answers.header), (None, Some(FirstRow::Numbers)));
    }
}
