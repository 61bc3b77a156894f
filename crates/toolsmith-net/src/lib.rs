//! The guarded HTTP client of Toolsmith: address rules, limits, redirects.
