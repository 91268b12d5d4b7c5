"""Dead files: no `mod` names them, and Cargo builds only what the root of a crate leads to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

_NAMED = re.compile(rb"\bmod\s+(\w+)|\"([\w./-]+)\.rs\"")
_ROOTS = ("lib.rs", "main.rs")


def undeclared(files: Mapping[str, bytes]) -> set[str]:
    """Rust files of a crate whose name, or that of a folder around them, stands in no `mod` and no path of the crate.

    By the name alone: a macro may write the `mod`, so that where it stands says little.
    """
    crates: dict[str, list[str]] = {}
    for path in files:
        folder, is_source, _ = path.partition("/src/") if "/src/" in path else ("", path.startswith("src/"), "")
        if is_source:
            crates.setdefault(folder, []).append(path)
    found: set[str] = set()
    for folder, paths in crates.items():
        source = f"{folder}/src/".lstrip("/")
        roots = [source + root for root in _ROOTS if source + root in files]
        if any(re.search(rb"\bmod\s+\w+\s*;", files[root]) for root in roots):
            # A build script may take a file of the crate for itself.
            readers = [*paths, f"{folder}/build.rs".lstrip("/")]
            names = {name for path in readers if path in files for name in _names(files[path])}
            found.update(_nowhere(source, paths, names))
    return found


def _names(data: bytes) -> Iterable[str]:
    return (part for one, path in _NAMED.findall(data) for part in (one or path).decode().split("/"))


def _nowhere(source: str, paths: Iterable[str], names: Collection[str]) -> Iterable[str]:
    for path in paths:
        parts = path.removeprefix(source).removesuffix(".rs").split("/")
        if parts[0] == "bin" or path.removeprefix(source) in _ROOTS:
            continue
        if not all(part in names or part == "mod" for part in parts):
            yield path
