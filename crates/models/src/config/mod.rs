//! The architecture of a model, read from its `config.json`: what each family has, and which maps its layers have.
//!
//! Nothing here knows weights, files other than `config.json`, or how anything is computed.

pub(crate) mod activation;
pub(crate) mod description;
pub(crate) mod families;
pub(crate) mod family;
pub(crate) mod fields;
pub(crate) mod file;
pub(crate) mod keys;
pub(crate) mod layer_fields;
pub(crate) mod layer_set;
pub(crate) mod map_formula;
pub(crate) mod map_kind;
pub(crate) mod model_config;
pub(crate) mod residual;
pub(crate) mod rope;
pub(crate) mod rope_fields;
pub(crate) mod score_bias;
pub(crate) mod tensor_names;
pub(crate) mod unread;
