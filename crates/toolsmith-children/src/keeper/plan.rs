//! What a child does before its program begins, written down by us and read by the child.
//!
//! The child may not allocate, so everything is worked out beforehand: the plan is a file in memory
//! that the child maps. It begins with words of eight bytes: the head, four for each step, the
//! arguments and the environment; texts follow. A text is named by where it begins in the file.

use std::{
    ffi::{CStr, OsStr},
    fs::File,
    io::{self, Write},
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
};

use rustix::fs::{MemfdFlags, memfd_create};

/// How many words the head has: steps, program, arguments, environment, clone flags.
const HEAD: usize = 5;

const WIDTH: usize = 4;

/// One thing that a child does; which words it takes is for [`run`](super::child::run) to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Act {
    /// Leads a session of its own.
    Session = 1,
    /// Dies with its guard.
    Bind,
    /// Goes to a folder.
    Enter,
    /// Keeps within a limit: which, soft, hard.
    Limit,
}

impl Act {
    const ALL: [Self; 4] = [Self::Session, Self::Bind, Self::Enter, Self::Limit];
}

#[derive(Clone, Copy, Debug)]
enum Word {
    Number(u64),
    /// Where a text begins among the texts.
    Text(usize),
}

/// A plan that is being written.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    steps: Vec<[Word; WIDTH]>,
    args: Vec<Word>,
    env: Vec<Word>,
    program: Option<Word>,
    clone_flags: u64,
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

    /// Adds a step that takes numbers.
    pub(crate) fn step(&mut self, act: Act, numbers: [u64; 3]) {
        let [a, b, c] = numbers.map(Word::Number);
        self.steps.push([Word::Number(act as u64), a, b, c]);
    }

    /// Adds a step that takes one text.
    pub(crate) fn step_at(&mut self, act: Act, path: &OsStr) {
        let path = self.text(path.as_bytes());
        self.steps.push([Word::Number(act as u64), path, Word::Number(0), Word::Number(0)]);
    }

    fn text(&mut self, bytes: &[u8]) -> Word {
        self.has_nul |= bytes.contains(&0);
        let start = self.texts.len();
        self.texts.extend_from_slice(bytes);
        self.texts.push(0);
        Word::Text(start)
    }

    /// Writes the plan into a file of its own; returns the file and its length.
    pub(crate) fn write(&self) -> io::Result<(OwnedFd, usize)> {
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
        let mut file = File::from(memfd_create(c"toolsmith-plan", MemfdFlags::CLOEXEC)?);
        file.write_all(&bytes)?;
        Ok((file.into(), bytes.len()))
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
            [act, a, b, c] => {
                let act = Act::ALL.iter().find(|known| **known as u64 == act)?;
                Some((*act, [a, b, c]))
            }
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

    pub(super) fn text(self, start: u64) -> &'a CStr {
        let bytes = usize::try_from(start).ok().and_then(|start| self.bytes.get(start..));
        bytes.and_then(|bytes| CStr::from_bytes_until_nul(bytes).ok()).unwrap_or_default()
    }

    fn head(self, place: usize) -> usize {
        self.words.get(place).and_then(|word| usize::try_from(*word).ok()).unwrap_or_default()
    }
}
