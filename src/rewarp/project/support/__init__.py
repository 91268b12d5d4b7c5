"""Whether a project supports the target already, and what shows it.

Each file is asked by itself (``files``, ``prose``); ``read`` puts the answers together. A word is no support: what counts
is a build that has a way for the target, sources that are written for it, and what the project says of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rewarp.project.build.python import replaced_scripts
from rewarp.project.gates import ROCM
from rewarp.project.support.evidence import MOST_SHOWN, Evidence, Support, Way
from rewarp.project.support.files import evidence_of, may_tell, way_of
from rewarp.project.support.prose import is_prose, statements
from rewarp.project.support.words import WORDS
from rewarp.workspace import Tree

__all__ = ["MOST_SHOWN", "Evidence", "Support", "Way", "read"]

_MOST = 2_000_000
"""Bytes of a file that is asked: what is longer is data."""


def read(
    tree: Tree,
    paths: Iterable[str],
    target: str,
    is_own: Callable[[str], bool] = lambda path: True,
    most: int | None = None,
) -> Support:
    """``is_own``: whether a file is the project's own work, and neither vendored nor a test. ``most``: how much evidence of
    each way is wanted; what comes later is not looked for."""
    words = WORDS[target]
    found: dict[Way, list[Evidence]] = {way: [] for way in Way}
    device_code = False
    scripts = set(replaced_scripts(tree).values()) if target == ROCM.name else set()
    for path in sorted(paths):
        if not is_own(path):
            continue
        device_code = device_code or path.endswith((".cu", ".cuh"))
        if path in scripts:
            found[Way.BUILD].append(Evidence(Way.BUILD, path, 1, path.rpartition("/")[2]))
        if not (is_prose(path) or may_tell(path)) or (tree.entries[path].size > _MOST):
            continue
        data = tree.read(path)
        if data is None:
            continue
        way = Way.DOCUMENTATION if is_prose(path) else way_of(path, data)
        if most is not None and len(found[way]) >= most:
            continue
        if words.may_be_in(path.encode("utf-8", "surrogatepass")) or words.may_be_in(data):
            found[way] += statements(path, data, words) if is_prose(path) else evidence_of(path, data, words)
    every = sorted((item for items in found.values() for item in items[:most]), key=lambda item: item.file)
    return Support(target, tuple(every), device_code)
