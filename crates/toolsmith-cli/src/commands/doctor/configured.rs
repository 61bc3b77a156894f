//! What the configuration names: itself, tool folders, MCP servers.

use std::{
    net::{TcpStream, ToSocketAddrs},
    path::PathBuf,
    time::Duration,
};

use toolsmith_net::Url;

use super::{
    Patient,
    check::{Check, Finding, Job, Status},
    program,
};
use crate::{
    Session,
    compose::Toolbox,
    config::{McpServer, Settings},
    wording::counted,
};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_millis(1_500);

/// Looks at the configuration; where it is wrong, the rest is examined with the defaults.
pub(super) fn configuration(session: &Session) -> (Check, Settings) {
    let mut check = Check {
        name: "configuration".to_owned(),
        status: Status::Ok,
        detail: "the defaults".to_owned(),
        enables: "everything that is set in it".to_owned(),
        how: String::new(),
    };
    let loaded = match session.load() {
        Ok(loaded) => loaded,
        Err(error) => {
            check.status = Status::Broken;
            let text = error.to_string();
            text.lines().next().unwrap_or_default().clone_into(&mut check.detail);
            "`toolsmith config show` lists every problem".clone_into(&mut check.how);
            return (check, Settings::default());
        }
    };
    if let Some(file) = &loaded.file {
        check.detail = file.display().to_string();
    }
    if let Some(warning) = loaded.warnings.first() {
        check.status = Status::Broken;
        let more = loaded.warnings.len() - 1;
        let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        check.detail = format!("{warning}{more}");
        "set the variable, or remove the key".clone_into(&mut check.how);
    }
    (check, loaded.settings)
}

pub(super) fn jobs(session: &Session, patient: &Patient) -> Vec<Job> {
    let mut jobs = vec![tools(session, patient)];
    let servers = patient.settings.mcp_servers.iter().filter(|server| server.enabled);
    jobs.extend(servers.map(|server| mcp(server.clone(), patient.clone())));
    jobs
}

fn tools(session: &Session, patient: &Patient) -> Job {
    let toolbox = Toolbox::open(session, &patient.settings).map_err(|error| format!("{error:#}"));
    let enables = "tools of your own, in files";
    let how = "`toolsmith tools validate` lists every problem; `toolsmith tools new` begins a tool";
    Job::new("tool folders", enables, how, move || {
        let toolbox = match toolbox {
            Ok(toolbox) => toolbox,
            Err(why) => return Finding::broken(why),
        };
        let folders = toolbox.definitions().folders();
        let shown: Vec<String> =
            folders.iter().map(|folder| folder.display().to_string()).collect();
        let shown = shown.join(", ");
        if !folders.iter().any(|folder| folder.exists()) {
            let is_usual = *folders == [PathBuf::from("tools")];
            let message = format!("{shown} is not there");
            return if is_usual { Finding::missing(message) } else { Finding::broken(message) };
        }
        let loaded = toolbox.definitions().load();
        let tools = counted(loaded.tools.len() as u64, "tool");
        let warnings = counted(loaded.warnings.len() as u64, "warning");
        match loaded.problems.as_slice() {
            [] => Finding::ok(format!("{shown}: {tools}, {warnings}")),
            [first, more @ ..] => {
                let more = counted(more.len() as u64, "more problem");
                Finding::broken(format!("{shown}: {tools}; {first} ({more})"))
            }
        }
    })
}

fn mcp(server: McpServer, patient: Patient) -> Job {
    let name = format!("mcp server {}", server.name);
    Job::new(
        name,
        "the tools of that server",
        "install or start it, or set `enabled: false`",
        move || {
            let environment = &patient.environment;
            if let Some(command) = &server.command {
                return match command.resolve(environment) {
                    Err(why) => Finding::broken(why.to_string()),
                    Ok(command) => match program::find(command.text.expose(), environment) {
                        Some(_) => Finding::ok("its program is there"),
                        None => Finding::broken(format!(
                            "there is no program `{command}` on the PATH",
                            command = server
                                .command
                                .as_ref()
                                .map(ToString::to_string)
                                .unwrap_or_default()
                        )),
                    },
                };
            }
            match server.url.as_ref().map(|url| url.resolve(environment)) {
                None => Finding::broken("it has neither `command` nor `url`"),
                Some(Err(why)) => Finding::broken(why.to_string()),
                Some(Ok(url)) => reach(url.text.expose(), patient.is_online),
            }
        },
    )
}

/// Tries to connect; other machines only when that was asked for.
pub(super) fn reach(url: &str, is_online: bool) -> Finding {
    let Ok(url) = Url::parse(url) else { return Finding::broken("its address is no address") };
    let Some(host) = url.host_str() else { return Finding::broken("its address has no host") };
    let port = url.port_or_known_default().unwrap_or(80);
    let is_here = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    if !is_here && !is_online {
        return Finding::ok("on another machine, which was not asked; --online does");
    }
    match connect(host.trim_matches(['[', ']']), port) {
        Ok(()) => Finding::ok("accepts connections"),
        Err(why) => Finding::broken(why),
    }
}

/// Connects to a host, no longer than a check may take.
pub(super) fn connect(host: &str, port: u16) -> Result<(), String> {
    let addresses = (host, port).to_socket_addrs().map_err(|error| format!("{host}: {error}"))?;
    let mut last = format!("{host} has no address");
    for address in addresses.take(2) {
        match TcpStream::connect_timeout(&address, CONNECT / 2) {
            Ok(_) => return Ok(()),
            Err(error) => last = format!("{host}:{port}: {error}"),
        }
    }
    Err(last)
}
