//! Which variables decide what code a program runs, loads, or talks to.

/// Names of such variables, besides those that begin or end as below.
const NAMES: &[&str] = &[
    "PATH",
    "IFS",
    "ENV",
    "SHELL",
    "SHELLOPTS",
    "PS4",
    "PROMPT_COMMAND",
    "CDPATH",
    "FPATH",
    "ZDOTDIR",
    "INPUTRC",
    // Where programs look for settings of their own, which name code to run.
    "HOME",
    "USERPROFILE",
    "APPDATA",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "TMP",
    "TEMP",
    "CLASSPATH",
    "_JAVA_OPTIONS",
    "GETCONF_DIR",
    "LOCPATH",
    "NLSPATH",
    "HOSTALIASES",
    "RESOLV_HOST_CONF",
    "RES_OPTIONS",
    "LOCALDOMAIN",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "SUDO_ASKPASS",
    "RUSTC_WRAPPER",
    "MAKEFLAGS",
    "MFLAGS",
    "WGETRC",
    "TERMINFO",
    "RSYNC_RSH",
    "CC",
    "CXX",
    "LINKER",
    "KUBECONFIG",
    "MANPATH",
    "MANPAGER",
    "GOFLAGS",
    "GOPATH",
    "GOROOT",
    "GOENV",
    "GOPROXY",
];

/// Beginnings of the names of such variables: loaders, shells, interpreters, package managers.
const STARTS: &[&str] = &[
    "LD_",
    "DYLD_",
    "GLIBC_",
    "GCONV_",
    "MALLOC_",
    "BASH",
    "XDG_",
    "PYTHON",
    "PIP_",
    "UV_",
    "VIRTUAL_ENV",
    "CONDA_",
    "PERL",
    "RUBY",
    "GEM_",
    "BUNDLE_",
    "NODE_",
    "NPM_",
    "YARN_",
    "DENO_",
    "BUN_",
    "JAVA_",
    "JDK_",
    "MAVEN_",
    "GRADLE_",
    "PHP",
    "LUA_",
    "R_",
    "JULIA_",
    "CARGO_",
    "RUSTC",
    "RUSTFLAGS",
    "RUSTDOC",
    "RUSTUP_",
    "DOTNET_",
    "COMPLUS_",
    "CORECLR_",
    "GIT_",
    "SSH_",
    "GPG_",
    "SSL_",
    "OPENSSL_",
    "CURL_",
    "REQUESTS_",
    "LESS",
    "PAGER",
    "DOCKER_",
    "TOOLSMITH_",
];

/// Tells whether a variable decides what programs load or run, or whom they talk to.
///
/// A conversation may set variables for the processes it starts, and it may write files. With one
/// of these it could make an operator's program run such a file.
///
/// ```
/// assert!(toolsmith_core::is_loader("LD_PRELOAD"));
/// assert!(!toolsmith_core::is_loader("GREETING"));
/// ```
pub fn is_loader(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.contains(&name.as_str())
        || STARTS.iter().any(|start| name.starts_with(start))
        || ["_PROXY", "_OPTIONS", "_OPTS"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_programs_run_other_code_is_known_whatever_its_case() {
        for name in [
            "LD_PRELOAD",
            "ld_library_path",
            "PATH",
            "HOME",
            "XDG_CONFIG_HOME",
            "BASH_ENV",
            "NODE_OPTIONS",
            "NPM_CONFIG_NODE_OPTIONS",
            "PYTHONSTARTUP",
            "https_proxy",
            "LESSOPEN",
            "CARGO_HOME",
            "PIP_INDEX_URL",
            "UV_PYTHON",
            "WGETRC",
            "CURL_HOME",
            "R_PROFILE",
            "MAVEN_OPTS",
            "SSL_CERT_FILE",
            "GOFLAGS",
            "TMPDIR",
        ] {
            assert!(is_loader(name), "{name}");
        }
    }

    #[test]
    fn what_programs_only_read_is_free() {
        for name in ["MODE", "GREETING", "LANG", "LC_ALL", "TZ", "NO_COLOR", "VERBOSE", "APP_PORT"]
        {
            assert!(!is_loader(name), "{name}");
        }
    }
}
