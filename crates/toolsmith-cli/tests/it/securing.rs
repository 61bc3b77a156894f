//! `toolsmith serve` with a certificate.

use std::{fs, process::Command};

use serde_json::json;

use crate::{
    serving::Serving,
    support::{Place, Ran},
};

const CONFIG: &str = "serve: {tls: {cert: cert.pem, key: key.pem}}\n";

/// Returns a place with a certificate for another name than the address that is listened on.
fn place() -> Place {
    use base64::{Engine, prelude::BASE64_STANDARD};

    let made = rcgen::generate_simple_self_signed(["tools.example".to_owned()]).unwrap();
    let pem = |label: &str, der: &[u8]| {
        format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", BASE64_STANDARD.encode(der))
    };
    let place = Place::new()
        .with("toolsmith.yaml", CONFIG)
        .with("cert.pem", &pem("CERTIFICATE", made.cert.der()))
        .with("key.pem", &pem("PRIVATE KEY", &made.signing_key.serialize_der()))
        .with("tools/ask.yaml", ASKING);
    close(&place, 0o600);
    place
}

const ASKING: &str = "name: risky\nentry: {type: builtin, handler: echo}\napproval: {}\n";

#[cfg(unix)]
fn close(place: &Place, mode: u32) {
    use std::os::unix::fs::PermissionsExt;

    let permissions = fs::Permissions::from_mode(mode);
    fs::set_permissions(place.path().join("key.pem"), permissions).unwrap();
}

#[test]
fn words_at_the_shell_reach_a_server_that_speaks_tls() {
    let place = place();
    let serving = Serving::start(&place, &["--tools", "tools"]);
    assert!(serving.is_secured);
    assert_eq!(place.json(&["approvals", "list"]), json!({ "approvals": [] }));
    assert_eq!(serving.end("-TERM"), (Some(0), String::new()));
}

#[test]
fn a_key_that_others_can_read_and_keys_in_the_clear_are_warned_about() {
    let place = place();
    close(&place, 0o644);
    let (_, said) = Serving::start(&place, &[]).end("-TERM");
    assert!(said.contains("other accounts can read the key"), "{said}");
    fs::remove_file(place.path().join("toolsmith.yaml")).unwrap();
    place.json(&["keys", "create", "agent"]);
    let (_, said) = Serving::start(&place, &["--listen", "0.0.0.0:0"]).end("-TERM");
    assert!(said.contains("in the clear"), "{said}");
}

#[test]
fn files_that_cannot_be_used_are_refused_at_the_start() {
    let start = |place: &Place| -> Ran {
        let mut command: Command = place.command(&["serve", "--listen", "127.0.0.1:0"]);
        Ran::of(&mut command)
    };
    let place = place();
    let key = place.read("key.pem");
    for (name, content, said) in [
        ("key.pem", "nothing", "key.pem: there is no private key in it"),
        ("cert.pem", key.as_str(), "cert.pem: there is no certificate in it"),
        ("toolsmith.yaml", "serve: {tls: {cert: cert.pem}}\n", "serve.tls.key is missing"),
        ("toolsmith.yaml", "serve: {tls: {cert: c, key: k}}\n", "c cannot be read: No such file"),
        ("toolsmith.yaml", "serve: {public_url: tools}\n", "serve.public_url: no address"),
    ] {
        let before = place.read(name);
        place.write(name, content);
        let ran = start(&place);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        place.write(name, &before);
    }
}
