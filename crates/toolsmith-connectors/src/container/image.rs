//! Sees to it that the image of a container is there: built from a folder, or fetched.

use std::path::Path;

use bollard::{
    Docker,
    errors::Error,
    query_parameters::{BuildImageOptionsBuilder, CreateImageOptionsBuilder},
};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use toolsmith_core::ToolError;

use super::{context, engine::Engine};
use crate::life::{End, Log};

/// Returns the name of an image that was built from a folder; builds it unless it is there.
pub(super) async fn build(
    docker: &Docker,
    engine: &Engine,
    folder: &Path,
    log: &Log,
) -> Result<String, ToolError> {
    let (place, shown) = (folder.to_owned(), folder.display().to_string());
    let packed = tokio::task::spawn_blocking(move || context::pack(&place)).await;
    let packed = packed.map_err(|error| {
        ToolError::failed(format!("The folder `{shown}` could not be packed.")).with_source(error)
    })?;
    let packed = packed.map_err(|error| {
        let message = format!("No image can be built from the folder `{shown}`: {error}.");
        ToolError::failed(message).with_source(error)
    })?;
    let name = format!("toolsmith/tool:{}", packed.fingerprint);
    if is_there(docker, engine, &name).await? {
        return Ok(name);
    }
    // A step that fails leaves its container unless its removal is forced.
    let options = BuildImageOptionsBuilder::new().dockerfile("Dockerfile").t(&name);
    let options = options.rm(true).forcerm(true);
    let body = bollard::body_full(Bytes::from(packed.archive));
    let mut steps = Box::pin(docker.build_image(options.build(), None, Some(body)));
    while let Some(step) = steps.next().await {
        let step = step.map_err(|error| not_built(engine, error, log))?;
        if let Some(line) = step.stream {
            log.add(line.as_bytes());
        }
        if let Some(message) = step.error_detail.and_then(|detail| detail.message) {
            return Err(not_built(engine, Error::DockerStreamError { error: message }, log));
        }
    }
    // How the image was built explains nothing that the container does.
    log.clear();
    Ok(name)
}

fn not_built(engine: &Engine, error: Error, log: &Log) -> ToolError {
    let refusal = engine.refused("build the image", error);
    let message = format!("{}.", refusal.message().trim_end_matches('.'));
    log.explain(message, &End::default())
}

/// Fetches an image unless it is there.
pub(super) async fn fetch(docker: &Docker, engine: &Engine, name: &str) -> Result<(), ToolError> {
    if is_there(docker, engine, name).await? {
        return Ok(());
    }
    let name = if has_tag(name) { name.to_owned() } else { format!("{name}:latest") };
    let options = CreateImageOptionsBuilder::new().from_image(&name).build();
    let steps = docker.create_image(Some(options), None, None);
    let fetched = steps.try_for_each(|_| std::future::ready(Ok(()))).await;
    fetched.map_err(|error| {
        let doing = format!("fetch the image `{name}`, which is not on this machine");
        engine.refused(&doing, error)
    })
}

async fn is_there(docker: &Docker, engine: &Engine, name: &str) -> Result<bool, ToolError> {
    match docker.inspect_image(name).await {
        Ok(_) => Ok(true),
        Err(Error::DockerResponseServerError { status_code: 404, .. }) => Ok(false),
        Err(error) => Err(engine.refused("look for the image", error)),
    }
}

/// Tells whether a name says which version is meant; a colon may also come with a port.
fn has_tag(name: &str) -> bool {
    name.contains('@') || name.rsplit('/').next().is_some_and(|last| last.contains(':'))
}
