//! Spectral norms by Golub-Kahan-Lanczos, dense SVD or (for comparison) power iteration; leading singular triplets;
//! entrywise norms.

mod dense;
#[cfg(test)]
mod diagonal;
mod factor;
mod lanczos;
mod leading;
mod power;
mod probable;
mod vectors;

pub use dense::{
    DenseNorms, dense_norms, largest_eigenvalue, largest_singular_value, largest_triplet, norm_of_product,
    singular_values,
};
pub(crate) use dense::{full_svd, leading_eigenvector, max_token, norm_from_gram, triangle_of_columns};
pub(crate) use factor::is_positive_definite;
pub(crate) use lanczos::KEPT_PAIRS;
pub use lanczos::{Lanczos, LanczosOptions, Status};
pub use leading::{Leading, zero_below};
pub use power::PowerIteration;
pub use probable::{Assurance, Failure, ProbableUpper};
pub use vectors::SingularTriplet;
pub(crate) use vectors::{column_lengths, norm as length};
