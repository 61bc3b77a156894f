//! What keeps a tool that is not trusted in its place.

use std::fs;

use super::{
    Patient,
    check::{Finding, Job},
    program,
};

const ENABLES: &str = "`sandbox: standard` and `strict` for tools that are not trusted";

/// People look for it where sandboxes are, so it is named.
const UNNEEDED: &str =
    "nothing that is needed: sandboxes use namespaces, Landlock and seccomp themselves";

pub(super) fn jobs(patient: &Patient) -> Vec<Job> {
    let environment = patient.environment.clone();
    let bubblewrap = Job::new("bubblewrap", UNNEEDED, "apt install bubblewrap", move || {
        let Some(path) = program::find("bwrap", &environment) else {
            return Finding::missing("`bwrap` is not on the PATH");
        };
        match program::ask(&path, &["--version"], &environment) {
            Ok(version) => Finding::ok(version),
            Err(why) => Finding::missing(format!("{}: {why}", path.display())),
        }
    });
    let landlock = Job::new(
        "landlock",
        ENABLES,
        "a kernel of 5.13 or later with `landlock` among its LSMs",
        landlock,
    );
    let how = "sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000";
    vec![bubblewrap, landlock, Job::new("user namespaces", ENABLES, how, namespaces)]
}

fn landlock() -> Finding {
    let Ok(active) = fs::read_to_string("/sys/kernel/security/lsm") else {
        return kernel();
    };
    if active.trim().split(',').any(|word| word == "landlock") {
        Finding::ok("the kernel has it switched on")
    } else {
        Finding::missing(format!("the kernel has only: {}", active.trim()))
    }
}

/// Where nobody may look at the list, the age of the kernel is the next best thing to know.
fn kernel() -> Finding {
    let Ok(release) = fs::read_to_string("/proc/sys/kernel/osrelease") else {
        return Finding::missing("this is no Linux");
    };
    let release = release.trim();
    let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    let version = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    if version >= (5, 13) {
        Finding::ok(format!("the kernel {release} is new enough; its list cannot be read"))
    } else {
        Finding::missing(format!("the kernel {release} is too old"))
    }
}

fn namespaces() -> Finding {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let Some(most) = number("/proc/sys/user/max_user_namespaces") else {
        return Finding::missing("the kernel has none");
    };
    if most == 0 {
        return Finding::missing("user.max_user_namespaces is 0");
    }
    if number("/proc/sys/kernel/unprivileged_userns_clone") == Some(0) {
        return Finding::missing("kernel.unprivileged_userns_clone is 0");
    }
    if number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == Some(1) {
        return Finding::missing("kernel.apparmor_restrict_unprivileged_userns is 1");
    }
    Finding::ok(format!("at most {most}"))
}
