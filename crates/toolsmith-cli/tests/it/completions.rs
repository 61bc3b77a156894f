//! `toolsmith completions`

use std::{
    io::Read,
    process::{Command, Stdio},
};

use crate::support::{Place, Ran};

#[test]
fn every_shell_gets_a_script_that_knows_the_words() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = place.run(&["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{shell}");
        for word in ["completions", "config", "init", "json"] {
            assert!(ran.stdout.contains(word), "{shell} misses {word}");
        }
        let json = place.run(&["completions", shell, "--json"]).json();
        assert_eq!(
            (json["shell"].as_str(), json["script"].as_str()),
            (Some(shell), Some(&*ran.stdout))
        );
    }
}

#[test]
fn bash_accepts_its_script() {
    let place = Place::new();
    let script = place.run(&["completions", "bash"]).stdout;
    let place = place.with("script", &script);
    match Command::new("bash").args(["-n", "script"]).current_dir(place.path()).output() {
        Ok(output) => assert!(output.status.success(), "{output:?}"),
        Err(error) => println!("SKIPPED: there is no bash here: {error}"),
    }
}

#[test]
fn a_reader_who_leaves_early_is_no_error() {
    let place = Place::new();
    let mut child = place
        .command(&["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
    assert_eq!(Ran::of(&mut place.command(&["completions", "zsh"])).code, Some(0));
}
