//! Groups of tools that belong together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Text, ToolName};

/// Tools that belong together, and how they are used one after another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names of the files and of the wire")]
pub struct Group {
    /// The identifier by which tools and callers name it.
    pub group_id: Text,
    /// The name that people read.
    pub name: Text,
    /// What it is for.
    #[serde(default)]
    pub description: Text,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Text>,
    /// The members.
    #[serde(default)]
    pub tool_ids: Vec<ToolName>,
    /// The members in the order in which they are used.
    #[serde(default)]
    pub usage_order: Vec<ToolName>,
    /// How they are used together, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage_example: Option<Text>,
}

impl Group {
    /// Makes a group without members that is called by its identifier.
    pub fn new(group_id: impl Into<Text>) -> Self {
        let group_id = group_id.into();
        Self {
            name: group_id.clone(),
            group_id,
            description: Text::default(),
            category: None,
            tool_ids: Vec::new(),
            usage_order: Vec::new(),
            usage_example: None,
        }
    }
}
