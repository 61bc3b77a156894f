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
    path::Path,
};

use rustix::fs::{MemfdFlags, memfd_create};

/// How many words the head has: steps, program, arguments, environment, clone flags.
const HEAD: usize = 5;

const WIDTH: usize = 4;

/// One thing that a child does, with what it takes.
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
    /// Writes into a file: path, text.
    Write,
    /// Joins a control group, which the guard removes at the end: its folder.
    Join,
    /// Gains no rights from any program.
    NoNewPrivileges,
    /// Keeps to the rules for files that came with the plan.
    Landlock,
    /// Makes no other system calls than a filter lets pass: where it is, how many instructions.
    Filter,
    /// Gives up the rights of an administrator but for some: which.
    Weaken,
    /// Lets changes of its file view stay its own.
    Part,
    /// Puts an empty file system somewhere: path, options.
    Tmpfs,
    /// Makes a mounted folder the root; the old root is found in a folder of it: both paths.
    Pivot,
    /// Makes a folder unless it is there: path, mode.
    Folder,
    /// Makes an empty file unless it is there.
    File,
    /// Makes a symbolic link: what it says, path.
    Link,
    /// Shows a file or folder at another place: from, to.
    Show,
    /// Lets what is mounted somewhere keep to attributes, with all below: path, attributes.
    Seal,
    /// Lets a mount keep to attributes, without what is below: path, attributes.
    SealOne,
    /// Shows the processes of its own namespace: path.
    Processes,
    /// Takes a file system away and the folder that it was seen in.
    Detach,
    /// Switches its own loopback network on.
    Loopback,
    /// Opens a port of the loopback and hands it to us.
    Listen,
    /// Makes sockets of its own network and hands them to us: how many.
    Doors,
    /// Leaves a process behind that looks after the namespace, and goes on as its child.
    Init,
}

impl Act {
    const ALL: [Self; 25] = [
        Self::Session,
        Self::Bind,
        Self::Enter,
        Self::Limit,
        Self::Write,
        Self::Join,
        Self::NoNewPrivileges,
        Self::Landlock,
        Self::Filter,
        Self::Weaken,
        Self::Part,
        Self::Tmpfs,
        Self::Pivot,
        Self::Folder,
        Self::File,
        Self::Link,
        Self::Show,
        Self::Seal,
        Self::SealOne,
        Self::Processes,
        Self::Detach,
        Self::Loopback,
        Self::Listen,
        Self::Doors,
        Self::Init,
    ];

    fn of(word: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|act| *act as u64 == word)
    }
}

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

    pub(super) fn text(self, start: u64) -> &'a CStr {
        let bytes = usize::try_from(start).ok().and_then(|start| self.bytes.get(start..));
        bytes.and_then(|bytes| CStr::from_bytes_until_nul(bytes).ok()).unwrap_or_default()
    }

    fn head(self, place: usize) -> usize {
        self.words.get(place).and_then(|word| usize::try_from(*word).ok()).unwrap_or_default()
    }
}
