//! Averages a matrix down to at most one cell per pixel and colours the cells.

use plotters::style::RGBColor;

use super::axis::Ruler;

/// A matrix on a coarser grid, row by row. Cells without any finite number are NaN.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    pub rows: usize,
    pub cols: usize,
    pub values: Vec<f64>,
}

impl Grid {
    /// A matrix of `rows` times `cols`, row by row, on a grid of at most `max_rows` times
    /// `max_cols`; a grid cell is the mean of the finite entries it covers. Missing entries count
    /// as NaN. Reads every entry once.
    pub fn of(values: &[f64], (rows, cols): (usize, usize), (max_rows, max_cols): (usize, usize)) -> Self {
        let (grid_rows, grid_cols) = (rows.min(max_rows), cols.min(max_cols));
        if grid_rows == 0 || grid_cols == 0 {
            return Grid { rows: 0, cols: 0, values: Vec::new() };
        }
        let starts: Vec<usize> = (0..=grid_cols).map(|j| j * cols / grid_cols).collect();
        let mut grid = Vec::with_capacity(grid_rows * grid_cols);
        let mut sums = vec![(0.0, 0u32); grid_cols];
        for i in 0..grid_rows {
            sums.fill((0.0, 0));
            for row in i * rows / grid_rows..(i + 1) * rows / grid_rows {
                let entries = values.get(row * cols..).unwrap_or_default();
                for (sum, bounds) in sums.iter_mut().zip(starts.windows(2)) {
                    let covered = entries.get(bounds[0]..bounds[1].min(entries.len())).unwrap_or_default();
                    for v in covered.iter().filter(|v| v.is_finite()) {
                        *sum = (sum.0 + v, sum.1 + 1);
                    }
                }
            }
            grid.extend(sums.iter().map(|&(sum, count)| if count == 0 { f64::NAN } else { sum / f64::from(count) }));
        }
        Grid { rows: grid_rows, cols: grid_cols, values: grid }
    }

    /// The colour of each cell from a table; `None` for NaN.
    pub fn colors(&self, ruler: &Ruler, table: &[RGBColor]) -> Vec<Option<RGBColor>> {
        let color = |v: &f64| {
            let position = ruler.position(*v).clamp(0.0, 1.0);
            let index = (position * (table.len().max(1) - 1) as f64).round() as usize;
            if v.is_nan() { None } else { table.get(index).copied() }
        };
        self.values.iter().map(color).collect()
    }
}

/// Scales coloured cells up to an image of `width` times `height` pixels, four bytes each.
pub(super) fn to_rgba(
    grid: &Grid,
    colors: &[Option<RGBColor>],
    width: usize,
    height: usize,
    ground: RGBColor,
) -> Vec<u8> {
    let mut image = Vec::with_capacity(4 * width * height);
    for y in 0..height {
        let row = &colors[(y * grid.rows / height) * grid.cols..];
        for x in 0..width {
            let color = row.get(x * grid.cols / width).copied().flatten().unwrap_or(ground);
            image.extend([color.0, color.1, color.2, 255]);
        }
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_means_of_what_they_cover() {
        let values: Vec<f64> = (0..16).map(f64::from).collect();
        let grid = Grid::of(&values, (4, 4), (2, 2));
        assert_eq!(grid.values, [2.5, 4.5, 10.5, 12.5]);
    }

    #[test]
    fn a_grid_never_has_more_cells_than_the_matrix_or_the_pixels() {
        let grid = Grid::of(&[1.0, 2.0, 3.0], (1, 3), (50, 50));
        assert_eq!((grid.rows, grid.cols, grid.values), (1, 3, vec![1.0, 2.0, 3.0]));
        assert_eq!(Grid::of(&[0.0; 100], (10, 10), (3, 7)).values.len(), 21);
    }

    #[test]
    fn averaging_keeps_the_mean_when_cells_are_equal() {
        let values: Vec<f64> = (0..64 * 64).map(|i| f64::from(i % 97)).collect();
        let grid = Grid::of(&values, (64, 64), (16, 16));
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let (before, after) = (mean(&values), mean(&grid.values));
        assert!((before - after).abs() < 1e-12 * before, "mean {before} became {after}");
    }

    #[test]
    fn missing_and_broken_entries_are_left_out_of_the_mean() {
        let grid = Grid::of(&[1.0, f64::NAN, f64::INFINITY, 3.0, 5.0], (2, 4), (1, 2));
        assert_eq!(grid.values, [3.0, 3.0]);
        assert!(Grid::of(&[], (2, 2), (2, 2)).values.iter().all(|v| v.is_nan()));
        assert!(Grid::of(&[1.0], (0, 4), (2, 2)).values.is_empty());
    }
}
