//! The steps of a trained model's attention, whose numbers come from its files. An experiment describes the others.

use super::rope::Rotary;
use crate::experiment::QkNorm;

/// The steps between the projections and the weights of softmax attention, the same for all heads but for the sinks. The
/// default has none: softmax of the plain scores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenSteps {
    /// The normaliser of queries and keys, before they turn; gains of k entries.
    pub norm: Option<QkNorm>,
    /// The rotation of queries and keys; its pairs lie within the k entries of a head.
    pub rotary: Option<Rotary>,
    /// tau of s <- tau tanh(s/tau), above 0.
    pub softcap: Option<f64>,
    /// c0 of each head, the score of a place whose value is 0; empty without sinks.
    pub sinks: Vec<f64>,
}
