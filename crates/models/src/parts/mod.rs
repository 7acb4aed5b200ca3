//! The weights of a model, its forward pass, and the maps of its layers with their Jacobians.
//!
//! Nothing here knows where weights come from, or what is measured at a map.

pub(crate) mod attention_map;
pub(crate) mod dense;
pub(crate) mod experts;
pub(crate) mod forward;
pub(crate) mod jacobian;
pub(crate) mod layer_map;
pub(crate) mod mlp;
pub(crate) mod model;
pub(crate) mod patches;
pub(crate) mod token_norm;
pub(crate) mod weight_norms;
