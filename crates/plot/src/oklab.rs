//! OKLab, a colour space in which equal distances look about equal.
//!
//! Björn Ottosson, "A perceptual color space for image processing", 2020, <https://bottosson.github.io/posts/oklab/>.
//! Colours outside sRGB are clipped per channel, which is invisible for the small excursions of the palettes.

use plotters::style::RGBColor;

/// A colour in OKLab: lightness and two opponent axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lab {
    pub l: f64,
    pub a: f64,
    pub b: f64,
}

/// sRGB to OKLab.
pub(super) fn from_rgb(color: RGBColor) -> Lab {
    from_linear(linear(color))
}

/// Linear RGB to OKLab.
pub(super) fn from_linear([r, g, b]: [f64; 3]) -> Lab {
    let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
    let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
    let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
    Lab {
        l: 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
        a: 1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
        b: 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
    }
}

/// OKLab to sRGB.
pub(super) fn to_rgb(lab: Lab) -> RGBColor {
    let l = (lab.l + 0.396_337_777_4 * lab.a + 0.215_803_757_3 * lab.b).powi(3);
    let m = (lab.l - 0.105_561_345_8 * lab.a - 0.063_854_172_8 * lab.b).powi(3);
    let s = (lab.l - 0.089_484_177_5 * lab.a - 1.291_485_548_0 * lab.b).powi(3);
    let channel = |linear: f64| {
        let encoded = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
        (255.0 * encoded.clamp(0.0, 1.0)).round() as u8
    };
    RGBColor(
        channel(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
        channel(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
        channel(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s),
    )
}

/// sRGB with its transfer curve undone, each channel in [0, 1].
pub(super) fn linear(color: RGBColor) -> [f64; 3] {
    [color.0, color.1, color.2].map(|channel| {
        let c = f64::from(channel) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_convert_to_oklab_and_back_unchanged() {
        for color in [RGBColor(0, 0, 0), RGBColor(255, 255, 255), RGBColor(12, 200, 99), RGBColor(250, 1, 130)] {
            assert_eq!(to_rgb(from_rgb(color)), color);
        }
    }
}
