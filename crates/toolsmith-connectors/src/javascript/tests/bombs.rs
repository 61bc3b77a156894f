//! Code that wants all time or all memory: it gets an error, and the process lives on.

use std::time::{Duration, Instant};

use toolsmith_core::{ErrorKind, json};

use super::{make, tool};
use crate::javascript::sandbox::{Program, Sandbox};

/// Code that never ends by itself.
const ENDLESS: [&str; 9] = [
    "function main() { for (;;); }",
    "for (;;); function main() {}",
    "function main() { for (;;) { try { for (;;); } catch {} finally { continue } } }",
    "async function main() { for (;;) await 1; }",
    "function main() { (function f() { Promise.resolve().then(f) })(); return new Promise(() => {}) }",
    "function main() { return /^(a+)+$/.test('a'.repeat(40) + 'b') }",
    "function main() { return 'a'.repeat(50000).replace(/(a*)*b/g, '') }",
    "function main() { return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) }",
    "function main() { for (;;) { try { JSON.parse('['.repeat(1000) + '1,'.repeat(300000)) } catch {} } }",
];

/// Code that takes more and more memory.
const GREEDY: [&str; 18] = [
    "function main() { const a = []; for (;;) a.push('x'.repeat(1000) + Math.random()) }",
    "function main() { const a = []; for (;;) a.push('x'.repeat(4000) + a.length) }",
    "function main() { return new Array(1e9).fill(0) }",
    "function main() { const o = {}; let i = 0; for (;;) o['k' + i++] = {} }",
    "function main() { for (;;) { try { const a = []; for (;;) a.push({}) } catch {} } }",
    "function main() { return new Uint8Array(1 << 30).length }",
    "function main() { let f = () => 1; for (;;) f = f.bind(null) }",
    "function main() { return JSON.parse('[' + '{},'.repeat(3e6) + '1]').length }",
    "function main() { return 'ab'.repeat(7e6).split('').length }",
    "function main() { const m = new Map(); let i = 0; for (;;) m.set({}, i++) }",
    "function main() { let f = () => 1; for (;;) { const g = f; f = () => g } }",
    "function main() { const a = []; for (;;) a.push(new Error('x')) }",
    "class A { #x = 1; y = 2 } function main() { const a = []; for (;;) a.push(new A(), Symbol('x'), \
     /a+/, new Date(), new Promise(() => {}), [1, 2], (function* () { yield 1 })(), new Proxy({}, {})) }",
    "async function g() { await new Promise(() => {}) } function main() { const a = []; for (;;) a.push(g()) }",
    "function main() { return 'aXb'.repeat(4e6).match(/[a-z]/g).length }",
    "function main() { return Object.entries('a'.repeat(5e6)).length }",
    "function main() { return Array.from({ length: 1e8 }, (_, i) => ({ i })).length }",
    "function main() { const a = []; a.length = 4294967295; return a }",
];

/// Code that calls itself without end.
const DEEP: [&str; 8] = [
    "function f(n) { return f(n + 1) + 1 } function main() { return f(0) }",
    "function main() { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return String(a) }",
    "function main() { return JSON.parse('['.repeat(1e6)) }",
    "function main() { let p = {}; for (let i = 0; i < 3e4; i++) p = new Proxy(p, {}); return p.x }",
    "function main() { return new RegExp('(?:'.repeat(1e5) + ')'.repeat(1e5)).test('') }",
    "function main() { const o = { toString() { return '' + this } }; return '' + o }",
    "function main() { return { get x() { return this.x } }.x }",
    "function main() { return [3, 2, 1].sort(function f() { return [3, 2, 1].sort(f)[0] }) }",
];

#[tokio::test]
async fn endless_code_ends_at_the_deadline() {
    for code in ENDLESS {
        let mut tool = tool(code);
        tool.patience = Duration::from_millis(100);
        let started = Instant::now();
        let error = tool.call(json!({})).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout, "{code}: {error}");
        assert!(started.elapsed() < Duration::from_secs(5), "{code}: {:?}", started.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_code_ends_at_once() {
    let tool = tool("function main() { for (;;); }");
    let toolsmith_core::Work::Blocking(function) = tool.work.clone() else {
        panic!("not blocking")
    };
    let cx = tool.context(None);
    let token = cx.cancellation().clone();
    let running = tokio::task::spawn_blocking(move || function.execute(&cx, json!({})));
    token.cancel();
    let result = tokio::time::timeout(Duration::from_secs(5), running).await.unwrap().unwrap();
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Timeout);
}

#[tokio::test]
async fn greedy_code_is_told_that_it_is() {
    for code in GREEDY {
        let tool = make(&json!({ "code": code, "memory_limit": 8 })).unwrap();
        let error = tool.call(json!({})).await.unwrap_err();
        assert!(error.message().contains("more than 8 MB of memory"), "{code}: {error}");
    }
}

#[tokio::test]
async fn deep_code_is_an_error_like_any_other() {
    for code in DEEP {
        let error = tool(code).call(json!({})).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ExecutionError, "{code}: {error}");
    }
}

#[test]
fn memory_may_run_out_anywhere_without_harm() {
    for code in GREEDY.into_iter().chain(DEEP) {
        let program = Program::compile(code).unwrap();
        let mut memory = 1_000;
        while memory < 600_000 {
            let until = Instant::now() + Duration::from_millis(20);
            let sandbox = Sandbox::open(memory, move || Instant::now() >= until).unwrap();
            // Whether it fails is not the point: that the process survives it is.
            sandbox.run(&program, "{}".to_owned()).ok();
            memory += memory / 7 + 613;
        }
    }
}
