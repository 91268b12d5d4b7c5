"""Environment variables and command lines."""
