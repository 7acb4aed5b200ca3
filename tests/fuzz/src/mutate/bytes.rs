//! Bytes that are changed, lost, repeated or taken from elsewhere.

use lipscope_testkit::dice::Dice;

/// Whole numbers at which sizes and offsets go wrong.
const SIZES: [u64; 14] = [
    0,
    1,
    7,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    1 << 32,
    1 << 40,
    (1 << 53) + 1,
    i64::MAX as u64,
    u64::MAX - 7,
    u64::MAX,
];

/// The same bytes with one fault; `others` are the inputs of which a piece may be taken.
pub fn vary(dice: &mut Dice, input: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut out = input.to_vec();
    if out.is_empty() {
        return (0..dice.below(64)).map(|_| dice.bits() as u8).collect();
    }
    let at = dice.below(out.len());
    match dice.below(10) {
        0 => out[at] ^= 1 << dice.below(8),
        1 => out[at] = *dice.of(&[0, 1, b' ', b'"', b'[', 0x7f, 0x80, 0xc3, 0xff]),
        2 => out[at] = dice.bits() as u8,
        3 => drop(out.drain(dice.range(input.len()))),
        4 => out.truncate(at),
        5 => {
            // Repeats a piece up to a thousand times.
            let piece = input[dice.range(input.len())].to_vec();
            let times = dice.times(1000).min(super::MOST_BYTES / piece.len().max(1));
            out.splice(at..at, piece.repeat(times));
        }
        6 => {
            let other = dice.of(others);
            let piece = other[dice.range(other.len())].to_vec();
            out.splice(at..at, piece);
        }
        7 => {
            // A header that lies about a length.
            let size = *dice.of(&SIZES);
            let size = if dice.once_in(3) { size.to_be_bytes() } else { size.to_le_bytes() };
            let width = *dice.of(&[1, 2, 4, 8]);
            let at = if dice.once_in(2) { 0 } else { at };
            out.iter_mut().skip(at).zip(&size[..width]).for_each(|(byte, new)| *byte = *new);
        }
        8 => {
            // As postcard writes lengths: seven bits a byte, the last without its high bit.
            let mut size = *dice.of(&SIZES);
            let mut digits = Vec::new();
            while size > 0x7f {
                digits.push(size as u8 | 0x80);
                size >>= 7;
            }
            digits.push(size as u8);
            out.splice(at..(at + 1).min(input.len()), digits);
        }
        _ => {
            let count = 1 + dice.below(16);
            let noise: Vec<u8> = (0..count).map(|_| dice.bits() as u8).collect();
            out.splice(at..at, noise);
        }
    }
    out
}
