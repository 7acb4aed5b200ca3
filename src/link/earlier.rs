//! What links said while the view over n was three plots: `regime` (bounds up to 1e18), `draws` (what is measured) and `hunt`
//! (the search). They are read as fields of the one plot that took their place.

use super::pairs::said;

/// The plot of a first visit of versions 1 and 2.
pub const FIRST_PLOT: &str = "regime";

/// The right end that the plot of bounds had, and the n at which it was read, where a link does not say.
const FIRST_END: &str = "1e18";
const FIRST_AT: &str = "1e9";

/// The fields as they are written now; `first` is the plot of a link that names none.
pub fn renewed(fields: &str, first: Option<&str>) -> String {
    let last = |key: &str| said(fields, key).last().copied();
    let plot = last("plot").or(first.filter(|_| last("lesson").is_none()));
    let added = match plot {
        Some("regime") => {
            let end = last("to").unwrap_or(FIRST_END);
            let range = match end.parse::<f64>() {
                Ok(end) if end <= 4096.0 => "measured",
                Ok(end) if end <= 1e6 => "1e6",
                _ => "1e18",
            };
            let at = last("at").unwrap_or(FIRST_AT);
            format!("plot=growth&range={range}&at={at}&axis=log")
        }
        Some("draws") => "plot=growth&range=measured&at=n".to_owned(),
        Some("hunt") => "plot=growth&range=measured&at=n&search=open".to_owned(),
        // The end of the axis is one of three now.
        _ if last("to").is_some() => String::new(),
        _ => return fields.to_owned(),
    };
    let taken: Vec<&str> = added.split('&').filter_map(|field| field.split_once('=')).map(|(key, _)| key).collect();
    let is_kept = |field: &&str| field.split_once('=').is_none_or(|(key, _)| key != "to" && !taken.contains(&key));
    let kept = fields.split('&').filter(|field| !field.is_empty()).filter(is_kept);
    kept.chain(added.split('&').filter(|field| !field.is_empty())).collect::<Vec<_>>().join("&")
}
