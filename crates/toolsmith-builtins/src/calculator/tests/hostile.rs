//! Expressions that mean harm: every one ends at once, with a result or a message.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{message, output, result};
use crate::calculator::{LONGEST, evaluate};

#[test]
fn longer_expressions_than_anyone_writes_are_refused() {
    let longest = format!("1{}", "+".repeat(LONGEST - 2) + "1");
    assert_eq!(longest.chars().count(), LONGEST);
    assert_eq!(result(&longest), 2);
    assert_eq!(
        message(&format!("{longest} ")),
        "The expression has 10001 characters, and at most 10000 are read: compute it in parts."
    );
    assert!(message(&"(".repeat(100_000)).starts_with("The expression has 100000 characters"));
    // Characters count, not bytes.
    assert_eq!(result(&format!("{}1", "＋".repeat(LONGEST - 1))), 1);
}

#[test]
fn brackets_nest_two_hundred_deep_and_no_deeper() {
    let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(result(&nested(200)), 1);
    assert!(message(&nested(201)).starts_with("The `(` at position 201 is nested too deep"));
    assert!(message(&"(".repeat(9_999)).starts_with("The `(` at position 201 is nested too deep"));
    let calls = format!("{}1{}", "abs(".repeat(200), ")".repeat(200));
    assert_eq!(result(&calls), 1);
    let calls = "max(".repeat(2_000);
    assert!(message(&calls).starts_with("The `(` at position 804 is nested too deep"));
}

#[test]
fn the_deepest_expression_needs_little_stack() {
    let level = "-2**-max(1*-3+(";
    let deepest = format!("{}1{}", level.repeat(100), "))".repeat(100));
    let thread = std::thread::Builder::new().stack_size(1024 * 1024);
    let run = move || output(&deepest).map_err(|error| error.message().to_owned());
    let outcome = thread.spawn(run).unwrap().join().unwrap();
    assert!(outcome.is_ok() || outcome.unwrap_err().contains("too large"));
}

#[test]
fn long_flat_expressions_are_computed() {
    assert_eq!(result(&format!("1{}", "+1".repeat(4_999))), 5_000);
    assert_eq!(result(&format!("1{}", "**1".repeat(3_333))), 1);
    assert_eq!(result(&format!("1{}", "^-1".repeat(3_333))), 1);
    assert_eq!(result(&format!("{}1", "-".repeat(9_999))), -1);
    assert_eq!(result(&format!("max(0{})", ",1".repeat(4_997))), 1);
}

#[test]
fn numbers_that_would_explode_end_at_once() {
    for expression in [
        "9**9**9**9",
        &format!("2{}", "**2".repeat(3_333)),
        &format!("9{}", "^9".repeat(4_999)),
        "(10**300)**(10**300)",
        "factorial(1e9)",
        "factorial(factorial(170))",
        "comb(2**120, 2**119)",
        "perm(2**120, 2**119)",
        &"9".repeat(LONGEST),
        &format!("1e{}", "9".repeat(9_998)),
    ] {
        let message = message(expression);
        assert!(message.contains("too large") || message.contains("0 to 170"), "{message}");
    }
    assert_eq!(result(&format!("0.{}1", "0".repeat(9_000))), 0);
    assert_eq!(result(&format!("1e-{}", "9".repeat(9_000))), 0);
    assert_eq!(result("0*9e300**1"), 0);
}

#[test]
fn the_dearest_expressions_take_no_time() {
    let begun = Instant::now();
    let fill = |piece: &str| format!("0{}", piece.repeat((LONGEST - 1) / piece.len()));
    for piece in [
        "+1/3",
        "+1/7e18-1/9e18",
        "+comb(1e9,999)*0",
        "+comb(1029,514)*0",
        "+perm(170,170)*0",
        "+log(3**70,3)",
        "+round(pi,15)",
        "*.999999999999999999999999999999999",
    ] {
        output(&fill(piece)).ok();
    }
    // A deadline wide enough for a busy machine and a build without optimisation.
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

/// Pieces of the language and a few strangers, so that random text gets past the tokenizer.
const PIECES: [&str; 48] = [
    "0",
    "1",
    "2",
    "7",
    "10",
    "0.5",
    ".1",
    "1e3",
    "1e308",
    "1e-320",
    "0xff",
    "1_0",
    "_",
    ".",
    "e",
    "pi",
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "**",
    "^",
    "(",
    ")",
    ",",
    " ",
    "sqrt(",
    "log(",
    "max(",
    "median(",
    "round(",
    "factorial(",
    "comb(",
    "gcd(",
    "lcm(",
    "mod(",
    "x",
    "（",
    "）",
    "×",
    "²",
    "𝟙",
    "\u{0}",
    "\"",
    "=",
    "170141183460469231731687303715884105727",
];

fn assert_sound(expression: &str) {
    match output(expression) {
        Ok(output) => assert!(output["result"].is_number(), "{expression}"),
        Err(error) => assert!(!error.message().contains('\n'), "{expression}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        assert_sound(&text);
    }

    #[test]
    fn no_mixture_of_pieces_makes_it_panic(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)
    ) {
        assert_sound(&pieces.concat());
    }

    #[test]
    fn extreme_operands_never_leave_the_numbers(
        left in any::<i128>(),
        shift in 0..127_u32,
        right in any::<f64>(),
        operator in prop::sample::select(&["+", "-", "*", "/", "//", "**"][..])
    ) {
        let left = left >> shift;
        for expression in [
            format!("({left}){operator}({right:e})"),
            format!("({right:e}){operator}({left})"),
            format!("({left}){operator}(1/({left}))"),
            format!("({left})%({right:e})"),
        ] {
            if let Ok(value) = evaluate(&expression) {
                prop_assert!(value.to_f64().is_finite(), "{expression}");
            }
        }
    }
}
