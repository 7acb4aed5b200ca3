//! The caption under an exported figure: the settings behind it, and a link that restores them.

use super::style::{Style, text_width};

/// Space beside and under the lines, in CSS pixels.
const MARGIN: f64 = 12.0;
/// The height of a line as a multiple of its font size.
const LINE: f64 = 1.45;
/// A link longer than this many lines is cut. In an SVG file the lines that remain still lead to the whole address.
const MOST_LINK_LINES: usize = 3;

/// The caption of an exported figure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caption {
    /// The settings, as text.
    pub settings: String,
    /// The address that restores the settings; `None` if no address holds them.
    pub link: Option<String>,
}

/// A caption broken into lines for a width.
#[derive(Debug, Clone, PartialEq)]
pub struct CaptionLines {
    /// The lines of the settings, then those of the link.
    pub lines: Vec<String>,
    /// How many of `lines` belong to the settings.
    pub n_settings: usize,
    /// Their height with the margin, in CSS pixels; 0 where there are none.
    pub height: f64,
    /// The size of their type, in CSS pixels.
    pub size: f64,
}

impl Caption {
    /// Breaks the caption into lines for a figure of this width, in CSS pixels.
    #[must_use]
    pub fn lines(&self, width: f64, style: &Style) -> CaptionLines {
        let size = style.font.size_small;
        let room = (width - 2.0 * MARGIN).max(10.0 * size);
        let fits = |text: &str| text_width(text, size) <= room;
        let mut lines = words_in_lines(&self.settings, fits);
        let n_settings = lines.len();
        let mut link = characters_in_lines(self.link.as_deref().unwrap_or_default(), fits);
        if link.len() > MOST_LINK_LINES {
            link.truncate(MOST_LINK_LINES);
            if let Some(last) = link.last_mut() {
                last.pop();
                last.push('…');
            }
        }
        lines.append(&mut link);
        let height = if lines.is_empty() { 0.0 } else { (lines.len() as f64 * LINE * size + MARGIN).ceil() };
        CaptionLines { lines, n_settings, height, size }
    }
}

impl CaptionLines {
    /// The start of a line on its baseline, from the top left corner of the caption, in CSS pixels.
    #[must_use]
    pub fn place(&self, line: usize) -> (f64, f64) {
        (MARGIN, (line as f64 + 1.0) * LINE * self.size)
    }
}

/// Lines of whole words; only a word longer than a line is broken.
fn words_in_lines(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if fits(&format!("{line} {word}")) => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.extend(characters_in_lines(word, &fits)),
        }
    }
    lines
}

/// Lines broken at any character.
fn characters_in_lines(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for c in text.chars() {
        match lines.last_mut() {
            Some(line) => {
                line.push(c);
                if !fits(line) {
                    line.pop();
                    lines.push(c.into());
                }
            }
            None => lines.push(c.into()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Theme;

    fn lines(settings: &str, link: Option<&str>, width: f64) -> CaptionLines {
        let caption = Caption { settings: settings.into(), link: link.map(Into::into) };
        caption.lines(width, &Style::canvas(Theme::Light, 1.0))
    }

    #[test]
    fn every_line_fits_and_no_word_is_lost() {
        let settings = "n = 64, d = 2, R = 1.5, random tokens in a ball, one head, no mask, sample 17";
        let broken = lines(settings, None, 200.0);
        assert!(broken.lines.len() > 1, "{broken:?}");
        assert_eq!(broken.lines.join(" "), settings);
        assert!(broken.lines.iter().all(|line| text_width(line, broken.size) <= 176.0), "{broken:?}");
    }

    #[test]
    fn a_long_link_is_cut_and_says_so() {
        let link = format!("https://example.org/#v3&x={}", "1,".repeat(2000));
        let broken = lines("n = 2", Some(&link), 600.0);
        assert_eq!((broken.n_settings, broken.lines.len()), (1, 1 + MOST_LINK_LINES));
        assert!(broken.lines.last().is_some_and(|line| line.ends_with('…')), "{broken:?}");
    }

    #[test]
    fn chinese_has_no_spaces_and_is_broken_all_the_same() {
        let settings = "令牌数六十四维数二半径一点五没有掩码".repeat(4);
        let broken = lines(&settings, None, 200.0);
        assert_eq!(broken.lines.concat(), settings);
        assert!(broken.lines.len() > 1);
    }

    #[test]
    fn nothing_said_takes_no_room() {
        assert_eq!(lines("", None, 300.0).height, 0.0);
    }
}
