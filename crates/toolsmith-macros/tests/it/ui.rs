//! What the compiler says when a tool cannot be made.

#[test]
fn wrong_tools_are_explained_at_the_right_place() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
