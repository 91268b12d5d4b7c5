"""Benchmarks: measure anywhere, read anyone's logs, compare only what can be compared."""
