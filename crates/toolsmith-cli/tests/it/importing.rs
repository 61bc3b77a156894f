//! `toolsmith import openapi`

use std::fs;

use serde_json::{Value, json};

use crate::{server::Server, support::Place};

const PETS: &str = "\
openapi: 3.0.3
info: {title: Pet Store, version: '1.2'}
servers: [{url: 'https://pets.example/v1'}]
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
security: [{key: []}]
paths:
  /pets:
    get:
      operationId: listPets
      tags: [pets]
      summary: List all pets.
      parameters:
        - {name: limit, in: query, description: How many., schema: {type: integer, default: 20}}
    post:
      operationId: addPet
      tags: [admin]
      requestBody:
        required: true
        content:
          application/json:
            schema: {type: object, required: [name], properties: {name: {type: string}}}
  /pets/{id}:
    delete:
      operationId: removePet
      tags: [admin]
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    trace: {}
";

fn names(report: &Value) -> Vec<&str> {
    report["tools"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn a_document_becomes_files_that_validate_and_read_well() {
    let place = Place::new().with("pets.yaml", PETS);
    let report = place.json(&["import", "openapi", "pets.yaml"]);
    assert_eq!(
        report,
        json!({
            "tools": ["listPets", "addPet", "removePet"],
            "files": ["tools/pet_store/listPets.yaml", "tools/pet_store/addPet.yaml", "tools/pet_store/removePet.yaml"],
            "warnings": [],
            "unmapped": [{"operation": "TRACE /pets/{id}", "reason": "tools do not send the method TRACE"}],
            "vanished": []
        })
    );
    let text = place.read("tools/pet_store/listPets.yaml");
    let mut lines = text.splitn(3, '\n');
    assert_eq!(lines.next(), Some("# From Pet Store 1.2."));
    assert!(lines.next().unwrap().starts_with("# Importing again renews this file"), "{text}");
    insta::assert_snapshot!(lines.next().unwrap(), @r#"
    name: listPets
    title: List all pets.
    description: List all pets.
    category: http
    tags: [pets]
    input_schema:
      type: object
      properties:
        limit: { description: "How many. Default: 20.", type: integer }
    entry:
      type: rest
      base_url: ${PET_STORE_URL:https://pets.example/v1}
      method: GET
      path: /pets
      query: { limit: "{limit}" }
      auth: { type: api_key, in: header, name: X-Key, value: "${PET_STORE_API_KEY}" }
    annotations: { read_only: true, idempotent: true, open_world: true }
    "#);
    let ran = place.run_knowing(&[("PET_STORE_API_KEY", "k")], &["tools", "validate"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "ok 3 tools\n"), "{ran:?}");
    assert_eq!(place.json(&["tools", "show", "addPet"])["kind"], "rest");
}

#[test]
fn people_are_told_what_was_made_and_what_was_not() {
    let place = Place::new().with("pets.yaml", PETS);
    insta::assert_snapshot!(place.print(&["import", "openapi", "pets.yaml"]), @r"
    NAME       METHOD  PATH
    listPets   GET     /pets
    addPet     POST    /pets
    removePet  DELETE  /pets/{id}

    created 3 files in tools/pet_store
    unmapped TRACE /pets/{id}: tools do not send the method TRACE

    Set before the first call: PET_STORE_API_KEY

    Try next:
      toolsmith tools validate tools/pet_store
      toolsmith tools show listPets
    ");
    let again = place.print(&["import", "openapi", "pets.yaml"]);
    assert!(again.contains("unchanged 3 files in tools/pet_store"), "{again}");
}

#[test]
fn what_somebody_changed_stays_unless_it_is_forced() {
    let place = Place::new().with("pets.yaml", PETS);
    place.json(&["import", "openapi", "pets.yaml"]);
    let file = "tools/pet_store/addPet.yaml";
    let mine = place.read(file).replace("name: addPet", "name: addPet\ntimeout: 5");
    place.write(file, &mine);
    let newer = PETS.replace("List all pets.", "List them.").replace("admin", "keepers");
    place.write("pets.yaml", &newer);
    let report = place.json(&["import", "openapi", "pets.yaml"]);
    let kept = format!("{file} was changed by hand and stays as it is; --force overwrites it");
    assert_eq!(report["warnings"], json!([kept]));
    assert_eq!(place.read(file), mine);
    assert!(place.read("tools/pet_store/listPets.yaml").contains("List them."));
    assert_eq!(place.json(&["import", "openapi", "pets.yaml", "--force"])["warnings"], json!([]));
    assert!(place.read(file).contains("keepers") && !place.read(file).contains("timeout"));
}

#[test]
fn what_vanished_from_the_document_is_listed_and_removed_when_that_is_wanted() {
    let place = Place::new().with("pets.yaml", PETS);
    place.json(&["import", "openapi", "pets.yaml"]);
    place.json(&["import", "openapi", "pets.yaml", "--prefix", "old", "--out", "tools/pet_store"]);
    let kept = "tools/pet_store/addPet.yaml";
    place.write(kept, &(place.read(kept) + "timeout: 5\n"));
    place.write("tools/pet_store/mine.yaml", "name: mine\n");
    let newer = PETS.replace("listPets", "findPets").replace("addPet", "bringPet");
    place.write("pets.yaml", &newer);
    let gone = |fate: &str| json!([{"file": kept, "fate": "changed"}, {"file": "tools/pet_store/listPets.yaml", "fate": fate}]);
    let report = place.json(&["import", "openapi", "pets.yaml", "--tag", "pets"]);
    assert_eq!(report["vanished"], gone("left"), "what a filter leaves out has not vanished");
    insta::assert_snapshot!(place.print(&["import", "openapi", "pets.yaml"]), @r"
    NAME       METHOD  PATH
    findPets   GET     /pets
    bringPet   POST    /pets
    removePet  DELETE  /pets/{id}

    created 1 file in tools/pet_store
    unchanged 2 files in tools/pet_store
    unmapped TRACE /pets/{id}: tools do not send the method TRACE
    vanished tools/pet_store/addPet.yaml: its tool is gone, but the file was changed by hand and stays
    vanished tools/pet_store/listPets.yaml: its tool is gone; --prune removes the file

    Set before the first call: PET_STORE_API_KEY

    Try next:
      toolsmith tools validate tools/pet_store
      toolsmith tools show findPets
    ");
    let dry = place.json(&["import", "openapi", "pets.yaml", "--prune", "--dry-run"]);
    assert_eq!(dry["vanished"], gone("removed"));
    assert!(place.path().join("tools/pet_store/listPets.yaml").exists());
    assert_eq!(
        place.json(&["import", "openapi", "pets.yaml", "--prune"])["vanished"],
        gone("removed")
    );
    let mut left: Vec<String> = fs::read_dir(place.path().join("tools/pet_store"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(
        left,
        [
            "addPet.yaml",
            "bringPet.yaml",
            "findPets.yaml",
            "mine.yaml",
            "old_addPet.yaml",
            "old_listPets.yaml",
            "old_removePet.yaml",
            "removePet.yaml"
        ]
    );
}

#[test]
fn one_import_leaves_the_files_of_another_alone() {
    let place = Place::new().with("pets.yaml", PETS);
    place.write("toys.yaml", &PETS.replace("Pet Store", "Toy Store"));
    place.json(&["import", "openapi", "pets.yaml", "--out", "tools"]);
    let report = place.json(&["import", "openapi", "toys.yaml", "--out", "tools", "--prune"]);
    assert!(
        report["warnings"][0].as_str().unwrap().contains("comes from another import"),
        "{report:#}"
    );
    assert_eq!(report["vanished"], json!([]));
    assert!(place.read("tools/listPets.yaml").starts_with("# From Pet Store 1.2."));
}

#[test]
fn a_document_in_several_files_is_read_whole_and_nothing_outside_of_its_folder() {
    let paths = "openapi: 3.1.0\ninfo: {title: Parts, version: '1'}\nservers: [{url: 'https://a.example'}]\npaths:\n  \
                 /a: {$ref: 'paths/a.yaml'}\n  /b: {$ref: '../secret.yaml'}\n  /c: {$ref: 'link.yaml'}\n";
    let place = Place::new()
        .with("api/openapi.yaml", paths)
        .with("secret.yaml", "get: {operationId: secret}\n")
        .with(
            "api/paths/a.yaml",
            "get: {operationId: a, parameters: [{$ref: '../parts.json#/p'}]}\n",
        )
        .with("api/parts.json", "{\"p\": {\"name\": \"p\", \"in\": \"query\"}}");
    std::os::unix::fs::symlink("../secret.yaml", place.path().join("api/link.yaml")).unwrap();
    let report = place.json(&["import", "openapi", "api/openapi.yaml"]);
    assert_eq!(names(&report), ["a"]);
    assert!(place.read("tools/parts/a.yaml").contains("query: { p: \"{p}\" }"));
    let left: Vec<&str> = report["unmapped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|left| left["operation"].as_str().unwrap())
        .collect();
    assert_eq!(left, ["/b", "/c"]);
    assert_eq!(
        report["warnings"],
        json!(["link.yaml: it leads out of the folder of the document"])
    );
}

#[test]
fn filters_prefixes_and_folders_are_obeyed() {
    let place = Place::new().with("pets.yaml", PETS);
    let import = |more: &[&str]| {
        place.json(&[&["import", "openapi", "pets.yaml", "--dry-run"], more].concat())
    };
    assert_eq!(names(&import(&["--tag", "admin"])), ["addPet", "removePet"]);
    assert_eq!(names(&import(&["--path", "/pets/*"])), ["removePet"]);
    assert_eq!(
        names(&import(&["--method", "GET", "--method", "delete"])),
        ["listPets", "removePet"]
    );
    assert_eq!(names(&import(&["--operation", "addPet"])), ["addPet"]);
    assert!(!place.path().join("tools").exists(), "a dry run writes nothing");
    let report = place.json(&[
        "import",
        "openapi",
        "pets.yaml",
        "--prefix",
        "shop",
        "--out",
        "mine",
        "--base-url",
        "http://127.0.0.1:9/x",
    ]);
    assert_eq!(report["files"][0], "mine/shop_listPets.yaml");
    let text = place.read("mine/shop_listPets.yaml");
    assert!(text.contains("base_url: ${SHOP_URL:http://127.0.0.1:9/x}"), "{text}");
    assert!(text.contains("${SHOP_API_KEY}"), "{text}");
    let ran = place.run(&["import", "openapi", "pets.yaml", "--tag", "birds", "--json"]);
    assert_eq!((ran.code, ran.error_type().as_str()), (Some(2), "bad_request"));
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("its tags are: admin, pets"));
}

/// Answers with a document, and to the tools made of it with the line that they sent.
fn api(lines: &[String]) -> String {
    if lines[0].contains("openapi.json") {
        let parameters = json!([{"name": "tags", "in": "query", "explode": false,
                                 "schema": {"type": "array", "items": {"type": "string"}}}]);
        return json!({
            "openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
            "paths": {"/items": {"get": {"operationId": "items", "parameters": parameters}}}
        })
        .to_string();
    }
    json!({ "line": lines[0] }).to_string()
}

#[test]
fn a_document_from_the_web_runs_against_its_own_server() {
    let server = Server::start(api);
    let place = Place::new();
    let url = format!("{}/docs/openapi.json", server.url());
    assert_eq!(names(&place.json(&["import", "openapi", &url])), ["items"]);
    let ran = place.run(&["run", "items", "tags:=[\"a\", \"b\"]", "--json"]);
    assert_eq!(ran.json()["output"], json!({ "line": "GET /items?tags=a,b HTTP/1.1" }), "{ran:?}");
}

#[test]
fn what_cannot_be_read_is_said_plainly() {
    let place = Place::new()
        .with("page.html", "<html></html>")
        .with("broken.json", "{\"openapi\": ")
        .with("broken.yaml", "openapi: [\n")
        .with("other.yaml", "name: x\n");
    for (source, said) in [
        ("nofile", "cannot read nofile: there is no such file"),
        ("page.html", "it is a web page"),
        ("broken.json", "it is not valid JSON"),
        ("broken.yaml", "not valid YAML"),
        ("other.yaml", "it is no OpenAPI document"),
    ] {
        let ran = place.run(&["import", "openapi", source]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains(said), "{source}: {}", ran.stderr);
    }
    let ran = place.run(&["import", "openapi", "http://127.0.0.1:1/openapi.json"]);
    assert!(
        ran.code == Some(1) && ran.stderr.contains("cannot fetch http://127.0.0.1:1/"),
        "{ran:?}"
    );
}
