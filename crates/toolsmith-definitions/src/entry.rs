//! The `entry` of a definition: which code runs the tool.

use std::path::Path;

use toolsmith_core::{
    Draft, Fault, Fields, Kind, Maker, Spot, Tool, ToolSpec, Value, Vault, Work, suggestion,
};

use crate::{
    Makers, inherit,
    parse::{Definition, sources},
    problem::{About, Findings},
    variables,
};

/// The types of entries, with the kind of tool that each makes.
const TYPES: [(&str, Kind); 12] = [
    ("builtin", Kind::Stateless),
    ("custom", Kind::Stateless),
    ("http", Kind::Rest),
    ("rest", Kind::Rest),
    ("mcp", Kind::Mcp),
    ("command", Kind::Command),
    ("process", Kind::Process),
    ("python", Kind::Process),
    ("container", Kind::Container),
    ("remote", Kind::Remote),
    ("javascript", Kind::Javascript),
    ("pipeline", Kind::Pipeline),
];

/// The keys by which the old word `external` is understood.
const EXTERNAL: [(&str, &str); 9] = [
    ("url", "rest"),
    ("base_url", "rest"),
    ("server", "mcp"),
    ("server_url", "mcp"),
    ("image", "container"),
    ("build", "container"),
    ("dir", "process"),
    ("host_dir", "process"),
    ("command", "command"),
];

/// What entries are made with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bench<'a> {
    pub(crate) makers: &'a Makers,
    pub(crate) vault: &'a Vault,
    pub(crate) folder: &'a Path,
}

/// Makes the tool of a definition; nothing when its entry is wrong.
pub(crate) fn make(
    definition: Definition,
    bench: Bench<'_>,
    findings: &mut Findings,
) -> Option<Tool> {
    let sandbox = definition.sandbox.clone();
    let (tool, bounds) = make_tool(definition, bench, findings)?;
    Some(match (sandbox, bounds) {
        (Some(sandbox), Bounds::Open) => {
            let word = sandbox.profile.as_str();
            let message = "tools of this kind cannot run in a sandbox, so nothing runs this one: \
                           calls will answer `executor_not_found`; write `sandbox: none` to run it \
                           without one";
            let fault = Fault {
                pointer: "/sandbox".to_owned(),
                spot: Spot::Key,
                message: message.to_owned(),
            };
            findings.warn(About::Other, fault);
            Tool { work: work_without(word), ..tool }
        }
        (Some(_), Bounds::Confined) | (None, _) => tool,
    })
}

/// Whether the code of a tool runs in the sandbox that its definition asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bounds {
    Open,
    Confined,
}

/// Stands for the code of a tool that may run in a sandbox only.
fn work_without(sandbox: &str) -> Work {
    let handler = format!(
        "it asks for `sandbox: {sandbox}`, and tools of its kind cannot run in a sandbox; \
         `sandbox: none` runs it without one"
    );
    Work::Missing { handler }
}

fn make_tool(
    definition: Definition,
    bench: Bench<'_>,
    findings: &mut Findings,
) -> Option<(Tool, Bounds)> {
    if let Some(list) = definition.sources.clone() {
        return from_sources(definition, &list, bench, findings);
    }
    let Some(entry) = definition.entry.clone() else {
        // A tool without a name has no handler of its name either.
        if !definition.says(&["name"]) || findings.faults.iter().any(|f| f.pointer == "/name") {
            return None;
        }
        let name = definition.spec.name.as_str().to_owned();
        return Some((take_over(definition, &name, "/name", bench, findings), Bounds::Open));
    };
    let mut fields = match Fields::of(&entry, "/entry") {
        Ok(fields) => fields,
        Err(fault) => {
            findings.fault(fault);
            return None;
        }
    };
    let word = type_of(&mut fields, bench.makers);
    let Some(word) = word else {
        // Without a type nobody knows the other keys, so only the type is told.
        findings.faults.extend(fields.finish().into_iter().filter(is_about_the_type));
        return None;
    };
    if let Some(maker) = bench.makers.maker(&word) {
        variables::check_entry(&fields, maker.verbatim(), bench.vault, findings);
        let tool = run_maker(&**maker, definition, bench, &mut fields);
        findings.faults.extend(fields.finish());
        return tool;
    }
    if matches!(word.as_str(), "builtin" | "custom") {
        let own = definition.spec.name.as_str();
        let handler = fields.text("handler").unwrap_or(own).to_owned();
        let pointer = if entry.get("handler").is_some() { "/entry/handler" } else { "/entry" };
        if handler.contains("${") {
            let message = "variables are not filled in here: write the name of the handler itself";
            fields.blame("handler", message);
            findings.faults.extend(fields.finish());
            return None;
        }
        let kind = kind_of(&mut fields);
        findings.faults.extend(fields.finish());
        let mut tool = take_over(definition, &handler, pointer, bench, findings);
        if let (Work::Missing { .. }, Some(kind)) = (&tool.work, kind) {
            tool.spec.kind = kind;
            tool.spec.backend_runtime = kind.usual_runtime();
        }
        return Some((tool, Bounds::Open));
    }
    let message = format!(
        "`{word}` tools do not run in this version: calls will answer `executor_not_found`"
    );
    findings.warn(About::Other, fault("/entry/type", message));
    Some((without_work(definition.spec, &word), Bounds::Open))
}

/// Reads what a tool counts as while nobody has registered its handler.
fn kind_of(fields: &mut Fields<'_>) -> Option<Kind> {
    const KINDS: [(&str, Kind); 4] = [
        ("stateless", Kind::Stateless),
        ("stateful", Kind::Stateful),
        ("rest", Kind::Rest),
        ("mcp", Kind::Mcp),
    ];
    let word = fields.word("kind", &KINDS.map(|(word, _)| word))?;
    KINDS.iter().find(|(own, _)| *own == word).map(|(_, kind)| *kind)
}

/// Makes a tool that several sources can serve.
fn from_sources(
    definition: Definition,
    list: &Value,
    bench: Bench<'_>,
    findings: &mut Findings,
) -> Option<(Tool, Bounds)> {
    let mut fields = Fields::of(list, "").ok()?;
    let Some(maker) = bench.makers.maker("sources") else {
        sources::check(&mut fields);
        findings.faults.extend(fields.finish());
        let message = "sources do not run in this version: calls will answer `executor_not_found`";
        findings.warn(About::Other, fault("/sources", message.to_owned()));
        return Some((without_work(definition.spec, "process"), Bounds::Open));
    };
    variables::check_entry(&fields, maker.verbatim(), bench.vault, findings);
    let tool = run_maker(&**maker, definition, bench, &mut fields);
    findings.faults.extend(fields.finish());
    tool
}

fn run_maker(
    maker: &dyn Maker,
    definition: Definition,
    bench: Bench<'_>,
    fields: &mut Fields<'_>,
) -> Option<(Tool, Bounds)> {
    let Definition { mut spec, sandbox, .. } = definition;
    spec.kind = maker.kind();
    spec.backend_runtime = spec.kind.usual_runtime();
    let confinement = sandbox.as_ref().filter(|_| maker.can_confine());
    let Bench { folder, vault, .. } = bench;
    let made = maker.make(&Draft { spec: &spec, folder, vault, confinement }, fields)?;
    let bounds = if confinement.is_some() { Bounds::Confined } else { Bounds::Open };
    spec.stream_support |= made.streams;
    if let Some(runtime) = made.runtime {
        spec.backend_runtime = runtime;
    }
    Some((Tool { spec, work: made.work }, bounds))
}

/// Runs the code of a registered tool under the definition's own name and description.
///
/// What the definition does not say is taken from that tool.
fn take_over(
    mut definition: Definition,
    handler: &str,
    pointer: &str,
    bench: Bench<'_>,
    findings: &mut Findings,
) -> Tool {
    let Some(tool) = bench.makers.handler(handler) else {
        let near = suggestion(handler, bench.makers.handler_names());
        let near = near.map(|near| format!(". {near}")).unwrap_or_default();
        let message = format!(
            "no handler `{handler}` is registered: calls will answer `executor_not_found`{near}"
        );
        findings.warn(About::Other, fault(pointer, message));
        let work = Work::Missing { handler: handler.to_owned() };
        return Tool { spec: definition.spec, work };
    };
    inherit::fill(&mut definition, &tool.spec);
    Tool { spec: definition.spec, work: tool.work.clone() }
}

fn without_work(mut spec: ToolSpec, word: &str) -> Tool {
    let kind = TYPES.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind);
    spec.kind = kind.unwrap_or_default();
    spec.backend_runtime = spec.kind.usual_runtime();
    Tool { spec, work: Work::Missing { handler: word.to_owned() } }
}

/// Reads the type; the old word `external` is understood by the other keys.
fn type_of(fields: &mut Fields<'_>, makers: &Makers) -> Option<String> {
    if fields.any("type").is_none() {
        fields.miss("type", &format!("one of `{}`", words(makers).join("`, `")));
        return None;
    }
    let word = fields.text("type")?;
    if word == "external" {
        let found = EXTERNAL.iter().find(|(key, _)| has(fields, key));
        if found.is_none() {
            fields.blame("type", external_is_unclear());
        }
        return found.map(|(_, word)| (*word).to_owned());
    }
    let words = words(makers);
    if words.contains(&word) {
        return Some(word.to_owned());
    }
    let near = suggestion(word, words.iter().copied());
    let near = near.map(|near| format!(". {near}")).unwrap_or_default();
    let list = words.join("`, `");
    fields.blame("type", format!("expected one of `{list}`, found {word:?}{near}"));
    None
}

fn has(fields: &Fields<'_>, key: &str) -> bool {
    fields.object().get(key).is_some_and(|value| *value != Value::Null)
}

fn words(makers: &Makers) -> Vec<&'static str> {
    let mut words: Vec<&'static str> = TYPES.iter().map(|(word, _)| *word).collect();
    // Sources stand beside an entry, not in one.
    for word in makers.types().filter(|word| *word != "sources") {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.push("external");
    words
}

fn external_is_unclear() -> String {
    let list: Vec<String> =
        EXTERNAL.iter().map(|(key, word)| format!("`{key}` for {word}")).collect();
    format!("`external` needs a key that says what it is: {}", list.join(", "))
}

fn is_about_the_type(fault: &Fault) -> bool {
    fault.pointer == "/entry/type" || fault.message.starts_with("`type` is missing")
}

fn fault(pointer: &str, message: String) -> Fault {
    Fault { pointer: pointer.to_owned(), spot: Spot::Value, message }
}
