//! Functions of real numbers: roots, logarithms, angles, rounding.

use super::Computed;
use crate::calculator::{FINEST, mistake::Fault, number::Number};

/// Applies a float function.
pub(super) fn of(x: Number, function: fn(f64) -> f64) -> Computed {
    Number::float(function(x.to_f64()))
}

/// Applies a float function of two numbers.
pub(super) fn of_two(x: Number, y: Number, function: fn(f64, f64) -> f64) -> Computed {
    Number::float(function(x.to_f64(), y.to_f64()))
}

/// Applies a function that is defined where sines and cosines are.
pub(super) fn of_sine(x: Number, function: fn(f64) -> f64) -> Computed {
    let value = x.to_f64();
    if value.abs() > 1.0 {
        return Err(Fault::undefined(format!("needs a number from -1 to 1, but got {x}")));
    }
    Number::float(function(value))
}

pub(super) fn sqrt(x: Number) -> Computed {
    if x.signum() < 0 {
        return Err(Fault::undefined(format!("needs a number of 0 or more, but got {x}")));
    }
    if let Number::Exact(ratio) = x
        && let Some(root) = ratio.square_root()
    {
        return Ok(Number::Exact(root));
    }
    of(x, f64::sqrt)
}

pub(super) fn ln(x: Number) -> Computed {
    of(positive(x)?, f64::ln)
}

/// The logarithm to a base, the natural one without; exact where it is a whole number.
pub(super) fn log(x: Number, base: Option<Number>) -> Computed {
    let Some(base) = base else { return ln(x) };
    let (value, base_value) = (positive(x)?.to_f64(), positive(base)?.to_f64());
    if base.as_whole() == Some(1) {
        return Err(Fault::undefined("needs a base other than 1"));
    }
    let logarithm = match base.as_whole() {
        Some(2) => value.log2(),
        Some(10) => value.log10(),
        _ => value.ln() / base_value.ln(),
    };
    let whole = Number::float(logarithm)?.round(0);
    match (base.power(whole), x) {
        (Ok(Number::Exact(power)), Number::Exact(x)) if power == x => Ok(whole),
        _ => Number::float(logarithm),
    }
}

pub(super) fn ceil(x: Number) -> Number {
    x.negate().floor().negate()
}

pub(super) fn trunc(x: Number) -> Number {
    if x.signum() < 0 { ceil(x) } else { x.floor() }
}

pub(super) fn round(x: Number, digits: Option<Number>) -> Computed {
    let Some(digits) = digits else { return Ok(x.round(0)) };
    let allowed = digits.as_whole().and_then(|digits| i32::try_from(digits).ok());
    match allowed.filter(|digits| digits.abs() <= FINEST) {
        Some(digits) => Ok(x.round(digits)),
        None => Err(Fault::undefined(format!(
            "needs a whole number of digits from -{FINEST} to {FINEST}, but got {digits}"
        ))),
    }
}

fn positive(x: Number) -> Computed {
    if x.signum() > 0 {
        return Ok(x);
    }
    Err(Fault::undefined(format!("needs a number greater than 0, but got {x}")))
}
