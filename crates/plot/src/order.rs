//! Putting things in order by a number: one code for whatever is ordered, because a sort of its own for every type is large,
//! and plots stand in what a browser loads first.

/// Sorts by a number, ascending; what has equal numbers keeps its order.
pub fn ascending<T>(items: &mut Vec<T>, number: impl Fn(&T) -> f64) {
    let numbers: Vec<f64> = items.iter().map(number).collect();
    let mut before: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order(&numbers).into_iter().filter_map(|at| before[at].take()));
}

#[inline(never)]
fn order(numbers: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
    order
}

#[cfg(test)]
mod tests {
    use super::ascending;

    #[test]
    fn things_are_ordered_by_their_numbers_and_equal_ones_stay() {
        let mut words = vec!["three", "a", "four", "b", ""];
        ascending(&mut words, |word| word.len() as f64);
        assert_eq!(words, ["", "a", "b", "four", "three"]);
    }
}
