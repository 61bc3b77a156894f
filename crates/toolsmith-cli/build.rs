//! Tells the linker how the program is put together.

/// Where programs are loaded by glibc, their relocations are written in the short form: 2 MB that
/// every start would read become 20 kB. It needs glibc 2.36 or later, of 2022.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[expect(clippy::disallowed_methods, reason = "cargo tells build scripts everything this way")]
    let is = |name: &str, wanted: &str| std::env::var(name).is_ok_and(|value| value == wanted);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
