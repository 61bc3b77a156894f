//! Paths that mean harm, with every tool that takes a path: nothing outside is read or changed.

use toolsmith_core::{ErrorKind, Value, json};

use crate::workbench::{CANARY, Workbench};

/// What must come of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// Every tool refuses it with "Access denied".
    Denied,
    /// It is no path at all, and every tool says so.
    Invalid,
    /// It is an ordinary name inside, however strange it looks.
    Name,
}
use Expected::{Denied, Invalid, Name};

/// Links that the paths below go through.
fn prepare(bench: &Workbench) {
    bench.write("sub/inner.txt", "inner");
    bench.link("link_file", "../outside/secret.txt");
    bench.link("link_file_absolute", bench.outside("secret.txt"));
    bench.link("link_dir", "../outside");
    bench.link("link_dir_absolute", bench.outside(""));
    bench.link("chain", "sub/../link_file");
    bench.link("sub/up", "../../outside/secret.txt");
    bench.link("sub/parent", "..");
    bench.link("dangling", "../outside/new.txt");
    bench.link("dangling_dir", "../outside/new");
    bench.link("above", "..");
    bench.link("root", "/");
    bench.link("proc", "/proc/self/root");
    bench.link("proc_cwd", "/proc/self/cwd");
    bench.link("proc_fd", "/proc/self/fd/0");
    bench.link("device", "/dev/zero");
}

fn attacks(bench: &Workbench) -> Vec<(String, Expected)> {
    let (outside, inside) = (bench.outside("secret.txt"), bench.inside(""));
    let (outside, inside) = (outside.to_str().unwrap(), inside.to_str().unwrap());
    let inside = inside.trim_end_matches('/');
    let mut attacks = vec![
        (outside.to_owned(), Denied),
        (format!("//{}", outside.trim_start_matches('/')), Denied),
        (format!("{inside}/../outside/secret.txt"), Denied),
        (format!("{inside}/sub/../../outside/secret.txt"), Denied),
        (format!("{inside}/./././../outside/secret.txt"), Denied),
        (format!("{inside}x/secret.txt"), Denied),
        (format!("{inside}/link_file"), Denied),
        (format!("{inside}/link_dir/secret.txt"), Denied),
        (format!("/proc/self/root{outside}"), Denied),
        (format!("/proc/self/cwd/../..{outside}"), Denied),
        (inside.to_uppercase() + "/notes.txt", Denied),
        (format!("file://{outside}"), Invalid),
        (format!("link_dir/{}", "../".repeat(30)) + "etc/passwd", Denied),
        (format!("{}etc/passwd", "../".repeat(200)), Denied),
        (format!("{}outside/secret.txt", "./../".repeat(3)), Denied),
        ("x".repeat(4_097), Invalid),
        ("a/".repeat(3_000), Invalid),
    ];
    attacks.extend(FIXED.map(|(path, expected)| (path.to_owned(), expected)));
    attacks
}

const FIXED: [(&str, Expected); 53] = [
    ("..", Denied),
    ("../", Denied),
    ("../outside", Denied),
    ("../outside/secret.txt", Denied),
    ("../outside/full", Denied),
    ("data/../../outside/secret.txt", Denied),
    ("sub/../../outside/secret.txt", Denied),
    ("sub/missing/../../../outside/secret.txt", Denied),
    ("../data/../outside/secret.txt", Denied),
    ("..//..//outside/secret.txt", Denied),
    ("link_file", Denied),
    ("./link_file", Denied),
    ("sub/../link_file", Denied),
    ("link_file_absolute", Denied),
    ("link_dir", Denied),
    ("link_dir/", Denied),
    ("link_dir/secret.txt", Denied),
    ("link_dir/full/secret.txt", Denied),
    ("link_dir/new.txt", Denied),
    ("link_dir/new/deeper.txt", Denied),
    ("link_dir_absolute", Denied),
    ("link_dir_absolute/secret.txt", Denied),
    ("chain", Denied),
    ("sub/up", Denied),
    ("sub/parent/link_file", Denied),
    ("sub/parent/above/outside/secret.txt", Denied),
    ("dangling", Denied),
    ("dangling_dir/new.txt", Denied),
    ("above", Denied),
    ("above/outside/secret.txt", Denied),
    ("root/etc/passwd", Denied),
    ("proc/etc/passwd", Denied),
    ("proc_cwd/Cargo.toml", Denied),
    ("proc_fd", Denied),
    ("device", Denied),
    ("/", Denied),
    ("/etc/passwd", Denied),
    ("/dev/fd/0", Denied),
    ("/dev/stdin", Denied),
    ("/proc/self/environ", Denied),
    ("~", Invalid),
    ("~/secret.txt", Invalid),
    ("", Invalid),
    ("  ", Invalid),
    ("notes.txt\0/../../outside/secret.txt", Invalid),
    // These only look like the way up: fullwidth and one-dot leaders, slashes of other kinds.
    ("．．/outside/secret.txt", Name),
    ("‥/outside/secret.txt", Name),
    ("..／outside／secret.txt", Name),
    ("..∕outside∕secret.txt", Name),
    ("..\u{338}/outside/secret.txt", Name),
    ("..\\outside\\secret.txt", Name),
    ("%2e%2e/outside/secret.txt", Name),
    ("... /outside. /secret.txt ", Name),
];

/// Every tool that takes a path, with the path in each of its places.
fn calls(path: &str) -> [(&'static str, Value); 11] {
    [
        ("read_file", json!({ "path": path })),
        ("read_file", json!({ "path": path, "encoding": "base64" })),
        ("list_files", json!({ "path": path, "recursive": true })),
        ("get_file_info", json!({ "path": path })),
        ("search_files", json!({ "path": path, "pattern": "." })),
        ("glob_files", json!({ "path": path, "pattern": "**" })),
        ("edit_file", json!({ "path": path, "old_text": CANARY, "new_text": "stolen" })),
        ("move_file", json!({ "from": path, "to": "stolen.txt" })),
        ("move_file", json!({ "from": "notes.txt", "to": path })),
        ("write_file", json!({ "path": path, "content": "overwritten" })),
        ("delete_file", json!({ "path": path })),
    ]
}

#[test]
fn no_path_leads_outside_whatever_the_tool() {
    let bench = Workbench::new();
    prepare(&bench);
    let attacks = attacks(&bench);
    assert!(attacks.len() >= 40);
    let before = bench.world();
    for (path, expected) in &attacks {
        for (tool, input) in calls(path) {
            bench.write("notes.txt", "first line\n");
            let outcome = bench.call(tool, input);
            let told = match &outcome {
                Ok(output) => output.to_string(),
                Err(error) => format!("{error} {} {:?}", error.details(), error.message()),
            };
            let shown: String = path.chars().take(80).collect();
            assert!(!told.contains(CANARY) && !told.contains("root:"), "{tool} {shown}: {told}");
            assert_eq!(bench.world(), before, "{tool} {shown}");
            match (expected, outcome) {
                (Denied, Err(error)) => {
                    assert_eq!(
                        error.kind(),
                        ErrorKind::PermissionDenied,
                        "{tool} {shown}: {error}"
                    );
                    assert!(told.contains("Access denied"), "{tool} {shown}: {error}");
                }
                (Invalid, Err(error)) => {
                    assert_eq!(error.kind(), ErrorKind::ValidationError, "{tool} {shown}: {error}");
                }
                (Name, _) => {}
                (_, Ok(output)) => panic!("{tool} {shown}: {output}"),
            }
        }
        let stolen = bench.call("read_file", json!({ "path": "stolen.txt" }));
        assert!(!stolen.is_ok_and(|output| output.to_string().contains(CANARY)), "{path}");
        bench.call("delete_file", json!({ "path": "stolen.txt" })).ok();
    }
}

#[test]
fn names_that_are_too_long_are_explained() {
    let bench = Workbench::new();
    let long = "x".repeat(256);
    for (tool, input) in calls(&long) {
        let outcome = bench.call(tool, input);
        let Err(error) = outcome else { panic!("{tool}") };
        assert!(error.message().contains("too long"), "{tool}: {error}");
    }
    // The longest name fits, although the temporary file beside it has a name too.
    bench.call("write_file", json!({ "path": &long[1..], "content": "x" })).unwrap();
}

#[test]
fn strange_names_are_names_of_files_inside() {
    let bench = Workbench::new();
    for (path, expected) in FIXED {
        if expected == Name {
            bench.call("write_file", json!({ "path": path, "content": "inside" })).unwrap();
            assert_eq!(bench.read(path), "inside", "{path}");
        }
    }
}

#[test]
fn a_folder_with_links_to_the_outside_is_listed_without_following_them() {
    let bench = Workbench::new();
    prepare(&bench);
    let listed = bench.call("list_files", json!({ "recursive": true })).unwrap();
    let listed = listed["files"].as_array().unwrap();
    assert!(listed.iter().all(|file| !file["path"].as_str().unwrap().contains("secret")));
    let link = listed.iter().find(|file| file["name"] == "link_dir").unwrap();
    assert_eq!((&link["is_dir"], &link["is_link"]), (&json!(false), &json!(true)));
    // The size of a link is the length of its own text, not of what it leads to.
    let to_file = listed.iter().find(|file| file["name"] == "link_file").unwrap();
    assert_eq!(to_file["size"], "../outside/secret.txt".len());
    let found = bench.call("search_files", json!({ "pattern": "canary|root" })).unwrap();
    assert_eq!(found["matches"], json!([]));
    let globbed = bench.call("glob_files", json!({ "pattern": "**" })).unwrap();
    assert_eq!(globbed["files"], json!(["notes.txt", "sub/inner.txt"]));
}

/// A hard link is the file itself, whatever its name; reading cannot tell, but writing never
/// writes into it.
#[test]
fn writing_over_a_hard_link_leaves_the_other_name_as_it_was() {
    let bench = Workbench::new();
    std::fs::hard_link(bench.outside("secret.txt"), bench.inside("hard.txt")).unwrap();
    bench.call("write_file", json!({ "path": "hard.txt", "content": "overwritten" })).unwrap();
    assert_eq!(bench.read("hard.txt"), "overwritten");
    assert_eq!(std::fs::read_to_string(bench.outside("secret.txt")).unwrap(), CANARY);
    std::fs::remove_file(bench.inside("hard.txt")).unwrap();
    std::fs::hard_link(bench.outside("secret.txt"), bench.inside("hard.txt")).unwrap();
    let edit = json!({ "path": "hard.txt", "old_text": "canary", "new_text": "stolen" });
    bench.call("edit_file", edit).unwrap();
    assert_eq!(std::fs::read_to_string(bench.outside("secret.txt")).unwrap(), CANARY);
}
