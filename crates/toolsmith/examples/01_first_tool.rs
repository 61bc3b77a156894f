//! A function becomes a tool; a call goes through the whole line.

use toolsmith::prelude::*;

/// Greets someone.
#[tool]
async fn greet(
    /// Who is greeted.
    name: String,
    /// How; politely when left out.
    #[arg(default = "Good day")]
    greeting: String,
) -> String {
    format!("{greeting}, {name}!")
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), ToolError> {
    let engine = Engine::builder().tool(greet).build()?;

    let outcome = engine.call(Call::new("greet", json!({"name": "Ada"}))).await;
    assert_eq!(outcome.output(), &json!("Good day, Ada!"));

    // What is wrong is told in words that a model can act on.
    let outcome = engine.call(Call::new("greet", json!({"nam": "Ada"}))).await;
    let error = outcome.error().expect("`name` is missing");
    assert!(error.message().contains("name"), "{error}");

    let outcome = engine.call(Call::new("gret", json!({}))).await;
    let error = outcome.error().expect("there is no such tool");
    assert!(error.message().contains("Did you mean `greet`?"), "{error}");
    Ok(())
}
