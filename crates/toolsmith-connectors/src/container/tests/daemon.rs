//! A container engine of our own, for as long as a test runs.

use std::{
    fs::{self, File},
    path::Path,
    process::{Child, Command},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

/// How long the engine may take to come up or to end.
const PATIENCE: Duration = Duration::from_mins(1);

/// An engine that ends with this.
pub(super) struct Daemon {
    process: Child,
    folder: tempfile::TempDir,
    driver: &'static str,
    bridge: &'static str,
}

impl Daemon {
    /// Starts an engine; the error says what is missing.
    pub(super) fn start() -> Result<Self, String> {
        Self::start_with("none")
    }

    /// Starts an engine with a bridge; the network must be one of our own.
    pub(super) fn start_with(bridge: &'static str) -> Result<Self, String> {
        if !Command::new("dockerd").arg("--version").output().is_ok_and(|out| out.status.success())
        {
            return Err("there is no dockerd; run ./test as root".to_owned());
        }
        let mut why = String::new();
        for driver in ["overlay2", "vfs"] {
            match Self::with_driver(driver, bridge) {
                Ok(daemon) => return Ok(daemon),
                Err(log) => why = log,
            }
        }
        Err(format!("dockerd does not run here: {}", why.lines().last().unwrap_or_default()))
    }

    fn with_driver(driver: &'static str, bridge: &'static str) -> Result<Self, String> {
        let folder = tempfile::tempdir().unwrap();
        let process = launch(folder.path(), driver, bridge)?;
        let mut daemon = Self { process, folder, driver, bridge };
        daemon.wait()?;
        Ok(daemon)
    }

    fn wait(&mut self) -> Result<(), String> {
        let until = Instant::now() + PATIENCE;
        while self.docker(&["version"]).is_err() {
            if self.process.try_wait().unwrap().is_some() || Instant::now() > until {
                return Err(fs::read_to_string(self.folder.path().join("log")).unwrap());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Kills the engine; its containers may live on.
    pub(super) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts the engine again where it was.
    pub(super) fn revive(&mut self) {
        // Who was killed leaves its mark, and where nobody reaps orphans its number is still taken.
        for mark in ["pid", "exec/containerd/containerd.pid"] {
            fs::remove_file(self.folder.path().join(mark)).ok();
        }
        self.process = launch(self.folder.path(), self.driver, self.bridge).unwrap();
        self.wait().unwrap();
    }

    pub(super) fn host(&self) -> String {
        format!("unix://{}", self.folder.path().join("docker.sock").display())
    }

    /// Runs the command of the engine.
    pub(super) fn docker(&self, arguments: &[&str]) -> Result<String, String> {
        let output = Command::new("docker").args(["-H", &self.host()]).args(arguments).output();
        let output = output.map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// Returns the ids of all containers.
    pub(super) fn containers(&self) -> Vec<String> {
        let listed = self.docker(&["ps", "--all", "--quiet", "--no-trunc"]).unwrap();
        listed.lines().map(str::to_owned).collect()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let pid = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid {
            kill_process(pid, Signal::TERM).ok();
        }
        let until = Instant::now() + PATIENCE;
        while matches!(self.process.try_wait(), Ok(None)) {
            if Instant::now() > until {
                self.process.kill().ok();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn launch(folder: &Path, driver: &str, bridge: &str) -> Result<Child, String> {
    let place = |name: &str| folder.join(name).display().to_string();
    let log = File::create(folder.join("log")).unwrap();
    Command::new("dockerd")
        .args(["--iptables=false", "--ip6tables=false", "--ip-forward=false", "--ip-masq=false"])
        .args((!bridge.is_empty()).then(|| format!("--bridge={bridge}")))
        .arg(format!("--storage-driver={driver}"))
        .args(["--data-root", &place("data"), "--exec-root", &place("exec")])
        .args(["--pidfile", &place("pid"), "-H", &format!("unix://{}", place("docker.sock"))])
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .map_err(|error| error.to_string())
}

/// Compiles the server into a folder, so that it needs nothing around it.
pub(super) fn compile(folder: &Path) -> Result<(), String> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/container/tests/server.c");
    let compiled = Command::new("cc")
        .args(["-static", "-O1", "-D_GNU_SOURCE", "-o"])
        .arg(folder.join("server"))
        .arg(source)
        .output()
        .map_err(|error| error.to_string())?;
    if compiled.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&compiled.stderr).into_owned())
}
