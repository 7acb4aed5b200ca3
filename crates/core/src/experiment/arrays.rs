//! Experiments from matrices of the caller's own: arrays, lists of rows, or matrices of nalgebra.

use nalgebra::{Dim, Matrix, RawStorage};

use super::{Experiment, Head, InputError, Phrase, Rows, Table, TokenSource, WeightSource, limits};
use crate::phrase;

/// A matrix as a caller has it: arrays and lists of rows, [`Rows`], and matrices of [`nalgebra`], owned or borrowed.
pub trait IntoRows {
    /// The same matrix as [`Rows`], row by row. `what` names it in errors.
    ///
    /// # Errors
    /// [`InputError::Empty`] without a number, [`InputError::RaggedRow`] for rows of different lengths,
    /// [`InputError::NotANumber`] for an entry that is not finite.
    fn into_rows(self, what: Phrase) -> Result<Rows, InputError>;
}

impl IntoRows for Rows {
    fn into_rows(self, _: Phrase) -> Result<Rows, InputError> {
        Ok(self)
    }
}

impl<R: AsRef<[f64]>> IntoRows for &[R] {
    fn into_rows(self, what: Phrase) -> Result<Rows, InputError> {
        Rows::from_lists(what, self)
    }
}

impl<R: AsRef<[f64]>> IntoRows for &Vec<R> {
    fn into_rows(self, what: Phrase) -> Result<Rows, InputError> {
        Rows::from_lists(what, self)
    }
}

impl<R: AsRef<[f64]>> IntoRows for Vec<R> {
    fn into_rows(self, what: Phrase) -> Result<Rows, InputError> {
        Rows::from_lists(what, &self)
    }
}

impl<R: AsRef<[f64]>, const N: usize> IntoRows for &[R; N] {
    fn into_rows(self, what: Phrase) -> Result<Rows, InputError> {
        Rows::from_lists(what, self)
    }
}

impl<R: AsRef<[f64]>, const N: usize> IntoRows for [R; N] {
    fn into_rows(self, what: Phrase) -> Result<Rows, InputError> {
        Rows::from_lists(what, &self)
    }
}

impl<R: Dim, C: Dim, S: RawStorage<f64, R, C>> IntoRows for &Matrix<f64, R, C, S> {
    fn into_rows(self, what: Phrase) -> Result<Rows, InputError> {
        // nalgebra stores matrices by columns.
        let by_rows = self.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<f64>>());
        Rows::new(what, self.ncols(), by_rows.collect())
    }
}

impl<R: Dim, C: Dim, S: RawStorage<f64, R, C>> IntoRows for Matrix<f64, R, C, S> {
    fn into_rows(self, what: Phrase) -> Result<Rows, InputError> {
        (&self).into_rows(what)
    }
}

impl Head {
    /// A head from its matrices: Q and K are k x d, V is d_v x d, so that queries, keys and values are Q x, K x and V x.
    /// A linear layer of PyTorch stores its matrix in this form.
    ///
    /// # Errors
    /// Those of [`IntoRows::into_rows`]. Whether the shapes fit each other is checked with the tokens
    /// ([`Experiment::from_arrays`]).
    pub fn new(q: impl IntoRows, k: impl IntoRows, v: impl IntoRows) -> Result<Self, InputError> {
        Ok(Head {
            q: q.into_rows(Table::Query.name())?,
            k: k.into_rows(Table::Key.name())?,
            v: v.into_rows(Table::Value.name())?,
            second: None,
        })
    }

    /// The error for a head of another dimension than that of the tokens; `what` names its Q.
    pub(crate) fn of_other_dimension(&self, what: Phrase, d: usize) -> InputError {
        InputError::Shape {
            what,
            found: self.q.shape(),
            expected: phrase!("shape", "{rows} x {columns}", rows = self.q.n_rows(), columns = d),
            reason: phrase!("takes_tokens_which_have", "it takes the tokens, which have dimension {d}", d = d),
        }
    }
}

impl Experiment {
    /// Attention at tokens of the caller's own: n rows of d numbers, one row for each token, and heads whose outputs are
    /// concatenated. The scores are (Q x_i).(K x_j)/sqrt(k); there is no mask and no normaliser. For other attention
    /// change the fields:
    ///
    /// ```
    /// use lipscope_core::settings::Mask;
    /// use lipscope_core::{Experiment, Head};
    ///
    /// let head = Head::new([[1.0, 0.0]], [[0.0, 2.0]], [[1.0, 1.0]])?;
    /// let open = Experiment::from_arrays([[0.5, -1.0], [2.0, 0.0], [1.0, 1.0]], [head])?;
    /// let causal = Experiment { mask: Mask::Causal, ..open };
    /// # causal.check()?;
    /// # Ok::<(), lipscope_core::InputError>(())
    /// ```
    ///
    /// # Errors
    /// [`InputError`] that names the matrix and what is wrong with it: no numbers, a row of another length, an entry that
    /// is not finite, a shape that does not fit the others, or too many numbers.
    pub fn from_arrays(tokens: impl IntoRows, heads: impl IntoIterator<Item = Head>) -> Result<Self, InputError> {
        of_matrices(tokens.into_rows(Table::Tokens.name())?, heads.into_iter().collect(), None)
    }

    /// As [`Experiment::from_arrays`], with an output matrix (d_out x the sum of all d_v) that takes the concatenated
    /// heads.
    ///
    /// # Errors
    /// As [`Experiment::from_arrays`].
    pub fn from_arrays_with_output(
        tokens: impl IntoRows,
        heads: impl IntoIterator<Item = Head>,
        output: impl IntoRows,
    ) -> Result<Self, InputError> {
        let output = output.into_rows(Table::Output.name())?;
        of_matrices(tokens.into_rows(Table::Tokens.name())?, heads.into_iter().collect(), Some(output))
    }
}

fn of_matrices(tokens: Rows, heads: Vec<Head>, output: Option<Rows>) -> Result<Experiment, InputError> {
    let d = tokens.n_columns();
    limits::check_tokens(tokens.n_rows(), d)?;
    if let Some(head) = heads.first().filter(|head| head.q.n_columns() != d) {
        return Err(head.of_other_dimension(Table::Query.name(), d));
    }
    let experiment = Experiment::of(TokenSource::Explicit(tokens), WeightSource::listed(heads, Vec::new(), output)?);
    experiment.check()?;
    Ok(experiment)
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, matrix};

    use super::*;

    const TOKENS: [[f64; 2]; 3] = [[0.5, -1.0], [2.0, 0.0], [1.0, 1.0]];

    #[test]
    fn every_kind_of_matrix_gives_the_same_experiment_as_the_file() -> Result<(), InputError> {
        let file = r#"{"tokens":{"source":"explicit","rows":[[0.5,-1],[2,0],[1,1]]},
            "weights":{"source":"explicit","heads":[{"q":[[1,3]],"k":[[0,2]],"v":[[1,1],[4,5]]}],"output":[[1,-1]]}}"#;
        let expected = Experiment::from_json(file)?;
        let (q, k, v) = ([[1.0, 3.0]], [[0.0, 2.0]], [[1.0, 1.0], [4.0, 5.0]]);
        let by_nalgebra =
            Head::new(DMatrix::from_row_slice(1, 2, &[1.0, 3.0]), matrix![0.0, 2.0], matrix![1.0, 1.0; 4.0, 5.0])?;
        let by_lists = Head::new(vec![vec![1.0, 3.0]], k, v.as_slice())?;
        assert_eq!(by_nalgebra, by_lists);
        assert_eq!(by_nalgebra, Head::new(q, k, v)?);
        let tokens = DMatrix::from_row_slice(3, 2, &[0.5, -1.0, 2.0, 0.0, 1.0, 1.0]);
        assert_eq!(Experiment::from_arrays_with_output(&tokens, [by_nalgebra.clone()], [[1.0, -1.0]])?, expected);
        let listed: Vec<Vec<f64>> = TOKENS.iter().map(|row| row.to_vec()).collect();
        assert_eq!(Experiment::from_arrays(&listed, [by_lists])?.tokens, expected.tokens);
        Ok(())
    }

    #[test]
    fn what_does_not_fit_is_named() -> Result<(), InputError> {
        let head = || Head::new([[1.0, 0.0]], [[0.0, 2.0]], [[1.0, 1.0]]);
        let problem = |of: Result<Experiment, InputError>| of.expect_err("it must be refused").to_string();
        let said = problem(Experiment::from_arrays([[1.0], [2.0]], [head()?]));
        assert!(said.starts_with("Q is 1 x 2, but it must be 1 x 1 so that it takes the tokens"), "{said}");
        let said = problem(Experiment::from_arrays(TOKENS, [Head::new([[1.0, 0.0]], [[1.0]], [[1.0, 1.0]])?]));
        assert!(said.contains("heads[0].k` is 1 x 1, but it must be 1 x 2"), "{said}");
        let said = problem(Experiment::from_arrays_with_output(TOKENS, [head()?], [[1.0, 2.0]]));
        assert!(said.contains("output` is 1 x 2, but it must be 1 x 1"), "{said}");
        let said = problem(Experiment::from_arrays([[1.0, f64::NAN]], [head()?]));
        assert!(said.starts_with("Row 1, column 2 of"), "{said}");
        let said = problem(Experiment::from_arrays(vec![vec![1.0, 2.0], vec![3.0]], [head()?]));
        assert!(said.starts_with("Row 2 of"), "{said}");
        let said = problem(Experiment::from_arrays(TOKENS, []));
        assert!(said.contains("weights.heads"), "{said}");
        assert!(matches!(Head::new([[1.0]], DMatrix::<f64>::zeros(0, 0), [[1.0]]), Err(InputError::Empty { .. })));
        Ok(())
    }
}
