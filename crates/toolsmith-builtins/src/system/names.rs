//! Which variables may be read and set, by their names.

/// The longest name of a variable.
const LONGEST: usize = 256;

/// Words in the names of variables that hold secrets; such variables read as null.
pub(super) const SECRET: [&str; 17] = [
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
    "JWT",
    "BEARER",
    "WEBHOOK",
];

/// Tells whether the name can be one of a variable.
pub(super) fn is_name(name: &str) -> bool {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let starts_plain = !name.starts_with(|first: char| first.is_ascii_digit());
    !name.is_empty() && name.len() <= LONGEST && is_plain && starts_plain
}

/// Words that mean a secret when they stand alone in a name: `DB_PASS`, `MYSQL_PWD`, `GITHUB_PAT`.
const SECRET_WORDS: [&str; 5] = ["PASS", "PWD", "PW", "PAT", "PIN"];

/// Names that only look like secrets: the folders of a shell.
const FOLDERS: [&str; 2] = ["PWD", "OLDPWD"];

/// Tells whether a variable holds a secret, by its name or by what it looks like.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let is_named_so = SECRET.iter().any(|word| name.contains(word))
        || name.split('_').any(|word| SECRET_WORDS.contains(&word));
    is_named_so && !FOLDERS.contains(&name.as_str()) || has_login(value)
}

/// Tells whether a text holds an address with a login: `redis://:password@host`.
fn has_login(value: &str) -> bool {
    value.split("://").skip(1).any(|rest| {
        let place = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        place.rsplit_once('@').is_some_and(|(login, _)| login.contains(':'))
    })
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
    fn secrets_are_known_by_name_and_by_look() {
        for name in ["OPENAI_API_KEY", "github_token", "DbPassword", "DATABASE_URL", "DB_PASS"] {
            assert!(is_secret(name, "x"), "{name}");
        }
        for name in ["MYSQL_PWD", "GITHUB_PAT", "sim_pin"] {
            assert!(is_secret(name, "x"), "{name}");
        }
        for value in ["redis://:pw@host/1", "see postgres://me:pw@db:5432/x?y"] {
            assert!(is_secret("PLACE", value), "{value}");
        }
        for (name, value) in [
            ("HOME", "/srv/me"),
            ("PWD", "/tmp"),
            ("PATH", "/bin"),
            ("SPINNER", "on"),
            ("PLACE", "https://host:80/a@b:c"),
            ("MAIL", "mailto:me@host"),
        ] {
            assert!(!is_secret(name, value), "{name}");
        }
    }
}
