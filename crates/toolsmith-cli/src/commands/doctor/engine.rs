//! A container engine, by the socket that it listens to.

use std::path::PathBuf;

use super::{
    Patient,
    check::{Finding, Job},
    configured::reach,
};

const ENABLES: &str = "tools that are containers (`container`, sources of type `docker`)";

const HOW: &str =
    "apt install docker.io && systemctl start docker; add yourself to the group `docker`";

/// Who names an engine has one somewhere.
const HOW_SAID: &str = "start the engine that DOCKER_HOST names, or unset DOCKER_HOST";

pub(super) fn jobs(patient: &Patient) -> Vec<Job> {
    let said = patient.environment.get("DOCKER_HOST").map(str::to_owned);
    let home = patient.environment.get("XDG_RUNTIME_DIR").map(PathBuf::from);
    let is_online = patient.is_online;
    let how = if said.is_some() { HOW_SAID } else { HOW };
    vec![Job::new("docker", ENABLES, how, move || match said {
        Some(host) => named(&host, is_online),
        None => usual(home),
    })]
}

/// Asks the engine that the environment names.
fn named(host: &str, is_online: bool) -> Finding {
    if let Some(path) = host.strip_prefix("unix://") {
        return ping(&PathBuf::from(path))
            .unwrap_or_else(|why| Finding::broken(format!("DOCKER_HOST names {path}: {why}")));
    }
    let address = host.replacen("tcp://", "http://", 1);
    if !address.starts_with("http") {
        return Finding::ok("DOCKER_HOST names another machine, which was not asked");
    }
    let found = reach(&address, is_online);
    Finding { detail: format!("DOCKER_HOST: {}", found.detail), ..found }
}

fn usual(home: Option<PathBuf>) -> Finding {
    let own = home
        .into_iter()
        .flat_map(|home| [home.join("docker.sock"), home.join("podman/podman.sock")]);
    let places = [PathBuf::from("/var/run/docker.sock")].into_iter().chain(own);
    let mut why_not = Vec::new();
    for place in places.filter(|place| place.exists()) {
        match ping(&place) {
            Ok(finding) => return finding,
            Err(why) => why_not.push(format!("{}: {why}", place.display())),
        }
    }
    if why_not.is_empty() {
        Finding::missing("no socket of a container engine")
    } else {
        Finding::missing(why_not.join("; "))
    }
}

/// Asks an engine whether it is there.
#[cfg(unix)]
fn ping(socket: &std::path::Path) -> Result<Finding, String> {
    use std::{
        io::{Read, Write},
        os::unix::net::UnixStream,
        time::Duration,
    };

    const WAIT: Duration = Duration::from_millis(1_500);
    let explain = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        std::io::ErrorKind::ConnectionRefused => "nobody listens there".to_owned(),
        _ => error.to_string(),
    };
    let mut stream = UnixStream::connect(socket).map_err(explain)?;
    stream.set_read_timeout(Some(WAIT)).map_err(explain)?;
    stream.set_write_timeout(Some(WAIT)).map_err(explain)?;
    stream.write_all(b"GET /_ping HTTP/1.0\r\nHost: engine\r\n\r\n").map_err(explain)?;
    let mut answer = String::new();
    stream.take(4_096).read_to_string(&mut answer).map_err(explain)?;
    let has_answered = answer.lines().next().is_some_and(|line| line.contains(" 200 "));
    if !has_answered {
        return Err("it does not answer as an engine does".to_owned());
    }
    let version = answer.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("api-version").then(|| value.trim().to_owned())
    });
    let version = version.map(|version| format!(", API {version}")).unwrap_or_default();
    Ok(Finding::ok(format!("answers at {}{version}", socket.display())))
}

#[cfg(not(unix))]
fn ping(_socket: &std::path::Path) -> Result<Finding, String> {
    Err("sockets of engines are looked for on Unix only".to_owned())
}
