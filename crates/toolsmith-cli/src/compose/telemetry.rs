//! Where traces and metrics are sent, by our settings and by the variables of OpenTelemetry.

use std::time::Duration;

use anyhow::Result;
use toolsmith_core::{Redactor, Secret};
use toolsmith_gateway::{Sampler, Telemetry, TelemetryConfig};

use super::client;
use crate::{
    Session,
    config::{Environment, Settings, Template},
    exit::UsageError,
};

/// How often metrics are sent, and how long a request may take, when nobody says otherwise.
const METRICS_EVERY: Duration = Duration::from_mins(1);
const TIMEOUT: Duration = Duration::from_secs(10);

/// Begins to send traces and metrics; nothing when no collector is named.
pub(crate) fn telemetry(session: &Session, settings: &Settings) -> Result<Option<Telemetry>> {
    let Some(config) = read(settings, &session.environment, &session.redactor)? else {
        return Ok(None);
    };
    Ok(Some(Telemetry::start(config, client(settings, &session.environment)?)))
}

/// Reads the settings; what they leave open, the variables of OpenTelemetry say.
fn read(
    settings: &Settings,
    environment: &Environment,
    redactor: &Redactor,
) -> Result<Option<TelemetryConfig>, UsageError> {
    let variables = Variables(environment);
    if variables.get("OTEL_SDK_DISABLED").is_some_and(|text| text.eq_ignore_ascii_case("true")) {
        return Ok(None);
    }
    let ours = resolve("telemetry.endpoint", settings.telemetry.endpoint.as_ref(), environment)?;
    let endpoint = |signal| variables.endpoint(ours.as_deref(), signal);
    let (traces, metrics) = (endpoint("traces")?, endpoint("metrics")?);
    if traces.is_none() && metrics.is_none() {
        return Ok(None);
    }
    variables.check_protocol()?;
    let mut headers = variables.pairs("OTEL_EXPORTER_OTLP_HEADERS")?;
    for (name, value) in &settings.telemetry.headers {
        let key = format!("telemetry.headers.{name}");
        let value = resolve(&key, Some(value.expose()), environment)?.unwrap_or_default();
        headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        headers.push((name.clone(), value));
    }
    let headers = headers.into_iter().map(|(name, value)| {
        let value = Secret::new(value);
        // They are keys more often than not, and an error of the collector may repeat them.
        redactor.add(&value);
        check_header(&name, &value)?;
        Ok((name, value))
    });
    let headers = headers.collect::<Result<Vec<_>, UsageError>>()?;
    let sampler = resolve("telemetry.sampler", settings.telemetry.sampler.as_ref(), environment)?;
    Ok(Some(TelemetryConfig {
        traces,
        metrics,
        headers,
        resource: resource(settings, environment)?,
        sampler: variables.sampler(sampler.as_deref())?,
        timeout: variables.millis("OTEL_EXPORTER_OTLP_TIMEOUT")?.unwrap_or(TIMEOUT),
        metrics_every: variables.millis("OTEL_METRIC_EXPORT_INTERVAL")?.unwrap_or(METRICS_EVERY),
    }))
}

/// Refuses what could never be sent; the collector would get nothing, and nobody would know.
fn check_header(name: &str, value: &Secret) -> Result<(), UsageError> {
    let wrong = |what: &str| UsageError::new(format!("telemetry.headers: `{name}` {what}"));
    let request = toolsmith_net::Request::get("http://localhost");
    let named = request.with_header(name, "").map_err(|_| {
        wrong("is no name of a header; write letters, digits and dashes, such as `x-api-key`")
    })?;
    let set = named.with_secret_header(name, value);
    set.map(drop).map_err(|_| {
        wrong("has a value that no header can hold; leave out line breaks and the like")
    })
}

/// Returns who we are, in the words of the conventions.
fn resource(
    settings: &Settings,
    environment: &Environment,
) -> Result<Vec<(String, String)>, UsageError> {
    let variables = Variables(environment);
    let mut resource = variables.pairs("OTEL_RESOURCE_ATTRIBUTES")?;
    let name = settings.telemetry.service_name.as_ref();
    let name = resolve("telemetry.service_name", name, environment)?;
    let name = name.or_else(|| variables.get("OTEL_SERVICE_NAME").map(str::to_owned));
    let is_named = resource.iter().any(|(key, _)| key == "service.name");
    let name = name.or_else(|| (!is_named).then(|| "toolsmith".to_owned()));
    if let Some(name) = name {
        resource.retain(|(key, _)| key != "service.name");
        resource.push(("service.name".to_owned(), name));
    }
    resource.push(("service.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
    resource.push(("process.pid".to_owned(), std::process::id().to_string()));
    Ok(resource)
}

fn resolve(
    key: &str,
    template: Option<&Template>,
    environment: &Environment,
) -> Result<Option<String>, UsageError> {
    let resolved = template.map(|template| template.resolve(environment)).transpose();
    let resolved = resolved.map_err(|why| UsageError::new(format!("{key}: {why}")))?;
    Ok(resolved.map(|resolved| resolved.text.expose().clone()))
}

/// The variables that programs with OpenTelemetry have in common.
struct Variables<'a>(&'a Environment);

impl<'a> Variables<'a> {
    /// Returns a variable; an empty one counts as not set, as the specification says.
    fn get(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).map(str::trim).filter(|text| !text.is_empty())
    }

    /// Returns where a signal is sent: below the common address, or at an address of its own.
    fn endpoint(&self, ours: Option<&str>, signal: &str) -> Result<Option<String>, UsageError> {
        let upper = signal.to_ascii_uppercase();
        let exporter = self.get(&format!("OTEL_{upper}_EXPORTER"));
        if exporter == Some("none") {
            return Ok(None);
        }
        let own = format!("OTEL_EXPORTER_OTLP_{upper}_ENDPOINT");
        let common = || {
            let theirs = self.get("OTEL_EXPORTER_OTLP_ENDPOINT");
            let base = ours.or(theirs)?.trim_end_matches('/');
            Some(format!("{base}/v1/{signal}"))
        };
        let address = self.get(&own).filter(|_| ours.is_none()).map(str::to_owned);
        let Some(address) = address.or_else(common) else { return Ok(None) };
        if address.starts_with("http://") || address.starts_with("https://") {
            return Ok(Some(address));
        }
        let key = if ours.is_some() { "telemetry.endpoint" } else { "OTEL_EXPORTER_OTLP_ENDPOINT" };
        let example = "write an address such as http://localhost:4318";
        Err(UsageError::new(format!("{key}: `{address}` is none of HTTP; {example}")))
    }

    /// Refuses what is not spoken here, rather than send what nobody understands.
    fn check_protocol(&self) -> Result<(), UsageError> {
        for name in ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] {
            if let Some(other) = self.get(name).filter(|text| *text != "http/protobuf") {
                let what = "`http/protobuf` is spoken here, usually at port 4318";
                return Err(UsageError::new(format!("{name}: `{other}` is not; {what}")));
            }
        }
        Ok(())
    }

    /// Reads `a=b,c=d`, with values as they stand in addresses.
    fn pairs(&self, name: &str) -> Result<Vec<(String, String)>, UsageError> {
        let pairs = self.get(name).unwrap_or_default().split(',').map(str::trim);
        let read = pairs.filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, value) = pair.split_once('=').ok_or_else(|| {
                UsageError::new(format!("{name}: write `name=value`, with commas between them"))
            })?;
            Ok((key.trim().to_owned(), unescaped(value.trim())))
        });
        read.collect()
    }

    fn sampler(&self, ours: Option<&str>) -> Result<Sampler, UsageError> {
        if let Some(written) = ours {
            let (name, argument) = match written.split_once(':') {
                Some((name, argument)) => (name, Some(argument)),
                None => (written, None),
            };
            let read = Sampler::parse(name, argument);
            return read.map_err(|why| UsageError::new(format!("telemetry.sampler: {why}")));
        }
        let Some(name) = self.get("OTEL_TRACES_SAMPLER") else { return Ok(Sampler::default()) };
        let read = Sampler::parse(name, self.get("OTEL_TRACES_SAMPLER_ARG"));
        read.map_err(|why| UsageError::new(format!("OTEL_TRACES_SAMPLER: {why}")))
    }

    fn millis(&self, name: &str) -> Result<Option<Duration>, UsageError> {
        let read = |text: &str| text.parse().ok().filter(|count| *count > 0);
        match self.get(name).map(|text| read(text).map(Duration::from_millis)) {
            None => Ok(None),
            Some(Some(duration)) => Ok(Some(duration)),
            Some(None) => Err(UsageError::new(format!("{name}: expected milliseconds above 0"))),
        }
    }
}

/// Puts `%20` and the like back to what they stand for; what is none of these stays.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|_| *first == b'%');
        let code = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(variables: &[(&str, &str)]) -> Result<Option<TelemetryConfig>, UsageError> {
        let environment = variables.iter().copied().collect::<Environment>();
        read(&Settings::default(), &environment, &Redactor::default())
    }

    #[test]
    fn nothing_is_sent_unless_a_collector_is_named() {
        assert!(config(&[]).unwrap().is_none());
        assert!(config(&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]).unwrap().is_none());
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a");
        assert!(config(&[endpoint, ("OTEL_SDK_DISABLED", "true")]).unwrap().is_none());
    }

    #[test]
    fn the_variables_of_others_are_read_as_they_mean_them() {
        let config = config(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:4318/base/"),
            ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://elsewhere/m"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b, x=y"),
            ("OTEL_SERVICE_NAME", "tools"),
            ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test,service.name=other"),
            ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
            ("OTEL_TRACES_SAMPLER_ARG", "0.5"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "2000"),
        ]);
        let config = config.unwrap().unwrap();
        assert_eq!(config.traces.as_deref(), Some("https://collector:4318/base/v1/traces"));
        assert_eq!(config.metrics.as_deref(), Some("http://elsewhere/m"));
        let key = &config.headers[0];
        assert_eq!((key.0.as_str(), key.1.expose().as_str()), ("api-key", "a b"));
        let name = config.resource.iter().find(|(key, _)| key == "service.name").unwrap();
        assert_eq!(name.1, "tools");
        assert_eq!(config.sampler, Sampler { share: 0.5, follows_callers: true });
        assert_eq!(config.timeout, Duration::from_secs(2));
    }

    #[test]
    fn our_settings_come_first() {
        let mut settings = Settings::default();
        settings.telemetry.endpoint = Some(Template::literal("http://ours"));
        settings.telemetry.sampler = Some(Template::literal("traceidratio:0.1"));
        let theirs = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://theirs")];
        let environment = Environment::from_iter(theirs);
        let config = read(&settings, &environment, &Redactor::default()).unwrap().unwrap();
        assert_eq!(config.traces.as_deref(), Some("http://ours/v1/traces"));
        assert_eq!(config.sampler, Sampler { share: 0.1, follows_callers: false });
    }

    #[test]
    fn what_cannot_work_is_said_at_the_start() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a");
        for (variable, said) in [
            (("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), "`http/protobuf` is spoken here"),
            (("OTEL_TRACES_SAMPLER", "never"), "`never` is none of"),
            (("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"), "expected milliseconds"),
            (("OTEL_EXPORTER_OTLP_HEADERS", "secret"), "write `name=value`"),
        ] {
            let said_so = config(&[endpoint, variable]).unwrap_err().to_string();
            assert!(said_so.contains(said), "{said_so}");
        }
        let wrong = config(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317")]);
        assert!(wrong.unwrap_err().to_string().contains("is none of HTTP"));
    }
}
