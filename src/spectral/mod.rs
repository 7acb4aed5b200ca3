//! Norms: the spectral norm by Golub-Kahan-Lanczos or by a dense SVD, and the entrywise norms of a dense matrix.

mod dense;
mod lanczos;

pub use dense::{
    DenseNorms, dense_norms, largest_eigenvalue, largest_singular_value, largest_triplet, norm_of_product,
    singular_values,
};
pub use lanczos::{Lanczos, LanczosOptions, SingularTriplet, Status};
