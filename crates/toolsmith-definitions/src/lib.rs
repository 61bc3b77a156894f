//! Tool definitions in files: read, checked, watched, reloaded.
