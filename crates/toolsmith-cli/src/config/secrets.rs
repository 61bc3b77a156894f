//! What nobody may see: what came from variables and files, and settings that are secrets as such.

use toolsmith_core::Secret;

use super::{Environment, Settings, keys};

/// Returns every piece that came from a variable or a file, and every secret setting as a whole.
///
/// A text that cannot be filled in is not used, and so has nothing to hide.
pub fn secrets(settings: &Settings, environment: &Environment) -> Vec<Secret<String>> {
    // A slot borrows the settings mutably, to fill them; looking works on a copy.
    let mut settings = settings.clone();
    keys::settings()
        .flat_map(|row| (row.slot)(&mut settings).templates())
        .filter_map(|template| template.resolve(environment).ok())
        .flat_map(|resolved| resolved.secrets)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{super::Template, *};

    #[test]
    fn pieces_from_variables_are_secrets_wherever_they_stand() {
        let template = |text| Template::parse(text).unwrap();
        let settings = Settings {
            data_directory: template("${HOME}/records"),
            allowed_paths: vec![template("plain"), template("${NOWHERE}"), template("${A:b}")],
            ..Settings::default()
        };
        let environment = Environment::from_iter([("HOME", "/somewhere")]);
        assert_eq!(secrets(&settings, &environment), [Secret::new("/somewhere".to_owned())]);
    }
}
