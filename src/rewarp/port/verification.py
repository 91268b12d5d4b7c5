"""Phase 8: what is known about the port. Nothing of the project is run."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.port.tree import Tree
from rewarp.targets import Target
from rewarp.toolchain import DEFAULT_ARCHES, find_for
from rewarp.verify.build import verify_build
from rewarp.verify.isolation.certificate import Certificate, certify_trees
from rewarp.verify.isolation.tree import Trees
from rewarp.verify.model import Evidence, Level
from rewarp.verify.static import verify_static
from rewarp.verify.tree import in_order, not_checked
from rewarp.waves.support import HEADER, portable_header

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
) -> tuple[Evidence, ...]:
    """Every level of evidence that needs no run, the certificate's own included."""
    with after.as_folder() as folder:
        config = replace(after.config, target=target.name, exclude=(*after.config.exclude, *_own_headers(after)))
        static = verify_static(folder, config=config, jobs=after.jobs, use_cache=after.use_cache)
        if target.name == "rocm":
            build = _build(folder, after, arches, progress)
        else:
            build = not_checked(Level.BUILD, f"rewarp compiles for AMD, not for {target.title}")
    return in_order([static, build, proof.evidence()])


def _own_headers(tree: Tree) -> list[str]:
    """The portable header where nobody changed it: it speaks of both platforms, and is not the project's."""
    paths = [path for path in tree.paths() if posixpath.basename(path) == HEADER]
    return [path for path in paths if tree.read(path) == portable_header()]


def _build(folder: Path, tree: Tree, arches: Sequence[str], progress: Progress) -> Evidence:
    try:
        compilers = find_for(arches)
    except UsageError as error:
        return not_checked(Level.BUILD, str(error))
    return verify_build(
        folder,
        arches=arches,
        compilers=compilers,
        exclude=tree.config.exclude,
        jobs=tree.jobs,
        use_cache=tree.use_cache,
        progress=progress,
    )
