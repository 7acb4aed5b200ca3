//! Text before and after the numbers of a print: prompts, names, the shape, comments.

use super::brackets;
use super::decimal::is_numeric;
use super::lines::is_marked;
use super::reading::Notes;
use crate::experiment::{InputError, Rows, Table};
use crate::phrase;

/// The numbers of a text without the text around them, and what the text around them states.
#[derive(Debug)]
pub(super) struct Surroundings<'a> {
    /// The numbers, with the names of rows and columns.
    pub(super) text: &'a str,
    /// The shape that the print claims: rows, and columns where it states them.
    claimed: Option<(usize, Option<usize>)>,
    /// The power of ten that MATLAB, Octave and PyTorch in C++ print before the numbers.
    pub(super) exponent: Option<i32>,
    /// The separator that a first line `sep=;` names.
    pub(super) delimiter: Option<u8>,
    /// Lines before the numbers that begin with the mark of a comment. In a table without brackets they may be rows.
    pub(super) comments: Vec<&'a str>,
    /// Whether the print ends like pandas' print of one column, which has an index before it.
    pub(super) is_series: bool,
}

/// Takes the numbers out of their surroundings.
pub(super) fn without<'a>(text: &'a str, notes: &mut Notes) -> Surroundings<'a> {
    let mut found = Surroundings {
        text: text.trim_matches('\n'),
        claimed: None,
        exponent: None,
        delimiter: None,
        comments: Vec::new(),
        is_series: false,
    };
    while let Some(rest) = found.without_end(notes) {
        found.text = rest;
    }
    while let Some(rest) = found.without_beginning(notes) {
        found.text = rest;
    }
    found
}

impl<'a> Surroundings<'a> {
    /// Refuses a table whose shape differs from the one its print claims: part of it is missing, or it was misread.
    ///
    /// `columns_of_text` is the number of columns that were dropped because they hold texts.
    pub(super) fn check(&self, table: Table, rows: &Rows, columns_of_text: usize) -> Result<(), InputError> {
        let Some((n, d)) = self.claimed else { return Ok(()) };
        if self.has_claimed(rows, columns_of_text) {
            return Ok(());
        }
        let d = d.unwrap_or(rows.n_columns());
        Err(InputError::Conflict {
            what: table.name(),
            problem: phrase!(
                "claims_another_shape",
                "says that it is {claimed}, but {found} were read",
                claimed = phrase!("shape", "{rows} x {columns}", rows = n, columns = d),
                found = rows.shape()
            ),
            fix: phrase!("copy_whole_table", "Copy the whole table, or export it as CSV."),
        })
    }

    /// Whether the print claims a shape.
    pub(super) fn has_claim(&self) -> bool {
        self.claimed.is_some()
    }

    /// Whether the print claims a shape, and the table has it.
    pub(super) fn has_claimed(&self, rows: &Rows, columns_of_text: usize) -> bool {
        self.claimed
            .is_some_and(|(n, d)| n == rows.n_rows() && d.is_none_or(|d| d == rows.n_columns() + columns_of_text))
    }

    /// The text without one leading part; `None` where that part belongs to the table.
    fn without_beginning(&mut self, notes: &mut Notes) -> Option<&'a str> {
        let text = self.text.trim_start_matches('\n');
        let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
        let line = line.trim();
        let is_more = !rest.trim().is_empty();
        if line.is_empty() && is_more {
            return Some(rest);
        }
        if is_marked(line) && is_more {
            self.comments.push(line);
            if let Some(claimed) = claimed_by_tibble(line) {
                self.claimed = Some(claimed);
            }
            return Some(rest);
        }
        // Where only numbers follow the prompt `>`, the line is a row of the token `>`.
        let is_input = |input: &&str| !input.split_whitespace().all(is_numeric);
        if let Some(input) = prompt(line).filter(is_input) {
            notes.drop(phrase!("a_prompt", "a prompt"));
            return Some(if is_more { rest } else { input });
        }
        // The line is trimmed, so that nothing after `sep=` stands for a tab.
        let separator = line.trim_matches('"').strip_prefix("sep=").filter(|_| is_more);
        if let Some(separator @ ("" | "," | ";" | "|")) = separator {
            self.delimiter = Some(separator.bytes().next().unwrap_or(b'\t'));
            notes.drop(phrase!("a_sep_line", "the line {line}", line = line));
            return Some(rest);
        }
        if let Some(output) = output_prompt(text) {
            notes.drop(phrase!("a_prompt", "a prompt"));
            return Some(output);
        }
        if let Some(value) = text.trim_start().strip_prefix("<tf.").and_then(|value| value.split_once("numpy=")) {
            let value = value.1.trim_end();
            return Some(value.strip_suffix('>').unwrap_or(value));
        }
        if matches!(line, "Parameter containing:" | "torch_tensor" | "Diagonal Matrix" | "Permutation Matrix")
            && is_more
        {
            return Some(rest);
        }
        if is_more && let Some(claimed) = claimed_by_header(line) {
            self.claimed = Some(claimed);
            return Some(rest);
        }
        if let Some((n, d)) = claimed_by_vectors(line, rest) {
            self.claimed = Some((n, Some(d)));
            notes.drop(phrase!("a_sep_line", "the line {line}", line = line));
            return Some(rest);
        }
        if is_more && let Some(exponent) = common_factor(line) {
            self.exponent = Some(exponent);
            return Some(rest);
        }
        without_name(text)
    }

    /// The text without a last line that is no row.
    fn without_end(&mut self, notes: &mut Notes) -> Option<&'a str> {
        let text = self.text.trim_end();
        let (before, line) = text.rsplit_once('\n')?;
        let line = line.trim();
        let is_octave = line.strip_prefix("octave:").and_then(|rest| rest.strip_suffix('>'));
        let is_prompt = is_octave.is_some_and(|number| number.parse::<u32>().is_ok())
            || matches!(line, ">>>" | "julia>" | ">>" | ">")
            || (line.starts_with("In [") && line.ends_with("]:"));
        if is_prompt {
            notes.drop(phrase!("a_prompt", "a prompt"));
            return Some(before);
        }
        let is_named = ["Name: ", "Length: "].iter().any(|key| line.starts_with(key));
        if line.starts_with("dtype: ") || (is_named && line.contains("dtype: ")) {
            self.is_series = true;
            let length = line.split_once("Length: ").and_then(|(_, rest)| rest.split(',').next()?.trim().parse().ok());
            self.claimed = length.map(|n| (n, None)).or(self.claimed);
            return Some(before);
        }
        if is_message(line) {
            return Some(before);
        }
        // The last line of a MySQL table.
        if let Some((count, _)) = line.split_once(" rows in set") {
            self.claimed = Some((count.parse().ok()?, None));
            return Some(before);
        }
        // The last line of a table of pandas in a notebook.
        if let Some((n, d)) = line.split_once(" rows × ")
            && let Some(d) = d.strip_suffix(" columns").or_else(|| d.strip_suffix(" column"))
        {
            self.claimed = Some((n.parse().ok()?, Some(d.parse().ok()?)));
            return Some(before);
        }
        let claimed = line.strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
        let sizes: Vec<usize> =
            claimed.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
        let claimed = match &sizes[..] {
            [n, d] if claimed.contains("rows x") || claimed.contains("of size") => (*n, Some(*d)),
            [n] if claimed.ends_with("rows") || claimed.ends_with("row") => (*n, None),
            [n] if claimed.contains("Tensor of size") => (*n, Some(1)),
            // PyTorch in C++ and in R: `[ CPUFloatType{2,3} ]`.
            [.., n, d] if claimed.contains("Type{") => (*n, Some(*d)),
            [.., n] if claimed.contains("Type{") => (*n, Some(1)),
            _ => return None,
        };
        self.claimed = Some(claimed);
        Some(before)
    }
}

/// Whether a line is what a database says after its rows.
fn is_message(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_count = |word: &str| word.parse::<u64>().is_ok();
    match &words[..] {
        ["\\."] | ["Time:", _, "ms"] => true,
        [count, "rows" | "row", "selected."] | [count, "record(s)", "selected."] => is_count(count),
        [count, "rows" | "row", "affected)"] => is_count(count.trim_start_matches('(')),
        _ => false,
    }
}

/// The text typed after a prompt of Python, IPython, Julia, R, MATLAB or Octave; `None` for a line without a prompt.
fn prompt(line: &str) -> Option<&str> {
    let numbered = |begin: &str, end: &str| {
        let (number, input) = line.strip_prefix(begin)?.split_once(end)?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then_some(input)
    };
    let simple = [">>> ", "julia> ", ">> ", "> "].iter().find_map(|prompt| line.strip_prefix(prompt));
    simple.or_else(|| numbered("In [", "]:")).or_else(|| numbered("octave:", ">"))
}

/// The text after `Out[12]:` of IPython or `Out[12]=` of Mathematica.
fn output_prompt(text: &str) -> Option<&str> {
    let (number, output) = text.trim_start().strip_prefix("Out[")?.split_once(']')?;
    let output = output.strip_prefix([':', '='])?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some(output)
}

/// The shape in a line such as `3×2 Matrix{Float64}:`, `3-element Vector{Float64}:` or `3×2 single matrix`.
fn claimed_by_header(line: &str) -> Option<(usize, Option<usize>)> {
    let (sizes, kind) = line.split_once(' ')?;
    if let Some(count) = sizes.strip_suffix("-element") {
        let columns =
            if kind.contains("{Vector") || kind.contains("{Array") || kind.contains("{Tuple") { None } else { Some(1) };
        return line.ends_with(':').then_some((count.parse().ok()?, columns));
    }
    let (n, d) = sizes.split_once(['×', 'x'])?;
    let is_kind = line.ends_with(':') || ["matrix", "array", "table", "vector"].iter().any(|last| kind.ends_with(last));
    is_kind.then_some((n.parse().ok()?, Some(d.parse().ok()?)))
}

/// The shape in the first line of a tibble of R: `# A tibble: 3 × 2`.
fn claimed_by_tibble(line: &str) -> Option<(usize, Option<usize>)> {
    let (_, sizes) = line.split_once("tibble: ")?;
    let (n, d) = sizes.split_once([' ', '×', 'x'])?;
    let size = |digits: &str| digits.trim_matches(|c: char| !c.is_ascii_digit()).replace(',', "").parse().ok();
    Some((size(n)?, Some(size(d)?)))
}

/// The shape in the first line of a file of word vectors (word2vec, fastText). After the line `4 3`, four lines follow,
/// each of a word and 3 numbers.
fn claimed_by_vectors(line: &str, rest: &str) -> Option<(usize, usize)> {
    let (n, d) = line.split_once(' ')?;
    let (n, d): (usize, usize) = (n.parse().ok()?, d.parse().ok()?);
    let mut lines = rest.lines().filter(|line| !line.trim().is_empty());
    // The word of a line may be a number. But for d = 1, a line of two numbers may be a row of a table.
    let is_vector = |line: &str| {
        let mut fields = line.split_whitespace();
        let is_word = fields.next().is_some_and(|word| d > 1 || word.parse::<f64>().is_err());
        is_word && fields.count() == d
    };
    let is_row = |line: &str| line.split_whitespace().count() == d && line.split_whitespace().all(is_numeric);
    let is_claimed = lines.clone().all(is_vector) || (d != 2 && lines.clone().all(is_row));
    (n > 1 && lines.by_ref().count() == n && is_claimed).then_some((n, d))
}

/// The exponent of the power of ten in `1.0e+03 *`.
fn common_factor(line: &str) -> Option<i32> {
    power_of_ten(line.strip_suffix('*')?.trim_end())
}

/// The exponent of a power of ten: `1.0e+03`, `1.0000e+03`, `1e-01`.
pub(super) fn power_of_ten(text: &str) -> Option<i32> {
    ["1.0e", "1.0000e", "1e"].iter().find_map(|digits| text.strip_prefix(digits))?.parse().ok()
}

/// The text after an assignment to a name: `X = [..`, `x <- c(..`, `tokens: [[..`, or `X =` on a line of its own.
fn without_name(text: &str) -> Option<&str> {
    let text = text.trim_start();
    if let Some(list) = after_type(text) {
        return Some(list);
    }
    let text = ["const ", "let mut ", "let ", "var ", "return "]
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(text);
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '\''))).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let rest = rest.trim_start_matches([' ', '\t']);
    let value = ["<-", ":=", "=", ":"].iter().find_map(|sign| rest.strip_prefix(sign))?;
    let is_display = value.starts_with('\n');
    (is_display || brackets::is_list(value.trim_start())).then(|| value.trim_start_matches(' '))
}

/// The list after a type of C or Go: `double x[2][2] = {{..`, `[][]float64{{..`.
fn after_type(text: &str) -> Option<&str> {
    let (before, _) = text.split_once('{')?;
    let is_of_type = |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ' | '[' | ']' | '=' | '*' | ':');
    let is_type = before.contains('[') && before.contains(']') && before.contains(char::is_alphabetic);
    (is_type && before.chars().all(is_of_type)).then(|| &text[before.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_out_of_what_is_around_them() {
        let rows = Rows::new("rows", 2, vec![1.0, 2.0, 3.0, 4.0]).expect("two rows");
        for (text, inner) in [
            (">>> x\n[[1, 2], [3, 4]]", "[[1, 2], [3, 4]]"),
            (">>> x\n[[1, 2], [3, 4]]\n>>> ", "[[1, 2], [3, 4]]"),
            ("In [3]: x\nOut[3]: \narray([[1, 2]])", "array([[1, 2]])"),
            ("Out[3]=\n{{1, 2}}", "{{1, 2}}"),
            ("1 2\n3 4\n2 rows in set (0.00 sec)", "1 2\n3 4"),
            ("2 2\ncat 1 2\ndog 3 4", "cat 1 2\ndog 3 4"),
            ("2 2\n1 2\n3 4", "2 2\n1 2\n3 4"),
            ("> matrix(c(1, 2))", "matrix(c(1, 2))"),
            ("\nX =\n\n   1.0e+03 *\n\n  1 2\n  3 4\n\n", "  1 2\n  3 4"),
            ("x <- c(1, 2)", "c(1, 2)"),
            ("const x = [[1, 2]];", "[[1, 2]];"),
            ("double x[1][2] = {{1, 2}};", "{{1, 2}};"),
            ("x := [][]float64{{1, 2}}", "{{1, 2}}"),
            ("tokens: [[1, 2]]", "[[1, 2]]"),
            ("<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\narray([[1, 2]])>", "array([[1, 2]])"),
            ("2×2 Matrix{Float64}:\n 1.0 2.0\n 3.0 4.0", " 1.0 2.0\n 3.0 4.0"),
            (" 1 2\n 3 4\n[torch.FloatTensor of size 2x2]", " 1 2\n 3 4"),
            ("   x  y\n0  1  2\n\n[2 rows x 2 columns]", "   x  y\n0  1  2"),
            ("// tokens\n# more\n[[1, 2]]", "[[1, 2]]"),
            ("sep=;\n1;2", "1;2"),
            ("x: 1\ny: 2", "x: 1\ny: 2"),
            ("1,2\n3,4", "1,2\n3,4"),
        ] {
            let found = without(text, &mut Notes::default());
            assert_eq!(found.text.trim_matches('\n').trim_end(), inner, "{text}");
            assert_eq!(found.check(Table::Tokens, &rows, 0), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_print_of_another_shape_than_it_claims_is_refused() {
        let rows = Rows::new("rows", 2, vec![1.0, 2.0, 3.0, 4.0]).expect("two rows");
        for text in [
            "3×2 Matrix{Float64}:\n 1 2",
            "1 2\n[9 rows x 2 columns]",
            "1 2\n(3 rows)",
            "2-element Vector{Float64}:\n1",
        ] {
            let problem =
                without(text, &mut Notes::default()).check(Table::Tokens, &rows, 0).expect_err(text).to_string();
            assert!(problem.contains("2 x 2 were read"), "{problem}");
        }
    }
}
