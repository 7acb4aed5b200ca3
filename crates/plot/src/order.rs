//! Sorting by a number, compiled once for all types. A generic sort per type would enlarge the code that a browser
//! loads first.

/// Sorts by a number, ascending and stable.
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
    fn items_are_sorted_by_number_and_equal_ones_keep_their_order() {
        let mut words = vec!["three", "a", "four", "b", ""];
        ascending(&mut words, |word| word.len() as f64);
        assert_eq!(words, ["", "a", "b", "four", "three"]);
    }
}
