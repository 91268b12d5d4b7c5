"""Every changed file to the comparer that knows its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rewarp.files import is_below
from rewarp.verify.isolation import additions, asides
from rewarp.verify.isolation.cfamily.comparison import compare as compare_c
from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.model import FileVerdict, Place, Verdict
from rewarp.verify.isolation.outcome import Says
from rewarp.verify.isolation.packaging import declared
from rewarp.verify.isolation.packaging.cmake_comparison import compare_cmake
from rewarp.verify.isolation.packaging.lines import compare_lines
from rewarp.verify.isolation.roles import C_SUFFIXES, Role, role_of, suffix
from rewarp.verify.isolation.rust import compare_rust
from rewarp.verify.isolation.tree import LIMIT, Trees
from rewarp.workspace import Entry, Tree

_NEVER_RUN = C_SUFFIXES | {".rs", ".cmake", ".toml", ".txt", ".json", ".yml", ".yaml", ".cfg", ".pyi"}
_POINTER = b"version https://git-lfs.github.com/spec/"
_BY_CLASS = {
    Role.DOCUMENTATION: "not part of what is built, installed or run",
    Role.CI: "not part of what is built, installed or run by a user",
    Role.DEVELOPMENT: "only tools of developers read it",
}
_DECLARED: dict[Role, Callable[[str, bytes, bytes, Context], FileVerdict]] = {
    Role.REQUIREMENTS: declared.compare_requirements,
    Role.PYPROJECT: declared.compare_pyproject,
    Role.CARGO: declared.compare_cargo,
    Role.DOCKERFILE: compare_lines,
    Role.MAKE: compare_lines,
}


def judge(
    trees: Trees, below: str = "", seen: Callable[[int, int], None] = lambda done, total: None
) -> Iterator[FileVerdict]:
    """A verdict for each changed file, in the order of their paths."""
    context = Context(trees)
    changed = [path for path in trees.changed() if is_below(path, below)]
    for done, path in enumerate(changed):
        seen(done, len(changed))
        yield _verdict(path, context)


def _verdict(path: str, context: Context) -> FileVerdict:
    trees = context.trees
    before, after = trees.before.entries.get(path), trees.after.entries.get(path)
    old, new = trees.read(path, "before"), trees.read(path, "after")
    said = Says(path, old, new, "what it is")
    role = role_of(path)
    runs = role is Role.DOCUMENTATION and (new or old or b"").startswith(b"#!")
    aside = role in _BY_CLASS and not runs and not _in_package(path, trees)
    for tree, entry, data in ((trees.before, before, old), (trees.after, after, new)):
        if reason := _unfit(entry) or (None if aside or entry is None else _unfit_content(path, tree, entry, data)):
            return said(Verdict.UNPROVABLE, reason, [Place(None, None, reason)])
    if aside:
        if why := asides.why_read(path, context, new is None):
            return said(Verdict.UNPROVABLE, why, [Place(None, None, why)])
        return Says(path, old, new, role.value)(Verdict.IDENTICAL, _BY_CLASS[role])
    if before and after and before.executable != after.executable and (suffix(path) not in _NEVER_RUN):
        return said(Verdict.UNPROVABLE, "who may run it changed", [Place(None, None, "executable bit")])
    if old is not None and old == new:
        return Says(path, old, new, "bytes")(Verdict.IDENTICAL, "only its mode changed")
    if role is Role.PYTHON:
        from rewarp.verify.isolation import python

        if path.endswith(".pyi") and (why := asides.why_read(path, context, new is None)):
            return said(Verdict.UNPROVABLE, why, [Place(None, None, why)])
        if old is None and (why := context.collectors.why(path)):
            return said(Verdict.UNPROVABLE, why, [Place(None, 1, why)])
        return python.compare(path, old, new, trees)
    if new is None:
        return additions.removed(path, old)
    if old is None:
        return additions.added(path, new, context)
    return _changed(path, role, old, new, context)


def _changed(path: str, role: Role, old: bytes, new: bytes, context: Context) -> FileVerdict:
    if role is Role.C:
        return compare_c(path, old, new, context)
    if role is Role.CMAKE:
        return compare_cmake(path, old, new, context)
    if role in _DECLARED:
        return _DECLARED[role](path, old, new, context)
    name = path.rpartition("/")[2]
    if name.endswith(".rs"):
        return compare_rust(path, old, new, context)
    if name == "setup.cfg":
        return declared.compare_setup_cfg(path, old, new, context)
    if name.endswith((".yml", ".yaml")) and "env" in name:
        return compare_lines(path, old, new, context)
    why = "no comparer knows this kind of file"
    return Says(path, old, new, "what it is")(Verdict.UNPROVABLE, why, [Place(None, None, why)])


def _unfit(entry: Entry | None) -> str | None:
    """Why nothing can be said about what is there."""
    if entry is None:
        return None
    if entry.nature == "symlink":
        return "it is a symbolic link: what it leads to is not followed"
    if entry.nature == "submodule":
        return "it is another repository: what it holds is not here"
    return None


def _unfit_content(path: str, tree: Tree, entry: Entry, data: bytes | None) -> str | None:
    if entry.size > LIMIT:
        return "it is too large to be read"
    if data is None:
        return f"it cannot be read: {tree.why(path)}"
    if data.startswith(_POINTER):
        return "it is a Git LFS pointer: its content is not here"
    if b"\0" in data[:8192]:
        return "it is a binary file"
    return None


def _in_package(path: str, trees: Trees) -> bool:
    """Whether the file lies in a Python package, whose code may read it."""
    folder = path.rpartition("/")[0]
    return bool(folder) and any(f"{folder}/__init__.py" in side.entries for side in (trees.before, trees.after))
