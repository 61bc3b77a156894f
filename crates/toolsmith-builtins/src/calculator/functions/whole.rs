//! Functions of whole numbers: divisors, factorials, choices.

use super::Computed;
use crate::calculator::{
    mistake::Fault,
    number::Number,
    ratio::{self, approximate},
};

/// The greatest whole number whose factorial is below the largest float.
const LAST_FACTORIAL: i128 = 170;

pub(super) fn gcd(first: Number, rest: &[Number]) -> Computed {
    let divisor = rest.iter().try_fold(whole(first)?.unsigned_abs(), |divisor, &x| {
        Ok(ratio::gcd(divisor, whole(x)?.unsigned_abs()))
    })?;
    Number::whole(i128::try_from(divisor).map_err(|_| too_large())?)
}

pub(super) fn lcm(first: Number, rest: &[Number]) -> Computed {
    let multiple = rest.iter().try_fold(whole(first)?.unsigned_abs(), |multiple, &x| {
        let x = whole(x)?.unsigned_abs();
        let divisor = ratio::gcd(multiple, x);
        // Only the divisor of 0 and 0 is 0, and their multiple is 0 too.
        let factor = x.checked_div(divisor).unwrap_or(0);
        multiple.checked_mul(factor).ok_or_else(too_large)
    })?;
    Number::whole(i128::try_from(multiple).map_err(|_| too_large())?)
}

pub(super) fn factorial(x: Number) -> Computed {
    match x.as_whole() {
        Some(n) if (0..=LAST_FACTORIAL).contains(&n) => falling(n, n),
        _ => Err(Fault::undefined(format!(
            "needs a whole number from 0 to {LAST_FACTORIAL}, but got {x}"
        ))),
    }
}

/// How many ways there are to choose k out of n, in any order.
pub(super) fn comb(n: Number, k: Number) -> Computed {
    let (n, k) = (natural(n)?, natural(k)?);
    if k > n {
        return Ok(0.into());
    }
    // With the smaller part of the two, step i is beyond C(2i, i), which leaves the floats soon
    // after i = 500: however large the numbers, the loops are short.
    let k = k.min(n - k);
    let exact = (0..k).try_fold(1_i128, |ways, i| Some(ways.checked_mul(n - i)? / (i + 1)));
    if let Some(ways) = exact {
        return Number::whole(ways);
    }
    let mut ways = Wide::ONE;
    for i in 0..k {
        ways = ways.divided_by(approximate(i + 1)).times(approximate(n - i)).checked()?;
    }
    Number::float(ways.high)
}

/// How many ways there are to choose k out of n, one after the other.
pub(super) fn perm(n: Number, k: Number) -> Computed {
    let (n, k) = (natural(n)?, natural(k)?);
    if k > n { Ok(0.into()) } else { falling(n, k) }
}

/// Multiplies n, n - 1 and so on, k numbers; ends soon, as products are at least factorials.
fn falling(n: i128, k: i128) -> Computed {
    if let Some(product) = (0..k).try_fold(1_i128, |product, i| product.checked_mul(n - i)) {
        return Number::whole(product);
    }
    let mut product = Wide::ONE;
    for i in 0..k {
        product = product.times(approximate(n - i)).checked()?;
    }
    Number::float(product.high)
}

fn whole(x: Number) -> Result<i128, Fault> {
    x.as_whole().ok_or_else(|| Fault::undefined(format!("needs whole numbers, but got {x}")))
}

fn natural(x: Number) -> Result<i128, Fault> {
    x.as_whole()
        .filter(|&n| n >= 0)
        .ok_or_else(|| Fault::undefined(format!("needs whole numbers of 0 or more, but got {x}")))
}

fn too_large() -> Fault {
    Fault::undefined("has a result that is too large to be exact")
}

/// A float with a second one for what the first cannot hold: long products keep all their digits.
#[derive(Clone, Copy)]
struct Wide {
    high: f64,
    low: f64,
}

impl Wide {
    const ONE: Self = Self { high: 1.0, low: 0.0 };

    fn times(self, factor: f64) -> Self {
        let high = self.high * factor;
        let low = self.low.mul_add(factor, self.high.mul_add(factor, -high));
        Self::carry(high, low)
    }

    fn divided_by(self, divisor: f64) -> Self {
        let high = self.high / divisor;
        let rest = (-high).mul_add(divisor, self.high) + self.low;
        Self::carry(high, rest / divisor)
    }

    fn carry(high: f64, low: f64) -> Self {
        let sum = high + low;
        Self { high: sum, low: low - (sum - high) }
    }

    /// Stops a product that left the numbers: its second part is then no number either.
    fn checked(self) -> Result<Self, Fault> {
        if self.high.is_finite() { Ok(self) } else { Err(Fault::TooLarge) }
    }
}
