//! The code that a student hands in: one line, which holds what was done in a lesson, the state on screen, and a name
//! if the student gives one. It is made and read in the browser; nothing is sent.
//!
//! `LS1.DATA.SUM`: the version; JSON, compressed, in base64url; the CRC-32 of DATA in hexadecimal digits.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use serde::{Deserialize, Serialize};

use crate::link;
use crate::state::{Guessed, LessonAt, Scene};

use super::catalog::{find, scene_of};
use super::lesson::Lesson;
use super::record::{Done, LessonRecord};

/// The letters of every version.
const MARK: &str = "LS";
/// This version.
const VERSION: &str = "LS1";
/// Longer names are cut.
pub const MOST_NAME: usize = 60;
/// Longer links are left out.
pub const MOST_LINK: usize = 1500;
/// The most bytes of the JSON: a few characters can unpack to any length.
const MOST_UNPACKED: usize = 1 << 16;
/// Lines beyond this many are not read.
const MOST_LINES: usize = 2000;
/// The compressor's effort, from 1 to 10.
const EFFORT: u8 = 9;

/// What a student hands in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandIn {
    /// The name that the student has typed; may be empty.
    #[serde(rename = "n")]
    pub name: String,
    /// The lesson, by its id.
    #[serde(rename = "l")]
    pub lesson: String,
    /// The step on screen, from zero.
    #[serde(rename = "s")]
    pub step: usize,
    /// The link of the state on screen, without the `#`; may be empty.
    #[serde(rename = "k")]
    pub link: String,
    /// What was done in the lesson.
    #[serde(rename = "r")]
    pub record: LessonRecord,
    /// The step that was asked for, from zero; `None` for the whole lesson.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub assigned: Option<usize>,
}

/// Why a line is no answer code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeFault {
    /// It contains no code. The text is the beginning of the line.
    NoCode(String),
    /// It is of another version.
    OtherVersion(String),
    /// Its end is missing.
    Cut,
    /// A character differs from what the page has written.
    Damaged,
    /// Its checksum is right, but its content is not what this page writes.
    Foreign,
    /// It is about a lesson or a step that this page does not have.
    UnknownLesson(String),
    /// The same code stands in an earlier line.
    Repeated(usize),
}

/// The codes of many lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gathered {
    /// What was handed in, in the order of the lines.
    pub answers: Vec<HandIn>,
    /// For each other line that is not empty: its number, from one, and what is wrong with it.
    pub faults: Vec<(usize, CodeFault)>,
    /// Whether there are more lines than are read.
    pub is_cut: bool,
}

impl HandIn {
    /// The code.
    #[must_use]
    pub fn code(&self) -> String {
        let name = self.name.trim().chars().filter(|c| !c.is_control()).take(MOST_NAME).collect();
        let link = if self.link.len() > MOST_LINK { String::new() } else { self.link.clone() };
        let whole = HandIn { name, link, ..self.clone() };
        let json = serde_json::to_string(&whole).unwrap_or_default();
        let data = URL_SAFE_NO_PAD.encode(compress_to_vec_zlib(json.as_bytes(), EFFORT));
        format!("{VERSION}.{data}.{:08x}", crc32(data.as_bytes()))
    }

    /// Reads the code of a line, which may have other words around it.
    ///
    /// # Errors
    /// [`CodeFault`].
    pub fn read(line: &str) -> Result<Self, CodeFault> {
        /// The most characters of a line that are quoted.
        const QUOTED: usize = 24;
        let is_code = |word: &&str| word.starts_with(MARK) && word.contains('.');
        let no_code = || CodeFault::NoCode(line.trim().chars().take(QUOTED).collect());
        let code = line.split_whitespace().rev().find(is_code).ok_or_else(no_code)?;
        let mut parts = code.split('.');
        let version = parts.next().unwrap_or_default();
        if version != VERSION {
            return Err(CodeFault::OtherVersion(version.chars().take(QUOTED).collect()));
        }
        let (data, sum) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if sum.len() < 8 {
            return Err(CodeFault::Cut);
        }
        if parts.next().is_some() || u32::from_str_radix(sum, 16) != Ok(crc32(data.as_bytes())) {
            return Err(CodeFault::Damaged);
        }
        let bytes = URL_SAFE_NO_PAD.decode(data).map_err(|_| CodeFault::Foreign)?;
        let json = decompress_to_vec_zlib_with_limit(&bytes, MOST_UNPACKED).map_err(|_| CodeFault::Foreign)?;
        let json = String::from_utf8(json).map_err(|_| CodeFault::Foreign)?;
        let answer: HandIn = serde_json::from_str(&json).map_err(|_| CodeFault::Foreign)?;
        let has = |lesson: &Lesson| {
            [Some(answer.step), answer.assigned].into_iter().flatten().all(|step| step < lesson.steps.len())
        };
        let lesson = answer.lesson().filter(|lesson| has(lesson));
        let lesson = lesson.ok_or_else(|| CodeFault::UnknownLesson(answer.lesson.chars().take(QUOTED).collect()))?;
        let is_link = answer.link.is_empty() || answer.link.starts_with('v');
        let is_short = answer.name.chars().count() <= MOST_NAME && answer.link.len() <= MOST_LINK;
        if is_link && is_short && answer.record.fits(lesson) { Ok(answer) } else { Err(CodeFault::Foreign) }
    }

    /// The fragment of a link, without the `#`, to the state that was handed in, with the goals that were reached at this
    /// step, and the answer to its question if there is one.
    #[must_use]
    pub fn fragment(&self) -> String {
        let at = LessonAt { id: self.lesson.clone(), step: self.step };
        let handed_in = (!self.link.is_empty()).then(|| link::read(&self.link, scene_of).scene).flatten();
        let scene = handed_in.or_else(|| scene_of(&at)).unwrap_or_default();
        let reached = self.record.0.get(&self.step).map_or_else(Vec::new, |record| record.goals.clone());
        let scene =
            Scene { lesson: Some(at), answer: self.answer().cloned(), reached: Some(reached), assigned: None, ..scene };
        link::write(&scene, scene_of).unwrap_or_default()
    }

    /// The answer at the step on screen; `None` where the step asks nothing, or was not answered.
    #[must_use]
    pub fn answer(&self) -> Option<&Guessed> {
        self.record.0.get(&self.step)?.guess.as_ref()
    }

    /// How much is done of what was asked for in its lesson.
    #[must_use]
    pub fn done(&self, lesson: &Lesson) -> Done {
        self.record.done(lesson, self.assigned)
    }

    /// The lesson that it is about.
    #[must_use]
    pub fn lesson(&self) -> Option<&'static Lesson> {
        find(&self.lesson)
    }
}

/// Reads many codes, one a line. Empty lines are passed over.
#[must_use]
pub fn gather(text: &str) -> Gathered {
    let mut gathered = Gathered { is_cut: text.lines().nth(MOST_LINES).is_some(), ..Gathered::default() };
    let mut lines_of = Vec::new();
    for (at, line) in text.lines().take(MOST_LINES).enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let read = HandIn::read(line).and_then(|answer| {
            let earlier = gathered.answers.iter().position(|known| *known == answer);
            earlier.map_or(Ok(answer), |earlier| Err(CodeFault::Repeated(lines_of[earlier])))
        });
        match read {
            Ok(answer) => {
                gathered.answers.push(answer);
                lines_of.push(at + 1);
            }
            Err(fault) => gathered.faults.push((at + 1, fault)),
        }
    }
    gathered
}

/// The checksum of zip and PNG files: it finds every change of a single character.
fn crc32(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    let of_byte = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ if sum & 1 == 1 { POLYNOMIAL } else { 0 })
    };
    !bytes.iter().fold(!0, of_byte)
}
