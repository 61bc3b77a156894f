//! Agreement with a reference: random trees are computed here in plain arithmetic, written as text
//! in a random way, and computed by the calculator.

use std::cell::Cell;

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

use crate::calculator::{evaluate, number::Number, ratio::Ratio};

/// How many trees of each kind are computed by both.
const CASES: u32 = 12_000;

#[derive(Clone, Debug)]
enum Tree {
    /// A number with so many digits after the point.
    Decimal(u32, u32),
    Negated(Box<Self>),
    Binary(&'static str, Box<Self>, Box<Self>),
    Call(&'static str, Vec<Self>),
}

/// Builds random trees of exact arithmetic, or with functions of floats too.
fn trees(functions: &'static [&'static str]) -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        4 => (0..20_u32).prop_map(|n| Tree::Decimal(n, 0)),
        1 => (0..100_000_u32).prop_map(|n| Tree::Decimal(n, 0)),
        2 => ((0..1_000_u32), (1..4_u32)).prop_map(|(n, digits)| Tree::Decimal(n, digits)),
    ];
    let operators = &["+", "-", "*", "/", "+", "-", "*", "/", "//", "%", "**"][..];
    leaf.prop_recursive(5, 24, 3, move |inner| {
        let pair = (prop::sample::select(operators), inner.clone(), inner.clone());
        let call = (prop::sample::select(functions), prop::collection::vec(inner.clone(), 2..4));
        prop_oneof![
            6 => pair.prop_map(|(op, l, r)| Tree::Binary(op, Box::new(l), Box::new(r))),
            1 => inner.prop_map(|tree| Tree::Negated(Box::new(tree))),
            2 => call.prop_map(|(name, mut arguments)| {
                arguments.truncate(arity(name));
                Tree::Call(name, arguments)
            }),
        ]
    })
}

fn arity(function: &str) -> usize {
    match function {
        "min" | "max" | "sum" | "mean" => 3,
        "hypot" | "atan2" => 2,
        _ => 1,
    }
}

/// Writes trees with random spaces, brackets and spellings.
struct Writer(fastrand::Rng);

/// How strongly a written tree holds together: sums, products, signs, powers, atoms.
fn strength(tree: &Tree) -> u8 {
    match tree {
        Tree::Binary("+" | "-", ..) => 1,
        Tree::Binary("**", ..) => 4,
        Tree::Binary(..) => 2,
        Tree::Negated(_) => 3,
        Tree::Decimal(..) | Tree::Call(..) => 5,
    }
}

impl Writer {
    fn write(&mut self, tree: &Tree, needed: u8) -> String {
        let text = match tree {
            Tree::Decimal(digits, places) => self.number(*digits, *places),
            Tree::Negated(inner) => {
                format!("{}{}{}", self.pick(&["-", "−", "+-"]), self.space(), self.write(inner, 3))
            }
            Tree::Binary(operator, left, right) => self.binary(operator, left, right),
            Tree::Call(name, arguments) => {
                let comma = format!("{}{}", self.pick(&[",", "，"]), self.space());
                let arguments: Vec<_> = arguments.iter().map(|tree| self.write(tree, 1)).collect();
                format!("{name}{}({})", self.space(), arguments.join(&comma))
            }
        };
        if strength(tree) >= needed && self.0.u8(..8) > 0 {
            return text;
        }
        let (open, close) = self.pick(&[("(", ")"), ("（", "）"), ("( ", " )")]);
        format!("{open}{text}{close}")
    }

    fn binary(&mut self, operator: &str, left: &Tree, right: &Tree) -> String {
        let (left_needs, right_needs) = match operator {
            "+" | "-" => (1, 2),
            "**" => (5, 3),
            "%" => (2, 4),
            _ => (2, 3),
        };
        let symbol = match operator {
            "+" => self.pick(&["+", "＋"]),
            "-" => self.pick(&["-", "−", "－"]),
            "*" => self.pick(&["*", "×", "＊"]),
            "/" => self.pick(&["/", "÷", "／"]),
            "//" => self.pick(&["//", "／／"]),
            "%" => self.pick(&["%", "％"]),
            _ => self.pick(&["**", "^"]),
        };
        let (left, right) = (self.write(left, left_needs), self.write(right, right_needs));
        format!("{left}{}{symbol}{}{right}", self.space(), self.space())
    }

    fn number(&mut self, digits: u32, places: u32) -> String {
        if places > 0 {
            let scale = 10_u32.pow(places);
            let plain = format!(
                "{}.{:0width$}",
                digits / scale,
                digits % scale,
                width = usize::try_from(places).unwrap()
            );
            return self.pick(&[plain, format!("{digits}e-{places}")]);
        }
        self.pick(&[
            format!("{digits}"),
            format!("{digits:#x}"),
            format!("{digits:#b}"),
            format!("{digits:#o}"),
            format!("{digits}.0"),
            format!("0_{digits}"),
            format!("{digits}e0"),
        ])
    }

    fn space(&mut self) -> &'static str {
        self.pick(&["", "", "", " ", "  ", "\t", "\u{3000}"])
    }

    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.0.usize(..choices.len())].clone()
    }
}

/// Why the reference has no value to compare with.
#[derive(Debug, PartialEq)]
enum Gone {
    /// The calculator must refuse too.
    ByZero,
    /// The reference cannot say: its own numbers do not suffice.
    Unsure,
}

/// A fraction in plain arithmetic.
type Fraction = (i128, i128);

fn fraction(numerator: Option<i128>, denominator: Option<i128>) -> Result<Fraction, Gone> {
    let (n, d) = numerator.zip(denominator).ok_or(Gone::Unsure)?;
    let (mut a, mut b) = (n.abs(), d.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    Ok((n / a * d.signum(), d.abs() / a))
}

fn exact(tree: &Tree) -> Result<Fraction, Gone> {
    match tree {
        Tree::Decimal(n, places) => fraction(Some((*n).into()), Some(10_i128.pow(*places))),
        Tree::Negated(inner) => exact(inner).map(|(n, d)| (-n, d)),
        Tree::Binary(operator, left, right) => match all([&**left, &**right])?[..] {
            [left, right] => binary(operator, left, right),
            _ => Err(Gone::Unsure),
        },
        // Only `max` is drawn for exact trees.
        Tree::Call(_, arguments) => {
            let values = all(arguments)?;
            values.iter().skip(1).try_fold(values[0], |max, &value| {
                Ok(if binary("-", value, max)?.0 > 0 { value } else { max })
            })
        }
    }
}

/// Computes several trees; what is unsure about one goes before what is wrong with another,
/// because the calculator may compute them in any order.
fn all<'a>(trees: impl IntoIterator<Item = &'a Tree>) -> Result<Vec<Fraction>, Gone> {
    let values: Vec<_> = trees.into_iter().map(exact).collect();
    if values.contains(&Err(Gone::Unsure)) {
        return Err(Gone::Unsure);
    }
    values.into_iter().collect()
}

fn binary(operator: &str, (a, b): Fraction, (c, d): Fraction) -> Result<Fraction, Gone> {
    let times = i128::checked_mul;
    match operator {
        "+" => {
            fraction(times(a, d).zip(times(c, b)).and_then(|(l, r)| l.checked_add(r)), times(b, d))
        }
        "-" => binary("+", (a, b), (-c, d)),
        "*" => fraction(times(a, c), times(b, d)),
        _ if c == 0 && operator != "**" => Err(Gone::ByZero),
        "/" => fraction(times(a, d), times(b, c)),
        "//" => binary("/", (a, b), (c, d)).map(|(n, d)| (n.div_euclid(d), 1)),
        "%" => {
            let whole = binary("//", (a, b), (c, d))?;
            binary("-", (a, b), binary("*", whole, (c, d))?)
        }
        _ if a == 0 && c < 0 => Err(Gone::ByZero),
        _ if d != 1 || c.abs() > 40 => Err(Gone::Unsure),
        _ => {
            let power = (0..c.abs()).try_fold((1, 1), |power, _| binary("*", power, (a, b)))?;
            if c < 0 { fraction(Some(power.1), Some(power.0)) } else { Ok(power) }
        }
    }
}

/// A float, and how far the true value may be from it.
#[derive(Clone, Copy, Debug)]
struct Near {
    value: f64,
    error: f64,
}

/// Adds the rounding of one more operation; four units, as neither side rounds best.
fn near(value: f64, error: f64) -> Result<Near, Gone> {
    let error = error + value.abs() * 4.0 * f64::EPSILON + f64::MIN_POSITIVE;
    let is_sure = value.is_finite() && error <= 1e-6 * value.abs().max(1.0);
    if is_sure { Ok(Near { value, error }) } else { Err(Gone::Unsure) }
}

fn float(tree: &Tree) -> Result<Near, Gone> {
    match tree {
        Tree::Decimal(n, places) => near(f64::from(*n) / f64::from(10_u32.pow(*places)), 0.0),
        Tree::Negated(inner) => float(inner).map(|x| Near { value: -x.value, error: x.error }),
        Tree::Binary(operator, left, right) => float_binary(operator, float(left)?, float(right)?),
        Tree::Call(name, arguments) => {
            let values = arguments.iter().map(float).collect::<Result<Vec<_>, _>>()?;
            float_call(name, &values)
        }
    }
}

fn float_binary(operator: &str, x: Near, y: Near) -> Result<Near, Gone> {
    match operator {
        "+" => near(x.value + y.value, x.error + y.error),
        "-" => near(x.value - y.value, x.error + y.error),
        "*" => near(
            x.value * y.value,
            x.value.abs() * y.error + y.value.abs() * x.error + x.error * y.error,
        ),
        // A divisor that may be 0 decides between a value and a refusal.
        "/" if y.value.abs() > 1e3 * y.error => {
            let value = x.value / y.value;
            near(value, (x.error + value.abs() * y.error) / (y.value.abs() - y.error))
        }
        _ => Err(Gone::Unsure),
    }
}

fn float_call(name: &str, values: &[Near]) -> Result<Near, Gone> {
    let sum: f64 = values.iter().map(|x| x.value).sum();
    let errors: f64 = values.iter().map(|x| x.error).sum();
    let size: f64 = values.iter().map(|x| x.value.abs()).sum();
    let sum_error = errors + size * 4.0 * f64::EPSILON;
    let x = values[0];
    match name {
        "min" => near(values.iter().map(|x| x.value).fold(f64::INFINITY, f64::min), errors),
        "max" => near(values.iter().map(|x| x.value).fold(f64::NEG_INFINITY, f64::max), errors),
        "sum" => near(sum, sum_error),
        "mean" => near(sum / f64::from(u8::try_from(values.len()).unwrap()), sum_error),
        "abs" => near(x.value.abs(), x.error),
        "sin" => near(x.value.sin(), x.error),
        "cos" => near(x.value.cos(), x.error),
        "atan" => near(x.value.atan(), x.error),
        "tanh" => near(x.value.tanh(), x.error),
        "hypot" => near(x.value.hypot(values[1].value), errors),
        "exp" => near(x.value.exp(), x.value.exp() * x.error.exp_m1()),
        "sqrt" if x.value > 1e3 * x.error => near(x.value.sqrt(), x.error / x.value.sqrt()),
        "ln" if x.value > 1e3 * x.error => near(x.value.ln(), 2.0 * x.error / x.value),
        "floor" if (x.value - x.value.round()).abs() > x.error => near(x.value.floor(), 0.0),
        _ => Err(Gone::Unsure),
    }
}

/// Runs trees until enough of them could be compared.
fn compare(functions: &'static [&'static str], check: impl Fn(&Tree, &str) -> Result<(), Gone>) {
    let (compared, config) =
        (Cell::new(0), Config { cases: 4 * CASES, failure_persistence: None, ..Config::default() });
    let strategy = (trees(functions), any::<u64>());
    let outcome = TestRunner::new(config).run(&strategy, |(tree, seed)| {
        if compared.get() < CASES {
            let text = Writer(fastrand::Rng::with_seed(seed)).write(&tree, 1);
            compared.set(compared.get() + u32::from(check(&tree, &text).is_ok()));
        }
        Ok(())
    });
    outcome.unwrap();
    assert_eq!(compared.get(), CASES, "too few trees could be compared");
}

#[test]
fn exact_arithmetic_agrees_with_plain_fractions() {
    compare(&["max"], |tree, text| {
        match exact(tree) {
            Ok((n, d)) => match evaluate(text) {
                Ok(Number::Exact(ratio)) => assert_eq!(Some(ratio), Ratio::new(n, d), "{text}"),
                other => panic!("{text}: {other:?} instead of {n}/{d}"),
            },
            Err(Gone::ByZero) => {
                let mistake = evaluate(text).unwrap_err();
                let message = mistake.into_error(text).message().to_owned();
                let is_told = message.contains("Division by zero") || message.contains("raise 0");
                assert!(is_told, "{text}: {message}");
            }
            Err(Gone::Unsure) => return Err(Gone::Unsure),
        }
        Ok(())
    });
}

#[test]
fn functions_agree_with_plain_floats() {
    let functions = &[
        "min", "max", "sum", "mean", "abs", "sin", "cos", "atan", "tanh", "hypot", "exp", "sqrt",
        "ln", "floor",
    ];
    compare(functions, |tree, text| {
        let expected = float(tree)?;
        let value = match evaluate(text) {
            Ok(number) => number.to_f64(),
            Err(mistake) => panic!("{text}: {mistake:?}"),
        };
        let distance = (value - expected.value).abs();
        assert!(distance <= 2.0 * expected.error, "{text}: {value} instead of {expected:?}");
        Ok(())
    });
}
