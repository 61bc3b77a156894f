//! `${VAR}` in definitions: what it holds is never shown, and what is missing is said.

use std::{fs, path::Path};

use serde_json::json;

use crate::{
    server::Server,
    support::{PROGRAMS, Place, Ran},
};

const SECRET: &str = "s3cret-\"value\"-0123456789";

/// One that looks the same in an address.
const KEY: &str = "s3cret.in.the.address";

const TELLS: &str = "name: tells\ndescription: Tells what it was given.\nentry:\n  type: command\n  \
                     command: [sh, -c, 'echo \"out $TOKEN $1\"; echo \"err $TOKEN\" >&2; exit \
                     $CODE', sh, '${TOKEN}']\n  env: {TOKEN: '${TOKEN}', CODE: '${CODE:0}'}\n";

const LARGE: &str = "name: large\ndescription: Tells much.\nentry:\n  type: command\n  stream: \
                     true\n  command: [sh, -c, 'for i in $(seq 3000); do echo \"$i is no $TOKEN\"; \
                     done']\n  env: {TOKEN: '${TOKEN}'}\n";

const ASKS: &str = "name: asks\ndescription: Asks a server.\nentry:\n  type: http\n  base_url: \
                    ${SERVER}\n  path: /x\n  query: {key: '${KEY}'}\n  headers: {Authorization: \
                    'Bearer ${TOKEN}'}\n";

const SHOWN: &str = "name: shown\ndescription: Has ${TOKEN} in its description and a long text \
                     behind it.\ntags: ['${TOKEN}']\nparameters:\n  - {name: x, type: string, \
                     default: '${TOKEN}', description: 'Not ${TOKEN}.'}\nentry: {type: javascript, \
                     code: 'function main(input) { if (input.x.length > 99) throw new \
                     Error(input.x); return input; }'}\n";

const WRONG: &str = "name: wrong\ndescription: x\nversion: '${TOKEN}'\ntimeout: '${TOKEN}'\n\
                     entry: {type: builtin, handler: echo}\n";

/// Gives everything back that it was sent.
fn echo(lines: &[String]) -> String {
    json!({ "sent": lines }).to_string()
}

#[test]
fn what_a_variable_holds_is_neither_printed_nor_logged_nor_recorded() {
    let server = Server::start(echo);
    let place = Place::new()
        .with("tools/tells.yaml", TELLS)
        .with("tools/large.yaml", LARGE)
        .with("tools/asks.yaml", ASKS)
        .with("tools/shown.yaml", SHOWN)
        .with("tools/wrong.yaml", WRONG);
    let run = |arguments: &[&str], code: &str| {
        let mut command = place.command(arguments);
        command.env("PATH", PROGRAMS).env("TOKEN", SECRET).env("CODE", code);
        Ran::of(command.env("KEY", KEY).env("SERVER", server.url()))
    };
    for words in [
        "run tells",
        "run large",
        "run asks",
        "run shown",
        "run shown --dry-run",
        "tools list",
        "tools show shown",
        "tools search description",
        "tools validate",
        "tools validate --strict",
        "tools reload",
        "tools disable wrong",
        "calls list",
        "calls export",
        "artifacts list",
    ] {
        for more in [&[][..], &["--json"], &["--log", "trace"], &["--json", "--log", "trace"]] {
            let words: Vec<&str> = words.split(' ').chain(more.iter().copied()).collect();
            for code in ["0", "3"] {
                let ran = run(&words, code);
                assert!(is_clean(&format!("{}{}", ran.stdout, ran.stderr)), "{words:?} {ran:?}");
            }
        }
    }
    // The tools did get it: what they told was masked.
    assert_eq!(run(&["run", "tells"], "0").stdout, "out *** ***\n");
    let failed = run(&["run", "tells", "--json"], "3").json();
    assert!(failed["error"]["message"].as_str().unwrap().contains("err ***"), "{failed}");
    let asked = run(&["run", "asks", "--json"], "0").json()["output"].to_string();
    assert!(asked.to_lowercase().contains("bearer ***"), "{asked}");
    assert_clean_folder(&place.path().join(".toolsmith"));
}

/// Tells whether no part of the secret is there, however it is spelt.
fn is_clean(text: &str) -> bool {
    !text.contains("s3cret")
}

fn assert_clean_folder(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            assert_clean_folder(&entry.path());
        } else {
            let bytes = fs::read(entry.path()).unwrap();
            assert!(is_clean(&String::from_utf8_lossy(&bytes)), "{}", entry.path().display());
        }
    }
}

#[test]
fn a_missing_variable_is_a_warning_an_error_of_validation_and_a_clear_error_of_the_call() {
    let place = Place::new().with("tools/tells.yaml", TELLS);
    let missing = "the variable `TOKEN` is not set and has no default";
    let listed = place.run(&["tools", "list", "--kind", "command"]);
    assert_eq!((listed.code, listed.stdout.lines().count()), (Some(0), 2));
    for key in ["entry.command[4]", "entry.env.TOKEN"] {
        assert!(listed.stderr.contains(&format!("{key}: {missing}")), "{listed:?}");
    }
    let checked = place.run(&["tools", "validate", "--json"]);
    assert_eq!((checked.code, &checked.json()["valid"]), (Some(2), &json!(0)));
    assert_eq!(checked.json()["problems"].as_array().unwrap().len(), 2, "{checked:?}");
    let ran = place.run_knowing(&[], &["run", "tells", "--json"]);
    assert_eq!((ran.code, ran.error_type().as_str()), (Some(1), "execution_error"), "{ran:?}");
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains(missing), "{ran:?}");
    let set = [("TOKEN", SECRET)];
    assert_eq!(place.run_knowing(&set, &["tools", "validate"]).code, Some(0));
    assert_eq!(place.run_knowing(&set, &["run", "tells"]).code, Some(0));
}

#[test]
fn a_secret_may_come_from_a_file() {
    let tells = TELLS.replace("${TOKEN}", "${file:token.txt}");
    let place =
        Place::new().with("tools/tells.yaml", &tells).with("token.txt", "filed-s3cret-77\n");
    let ran = place.run_knowing(&[], &["run", "tells"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "out *** ***\n"), "{ran:?}");
    fs::remove_file(place.path().join("token.txt")).unwrap();
    let ran = place.run_knowing(&[], &["run", "tells"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("token.txt"), "{ran:?}");
}
