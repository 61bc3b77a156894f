//! What a definition does not say, it takes from the tool whose code it runs.

use toolsmith_core::ToolSpec;

use crate::parse::Definition;

/// Takes over all that the definition does not say, except the name and the version.
pub(crate) fn fill(definition: &mut Definition, from: &ToolSpec) {
    let own = definition.spec.clone();
    let spec = &mut definition.spec;
    *spec = from.clone();
    spec.name = own.name.clone();
    spec.version = own.version.clone();
    for (keys, say) in SAYINGS {
        if definition.says(keys) {
            say(&mut definition.spec, &own);
        }
    }
}

/// Says one thing of the second description in the first.
type Say = fn(&mut ToolSpec, &ToolSpec);

/// The keys of a definition, each with what it says.
const SAYINGS: [(&[&str], Say); 29] = [
    (&["title"], |to, own| to.title.clone_from(&own.title)),
    (&["description"], |to, own| to.description = own.description.clone()),
    (&["category"], |to, own| to.category = own.category.clone()),
    (&["tags"], |to, own| to.tags.clone_from(&own.tags)),
    (&["parameters", "input_schema"], |to, own| to.input_schema = own.input_schema.clone()),
    (&["output", "returns"], |to, own| to.output_schema.clone_from(&own.output_schema)),
    (&["author"], |to, own| to.author.clone_from(&own.author)),
    (&["icon"], |to, own| to.icon.clone_from(&own.icon)),
    (&["shareable_scope"], |to, own| to.shareable_scope = own.shareable_scope),
    (&["groups"], |to, own| to.groups.clone_from(&own.groups)),
    (&["depends_on"], |to, own| to.depends_on.clone_from(&own.depends_on)),
    (&["timeout"], |to, own| to.timeout = own.timeout),
    (&["annotations/read_only"], |to, own| {
        to.annotations.read_only = own.annotations.read_only;
    }),
    (&["annotations/destructive"], |to, own| {
        to.annotations.destructive = own.annotations.destructive;
    }),
    (&["annotations/idempotent"], |to, own| {
        to.annotations.idempotent = own.annotations.idempotent;
    }),
    (&["annotations/open_world"], |to, own| {
        to.annotations.open_world = own.annotations.open_world;
    }),
    (&["exposure"], |to, own| to.exposure = own.exposure),
    (&["parallel"], |to, own| to.parallel = own.parallel),
    (&["coerce"], |to, own| to.coerce = own.coerce),
    (&["cache"], |to, own| to.cache = own.cache),
    (&["retry"], |to, own| to.retry = own.retry),
    (&["rate_limit"], |to, own| to.rate_limit = own.rate_limit),
    (&["cost"], |to, own| to.cost = own.cost),
    (&["approval"], |to, own| to.approval = own.approval),
    (&["stream_support"], |to, own| to.stream_support = own.stream_support),
    (&["task_support"], |to, own| to.task_support = own.task_support),
    (&["examples"], |to, own| to.examples.clone_from(&own.examples)),
    (&["deprecated"], |to, own| to.deprecated.clone_from(&own.deprecated)),
    (&["enabled", "status"], |to, own| to.enabled = own.enabled),
];
