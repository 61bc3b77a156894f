//! Projects of uv in a sandbox: their packages are got outside, their code runs inside only.

use std::os::unix::fs::PermissionsExt;

use toolsmith_core::{Confinement, SandboxProfile};
use toolsmith_testing::{fixtures, skip};

use super::{uv::yard, *};
use crate::workbench::skip_without_sandbox;

fn confined(yard: &Yard, profile: SandboxProfile) -> Bench {
    let entry = json!({ "dir": "project", "health": { "timeout": 60 } });
    let maker = ProcessMaker::new(yard.services.clone());
    let confinement = Confinement::new(profile);
    let mut tool = workbench::confine(&maker, &entry, yard.folder.path(), &confinement).unwrap();
    tool.patience = Duration::from_mins(2);
    tool
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_of_uv_runs_in_every_sandbox() {
    let Some(yard) = yard() else { return skip("uv is not installed; run ./test") };
    let project = yard.folder.path().join("project");
    for profile in [SandboxProfile::Standard, SandboxProfile::Strict] {
        let tool = confined(&yard, profile);
        let begun = Instant::now();
        let code = "import sys, os; result = [sys.prefix, 'UV_OFFLINE' in os.environ]";
        let output = match tool.call(json!({ "do": "run", "code": code })).await {
            Ok(output) => output["result"].clone(),
            Err(error) => return skip_without_sandbox(&error),
        };
        println!("cold start of a uv project in {}: {:?}", profile.as_str(), begun.elapsed());
        assert!(output[0].as_str().unwrap().contains("toolsmith-"), "{output}");
        assert_eq!(output[1], json!(true));
        assert!(!project.join(".venv").exists(), "nothing is left in the project");
        let place = output[0].as_str().unwrap().to_owned();
        yard.services.stop("tested").await;
        poll("its packages are gone", || !Path::new(&place).exists()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_strict_project_runs_outside_of_its_sandbox() {
    let Some(yard) = yard() else { return skip("uv is not installed; run ./test") };
    assert!(fixtures::uv().is_some());
    let project = yard.folder.path().join("project");
    let sign = yard.folder.path().join("escaped");
    let script = format!("#!/bin/sh\necho $0 >> {}\nexit 1\n", sign.display());
    // An interpreter that the project names, one that it brings, and a build of its own.
    fs::create_dir_all(project.join(".venv/bin")).unwrap();
    fs::write(project.join(".venv/pyvenv.cfg"), "home = /usr/bin\nversion_info = 3.11.2\n")
        .unwrap();
    for file in [".venv/bin/python", ".venv/bin/python3", "evil"] {
        fs::write(project.join(file), &script).unwrap();
        fs::set_permissions(project.join(file), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(project.join(".python-version"), project.join("evil").display().to_string()).unwrap();
    let backend = format!("open({:?}, 'a').write('build')\n", sign.display().to_string());
    fs::write(project.join("backend.py"), backend).unwrap();
    let head = "[project]\nname = \"tested\"\nversion = \"0.1.0\"\nrequires-python = \">=3.9\"\n\
                [build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n";
    fs::write(project.join("pyproject.toml"), head).unwrap();
    let tool = confined(&yard, SandboxProfile::Strict);
    match tool.call(json!({ "x": 1 })).await {
        Ok(output) => assert_eq!(output["got"], json!({ "x": 1 })),
        Err(error) if error.message().contains("cannot be enforced") => {
            return skip_without_sandbox(&error);
        }
        Err(error) => println!("it does not start: {error}"),
    }
    assert!(!sign.exists(), "{:?}", fs::read_to_string(&sign));
    // A package that would have to be built is refused, with the reason.
    let dynamic = head.replace("version = \"0.1.0\"\n", "dynamic = [\"version\"]\n");
    fs::write(project.join("pyproject.toml"), dynamic).unwrap();
    fs::remove_file(project.join("uv.lock")).ok();
    yard.services.stop("tested").await;
    let error = tool.call(json!({})).await.unwrap_err();
    assert!(error.message().contains("nothing is built"), "{error}");
    assert!(!sign.exists(), "{:?}", fs::read_to_string(&sign));
}
