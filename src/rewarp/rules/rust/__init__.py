"""Rust crates with CUDA kernels."""
