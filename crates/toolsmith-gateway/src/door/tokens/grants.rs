//! What the claims of a token allow its holder.

use std::collections::{BTreeMap, BTreeSet};

use toolsmith_core::{AllowList, Allowance, Map, Rights, Role, Value};

/// What a scope begins with that names a tool, or a pattern of names.
const TOOL_SCOPE: &str = "tool:";

/// How rights follow from claims.
#[derive(Clone, Debug)]
pub struct Grants {
    /// The claim that holds roles, with dots where it is inside another; none when scopes say it.
    pub role_claim: Option<String>,
    /// Which role a value of that claim means.
    pub roles: BTreeMap<String, Role>,
    /// Which role a scope means.
    pub scopes: BTreeMap<String, Role>,
    /// The role of a token that names none; nothing refuses it.
    pub default_role: Option<Role>,
    /// The claim that lists the tools which may be seen and used.
    pub tools_claim: String,
    /// How often each holder may call.
    pub allowance: Allowance,
}

impl Default for Grants {
    fn default() -> Self {
        let scopes = [
            ("tools:read", Role::Viewer),
            ("tools:call", Role::Caller),
            ("tools:admin", Role::Admin),
        ];
        Self {
            role_claim: None,
            roles: Role::ALL.map(|role| (role.as_str().to_owned(), role)).into(),
            scopes: scopes.map(|(scope, role)| (scope.to_owned(), role)).into(),
            default_role: Some(Role::Viewer),
            tools_claim: "tools".to_owned(),
            allowance: Allowance::default(),
        }
    }
}

impl Grants {
    /// Returns what a holder may do; nothing when it may do nothing at all.
    pub(super) fn rights(&self, claims: &Map<String, Value>) -> Option<Rights> {
        let scopes: BTreeSet<&str> =
            ["scope", "scp"].iter().flat_map(|name| words(claims.get(*name))).collect();
        let role = self.role(claims, &scopes)?;
        let tools = self.tools(claims, &scopes);
        Some(Rights { tools, namespace: None, allowance: self.allowance, role })
    }

    /// A role of the claim is what the person may do, scopes what they let this client do for
    /// them: where a token has both, the smaller counts.
    fn role(&self, claims: &Map<String, Value>, scopes: &BTreeSet<&str>) -> Option<Role> {
        let by_scope = scopes.iter().filter_map(|scope| self.role_of_scope(scope));
        let by_scope = by_scope.max_by_key(|role| rank(*role));
        let Some(claim) = &self.role_claim else { return by_scope.or(self.default_role) };
        let held = words(at(claims, claim));
        let held = held.into_iter().filter_map(|word| self.roles.get(word).copied());
        let held = held.max_by_key(|role| rank(*role)).or(self.default_role)?;
        Some(by_scope.filter(|role| rank(*role) < rank(held)).unwrap_or(held))
    }

    fn role_of_scope(&self, scope: &str) -> Option<Role> {
        let named = self.scopes.get(scope).copied();
        named.or_else(|| scope.starts_with(TOOL_SCOPE).then_some(Role::Caller))
    }

    fn tools(&self, claims: &Map<String, Value>, scopes: &BTreeSet<&str>) -> Option<AllowList> {
        let by_scope: Vec<&str> =
            scopes.iter().filter_map(|scope| scope.strip_prefix(TOOL_SCOPE)).collect();
        // They narrow, also beside a scope for a role: who names tools means those.
        let by_scope = (!by_scope.is_empty()).then_some(by_scope);
        let by_claim = at(claims, &self.tools_claim).map(|claim| words(Some(claim)));
        match (by_claim, by_scope) {
            (Some(claim), Some(scope)) => Some(AllowList::new(in_both(&claim, &scope))),
            (one, other) => one.or(other).map(AllowList::new),
        }
    }
}

/// Returns the patterns of each list that the other covers.
///
/// A pattern that fits another one letter by letter, its own stars taken as letters, matches
/// nothing that the other does not: a star can only be covered by a star.
fn in_both<'a>(one: &[&'a str], other: &[&'a str]) -> Vec<&'a str> {
    let (first, second) = (AllowList::new(one.to_vec()), AllowList::new(other.to_vec()));
    let covered = one.iter().filter(|pattern| second.contains(pattern));
    covered.chain(other.iter().filter(|pattern| first.contains(pattern))).copied().collect()
}

/// Returns the words of a claim: a list, or a text with spaces between them.
fn words(claim: Option<&Value>) -> Vec<&str> {
    match claim {
        Some(Value::String(text)) => text.split_ascii_whitespace().collect(),
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Finds a claim by its whole name, or step by step where the name has dots.
fn at<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    if let Some(value) = claims.get(name) {
        return Some(value);
    }
    let mut steps = name.split('.');
    let first = claims.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step))
}

fn rank(role: Role) -> u8 {
    match role {
        Role::Viewer => 0,
        Role::Caller => 1,
        Role::Admin => 2,
    }
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    fn rights(grants: &Grants, claims: &Value) -> Option<Rights> {
        grants.rights(claims.as_object().unwrap())
    }

    fn role(grants: &Grants, claims: &Value) -> Option<Role> {
        rights(grants, claims).map(|rights| rights.role)
    }

    fn tools(claims: &Value) -> Option<Vec<String>> {
        let list = rights(&Grants::default(), claims).unwrap().tools?;
        Some(list.patterns().into_iter().map(str::to_owned).collect())
    }

    #[test]
    fn scopes_say_what_may_be_done_and_nothing_said_is_the_least() {
        let grants = Grants::default();
        for (claims, expected) in [
            (json!({}), Role::Viewer),
            (json!({"scope": "openid email"}), Role::Viewer),
            (json!({"scope": "tools:read"}), Role::Viewer),
            (json!({"scope": "tools:read tools:call"}), Role::Caller),
            (json!({"scp": ["tools:call"]}), Role::Caller),
            (json!({"scope": "tools:admin"}), Role::Admin),
            (json!({"scope": "admin", "role": "admin", "roles": ["admin"]}), Role::Viewer),
            (json!({"scope": 7}), Role::Viewer),
        ] {
            assert_eq!(role(&grants, &claims), Some(expected), "{claims}");
        }
        let strict = Grants { default_role: None, ..Grants::default() };
        assert_eq!(role(&strict, &json!({"scope": "openid"})), None);
    }

    #[test]
    fn a_role_of_a_claim_is_bounded_by_the_scopes_of_the_client() {
        let grants =
            Grants { role_claim: Some("realm_access.roles".to_owned()), ..Grants::default() };
        let of = |roles: Value, scope: &str| {
            role(&grants, &json!({"realm_access": {"roles": roles}, "scope": scope})).unwrap()
        };
        assert_eq!(of(json!(["x", "caller"]), "openid"), Role::Caller);
        assert_eq!(of(json!(["viewer", "admin"]), ""), Role::Admin);
        assert_eq!(of(json!("admin"), "tools:call"), Role::Caller);
        assert_eq!(of(json!(["viewer"]), "tools:admin"), Role::Viewer);
        assert_eq!(of(json!([]), "tools:admin"), Role::Viewer);
    }

    #[test]
    fn tools_come_from_a_claim_and_from_scopes_and_only_what_is_in_both_is_left() {
        assert_eq!(tools(&json!({"scope": "tools:call"})), None);
        assert_eq!(tools(&json!({"tools": []})), Some(vec![]));
        assert_eq!(tools(&json!({"tools": 7})), Some(vec![]));
        assert_eq!(tools(&json!({"scope": "tool:*_file tool:echo"})).unwrap(), ["*_file", "echo"]);
        assert_eq!(tools(&json!({"scope": "tools:call tool:echo"})).unwrap(), ["echo"]);
        assert_eq!(tools(&json!({"scope": "tools:admin tool:echo"})).unwrap(), ["echo"]);
        assert_eq!(tools(&json!({"tools": "echo", "scope": "tools:call"})).unwrap(), ["echo"]);
        let both =
            json!({"tools": ["read_*", "echo"], "scope": "tool:*_file tool:read_x* tool:echo"});
        assert_eq!(tools(&both).unwrap(), ["echo", "echo", "read_x*"]);
    }
}
