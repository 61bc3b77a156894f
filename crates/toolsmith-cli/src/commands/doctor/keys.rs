//! Keys of models and of the web search: whether they are there, never what they are.

use super::{
    Patient,
    check::{Finding, Job},
};
use crate::config::{Provider, Settings};

/// The variables that providers of models use.
const MODELS: [&str; 13] = [
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
    "DASHSCOPE_API_KEY",
    "MOONSHOT_API_KEY",
    "ZHIPUAI_API_KEY",
    "OPENROUTER_API_KEY",
    "GROQ_API_KEY",
    "XAI_API_KEY",
    "AZURE_OPENAI_API_KEY",
];

pub(super) fn jobs(patient: &Patient) -> Vec<Job> {
    let environment = patient.environment.clone();
    let enables = "calls to a model by your own program; Toolsmith's tools need none";
    let models =
        Job::new("model key", enables, "export OPENAI_API_KEY=… or the like", move || {
            let is_set =
                |name: &&&str| environment.get(name).is_some_and(|value| !value.is_empty());
            let names: Vec<&str> = MODELS.iter().filter(is_set).copied().collect();
            if names.is_empty() {
                Finding::missing("none of the usual variables is set")
            } else {
                Finding::ok(names.join(", "))
            }
        });
    let wanted = patient.clone();
    let how = "set `tools.webSearch.provider` and `tools.webSearch.apiKey` in toolsmith.yaml";
    let search = Job::new("web search", "the tool `web_search`", how, move || search(&wanted));
    vec![models, search]
}

fn search(patient: &Patient) -> Finding {
    let Settings { web_search, .. } = &*patient.settings;
    let Some(provider) = web_search.provider else {
        return Finding::missing("no provider is configured");
    };
    let name = format!("{provider:?}").to_lowercase();
    let needs_key = !matches!(provider, Provider::Duckduckgo | Provider::Searxng);
    match &web_search.api_key {
        None if needs_key => Finding::broken(format!("{name} needs `tools.webSearch.apiKey`")),
        None => Finding::ok(name),
        Some(key) => match key.expose().resolve(&patient.environment) {
            Ok(_) => Finding::ok(format!("{name}, with a key")),
            Err(why) => Finding::broken(format!("{name}: {why}")),
        },
    }
}
