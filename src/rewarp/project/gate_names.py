"""Names by which one module of a project tells another on which platform it runs.

``ON_AMD = torch.version.hip is not None`` in ``flags.py`` decides what ``if not ON_AMD:`` keeps away wherever it is imported. A
file is scanned by itself; what such names are on the platform is found out beforehand, and told to each file that imports one."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from rewarp.lang.python import PythonFile
from rewarp.lang.python_names import Import
from rewarp.project.gates import NVIDIA, Evaluator, Platform, Value
from rewarp.project.gates.platforms import by_name
from rewarp.project.modules import PythonModules
from rewarp.workspace import Tree

_ASKS = re.compile(
    rb"version\s*\.\s*(?:hip|cuda)\b|\bversion import\b|\bhpu\b|habana|(?:HIP|ROCM|CUDA)_HOME|_hip_clang"
)
"""Words without which no module finds out about its platform."""
_IN_THEM = (b"version", b"hpu", b"habana", b"_HOME", b"_hip_clang")
"""One of these is part of each: looked for first, since that is many times as fast."""
_MOST_NAMES = 400
"""Of one project: who has more of them generates them."""
_CALL = "()"
Told = tuple[str, str, bool]
"""The file that imports it, the name as that file resolves it (a call ends in ``()``), and whether it is true."""


def gate_names(tree: Tree, platform: Platform) -> frozenset[Told]:
    """What is true on this platform and not on NVIDIA's, or the other way round, and known without a guess."""
    texts = {path: tree.read(path) or b"" for path in tree.files() if path.endswith(".py")}
    modules = PythonModules(tree)
    makers: dict[str, dict[str, bool]] = {}
    for path in (path for path, text in texts.items() if _asks(text)):
        document = modules.document(path)
        if document is not None and (names := dict(_decided(document, platform, modules))):
            makers[path] = names
    words = {name.removesuffix(_CALL).encode() for names in makers.values() for name in names}
    if not words or len(words) > _MOST_NAMES:
        return frozenset()
    importers = (path for path, text in texts.items() if b"import" in text and any(word in text for word in words))
    return frozenset(told for path in importers for told in _told_to(path, makers, platform, modules))


def _asks(text: bytes) -> bool:
    return any(part in text for part in _IN_THEM) and _ASKS.search(text) is not None


def _decided(document: PythonFile, platform: Platform, modules: PythonModules) -> Iterator[tuple[str, bool]]:
    here, there = (Evaluator(document, one, modules) for one in (platform, NVIDIA))
    for name, is_function in _bound(document.tree.body):
        call = ast.Call(ast.Name(name), [], []) if is_function else None
        truth = _truth(here.module_value(name, call), there.module_value(name, call))
        # Who imports a name that says what it means need not be told.
        if truth is not None and truth is not by_name(platform, name):
            yield name + (_CALL if is_function else ""), truth


def _truth(here: Value, on_nvidia: Value) -> bool | None:
    sure = here.of_platform and not here.by_name and not on_nvidia.by_name
    apart = None not in (here.truth, on_nvidia.truth) and here.truth is not on_nvidia.truth
    return here.truth if sure and apart else None


def _bound(body: Iterable[ast.stmt]) -> Iterator[tuple[str, bool]]:
    """The names that a module's own statements bind, each with whether it is a function."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            yield statement.name, True
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from ((target.id, False) for target in targets if isinstance(target, ast.Name))
        elif isinstance(statement, (ast.If, ast.Try)):
            handlers = [inner for handler in getattr(statement, "handlers", ()) for inner in handler.body]
            yield from _bound([*statement.body, *statement.orelse, *handlers])


def _told_to(
    path: str, makers: Mapping[str, Mapping[str, bool]], platform: Platform, modules: PythonModules
) -> Iterator[Told]:
    document = modules.document(path)
    by_name: dict[str, set[str]] = defaultdict(set)
    for names in makers.values():
        for name in names:
            by_name[name.removesuffix(_CALL)].add(name)
    for item in document.imports if document is not None else ():
        dotted = item.module if item.name is None else f"{item.module}.{item.name}"
        for name, truth in makers.get(modules.file(path, _module(item)) or "", {}).items():
            yield path, f"{dotted}.{name}", truth
        for name in by_name.get(item.name or "", ()):
            found = modules.find(path, dotted)
            truth_there = _exported(*found, name.endswith(_CALL), platform, modules) if found else None
            if truth_there is not None:
                yield path, dotted + name[len(item.name or "") :], truth_there


def _module(item: Import) -> str:
    """What an import means if it means a module."""
    if item.name is None:
        return item.module
    return f"{item.module}{'' if item.module.endswith('.') else '.'}{item.name}"


def _exported(
    document: PythonFile, name: str, is_call: bool, platform: Platform, modules: PythonModules
) -> bool | None:
    """The same of a name that a package may only hand on."""
    call = ast.Call(ast.Name(name), [], []) if is_call else None
    here, there = (Evaluator(document, one, modules).module_value(name, call) for one in (platform, NVIDIA))
    return _truth(here, there)
