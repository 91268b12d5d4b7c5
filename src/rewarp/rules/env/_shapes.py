"""Shapes that many environment rules share."""

from __future__ import annotations

from rewarp.lang.kinds import Kind

ENV_KINDS = (
    Kind.PYTHON,
    Kind.NOTEBOOK,
    Kind.SHELL,
    Kind.DOTENV,
    Kind.DOCKERFILE,
    Kind.COMPOSE,
    Kind.ACTIONS,
    Kind.YAML,
    Kind.CONDA,
    Kind.MAKE,
)
"""Every kind of file that can set an environment variable."""
