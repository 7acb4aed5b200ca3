//! Where a model comes from: the files with its weights, read tensor by tensor, or random numbers.
//!
//! Nothing here knows what is measured at a model.

pub(crate) mod arrangement;
pub(crate) mod checkpoint;
pub(crate) mod draw;
pub(crate) mod load;
pub(crate) mod opened;
pub(crate) mod parameters;
pub(crate) mod safetensors;
pub(crate) mod source;
pub(crate) mod weight_files;
