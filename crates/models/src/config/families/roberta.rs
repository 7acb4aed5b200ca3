//! RoBERTa, XLM-RoBERTa and CamemBERT: BERT whose positions begin after the row of the padding token.

use super::bert::{BERT, KEYS};
use crate::config::family::{Family, FirstPosition, PaddingSource, SizeKeys, size};
use crate::config::keys::COMMON;

pub(super) const ROBERTA: Family = Family {
    model_type: "roberta",
    name: "RoBERTa",
    class: Some("Roberta"),
    prefix: "roberta",
    first_position: FirstPosition::AfterPadding { id: 1, source: PaddingSource::Config },
    sizes: SizeKeys { vocabulary: size(&["vocab_size"], 50_265), ..BERT.sizes },
    keys: &[KEYS, COMMON],
    ..BERT
};

pub(super) const XLM_ROBERTA: Family =
    Family { model_type: "xlm-roberta", name: "XLM-RoBERTa", class: Some("XLMRoberta"), sizes: BERT.sizes, ..ROBERTA };

pub(super) const CAMEMBERT: Family =
    Family { model_type: "camembert", name: "CamemBERT", class: Some("Camembert"), ..ROBERTA };
