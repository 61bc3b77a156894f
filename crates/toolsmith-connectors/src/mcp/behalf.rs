//! On whose behalf a request is made: what a server is told of the caller.
//!
//! Where sessions have a greeting, everything is said there, once for all callers. Where requests
//! stand for themselves, each one says what its own caller can be asked and wants to hear.

use rmcp::model::{
    ClientCapabilities, ElicitationCapability, FormElicitationCapability, RequestMetaObject,
    RootsCapabilities, SamplingCapability, UrlElicitationCapability,
};
use toolsmith_core::{Askable, LogLevel, ToolContext, Value};

use super::settings::ServerSettings;

/// Where a request says what its caller can be asked.
pub(super) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Where a request says which messages its caller wants to hear.
pub(super) const LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// What a request says of its caller.
#[derive(Clone, Debug)]
pub(super) struct Behalf {
    pub(super) capabilities: ClientCapabilities,
    pub(super) level: Option<LogLevel>,
}

impl Behalf {
    /// Says what the caller of a request can be asked and wants to hear.
    pub(super) fn of(cx: &ToolContext, settings: &ServerSettings) -> Self {
        Self { capabilities: capabilities(cx.askable(), settings), level: cx.log_level() }
    }

    /// Puts it where the library takes it from.
    pub(super) fn into_meta(self) -> RequestMetaObject {
        let mut meta = RequestMetaObject::new();
        meta.set_client_capabilities(self.capabilities);
        if let Some(level) = self.level.and_then(|level| serde_json::to_value(level).ok()) {
            meta.0.0.insert(LEVEL.to_owned(), level);
        }
        meta
    }
}

/// Says what can be asked, in the words of the protocol.
pub(super) fn capabilities(askable: Askable, settings: &ServerSettings) -> ClientCapabilities {
    let mut capabilities = ClientCapabilities::default();
    if askable.form || askable.visit {
        let mut elicitation = ElicitationCapability::new();
        if askable.form {
            elicitation = elicitation.with_form(FormElicitationCapability::default());
        }
        if askable.visit {
            elicitation = elicitation.with_url(UrlElicitationCapability::default());
        }
        capabilities.elicitation = Some(elicitation);
    }
    if askable.sampling {
        capabilities.sampling = Some(SamplingCapability::default());
    }
    if askable.roots || !settings.roots.is_empty() {
        capabilities.roots = Some(RootsCapabilities::default());
    }
    capabilities
}

/// What a server says while it works.
#[derive(Clone, Debug, serde::Deserialize)]
pub(super) struct Remark {
    pub(super) level: LogLevel,
    pub(super) logger: Option<String>,
    pub(super) data: Value,
}
