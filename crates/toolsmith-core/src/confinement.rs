//! The sandbox that a definition asks for.

/// What a tool may see, reach and use; who runs it decides by which means that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// How much is held back.
    pub profile: SandboxProfile,
    /// Files and folders that it may read, from the folder of the definition.
    pub read: Vec<String>,
    /// Files and folders that it may change, from the folder of the definition.
    pub write: Vec<String>,
    /// Hosts that it may reach: `example.org`, `example.org:8080`, `*.example.org`.
    pub hosts: Vec<String>,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Seconds of processor time.
    pub cpu_seconds: Option<u64>,
    /// Processes at once.
    pub processes: Option<u64>,
}

impl Confinement {
    /// Makes a sandbox that allows nothing but what its profile always does.
    pub fn new(profile: SandboxProfile) -> Self {
        Self {
            profile,
            read: Vec::new(),
            write: Vec::new(),
            hosts: Vec::new(),
            memory: None,
            cpu_seconds: None,
            processes: None,
        }
    }
}

/// How much a sandbox holds back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxProfile {
    /// For tools that are trusted but need not see everything.
    Standard,
    /// For code that nobody has looked at; refuses to start where that cannot be held.
    Strict,
}

impl SandboxProfile {
    /// Returns the word that definitions use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Strict => "strict",
        }
    }
}
