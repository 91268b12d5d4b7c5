"""Lists of packages that are AMD's: nobody but what builds or installs for AMD reads them."""

from __future__ import annotations

import posixpath
import re

from rewarp.project.sides import is_for_amd
from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.packaging.pipelines import of_pipelines
from rewarp.verify.isolation.reach.images import starts_from_amd
from rewarp.verify.isolation.roles import Role, role_of

_COMPUTED = re.compile(rb"[\"'\s/=\w-]*(?:\$\{?\w+\}?|\$\([^)]*\)|\{[^}\n]*\}|%s|<\w+>|\+\s*[\"'])[\w.-]*\.txt\b")
"""A name of a list that is put together from parts."""


def is_list_for_amd(path: str, context: Context) -> bool:
    """Whether a changed list says that it is AMD's, and all that reads it is, too."""
    trees = context.trees
    there = path in trees.before.entries and path in trees.after.entries
    if role_of(path) is not Role.REQUIREMENTS or not there or not is_for_amd(path) or context.collectors.why(path):
        return False
    sides: tuple[Side, Side] = ("before", "after")
    name = posixpath.basename(path).encode()
    published = (trees.read(one, side) or b"" for one in of_pipelines(trees) for side in sides)
    if any(name in text or _COMPUTED.search(text) for text in published):
        return False
    return all(_is_read_by_amd(path, context, side, {path}) for side in sides)


def _is_read_by_amd(path: str, context: Context, side: Side, seen: set[str]) -> bool:
    trees = context.trees
    name = posixpath.basename(path)
    named = {other for word in (name, f"r{name}", f"c{name}") for other in trees.containing(word, side)}
    if any(not _is_amds_reader(other, context, side, seen) for other in named - seen):
        return False
    return not any(
        _COMPUTED.search(trees.read(other, side) or b"")
        for other in trees.containing("txt", side)
        if not (is_for_amd(other) and role_of(other) in (Role.DOCKERFILE, Role.REQUIREMENTS))
    )


def _is_amds_reader(path: str, context: Context, side: Side, seen: set[str]) -> bool:
    """Whether a file that names a list is an image that starts from AMD's, another list of AMD's, or Python that does not for NVIDIA."""
    role, data = role_of(path), context.trees.read(path, side)
    if role is Role.DOCKERFILE:
        return data is not None and is_for_amd(path) and starts_from_amd(path, data)
    if role is Role.REQUIREMENTS:
        return is_for_amd(path) and _is_read_by_amd(path, context, side, seen | {path})
    if role is not Role.PYTHON:
        return False
    from rewarp.verify.isolation import python

    names = {posixpath.basename(one) for one in seen}
    return not python.speaks_for_nvidia(path, names, context.trees, side)
