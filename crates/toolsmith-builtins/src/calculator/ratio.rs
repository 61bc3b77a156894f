//! Fractions of 128-bit whole numbers: arithmetic without rounding, as far as they reach.

use std::cmp::Ordering;

/// A fraction in lowest terms.
///
/// The denominator is positive and the numerator is never `i128::MIN`, so that a fraction can
/// always be negated. Every operation returns nothing when its result does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ratio {
    numerator: i128,
    denominator: i128,
}

impl From<i64> for Ratio {
    fn from(whole: i64) -> Self {
        Self { numerator: whole.into(), denominator: 1 }
    }
}

impl Ratio {
    /// Makes the fraction in lowest terms.
    pub(super) fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs());
        let divisor = i128::try_from(divisor).ok()? * denominator.signum();
        Self::reduced(numerator.checked_div(divisor)?, denominator.checked_div(divisor)?)
    }

    /// Takes a whole number.
    pub(super) fn whole(number: i128) -> Option<Self> {
        Self::reduced(number, 1)
    }

    /// Takes two numbers without a common divisor.
    fn reduced(numerator: i128, denominator: i128) -> Option<Self> {
        let fits = numerator != i128::MIN && denominator > 0;
        fits.then_some(Self { numerator, denominator })
    }

    /// Reads a number without a sign, such as `12`, `.5` or `1.25e-3`.
    pub(super) fn from_decimal(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits: i128 = format!("0{whole}{fraction}").parse().ok()?;
        let exponent: i32 = exponent.parse().ok()?;
        let scale = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        let power = 10_i128.checked_pow(scale.unsigned_abs())?;
        if scale < 0 { Self::new(digits, power) } else { Self::whole(digits.checked_mul(power)?) }
    }

    /// Returns the whole number that this is, if it is one.
    pub(super) fn as_whole(self) -> Option<i128> {
        (self.denominator == 1).then_some(self.numerator)
    }

    /// Returns the nearest float, or one right beside it.
    pub(super) fn to_f64(self) -> f64 {
        approximate(self.numerator) / approximate(self.denominator)
    }

    /// Returns -1, 0 or 1.
    pub(super) fn signum(self) -> i64 {
        match self.numerator.cmp(&0) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }

    pub(super) fn negate(self) -> Self {
        Self { numerator: -self.numerator, denominator: self.denominator }
    }

    pub(super) fn add(self, other: Self) -> Option<Self> {
        if self.denominator == 1 && other.denominator == 1 {
            return Self::whole(self.numerator.checked_add(other.numerator)?);
        }
        let (over, under) = lowest(other.denominator, self.denominator)?;
        let left = self.numerator.checked_mul(over)?;
        let right = other.numerator.checked_mul(under)?;
        Self::new(left.checked_add(right)?, self.denominator.checked_mul(over)?)
    }

    pub(super) fn subtract(self, other: Self) -> Option<Self> {
        self.add(other.negate())
    }

    pub(super) fn multiply(self, other: Self) -> Option<Self> {
        if self.denominator == 1 && other.denominator == 1 {
            return Self::whole(self.numerator.checked_mul(other.numerator)?);
        }
        // Reducing crosswise before multiplying keeps the products small and already reduced.
        let (left, under_right) = lowest(self.numerator, other.denominator)?;
        let (right, under_left) = lowest(other.numerator, self.denominator)?;
        Self::reduced(left.checked_mul(right)?, under_left.checked_mul(under_right)?)
    }

    /// Divides; nothing also when the divisor is 0.
    pub(super) fn divide(self, other: Self) -> Option<Self> {
        self.multiply(Self::new(other.denominator, other.numerator)?)
    }

    /// Raises to a whole power.
    pub(super) fn power(self, exponent: i128) -> Option<Self> {
        if exponent < 0 {
            return Self::new(self.denominator, self.numerator)?.power(exponent.checked_neg()?);
        }
        // The powers of -1, 0 and 1 fit whatever the exponent, of which only the parity counts.
        let is_unit = self.denominator == 1 && (-1..=1).contains(&self.numerator);
        let exponent = if is_unit && exponent > 3 { exponent % 2 + 2 } else { exponent };
        let exponent = u32::try_from(exponent).ok()?;
        Self::reduced(
            self.numerator.checked_pow(exponent)?,
            self.denominator.checked_pow(exponent)?,
        )
    }

    /// Returns the square root, if it is a fraction too.
    pub(super) fn square_root(self) -> Option<Self> {
        Self::reduced(exact_root(self.numerator)?, exact_root(self.denominator)?)
    }

    /// Returns the greatest whole number that is not greater.
    pub(super) fn floor(self) -> Self {
        let numerator = self.numerator.div_euclid(self.denominator);
        Self { numerator, denominator: 1 }
    }

    /// Rounds to so many digits after the point, halves away from 0; before the point if negative.
    pub(super) fn round(self, digits: i32) -> Option<Self> {
        let scale = Self::whole(10_i128.checked_pow(digits.unsigned_abs())?)?;
        if digits < 0 {
            return self.divide(scale)?.nearest_whole().multiply(scale);
        }
        self.multiply(scale)?.nearest_whole().divide(scale)
    }

    fn nearest_whole(self) -> Self {
        let rest = (self.numerator % self.denominator).abs();
        let away = if rest >= self.denominator - rest { self.numerator.signum() } else { 0 };
        // No overflow: with a rest there is a denominator of 2 or more, which halves the quotient.
        Self { numerator: self.numerator / self.denominator + away, denominator: 1 }
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares by continued fractions, because cross products might not fit.
impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut left, mut right) = (*self, *other);
        loop {
            let wholes = left.floor().numerator.cmp(&right.floor().numerator);
            let left_rest = left.numerator.rem_euclid(left.denominator);
            let right_rest = right.numerator.rem_euclid(right.denominator);
            if wholes.is_ne() || left_rest == 0 || right_rest == 0 {
                return wholes.then(left_rest.signum().cmp(&right_rest.signum()));
            }
            // The rests are compared by their reciprocals, whose order is the other way round.
            let reciprocal = Self { numerator: right.denominator, denominator: right_rest };
            right = Self { numerator: left.denominator, denominator: left_rest };
            left = reciprocal;
        }
    }
}

/// Returns the float nearest to a whole number.
#[expect(clippy::cast_precision_loss, reason = "the nearest float is what is asked for")]
pub(super) fn approximate(whole: i128) -> f64 {
    whole as f64
}

/// Returns the greatest common divisor; of 0 and a number, that number.
pub(super) fn gcd(mut left: u128, mut right: u128) -> u128 {
    if left == 0 || right == 0 {
        return left | right;
    }
    // Stein's way: shifts and subtractions, because dividing 128 bits is slow.
    let shared = (left | right).trailing_zeros();
    left >>= left.trailing_zeros();
    while right != 0 {
        right >>= right.trailing_zeros();
        if left > right {
            std::mem::swap(&mut left, &mut right);
        }
        right -= left;
    }
    left << shared
}

/// Divides two numbers by their greatest common divisor.
fn lowest(left: i128, right: i128) -> Option<(i128, i128)> {
    let divisor = i128::try_from(gcd(left.unsigned_abs(), right.unsigned_abs())).ok()?;
    Some((left.checked_div(divisor)?, right.checked_div(divisor)?))
}

fn exact_root(number: i128) -> Option<i128> {
    let root = number.checked_isqrt()?;
    (root * root == number).then_some(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: i128, denominator: i128) -> Ratio {
        Ratio::new(numerator, denominator).unwrap()
    }

    #[test]
    fn fractions_are_kept_in_lowest_terms_with_the_sign_above() {
        assert_eq!(ratio(6, -4), ratio(-3, 2));
        assert_eq!(ratio(0, -7), Ratio::from(0));
        assert_eq!(ratio(i128::MIN, i128::MIN / 2), Ratio::from(2));
        assert!(Ratio::new(1, 0).is_none());
        assert!(Ratio::new(0, 0).is_none());
        assert!(Ratio::new(i128::MIN, 1).is_none());
        assert!(Ratio::new(1, i128::MIN).is_none());
    }

    #[test]
    fn decimals_are_read_exactly() {
        for (text, expected) in [
            ("0", ratio(0, 1)),
            (".5", ratio(1, 2)),
            ("5.", ratio(5, 1)),
            ("1.25e-3", ratio(1, 800)),
            ("1e+3", ratio(1000, 1)),
            ("2.50E1", ratio(25, 1)),
        ] {
            assert_eq!(Ratio::from_decimal(text), Some(expected), "{text}");
        }
        assert!(Ratio::from_decimal("1e39").is_none());
        assert!(Ratio::from_decimal("1e-39").is_none());
        assert!(Ratio::from_decimal("1e99999999999").is_none());
    }

    #[test]
    fn order_is_exact_where_cross_products_would_not_fit() {
        let big = i128::MAX;
        let ascending = [
            ratio(-big, 1),
            ratio(-big, big - 1),
            ratio(-1, big),
            ratio(0, 1),
            ratio(big - 2, big - 1),
            ratio(big - 1, big),
            ratio(1, 1),
            ratio(big, big - 1),
            ratio(big, 1),
        ];
        for (index, left) in ascending.iter().enumerate() {
            for (other, right) in ascending.iter().enumerate() {
                assert_eq!(left.cmp(right), index.cmp(&other), "{left:?} {right:?}");
            }
        }
    }

    #[test]
    fn operations_at_the_edge_give_nothing_rather_than_something_wrong() {
        let big = Ratio::whole(i128::MAX).unwrap();
        assert!(big.add(Ratio::from(1)).is_none());
        assert!(big.negate().subtract(Ratio::from(1)).is_none());
        assert!(big.multiply(Ratio::from(2)).is_none());
        assert!(Ratio::from(2).power(127).is_none());
        assert_eq!(Ratio::from(-1).power(i128::MAX), Some(Ratio::from(-1)));
        assert_eq!(Ratio::from(0).power(0), Some(Ratio::from(1)));
        assert!(Ratio::from(0).power(-1).is_none());
        assert_eq!(big.divide(big), Some(Ratio::from(1)));
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        for (from, digits, expected) in [
            (ratio(5, 2), 0, ratio(3, 1)),
            (ratio(-5, 2), 0, ratio(-3, 1)),
            (ratio(1005, 1000), 2, ratio(101, 100)),
            (ratio(1250, 1), -2, ratio(1300, 1)),
            (ratio(1, 3), 3, ratio(333, 1000)),
        ] {
            assert_eq!(from.round(digits), Some(expected));
        }
    }
}
