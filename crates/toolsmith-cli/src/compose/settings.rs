//! Settings in the words of the engine and the store.

use std::{
    path::{self, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context as _, Result};
use toolsmith_builtins::network::{Network, Search, search::SearchEngine};
use toolsmith_core::{CallerType, Context, Overlay, Vault};
use toolsmith_engine::{
    EngineConfig, UnknownParameters,
    limiter::{self, LimiterConfig},
};
use toolsmith_gateway::{
    AccessLog, AccessTarget, Answers, ByElicitation, GatewayConfig, MetricsDoor,
};
use toolsmith_net::{Allow, Client};
use toolsmith_store::{Durability, StoreConfig};

use crate::{
    config::{self, Environment, Limits, Provider, Settings, Strategy, WebSearch},
    exit::UsageError,
    files,
};

/// The longest time that a call may ask for: whoever sits at the shell decides, within a year.
const LONGEST_CALL: Duration = Duration::from_hours(365 * 24);

/// Returns how the engine is set.
pub(super) fn engine_config(settings: &Settings) -> EngineConfig {
    EngineConfig {
        limits: limiter_config(&settings.limits),
        default_timeout: settings.limits.default_timeout,
        network_timeout: settings.limits.network_timeout,
        max_timeout: LONGEST_CALL,
        unknown_parameters: if settings.strict_validation {
            UnknownParameters::Refuse
        } else {
            UnknownParameters::Drop
        },
        max_output_bytes: settings.output.max_bytes,
        ..EngineConfig::default()
    }
}

/// A shorter key could be guessed, and one that is not set would be empty.
const SHORTEST_KEY: usize = 16;

/// Returns how the doors are set.
pub(crate) fn gateway_config(
    settings: &Settings,
    environment: &Environment,
) -> Result<GatewayConfig> {
    let serve = &settings.serve;
    let key = serve.metrics_key.as_ref().map(|key| {
        let resolved = key.expose().resolve(environment);
        resolved.map_err(|why| UsageError::new(format!("serve.metrics_key: {why}")))
    });
    let key = key.transpose()?.map(|key| key.text);
    if key.as_ref().is_some_and(|key| key.expose().len() < SHORTEST_KEY) {
        let why = format!("serve.metrics_key: a key has at least {SHORTEST_KEY} characters");
        return Err(UsageError::new(why).into());
    }
    let half = settings.limits.max_concurrent.div_ceil(2);
    let calls_per_caller = serve.calls_per_caller.unwrap_or(half);
    Ok(GatewayConfig {
        calls_per_caller: Some(u32::try_from(calls_per_caller).unwrap_or(u32::MAX)),
        max_body_bytes: serve.max_body_bytes,
        read_timeout: serve.read_timeout,
        max_connections: serve.max_connections,
        shutdown_timeout: serve.shutdown_timeout,
        allowed_paths: Some(allowed_paths(settings, environment)),
        task_after: serve.task_after,
        approve_by_elicitation: match settings.by_elicitation {
            config::ByElicitation::Stdio => ByElicitation::Streams,
            config::ByElicitation::Always => ByElicitation::Always,
            config::ByElicitation::Never => ByElicitation::Never,
        },
        max_mcp_sessions: serve.max_mcp_sessions,
        mcp_session_timeout: serve.mcp_session_timeout,
        metrics: match serve.metrics {
            config::MetricsDoor::Admin => MetricsDoor::Admins,
            config::MetricsDoor::Open => MetricsDoor::Open,
            config::MetricsDoor::Off => MetricsDoor::Off,
        },
        metrics_key: key,
        answers: if serve.compression { Answers::Packed } else { Answers::Plain },
        access_log: access_log(settings, environment)?,
        ..GatewayConfig::default()
    })
}

fn access_log(settings: &Settings, environment: &Environment) -> Result<Option<AccessLog>> {
    let written = settings.serve.access_log.resolve(environment);
    let written = written.map_err(|why| UsageError::new(format!("serve.access_log: {why}")))?;
    let target = match written.text.expose().as_str() {
        "off" | "" => return Ok(None),
        "on" => AccessTarget::Terminal,
        path => AccessTarget::File(PathBuf::from(path)),
    };
    let opened = AccessLog::open(target).map_err(|error| {
        let why = files::explain(&error);
        UsageError::new(format!("serve.access_log: cannot be written: {why}"))
    });
    Ok(Some(opened?))
}

fn limiter_config(limits: &Limits) -> LimiterConfig {
    LimiterConfig {
        max_concurrent: limits.max_concurrent,
        queue_size: limits.queue_size,
        strategy: match limits.strategy {
            Strategy::Fifo => limiter::Strategy::Fifo,
            Strategy::Priority => limiter::Strategy::Priority,
            Strategy::Reject => limiter::Strategy::Reject,
        },
        bucket_limits: limits.bucket_limits.clone(),
        ..LimiterConfig::default()
    }
}

/// Returns how the store is opened for writing.
pub(super) fn store_config(
    settings: &Settings,
    environment: &Environment,
) -> Result<StoreConfig, UsageError> {
    let folder = data_folder(settings, environment)?;
    Ok(StoreConfig { durability: durability(settings), ..StoreConfig::at(folder) })
}

/// Returns what the record of a call promises.
pub(super) fn durability(settings: &Settings) -> Durability {
    match settings.records.durability {
        config::Durability::Batched => Durability::Batched,
        config::Durability::Sync => Durability::Sync,
    }
}

/// Returns the folder of the database and the artifacts.
pub(crate) fn data_folder(
    settings: &Settings,
    environment: &Environment,
) -> Result<PathBuf, UsageError> {
    let resolved = settings.data_directory.resolve(environment);
    let resolved = resolved.map_err(|why| UsageError::new(format!("data_directory: {why}")))?;
    Ok(PathBuf::from(resolved.text.expose()))
}

/// Returns the folders of the definitions.
pub(super) fn tools_folders(
    settings: &Settings,
    environment: &Environment,
) -> Result<Vec<PathBuf>, UsageError> {
    let folders = settings.tools_directory.iter().map(|template| {
        let resolved = template.resolve(environment);
        let resolved =
            resolved.map_err(|why| UsageError::new(format!("tools_directory: {why}")))?;
        Ok(PathBuf::from(resolved.text.expose()))
    });
    folders.collect()
}

/// Returns what sends requests.
pub(crate) fn client(settings: &Settings, environment: &Environment) -> Result<Client> {
    let allowed = settings.network_allow.iter().map(|template| {
        let resolved = template.resolve(environment);
        let resolved = resolved.map_err(|why| UsageError::new(format!("network.allow: {why}")))?;
        Ok(resolved.text.expose().clone())
    });
    let allowed: Vec<String> = allowed.collect::<Result<_, UsageError>>()?;
    let allow = Allow::parse(&allowed);
    let allow = allow.map_err(|why| UsageError::new(format!("network.allow: {why}")))?;
    Ok(Client::new(toolsmith_net::Settings { allow, ..toolsmith_net::Settings::default() })?)
}

/// Returns what the built-in tools are told.
pub(super) fn builtins(
    settings: &Settings,
    environment: &Environment,
    tools: Shared<'_>,
) -> Result<toolsmith_builtins::Settings> {
    let working_folder = std::env::current_dir().context("cannot tell the current folder")?;
    let network = Network {
        vault: tools.vault.clone(),
        search: search(&settings.web_search),
        usual_results: settings.web_search.max_results as u64,
        ..Network::new(tools.client.clone())
    };
    Ok(toolsmith_builtins::Settings {
        allowed_paths: allowed_paths(settings, environment).to_vec(),
        variables: Arc::new(environment.clone()),
        overlay: tools.overlay.clone(),
        network: Some(network),
        ..toolsmith_builtins::Settings::new(working_folder)
    })
}

/// What several kinds of tools have in common.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) vault: &'a Vault,
    pub(super) overlay: &'a Overlay,
    pub(super) client: &'a Client,
}

fn search(settings: &WebSearch) -> Option<Search> {
    let engine = match settings.provider? {
        Provider::Tavily => SearchEngine::Tavily,
        Provider::Google => SearchEngine::Google,
        Provider::Bing => SearchEngine::Bing,
        Provider::Duckduckgo => SearchEngine::Duckduckgo,
        Provider::Searxng => SearchEngine::Searxng,
    };
    Some(Search {
        engine,
        api_key: settings.api_key.as_ref().map(|key| key.expose().clone()),
        engine_id: settings.engine_id.clone(),
        base_url: settings.base_url.clone(),
    })
}

/// Returns what every call from the command line has in common.
pub(super) fn context(settings: &Settings, environment: &Environment) -> Context {
    Context {
        caller_type: CallerType::Cli,
        allowed_paths: Some(allowed_paths(settings, environment)),
        ..Context::default()
    }
}

/// Returns the folders that file tools may touch.
///
/// One that cannot be filled in was warned of when the configuration was read; leaving it out
/// allows less, never more.
fn allowed_paths(settings: &Settings, environment: &Environment) -> Arc<[PathBuf]> {
    let templates = settings.allowed_paths.iter();
    let resolved = templates.filter_map(|template| template.resolve(environment).ok());
    resolved.filter_map(|resolved| path::absolute(resolved.text.expose()).ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::config::{OutputSettings, Template};

    #[test]
    fn every_setting_reaches_the_engine() {
        let settings = Settings {
            strict_validation: true,
            limits: Limits {
                max_concurrent: 3,
                queue_size: 4,
                default_timeout: Duration::from_secs(5),
                network_timeout: Duration::from_secs(6),
                strategy: Strategy::Priority,
                bucket_limits: BTreeMap::from([("file".to_owned(), 2)]),
            },
            output: OutputSettings { max_bytes: 7 },
            ..Settings::default()
        };
        let config = engine_config(&settings);
        assert_eq!((config.limits.max_concurrent, config.limits.queue_size), (3, 4));
        assert_eq!(config.limits.strategy, limiter::Strategy::Priority);
        assert_eq!(config.limits.bucket_limits["file"], 2);
        assert_eq!(config.default_timeout, Duration::from_secs(5));
        assert_eq!(config.network_timeout, Duration::from_secs(6));
        assert_eq!(config.unknown_parameters, UnknownParameters::Refuse);
        assert_eq!(config.max_output_bytes, 7);
    }

    #[test]
    fn allowed_paths_are_absolute_and_a_missing_variable_allows_nothing() {
        let settings = Settings {
            allowed_paths: vec![
                Template::literal("./notes"),
                Template::parse("${NOWHERE}/x").unwrap(),
                Template::parse("${HERE}").unwrap(),
            ],
            ..Settings::default()
        };
        let environment = Environment::from_iter([("HERE", "/there")]);
        let context = context(&settings, &environment);
        let allowed = context.allowed_paths.unwrap();
        assert_eq!(*allowed, [std::env::current_dir().unwrap().join("notes"), "/there".into()]);
        assert_eq!(context.caller_type, CallerType::Cli);
    }

    #[test]
    fn a_data_folder_that_cannot_be_filled_in_is_a_usage_error() {
        let settings = Settings {
            data_directory: Template::parse("${NOWHERE}").unwrap(),
            ..Settings::default()
        };
        assert_eq!(
            data_folder(&settings, &Environment::default()).unwrap_err().to_string(),
            "data_directory: the variable `NOWHERE` is not set and has no default"
        );
    }
}
