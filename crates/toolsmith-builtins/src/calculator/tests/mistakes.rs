//! What is said about wrong expressions.

use toolsmith_core::{Advice, ErrorKind, json};

use super::{message, output};
use crate::calculator::run;

/// Checks the whole message of many expressions.
fn assert_messages(table: &[(&str, &str)]) {
    for (expression, expected) in table {
        assert_eq!(message(expression), *expected, "{expression}");
    }
}

#[test]
fn an_error_tells_programs_the_position_and_to_try_differently() {
    let error = output("1/0").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ExecutionError);
    assert_eq!(error.advice(), Advice::Differently);
    assert_eq!(error.details(), &json!({ "position": 2 }));
}

#[test]
fn division_by_zero_is_told_with_its_place() {
    assert_messages(&[
        ("1/0", "Division by zero at position 2. In: 1/0"),
        ("5 // (1-1)", "Division by zero at position 3. In: 5 // (1-1)"),
        ("1 + 2 % 0.0", "Division by zero at position 7. In: 1 + 2 % 0.0"),
        ("mod(1, 0)", "Division by zero at position 1. In: mod(1, 0)"),
        ("（1）÷0", "Division by zero at position 4. In: （1）÷0"),
        ("1/(sin(0))", "Division by zero at position 2. In: 1/(sin(0))"),
        ("0**-1", "`**` at position 2 cannot raise 0 to a negative power. In: 0**-1"),
    ]);
}

#[test]
fn unfinished_and_unbalanced_expressions_are_told() {
    let follow = "a number, a name or `(` must follow.";
    let stand = "a number, a name or `(` must stand here.";
    for (expression, expected) in [
        ("", "The expression is empty: write one, such as `2*(3+4)`.".to_owned()),
        (" \n ", "The expression is empty: write one, such as `2*(3+4)`.".to_owned()),
        ("1 +", format!("Unexpected end of the expression at position 4: {follow} In: 1 +")),
        ("(", format!("Unexpected end of the expression at position 2: {follow} In: (")),
        ("-", format!("Unexpected end of the expression at position 2: {follow} In: -")),
        ("2**", format!("Unexpected end of the expression at position 4: {follow} In: 2**")),
        ("1 + * 2", format!("Unexpected `*` at position 5: {stand} In: 1 + * 2")),
        ("()", format!("Unexpected `)` at position 2: {stand} In: ()")),
        ("max(1,)", format!("Unexpected `)` at position 7: {stand} In: max(1,)")),
        ("max(,1)", format!("Unexpected `,` at position 5: {stand} In: max(,1)")),
        ("(1+2", "The `(` at position 1 is never closed: add a `)`. In: (1+2".to_owned()),
        ("sin(1", "The `(` at position 4 is never closed: add a `)`. In: sin(1".to_owned()),
        ("1+2)", "The `)` at position 4 has no matching `(`. In: 1+2)".to_owned()),
    ] {
        assert_eq!(message(expression), expected);
    }
}

#[test]
fn multiplication_must_be_written() {
    for (expression, token, position, excerpt) in [
        ("2pi", "pi", 2, "2pi"),
        ("2(3)", "(", 2, "2(3)"),
        ("(1)(2)", "(", 4, "(1)(2)"),
        ("2 3", "3", 3, "2 3"),
        ("2e", "e", 2, "2e"),
        ("pi(2)", "(", 3, "pi(2)"),
        ("(2)3", "3", 4, "(2)3"),
        ("2x3", "x3", 2, "2x3"),
        ("sqrt(4)2", "2", 8, "sqrt(4)2"),
    ] {
        let expected = format!(
            "An operator is missing before `{token}` at position {position}: write `*` to \
             multiply. In: {excerpt}"
        );
        assert_eq!(message(expression), expected);
    }
}

#[test]
fn unknown_names_come_with_a_suggestion() {
    assert_messages(&[
        ("sqr(4)", "Unknown function `sqr` at position 1. Did you mean `sqrt`? In: sqr(4)"),
        (
            "1+math.sqrt(4)",
            "Unknown function `math.sqrt` at position 3. Did you mean `sqrt`? \
             In: 1+math.sqrt(4)",
        ),
        ("Math.PI", "Unknown name `Math.PI` at position 1. Did you mean `pi`? In: Math.PI"),
        (
            "x + 1",
            "Unknown name `x` at position 1. There are no variables, and the constants are \
             pi e tau phi. In: x + 1",
        ),
        (
            "2 * sqrt",
            "`sqrt` at position 5 is a function: write `sqrt(…)` with its arguments in brackets. \
             In: 2 * sqrt",
        ),
    ]);
    let all = message("frobnicate(1)");
    assert!(all.starts_with("Unknown function `frobnicate` at position 1. The functions are abs "));
    for gone in ["inf", "nan", "Infinity", "True", "i"] {
        assert!(message(gone).starts_with("Unknown name"), "{gone}");
    }
}

#[test]
fn wrong_argument_counts_are_told() {
    assert_messages(&[
        ("sqrt()", "`sqrt` at position 1 takes 1 argument, but got 0. In: sqrt()"),
        ("sqrt(1,000)", "`sqrt` at position 1 takes 1 argument, but got 2. In: sqrt(1,000)"),
        ("atan2(1)", "`atan2` at position 1 takes 2 arguments, but got 1. In: atan2(1)"),
        ("log(1,2,3)", "`log` at position 1 takes 1 or 2 arguments, but got 3. In: log(1,2,3)"),
        ("1+max()", "`max` at position 3 takes at least 1 argument, but got 0. In: 1+max()"),
    ]);
}

#[test]
fn results_that_are_no_numbers_are_told() {
    assert_messages(&[
        ("sqrt(-1)", "`sqrt` at position 1 needs a number of 0 or more, but got -1. In: sqrt(-1)"),
        ("ln(0)", "`ln` at position 1 needs a number greater than 0, but got 0. In: ln(0)"),
        ("log(-2)", "`log` at position 1 needs a number greater than 0, but got -2. In: log(-2)"),
        ("log(2, 1)", "`log` at position 1 needs a base other than 1. In: log(2, 1)"),
        (
            "log(2, 0)",
            "`log` at position 1 needs a number greater than 0, but got 0. In: log(2, 0)",
        ),
        ("asin(2)", "`asin` at position 1 needs a number from -1 to 1, but got 2. In: asin(2)"),
        (
            "acos(-1.5)",
            "`acos` at position 1 needs a number from -1 to 1, but got -1.5. In: acos(-1.5)",
        ),
        (
            "(-8)**0.5",
            "`**` at position 5 cannot raise a negative number to a fractional power. \
             In: (-8)**0.5",
        ),
        ("gcd(2.5, 1)", "`gcd` at position 1 needs whole numbers, but got 2.5. In: gcd(2.5, 1)"),
        (
            "comb(-1, 2)",
            "`comb` at position 1 needs whole numbers of 0 or more, but got -1. In: comb(-1, 2)",
        ),
        (
            "round(1, 99)",
            "`round` at position 1 needs a whole number of digits from -15 to 15, but got 99. \
             In: round(1, 99)",
        ),
        (
            "lcm(2**100, 3**70)",
            "`lcm` at position 1 has a result that is too large to be exact. \
             In: lcm(2**100, 3**70)",
        ),
    ]);
}

#[test]
fn overflow_is_told_with_its_place() {
    let limit = "is too large: numbers go up to about 1.8e308.";
    for (expression, symbol, position, excerpt) in [
        ("exp(1000)", "exp", 1, "exp(1000)"),
        ("1e308*10", "*", 6, "1e308*10"),
        ("1e308+1e308", "+", 6, "1e308+1e308"),
        ("9**9**9**9", "**", 5, "9**9**9**9"),
        ("10^400", "**", 3, "10^400"),
        ("1/1e-320", "/", 2, "1/1e-320"),
        ("comb(10**30, 10**29)", "comb", 1, "comb(10**30, 10**29)"),
        ("perm(171, 171)", "perm", 1, "perm(171, 171)"),
    ] {
        let expected =
            format!("The result of `{symbol}` at position {position} {limit} In: {excerpt}");
        assert_eq!(message(expression), expected);
    }
}

#[test]
fn what_is_not_in_the_language_is_refused_with_what_to_write() {
    for (expression, expected) in [
        ("50%", "`%` at position 3 is the remainder operator"),
        ("10% + 5", "write `/100` for percent"),
        ("(50%)*2", "write `/100` for percent"),
        ("1 < 2", "`<` at position 3 is a comparison, which is not supported"),
        ("x = 2", "`=` at position 3 is a comparison"),
        ("2 != 3", "`!` at position 3 is a comparison"),
        ("5!", "`!` at position 2 is not supported: write `factorial(n)` for n!"),
        ("[1]", "`[` at position 1 is not supported: use the brackets `(` and `)`"),
        ("1,000", "The `,` at position 2 is not between the arguments of a function"),
        ("(1,2)", "The `,` at position 3 is not between the arguments of a function"),
        ("$5", "`$` at position 1 has no meaning here"),
        ("1\u{200b}+1", "`U+200B` at position 2 has no meaning here"),
        ("１+１", "`１` at position 1 is not a digit from 0 to 9"),
        ("٣", "`٣` at position 1 is not a digit from 0 to 9"),
        ("2²", "`²` at position 2 is not a digit from 0 to 9: write powers as `2**3`"),
        ("1;2", "`;` at position 2 has no meaning here"),
        (".", "`.` at position 1 is not part of a number"),
    ] {
        let message = message(expression);
        assert!(message.contains(expected), "{expression}: {message}");
    }
}

#[test]
fn code_is_never_run() {
    assert_messages(&[(
        r#"__import__("os").system("id")"#,
        "`\"` at position 12 begins a text, and only numbers can be computed. \
         In: __import__(\"os\").system(\"id\")",
    )]);
    for code in ["__import__(os)", "eval(1)", "exec(1)", "open(1)", "lambda: 1", "a.b.c()"] {
        let message = message(code);
        let is_refused = message.starts_with("Unknown") || message.contains("no meaning");
        assert!(is_refused, "{code}: {message}");
    }
}

#[test]
fn wrong_numbers_are_told() {
    for (expression, expected) in [
        ("1.2.3", "The number `1.2` at position 1 has more than one decimal point."),
        (
            "1__0",
            "The number `1__0` at position 1 has an underscore that is not between two digits.",
        ),
        ("2+1_", "The number `1_` at position 3 has an underscore that is not between two digits."),
        (
            "1_.5",
            "The number `1_.5` at position 1 has an underscore that is not between two digits.",
        ),
        ("0x", "The number `0x` at position 1 has no digits."),
        ("0b12", "The number `0b12` at position 1 has `2`, which is not a digit in base 2."),
        ("0xfg", "The number `0xfg` at position 1 has `g`, which is not a digit in base 16."),
        ("1e999", "The number `1e999` at position 1 is too large: numbers go up to about 1.8e308."),
        (
            "0xffffffffffffffffffffffffffffffff",
            "The number `0xffffffffffffffffffffffffffffffff` at position 1 is too large: at most \
             127 bits are read.",
        ),
    ] {
        let message = message(expression);
        assert!(message.starts_with(expected), "{expression}: {message}");
    }
}

#[test]
fn inputs_that_no_schema_has_seen_are_refused() {
    for input in [json!(null), json!([]), json!({}), json!({ "expression": 1 })] {
        let error = run(input).unwrap_err();
        assert_eq!(error.message(), "The input needs a text field `expression`.");
    }
    for precision in [json!(-1), json!(16), json!(1.5), json!("2"), json!(u64::MAX)] {
        let error = run(json!({ "expression": "1", "precision": precision })).unwrap_err();
        assert_eq!(error.message(), "`precision` must be a whole number from 0 to 15.");
    }
    for precision in [json!(null), json!(0), json!(2.0), json!(15)] {
        assert!(run(json!({ "expression": "1", "precision": precision })).is_ok());
    }
}
