//! The things that a child can do before its program.

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
    /// Shows a file or folder at another place, but not what a link leads to: from, to.
    ShowItself,
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
    const ALL: [Self; 26] = [
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
        Self::ShowItself,
        Self::Seal,
        Self::SealOne,
        Self::Processes,
        Self::Detach,
        Self::Loopback,
        Self::Listen,
        Self::Doors,
        Self::Init,
    ];

    /// Reads an act as a plan holds it.
    pub(super) fn of(word: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|act| *act as u64 == word)
    }
}
