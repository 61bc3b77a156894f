//! Whose tokens `toolsmith serve` lets in.

use std::{collections::HashSet, path::PathBuf};

use anyhow::Result;
use toolsmith_core::Allowance;
use toolsmith_gateway::{Grants, Issuer, KeySource, Tokens};

use crate::{
    Session, compose,
    config::{CallsInTime, JwtIssuer, Settings},
    exit::UsageError,
};

/// Returns whose tokens open the door, when anybody's do.
pub(super) async fn tokens(session: &Session, settings: &Settings) -> Result<Option<Tokens>> {
    let issuers = &settings.serve.jwt;
    if issuers.is_empty() {
        return Ok(None);
    }
    refuse_twins(issuers)?;
    let issuers = issuers.iter().map(|written| issuer(session, written));
    let issuers = issuers.collect::<Result<Vec<_>, UsageError>>()?;
    let tokens = Tokens::new(issuers, &compose::client(settings, &session.environment)?);
    tokens.check().await.map_err(|why| UsageError::new(format!("serve.jwt: {why}")))?;
    Ok(Some(tokens))
}

/// Two issuers of one prefix could name two people alike.
fn refuse_twins(issuers: &[JwtIssuer]) -> Result<(), UsageError> {
    let (mut names, mut prefixes) = (HashSet::new(), HashSet::new());
    for JwtIssuer { issuer, prefix, .. } in issuers {
        if !names.insert(issuer) {
            return Err(UsageError::new(format!("serve.jwt: the issuer {issuer} stands twice")));
        }
        if !prefixes.insert(prefix) {
            let why = "give each issuer a `prefix` of its own, so that no two callers share a name";
            return Err(UsageError::new(format!("serve.jwt: {why} (`{prefix}` stands twice)")));
        }
    }
    Ok(())
}

fn issuer(session: &Session, written: &JwtIssuer) -> Result<Issuer, UsageError> {
    let keys = match &written.jwks {
        None => KeySource::Discovered,
        Some(template) => {
            let resolved = template.resolve(&session.environment);
            let resolved =
                resolved.map_err(|why| UsageError::new(format!("serve.jwt.jwks: {why}")))?;
            let text = resolved.text.expose().clone();
            let is_address = text.starts_with("http://") || text.starts_with("https://");
            if is_address { KeySource::Address(text) } else { KeySource::File(PathBuf::from(text)) }
        }
    };
    Ok(Issuer {
        audiences: written.audience.clone(),
        keys,
        algorithms: written.algorithms.clone(),
        leeway: written.leeway,
        prefix: written.prefix.clone(),
        caller_claim: written.caller_claim.clone(),
        grants: grants(written),
        ..Issuer::new(written.issuer.clone(), "")
    })
}

fn grants(written: &JwtIssuer) -> Grants {
    Grants {
        role_claim: written.role_claim.clone(),
        roles: written.roles.clone(),
        scopes: written.scopes.clone(),
        default_role: written.default_role,
        tools_claim: written.tools_claim.clone(),
        allowance: Allowance {
            rate: written.rate.map(CallsInTime::as_rate),
            quota: written.quota.map(CallsInTime::as_quota),
            concurrency: written.concurrency.map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
        },
    }
}
