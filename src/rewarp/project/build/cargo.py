"""The units of Rust crates: kernels that their build scripts have nvcc compile."""

from __future__ import annotations

import posixpath
import re

from rewarp.project.build.build_script import NotRead, read_kernels
from rewarp.project.build.units import BuildUnit, Given, Part, Reason
from rewarp.project.gates import NVIDIA, Platform
from rewarp.workspace import Tree

_CUDA = re.compile(r"nvcc|bindgen_cuda|cudaforge|KernelBuilder|\.cu\b", re.I)


def read_cargo(tree: Tree, platform: Platform) -> Part:
    scripts = [path for path in tree.files() if posixpath.basename(path) == "build.rs"]
    paths = tree.files() if scripts else []
    return Part.joined(_read(tree, platform, path, paths) for path in scripts)


def _read(tree: Tree, platform: Platform, path: str, paths: list[str]) -> Part:
    text = (tree.read(path) or b"").decode("utf-8", "replace")
    if not _CUDA.search(text):
        return Part()
    folder = posixpath.dirname(path)
    try:
        kernels = read_kernels(text, folder, paths)
    except NotRead as error:
        return Part(systems=(path,), unread=((Reason(path, 1), str(error)),))
    by_target = {"modules": kernels.modules, **kernels.libraries}
    defines = tuple(Given(word[2:]) for word in kernels.options if word.startswith("-D"))
    includes = tuple(
        Given(posixpath.normpath(posixpath.join(folder, word[2:]))) for word in kernels.options if word.startswith("-I")
    )
    flags = tuple(Given(word) for word in kernels.options if not word.startswith(("-D", "-I")))
    units = [
        BuildUnit(
            posixpath.normpath(posixpath.join(folder, source)),
            target,
            "cargo",
            "CUDA",
            Reason(path, _line(text, source)),
            defines=defines,
            flags=flags,
            includes=includes,
        )
        for target, sources in by_target.items()
        for source in sources
    ]
    if platform is NVIDIA:
        return Part(tuple(units), (path,))
    return Part(systems=(path,), refusals=((Reason(path, 1), "nvcc is not there"),) if units else ())


def _line(text: str, source: str) -> int:
    """The line that names a source; the first that speaks of CUDA where none does."""
    at = text.find(posixpath.basename(source))
    found = _CUDA.search(text)
    place = at if at >= 0 else found.start() if found else 0
    return text.count("\n", 0, place) + 1
