"""Phase 8: what is known about the port. Nothing of the project is run."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from rewarp.port.tree import Tree
from rewarp.targets import Target
from rewarp.toolchain import DEFAULT_ARCHES
from rewarp.translation.support import is_waves_header
from rewarp.verify.build import verify_build
from rewarp.verify.checks import Evidence, Level
from rewarp.verify.isolation.certificate import Certificate, certify_trees
from rewarp.verify.isolation.tree import Trees
from rewarp.verify.static import verify_static
from rewarp.verify.tree import in_order, not_checked
from rewarp.waves.support import HEADER

_UP = "the time for checks was up (--checks-within)"
Progress = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    """Nobody watches."""


def certificate(before: Tree, after: Tree, progress: Progress = _silent) -> Certificate:
    """Is NVIDIA untouched?"""
    return certify_trees(Trees(before.files, after.files), progress)


def evidence(
    after: Tree,
    proof: Certificate,
    target: Target,
    arches: Sequence[str] = DEFAULT_ARCHES,
    progress: Progress = _silent,
    until: float | None = None,
) -> tuple[Evidence, ...]:
    """Every level of evidence that needs no run, the certificate's own included. What is not done by ``until`` (of
    ``time.monotonic()``) is not checked."""
    if _is_up(until):
        return in_order([*(not_checked(level, _UP) for level in (Level.STATIC, Level.BUILD)), proof.evidence()])
    with after.as_folder() as folder:
        config = replace(after.config, target=target.name, exclude=(*after.config.exclude, *_own_headers(after)))
        static = verify_static(folder, config=config, jobs=after.jobs, use_cache=after.use_cache)
        if target.name == "rocm":
            build = _build(folder, after, arches, progress, until)
        else:
            build = not_checked(Level.BUILD, f"rewarp compiles for AMD, not for {target.title}")
    return in_order([static, build, proof.evidence()])


def _own_headers(tree: Tree) -> list[str]:
    """The portable header where nobody changed it: it speaks of both platforms, and is not the project's."""
    paths = [path for path in tree.paths() if posixpath.basename(path) == HEADER]
    return [path for path in paths if is_waves_header(tree.read(path) or b"")]


def _build(folder: Path, tree: Tree, arches: Sequence[str], progress: Progress, until: float | None = None) -> Evidence:
    def watched(done: int, total: int) -> None:
        if done < total and _is_up(until):
            raise _TimeIsUp
        progress(done, total)

    try:
        return verify_build(
            folder,
            arches=arches,
            exclude=tree.config.exclude,
            jobs=tree.jobs,
            use_cache=tree.use_cache,
            progress=watched,
        )
    except _TimeIsUp:
        return not_checked(Level.BUILD, _UP)


class _TimeIsUp(Exception):
    """What was given for the checks is spent."""


def _is_up(until: float | None) -> bool:
    return until is not None and time.monotonic() > until
