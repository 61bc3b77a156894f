//! Attempts to get out of a strict sandbox; all must fail, and what is allowed must work.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixListener},
    },
    path::{Path, PathBuf},
};

use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use toolsmith_children::{ChildError, Children, Command, Exchange, Exit, Limits, Profile, Sandbox};

use crate::support::{Report, confine, eventually, has_ended, python, sh};

/// A folder outside of what a sandbox shows, with a secret in it.
fn outside() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, "the-secret").unwrap();
    (folder, secret)
}

fn strict() -> Sandbox {
    Sandbox::new(Profile::Strict)
}

async fn attempt(script: &str) -> Option<Report> {
    confine(sh(script), &strict()).await
}

#[tokio::test]
async fn a_program_runs_and_its_end_is_seen_as_it_was() {
    let Some(report) = attempt("echo hello; exit 7").await else { return };
    assert_eq!(report.finished.exit, Exit::Code(7), "{}", report.text);
    assert_eq!(report.text, "hello\n");
    let killed = attempt("kill -9 $$").await.unwrap();
    assert_eq!(killed.finished.exit, Exit::Signal(9));
}

#[tokio::test]
async fn nothing_outside_can_be_read() {
    let (folder, secret) = outside();
    let shown = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(&secret, shown.path().join("link")).unwrap();
    fs::write(shown.path().join("plain"), "shown").unwrap();
    let (folder, shown) = (folder.path().display(), shown.path());
    let script = format!(
        "cat {0}/plain; cat {0}/link; cat {1}; cat {0}/../../..{1}; ls {folder}; cat /etc/shadow; \
         ls /root /home /.old /var; cat /proc/1/root{1}; cat /proc/1/cwd{1}; cd /..; cat .{1}",
        shown.display(),
        secret.display(),
    );
    let sandbox = Sandbox { read: vec![shown.to_owned()], ..strict() };
    let Some(report) = confine(sh(&script), &sandbox).await else { return };
    assert!(report.text.starts_with("shown"), "{}", report.text);
    assert!(!report.text.contains("the-secret"), "{}", report.text);
    assert!(!report.text.contains("root:"), "{}", report.text);
    assert_eq!(report.finished.stdout, b"shown", "{}", report.text);
}

#[tokio::test]
async fn nothing_outside_can_be_changed() {
    let (folder, secret) = outside();
    let own = tempfile::tempdir().unwrap();
    let script = format!(
        "echo x > {0}/mine && echo written; echo x > {1}; rm -f {1}; echo x > /usr/x; echo x > /x; \
         echo x > /etc/x; touch /tmp/private && echo private; mkdir {2}/x; ln -s / {0}/up; \
         echo x > {0}/up/usr/x",
        own.path().display(),
        secret.display(),
        folder.path().display(),
    );
    let sandbox = Sandbox {
        read: vec![folder.path().to_owned()],
        write: vec![own.path().to_owned()],
        ..strict()
    };
    let Some(report) = confine(sh(&script), &sandbox).await else { return };
    assert_eq!(report.finished.stdout, b"written\nprivate\n", "{}", report.text);
    let borrowed = format!(
        "cd {}; chmod 755 mine && echo plain; chmod u+s mine || echo kept; mkdir -m 700 f && echo made",
        own.path().display()
    );
    let report = confine(sh(&borrowed), &sandbox).await.unwrap();
    assert_eq!(report.finished.stdout, b"plain\nkept\nmade\n", "{}", report.text);
    assert_eq!(fs::read_to_string(own.path().join("mine")).unwrap(), "x\n");
    assert_eq!(fs::read_to_string(&secret).unwrap(), "the-secret");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(!Path::new("/tmp/private").exists() && !Path::new("/usr/x").exists());
}

#[tokio::test]
async fn no_network_is_reached() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    let name = format!("toolsmith-{}", tcp.local_addr().unwrap().port());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let unix = UnixListener::bind_addr(&address).unwrap();
    unix.set_nonblocking(true).unwrap();
    let program = format!(
        "import socket as s\n\
         def attempt(f):\n\
         \ttry: f(); print('reached')\n\
         \texcept OSError as e: print('refused')\n\
         def udp():\n\
         \ts.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {}))\n\
         attempt(lambda: s.create_connection(('127.0.0.1', {}), 2))\n\
         attempt(lambda: s.create_connection(('1.1.1.1', 53), 2))\n\
         attempt(lambda: s.socket(s.AF_UNIX).connect('\\0{name}'))\n\
         attempt(lambda: s.socket(s.AF_NETLINK, s.SOCK_RAW, 0))\n\
         attempt(lambda: s.socket(40, s.SOCK_STREAM, 0))\n\
         try: udp()\n\
         except OSError: pass\n",
        udp.local_addr().unwrap().port(),
        tcp.local_addr().unwrap().port(),
    );
    let Some(command) = python(&program) else { return };
    let Some(report) = confine(command, &strict()).await else { return };
    assert_eq!(report.text, "refused\n".repeat(5));
    assert!(tcp.accept().is_err() && unix.accept().is_err() && udp.recv(&mut [0; 8]).is_err());
}

#[tokio::test]
async fn a_listed_host_is_reached_through_the_proxy_and_no_other() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    other.set_nonblocking(true).unwrap();
    let (port, closed) = (server.local_addr().unwrap().port(), other.local_addr().unwrap().port());
    let answering = std::thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        let mut request = [0; 1024];
        let length = stream.read(&mut request).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").unwrap();
        String::from_utf8_lossy(&request[..length]).into_owned()
    });
    let program = format!(
        "import urllib.request, urllib.error, socket\n\
         try: urllib.request.urlopen('http://127.0.0.1:{closed}/x')\n\
         except urllib.error.HTTPError as e: print(e.code, e.read().decode().strip())\n\
         try: socket.create_connection(('127.0.0.1', {port}), 2); print('reached')\n\
         except OSError: print('no other way')\n\
         print(urllib.request.urlopen('http://127.0.0.1:{port}/path').read().decode())\n"
    );
    let Some(command) = python(&program) else { return };
    let sandbox = Sandbox { hosts: vec![format!("127.0.0.1:{port}")], ..strict() };
    let Some(report) = confine(command, &sandbox).await else { return };
    let refused = format!("403 `127.0.0.1:{closed}` is not among the hosts of this sandbox");
    assert_eq!(report.text, format!("{refused}\nno other way\nhello\n"));
    assert!(answering.join().unwrap().starts_with("GET /path HTTP/1.1\r\n"));
    assert!(other.accept().is_err());
}

#[tokio::test]
async fn a_fork_bomb_comes_to_nothing() {
    let program = "import os, time\n\
                   made = 0\n\
                   for _ in range(500):\n\
                   \ttry:\n\
                   \t\tif os.fork() == 0: time.sleep(100)\n\
                   \t\tmade += 1\n\
                   \texcept OSError: break\n\
                   print(made)\n";
    let Some(command) = python(program) else { return };
    let command = command.with_limits(Limits { processes: Some(20), ..Limits::default() });
    let Some(report) = confine(command, &strict()).await else { return };
    let made: u32 = report.text.trim().parse().unwrap();
    assert!((10..=20).contains(&made), "{made}");
}

#[tokio::test]
async fn a_memory_bomb_comes_to_nothing() {
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    let bomb = sh("head -c 512m /dev/zero | tail | wc -c").with_limits(limits);
    let Some(report) = confine(bomb, &strict()).await else { return };
    assert!(!report.text.contains("536870912"), "{}", report.text);
    let Some(bomb) = python("bytearray(512 << 20)") else { return };
    let report = confine(bomb.with_limits(limits), &strict()).await.unwrap();
    // Where no group counts, the memory ends before the system kills anybody.
    let exit = report.finished.exit;
    assert!(matches!(exit, Exit::Memory | Exit::Code(1)), "{exit:?}: {}", report.text);
}

#[tokio::test]
async fn other_processes_are_out_of_sight_and_out_of_reach() {
    let ours = std::process::id();
    let script = format!(
        "cat /proc/1/cmdline; kill -9 1; kill -9 {ours}; cat /proc/{ours}/environ; cat /proc/1/environ; \
         head -c 1 /proc/1/mem; cat /proc/1/fd/*; readlink /proc/1/fd/* /proc/1/exe; cat /proc/1/maps; ls -d /proc/[0-9]* | wc -l"
    );
    let Some(report) = attempt(&script).await else { return };
    let count = String::from_utf8_lossy(&report.finished.stdout).trim().parse::<u32>();
    assert!(count.is_ok_and(|count| count < 8), "{}", report.text);
    assert!(!report.text.contains("CARGO"), "{}", report.text);
    let program = std::env::current_exe().unwrap();
    let program = program.file_name().unwrap().to_str().unwrap();
    assert!(!report.text.contains(program), "{}", report.text);
}

#[tokio::test]
async fn harmful_system_calls_are_refused() {
    let program = "import ctypes, os\n\
                   libc = ctypes.CDLL(None, use_errno=True)\n\
                   def attempt(name, *args):\n\
                   \tdone = getattr(libc, name)(*args)\n\
                   \tprint(name, 'done' if done >= 0 else ctypes.get_errno())\n\
                   attempt('ptrace', 16, 1, 0, 0)\n\
                   attempt('process_vm_readv', 1, 0, 0, 0, 0, 0)\n\
                   attempt('mount', b'x', b'/tmp', b'tmpfs', 0, None)\n\
                   attempt('umount2', b'/proc', 2)\n\
                   attempt('chroot', b'/tmp')\n\
                   attempt('unshare', 0x10000000)\n\
                   attempt('setns', 0, 0)\n\
                   attempt('mknod', b'/tmp/d', 0o60666, 0x100)\n\
                   attempt('personality', 0x0400000)\n\
                   attempt('sethostname', b'x', 1)\n";
    let Some(command) = python(program) else { return };
    let Some(report) = confine(command, &strict()).await else { return };
    assert_eq!(report.text.lines().count(), 10, "{}", report.text);
    assert!(report.text.lines().all(|line| line.ends_with(" 1")), "{}", report.text);
    let allowed = "import ctypes\np = ctypes.CDLL(None).personality\np.argtypes = [ctypes.c_ulong]\n\
                   print(p(0xffffffff) >= 0, p(0) >= 0)";
    let report = confine(python(allowed).unwrap(), &strict()).await.unwrap();
    assert_eq!(report.text, "True True\n");
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let keys = python(
        "import ctypes\nl = ctypes.CDLL(None, use_errno=True)\n\
         for n in (248, 249, 250, 298, 321, 323, 425): print(l.syscall(n, 0, 0, 0, 0, 0))",
    );
    let report = confine(keys.unwrap(), &strict()).await.unwrap();
    assert_eq!(report.text, "-1\n".repeat(7));
}

#[tokio::test]
async fn no_rights_and_no_devices_are_left() {
    let script = "grep -E '^(CapEff|CapBnd|CapPrm|NoNewPrivs|Seccomp):' /proc/self/status; ls /dev; \
                  cat /proc/self/mountinfo | grep -c ' rw,' ; ls -l /proc/self/fd | grep -c socket";
    let Some(report) = attempt(script).await else { return };
    let text = report.text;
    for expected in ["CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1"] {
        assert!(text.contains(expected), "{text}");
    }
    assert!(text.contains("Seccomp:\t2"), "{text}");
    let devices = "fd\nfull\nnull\nrandom\nshm\nstderr\nstdin\nstdout\nurandom\nzero\n";
    assert!(text.contains(devices), "{text}");
    assert!(text.ends_with("\n0\n"), "{text}");
}

#[tokio::test]
async fn the_kernel_and_the_devices_stay_as_they_are() {
    let script = "cd /proc/sys/kernel; read was < core_pattern; echo $was > core_pattern && echo set; \
                  echo h > /proc/sysrq-trigger && echo asked; echo x > /dev/null && echo written; \
                  chmod 666 /dev/null && echo taken; chmod u+s /usr/bin/true && echo changed";
    let Some(report) = attempt(script).await else { return };
    assert_eq!(report.finished.stdout, b"written\n", "{}", report.text);
}

#[tokio::test]
async fn its_tree_ends_with_its_handle_and_leaves_no_group() {
    let children = Children::new();
    let script =
        "(setsid sh -c 'while :; do sleep 1; done' &) ; trap '' TERM; while :; do sleep 1; done";
    let command = sh(script).with_sandbox(strict());
    if attempt("true").await.is_none() {
        return;
    }
    let child = children.spawn(command).await.unwrap();
    let pid = child.pid().cast_signed();
    let groups = groups_of(pid);
    drop(child);
    eventually("the first process has ended", || has_ended(pid)).await;
    eventually("its groups are gone", || groups.iter().all(|group| !group.exists())).await;
}

#[tokio::test]
async fn a_service_in_a_sandbox_can_be_asked_to_end() {
    let script = "trap 'echo bye; exit 4' TERM; echo ready; while :; do sleep 0.02; done";
    let children = Children::new();
    let mut child = match children.spawn(sh(script).with_sandbox(strict())).await {
        Err(ChildError::Sandbox { lack, .. }) => return toolsmith_testing::skip(lack),
        spawned => spawned.unwrap(),
    };
    let mut stdout = child.stdout.take().unwrap();
    let mut word = [0; 6];
    stdout.read_exact(&mut word).await.unwrap();
    assert_eq!(&word, b"ready\n");
    child.ask_to_end();
    assert_eq!(child.exited().await, Exit::Code(4));
    stdout.read_exact(&mut word[..4]).await.unwrap();
    assert_eq!(&word[..4], b"bye\n");
}

/// The folders of the control groups that were made for a child.
fn groups_of(pid: i32) -> Vec<PathBuf> {
    let text = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap();
    let lines = text.lines().filter(|line| line.contains("/toolsmith-"));
    let paths = lines.filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        Some(Path::new("/sys/fs/cgroup").join(controllers).join(path.trim_start_matches('/')))
    });
    paths.collect()
}

#[tokio::test]
async fn what_is_to_be_shown_must_be_there() {
    let sandbox = Sandbox { read: vec!["/nowhere/at/all".into()], ..strict() };
    let command = Command::new("/bin/true", Path::new("/")).with_sandbox(sandbox);
    let run = Children::new().run(command, Exchange::feeding("")).await;
    assert!(run.unwrap_err().to_string().contains("`/nowhere/at/all`"));
}
