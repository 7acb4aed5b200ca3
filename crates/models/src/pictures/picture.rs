//! A picture read from a file, as red, green and blue bytes.

use std::io::Cursor;

use image::imageops::FilterType;
use image::{ColorType, DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};

use super::pixels::Resampling;
use lipscope_core::experiment::{InputError, refuse_lfs_pointer};
use lipscope_core::phrase;

/// A picture, upright as its EXIF data say. Greys have three equal channels, and transparency is dropped, as transformers
/// does through the library Pillow. Pictures of 16 bits are refused: Pillow drops or clips bits of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pixels: RgbImage,
}

/// The longest side of a picture that is read.
const MOST_SIDE: u32 = 16_384;
/// The most bytes that a picture takes while it is read.
const MOST_BYTES: u64 = 1 << 30;

/// Whether the name of a file is that of a picture that can be read.
#[must_use]
pub fn is_picture(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["png", "jpg", "jpeg"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

impl Picture {
    /// Reads a PNG or JPEG file.
    ///
    /// # Errors
    /// [`InputError::File`] for other files, broken ones, and pictures that are too large.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, InputError> {
        let unreadable = |detail: String| InputError::File {
            file: name.into(),
            problem: phrase!("picture_unreadable", "it cannot be read as an image ({detail})", detail = detail),
            fix: phrase!(
                "give_png_or_jpeg",
                "Give a PNG or JPEG file, of at most {side} pixels a side.",
                side = MOST_SIDE
            ),
        };
        refuse_lfs_pointer(name, bytes)?;
        let mut reader = ImageReader::new(Cursor::new(bytes));
        let format = image::guess_format(bytes).map_err(|error| unreadable(error.to_string()))?;
        if !matches!(format, ImageFormat::Png | ImageFormat::Jpeg) {
            return Err(unreadable(format!("{format:?}")));
        }
        reader.set_format(format);
        let mut limits = Limits::default();
        limits.max_image_width = Some(MOST_SIDE);
        limits.max_image_height = Some(MOST_SIDE);
        limits.max_alloc = Some(MOST_BYTES);
        reader.limits(limits);
        let mut decoder = reader.into_decoder().map_err(|error| unreadable(error.to_string()))?;
        if !matches!(decoder.color_type(), ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8) {
            return Err(InputError::File {
                file: name.into(),
                problem: phrase!("picture_not_8_bits", "its channels have other than 8 bits"),
                fix: phrase!("save_with_8_bits", "Save it with 8 bits a channel."),
            });
        }
        if decoder.total_bytes() > MOST_BYTES {
            return Err(unreadable(format!("{} B", decoder.total_bytes())));
        }
        let turn = decoder.orientation().map_err(|error| unreadable(error.to_string()))?;
        let mut found = DynamicImage::from_decoder(decoder).map_err(|error| unreadable(error.to_string()))?;
        found.apply_orientation(turn);
        Ok(Picture { pixels: found.into_rgb8() })
    }

    /// Width and height in pixels.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.pixels.width() as usize, self.pixels.height() as usize)
    }

    /// Its shorter side scaled to `side`, and the square in the middle cut out.
    #[must_use]
    pub fn resized(&self, side: usize, resampling: Resampling) -> Picture {
        let (width, height) = self.size();
        let shorter = width.min(height).max(1);
        // As torchvision and Pillow do, the longer side is cut off to a whole number.
        let scaled = |length: usize| (length * side / shorter) as u32;
        let filter = match resampling {
            Resampling::Bilinear => FilterType::Triangle,
            Resampling::Bicubic => FilterType::CatmullRom,
        };
        let scaled = match shorter == side {
            true => self.pixels.clone(),
            false => image::imageops::resize(&self.pixels, scaled(width), scaled(height), filter),
        };
        let side = side as u32;
        let (left, top) = (scaled.width().saturating_sub(side) / 2, scaled.height().saturating_sub(side) / 2);
        Picture { pixels: image::imageops::crop_imm(&scaled, left, top, side, side).to_image() }
    }

    /// The value of a channel (0 red, 1 green, 2 blue) at a place, 0 to 255.
    pub(super) fn value(&self, channel: usize, row: usize, column: usize) -> u8 {
        self.pixels.get_pixel(column as u32, row as u32).0[channel]
    }

    /// All bytes, and the size.
    pub(super) fn bytes(&self) -> impl Iterator<Item = u8> {
        let (width, height) = self.pixels.dimensions();
        [width, height].into_iter().flat_map(u32::to_le_bytes).chain(self.pixels.as_raw().iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{GrayAlphaImage, LumaA, Rgb};

    fn file(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).expect("written");
        bytes.into_inner()
    }

    #[test]
    fn greys_become_three_channels_and_transparency_is_dropped() {
        let grey = GrayAlphaImage::from_fn(3, 2, |x, y| LumaA([(40 * x + 7 * y) as u8, 11]));
        let read = Picture::read("a.png", &file(&grey.into(), ImageFormat::Png)).expect("a picture");
        assert_eq!(read.size(), (3, 2));
        assert_eq!([0, 1, 2].map(|channel| read.value(channel, 1, 2)), [87; 3]);
    }

    #[test]
    fn a_jpeg_file_is_turned_as_its_exif_data_say_and_16_bits_are_refused() {
        let lying = RgbImage::from_fn(16, 8, |x, _| if x < 8 { Rgb([250, 0, 0]) } else { Rgb([0, 0, 250]) });
        let plain = file(&lying.into(), ImageFormat::Jpeg);
        // Orientation 6: turned by a quarter to the right, the left side comes to the top.
        let exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        let segment = [&[0xff, 0xe1][..], &((exif.len() + 2) as u16).to_be_bytes(), exif].concat();
        let turned = [&plain[..2], &segment, &plain[2..]].concat();
        let read = Picture::read("a.jpg", &turned).expect("a picture");
        assert_eq!(read.size(), (8, 16));
        assert!(read.value(0, 1, 4) > 200 && read.value(2, 14, 4) > 200);
        let deep = image::ImageBuffer::<Rgb<u16>, _>::from_pixel(2, 2, Rgb([300, 300, 300]));
        let said = Picture::read("a.png", &file(&deep.into(), ImageFormat::Png)).expect_err("16 bits").to_string();
        assert!(said.contains("8 bits a channel"), "{said}");
    }

    #[test]
    fn a_jpeg_file_is_read_in_its_colours() {
        let plain = RgbImage::from_pixel(16, 16, Rgb([200, 30, 90]));
        let read = Picture::read("a.jpg", &file(&plain.into(), ImageFormat::Jpeg)).expect("a picture");
        for (channel, value) in [200u8, 30, 90].into_iter().enumerate() {
            assert!(read.value(channel, 7, 9).abs_diff(value) <= 2, "{}", read.value(channel, 7, 9));
        }
    }

    #[test]
    fn files_that_are_no_pictures_are_refused_by_name() {
        let png = file(&RgbImage::new(4, 4).into(), ImageFormat::Png);
        for bytes in [&b"no picture"[..], b"", &png[..20], b"GIF89a\x01\0\x01\0\0\0\0"] {
            let said = Picture::read("a.png", bytes).expect_err("no picture").to_string();
            assert!(said.contains("a.png") && said.contains("PNG or JPEG"), "{said}");
        }
        assert!(is_picture("A.JPG") && is_picture("b.png") && !is_picture("png") && !is_picture("c.webp"));
    }

    #[test]
    fn the_shorter_side_is_scaled_and_the_middle_cut_out() {
        let wide = RgbImage::from_fn(20, 8, |x, _| Rgb([(10 * x) as u8, 3, 200]));
        let picture = Picture { pixels: wide };
        let same = picture.resized(8, Resampling::Bilinear);
        assert_eq!((same.size(), same.value(0, 0, 0)), ((8, 8), 60));
        for resampling in [Resampling::Bilinear, Resampling::Bicubic] {
            let half = picture.resized(4, resampling);
            assert_eq!(half.size(), (4, 4));
            // 10 x 4 after scaling, of which columns 3 to 6 stay: the middle of two neighbours each.
            for column in 0..4 {
                let value = f64::from(half.value(0, 2, column));
                assert!((value - (20.0 * (column as f64 + 3.0) + 5.0)).abs() <= 1.0, "{value} at {column}");
            }
        }
        assert_eq!(Picture { pixels: RgbImage::new(7, 30) }.resized(10, Resampling::Bicubic).size(), (10, 10));
    }
}
