//! Fills in variables at the last moment, and remembers what was filled in as a secret.

use std::{fmt, sync::Arc};

use crate::{Redactor, Secret, Template, TemplateError, ToolError};

/// Looks up variables and reads the files of `${file:path}`.
pub trait Variables: Send + Sync + fmt::Debug {
    /// Returns the value of a variable.
    fn variable(&self, name: &str) -> Option<String>;

    /// Reads a file, without its last newline; the error is a sentence without a full stop.
    fn file(&self, path: &str) -> Result<String, String>;

    /// Tells whether a file is there; it is not read.
    fn has_file(&self, path: &str) -> bool;
}

/// Fills in templates; what it looked up is known to the redactor before anyone sees it.
///
/// ```
/// use toolsmith_core::{Redactor, Template, Vault};
///
/// let redactor = Redactor::default();
/// let vault = Vault::with_values([("KEY", "sk-12345678")], redactor.clone());
/// let header = vault.fill(&Template::parse("Bearer ${KEY}").unwrap()).unwrap();
/// assert_eq!(header.expose(), "Bearer sk-12345678");
/// assert_eq!(redactor.text(header.expose()), "Bearer ***");
/// ```
#[derive(Clone, Debug)]
pub struct Vault {
    variables: Arc<dyn Variables>,
    redactor: Redactor,
}

impl Vault {
    /// Makes a vault whose findings the redactor learns.
    pub fn new(variables: Arc<dyn Variables>, redactor: Redactor) -> Self {
        Self { variables, redactor }
    }

    /// Makes a vault of fixed variables without files.
    pub fn with_values<N: Into<String>, V: Into<String>>(
        values: impl IntoIterator<Item = (N, V)>,
        redactor: Redactor,
    ) -> Self {
        let values = values.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self::new(Arc::new(Values(values)), redactor)
    }

    /// Fills in a text; a variable that is not set is an error of the call that needs it.
    pub fn fill(&self, template: &Template) -> Result<Secret<String>, ToolError> {
        let resolved = template.resolve(&*self.variables).map_err(|error| {
            ToolError::failed(format!(
                "The tool is not fully configured: {error}. Set it and call again."
            ))
        })?;
        resolved.secrets.iter().for_each(|secret| self.redactor.add(secret));
        Ok(resolved.text)
    }

    /// Says what is missing to fill in a text.
    pub fn missing(&self, template: &Template) -> Vec<TemplateError> {
        template.missing(&*self.variables)
    }

    /// Returns the knower of secrets.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }
}

/// Variables that are given once.
struct Values(Vec<(String, String)>);

impl Variables for Values {
    fn variable(&self, name: &str) -> Option<String> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    }

    fn file(&self, path: &str) -> Result<String, String> {
        Err(format!("cannot read the file `{path}`: there are no files here"))
    }

    fn has_file(&self, _path: &str) -> bool {
        false
    }
}

/// Values may be secrets, so only the names are shown.
impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}
