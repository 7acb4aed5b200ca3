//! The generator of random numbers.

/// splitmix64: the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// The generator for the input `number` of a seed.
    #[must_use]
    pub fn new(seed: u64, number: u64) -> Self {
        let mut dice = Dice(seed ^ 0x6c69_7073_636f_7065);
        let from = dice.bits();
        Dice(from ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to n - 1; 0 for n = 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }

    /// True once in n times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A random element of `all`.
    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// How often something is repeated: one to four times, but once in sixteen any number below `most`. Long inputs
    /// find faults that short ones do not, but take far longer.
    pub fn times(&mut self, most: usize) -> usize {
        if self.once_in(16) { self.below(most) } else { 1 + self.below(4.min(most)) }
    }

    /// A range inside of 0..n, short more often than long.
    pub fn range(&mut self, n: usize) -> std::ops::Range<usize> {
        let start = self.below(n);
        let most = if self.once_in(4) { n - start } else { (n - start).min(16) };
        start..start + self.below(most + 1)
    }
}
