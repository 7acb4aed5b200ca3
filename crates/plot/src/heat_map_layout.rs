//! The layout of a heat map.

use super::pen::PixelRect;

/// The places of a heat map's parts, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatMapLayout {
    /// The rectangle of the cells.
    pub plot: PixelRect,
    /// The rectangle of the bars, if there are any.
    pub sums: Option<PixelRect>,
    /// The rectangle of the colour key.
    pub key: PixelRect,
    /// The number of row items.
    pub(super) row_span: usize,
    /// The number of column items.
    pub(super) col_span: usize,
}

impl HeatMapLayout {
    /// The row and column item at a pixel; in the bars the row is `None`.
    pub fn cell_at(&self, x: f64, y: f64) -> Option<(Option<usize>, usize)> {
        if self.row_span == 0 || self.col_span == 0 {
            return None;
        }
        let index = |share: f64, count: usize| ((share * count as f64) as usize).min(count - 1);
        let col = index((x - self.plot.left) / self.plot.width(), self.col_span);
        if self.plot.contains(x, y) {
            Some((Some(index((y - self.plot.top) / self.plot.height(), self.row_span)), col))
        } else {
            self.sums.is_some_and(|sums| sums.contains(x, y)).then_some((None, col))
        }
    }

    /// The rectangle of one row and column item.
    pub fn cell_rect(&self, row: usize, col: usize) -> PixelRect {
        let PixelRect { left, top, .. } = self.plot;
        let (width, height) =
            (self.plot.width() / self.col_span.max(1) as f64, self.plot.height() / self.row_span.max(1) as f64);
        PixelRect {
            left: left + width * col as f64,
            top: top + height * row as f64,
            right: left + width * (col + 1) as f64,
            bottom: top + height * (row + 1) as f64,
        }
    }

    /// Whether there is room to draw cells.
    pub(super) fn has_room(&self) -> bool {
        self.plot.width() >= 8.0 && self.plot.height() >= 8.0
    }
}
