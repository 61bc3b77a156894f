//! Code that behaves, code that fails, and code that means harm.

mod bombs;

use std::path::Path;

use toolsmith_core::{Advice, ErrorKind, Parameter, ToolError, Value, json};

use super::JavascriptMaker;
use crate::workbench::{self, Bench};

fn make(entry: &Value) -> Result<Bench, Vec<String>> {
    workbench::make(&JavascriptMaker, entry, &[], Path::new("/"))
}

fn tool(code: &str) -> Bench {
    make(&json!({ "type": "javascript", "code": code })).unwrap()
}

async fn run(code: &str, input: Value) -> Result<Value, ToolError> {
    tool(code).call(input).await
}

async fn fails(code: &str) -> String {
    run(code, json!({})).await.unwrap_err().message().to_owned()
}

fn faults(code: &str) -> Vec<String> {
    make(&json!({ "code": code })).err().unwrap()
}

#[tokio::test]
async fn the_only_parameter_called_input_is_passed_itself() {
    let entry = json!({ "code": "function transform(input) { return input; }" });
    for (name, expected) in
        [("input", json!({ "a": 1 })), ("other", json!({ "other": { "a": 1 } }))]
    {
        let parameters = [Parameter::string(name)];
        let tool = workbench::make(&JavascriptMaker, &entry, &parameters, Path::new("/")).unwrap();
        let mut input = json!({});
        input[name] = json!({ "a": 1 });
        assert_eq!(tool.call(input).await.unwrap(), expected);
    }
    let two = [Parameter::string("input"), Parameter::string("more")];
    let tool = workbench::make(&JavascriptMaker, &entry, &two, Path::new("/")).unwrap();
    assert_eq!(tool.call(json!({ "input": 1 })).await.unwrap(), json!({ "input": 1 }));
}

#[tokio::test]
async fn every_kind_of_json_goes_in_and_comes_out() {
    let input = json!({
        "null": null, "bools": [true, false], "numbers": [0, -1, 1.5, 1e300, 9_007_199_254_740_991_i64],
        "text": "é🦀\u{0}\u{2028}\"\\\n", "nested": { "": [[], {}] }, "__proto__": { "x": 1 },
    });
    assert_eq!(run("const main = (input) => input;", input.clone()).await.unwrap(), input);
    for (code, expected) in [
        ("return undefined", json!(null)),
        ("return", json!(null)),
        ("return [undefined, NaN, Infinity, -0]", json!([null, null, null, 0])),
        (
            "return { a: undefined, f() {}, d: new Date(0) }",
            json!({ "d": "1970-01-01T00:00:00.000Z" }),
        ),
        ("return new Map([[1, 2]])", json!({})),
        ("return '😀'.slice(0, 1) + 'x'", json!("\u{fffd}x")),
        ("return `${1 + 1}`", json!("2")),
    ] {
        let output = run(&format!("function main() {{ {code} }}"), json!({})).await;
        assert_eq!(output.unwrap(), expected, "{code}");
    }
}

#[tokio::test]
async fn what_json_cannot_hold_is_an_error() {
    let failed = |code: &'static str| fails(code);
    assert!(failed("function main() { return main }").await.contains("returned a function"));
    assert!(failed("function main() { return Symbol() }").await.contains("returned a symbol"));
    assert!(
        failed("function main() { const a = {}; a.a = a; return a }").await.contains("circular")
    );
    assert!(failed("function main() { return 1n }").await.contains("BigInt"));
    let deep = "function main() { let a = []; for (let i = 0; i < 500; i++) a = [a]; return a }";
    assert!(failed(deep).await.contains("nested too deeply"));
}

#[tokio::test]
async fn promises_are_awaited() {
    let code = "
        const late = (x) => new Promise((done) => Promise.resolve().then(() => done(x)));
        const base = await late(1);
        export async function transform({ x }) { return [base, await late(x), await null]; }";
    assert_eq!(run(code, json!({ "x": 2 })).await.unwrap(), json!([1, 2, null]));
    let broken = "async function main() {\n await null;\n throw new TypeError('no'); }";
    assert_eq!(fails(broken).await, "The code failed: TypeError: no (line 3 of the code).");
    let never = "const main = () => new Promise(() => {});";
    assert!(fails(never).await.contains("waits for a promise that nobody keeps"));
}

#[tokio::test]
async fn an_error_has_its_message_its_line_and_what_was_said_before() {
    let code = "function main(input) {\n  console.log('seen', input, 1);\n  return input.a.b;\n}";
    let error = run(code, json!({ "x": [1] })).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ExecutionError);
    assert_eq!(error.advice(), Advice::Differently);
    assert!(error.message().starts_with("The code failed: TypeError: "), "{error}");
    assert!(error.message().ends_with("(line 3 of the code)."), "{error}");
    assert_eq!(error.details()["line"], json!(3));
    assert_eq!(error.details()["logs"], json!(["seen {\"x\":[1]} 1"]));
    let thrown = fails("function main() { throw { code: 5 } }").await;
    assert_eq!(thrown, "The code failed: {\"code\":5}.");
    let quiet = run("function main() { console.log('x'); return 1 }", json!({})).await;
    assert_eq!(quiet.unwrap(), json!(1));
}

#[tokio::test]
async fn what_is_said_is_bounded() {
    let code = "function main() {
        for (let i = 0; i < 1000; i++) console.error('x'.repeat(10000), i);
        const cycle = {}; cycle.self = cycle; console.log(cycle, '\\ud83d', undefined, Symbol('s'));
        throw new Error('end'); }";
    let error = run(code, json!({})).await.unwrap_err();
    let logs = error.details()["logs"].as_array().unwrap();
    assert_eq!(logs.len(), 50);
    assert!(logs.iter().all(|line| line.as_str().unwrap().chars().count() <= 500));
    assert_eq!(logs[49], json!("[object Object] \u{fffd} undefined Symbol(s)"));
}

#[tokio::test]
async fn there_is_no_way_out() {
    let code = "function main() {
        const names = ['require', 'process', 'fetch', 'setTimeout', 'XMLHttpRequest', 'std', 'os',
            'eval', 'WebAssembly', 'Deno', 'performance', 'queueMicrotask', 'scriptArgs', 'print'];
        return names.filter((name) => name in globalThis); }";
    // Microtasks belong to the language, as promises do.
    assert_eq!(run(code, json!({})).await.unwrap(), json!(["queueMicrotask"]));
    for code in [
        "async function main() { return await import('fs') }",
        "function main() { return Function('return 1')() }",
        "function main() { return (() => {}).constructor('return 1')() }",
        "async function main() { return (async () => {}).constructor('return 1')() }",
        "function main() { return (function* () {}).constructor('yield 1')().next() }",
        "function main() { return eval('1') }",
        "function main() { return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) }",
    ] {
        assert!(fails(code).await.starts_with("The code failed: "), "{code}");
    }
    assert!(
        run("function main() { return main instanceof Function }", json!({})).await.unwrap()
            == json!(true)
    );
}

#[tokio::test]
async fn nothing_stays_from_one_call_to_the_next() {
    let code = "let calls = 0;
        function main(input) {
            calls += 1;
            const before = [calls, ({}).polluted ?? null, globalThis.left ?? null, [].map === Array];
            Object.prototype.polluted = 'yes'; globalThis.left = 1; Array.prototype.map = Array;
            JSON.stringify = () => '\"forged\"';
            return before; }";
    let tool = tool(code);
    for _ in 0..3 {
        assert_eq!(tool.call(json!({})).await.unwrap(), json!([1, null, null, false]));
    }
}

#[tokio::test]
async fn five_megabytes_are_no_trouble() {
    let input = json!({ "text": "é".repeat(2_500_000) });
    assert!(run("const main = (input) => input;", input.clone()).await.unwrap() == input);
    let rows: Vec<Value> = (0..200_000).map(|n| json!({ "id": n, "name": "row" })).collect();
    let code = "const main = ({ rows }) => rows.filter((row) => row.id % 2 === 0).length;";
    assert_eq!(run(code, json!({ "rows": rows })).await.unwrap(), json!(100_000));
}

#[test]
fn code_that_cannot_run_is_found_without_running_it() {
    for (code, expected) in [
        ("import fs from 'fs'; function main() {}", "/entry/code: ReferenceError: could not load"),
        (
            "function main() {\n  let = ;\n}",
            "/entry/code: line 2, column 7 of the code: SyntaxError: ",
        ),
        ("function main() {\n  return 1;\n", "/entry/code: line 3, column "),
        (
            "function man() {}",
            "/entry/code: the code declares neither a function `transform(input)` nor `main(input)`",
        ),
        (
            "",
            "/entry/code: the code declares neither a function `transform(input)` nor `main(input)`",
        ),
        ("for (;;); throw 1; function other() {}", "/entry/code: the code declares neither"),
    ] {
        let found = faults(code);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{found:?}");
    }
    let expected =
        "/entry: `code` is missing: write a function `transform(input)` or `main(input)`";
    assert_eq!(make(&json!({})).err().unwrap(), [expected]);
    let wrong = make(&json!({ "code": 5, "memory_limit": 0, "cod": 1 })).err().unwrap();
    assert_eq!(wrong.len(), 3, "{wrong:?}");
    assert!(make(&json!({ "code": "for (;;); function main() {}" })).is_ok());
}

#[tokio::test]
async fn what_is_wrong_only_when_it_runs_is_an_error_of_the_call() {
    assert!(fails("const main = 5;").await.contains("`main` is not a function"));
    assert!(fails("function main() { return x }\nconst y = x;").await.contains("line 2"));
}
