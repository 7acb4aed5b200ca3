//! Where a model comes from.

use lipscope_models::DrawnModel;
use serde::{Deserialize, Serialize};

/// Where a model's weights come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelOrigin {
    /// Randomly initialised.
    Drawn(DrawnModel),
    /// The files beside the message.
    Files {
        /// The folder's name.
        name: String,
    },
}
