//! A fixed list of maps, for tests where drawing all of them takes too long.

/// Settings added to an experiment: dot-product and L2 attention, both masks, both normalisers.
pub const SETTINGS: [&str; 5] = [
    "",
    r#","mask":"causal""#,
    r#","attention":"l2""#,
    r#","normalization":"layer","normalization_scope":"composed""#,
    r#","attention":"l2","mask":"causal","normalization":"rms","normalization_scope":"composed""#,
];
