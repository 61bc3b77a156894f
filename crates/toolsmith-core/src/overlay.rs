//! Variables that a conversation has set for itself and for the processes it starts.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    fmt,
    sync::Arc,
};

use parking_lot::Mutex;

use crate::{Context, Text, is_loader};

/// How many conversations are remembered; the one that was set first is forgotten first.
const MAX_SCOPES: usize = 1_024;

/// How many variables one conversation may set.
const MAX_VARIABLES: usize = 256;

/// Variables set by conversations, over those of the process, which never change.
///
/// Cheap to clone, shared by its clones: what sets variables and what starts processes hold the
/// same one.
///
/// ```
/// use toolsmith_core::{Context, Overlay};
///
/// let overlay = Overlay::default();
/// let here = Context::for_conversation("agent", "here");
/// overlay.set(&here, "MODE", "fast".to_owned()).unwrap();
/// assert_eq!(overlay.get(&here, "MODE").as_deref(), Some("fast"));
/// assert_eq!(overlay.get(&Context::for_conversation("agent", "there"), "MODE"), None);
/// ```
#[derive(Clone, Default)]
pub struct Overlay(Arc<Mutex<Scopes>>);

#[derive(Default)]
struct Scopes {
    variables: HashMap<Text, BTreeMap<String, String>>,
    /// In the order in which they set their first variable.
    order: VecDeque<Text>,
}

/// Why a variable was not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayRefusal {
    /// The conversation has set as many variables as it may.
    Full,
    /// The variable decides what code programs run: see [`is_loader`].
    Loader,
}

impl Overlay {
    /// Sets a variable for one conversation; returns what it had set before.
    pub fn set(
        &self,
        context: &Context,
        name: &str,
        value: String,
    ) -> Result<Option<String>, OverlayRefusal> {
        if is_loader(name) {
            return Err(OverlayRefusal::Loader);
        }
        let scope = scope(context);
        let mut scopes = self.0.lock();
        if !scopes.variables.contains_key(&scope) {
            if scopes.order.len() >= MAX_SCOPES
                && let Some(oldest) = scopes.order.pop_front()
            {
                scopes.variables.remove(&oldest);
            }
            scopes.order.push_back(scope.clone());
        }
        let variables = scopes.variables.entry(scope).or_default();
        if variables.len() >= MAX_VARIABLES && !variables.contains_key(name) {
            return Err(OverlayRefusal::Full);
        }
        Ok(variables.insert(name.to_owned(), value))
    }

    /// Returns a variable as one conversation has set it.
    pub fn get(&self, context: &Context, name: &str) -> Option<String> {
        self.0.lock().variables.get(&scope(context))?.get(name).cloned()
    }

    /// Returns everything that one conversation has set, for the processes that it starts.
    pub fn of(&self, context: &Context) -> BTreeMap<String, String> {
        self.0.lock().variables.get(&scope(context)).cloned().unwrap_or_default()
    }
}

/// Values may be secrets, so none is shown.
impl fmt::Debug for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Overlay({} conversations)", self.0.lock().variables.len())
    }
}

/// Whose variables a call sees: the conversation's, else its caller's own.
///
/// A prefix keeps a caller from reading a conversation by taking its name.
fn scope(context: &Context) -> Text {
    match (&context.conversation_id, &context.caller_id) {
        (Some(conversation), _) => format!("conversation:{conversation}").into(),
        (None, Some(caller)) => format!("caller:{caller}").into(),
        (None, None) => Text::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_named_like_a_conversation_sees_nothing_of_it() {
        let overlay = Overlay::default();
        let conversation = Context::for_conversation("a", "x");
        overlay.set(&conversation, "K", "v".to_owned()).unwrap();
        assert!(overlay.of(&Context::direct("x")).is_empty());
        assert_eq!(overlay.of(&conversation).len(), 1);
    }

    #[test]
    fn neither_conversations_nor_variables_grow_without_end() {
        let overlay = Overlay::default();
        for number in 0..=MAX_SCOPES {
            let context = Context::direct(number.to_string());
            overlay.set(&context, "K", "v".to_owned()).unwrap();
        }
        assert!(overlay.of(&Context::direct("0")).is_empty());
        let context = Context::direct("many");
        for number in 0..MAX_VARIABLES {
            overlay.set(&context, &number.to_string(), String::new()).unwrap();
        }
        assert_eq!(overlay.set(&context, "one more", String::new()), Err(OverlayRefusal::Full));
        assert_eq!(overlay.set(&context, "0", "new".to_owned()), Ok(Some(String::new())));
    }
}
