"""Every changed file to the comparer that knows its kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from rewarp.files import is_below
from rewarp.verify.isolation.cfamily.comparison import compare as compare_c
from rewarp.verify.isolation.cfamily.needs_rocm import METHOD as NEEDS_ROCM
from rewarp.verify.isolation.cfamily.needs_rocm import needs_rocm
from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict, Place
from rewarp.verify.isolation.outcome import Says
from rewarp.verify.isolation.packaging import declared, pipelines, setup_extras
from rewarp.verify.isolation.packaging.cmake_comparison import compare_cmake
from rewarp.verify.isolation.packaging.lines import compare_lines
from rewarp.verify.isolation.reach import additions, documentation, not_compiled, not_run
from rewarp.verify.isolation.roles import C_SUFFIXES, Role, role_of, suffix
from rewarp.verify.isolation.rust.comparison import compare_rust
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
    entries = [side.entries.get(path) for side in (trees.before, trees.after)]
    if not any(map(_unfit, entries)) and (apart := not_run.why_apart(path, context)):
        method, why = apart
        return Says(path, trees.read(path, "before"), trees.read(path, "after"), method)(
            IsolationVerdict.IDENTICAL, why
        )
    found = _by_reading(path, context)
    if found.verdict is IsolationVerdict.IDENTICAL or role_of(path) is not Role.C or any(map(_unfit, entries)):
        return found
    if needs_rocm(path, trees) and not not_compiled.is_taken(path, context):
        words = "before and after, it includes headers that only ROCm brings: no NVIDIA user compiles it"
        return replace(found, verdict=IsolationVerdict.IDENTICAL, method=NEEDS_ROCM, why=words, places=())
    if not not_compiled.is_for_rocm_alone(path, context):
        return found
    words = "NVIDIA's build compiles neither it nor what includes it"
    return replace(found, verdict=IsolationVerdict.IDENTICAL, method=not_compiled.METHOD, why=words, places=())


def _by_reading(path: str, context: Context) -> FileVerdict:
    trees = context.trees
    before, after = trees.before.entries.get(path), trees.after.entries.get(path)
    old, new = trees.read(path, "before"), trees.read(path, "after")
    said = Says(path, old, new, "what it is")
    role = role_of(path)
    runs = role is Role.DOCUMENTATION and (new or old or b"").startswith(b"#!")
    aside = role in _BY_CLASS and not runs and not _in_package(path, trees)
    for tree, entry, data in ((trees.before, before, old), (trees.after, after, new)):
        if reason := _unfit(entry) or (None if aside or entry is None else _unfit_content(path, tree, entry, data)):
            return said(IsolationVerdict.UNPROVABLE, reason, [Place(None, None, reason)])
    if aside:
        if why := documentation.why_read(path, context, new is None):
            return said(IsolationVerdict.UNPROVABLE, why, [Place(None, None, why)])
        if role is Role.CI and (why := pipelines.why_published(path, context)):
            return said(IsolationVerdict.UNPROVABLE, why, [Place(None, None, why)])
        return Says(path, old, new, role.value)(IsolationVerdict.IDENTICAL, _BY_CLASS[role])
    if before and after and before.executable != after.executable and (suffix(path) not in _NEVER_RUN):
        return said(IsolationVerdict.UNPROVABLE, "who may run it changed", [Place(None, None, "executable bit")])
    if old is not None and old == new:
        return Says(path, old, new, "bytes")(IsolationVerdict.IDENTICAL, "only its mode changed")
    if role is Role.PYTHON:
        from rewarp.verify.isolation import python

        if path.endswith(".pyi") and (why := documentation.why_read(path, context, new is None)):
            return said(IsolationVerdict.UNPROVABLE, why, [Place(None, None, why)])
        if old is None and (why := context.collectors.why(path)):
            return said(IsolationVerdict.UNPROVABLE, why, [Place(None, 1, why)])
        found = python.compare(path, old, new, trees)
        if found.verdict is IsolationVerdict.IDENTICAL or old is None or new is None or not path.endswith("setup.py"):
            return found
        if not setup_extras.only_extras_for_amd(path, old, new, trees):
            return found
        words = "the same but for extras for AMD"
        return replace(found, verdict=IsolationVerdict.IDENTICAL, method=setup_extras.METHOD, why=words, places=())
    if new is None:
        return additions.removed(path, old)
    if old is None:
        return additions.added(path, new, context)
    return _changed(path, role, old, new, context)


_INCLUDES = re.compile(rb'#[ \t]*include[ \t]*"[^"\n]*"')
_COMPILES_TEXT = re.compile(rb"load_inline|RawModule|RawKernel|SourceModule|nvrtc|compile_program")


def _changed(path: str, role: Role, old: bytes, new: bytes, context: Context) -> FileVerdict:
    if role is Role.C:
        if why := _taken_as_text(path, old, new, context):
            return Says(path, old, new, "what it includes")(IsolationVerdict.UNPROVABLE, why, [Place(None, None, why)])
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
    return Says(path, old, new, "what it is")(IsolationVerdict.UNPROVABLE, why, [Place(None, None, why)])


def _taken_as_text(path: str, old: bytes, new: bytes, context: Context) -> str | None:
    """Who compiles the text of a file elsewhere, where a header that it includes now is not beside it."""
    if set(_INCLUDES.findall(new)) <= set(_INCLUDES.findall(old)):
        return None
    for other in context.trees.containing(path.rpartition("/")[2], "before"):
        if other.endswith((".py", ".ipynb")) and _COMPILES_TEXT.search(context.trees.read(other, "before") or b""):
            return f"{other} compiles its text somewhere else, where what it includes now is not found"
    return None


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
