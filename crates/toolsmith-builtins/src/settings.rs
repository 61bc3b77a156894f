//! What the built-in tools are told by whoever builds them.

use std::{path::PathBuf, sync::Arc};

use toolsmith_core::{Clock, Overlay, SystemClock, Variables};

use crate::network::Network;

/// What the built-in tools may touch, and where they get the time and variables from.
///
/// ```
/// use toolsmith_builtins::Settings;
///
/// let settings = Settings::new("/srv/assistant");
/// assert_eq!(settings.allowed_paths[0].to_str(), Some("/srv/assistant/data"));
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folders that file tools may touch; relative ones begin at the working folder.
    ///
    /// The folders that the context of a call names replace them.
    pub allowed_paths: Vec<PathBuf>,
    /// The folder that the process works in, as an absolute path.
    pub working_folder: PathBuf,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// The variables of the process, which `get_env` reads.
    pub variables: Arc<dyn Variables>,
    /// The variables that conversations set, shared with what starts processes.
    pub overlay: Overlay,
    /// What the network tools are told; without it there are none.
    pub network: Option<Network>,
}

impl Settings {
    /// Allows the folder `data` of the working folder, and knows no variables.
    pub fn new(working_folder: impl Into<PathBuf>) -> Self {
        let working_folder = working_folder.into();
        Self {
            allowed_paths: vec![working_folder.join("data")],
            working_folder,
            clock: Arc::new(SystemClock),
            variables: Arc::new(NoVariables),
            overlay: Overlay::default(),
            network: None,
        }
    }
}

/// An environment without anything in it.
#[derive(Debug)]
struct NoVariables;

impl Variables for NoVariables {
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn file(&self, path: &str) -> Result<String, String> {
        Err(format!("cannot read the file `{path}`: there are no files here"))
    }

    fn has_file(&self, _path: &str) -> bool {
        false
    }
}
