//! The servers of a client's file, in our words.

use toolsmith_core::{Map, Value};

use super::jsonc;

/// Parts of names of variables and headers whose values are secrets.
const SECRET_PARTS: [&str; 8] =
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH", "COOKIE"];

/// What a server of ours can say that others say, too.
const TEXTS: [&str; 3] = ["command", "cwd", "url"];

/// How a server is reached, in the words of other clients; one of them has to be there.
const LINKS: [&str; 3] = ["command", "url", "serverUrl"];

/// The servers of a file.
#[derive(Debug, Default)]
pub(super) struct Servers {
    servers: Vec<(String, Map<String, Value>)>,
    /// What a person has to know.
    pub(super) notes: Vec<String>,
}

impl Servers {
    /// Reads a file of any known client; the error says what is wrong with it.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(&jsonc::plain(text))
            .map_err(|error| format!("it is no JSON: {error}"))?;
        let places = ["/mcpServers", "/servers", "/mcp/servers", "/mcp/mcpServers"];
        let found = places.iter().find_map(|place| value.pointer(place)?.as_object());
        let found = found.ok_or("it has neither `mcpServers` nor `servers`")?;
        let mut servers = Self::default();
        for (name, server) in found {
            match server.as_object() {
                Some(server) => servers.take(name, server),
                None => servers.notes.push(format!("`{name}` is left out: it is no map")),
            }
        }
        Ok(servers)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.servers.iter().map(|(name, _)| name.clone()).collect()
    }

    fn take(&mut self, name: &str, theirs: &Map<String, Value>) {
        if theirs.get("type").and_then(Value::as_str) == Some("sse") {
            self.notes.push(format!(
                "`{name}` is left out: it speaks the old HTTP+SSE transport. Look for its streamable \
                 HTTP address"
            ));
            return;
        }
        if !LINKS.iter().any(|link| theirs.get(*link).is_some_and(Value::is_string)) {
            let note = format!("`{name}` is left out: it has neither `command` nor `url`");
            self.notes.push(note);
            return;
        }
        let mut ours = Map::new();
        for (key, value) in theirs {
            let key = if key == "serverUrl" { "url" } else { key.as_str() };
            match (key, value) {
                (key, Value::String(text)) if TEXTS.contains(&key) => {
                    ours.insert(key.to_owned(), self.filled(text).into());
                }
                ("args", Value::Array(args)) => {
                    let args = args.iter().map(|arg| Value::from(self.filled(&plain(arg))));
                    ours.insert("args".to_owned(), args.collect());
                }
                ("env" | "headers", Value::Object(pairs)) => {
                    let pairs = pairs.iter().map(|(variable, value)| {
                        let value = self.hidden((name, key), variable, &plain(value));
                        (variable.clone(), Value::from(value))
                    });
                    ours.insert(key.to_owned(), Value::Object(pairs.collect()));
                }
                ("disabled" | "enabled", Value::Bool(value)) => {
                    ours.insert(key.to_owned(), (*value).into());
                }
                ("type", _) => {}
                (other, _) => self.notes.push(format!("`{other}` of `{name}` is left out")),
            }
        }
        self.servers.push((name.to_owned(), ours));
    }

    /// Turns the variables of other clients into ours.
    fn filled(&mut self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, from)) = rest.split_once("${") {
            filled.push_str(before);
            let Some((inside, after)) = from.split_once('}') else {
                filled.push_str("$${");
                rest = from;
                continue;
            };
            let ours = match inside.split_once(':') {
                Some(("input", id)) => {
                    let variable = variable(id);
                    self.note_variable(&variable, "which the other client asks for");
                    format!("${{{variable}}}")
                }
                Some(("env", name)) => format!("${{{name}}}"),
                None if inside == "workspaceFolder" => ".".to_owned(),
                None if inside == "userHome" => "${HOME}".to_owned(),
                None if variable(inside) == inside.to_uppercase() => format!("${{{inside}}}"),
                _ => format!("$${{{inside}}}"),
            };
            filled.push_str(&ours);
            rest = after;
        }
        filled + rest
    }

    /// Puts a variable in the place of what looks like a secret.
    fn hidden(&mut self, (server, key): (&str, &str), name: &str, value: &str) -> String {
        let filled = self.filled(value);
        let upper = name.to_uppercase();
        let is_secret = SECRET_PARTS.iter().any(|part| upper.contains(part));
        if filled != value || filled.contains("${") || value.is_empty() || !is_secret {
            return filled;
        }
        let variable = match key {
            "env" => variable(name),
            _ => variable(&format!("{server}_{name}")),
        };
        self.note_variable(&variable, &format!("to what stands in `{key}` of `{server}` there"));
        let scheme = value.split_once(' ').map(|(scheme, _)| scheme);
        match scheme.filter(|scheme| ["Bearer", "Basic", "Token"].contains(scheme)) {
            Some(scheme) => format!("{scheme} ${{{variable}}}"),
            None => format!("${{{variable}}}"),
        }
    }

    fn note_variable(&mut self, variable: &str, why: &str) {
        let note = format!("set the variable {variable}, {why}");
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Writes the servers as a part of our configuration.
    pub(super) fn yaml(&self) -> String {
        if self.servers.is_empty() {
            return "mcpServers: {}\n".to_owned();
        }
        let mut lines = vec!["mcpServers:".to_owned()];
        for (name, server) in &self.servers {
            lines.push(format!("  {}:", key(name)));
            lines.extend(server.iter().flat_map(|(name, value)| field(name, value)));
        }
        lines.join("\n") + "\n"
    }
}

/// Writes a field of a server, a map of texts with a line for each.
fn field(name: &str, value: &Value) -> Vec<String> {
    let Some(pairs) = value.as_object().filter(|pairs| !pairs.is_empty()) else {
        return vec![format!("    {name}: {value}")];
    };
    let mut lines = vec![format!("    {name}:")];
    lines.extend(pairs.iter().map(|(name, value)| format!("      {}: {value}", key(name))));
    lines
}

/// Writes a key plainly where that cannot be misread; a text of JSON is a text of YAML, too.
fn key(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        .contains(&name.to_lowercase().as_str());
    if starts_well && name.chars().all(is_plain) && !is_word {
        return name.to_owned();
    }
    Value::from(name).to_string()
}

/// Returns a value as the text that it is for a program.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Makes the name of a variable of any text.
fn variable(text: &str) -> String {
    let name: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_claude_or_cursor_is_taken_over_without_its_secrets() {
        let text = r#"{ "mcpServers": {
            "files": { "command": "npx", "args": ["-y", "server", 5], "env": { "API_KEY": "hunter2", "MODE": "x" } },
            "far": { "url": "https://a.example/mcp", "headers": { "Authorization": "Bearer abc" }, "autoApprove": [] },
            "old": { "type": "sse", "url": "https://a.example/sse" }
        } }"#;
        let servers = Servers::read(text).unwrap();
        assert_eq!(
            servers.yaml(),
            "mcpServers:\n  files:\n    command: \"npx\"\n    args: [\"-y\",\"server\",\"5\"]\n    env:\n      \
             API_KEY: \"${API_KEY}\"\n      MODE: \"x\"\n  far:\n    url: \"https://a.example/mcp\"\n    \
             headers:\n      Authorization: \"Bearer ${FAR_AUTHORIZATION}\"\n"
        );
        let notes = servers.notes.join("\n");
        assert!(notes.contains("set the variable API_KEY"), "{notes}");
        assert!(notes.contains("`autoApprove` of `far` is left out"), "{notes}");
        assert!(notes.contains("`old` is left out"), "{notes}");
        assert!(!format!("{}{notes}", servers.yaml()).contains("hunter2"));
    }

    #[test]
    fn questions_and_variables_of_vs_code_become_ours() {
        let text = r#"{
            // asked for once
            "inputs": [{ "type": "promptString", "id": "gh-token", "password": true }],
            "servers": { "gh": {
                "type": "stdio", "command": "${workspaceFolder}/run",
                "args": ["--home=${userHome}", "${env:PLACE}", "${odd thing}"],
                "env": { "GH_TOKEN": "${input:gh-token}" },
            } },
        }"#;
        let servers = Servers::read(text).unwrap();
        let yaml = servers.yaml();
        for line in [
            "command: \"./run\"",
            "args: [\"--home=${HOME}\",\"${PLACE}\",\"$${odd thing}\"]",
            "GH_TOKEN: \"${GH_TOKEN}\"",
        ] {
            assert!(yaml.contains(line), "{line}: {yaml}");
        }
        assert_eq!(servers.notes, ["set the variable GH_TOKEN, which the other client asks for"]);
    }

    #[test]
    fn what_cannot_be_reached_is_left_out_and_said() {
        let text = r#"{ "mcpServers": {
            "z": { "weird": 1 }, "n": { "command": 5 }, "e": {}, "u": { "serverUrl": "https://a.example" }
        } }"#;
        let servers = Servers::read(text).unwrap();
        assert_eq!(servers.yaml(), "mcpServers:\n  u:\n    url: \"https://a.example\"\n");
        let left_out = |name| format!("`{name}` is left out: it has neither `command` nor `url`");
        assert_eq!(servers.notes.len(), 3, "{:?}", servers.notes);
        assert!(["z", "n", "e"].iter().all(|name| servers.notes.contains(&left_out(name))));
    }

    #[test]
    fn what_is_no_such_file_is_said() {
        assert!(Servers::read("[]").unwrap_err().contains("neither"));
        assert!(Servers::read("{").unwrap_err().contains("no JSON"));
    }
}
