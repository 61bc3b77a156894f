//! What editors do to files, and what file systems allow.

use std::{fs, os::unix::fs::symlink};

use crate::support::{Folder, engine, said, saying};

#[tokio::test]
async fn an_emptied_file_is_believed_only_when_it_stays_empty() {
    let folder = Folder::new();
    folder.write("a.yaml", &saying("a", "one"));
    let (engine, definitions) = (engine(), folder.definitions());
    definitions.attach(&engine);
    folder.write("a.yaml", "");
    assert_eq!(definitions.reload().removed.len(), 0);
    assert_eq!(said(&engine, "a").await, "one");
    folder.write("a.yaml", &saying("a", "two"));
    definitions.reload();
    assert_eq!(said(&engine, "a").await, "two");
    folder.write("a.yaml", "\n");
    definitions.reload();
    let reloaded = definitions.reload();
    assert_eq!(reloaded.removed.len(), 1);
    assert_eq!(folder.shown(&reloaded.warnings), ["a.yaml: the file is empty and defines nothing"]);
}

#[tokio::test]
async fn half_a_file_never_takes_a_tool_out_of_service() {
    let folder = Folder::new();
    let text = saying("a", "\"a longer text\"");
    folder.write("a.yaml", &text);
    let (engine, definitions) = (engine(), folder.definitions());
    definitions.attach(&engine);
    for length in 1..text.len() {
        folder.write("a.yaml", &text[..length]);
        definitions.reload();
        assert!(engine.registry().has("a") || length < 8, "cut at {length}");
        folder.write("a.yaml", &text);
        definitions.reload();
    }
    assert_eq!(said(&engine, "a").await, "a longer text");
}

#[test]
fn files_of_editors_are_no_definitions() {
    let folder = Folder::new();
    folder.write("a.yaml", &saying("a", "a"));
    for name in [
        "a.yaml~",
        ".#a.yaml",
        ".a.yaml.swp",
        "4913",
        "#a.yaml#",
        ".hidden.yaml",
        "a.yaml.bak",
        ".git/b.yaml",
        "node_modules/x/package.json",
        "a.yaml___jb_tmp___",
        "readme.md",
    ] {
        folder.write(name, "name: [");
    }
    let loaded = folder.definitions().load();
    assert_eq!((loaded.problems.len(), loaded.tools.len()), (0, 1));
}

#[test]
fn linked_folders_are_followed_once_and_circles_end() {
    let folder = Folder::new();
    let elsewhere = Folder::new();
    elsewhere.write("inner/b.yaml", &saying("b", "b"));
    elsewhere.write("c.yaml", &saying("c", "c"));
    folder.write("real/a.yaml", &saying("a", "a"));
    symlink(folder.path("real"), folder.path("again")).unwrap();
    symlink(folder.root(), folder.path("real/circle")).unwrap();
    symlink(elsewhere.path("inner"), folder.path("linked")).unwrap();
    symlink(elsewhere.path("c.yaml"), folder.path("c.yaml")).unwrap();
    symlink(folder.path("real/a.yaml"), folder.path("0.yaml")).unwrap();
    symlink(folder.path("nowhere"), folder.path("d.yaml")).unwrap();
    let loaded = folder.definitions().load();
    assert_eq!(folder.shown(&loaded.problems), [""; 0]);
    let names: Vec<&str> = loaded.tools.iter().map(|tool| tool.spec.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[tokio::test]
async fn a_folder_that_is_swapped_by_its_link_is_noticed() {
    // The way in which mounted configuration changes: files link through a link that is renamed.
    let folder = Folder::new();
    folder.write("..1/a.yaml", &saying("a", "one"));
    folder.write("..2/a.yaml", &saying("a", "two"));
    symlink("..1", folder.path("..data")).unwrap();
    symlink("..data/a.yaml", folder.path("a.yaml")).unwrap();
    let (engine, definitions) = (engine(), folder.definitions());
    definitions.attach(&engine);
    assert_eq!(said(&engine, "a").await, "one");
    symlink("..2", folder.path("..next")).unwrap();
    fs::rename(folder.path("..next"), folder.path("..data")).unwrap();
    definitions.reload();
    assert_eq!(said(&engine, "a").await, "two");
}

#[test]
fn a_file_may_be_opened_instead_of_a_folder_and_folders_may_be_missing() {
    let folder = Folder::new();
    folder.write("one.txt", &saying("a", "a"));
    let folders = vec![folder.path("one.txt"), folder.path("missing")];
    let definitions = toolsmith_definitions::Definitions::open(
        folders,
        crate::support::makers(),
        crate::support::vault(),
    );
    let loaded = definitions.load();
    assert_eq!((loaded.problems.len(), loaded.tools.len()), (0, 1));
}
