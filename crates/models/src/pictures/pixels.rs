//! How a model's own preprocessor turns bytes into numbers: the settings of `preprocessor_config.json`.

use serde_json::Value;

use crate::config::fields::Fields;
use crate::config::file::without_mark;
use lipscope_core::experiment::{InputError, Phrase, json_problem};
use lipscope_core::phrase;

/// The files that say how pixels are scaled. As in transformers, `image_processor` in the second wins where it is there.
pub const PREPROCESSORS: [&str; 2] = ["preprocessor_config.json", "processor_config.json"];

/// A channel c with value v becomes (v factor - mean_c)/deviation_c.
#[derive(Clone, Debug, PartialEq)]
pub struct PixelRule {
    factor: f64,
    mean: [f64; 3],
    deviation: [f64; 3],
    /// How the preprocessor scales a picture; `None` for a way that is not known here.
    resampling: Option<Resampling>,
    /// The side of the pictures that the preprocessor makes, where it says so.
    side: Option<u64>,
    /// Notes on settings that were not understood and ignored.
    pub notes: Vec<Phrase>,
}

/// How pixels between pixels are found where a picture is scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Resampling {
    /// By straight lines, over the wider neighbourhood that a pixel has in a picture made smaller.
    Bilinear,
    /// By cubics, likewise.
    Bicubic,
}

impl Resampling {
    /// Its usual name.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

/// Settings that change no number here: a picture is given in the size of `config.json`, or brought to it in one way at the
/// user's wish. A note tells where the preprocessor's size is another.
const IRRELEVANT: [&str; 22] = [
    "image_processor_type",
    "feature_extractor_type",
    "processor_class",
    "do_resize",
    "size",
    "do_center_crop",
    "crop_size",
    "crop_pct",
    "default_to_square",
    "size_divisor",
    "do_convert_rgb",
    "data_format",
    "input_data_format",
    "return_tensors",
    "device",
    "disable_grouping",
    "use_fast",
    "_valid_processor_keys",
    "image_seq_length",
    "auto_map",
    "backend",
    "_processor_class",
];

impl PixelRule {
    /// Reads one of [`PREPROCESSORS`].
    ///
    /// # Errors
    /// [`InputError`] that names the setting, or says that the text is not JSON.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        let value: Value = serde_json::from_str(without_mark(text)).map_err(|error| InputError::File {
            file: file.into(),
            problem: phrase!("not_valid_json", "it is not valid JSON ({detail})", detail = json_problem(&error)),
            fix: phrase!("give_preprocessor", "Give the {file} that lies beside the model's weights.", file = file),
        })?;
        let Value::Object(map) = value else {
            return Err(InputError::bad_value(file, value.to_string(), phrase!("json_object", "a JSON object")));
        };
        let whole = Fields::of(map);
        match whole.object("image_processor")? {
            Some(inner) => PixelRule::of(file, &inner),
            None => PixelRule::of(file, &whole),
        }
    }

    /// Reads the one of [`PREPROCESSORS`] that counts.
    ///
    /// # Errors
    /// Those of `read` and [`PixelRule::parse`], and [`InputError::File`] if there is none.
    pub fn gather(mut read: impl FnMut(&str) -> Result<Option<String>, InputError>) -> Result<Self, InputError> {
        let [name, whole] = PREPROCESSORS;
        if let Some(text) = read(whole)?
            && serde_json::from_str::<Value>(&text).is_ok_and(|value| value.get("image_processor").is_some())
        {
            return PixelRule::parse(whole, &text);
        }
        if let Some(text) = read(name)? {
            return PixelRule::parse(name, &text);
        }
        Err(InputError::File {
            file: name.into(),
            problem: phrase!("no_preprocessor", "it is not there, and only it says how pixels are scaled"),
            fix: phrase!("give_preprocessor", "Give the {file} that lies beside the model's weights.", file = name),
        })
    }

    fn of(file: &str, fields: &Fields) -> Result<Self, InputError> {
        const USED: [&str; 6] = ["do_rescale", "rescale_factor", "do_normalize", "image_mean", "image_std", "resample"];
        // Other families' processors shift the scaled values, or fill the picture up.
        for name in ["do_pad", "rescale_offset", "offset"] {
            if fields.flag(name, false)? {
                let expected = phrase!("false_or_absent", "false, since what it does is not read");
                return Err(InputError::bad_value(key(file, name), "true", expected));
            }
        }
        let mut unknown: Vec<&str> = fields.all().filter(|(_, value)| !value.is_null()).map(|(name, _)| name).collect();
        unknown.retain(|name| !USED.contains(name) && !IRRELEVANT.contains(name));
        unknown.retain(|name| !["do_pad", "rescale_offset", "offset"].contains(name));
        let mut notes = Vec::new();
        if !unknown.is_empty() {
            notes.push(phrase!(
                "note_unknown_pixels",
                "{file} has settings that are not known here and were ignored: {keys}",
                file = file,
                keys = unknown.join(", ")
            ));
        }
        let factor = match fields.flag("do_rescale", true)? {
            true => fields.positive("rescale_factor")?.unwrap_or(1.0 / 255.0),
            false => 1.0,
        };
        let (mean, deviation) = match fields.flag("do_normalize", true)? {
            true => (channels(file, fields, "image_mean")?, channels(file, fields, "image_std")?),
            false => ([0.0; 3], [1.0; 3]),
        };
        if deviation.contains(&0.0) {
            let expected = phrase!("three_numbers_not_0", "three numbers that are not 0");
            return Err(InputError::bad_value(key(file, "image_std"), "0", expected));
        }
        let resampling = match fields.get("resample").and_then(Value::as_u64) {
            Some(2) => Some(Resampling::Bilinear),
            Some(3) => Some(Resampling::Bicubic),
            _ => None,
        };
        let side = match fields.flag("do_center_crop", false)? {
            true => fields.get("crop_size").and_then(side_of),
            false => fields.get("size").and_then(side_of),
        };
        Ok(PixelRule { factor, mean, deviation, resampling, side, notes })
    }

    /// How the model's preprocessor scales a picture.
    ///
    /// # Errors
    /// [`InputError::Conflict`] if it does so in a way that is not known here, or does not say how.
    pub fn resampling(&self) -> Result<Resampling, InputError> {
        self.resampling.ok_or_else(|| InputError::Conflict {
            what: phrase!("models_preprocessor", "The model's preprocessor"),
            problem: phrase!(
                "resampling_not_read",
                "does not scale images by the ways 2 (bilinear) or 3 (bicubic) of `resample`, and no other is read"
            ),
            fix: phrase!("give_picture_of_size", "Give an image that has the size already."),
        })
    }

    /// A note, where the preprocessor makes pictures of another side than the model's.
    pub(super) fn note_of_side(&self, side: usize) -> Option<Phrase> {
        let found = self.side.filter(|found| *found != side as u64)?;
        Some(phrase!(
            "note_other_side",
            "the model's preprocessor makes images of {found} x {found}; the measured size is {side} x {side}, as in config.json",
            found = found,
            side = side
        ))
    }

    /// The numbers of the rule, for a fingerprint.
    pub(super) fn bytes(&self) -> impl Iterator<Item = u8> {
        let numbers = [self.factor].into_iter().chain(self.mean).chain(self.deviation);
        numbers.flat_map(f64::to_le_bytes)
    }

    /// The number that a channel's byte becomes.
    pub(super) fn number(&self, channel: usize, value: u8) -> f64 {
        (f64::from(value) * self.factor - self.mean[channel]) / self.deviation[channel]
    }
}

/// The side of a square: a number, or an equal height and width.
fn side_of(value: &Value) -> Option<u64> {
    let side = |name: &str| value.get(name).and_then(Value::as_u64);
    value.as_u64().or_else(|| side("height").filter(|height| side("width") == Some(*height)))
}

/// How sentences name a setting.
fn key(file: &str, name: &str) -> String {
    format!("{file}: {name}")
}

/// Three numbers; a list of one is that number three times, as in transformers.
fn channels(file: &str, fields: &Fields, name: &str) -> Result<[f64; 3], InputError> {
    let key = key(file, name);
    let expected = || phrase!("three_numbers", "a list of three numbers, one for each of red, green and blue");
    let Some(list) = fields.numbers(name)? else {
        return Err(InputError::MissingKey { key, expected: expected() });
    };
    match list[..] {
        [one] => Ok([one; 3]),
        [red, green, blue] => Ok([red, green, blue]),
        _ => Err(InputError::bad_value(key, format!("{list:?}"), expected())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Result<PixelRule, InputError> {
        PixelRule::parse("preprocessor_config.json", text)
    }

    #[test]
    fn each_step_is_done_unless_it_is_switched_off() {
        let default = rule(r#"{"image_mean":[0.5,0.25,0],"image_std":[0.5,0.25,2],"resample":3}"#).expect("a rule");
        assert!((default.number(0, 255) - 1.0).abs() < 1e-15);
        assert!((default.number(1, 0) + 1.0).abs() < 1e-15);
        assert!((default.number(2, 51) - 0.1).abs() < 1e-15);
        assert_eq!(default.resampling(), Ok(Resampling::Bicubic));
        let plain = rule(r#"{"do_normalize":false,"rescale_factor":0.5}"#).expect("a rule");
        assert_eq!(plain.number(1, 7), 3.5);
        assert!(plain.resampling().is_err());
        let raw = rule(r#"{"do_normalize":false,"do_rescale":false}"#).expect("a rule");
        assert_eq!(raw.number(1, 7), 7.0);
        let nested =
            rule(r#"{"processor_class":"CLIPProcessor","image_processor":{"image_mean":[1],"image_std":[2]}}"#);
        assert_eq!(nested.expect("a rule").number(2, 255), 0.0);
    }

    #[test]
    fn what_is_missing_wrong_or_unknown_is_named() {
        for (text, word) in [
            ("{", "preprocessor_config.json"),
            ("[]", "JSON object"),
            ("{}", "image_mean"),
            (r#"{"image_mean":[1,2],"image_std":[1,1,1]}"#, "image_mean"),
            (r#"{"image_mean":[1,2,3],"image_std":[1,0,1]}"#, "image_std"),
            (r#"{"image_mean":"x","image_std":[1,0,1]}"#, "image_mean"),
            (r#"{"do_normalize":false,"rescale_factor":0}"#, "rescale_factor"),
            (r#"{"do_normalize":false,"do_pad":true}"#, "do_pad"),
            (r#"{"do_normalize":1}"#, "do_normalize"),
        ] {
            let said = rule(text).expect_err(text).to_string();
            assert!(said.contains(word), "{text}: {said}");
        }
        let notes = rule(r#"{"do_normalize":false,"do_rotate":true}"#).expect("a rule").notes;
        assert!(notes[0].to_string().contains("do_rotate"), "{notes:?}");
    }
}
