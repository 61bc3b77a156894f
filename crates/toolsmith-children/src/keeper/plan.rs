//! What a child does before its program begins, written down by us and read by the child.
//!
//! The child may not allocate, so everything is worked out beforehand. A plan begins with words of
//! eight bytes: the head, four for each step, the arguments and the environment; texts follow. A
//! text is named by where it begins in the plan.

use std::{
    ffi::{CStr, OsStr},
    io,
    os::unix::ffi::OsStrExt,
    path::Path,
};

use super::act::Act;

/// How many words the head has: steps, program, arguments, environment, clone flags, tenure.
const HEAD: usize = 6;

const WIDTH: usize = 4;

/// What a step takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arg<'a> {
    Number(u64),
    Text(&'a [u8]),
    /// Bytes that begin where a number may begin.
    Bytes(&'a [u8]),
}

impl From<u64> for Arg<'_> {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a str> for Arg<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.as_bytes())
    }
}

impl<'a> From<&'a Path> for Arg<'a> {
    fn from(path: &'a Path) -> Self {
        Self::Text(path.as_os_str().as_bytes())
    }
}

#[derive(Clone, Copy, Debug)]
enum Word {
    Number(u64),
    /// Where a text begins among the texts.
    Text(usize),
}

/// How long the number of a child is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tenure {
    /// Nobody asks for it: what matters is how the child ends.
    #[default]
    Brief,
    /// It is told when the child has begun, and nobody else gets it before it is released.
    Held,
}

/// A plan that is being written.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    steps: Vec<[Word; WIDTH]>,
    args: Vec<Word>,
    env: Vec<Word>,
    program: Option<Word>,
    clone_flags: u64,
    tenure: Tenure,
    texts: Vec<u8>,
    has_nul: bool,
}

impl Plan {
    /// Sets what is executed at the end.
    pub(crate) fn execute(&mut self, program: &OsStr) {
        self.program = Some(self.text(program.as_bytes()));
    }

    pub(crate) fn arg(&mut self, arg: &OsStr) {
        let word = self.text(arg.as_bytes());
        self.args.push(word);
    }

    pub(crate) fn variable(&mut self, name: &str, value: &str) {
        let word = self.text(format!("{name}={value}").as_bytes());
        self.env.push(word);
    }

    /// Adds a step.
    pub(crate) fn step<'a>(&mut self, act: Act, args: impl IntoIterator<Item = Arg<'a>>) {
        let mut step = [Word::Number(0); WIDTH];
        let words = std::iter::once(Arg::Number(act as u64)).chain(args);
        for (place, arg) in step.iter_mut().zip(words) {
            *place = match arg {
                Arg::Number(number) => Word::Number(number),
                Arg::Text(text) => self.text(text),
                Arg::Bytes(bytes) => self.bytes(bytes),
            };
        }
        self.steps.push(step);
    }

    /// Says how long the number of the child is needed.
    pub(crate) fn keep_number(&mut self, tenure: Tenure) {
        self.tenure = tenure;
    }

    /// Lets the child begin in namespaces of its own.
    pub(crate) fn part_from(&mut self, namespaces: u64) {
        self.clone_flags |= namespaces;
    }

    /// Tells whether the child begins in namespaces of its own.
    pub(crate) fn parts(&self) -> bool {
        self.clone_flags != 0
    }

    /// Returns what a step was about, counted from 1; nothing for the beginning and the end.
    pub(crate) fn act(&self, step: usize) -> Option<Act> {
        match self.steps.get(step.checked_sub(1)?)? {
            [Word::Number(act), ..] => Act::of(*act),
            _ => None,
        }
    }

    fn bytes(&mut self, bytes: &[u8]) -> Word {
        // The texts begin at a word, so this begins at one too.
        self.texts.resize(self.texts.len().next_multiple_of(8), 0);
        let start = self.texts.len();
        self.texts.extend_from_slice(bytes);
        Word::Text(start)
    }

    fn text(&mut self, bytes: &[u8]) -> Word {
        self.has_nul |= bytes.contains(&0);
        let start = self.texts.len();
        self.texts.extend_from_slice(bytes);
        self.texts.push(0);
        Word::Text(start)
    }

    /// Writes the plan as its reader wants it.
    pub(super) fn write(&self) -> io::Result<Vec<u8>> {
        let Some(program) = self.program.filter(|_| !self.has_nul) else {
            let message = "a text with a NUL character cannot be handed to a program";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        };
        let args_at = HEAD + self.steps.len() * WIDTH;
        let env_at = args_at + self.args.len() + 1;
        let base = (env_at + self.env.len() + 1) * 8;
        let number = |count: usize| Word::Number(count as u64);
        let head = [
            number(self.steps.len()),
            program,
            number(args_at),
            number(env_at),
            Word::Number(self.clone_flags),
            number(usize::from(self.tenure == Tenure::Held)),
        ];
        let end = [Word::Number(0)];
        let words = head.iter().chain(self.steps.iter().flatten());
        let words = words.chain(&self.args).chain(&end).chain(&self.env).chain(&end);
        let mut bytes = Vec::with_capacity(base + self.texts.len());
        for word in words {
            let word = match word {
                Word::Number(number) => *number,
                Word::Text(start) => (base + start) as u64,
            };
            bytes.extend_from_slice(&word.to_ne_bytes());
        }
        bytes.extend_from_slice(&self.texts);
        Ok(bytes)
    }
}

/// A plan as a child reads it.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) words: &'a [u64],
    pub(super) bytes: &'a [u8],
}

impl<'a> View<'a> {
    pub(super) fn steps(self) -> impl Iterator<Item = Option<(Act, [u64; 3])>> + use<'a> {
        let words = self.words.get(HEAD..).unwrap_or_default();
        let words = words.get(..self.head(0) * WIDTH).unwrap_or_default();
        words.chunks_exact(WIDTH).map(|step| match *step {
            [act, a, b, c] => Some((Act::of(act)?, [a, b, c])),
            _ => None,
        })
    }

    pub(super) fn program(self) -> &'a CStr {
        self.text(self.head(1) as u64)
    }

    /// Where the list of arguments begins among the words.
    pub(super) fn args_at(self) -> usize {
        self.head(2)
    }

    /// Where the list of variables begins among the words.
    pub(super) fn env_at(self) -> usize {
        self.head(3)
    }

    pub(super) fn clone_flags(self) -> u64 {
        self.head(4) as u64
    }

    pub(super) fn tenure(self) -> Tenure {
        if self.head(5) == 0 { Tenure::Brief } else { Tenure::Held }
    }

    pub(super) fn text(self, start: u64) -> &'a CStr {
        let bytes = usize::try_from(start).ok().and_then(|start| self.bytes.get(start..));
        bytes.and_then(|bytes| CStr::from_bytes_until_nul(bytes).ok()).unwrap_or_default()
    }

    fn head(self, place: usize) -> usize {
        self.words.get(place).and_then(|word| usize::try_from(*word).ok()).unwrap_or_default()
    }
}
