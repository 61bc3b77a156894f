//! Files from outside that tests read; what a machine lacks is skipped with [`skip`](crate::skip).

use std::path::PathBuf;

use crate::folders;

/// Returns the tests of the official JSON Schema suite: `draft7/`, `draft2020-12/` and others.
///
/// The test command puts the suite into the target folder. The documents that its schemas refer
/// to are in `../remotes` beside the returned folder.
pub fn json_schema_suite() -> Option<PathBuf> {
    let tests = folders::target().join("test-deps/json-schema-suite/tests");
    let is_whole = ["draft7", "draft2020-12"].iter().all(|draft| tests.join(draft).is_dir());
    is_whole.then_some(tests)
}

/// Returns the folder of the inputs that the fuzzer has kept: one folder a target.
pub fn fuzz_corpus() -> PathBuf {
    folders::root().join("fuzz/corpus")
}

/// Returns the folder of the official MCP servers: `npm/node_modules/.bin` and `python/bin`.
///
/// The test command puts them into the target folder.
pub fn mcp_servers() -> Option<PathBuf> {
    let folder = folders::target().join("test-deps/mcp-servers");
    let parts = ["npm/node_modules/.bin/mcp-server-everything", "python/bin/mcp-server-time"];
    parts.iter().all(|part| folder.join(part).exists()).then_some(folder)
}

/// Returns the folder of the official MCP conformance suite: `node/bin/node` is in it, too.
///
/// The test command puts it into the target folder.
pub fn mcp_conformance() -> Option<PathBuf> {
    let folder = folders::target().join("test-deps/mcp-conformance/node_modules");
    let parts = ["node/bin/node", "@modelcontextprotocol/conformance/dist/index.js"];
    parts.iter().all(|part| folder.join(part).is_file()).then_some(folder)
}

/// Returns the folder of MCP clients: `npm/node_modules`, with `node/bin/node`, and `python/bin`.
///
/// The test command puts them into the target folder.
pub fn mcp_clients() -> Option<PathBuf> {
    let folder = folders::target().join("test-deps/mcp-clients");
    let parts = [
        "npm/node_modules/node/bin/node",
        "npm/node_modules/@modelcontextprotocol/inspector/package.json",
        "python/bin/python",
    ];
    parts.iter().all(|part| folder.join(part).exists()).then_some(folder)
}

/// Returns the folder of the program `uv`, which the test command puts into the target folder.
pub fn uv() -> Option<PathBuf> {
    let folder = folders::target().join("test-deps/uv/bin");
    folder.join("uv").is_file().then_some(folder)
}

/// Returns the program `schemathesis`, which the test command puts into the target folder.
pub fn schemathesis() -> Option<PathBuf> {
    let program = folders::target().join("test-deps/schemathesis/bin/schemathesis");
    program.is_file().then_some(program)
}

/// Returns the Python that can read metrics and traces, which the test command puts into the
/// target folder.
pub fn telemetry_python() -> Option<PathBuf> {
    let program = folders::target().join("test-deps/telemetry/bin/python");
    program.is_file().then_some(program)
}

/// Returns the folder of real-world files (`../shared/data` beside the project).
pub fn shared() -> Option<PathBuf> {
    beside("shared/data")
}

/// Returns the folder of the original documents (`../shared/seeds` beside the project).
pub fn seeds() -> Option<PathBuf> {
    beside("shared/seeds")
}

fn beside(folder: &str) -> Option<PathBuf> {
    let root = folders::root();
    let folder = root.parent()?.join(folder);
    folder.is_dir().then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;

    #[test]
    fn the_json_schema_suite_has_both_drafts_and_the_remote_documents() {
        let Some(suite) = json_schema_suite() else {
            return skip("the JSON Schema suite is not installed; run ./test");
        };
        for file in ["draft7/type.json", "draft2020-12/prefixItems.json", "../remotes/integer.json"]
        {
            assert!(suite.join(file).is_file(), "{file}");
        }
    }

    #[test]
    fn outside_files_are_where_their_readme_says() {
        let Some(shared) = shared() else {
            return skip("there is no ../shared/data beside the project");
        };
        assert!(shared.join("README.md").is_file());
    }

    #[test]
    fn a_folder_that_is_not_there_is_none() {
        assert_eq!(beside("no/such/folder"), None);
    }
}
