//! The keys of an issuer of tokens.

use std::{collections::BTreeMap, time::Duration};

use toolsmith_core::Role;
use toolsmith_gateway::{Algorithm, Grants};

use super::{
    CallsInTime, Template,
    kinds::{
        Choice, Count, Field, ListOf, MapOf, OneOrMany, Optional, Rate, Record, Seconds, Text,
        Word, bind,
    },
};

/// Who issues tokens, which of them are for this server, and what they allow.
#[derive(Clone, Debug)]
pub struct JwtIssuer {
    /// The issuer, exactly as its tokens name it.
    pub issuer: String,
    /// Whom a token must be for.
    pub audience: Vec<String>,
    /// Where the keys are: an address or a file; where the issuer says when it is not set.
    pub jwks: Option<Template>,
    /// The ways of signing that are accepted.
    pub algorithms: Vec<Algorithm>,
    /// How far the clocks may be apart.
    pub leeway: Duration,
    /// What stands before the names of its callers.
    pub prefix: String,
    /// The claim that names the caller.
    pub caller_claim: String,
    /// The claim that holds roles.
    pub role_claim: Option<String>,
    /// Which role a value of that claim means.
    pub roles: BTreeMap<String, Role>,
    /// Which role a scope means.
    pub scopes: BTreeMap<String, Role>,
    /// The role of a token that names none.
    pub default_role: Option<Role>,
    /// The claim that lists tools.
    pub tools_claim: String,
    /// How many calls each caller may make in a short time.
    pub rate: Option<CallsInTime>,
    /// How many calls each caller may make in a longer period.
    pub quota: Option<CallsInTime>,
    /// How many calls of each caller run at once.
    pub concurrency: Option<usize>,
}

impl Default for JwtIssuer {
    fn default() -> Self {
        let usual = toolsmith_gateway::Issuer::new("", "");
        let Grants { role_claim, roles, scopes, default_role, tools_claim, .. } = usual.grants;
        Self {
            issuer: String::new(),
            audience: Vec::new(),
            jwks: None,
            algorithms: usual.algorithms,
            leeway: usual.leeway,
            prefix: usual.prefix,
            caller_claim: usual.caller_claim,
            role_claim,
            roles,
            scopes,
            default_role,
            tools_claim,
            rate: None,
            quota: None,
            concurrency: None,
        }
    }
}

/// One issuer, or a list of them.
pub(super) const KIND: OneOrMany<Record<JwtIssuer>> =
    OneOrMany(Record { fields: &ISSUER, check: check_issuer });

static ISSUER: [Field<JwtIssuer>; 15] = [
    Field { name: "issuer", slot: |s| bind(Word, &mut s.issuer) },
    Field { name: "audience", slot: |s| bind(OneOrMany(Word), &mut s.audience) },
    Field { name: "jwks", slot: |s| bind(Optional(Text("an address or a file")), &mut s.jwks) },
    Field { name: "algorithms", slot: |s| bind(ListOf(Choice(&ALGORITHMS)), &mut s.algorithms) },
    Field { name: "leeway", slot: |s| bind(Seconds, &mut s.leeway) },
    Field { name: "prefix", slot: |s| bind(Word, &mut s.prefix) },
    Field { name: "caller_claim", slot: |s| bind(Word, &mut s.caller_claim) },
    Field { name: "role_claim", slot: |s| bind(Optional(Word), &mut s.role_claim) },
    Field { name: "roles", slot: |s| bind(MapOf(Choice(&ROLES)), &mut s.roles) },
    Field { name: "scopes", slot: |s| bind(MapOf(Choice(&ROLES)), &mut s.scopes) },
    Field { name: "default_role", slot: |s| bind(Choice(&DEFAULTS), &mut s.default_role) },
    Field { name: "tools_claim", slot: |s| bind(Word, &mut s.tools_claim) },
    Field { name: "rate", slot: |s| bind(Optional(Rate), &mut s.rate) },
    Field { name: "quota", slot: |s| bind(Optional(Rate), &mut s.quota) },
    Field { name: "concurrency", slot: |s| bind(Optional(Count { least: 1 }), &mut s.concurrency) },
];

static ALGORITHMS: [(&str, Algorithm); 9] = [
    ("RS256", Algorithm::Rs256),
    ("RS384", Algorithm::Rs384),
    ("RS512", Algorithm::Rs512),
    ("PS256", Algorithm::Ps256),
    ("PS384", Algorithm::Ps384),
    ("PS512", Algorithm::Ps512),
    ("ES256", Algorithm::Es256),
    ("ES384", Algorithm::Es384),
    ("EdDSA", Algorithm::EdDsa),
];

static ROLES: [(&str, Role); 3] =
    [("viewer", Role::Viewer), ("caller", Role::Caller), ("admin", Role::Admin)];

static DEFAULTS: [(&str, Option<Role>); 4] = [
    ("none", None),
    ("viewer", Some(Role::Viewer)),
    ("caller", Some(Role::Caller)),
    ("admin", Some(Role::Admin)),
];

fn check_issuer(issuer: &JwtIssuer) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let is_address = issuer.issuer.starts_with("https://") || issuer.issuer.starts_with("http://");
    let what = if issuer.issuer.is_empty() {
        "expected an `issuer`, exactly as its tokens name it"
    } else if issuer.audience.is_empty() {
        "expected an `audience`: without one, tokens for anybody else would open this door"
    } else if issuer.jwks.is_none() && !is_address {
        "expected a `jwks`, an address or a file, for an issuer that is no address itself"
    } else if !issuer.prefix.chars().all(is_plain) {
        "expected a `prefix` of letters, digits or one of `._-`"
    } else if issuer.algorithms.is_empty() {
        "expected at least one of the `algorithms`"
    } else {
        return None;
    };
    Some(what.to_owned())
}
