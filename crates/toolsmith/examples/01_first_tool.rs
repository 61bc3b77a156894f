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
    let said = outcome.error().map_or("", ToolError::message);
    assert!(said.contains("`name` is required"), "{said}");

    let outcome = engine.call(Call::new("gret", json!({}))).await;
    let said = outcome.error().map_or("", ToolError::message);
    assert!(said.contains("Did you mean `greet`?"), "{said}");
    Ok(())
}
