//! A limit on the memory of a task, and the sizes that decide how much it takes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Phrase;
use crate::phrase;

/// How many bytes a task may hold at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Memory(u64);

impl Memory {
    /// 2 GiB: the limit of the command line, which `--memory` changes.
    pub const NATIVE: Memory = Memory(2 << 30);
    /// 1 GiB: a browser's workers share the memory of a tab, and one WebAssembly memory ends at 4 GiB.
    pub const BROWSER: Memory = Memory(1 << 30);

    /// A limit in bytes.
    #[must_use]
    pub const fn from_bytes(bytes: u64) -> Self {
        Memory(bytes)
    }

    /// The limit in bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

impl Default for Memory {
    /// The limit of the platform: [`Memory::BROWSER`] or [`Memory::NATIVE`].
    fn default() -> Self {
        if cfg!(target_arch = "wasm32") { Memory::BROWSER } else { Memory::NATIVE }
    }
}

/// Units by powers of 1024.
const UNITS: [(&str, u64); 4] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

impl Memory {
    /// As an argument of a text.
    pub(super) fn phrase(self) -> Phrase {
        match self.0 {
            bytes if bytes < 1 << 10 => phrase!("byte_count", "{count} bytes", count = bytes),
            _ => Phrase::verbatim(self.to_string()),
        }
    }
}

impl fmt::Display for Memory {
    /// Rounded to about three digits, such as `2.75 GiB` and `512 MiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((unit, size)) = UNITS.into_iter().find(|(_, size)| self.0 >= *size) else {
            return write!(f, "{} bytes", self.0);
        };
        let count = self.0 as f64 / size as f64;
        let digits = if count < 10.0 { 2 } else { usize::from(count < 100.0) };
        let text = format!("{count:.digits$}");
        let text = if digits == 0 { &text } else { text.trim_end_matches('0').trim_end_matches('.') };
        write!(f, "{text} {unit}")
    }
}

/// A text that is no size of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a size such as 4GiB, 512MiB, or a number of bytes")]
pub struct NotAMemorySize;

impl FromStr for Memory {
    type Err = NotAMemorySize;

    /// `4GiB`, `512 MiB`, `1.5G`, or a number of bytes.
    fn from_str(text: &str) -> Result<Self, NotAMemorySize> {
        let text = text.trim();
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let (count, unit) = (&text[..end], text[end..].trim().to_ascii_lowercase());
        let count: f64 = count.parse().map_err(|_| NotAMemorySize)?;
        let size = match unit.as_str() {
            "" | "b" | "bytes" => 1,
            "k" | "kb" | "kib" => 1 << 10,
            "m" | "mb" | "mib" => 1 << 20,
            "g" | "gb" | "gib" => 1 << 30,
            "t" | "tb" | "tib" => 1u64 << 40,
            _ => return Err(NotAMemorySize),
        };
        // A float above the range of u64 becomes the largest u64.
        let bytes = (count * size as f64) as u64;
        if bytes == 0 { Err(NotAMemorySize) } else { Ok(Memory(bytes)) }
    }
}

/// A size of an experiment, or of a run over a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Size {
    /// n.
    Tokens,
    /// d.
    Dimension,
    /// Number of heads.
    Heads,
    /// k = d_v of each head.
    HeadDimension,
    /// Distinct positions of a token measure.
    Positions,
    /// Layers of a model, up to the deepest measured one.
    Layers,
    /// Bytes of a text.
    Text,
}

impl Size {
    /// Its name in a text.
    pub(super) fn phrase(self) -> Phrase {
        match self {
            Size::Tokens => phrase!("lower_tokens", "the number of tokens n"),
            Size::Dimension => phrase!("lower_dimension", "the token dimension d"),
            Size::Heads => phrase!("lower_heads", "the number of heads"),
            Size::HeadDimension => phrase!("lower_head_dimension", "the head dimension"),
            Size::Positions => phrase!("lower_positions", "the number of positions"),
            Size::Layers => phrase!("lower_layers", "the number of layers"),
            Size::Text => phrase!("lower_text", "the length of the text in bytes"),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{Memory, NotAMemorySize};

    #[test]
    fn sizes_are_read_and_written_in_powers_of_1024() {
        for (text, bytes, written) in [
            ("4GiB", 4 << 30, "4 GiB"),
            ("512MiB", 512 << 20, "512 MiB"),
            (" 1.5 g ", 3 << 29, "1.5 GiB"),
            ("2048", 2048, "2 KiB"),
            ("1000", 1000, "1000 bytes"),
            ("2191476982", 2_191_476_982, "2.04 GiB"),
            ("110 MiB", 110 << 20, "110 MiB"),
        ] {
            let memory: Memory = text.parse().expect(text);
            assert_eq!((memory.bytes(), memory.to_string().as_str()), (bytes, written), "{text}");
        }
        for broken in ["", "GiB", "four", "4 apples", "0", "-1", "1.2.3GiB"] {
            assert!(broken.parse::<Memory>() == Err(NotAMemorySize), "{broken}");
        }
    }
}
