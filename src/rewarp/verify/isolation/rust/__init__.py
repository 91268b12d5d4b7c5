"""Rust: crates as a build without AMD's features compiles them."""
