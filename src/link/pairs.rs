//! Keys with their texts, as they stand in a link.

/// The texts behind a key, in their order.
pub(super) fn said<'a>(fields: &'a str, key: &str) -> Vec<&'a str> {
    let pairs = fields.split('&').filter_map(|part| part.split_once('='));
    pairs.filter(|(k, _)| *k == key).map(|(_, text)| text).collect()
}
