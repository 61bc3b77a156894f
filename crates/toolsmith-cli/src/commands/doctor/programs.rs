//! Programs that tools are made with.

use super::{
    Patient,
    check::{Finding, Job},
    program,
};

struct Program {
    name: &'static str,
    argument: &'static str,
    enables: &'static str,
    how: &'static str,
}

const PROGRAMS: [Program; 5] = [
    Program {
        name: "uv",
        argument: "--version",
        enables: "tools that are Python projects (`process`) and Python functions (`python`)",
        how: "pip install uv, or https://docs.astral.sh/uv",
    },
    Program {
        name: "python3",
        argument: "--version",
        enables: "`command` tools written in Python, and uv without a download of its own",
        how: "apt install python3",
    },
    Program {
        name: "node",
        argument: "--version",
        enables: "`command` tools and MCP servers written for Node.js",
        how: "apt install nodejs",
    },
    Program {
        name: "npx",
        argument: "--version",
        enables: "MCP servers from npm, as `npx -y PACKAGE`",
        how: "apt install npm",
    },
    Program {
        name: "git",
        argument: "--version",
        enables: "tools and MCP servers that work with repositories",
        how: "apt install git",
    },
];

pub(super) fn jobs(patient: &Patient) -> Vec<Job> {
    PROGRAMS.iter().map(|program| job(program, patient)).collect()
}

fn job(wanted: &'static Program, patient: &Patient) -> Job {
    let environment = patient.environment.clone();
    Job::new(wanted.name, wanted.enables, wanted.how, move || {
        let Some(path) = program::find(wanted.name, &environment) else {
            return Finding::missing("not on the PATH");
        };
        match program::ask(&path, &[wanted.argument], &environment) {
            Ok(version) => {
                let version = version.lines().next().unwrap_or_default();
                let version =
                    version.trim_start_matches("git version ").trim_start_matches("Python ");
                Finding::ok(format!("{version} ({})", path.display()))
            }
            // Nothing is known to need it, so it is as good as not there.
            Err(why) => Finding::missing(format!("{}: {why}", path.display())),
        }
    })
}
