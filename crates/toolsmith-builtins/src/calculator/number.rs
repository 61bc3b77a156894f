//! The numbers of the calculator: exact fractions while they fit, floats beyond.

use std::fmt;

use super::{mistake::Fault, ratio::Ratio};

/// Whole numbers up to here have a float of their own.
const LAST_SURE: f64 = 9_007_199_254_740_992.0;

/// A finite number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    /// A fraction of whole numbers, without any rounding error.
    Exact(Ratio),
    /// A float, for what fractions cannot hold: roots, logarithms, very large numbers.
    Float(f64),
}

impl From<i64> for Number {
    fn from(whole: i64) -> Self {
        Self::Exact(whole.into())
    }
}

impl Number {
    /// Takes the result of float arithmetic, unless it left the numbers.
    pub(super) fn float(value: f64) -> Result<Self, Fault> {
        if value.is_nan() {
            return Err(Fault::undefined("has no result among the real numbers"));
        }
        if value.is_infinite() { Err(Fault::TooLarge) } else { Ok(Self::Float(value)) }
    }

    /// Takes a whole number.
    pub(super) fn whole(number: i128) -> Result<Self, Fault> {
        Ratio::whole(number).map(Self::Exact).ok_or(Fault::TooLarge)
    }

    pub(super) fn to_f64(self) -> f64 {
        match self {
            Self::Exact(ratio) => ratio.to_f64(),
            Self::Float(value) => value,
        }
    }

    /// Returns the whole number that this is, if it surely is one.
    pub(super) fn as_whole(self) -> Option<i128> {
        match self {
            Self::Exact(ratio) => ratio.as_whole(),
            Self::Float(value) => whole_of(value).map(i128::from),
        }
    }

    /// Returns -1, 0 or 1.
    pub(super) fn signum(self) -> i64 {
        match self {
            Self::Exact(ratio) => ratio.signum(),
            Self::Float(value) => i64::from(value > 0.0) - i64::from(value < 0.0),
        }
    }

    pub(super) fn negate(self) -> Self {
        match self {
            Self::Exact(ratio) => Self::Exact(ratio.negate()),
            Self::Float(value) => Self::Float(-value),
        }
    }

    pub(super) fn abs(self) -> Self {
        if self.signum() < 0 { self.negate() } else { self }
    }

    pub(super) fn add(self, other: Self) -> Result<Self, Fault> {
        self.combine(other, Ratio::add, |left, right| left + right)
    }

    pub(super) fn subtract(self, other: Self) -> Result<Self, Fault> {
        self.combine(other, Ratio::subtract, |left, right| left - right)
    }

    pub(super) fn multiply(self, other: Self) -> Result<Self, Fault> {
        self.combine(other, Ratio::multiply, |left, right| left * right)
    }

    pub(super) fn divide(self, other: Self) -> Result<Self, Fault> {
        let other = other.as_divisor()?;
        self.combine(other, Ratio::divide, |left, right| left / right)
    }

    /// Divides and rounds down, as `//` in Python.
    pub(super) fn floor_divide(self, other: Self) -> Result<Self, Fault> {
        let other = other.as_divisor()?;
        let exact = |left: Ratio, right| left.divide(right).map(Ratio::floor);
        self.combine(other, exact, float_floor_divide).map(Self::settle)
    }

    /// Returns the remainder of `//`; it has the sign of the divisor, as in Python.
    pub(super) fn modulo(self, other: Self) -> Result<Self, Fault> {
        let other = other.as_divisor()?;
        let exact =
            |left: Ratio, right: Ratio| left.subtract(left.divide(right)?.floor().multiply(right)?);
        self.combine(other, exact, float_modulo)
    }

    pub(super) fn power(self, exponent: Self) -> Result<Self, Fault> {
        if self.signum() == 0 && exponent.signum() < 0 {
            return Err(Fault::undefined("cannot raise 0 to a negative power"));
        }
        if let (Self::Exact(base), Some(whole)) = (self, exponent.as_whole())
            && let Some(power) = base.power(whole)
        {
            return Ok(Self::Exact(power));
        }
        let power = self.to_f64().powf(exponent.to_f64());
        if power.is_nan() {
            return Err(Fault::undefined("cannot raise a negative number to a fractional power"));
        }
        Self::float(power)
    }

    /// Returns the greatest whole number that is not greater.
    pub(super) fn floor(self) -> Self {
        match self {
            Self::Exact(ratio) => Self::Exact(ratio.floor()),
            Self::Float(value) => Self::Float(value.floor()).settle(),
        }
    }

    /// Rounds to so many digits after the point, halves away from 0; before the point if negative.
    pub(super) fn round(self, digits: i32) -> Self {
        if let Self::Exact(ratio) = self
            && let Some(rounded) = ratio.round(digits)
        {
            return Self::Exact(rounded);
        }
        // People round the digits that they see: 2.675 is 2.68, although its float is a bit less.
        let value = self.to_f64();
        let seen = Ratio::from_decimal(&format!("{:e}", value.abs()));
        match seen.and_then(|ratio| ratio.round(digits)) {
            Some(rounded) if value < 0.0 => Self::Exact(rounded.negate()),
            Some(rounded) => Self::Exact(rounded),
            // Too small to be a fraction, or too large to have digits that could be cut.
            None if value.abs() < 1.0 => Self::from(0),
            None => self,
        }
    }

    /// Rounds to 15 significant digits, behind which floats carry the noise of their arithmetic.
    pub(super) fn significant(self) -> f64 {
        let value = self.to_f64();
        format!("{value:.14e}").parse().unwrap_or(value)
    }

    /// Turns a float that surely is a whole number into it.
    fn settle(self) -> Self {
        match self {
            Self::Float(value) => whole_of(value).map_or(self, Self::from),
            Self::Exact(_) => self,
        }
    }

    fn as_divisor(self) -> Result<Self, Fault> {
        if self.signum() == 0 { Err(Fault::DivisionByZero) } else { Ok(self) }
    }

    /// Computes exactly if both are exact and the result fits, in floats otherwise.
    fn combine(
        self,
        other: Self,
        exact: impl Fn(Ratio, Ratio) -> Option<Ratio>,
        float: impl Fn(f64, f64) -> f64,
    ) -> Result<Self, Fault> {
        if let (Self::Exact(left), Self::Exact(right)) = (self, other)
            && let Some(result) = exact(left, right)
        {
            return Ok(Self::Exact(result));
        }
        Self::float(float(self.to_f64(), other.to_f64()))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_whole() {
            Some(whole) => write!(f, "{whole}"),
            // The debug form of a float is the one that writes 1e300 short.
            None => write!(f, "{:?}", self.significant()),
        }
    }
}

fn float_floor_divide(left: f64, right: f64) -> f64 {
    let rest = left % right;
    // Without its remainder the dividend is a multiple, so that rounding cannot change the whole.
    let whole = ((left - rest) / right).round();
    if goes_below(rest, right) { whole - 1.0 } else { whole }
}

fn float_modulo(left: f64, right: f64) -> f64 {
    let rest = left % right;
    if goes_below(rest, right) { rest + right } else { rest }
}

/// Tells whether rounding down goes one further than cutting off, as it does for unlike signs.
fn goes_below(rest: f64, divisor: f64) -> bool {
    rest != 0.0 && (rest < 0.0) != (divisor < 0.0)
}

/// Returns the whole number that a float is; nothing where its neighbours have the same float.
#[expect(clippy::cast_possible_truncation, reason = "the value is whole and in range")]
fn whole_of(value: f64) -> Option<i64> {
    let is_sure = value.abs() <= LAST_SURE && value.fract() == 0.0;
    is_sure.then_some(value as i64)
}
