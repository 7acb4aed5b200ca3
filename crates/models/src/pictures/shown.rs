//! The pictures that a model is shown, in its size.

use super::picture::Picture;
use super::pixels::PixelRule;
use crate::config::model_config::{ModelConfig, PictureSizes};
use crate::text::windows::fingerprint;
use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;
use serde::{Deserialize, Serialize};

/// Pictures in a model's size. The tokens of all pictures, one picture after another, have the ids 0, 1, ..
#[derive(Clone, Debug, PartialEq)]
pub struct Pictures {
    named: Vec<String>,
    pictures: Vec<Picture>,
    rule: PixelRule,
    sizes: PictureSizes,
    /// Notes on what was done to the pictures, and of the rule.
    pub notes: Vec<Phrase>,
}

/// Whether pictures of another size than the model's are brought to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Resizing {
    /// They are refused.
    #[default]
    Refused,
    /// The shorter side is scaled, and the middle cut out.
    Allowed,
}

/// How many times the other a side of a picture that is scaled may be.
const MOST_TIMES: usize = 16;

impl Pictures {
    /// Pictures, each with its name, for a model; one after another is read and brought to the model's size.
    ///
    /// # Errors
    /// [`InputError`] if the model takes no pictures, none is given, or one has another size and must not be resized.
    pub fn new(
        named: impl IntoIterator<Item = Result<(String, Picture), InputError>>,
        rule: PixelRule,
        config: &ModelConfig,
        resizing: Resizing,
    ) -> Result<Self, InputError> {
        let Some(sizes) = config.picture else { return Err(takes_no_pictures(config)) };
        let side = sizes.side;
        let mut notes = rule.notes.clone();
        notes.extend(rule.note_of_side(side));
        let (mut names, mut pictures) = (Vec::new(), Vec::new());
        for read in named {
            let (name, picture) = read?;
            names.push(name.clone());
            let (width, height) = picture.size();
            if (width, height) == (side, side) {
                pictures.push(picture);
                continue;
            }
            if resizing == Resizing::Refused {
                return Err(InputError::File {
                    file: name.into(),
                    problem: phrase!(
                        "picture_of_other_size",
                        "it has {width} x {height} pixels, and the model takes {side} x {side}",
                        width = width,
                        height = height,
                        side = side
                    ),
                    fix: phrase!(
                        "resize_picture",
                        "Give an image of that size, or let it be resized: `--resize` on the command line, a switch on the page."
                    ),
                });
            }
            // Scaling comes before cutting, so that a thin picture would become a very long one.
            if width.max(height) > MOST_TIMES * width.min(height) {
                return Err(InputError::File {
                    file: name.into(),
                    problem: phrase!(
                        "picture_too_thin",
                        "it has {width} x {height} pixels: one side is more than {times} times the other",
                        width = width,
                        height = height,
                        times = MOST_TIMES
                    ),
                    fix: phrase!("give_picture_of_size", "Give an image that has the size already."),
                });
            }
            let resampling = rule.resampling()?;
            notes.push(phrase!(
                "note_resized",
                "{name} was scaled from {width} x {height} pixels ({way}) and its middle of {side} x {side} cut out",
                name = name,
                width = width,
                height = height,
                way = resampling.id(),
                side = side
            ));
            pictures.push(picture.resized(side, resampling));
        }
        if pictures.is_empty() {
            return Err(InputError::Empty {
                what: phrase!("list_of_pictures", "The list of images"),
                least: phrase!("at_least_one", "one"),
            });
        }
        Ok(Pictures { named: names, pictures, rule, sizes, notes })
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(String::as_str)
    }

    /// How many pictures there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.pictures.len()
    }

    /// The ids of all their tokens.
    #[must_use]
    pub fn ids(&self) -> Vec<u32> {
        (0..(self.count() * self.sizes.tokens()) as u32).collect()
    }

    /// A fingerprint of the pixels and of how they are scaled, as written in tables.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        format!("{:016x}", fingerprint(self.pictures.iter().flat_map(Picture::bytes).chain(self.rule.bytes())))
    }

    /// Their sizes.
    pub(crate) fn sizes(&self) -> PictureSizes {
        self.sizes
    }

    /// The numbers of all patches of a picture, row by row, each channel by channel and row by row; `None` if there is no
    /// such picture.
    pub(crate) fn pixels(&self, picture: usize) -> Option<impl Iterator<Item = f64> + '_> {
        let shown = self.pictures.get(picture)?;
        let patches = self.sizes.patches_in_row().pow(2);
        Some((0..patches).flat_map(move |patch| self.patch(shown, patch)))
    }

    fn patch(&self, picture: &Picture, patch: usize) -> impl Iterator<Item = f64> {
        let (in_row, side) = (self.sizes.patches_in_row(), self.sizes.patch);
        let (top, left) = (patch / in_row * side, patch % in_row * side);
        let places = (0..3)
            .flat_map(move |channel| (0..side * side).map(move |at| (channel, top + at / side, left + at % side)));
        places.map(|(channel, row, column)| self.rule.number(channel, picture.value(channel, row, column)))
    }
}

/// The refusal of pictures for a model of texts.
#[must_use]
pub fn takes_no_pictures(config: &ModelConfig) -> InputError {
    InputError::Conflict {
        what: phrase!("the_model_of_family", "The model, a {family},", family = config.family.name()),
        problem: phrase!("takes_no_pictures", "takes texts and no images"),
        fix: phrase!(
            "give_text_instead",
            "Give a text, or a model of images such as ViT, DINOv2 or CLIP's vision half."
        ),
    }
}

/// The refusal of a text for a model of pictures.
#[must_use]
pub fn needs_pictures(config: &ModelConfig) -> InputError {
    let side = config.picture.map_or(0, |picture| picture.side);
    InputError::Conflict {
        what: phrase!("the_model_of_family", "The model, a {family},", family = config.family.name()),
        problem: phrase!("takes_pictures", "takes images of {side} x {side} pixels and no texts", side = side),
        fix: phrase!(
            "give_pictures",
            "Give PNG or JPEG files: with `--image` on the command line, on the page among the model's files."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grey PNG file.
    fn picture(width: u32, height: u32) -> Picture {
        let mut bytes = std::io::Cursor::new(Vec::new());
        let grey = image::GrayImage::from_fn(width, height, |x, y| image::Luma([(17 * x + 5 * y) as u8]));
        grey.write_to(&mut bytes, image::ImageFormat::Png).expect("written");
        Picture::read("a.png", &bytes.into_inner()).expect("a picture")
    }

    fn shown(rule: &str, (width, height): (u32, u32), resizing: Resizing) -> Result<Pictures, InputError> {
        let config =
            ModelConfig::from_json(r#"{"model_type":"vit","image_size":12,"patch_size":4}"#).expect("a config");
        let rule = PixelRule::parse("preprocessor_config.json", rule).expect("a rule");
        let named = [Ok(("a.png".to_owned(), picture(width, height)))];
        Pictures::new(named, rule, &config, resizing)
    }

    #[test]
    fn pictures_that_are_scaled_otherwise_are_another_input() {
        let plain = r#"{"do_normalize":false}"#;
        let of = |rule: &str| shown(rule, (12, 12), Resizing::Refused).expect("the model's size").fingerprint();
        assert_eq!(of(plain), of(plain));
        for other in
            [r#"{"do_normalize":false,"rescale_factor":0.5}"#, r#"{"image_mean":[0,0,0.1],"image_std":[1,1,1]}"#]
        {
            assert_ne!(of(plain), of(other), "{other}");
        }
    }

    #[test]
    fn another_size_is_refused_or_told() {
        let rule = r#"{"do_normalize":false,"resample":2,"size":{"height":24,"width":24}}"#;
        let said = shown(rule, (20, 12), Resizing::Refused).expect_err("another size").to_string();
        assert!(said.contains("20 x 12") && said.contains("12 x 12"), "{said}");
        let notes = shown(rule, (20, 12), Resizing::Allowed).expect("resized").notes;
        let notes: Vec<String> = notes.iter().map(Phrase::to_string).collect();
        assert!(notes[0].contains("makes images of 24 x 24") && notes[1].contains("scaled from 20 x 12"), "{notes:?}");
        let thin = shown(rule, (2, 40), Resizing::Allowed).expect_err("too thin").to_string();
        assert!(thin.contains("more than 16 times"), "{thin}");
        let nearest = shown(r#"{"do_normalize":false,"resample":0}"#, (20, 12), Resizing::Allowed);
        let other = nearest.expect_err("nearest").to_string();
        assert!(other.contains("resample"), "{other}");
    }
}
