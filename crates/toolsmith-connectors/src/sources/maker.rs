//! Makes each source with the maker of its kind, and lets them stand in for each other.

use std::sync::Arc;

use toolsmith_core::{BackendRuntime, Draft, Fields, Kind, Made, Maker, Work};

use super::failover::{Failover, Repeat};
use crate::{
    container::ContainerMaker, life::Source, process::ProcessMaker, python::PythonMaker,
    remote::RemoteMaker,
};

const TYPES: [&str; 3] = ["local", "docker", "remote"];

/// Makes tools that several sources can serve.
#[derive(Clone, Debug)]
pub struct SourcesMaker {
    process: ProcessMaker,
    python: PythonMaker,
    container: ContainerMaker,
    remote: RemoteMaker,
}

impl SourcesMaker {
    /// Makes the sources with these makers.
    pub fn new(
        process: ProcessMaker,
        python: PythonMaker,
        container: ContainerMaker,
        remote: RemoteMaker,
    ) -> Self {
        Self { process, python, container, remote }
    }

    fn source(
        &self,
        draft: &Draft<'_>,
        source: &mut Fields<'_>,
    ) -> Option<(BackendRuntime, Box<dyn Source>)> {
        if source.any("type").is_none() {
            source.miss("type", "one of `local`, `docker`, `remote`");
        }
        let is_function = source.object().contains_key("function");
        let (runtime, made) = match source.word("type", &TYPES)? {
            "docker" => (BackendRuntime::Docker, self.container.source(draft, source)),
            "remote" if draft.confinement.is_some() => {
                let why = "a service elsewhere cannot be held in a sandbox of ours; remove it, or \
                           the sandbox";
                source.blame("type", why);
                return None;
            }
            "remote" => (BackendRuntime::Remote, self.remote.source(draft, source)),
            _ if is_function => (BackendRuntime::Local, self.python.source(draft, source)),
            _ => (BackendRuntime::Local, self.process.source(draft, source)),
        };
        Some((runtime, made?))
    }
}

impl Maker for SourcesMaker {
    fn types(&self) -> &'static [&'static str] {
        &["sources"]
    }

    fn kind(&self) -> Kind {
        Kind::Process
    }

    fn make(&self, draft: &Draft<'_>, fields: &mut Fields<'_>) -> Option<Made> {
        let items = fields.list("sources")?;
        if items.is_empty() {
            fields.blame("sources", "expected at least one source");
        }
        let active = fields.count("active_source").unwrap_or_default();
        let active = usize::try_from(active).unwrap_or(usize::MAX);
        if !items.is_empty() && active >= items.len() {
            let count = items.len();
            fields
                .blame("active_source", format!("there are only {count} sources, counted from 0"));
        }
        // The active one is made first, so that it is also the first that is started by word.
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by_key(|place| (*place != active, *place));
        let mut made = Vec::with_capacity(items.len());
        for (place, item) in order.into_iter().filter_map(|place| Some((place, items.get(place)?)))
        {
            match Fields::of(item, format!("{}/sources/{place}", fields.pointer())) {
                Ok(mut inner) => {
                    let source = self.source(draft, &mut inner);
                    made.extend(source.map(|source| (place, source)));
                    fields.leave(inner);
                }
                Err(fault) => fields.add(fault),
            }
        }
        if !fields.is_fine() || made.len() != items.len() {
            return None;
        }
        let runtime = made.first().map(|(_, (runtime, _))| *runtime);
        let sources = made.into_iter().map(|(place, (_, source))| (place, source)).collect();
        let hints = draft.spec.annotations;
        let repeat = if hints.idempotent || hints.read_only { Repeat::May } else { Repeat::Never };
        let work = Work::Async(Arc::new(Failover::new(sources, repeat)));
        Some(Made { work, runtime, streams: false })
    }

    fn can_confine(&self) -> bool {
        true
    }
}
