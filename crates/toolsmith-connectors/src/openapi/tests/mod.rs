//! Documents of every kind: real ones, hostile ones, and one with every style.

#![expect(
    clippy::needless_pass_by_value,
    reason = "documents are written where they are used, and nowhere else"
)]

mod hostile;
mod huge;
mod keeping;
mod mapping;
mod real;
mod sending;
mod serving;

use std::{path::Path, sync::Arc, time::Duration};

use toolsmith_core::{Context, Redactor, Tool, Value, Vault};
use toolsmith_definitions::{Definitions, Makers, yaml};
use toolsmith_net::{Client, Settings};

use super::{Import, Options, import};
use crate::{rest::RestMaker, workbench::Bench};

/// Imports a document that can be imported.
fn imported(document: &Value) -> Import {
    import(document, &Options::default()).unwrap()
}

/// Reads definitions as files are read; variables have values.
struct Reader(Definitions);

impl Reader {
    fn new() -> Self {
        let names = ["API_KEY", "API_TOKEN", "API_APP"];
        Self::knowing(names.map(|name| (name, format!("s3cret-{}", &name[4..].to_lowercase()))))
    }

    /// Reads definitions where these variables have values.
    fn knowing<'v>(values: impl IntoIterator<Item = (&'v str, String)>) -> Self {
        let client = Client::new(Settings::default()).unwrap();
        let makers = Makers::new().with(Arc::new(RestMaker::new(client)));
        let vault = Vault::with_values(values, Redactor::default());
        Self(Definitions::open(Vec::new(), makers, vault))
    }

    /// Reads a definition; everything that is wrong with it is the error.
    fn read(&self, definition: &Value) -> Result<Tool, String> {
        let text = yaml::write(definition);
        let loaded = self.0.check(Path::new("tools/x.yaml"), &text);
        let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
        match (loaded.tools.into_iter().next(), problems.is_empty()) {
            (Some(tool), true) => Ok(tool),
            _ => Err(format!("{}\n{text}", problems.join("\n"))),
        }
    }

    /// Reads a definition that must be right.
    fn bench(&self, definition: &Value) -> Bench {
        let tool = self.read(definition).unwrap_or_else(|wrong| panic!("{wrong}"));
        Bench { work: tool.work, context: Context::default(), patience: Duration::from_secs(30) }
    }
}
