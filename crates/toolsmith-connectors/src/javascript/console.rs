//! What code says through `console`: kept within bounds, shown with an error.

use std::{cell::RefCell, collections::VecDeque, rc::Rc};

use rquickjs::{Ctx, Function, Result};

/// How many lines are kept; the last ones.
const LINES: usize = 50;

/// How many characters of a line are kept.
const WIDTH: usize = 500;

/// Prepares the globals: adds `console`, and takes away what makes code of text.
///
/// Compiling is the least robust part of the engine when memory runs out, and no transformation
/// needs it.
const PRELUDE: &str = r"
(log) => {
    const { stringify } = JSON;
    const show = (value) => {
        if (typeof value === 'string') return value;
        if (value instanceof Error) return String(value);
        try { return stringify(value) ?? String(value); } catch { return Object.prototype.toString.call(value); }
    };
    const say = (...values) => log(values.map(show).join(' ').toWellFormed());
    globalThis.console = { log: say, info: say, warn: say, error: say, debug: say };

    const refuse = function Function() { throw new EvalError('code cannot be made of text here'); };
    refuse.prototype = Function.prototype;
    for (const made of [function () {}, async function () {}, function* () {}, async function* () {}]) {
        Object.defineProperty(Object.getPrototypeOf(made), 'constructor', { value: refuse });
    }
    globalThis.Function = refuse;
    delete globalThis.eval;
}
";

/// The last lines that code has said.
#[derive(Clone, Debug, Default)]
pub(super) struct Console(Rc<RefCell<VecDeque<String>>>);

impl Console {
    /// Gives the code its globals.
    pub(super) fn install(&self, ctx: &Ctx<'_>) -> Result<()> {
        let console = self.clone();
        let log = Function::new(ctx.clone(), move |line: String| console.push(&line))?;
        let prelude: Function<'_> = ctx.eval(PRELUDE)?;
        prelude.call((log,))
    }

    /// Takes what was said.
    pub(super) fn take(&self) -> Vec<String> {
        self.0.take().into()
    }

    fn push(&self, line: &str) {
        let mut lines = self.0.borrow_mut();
        if lines.len() >= LINES {
            lines.pop_front();
        }
        lines.push_back(line.chars().take(WIDTH).collect());
    }
}
