//! Tools that were switched on or off by hand, whatever their definitions say.
//!
//! A small file in the data folder: definitions may stand in a folder that nobody should write to,
//! and built-in tools have no file at all.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use toolsmith_core::ToolName;

/// The file of switches; nothing is read or made before it is needed.
///
/// ```
/// use toolsmith_core::ToolName;
/// use toolsmith_definitions::Switches;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("switches.json");
/// let switches = Switches::at(path);
/// switches.set(&ToolName::new("delete_file")?, false)?;
/// assert_eq!(switches.read()?.tools["delete_file"], false);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Switches(Arc<PathBuf>);

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Positions {
    /// Whether a tool can be called, for those that were switched.
    pub tools: BTreeMap<String, bool>,
    /// How often running processes were asked to read everything again.
    pub rings: u64,
    /// How often running processes were asked to stop the service of a tool.
    pub stops: BTreeMap<String, u64>,
}

impl Switches {
    /// Names the file; it need not be there.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(Arc::new(path.into()))
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns what the file says; nothing is switched when there is none.
    pub fn read(&self) -> io::Result<Positions> {
        match fs::read(&*self.0) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                let file = self.0.display();
                io::Error::other(format!("{file} is not as it was written ({error}); remove it"))
            }),
            Err(error) if is_absent(&error) => Ok(Positions::default()),
            Err(error) => Err(error),
        }
    }

    /// Switches a tool on or off.
    pub fn set(&self, name: &ToolName, enabled: bool) -> io::Result<()> {
        self.change(|positions| {
            positions.tools.insert(name.to_string(), enabled);
        })
    }

    /// Asks running processes to read everything again: they watch this file.
    pub fn ring(&self) -> io::Result<()> {
        self.change(|positions| positions.rings = positions.rings.wrapping_add(1))
    }

    /// Asks running processes to stop the service of a tool.
    pub fn stop(&self, name: &ToolName) -> io::Result<()> {
        self.change(|positions| {
            let count = positions.stops.entry(name.to_string()).or_default();
            *count = count.wrapping_add(1);
        })
    }

    /// Changes the file as a whole; two who do so at once wait for each other.
    fn change(&self, change: impl FnOnce(&mut Positions)) -> io::Result<()> {
        let folder = self.0.parent().unwrap_or_else(|| Path::new("."));
        fs::create_dir_all(folder)?;
        let _lock = lock(&self.0.with_extension("lock"))?;
        let mut positions = self.read()?;
        change(&mut positions);
        let beside = self.0.with_extension("new");
        let mut file = File::create(&beside)?;
        file.write_all(&serde_json::to_vec(&positions)?)?;
        file.sync_all()?;
        fs::rename(&beside, &*self.0)
    }
}

/// Tells whether there is no file, and not one that cannot be read.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Holds a lock until the file is dropped.
fn lock(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    file.lock()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_who_switch_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let switches = Switches::at(folder.path().join("new/switches.json"));
        std::thread::scope(|scope| {
            for number in 0..8 {
                let switches = &switches;
                scope.spawn(move || {
                    let name = ToolName::new(&format!("tool_{number}")).unwrap();
                    switches.set(&name, number % 2 == 0).unwrap();
                    switches.ring().unwrap();
                });
            }
        });
        let positions = switches.read().unwrap();
        assert_eq!((positions.tools.len(), positions.rings), (8, 8));
        assert!(!positions.tools["tool_3"]);
    }

    #[test]
    fn a_broken_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let switches = Switches::at(folder.path().join("switches.json"));
        assert_eq!(switches.read().unwrap(), Positions::default());
        fs::write(switches.path(), "{").unwrap();
        let error = switches.read().unwrap_err().to_string();
        assert!(error.contains("switches.json is not as it was written"), "{error}");
    }
}
