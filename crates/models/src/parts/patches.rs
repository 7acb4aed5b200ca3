//! Pictures as tokens: the tokens of the model that come first, then the patches, row by row, each its pixels times the
//! model's matrix.

use nalgebra::DMatrix;

use super::model::Patches;
use crate::pictures::Pictures;
use lipscope_core::experiment::InputError;
use lipscope_core::phrase;

impl Patches {
    /// The tokens of some windows, d x (their number), without positions. A window is a picture.
    ///
    /// # Errors
    /// [`InputError::BadValue`] for a window that is another part of the tokens.
    pub(crate) fn tokens(&self, pictures: &Pictures, windows: &[&[u32]]) -> Result<DMatrix<f64>, InputError> {
        let n = pictures.sizes().tokens();
        let (first, d) = (self.first.len(), self.projection.weight.nrows());
        let mut x = DMatrix::zeros(d, 0);
        for window in windows {
            let picture = window.first().map_or(0, |id| *id as usize / n);
            let is_whole = window.len() == n && window.iter().zip(picture * n..).all(|(id, at)| *id as usize == at);
            let Some(pixels) = pictures.pixels(picture).filter(|_| is_whole) else {
                return Err(InputError::BadValue {
                    key: "n".into(),
                    found: window.len().to_string().into(),
                    expected: phrase!(
                        "tokens_of_picture",
                        "{n}, since a window is an image, and one has {n} tokens",
                        n = n
                    ),
                });
            };
            let patches = DMatrix::from_iterator(self.projection.weight.ncols(), n - first, pixels);
            let start = x.ncols();
            x = x.resize_horizontally(start + n, 0.0);
            for (own, mut token) in self.first.iter().zip(x.columns_range_mut(start..start + first).column_iter_mut()) {
                token.iter_mut().zip(own).for_each(|(x, y)| *x = f64::from(*y));
            }
            x.columns_range_mut(start + first..).copy_from(&self.projection.apply(&patches));
        }
        Ok(x)
    }
}
