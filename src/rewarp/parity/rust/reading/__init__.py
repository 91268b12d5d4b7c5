"""Rust workspaces: declarations, bodies as small trees, macros, `cfg`, and an index over all files."""
