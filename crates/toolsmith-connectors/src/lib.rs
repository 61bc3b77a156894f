//! Tools that come from outside Toolsmith: REST, commands, JavaScript.
