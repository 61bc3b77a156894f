//! What `#[tool(…)]` says about a tool.

use std::time::Duration;

use toolsmith_core::{Annotations, Approval, IntoTool, ToolSpec, Version};
use toolsmith_macros::tool;

fn spec(tool: impl IntoTool) -> ToolSpec {
    tool.into_tool().unwrap().spec
}

/// Deletes a file.
///
/// It cannot be
/// brought back:
/// - not from the bin
/// - not from the cloud
///
/// # Errors
///
/// Never.
#[tool(
    crate = "toolsmith_core",
    name = "file.delete",
    title = "Delete a file",
    version = "1.2",
    category = "file",
    tags("files", "cleaning"),
    destructive,
    idempotent = true,
    open_world = false,
    timeout = 2.5,
    parallel = false,
    coerce,
    deprecated = "use `file.trash`",
    approval,
    stream,
    blocking
)]
fn delete(path: String) -> bool {
    path.is_empty()
}

#[test]
fn every_attribute_reaches_the_description() {
    let spec = spec(delete);
    assert_eq!(spec.name.as_str(), "file.delete");
    assert_eq!(spec.title.as_deref(), Some("Delete a file"));
    assert_eq!(spec.version, Version::new(1, 2, 0));
    assert_eq!(spec.category.as_str(), "file");
    let tags: Vec<&str> = spec.tags.iter().map(|tag| &**tag).collect();
    assert_eq!(tags, ["files", "cleaning"]);
    assert_eq!(
        spec.annotations,
        Annotations { destructive: true, idempotent: true, ..Annotations::default() }
    );
    assert_eq!(spec.timeout, Some(Duration::from_millis(2_500)));
    assert_eq!(spec.parallel, Some(false));
    assert!(spec.coerce);
    assert_eq!(spec.deprecated.as_deref(), Some("use `file.trash`"));
    assert_eq!(spec.approval, Some(Approval::default()));
    assert!(spec.stream_support);
}

#[test]
fn the_description_keeps_paragraphs_and_lists_and_drops_what_is_for_programmers() {
    assert_eq!(
        &*spec(delete).description,
        "Deletes a file.\n\nIt cannot be brought back:\n- not from the bin\n- not from the cloud"
    );
}

#[tool(crate = "toolsmith_core", description = "Looks around.", read_only, open_world, timeout = 5)]
async fn look() {}

#[test]
fn what_is_not_said_stays_as_it_is_by_default() {
    let said = spec(look);
    let bare = ToolSpec::new("look").unwrap();
    assert_eq!(&*said.description, "Looks around.");
    assert_eq!(said.timeout, Some(Duration::from_secs(5)));
    assert!(said.annotations.read_only && said.annotations.open_world);
    assert_eq!(said.version, bare.version);
    assert_eq!(said.category, bare.category);
    assert_eq!(said.kind, bare.kind);
    assert_eq!(said.parallel, None);
    assert!(said.runs_in_parallel());
    assert!(said.title.is_none() && said.tags.is_empty() && said.approval.is_none());
    assert!(!said.coerce && !said.stream_support && said.deprecated.is_none());
}
