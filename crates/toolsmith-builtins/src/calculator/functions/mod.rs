//! The functions and constants by name.

mod real;
mod several;
mod whole;

use super::{mistake::Fault, number::Number};

/// What a function gives.
type Computed = Result<Number, Fault>;

/// The constants.
pub(super) static CONSTANTS: [(&str, f64); 5] = [
    ("pi", std::f64::consts::PI),
    ("π", std::f64::consts::PI),
    ("e", std::f64::consts::E),
    ("tau", std::f64::consts::TAU),
    ("phi", std::f64::consts::GOLDEN_RATIO),
];

/// A function that expressions can call.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: &'static str,
    body: Body,
}

/// What computes a function; the variant says how many arguments it takes.
#[derive(Clone, Copy, Debug)]
enum Body {
    One(fn(Number) -> Computed),
    OneOrTwo(fn(Number, Option<Number>) -> Computed),
    Two(fn(Number, Number) -> Computed),
    OneOrMore(fn(Number, &[Number]) -> Computed),
}

impl Function {
    /// Computes the function.
    pub(super) fn call(&self, arguments: &[Number]) -> Computed {
        match (self.body, arguments) {
            (Body::One(body), &[x]) => body(x),
            (Body::OneOrTwo(body), &[x]) => body(x, None),
            (Body::OneOrTwo(body), &[x, y]) => body(x, Some(y)),
            (Body::Two(body), &[x, y]) => body(x, y),
            (Body::OneOrMore(body), [first, rest @ ..]) => body(*first, rest),
            _ => Err(self.wrong_count(arguments.len())),
        }
    }

    fn wrong_count(&self, count: usize) -> Fault {
        let wanted = match self.body {
            Body::One(_) => "1 argument",
            Body::OneOrTwo(_) => "1 or 2 arguments",
            Body::Two(_) => "2 arguments",
            Body::OneOrMore(_) => "at least 1 argument",
        };
        Fault::undefined(format!("takes {wanted}, but got {count}"))
    }
}

/// Finds a function by its name, in capitals or not.
pub(super) fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name.eq_ignore_ascii_case(name))
}

/// Finds a constant by its name, in capitals or not.
pub(super) fn constant(name: &str) -> Option<Number> {
    let found = CONSTANTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| Number::Float(*value))
}

/// Returns the names of all functions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|function| function.name)
}

const fn one(name: &'static str, body: fn(Number) -> Computed) -> Function {
    Function { name, body: Body::One(body) }
}

const fn two(name: &'static str, body: fn(Number, Number) -> Computed) -> Function {
    Function { name, body: Body::Two(body) }
}

const fn one_or_two(name: &'static str, body: fn(Number, Option<Number>) -> Computed) -> Function {
    Function { name, body: Body::OneOrTwo(body) }
}

const fn one_or_more(name: &'static str, body: fn(Number, &[Number]) -> Computed) -> Function {
    Function { name, body: Body::OneOrMore(body) }
}

static FUNCTIONS: [Function; 40] = [
    one("abs", |x| Ok(x.abs())),
    one("sign", |x| Ok(x.signum().into())),
    one("floor", |x| Ok(x.floor())),
    one("ceil", |x| Ok(real::ceil(x))),
    one("trunc", |x| Ok(real::trunc(x))),
    one_or_two("round", real::round),
    one("sqrt", real::sqrt),
    one("cbrt", |x| real::of(x, f64::cbrt)),
    two("pow", Number::power),
    two("mod", Number::modulo),
    two("hypot", |x, y| real::of_two(x, y, f64::hypot)),
    one("exp", |x| real::of(x, f64::exp)),
    one("ln", real::ln),
    one_or_two("log", real::log),
    one("log2", |x| real::log(x, Some(2.into()))),
    one("log10", |x| real::log(x, Some(10.into()))),
    one("sin", |x| real::of(x, f64::sin)),
    one("cos", |x| real::of(x, f64::cos)),
    one("tan", |x| real::of(x, f64::tan)),
    one("asin", |x| real::of_sine(x, f64::asin)),
    one("acos", |x| real::of_sine(x, f64::acos)),
    one("atan", |x| real::of(x, f64::atan)),
    two("atan2", |y, x| real::of_two(y, x, f64::atan2)),
    one("sinh", |x| real::of(x, f64::sinh)),
    one("cosh", |x| real::of(x, f64::cosh)),
    one("tanh", |x| real::of(x, f64::tanh)),
    one("degrees", |x| real::of(x, f64::to_degrees)),
    one("deg", |x| real::of(x, f64::to_degrees)),
    one("radians", |x| real::of(x, f64::to_radians)),
    one("rad", |x| real::of(x, f64::to_radians)),
    one_or_more("min", |first, rest| Ok(several::min(first, rest))),
    one_or_more("max", |first, rest| Ok(several::max(first, rest))),
    one_or_more("sum", several::sum),
    one_or_more("mean", several::mean),
    one_or_more("median", several::median),
    one_or_more("gcd", whole::gcd),
    one_or_more("lcm", whole::lcm),
    one("factorial", whole::factorial),
    two("comb", whole::comb),
    two("perm", whole::perm),
];
