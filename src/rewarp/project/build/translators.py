"""Builds that run hipify themselves: the CUDA sources that they translate before they compile them for AMD."""

from __future__ import annotations

import posixpath
import re

from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.workspace import Tree

_RUN = re.compile(
    rb"^(?![ \t]*(?:#|//|@?echo\b|@?printf\b|message[ \t]*\())[^\n]*\bhipify(?:-perl|-clang|_perl|_clang|\.pl)\b", re.M
)
_BUILDS = (Kind.CMAKE, Kind.MAKE)
_INSTRUCTIONS = re.compile(
    r"(?i)(?:[^/]*/)?(?:readme|install|build(?:ing)?)(?:[._-][^/]*)?(?:\.(?:md|rst|txt))?|(?:[^/]*/)?[^/]*dockerfile[^/]*"
)
_ORDER = re.compile(
    rb"^[ \t]*(?:\$ +|RUN +)?(?:cd +[^\n;&]*(?:;|&&) *)?(?:find\b[^\n]* )?hipify-(?:perl|clang)[ \t]+(?:-|[`$\"']|[\w./*]+\.cuh?\b)",
    re.M,
)
"""A command, not a sentence: what follows is an option or a source."""


def _instructs(tree: Tree, path: str) -> bool:
    return _INSTRUCTIONS.fullmatch(path) is not None and _ORDER.search(tree.read(path) or b"") is not None


def translated_by_build(tree: Tree) -> frozenset[str]:
    """CUDA sources at or below the build files that run hipify, or beside instructions that do before the build: what is
    compiled for AMD is its copies."""
    folders = {
        posixpath.dirname(path)
        for path in tree.entries
        if (kind_of_path(path) in _BUILDS and _RUN.search(tree.read(path) or b"")) or _instructs(tree, path)
    }
    if not folders:
        return frozenset()
    return frozenset(
        path
        for path in tree.entries
        if kind_of_path(path) is Kind.CUDA and any(not folder or path.startswith(f"{folder}/") for folder in folders)
    )
