"""Measuring on this machine: our own transformer and micro-benchmarks, or any command that writes a log."""
