//! The services that are measured, and where they live.

use std::{collections::BTreeMap, fs, path::Path, process::Command, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use toolsmith_children::Children;
use toolsmith_connectors::{
    container::ContainerMaker, life::Services, process::ProcessMaker, python::PythonMaker,
};
use toolsmith_core::{
    Confinement, Draft, Fields, Maker, Redactor, SandboxProfile, Tool, ToolSpec, Vault,
};
use toolsmith_engine::Engine;
use toolsmith_net::{Client, Settings};
use toolsmith_testing::fixtures;

/// How long a service may stand idle here.
pub(super) const IDLE: Duration = Duration::from_secs(1);

const PROJECT: &str =
    "[project]\nname = \"bench\"\nversion = \"0.1.0\"\nrequires-python = \">=3.9\"\n";

/// A server with a thread for each connection, of the standard library.
const SERVER: &str = include_str!("../../../toolsmith-connectors/src/process/tests/server.py");

const FUNCTION: &str = "def count(text):\n    return {\"words\": len(text.split())}\n";

/// The server of a container, which needs nothing around it.
const STATIC: &str = include_str!("../../../toolsmith-connectors/src/container/tests/server.c");

/// A kind of service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    UvProject,
    UvProjectStrict,
    PythonFunction,
    PythonFunctionStrict,
    Container,
}

impl Kind {
    pub(super) const ALL: [Self; 5] = [
        Self::UvProject,
        Self::UvProjectStrict,
        Self::PythonFunction,
        Self::PythonFunctionStrict,
        Self::Container,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::UvProject => "uv_project",
            Self::UvProjectStrict => "uv_project_strict",
            Self::PythonFunction => "python_function",
            Self::PythonFunctionStrict => "python_function_strict",
            Self::Container => "container",
        }
    }

    fn is_strict(self) -> bool {
        matches!(self, Self::UvProjectStrict | Self::PythonFunctionStrict)
    }

    fn entry(self) -> Value {
        let mut entry = match self {
            Self::UvProject | Self::UvProjectStrict => json!({ "dir": "project" }),
            Self::PythonFunction | Self::PythonFunctionStrict => {
                json!({ "file": "function.py", "function": "count" })
            }
            Self::Container => json!({ "build": "image", "network": "none" }),
        };
        entry["idle"] = json!(IDLE.as_secs_f64());
        entry["health"] = json!({ "timeout": 60 });
        entry
    }
}

/// An engine with services, and the folder of what they run.
pub(super) struct Yard {
    pub(super) engine: Engine,
    pub(super) services: Services,
    folder: tempfile::TempDir,
    docker_host: String,
}

impl Yard {
    pub(super) fn open(docker_host: &str) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let project = folder.path().join("project");
        fs::create_dir(&project)?;
        fs::write(project.join("pyproject.toml"), PROJECT)?;
        fs::write(project.join("main.py"), SERVER)?;
        fs::write(folder.path().join("function.py"), FUNCTION)?;
        let mut environment: BTreeMap<String, String> = std::env::vars().collect();
        let uv = fixtures::uv().context("uv is not installed; run ./test")?;
        let path = environment.get("PATH").cloned().unwrap_or_default();
        environment.insert("PATH".to_owned(), format!("{}:{path}", uv.display()));
        environment.insert("UV_PYTHON_DOWNLOADS".to_owned(), "never".to_owned());
        let client = Client::new(Settings::default())?;
        let services = Services::new(Children::new(), environment, client);
        let engine = Engine::builder().build()?;
        Ok(Self { engine, services, folder, docker_host: docker_host.to_owned() })
    }

    /// Registers the tool of a kind.
    pub(super) fn register(&self, kind: Kind) -> Result<()> {
        let maker: Box<dyn Maker> = match kind {
            Kind::UvProject | Kind::UvProjectStrict => {
                Box::new(ProcessMaker::new(self.services.clone()))
            }
            Kind::PythonFunction | Kind::PythonFunctionStrict => {
                Box::new(PythonMaker::new(self.services.clone()))
            }
            Kind::Container => {
                ensure!(!self.docker_host.is_empty(), "no engine: say --docker-host unix://…");
                image(&self.folder.path().join("image"))?;
                Box::new(ContainerMaker::new(self.services.clone(), &self.docker_host))
            }
        };
        let mut spec = ToolSpec::new(kind.name())?;
        spec.timeout = Some(Duration::from_mins(2));
        let nothing: [(&str, &str); 0] = [];
        let vault = Vault::with_values(nothing, Redactor::default());
        let entry = kind.entry();
        let Ok(mut fields) = Fields::of(&entry, "/entry") else { bail!("no map") };
        let strict = Confinement::new(SandboxProfile::Strict);
        let confinement = kind.is_strict().then_some(&strict);
        let folder = self.folder.path();
        let draft = Draft { spec: &spec, folder, vault: &vault, confinement };
        let made = maker.make(&draft, &mut fields);
        let work = made.context("the entry is not right")?.work;
        self.engine.registry().register(Tool { spec, work })?;
        Ok(())
    }
}

/// Makes a folder that an image is built from.
fn image(folder: &Path) -> Result<()> {
    fs::create_dir(folder)?;
    fs::write(folder.join("server.c"), STATIC)?;
    let mut compiler = Command::new("cc");
    compiler.current_dir(folder).args([
        "-static",
        "-O1",
        "-D_GNU_SOURCE",
        "-o",
        "server",
        "server.c",
    ]);
    ensure!(compiler.status()?.success(), "the server cannot be compiled");
    fs::write(folder.join("Dockerfile"), "FROM scratch\nCOPY server /server\nCMD [\"/server\"]\n")?;
    Ok(())
}
