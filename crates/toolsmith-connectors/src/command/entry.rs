//! Reads the keys of a command's entry.

use std::path::Path;

use toolsmith_children::{Limits, Sandbox};
use toolsmith_core::{Confinement, Draft, Fields, Template, Value, describe, suggestion};

use super::{
    arguments::{Arguments, Dashes},
    output::Form,
    phrase::Phrase,
};
use crate::{confine, texts};

/// How much a program may write unless its entry says otherwise.
const MAX_OUTPUT: u64 = 16 * 1024 * 1024;

/// What an entry says.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) program: Template,
    pub(super) arguments: Arguments,
    pub(super) stdin: Stdin,
    pub(super) form: Form,
    pub(super) env: Vec<(String, Template)>,
    pub(super) cwd: Option<Template>,
    pub(super) success_codes: Vec<i32>,
    pub(super) max_output: usize,
    pub(super) limits: Limits,
    pub(super) sandbox: Option<Sandbox>,
    pub(super) stream: bool,
}

/// What the program reads.
#[derive(Clone, Debug)]
pub(super) enum Stdin {
    /// The whole input as one line of JSON.
    Json,
    Nothing,
    Text(Phrase),
}

impl Entry {
    /// Reads every key; what is wrong is told to the fields.
    pub(super) fn read(draft: &Draft<'_>, fields: &mut Fields<'_>) -> Option<Self> {
        let schema = draft.spec.input_schema.to_value();
        let parameters = Parameters::of(&schema);
        let program = read_program(fields);
        let mut arguments = read_arguments(fields, &parameters);
        if fields.flag("allow_dashes") == Some(true) {
            arguments.dashes = Dashes::Allowed;
        }
        let entry = Self {
            stdin: read_stdin(fields, &parameters, &arguments),
            form: Form::of(fields.word("output", &Form::WORDS)),
            env: read_env(fields),
            cwd: texts::template(fields, "cwd"),
            success_codes: read_codes(fields),
            max_output: usize::try_from(fields.count("max_output").unwrap_or(MAX_OUTPUT))
                .unwrap_or(usize::MAX),
            limits: read_limits(fields),
            sandbox: None,
            stream: fields.flag("stream").unwrap_or_default(),
            program: program?,
            arguments,
        };
        (fields.is_fine() && texts::are_readable(fields.object())).then_some(entry)
    }

    /// Lets the process run in a sandbox; its paths begin at the folder of the definition.
    pub(super) fn confine(&mut self, confinement: &Confinement, folder: &Path) {
        self.sandbox = Some(confine::sandbox(confinement, folder));
        self.limits = confine::limits(confinement, self.limits);
    }
}

/// The parameters of the tool, when its schema lists them.
struct Parameters<'a>(Option<Vec<&'a str>>);

impl<'a> Parameters<'a> {
    fn of(schema: &'a Value) -> Self {
        let properties = schema.get("properties").and_then(Value::as_object);
        Self(properties.map(|properties| properties.keys().map(String::as_str).collect()))
    }

    /// Reads a text whose placeholders must be parameters; nothing when its variables are wrong.
    fn phrase(&self, text: &str) -> Result<Option<Phrase>, String> {
        let Ok(phrase) = Phrase::parse(text) else { return Ok(None) };
        let Some(known) = &self.0 else { return Ok(Some(phrase)) };
        if let Some(name) = phrase.parameters().find(|name| !known.contains(name)) {
            let near = suggestion(name, known.iter().copied());
            let near = near.map(|near| format!("{near} ")).unwrap_or_default();
            return Err(format!(
                "there is no parameter `{name}`. {near}Write `{{{{{name}}}}}` for plain text in braces"
            ));
        }
        Ok(Some(phrase))
    }
}

fn read_program(fields: &mut Fields<'_>) -> Option<Template> {
    let text = match fields.any("command") {
        Some(Value::String(text)) => text,
        Some(Value::Array(items)) => match items.first() {
            Some(Value::String(text)) => text,
            _ => {
                fields.blame("command", "expected a list that begins with the program");
                return None;
            }
        },
        Some(other) => {
            let found = describe(other);
            fields.blame("command", format!("expected a program or a list, found {found}"));
            return None;
        }
        None => {
            fields.miss("command", "say which program to run, and with which arguments");
            return None;
        }
    };
    match program(text) {
        Ok(program) => program,
        Err(message) => {
            fields.blame("command", message);
            None
        }
    }
}

fn program(text: &str) -> Result<Option<Template>, String> {
    if text.is_empty() || text.contains('\0') {
        return Err("expected the name or the path of a program".to_owned());
    }
    let Ok(phrase) = Phrase::parse(text) else { return Ok(None) };
    if phrase.parameters().next().is_some() {
        return Err("the program cannot come from the input; only arguments can".to_owned());
    }
    if text.contains(char::is_whitespace) && !text.contains(['/', '$']) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let list = words.join(", ");
        return Err(format!("no shell takes this apart; write it as a list: [{list}]"));
    }
    Ok(Template::parse(text).ok())
}

fn read_arguments(fields: &mut Fields<'_>, parameters: &Parameters<'_>) -> Arguments {
    let mut groups = Vec::new();
    if let Some(Value::Array(items)) = fields.any("command") {
        for (place, item) in items.iter().enumerate().skip(1) {
            groups.extend(read_group(fields, parameters, &format!("command/{place}"), item));
        }
    }
    if let Some(items) = fields.list("args") {
        for (place, item) in items.iter().enumerate() {
            groups.extend(read_group(fields, parameters, &format!("args/{place}"), item));
        }
    }
    Arguments { groups, dashes: Dashes::default() }
}

/// Reads an argument, or a list of arguments that stand or fall together.
fn read_group(
    fields: &mut Fields<'_>,
    parameters: &Parameters<'_>,
    place: &str,
    item: &Value,
) -> Option<Vec<Phrase>> {
    let items = match item {
        Value::Array(items) => items.as_slice(),
        single => std::slice::from_ref(single),
    };
    let mut group = Vec::with_capacity(items.len());
    for item in items {
        let phrase = match item {
            Value::String(text) => parameters.phrase(text),
            Value::Number(_) | Value::Bool(_) => parameters.phrase(&item.to_string()),
            other => Err(format!("expected text, found {}", describe(other))),
        };
        match phrase {
            Ok(phrase) => group.extend(phrase),
            Err(message) => {
                fields.blame_at(place, message);
                return None;
            }
        }
    }
    Some(group)
}

fn read_stdin(
    fields: &mut Fields<'_>,
    parameters: &Parameters<'_>,
    arguments: &Arguments,
) -> Stdin {
    match fields.text("stdin") {
        None if arguments.has_parameters() => Stdin::Nothing,
        None | Some("json") => Stdin::Json,
        Some("none") => Stdin::Nothing,
        Some(text) => match parameters.phrase(text) {
            Ok(None) => Stdin::Nothing,
            Ok(Some(phrase)) if phrase.parameters().next().is_some() => Stdin::Text(phrase),
            Ok(Some(_)) => {
                let message = "expected `json`, `none` or a text with a `{parameter}` in it";
                fields.blame("stdin", message);
                Stdin::Nothing
            }
            Err(message) => {
                fields.blame("stdin", message);
                Stdin::Nothing
            }
        },
    }
}

/// Reads the variables of a process.
pub(crate) fn read_env(fields: &mut Fields<'_>) -> Vec<(String, Template)> {
    let mut env = Vec::new();
    for (name, value) in fields.map("env").into_iter().flatten() {
        let place = format!("env/{}", texts::escaped(name));
        if name.is_empty() || name.contains(['=', '\0']) {
            fields.blame_at(&place, format!("{name:?} cannot be the name of a variable"));
            continue;
        }
        let template = match value {
            Value::String(text) => Ok(Template::parse(text).ok()),
            Value::Number(_) | Value::Bool(_) => Ok(Some(Template::literal(value.to_string()))),
            other => Err(format!("expected text, found {}", describe(other))),
        };
        match template {
            Ok(template) => env.extend(template.map(|template| (name.clone(), template))),
            Err(message) => fields.blame_at(&place, message),
        }
    }
    env
}

fn read_codes(fields: &mut Fields<'_>) -> Vec<i32> {
    let Some(items) = fields.list("success_codes") else { return vec![0] };
    let mut codes = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        match item.as_u64().and_then(|code| u8::try_from(code).ok()) {
            Some(code) => codes.push(code.into()),
            None => {
                let found = describe(item);
                let message = format!("expected an exit code from 0 to 255, found {found}");
                fields.blame_at(&format!("success_codes/{place}"), message);
            }
        }
    }
    codes
}

/// Reads what a process may use.
pub(crate) fn read_limits(fields: &mut Fields<'_>) -> Limits {
    let Some(mut inner) = fields.enter("limits") else { return Limits::default() };
    let mut megabytes = |key| inner.count(key).map(|count| count.saturating_mul(1024 * 1024));
    let (memory, file_size) = (megabytes("memory_mb"), megabytes("file_size_mb"));
    let limits = Limits {
        cpu_seconds: inner.count("cpu_seconds"),
        memory,
        file_size,
        open_files: inner.count("open_files"),
        processes: inner.count("processes"),
    };
    fields.leave(inner);
    limits
}
