//! Numbers of 400 bits, about 120 decimal digits, whose exponents do not run out: e^-1e9 is a number like any other.
//!
//! Every operation is rounded once, so that differences have digits left: where tokens 1e8 from the origin lie 1e-8 apart,
//! scores lose 32 of the 120 digits. [`with_bits`] computes with another precision, which shows how many digits are left.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use dashu_float::round::mode::HalfEven;
use dashu_float::{ConstCache, Context, FBig};

/// The precision of results.
pub const BITS: usize = 400;

thread_local! {
    static PRECISION: Cell<usize> = const { Cell::new(BITS) };
    /// Digits of pi and of logarithms, which every exponential needs.
    static CONSTANTS: RefCell<ConstCache> = const { RefCell::new(ConstCache::new()) };
}

fn context() -> Context<HalfEven> {
    Context::new(PRECISION.get())
}

/// Does some work with numbers of so many bits.
pub fn with_bits<T>(bits: usize, work: impl FnOnce() -> T) -> T {
    let before = PRECISION.replace(bits);
    let result = work();
    PRECISION.set(before);
    result
}

/// A finite number.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Real(FBig<HalfEven, 2>);

impl Real {
    /// Exactly this number.
    ///
    /// # Panics
    /// For an infinite number or NaN.
    #[must_use]
    pub fn new(x: f64) -> Self {
        assert!(x.is_finite(), "{x} is not finite");
        Real(FBig::try_from(x).unwrap_or_else(|problem| panic!("{x}: {problem:?}")))
    }

    /// A decimal number such as `1.25e-3`, to the digits of this type.
    ///
    /// # Panics
    /// For a text that is no number.
    #[must_use]
    pub fn from_digits(text: &str) -> Self {
        let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let mut value = Real::zero();
        for digit in whole.trim_start_matches('-').chars().chain(part.chars()) {
            let digit = digit.to_digit(10).unwrap_or_else(|| panic!("{text} is no number"));
            value = &(&value * &Real::new(10.0)) + &Real::new(f64::from(digit));
        }
        let exponent: i32 = exponent.parse().unwrap_or_else(|_| panic!("{text} is no number"));
        let places = exponent - part.len() as i32;
        let power = (0..places.unsigned_abs()).fold(Real::one(), |power, _| &power * &Real::new(10.0));
        let size = if places < 0 { &value / &power } else { &value * &power };
        if text.starts_with('-') { -&size } else { size }
    }

    #[must_use]
    pub fn zero() -> Self {
        Real(FBig::ZERO)
    }

    #[must_use]
    pub fn one() -> Self {
        Real(FBig::ONE)
    }

    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.repr().significand().is_zero()
    }

    #[must_use]
    pub fn abs(&self) -> Self {
        if *self < Real::zero() { -self } else { self.clone() }
    }

    #[must_use]
    pub fn largest(self, other: Self) -> Self {
        if self.partial_cmp(&other) == Some(Ordering::Less) { other } else { self }
    }

    /// The square root of a number of at least 0.
    #[must_use]
    pub fn sqrt(&self) -> Self {
        Real(context().sqrt(self.0.repr()).expect("at least 0").value())
    }

    /// e^x; 0 below x = -1e12, which no f64 can tell from 0 in any norm.
    ///
    /// # Panics
    /// Above 1e12.
    #[must_use]
    pub fn exp(&self) -> Self {
        if *self < Real::new(-1e12) {
            return Real::zero();
        }
        assert!(*self < Real::new(1e12), "an exponential is too large");
        if self.is_zero() {
            return Real::one();
        }
        CONSTANTS.with_borrow_mut(|cache| Real(context().exp(self.0.repr(), Some(cache)).expect("in range").value()))
    }

    /// The logarithm of a number above 0.
    #[must_use]
    pub fn ln(&self) -> Self {
        CONSTANTS.with_borrow_mut(|cache| Real(context().ln(self.0.repr(), Some(cache)).expect("above 0").value()))
    }

    /// ln(1 + x) of a number above -1.
    #[must_use]
    pub fn ln_1p(&self) -> Self {
        if self.is_zero() {
            return Real::zero();
        }
        CONSTANTS.with_borrow_mut(|cache| Real(context().ln_1p(self.0.repr(), Some(cache)).expect("above -1").value()))
    }

    /// Sine and cosine.
    #[must_use]
    pub fn sin_cos(&self) -> (Self, Self) {
        if self.is_zero() {
            return (Real::zero(), Real::one());
        }
        let (sine, cosine) = CONSTANTS.with_borrow_mut(|cache| context().sin_cos(self.0.repr(), Some(cache)));
        (Real(sine.expect("finite").value()), Real(cosine.expect("finite").value()))
    }

    /// The nearest f64; infinite above its range.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().value()
    }

    /// The exponent e of 2^e <= |x| < 2^(e + 1); 0 for 0.
    #[must_use]
    pub fn exponent(&self) -> isize {
        if self.is_zero() { 0 } else { self.0.repr().exponent() + self.0.repr().digits() as isize - 1 }
    }

    /// x 2^by.
    #[must_use]
    pub fn shifted(&self, by: isize) -> Self {
        Real(self.0.clone() << by)
    }
}

impl Add for &Real {
    type Output = Real;
    fn add(self, other: &Real) -> Real {
        match (self.is_zero(), other.is_zero()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => Real(context().add(self.0.repr(), other.0.repr()).expect("finite").value()),
        }
    }
}

impl Sub for &Real {
    type Output = Real;
    fn sub(self, other: &Real) -> Real {
        if other.is_zero() {
            return self.clone();
        }
        Real(context().sub(self.0.repr(), other.0.repr()).expect("finite").value())
    }
}

impl Mul for &Real {
    type Output = Real;
    fn mul(self, other: &Real) -> Real {
        if self.is_zero() || other.is_zero() {
            return Real::zero();
        }
        Real(context().mul(self.0.repr(), other.0.repr()).expect("finite").value())
    }
}

impl Div for &Real {
    type Output = Real;
    fn div(self, other: &Real) -> Real {
        assert!(!other.is_zero(), "a division by zero");
        if self.is_zero() {
            return Real::zero();
        }
        Real(context().div(self.0.repr(), other.0.repr()).expect("finite").value())
    }
}

impl Neg for &Real {
    type Output = Real;
    fn neg(self) -> Real {
        Real(-self.0.clone())
    }
}
