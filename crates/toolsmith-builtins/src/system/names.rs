//! Which variables may be read and set, by their names.

/// The longest name of a variable.
const LONGEST: usize = 256;

/// Words in the names of variables that hold secrets; such variables read as null.
pub(super) const SECRET: [&str; 14] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "AUTH",
    "COOKIE",
    "PRIVATE",
    "SESSION",
    "DATABASE_URL",
    "CONNECTION_STRING",
    "DSN",
];

/// Variables that say what code a child process loads, or where it sends what it has.
const LOADERS: [&str; 46] = [
    "PATH",
    "IFS",
    "ENV",
    "BASH_ENV",
    "BASHOPTS",
    "SHELLOPTS",
    "SHELL",
    "PS4",
    "PROMPT_COMMAND",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "PYTHONINSPECT",
    "PYTHONUSERBASE",
    "PERL5LIB",
    "PERL5OPT",
    "PERL5DB",
    "PERLLIB",
    "RUBYLIB",
    "RUBYOPT",
    "NODE_OPTIONS",
    "NODE_PATH",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "CLASSPATH",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "LUA_PATH",
    "LUA_CPATH",
    "LUA_INIT",
    "GCONV_PATH",
    "GETCONF_DIR",
    "LOCPATH",
    "NLSPATH",
    "HOSTALIASES",
    "RESOLV_HOST_CONF",
    "RES_OPTIONS",
    "LOCALDOMAIN",
    "MALLOC_TRACE",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "SSH_ASKPASS",
    "RUSTC_WRAPPER",
    "MAKEFLAGS",
];

/// Beginnings of the names of such variables.
const LOADER_STARTS: [&str; 9] = [
    "LD_",
    "DYLD_",
    "GLIBC_",
    "BASH_FUNC_",
    "GIT_",
    "OPENSSL_",
    "DOTNET_",
    "DOCKER_",
    "TOOLSMITH_",
];

/// Tells whether the name can be one of a variable.
pub(super) fn is_name(name: &str) -> bool {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let starts_plain = !name.starts_with(|first: char| first.is_ascii_digit());
    !name.is_empty() && name.len() <= LONGEST && is_plain && starts_plain
}

/// Tells whether a variable of that name holds a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET.iter().any(|word| name.contains(word))
}

/// Tells whether a variable of that name decides what child processes load or whom they talk to.
pub(super) fn is_loader(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    LOADERS.contains(&name.as_str())
        || LOADER_STARTS.iter().any(|start| name.starts_with(start))
        || name.ends_with("_PROXY")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_digits_and_underscores() {
        for name in ["A", "_a1", "some_NAME", &"x".repeat(LONGEST)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "1A", "A=B", "A B", "A\0", "é", &"x".repeat(LONGEST + 1)] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn secrets_and_loaders_are_known_whatever_their_case() {
        for name in ["OPENAI_API_KEY", "github_token", "DbPassword", "DATABASE_URL"] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["LD_PRELOAD", "ld_library_path", "PATH", "NODE_OPTIONS", "https_proxy"] {
            assert!(is_loader(name), "{name}");
        }
        for name in ["HOME", "LANG", "MODE", "MY_PATH"] {
            assert!(!is_secret(name) && !is_loader(name), "{name}");
        }
    }
}
