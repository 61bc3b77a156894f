//! What code that means harm tries in a strict sandbox, beyond plain reading and writing.

use std::{fs, os::unix::net::UnixListener, path::Path};

use toolsmith_children::{ChildError, Children, Command, Exchange, Exit, Limits, Profile, Sandbox};
use toolsmith_testing::skip;

use crate::support::{Report, confine, has_ended, python, sh};

fn strict() -> Sandbox {
    Sandbox::new(Profile::Strict)
}

/// What a program in Python wrote; nothing, and a loud skip, where it cannot run.
async fn attempt(program: &str) -> Option<String> {
    let command = python(&format!("{PRELUDE}{program}"))?;
    Some(confine(command, &strict()).await?.text)
}

/// Prints a name, and what an attempt came to: `done`, or the name of the error.
const PRELUDE: &str = "import ctypes, errno, fcntl, os, resource, signal, socket\n\
                       libc = ctypes.CDLL(None, use_errno=True)\n\
                       def attempt(name, act):\n\
                       \ttry: act(); print(name, 'done')\n\
                       \texcept (OSError, ValueError) as e: \
                       print(name, errno.errorcode.get(getattr(e, 'errno', 0) or 0, 'refused'))\n\
                       def call(name, *numbers):\n\
                       \tdone = libc.syscall(*numbers)\n\
                       \tprint(name, 'done' if done >= 0 else errno.errorcode[ctypes.get_errno()])\n";

#[tokio::test]
async fn no_open_file_is_inherited_whoever_was_there_before() {
    let children = Children::new();
    let list = "for file in /proc/self/fd/*; do readlink $file; done";
    for sandbox in [None, Some(strict()), None, Some(strict())] {
        let command = Command { sandbox, ..sh(list) };
        let run = children.run(command, Exchange::feeding("")).await;
        if let Err(ChildError::Sandbox { .. }) = &run {
            return skip("there is no strict sandbox here");
        }
        let text = String::from_utf8(run.unwrap().stdout).unwrap();
        let files: Vec<&str> = text.lines().map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(files, ["pipe", "pipe", "pipe"], "{text}");
    }
}

#[tokio::test]
async fn a_running_program_is_not_rewritten() {
    let program = "attempt('own', lambda: open('/proc/self/exe', 'r+b'))\n\
                   attempt('first', lambda: open('/proc/1/exe', 'rb'))\n\
                   attempt('map', lambda: open('/proc/1/mem', 'rb'))\n\
                   attempt('parent', lambda: open('/proc/%d/exe' % os.getppid(), 'r+b'))\n";
    let Some(text) = attempt(program).await else { return };
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(!text.contains("done"), "{text}");
}

#[tokio::test]
async fn there_is_no_terminal_to_type_into() {
    let program = "attempt('tty', lambda: os.open('/dev/tty', os.O_RDWR))\n\
                   attempt('pts', lambda: os.listdir('/dev/pts'))\n\
                   attempt('type', lambda: fcntl.ioctl(0, 0x5412, b'x'))\n";
    let Some(text) = attempt(program).await else { return };
    assert_eq!(text, "tty ENOENT\npts ENOENT\ntype ENOTTY\n");
}

#[tokio::test]
async fn limits_and_priorities_are_not_raised() {
    let program = "for name in ('NPROC', 'NOFILE', 'CORE', 'CPU'):\n\
                   \tkind = getattr(resource, 'RLIMIT_' + name)\n\
                   \thard = resource.getrlimit(kind)[1]\n\
                   \tif hard == -1: print(name, 'open'); continue\n\
                   \tattempt(name, lambda: resource.setrlimit(kind, (hard + 1, hard + 1)))\n\
                   attempt('nice', lambda: os.nice(-5))\n\
                   attempt('real time', lambda: os.sched_setscheduler(0, os.SCHED_FIFO, \
                   os.sched_param(1)))\n";
    let Some(command) = python(&format!("{PRELUDE}{program}")) else { return };
    let command = command.with_limits(Limits { cpu_seconds: Some(60), ..Limits::default() });
    let Some(Report { text, .. }) = confine(command, &strict()).await else { return };
    let refused = |line: &str| line.ends_with(" refused") || line.ends_with(" EPERM");
    let lines: Vec<&str> = text.lines().filter(|line| *line != "NPROC open").collect();
    assert!(lines.len() >= 5, "{text}");
    assert!(lines.iter().all(|line| refused(line) || line.ends_with(" EACCES")), "{text}");
}

#[tokio::test]
async fn what_it_may_fill_is_bounded() {
    let program = "def fill(folder):\n\
                   \twith open(folder + '/big', 'wb') as f:\n\
                   \t\tfor _ in range(100): f.write(b'x' * 1000000); f.flush()\n\
                   def crowd(folder):\n\
                   \tfor n in range(100000): open('%s/%d' % (folder, n), 'w').close()\n\
                   def files():\n\
                   \tkept = [os.open('/dev/null', 0) for _ in range(5000)]\n\
                   for folder in ('/tmp', '/dev/shm'):\n\
                   \tattempt(folder, lambda: fill(folder))\n\
                   \tos.unlink(folder + '/big')\n\
                   \tattempt(folder, lambda: crowd(folder))\n\
                   attempt('files', files)\n";
    let Some(text) = attempt(program).await else { return };
    let full = "/tmp ENOSPC\n/tmp ENOSPC\n/dev/shm ENOSPC\n/dev/shm ENOSPC\nfiles EMFILE\n";
    assert_eq!(text, full);
}

#[tokio::test]
async fn a_crash_leaves_no_core() {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = Sandbox { write: vec![folder.path().to_owned()], ..strict() };
    let command = Command { folder: folder.path().to_owned(), ..sh("kill -SEGV $$") };
    let Some(report) = confine(command, &sandbox).await else { return };
    assert_eq!(report.finished.exit, Exit::Signal(11));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_signal_to_everyone_reaches_nobody_outside() {
    let mut witness = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let report = confine(sh("kill -9 -1; kill -9 0"), &strict()).await;
    let has_ended = has_ended(witness.id().cast_signed());
    witness.kill().unwrap();
    witness.wait().unwrap();
    assert!(!has_ended);
    assert!(report.is_none_or(|report| report.finished.exit == Exit::Signal(9)));
}

#[tokio::test]
async fn a_socket_file_outside_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    listener.set_nonblocking(true).unwrap();
    let program = format!(
        "attempt('socket', lambda: socket.socket(socket.AF_UNIX).connect('{}'))\n",
        path.display()
    );
    let Some(text) = attempt(&program).await else { return };
    assert_eq!(text, "socket ENOENT\n");
    assert!(listener.accept().is_err());
}

/// System calls by number, which are the same on all machines from 424 on.
#[tokio::test]
async fn young_and_rare_system_calls_are_not_there() {
    if !cfg!(target_arch = "x86_64") {
        return skip("the numbers of the older calls are those of x86-64");
    }
    let program = "call('user', 56, 0x10000000 | 17, 0, 0, 0, 0)\n\
                   call('clone3', 435, 0, 0)\n\
                   call('kexec', 320, 0, 0, 0, 0, 0)\n\
                   call('quota', 443, 0, 0, 0, 0)\n\
                   call('ports', 172, 3)\n\
                   call('ldt', 154, 0, 0, 0)\n\
                   call('keys', 250, 0, 0)\n\
                   call('ring', 425, 1, 0)\n\
                   call('bpf', 321, 0, 0, 0)\n\
                   call('perf', 298, 0, 0, -1, -1, 0)\n\
                   call('young', 467, 0, 0, 0, 0, 0)\n\
                   call('unborn', 999, 0)\n";
    let Some(text) = attempt(program).await else { return };
    assert!(text.lines().all(|l| l.ends_with(" EPERM") || l.ends_with(" ENOSYS")), "{text}");
    assert_eq!(text.lines().count(), 12, "{text}");
}

#[tokio::test]
async fn the_hooks_of_a_repository_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let hooks = folder.path().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    fs::write(folder.path().join(".git/config"), "[core]\n").unwrap();
    let script = "echo mine > file && echo written; echo x > .git/hooks/pre-commit; \
                  echo x >> .git/config; mv .git .old; rm -rf .git; mkdir .git; ls .git";
    let command = Command { folder: folder.path().to_owned(), ..sh(script) };
    let sandbox = Sandbox { write: vec![folder.path().to_owned()], ..strict() };
    let Some(report) = confine(command.clone(), &sandbox).await else { return };
    assert_eq!(report.finished.stdout, b"written\nconfig\nhooks\n", "{}", report.text);
    assert_eq!(fs::read_dir(&hooks).unwrap().count(), 0);
    assert_eq!(fs::read_to_string(folder.path().join(".git/config")).unwrap(), "[core]\n");
    let write = vec![folder.path().to_owned(), folder.path().join(".git")];
    let command = Command { args: vec!["-c".into(), "echo x > .git/index".into()], ..command };
    let listed = confine(command, &Sandbox { write, ..strict() }).await.unwrap();
    assert_eq!(listed.finished.exit, Exit::Code(0), "what is listed may be changed");
}

/// Lets a sandbox replace one of its own places by a link, and then look through it.
async fn look_through(link: &Path, sandbox: Sandbox, folder: &Path) {
    let secrets = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(secrets.path().join("secret"), "the-secret").unwrap();
    let swap = format!("rm -rf {0}; ln -s {1} {0}", link.display(), secrets.path().display());
    let first = Command { folder: folder.to_owned(), ..sh(&swap) };
    if confine(first, &sandbox).await.is_none() {
        return;
    }
    assert!(link.is_symlink(), "the sandbox may replace it");
    let look = format!("cat {0}/secret {1}/secret", link.display(), secrets.path().display());
    let second = Command { folder: link.to_owned(), ..sh(&look) };
    let run = Children::new().run(second.with_sandbox(sandbox), Exchange::feeding("")).await;
    let said = match &run {
        Ok(finished) => [&*finished.stdout, &*finished.stderr_tail].concat(),
        Err(error) => error.to_string().into_bytes(),
    };
    let text = String::from_utf8_lossy(&said).into_owned();
    assert!(!text.contains("the-secret"), "{text}");
}

#[tokio::test]
async fn a_link_in_the_place_of_a_folder_shows_nothing_more() {
    for profile in [Profile::Strict, Profile::Standard] {
        // The temporary folder is open to every standard sandbox.
        let own = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let (work, listed) = (own.path().join("work"), own.path().join("listed"));
        fs::create_dir(&work).unwrap();
        fs::create_dir(&listed).unwrap();
        let sandbox = Sandbox {
            read: vec![listed.clone()],
            write: vec![own.path().to_owned()],
            ..Sandbox::new(profile)
        };
        look_through(&work, sandbox.clone(), own.path()).await;
        look_through(&listed, sandbox, own.path()).await;
    }
}

#[tokio::test]
async fn more_output_than_is_kept_ends_it() {
    let command = sh("yes").with_sandbox(strict());
    let exchange = Exchange { max_stdout: 1_000_000, ..Exchange::feeding("") };
    match Children::new().run(command, exchange).await {
        Err(ChildError::Sandbox { lack, .. }) => skip(lack),
        run => assert!(matches!(run, Err(ChildError::TooMuchOutput { .. })), "{run:?}"),
    }
}

/// The test that runs where no user namespace can be made.
const POOR: &str = "hostile::inner::";

#[tokio::test]
async fn strict_does_not_start_where_namespaces_are_not_allowed() {
    let this = std::env::current_exe().unwrap();
    let script = format!(
        "echo 0 > /proc/sys/user/max_user_namespaces && exec {} {POOR} --nocapture",
        this.display()
    );
    let mut poor = std::process::Command::new("unshare");
    let output = poor.args(["--user", "--map-root-user", "sh", "-c", &script]).output();
    let Ok(output) = output else { return skip("there is no `unshare`") };
    let text = String::from_utf8_lossy(&output.stdout);
    if !text.contains("running 1 test") {
        return skip(&format!("no such place: {}", String::from_utf8_lossy(&output.stderr)));
    }
    assert!(output.status.success(), "{text}");
    assert!(text.contains("refused: the sandbox cannot be enforced here"), "{text}");
}

mod inner {
    use super::*;

    #[tokio::test]
    async fn poor() {
        if !std::env::args().any(|argument| argument == POOR) {
            return;
        }
        let children = Children::new();
        let plain = children.run(sh("exit 3"), Exchange::feeding("")).await.unwrap();
        assert_eq!(plain.exit, Exit::Code(3));
        let strict = sh("echo ran").with_sandbox(strict());
        let error = children.run(strict, Exchange::feeding("")).await.unwrap_err();
        assert!(matches!(error, ChildError::Sandbox { .. }), "{error}");
        println!("refused: {error}");
    }
}
