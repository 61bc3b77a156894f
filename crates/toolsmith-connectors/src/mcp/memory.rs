//! Remembers what servers list, from one run to the next.
//!
//! So tools can be listed without starting their servers, and a definition that changed between
//! two runs is noticed.

use std::{
    fs,
    io::{self, Write},
    path::PathBuf,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{catalogue::Shelf, naming, settings::ServerSettings, stock::Stock};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 256 * 1024 * 1024;

/// A folder with a file for each server.
#[derive(Clone, Debug)]
pub(super) struct Memory(Option<PathBuf>);

#[derive(Serialize, Deserialize)]
struct Remembered<T> {
    /// What the server was then: another command or address is another server.
    link: String,
    #[serde(flatten)]
    what: T,
}

/// What stands behind the name of a server in that of a file: nothing for its tools.
const TOOLS: &str = "";

/// The same, for what it offers besides.
const STOCK: &str = ".besides";

impl Memory {
    pub(super) fn at(folder: Option<PathBuf>) -> Self {
        Self(folder)
    }

    /// Returns what a server listed last.
    pub(super) fn recall(&self, settings: &ServerSettings) -> Option<Shelf> {
        self.read(settings, TOOLS)
    }

    /// Returns what a server offered last besides tools.
    pub(super) fn recall_stock(&self, settings: &ServerSettings) -> Option<Stock> {
        self.read(settings, STOCK)
    }

    /// Remembers what a server lists; a folder that cannot be written costs only the memory.
    pub(super) fn keep(&self, settings: &ServerSettings, shelf: &Shelf) {
        self.write(settings, TOOLS, shelf);
    }

    /// Remembers what a server offers besides tools.
    pub(super) fn keep_stock(&self, settings: &ServerSettings, stock: &Stock) {
        if self.recall_stock(settings).as_ref() != Some(stock) {
            self.write(settings, STOCK, stock);
        }
    }

    fn read<T: DeserializeOwned>(&self, settings: &ServerSettings, which: &str) -> Option<T> {
        let path = self.path(settings, which)?;
        if fs::metadata(&path).ok()?.len() > LARGEST {
            return None;
        }
        let text = fs::read(path).ok()?;
        let remembered: Remembered<T> = serde_json::from_slice(&text).ok()?;
        (remembered.link == identity(settings)).then_some(remembered.what)
    }

    fn write(&self, settings: &ServerSettings, which: &str, what: &impl Serialize) {
        let Some(path) = self.path(settings, which) else { return };
        let remembered = Remembered { link: identity(settings), what };
        if let Err(error) = write(&path, &remembered) {
            tracing::warn!(
                "What is known of the MCP server `{}` cannot be remembered in {}: {error}.",
                settings.name,
                path.display()
            );
        }
    }

    fn path(&self, settings: &ServerSettings, which: &str) -> Option<PathBuf> {
        let name = naming::name("", &settings.name)?;
        Some(self.0.as_ref()?.join(format!("{name}{which}.json")))
    }
}

/// Writes a file beside and moves it, so that nobody reads half of it.
fn write(path: &PathBuf, remembered: &impl Serialize) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let part = path.with_extension(format!("part.{}", std::process::id()));
    let mut file = fs::File::create(&part)?;
    serde_json::to_writer(io::BufWriter::new(&mut file), remembered)?;
    file.flush()?;
    fs::rename(&part, path)
}

/// Tells servers apart without keeping what their settings say.
fn identity(settings: &ServerSettings) -> String {
    naming::digest(&settings.link.to_string(), 16)
}
