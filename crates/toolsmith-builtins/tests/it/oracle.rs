//! The calculator against an oracle that shares no code with it: Python's parser, its fractions
//! and its floats, in `oracle.py`.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use toolsmith_core::{Value, json};
use toolsmith_testing::skip;

use crate::workbench::Workbench;

/// How many expressions are sent; the oracle is not sure about all of them.
const SENT: usize = 20_000;

/// How many must be compared at least.
const COMPARED: usize = 10_000;

/// How far a float may be from the oracle's, in relation to its size.
const TOLERANCE: f64 = 1e-12;

/// Writes random expressions that mean the same to the calculator and to Python.
struct Writer(fastrand::Rng);

impl Writer {
    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.0.u8(..10) == 0 {
            return self.number();
        }
        match self.0.u8(..10) {
            0..=5 => self.binary(depth),
            6 => format!("-{}", self.bracketed(depth)),
            _ => self.call(depth),
        }
    }

    fn binary(&mut self, depth: u32) -> String {
        let operator = self.pick(&["+", "-", "*", "/", "+", "-", "*", "/", "//", "%", "**"]);
        let (left, right) = match operator {
            // Without brackets, so that both sides must agree about what binds stronger.
            "+" | "*" | "/" => (self.expression(depth - 1), self.expression(depth - 1)),
            "-" | "//" => (self.expression(depth - 1), self.bracketed(depth)),
            "**" => (self.bracketed(depth), self.exponent()),
            _ => (self.bracketed(depth), self.bracketed(depth)),
        };
        let space = self.pick(&["", " ", "  "]);
        format!("{left}{space}{operator}{space}{right}")
    }

    fn bracketed(&mut self, depth: u32) -> String {
        format!("({})", self.expression(depth - 1))
    }

    fn exponent(&mut self) -> String {
        self.pick(&["2", "3", "-1", "-2", "0", "0.5", "(1/3)", "5", "1", "-0.5", "17"]).to_owned()
    }

    fn call(&mut self, depth: u32) -> String {
        const ONE: [&str; 25] = [
            "abs", "sign", "floor", "ceil", "trunc", "round", "sqrt", "cbrt", "exp", "ln", "log",
            "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
            "degrees", "radians", "mean",
        ];
        const TWO: [&str; 6] = ["pow", "mod", "hypot", "log", "atan2", "round"];
        const MANY: [&str; 5] = ["min", "max", "sum", "mean", "median"];
        const WHOLE: [&str; 5] = ["gcd", "lcm", "factorial", "comb", "perm"];
        let inner = depth - 1;
        match self.0.u8(..10) {
            0..=4 => format!("{}({})", self.pick(&ONE), self.expression(inner)),
            5 | 6 => {
                let name = self.pick(&TWO);
                let second =
                    if name == "round" { self.0.u8(..4).to_string() } else { self.number() };
                format!("{name}({}, {second})", self.expression(inner))
            }
            7 | 8 => {
                let count = self.0.usize(1..5);
                let arguments: Vec<_> = (0..count).map(|_| self.expression(inner)).collect();
                format!("{}({})", self.pick(&MANY), arguments.join(", "))
            }
            _ => {
                let name = self.pick(&WHOLE);
                let count = if name == "factorial" { 1 } else { 2 };
                let arguments: Vec<_> = (0..count).map(|_| self.0.u8(..25).to_string()).collect();
                format!("{name}({})", arguments.join(","))
            }
        }
    }

    fn number(&mut self) -> String {
        let (small, large) = (self.0.u32(..20), self.0.u32(..100_000));
        match self.0.u8(..12) {
            0..=4 => small.to_string(),
            5 => large.to_string(),
            6 => format!("{small}.{:03}", large % 1_000),
            7 => format!("{small}.5e{}", self.pick(&["0", "2", "-2", "-3"])),
            8 => format!("{large:#x}"),
            9 => format!("{small:#b}"),
            10 => format!("{small:#o}"),
            _ => self.pick(&["pi", "e", "tau", "phi", "1_000", "0.1"]).to_owned(),
        }
    }

    fn pick(&mut self, choices: &[&'static str]) -> &'static str {
        choices[self.0.usize(..choices.len())]
    }
}

/// Asks the oracle; nothing when there is no Python.
fn ask(expressions: &[String]) -> Option<Vec<String>> {
    let mut python = Command::new("python3")
        .args(["-c", include_str!("oracle.py")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    // The oracle reads everything before it answers, so nobody waits for the other.
    python.stdin.take()?.write_all(expressions.join("\n").as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "the oracle failed");
    let answers = String::from_utf8(output.stdout).unwrap();
    Some(answers.lines().map(str::to_owned).collect())
}

/// What was compared, by kind of answer.
#[derive(Debug, Default)]
struct Counts {
    exact: usize,
    float: usize,
    refused: usize,
    unsure: usize,
}

#[test]
fn random_expressions_agree_with_an_independent_oracle() {
    let mut writer = Writer(fastrand::Rng::with_seed(20_260_101));
    let expressions: Vec<String> =
        (1..=4).cycle().take(SENT).map(|depth| writer.expression(depth)).collect();
    let Some(answers) = ask(&expressions) else {
        return skip("python3 is not installed, and it is the oracle of the calculator");
    };
    assert_eq!(answers.len(), SENT);
    let bench = Workbench::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut counts = Counts::default();
    for (expression, answer) in expressions.iter().zip(&answers) {
        let outcome =
            runtime.block_on(bench.run("calculator", json!({ "expression": expression })));
        let words: Vec<&str> = answer.split(' ').collect();
        match (words.as_slice(), outcome) {
            (["U"], _) => counts.unsure += 1,
            (["R"], Err(_)) => counts.refused += 1,
            (["E", n, d, float], Ok(output)) => {
                assert_exact(expression, &output, (n, d, float.parse().unwrap()));
                counts.exact += 1;
            }
            (["F", value, error], Ok(output)) => {
                let (value, error): (f64, f64) = (value.parse().unwrap(), error.parse().unwrap());
                let distance = (output["result"].as_f64().unwrap() - value).abs();
                let is_near = distance <= TOLERANCE * value.abs() + error;
                assert!(is_near, "{expression}: {output} instead of {answer}");
                counts.float += 1;
            }
            (_, outcome) => panic!("{expression}: {outcome:?} instead of {answer}"),
        }
    }
    println!("{counts:?}");
    assert!(counts.exact + counts.float + counts.refused >= COMPARED, "{counts:?}");
    assert!(counts.exact >= 4_000 && counts.float >= 3_000 && counts.refused >= 200, "{counts:?}");
}

/// Whole numbers must have every digit; fractions the float nearest to their first 15 digits.
fn assert_exact(expression: &str, output: &Value, (n, d, float): (&str, &str, f64)) {
    let result = &output["result"];
    if d == "1" {
        let shown = output["exact"].as_str().map_or_else(|| result.to_string(), str::to_owned);
        assert_eq!(shown, n, "{expression}");
    } else {
        assert_eq!(result.as_f64(), Some(float), "{expression}: {n}/{d}");
    }
}
