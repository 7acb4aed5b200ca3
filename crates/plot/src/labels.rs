//! Places labels in a column: as near as possible to their preferred positions, in order, without overlap, inside the
//! plot.

use super::order::ascending;

/// A label to be placed in a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelRequest {
    /// Its preferred centre.
    pub center: f64,
    /// Its height, including the gap to its neighbours.
    pub height: f64,
}

/// The centres of the labels in a column from `top` to `bottom`, in the order of `wanted`.
///
/// Down the column, labels keep the order of their preferred centres, and the sum of squared moves is minimal (adjacent
/// labels that collide are pooled and moved as a block). A label that no longer fits beside the labels before it in
/// `wanted` gets `None`, as does one whose numbers are not usable: pass the important ones first.
pub fn place(wanted: &[LabelRequest], top: f64, bottom: f64) -> Vec<Option<f64>> {
    let mut kept: Vec<usize> = Vec::new();
    let mut total = 0.0;
    for (i, label) in wanted.iter().enumerate() {
        let usable = label.center.is_finite() && label.height.is_finite() && label.height >= 0.0;
        if usable && total + label.height <= bottom - top {
            total += label.height;
            kept.push(i);
        }
    }
    ascending(&mut kept, |label| wanted[*label].center);

    let mut blocks: Vec<Block> = Vec::new();
    for &i in &kept {
        let label = wanted[i];
        let mut block =
            Block { members: vec![i], height: label.height, sum: label.center - label.height / 2.0, start: 0.0 };
        block.settle(top, bottom);
        while let Some(above) = blocks.pop_if(|above| above.start + above.height > block.start) {
            block = above.joined(block);
            block.settle(top, bottom);
        }
        blocks.push(block);
    }

    let mut places = vec![None; wanted.len()];
    for block in blocks {
        let mut y = block.start;
        for i in block.members {
            places[i] = Some(y + wanted[i].height / 2.0);
            y += wanted[i].height;
        }
    }
    places
}

/// Labels that touch and move together.
struct Block {
    members: Vec<usize>,
    height: f64,
    /// For each member there is a start of the block that would put this member at its preferred position. This is the
    /// sum of these starts.
    sum: f64,
    start: f64,
}

impl Block {
    fn settle(&mut self, top: f64, bottom: f64) {
        self.start = (self.sum / self.members.len() as f64).min(bottom - self.height).max(top);
    }

    fn joined(mut self, below: Block) -> Block {
        self.sum += below.sum - below.members.len() as f64 * self.height;
        self.height += below.height;
        self.members.extend(below.members);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEIGHT: f64 = 14.0;

    /// Places labels of one height and checks the invariants of every placement.
    fn check(centers: &[f64], top: f64, bottom: f64) -> Vec<Option<f64>> {
        let wanted: Vec<LabelRequest> = centers.iter().map(|&center| LabelRequest { center, height: HEIGHT }).collect();
        let places = place(&wanted, top, bottom);
        let mut found: Vec<(f64, f64)> =
            centers.iter().zip(&places).filter_map(|(&center, place)| place.map(|p| (center, p))).collect();
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        for pair in found.windows(2) {
            assert!(pair[1].1 - pair[0].1 >= HEIGHT - 1e-9, "{:?} overlap in {centers:?}", pair);
            assert!(pair[0].0 <= pair[1].0, "{:?} changed order", pair);
        }
        for (_, p) in found {
            assert!(p - HEIGHT / 2.0 >= top - 1e-9 && p + HEIGHT / 2.0 <= bottom + 1e-9, "{p} left the column");
        }
        places
    }

    #[test]
    fn labels_that_do_not_overlap_keep_their_positions() {
        assert_eq!(check(&[20.0, 60.0, 40.0], 0.0, 100.0), [Some(20.0), Some(60.0), Some(40.0)]);
    }

    #[test]
    fn overlapping_labels_move_apart_evenly() {
        assert_eq!(check(&[50.0, 50.0], 0.0, 100.0), [Some(43.0), Some(57.0)]);
    }

    #[test]
    fn labels_outside_the_column_are_moved_inside() {
        assert_eq!(check(&[-40.0, -50.0, 500.0], 0.0, 100.0), [Some(21.0), Some(7.0), Some(93.0)]);
    }

    #[test]
    fn chains_of_collisions_are_resolved() {
        check(&[10.0, 12.0, 30.0, 31.0, 33.0, 90.0, 99.0], 0.0, 100.0);
        check(&[99.0, 99.0, 99.0, 80.0, 80.0, 80.0, 80.0], 0.0, 100.0);
    }

    #[test]
    fn labels_that_do_not_fit_are_left_out_from_the_end() {
        assert_eq!(check(&[5.0, 6.0, 7.0], 0.0, 28.0), [Some(7.0), Some(21.0), None]);
        assert_eq!(check(&[5.0], 10.0, 10.0), [None]);
        assert_eq!(check(&[f64::NAN, 5.0], 0.0, 28.0), [None, Some(7.0)]);
    }
}
