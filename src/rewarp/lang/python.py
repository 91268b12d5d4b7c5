"""Python: parsing, and what a Python file has in common with other kinds of file."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from rewarp.errors import DecodeError, ParseError
from rewarp.lang import parsers
from rewarp.lang.document import Command, EnvRead, EnvSet, Requirement, Word
from rewarp.lang.kinds import Kind
from rewarp.lang.python_names import PythonNames
from rewarp.lang.remembered import Remembered
from rewarp.lang.requirements import requirement
from rewarp.lang.shell import pip_requirements, split_command
from rewarp.project.gates import Reach, Value, platform_for
from rewarp.project.gates.uses import kept_off
from rewarp.source import SourceFile
from rewarp.targets.base import Target

Node = TypeVar("Node", bound=ast.AST)
Scope = ast.AST
FunctionNode = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = frozenset((*FunctionNode, ast.ClassDef))
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]{2,}")
_PROCESS_CALLS = frozenset(
    f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen", "getoutput")
) | {"os.system", "os.popen", "subprocess.getstatusoutput"}
_REQUIREMENT_NAMES = re.compile(
    r"(?i)_*((install|setup|extras|tests?|build|core)_?)*(requires?|requirements?|dependencies|deps)(_\w+)?|\w+_requires?"
)


def check_syntax(source: SourceFile) -> None:
    """Raise ParseError if the file is not Python. Cheaper than parsing: no tree is built."""
    import symtable

    def read() -> symtable.SymbolTable:
        parsers.check_fields(source.data)
        code = _code(source)
        try:
            return symtable.symtable(code, source.path, "exec")  # type: ignore[arg-type]
        except SyntaxError:
            older = parsers.for_this_python(code)
            if older is None:
                raise
            return symtable.symtable(older, source.path, "exec")  # type: ignore[arg-type]

    _checked.get(source.data, len(source.data), lambda: _guarded(source, read) is not None)


_checked: Remembered[bool] = Remembered(1_000_000)
"""Texts that are Python."""


def parse(source: SourceFile, kind: Kind = Kind.PYTHON) -> PythonFile:
    return PythonFile(source, _guarded(source, lambda: parsers.python(_code(source), filename=source.path)), kind)


def _code(source: SourceFile) -> bytes:
    # Asking for the encoding refuses binary files; Python itself reads BOM and coding cookie.
    if source.encoding.startswith(("utf-16", "utf-32")):
        raise DecodeError(f"{source.encoding}: Python does not accept source in this encoding")
    return source.data


Result = TypeVar("Result")


def _guarded(source: SourceFile, parse_it: Callable[[], Result]) -> Result:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parse_it()
    except SyntaxError as error:
        raise ParseError(_syntax_reason(source, error), error.lineno) from None
    except (RecursionError, MemoryError):
        raise ParseError("nested too deeply for the Python parser") from None
    except (ValueError, UnicodeError) as error:
        raise ParseError(f"not valid Python: {error}") from None


_PYTHON2 = re.compile(
    rb"^[ \t]*(print[ \t]+[\"'\w]|exec[ \t]+[\"']|except[ \t]+[\w.]+[ \t]*,[ \t]*\w+[ \t]*:|raise[ \t]+\w+[ \t]*,)",
    re.M,
)


def _syntax_reason(source: SourceFile, error: SyntaxError) -> str:
    import platform

    reason = f"not valid Python {platform.python_version()}: {error.msg}"
    return reason + " (this looks like Python 2)" if _PYTHON2.search(source.data) else reason


Told = tuple[tuple[str, bool], ...]


@lru_cache(maxsize=4)
def _by_file(names: frozenset[tuple[str, str, bool]]) -> dict[str, Told]:
    found: dict[str, Told] = {}
    for file, name, truth in sorted(names):
        found[file] = (*found.get(file, ()), (name, truth))
    return found


def gates_told(names: frozenset[tuple[str, str, bool]], path: str) -> Told:
    """What other modules of a project tell this one about its platform."""
    return _by_file(names).get(path, ()) if names else ()


class PythonFile(PythonNames):
    """A parsed Python file. Rules ask it what names denote, what is gated, set, read, run and required."""

    # --- gates --------------------------------------------------------------------

    @cached_property
    def _gates(self) -> dict[tuple[str, Told], Reach]:
        return {}

    def unreachable(self, where: Any, target: Target) -> bool:
        where = getattr(where, "where", where)
        return isinstance(where, ast.AST) and self._gate(target).unreachable(where)

    def settled(self, where: Any, target: Target) -> bool:
        return isinstance(where, ast.expr) and self._gate(target).settled(where)

    def kept_off(self, where: Any, target: Target) -> bool:
        return isinstance(where, ast.AST) and kept_off(self._gate(target), where)

    def _gate(self, target: Target) -> Reach:
        told = gates_told(target.gate_names, self.source.path)
        reach = self._gates.get((target.name, told))
        if reach is None:
            platform = platform_for(target)
            if told:
                known = {name: Value.of(truth, of_platform=True) for name, truth in told}
                platform = replace(platform, paths={**platform.paths, **known})
            reach = self._gates[target.name, told] = Reach(self, platform)
        return reach

    # --- what other kinds of file have too ------------------------------------------

    def _is_environment(self, node: ast.AST) -> bool:
        path = self.path(node) or ""
        if path in ("os.environ", "os.environ.copy()", "environ"):
            return True
        made = ("", "dict()", "copy.copy()", "copy.deepcopy()")
        return path in made and bool(re.fullmatch(r"(?i)(\w+\.)*\w*(env|environ|env_vars)", self.raw(node)))

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        found: list[EnvSet] = []
        for node in self.nodes(ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and self._is_environment(target.value):
                    name = self.string(target.slice)
                    if name:
                        found.append(EnvSet(name, self.string(node.value), node))
        for call in self.nodes(ast.Call):
            found += self._env_call(call)
        for keyword in self.nodes(ast.keyword):
            if keyword.arg in ("env", "extra_env", "env_vars") and isinstance(keyword.value, ast.Dict):
                found += self._env_dict(keyword.value)
        for table in self.nodes(ast.Dict):
            for key, value in zip(table.keys, table.values, strict=True):
                if isinstance(value, ast.Dict) and self.string(key) in ("env", "env_vars"):
                    found += self._env_dict(value)
        return found

    def _env_call(self, call: ast.Call) -> Iterator[EnvSet]:
        if not isinstance(call.func, ast.Attribute):
            return
        method = call.func.attr
        if method in ("setdefault", "putenv", "setenv") and len(call.args) >= 2:
            name = self.string(call.args[0])
            environment = method != "setdefault" or self._is_environment(call.func.value)
            if name and environment and _ENV_NAME.fullmatch(name):
                yield EnvSet(name, self.string(call.args[1]), call)
        elif method == "update" and self._is_environment(call.func.value):
            for argument in call.args:
                if isinstance(argument, ast.Dict):
                    yield from self._env_dict(argument)
            for keyword in call.keywords:
                if keyword.arg and _ENV_NAME.fullmatch(keyword.arg):
                    yield EnvSet(keyword.arg, self.string(keyword.value), keyword)

    def _env_dict(self, node: ast.Dict) -> Iterator[EnvSet]:
        for key, value in zip(node.keys, node.values, strict=True):
            name = self.string(key)
            if name and _ENV_NAME.fullmatch(name):
                yield EnvSet(name, self.string(value), key)

    @cached_property
    def env_reads(self) -> list[EnvRead]:
        found: list[EnvRead] = []
        for node in self.nodes(ast.Subscript):
            if isinstance(node.ctx, ast.Load) and self._is_environment(node.value):
                name = self.string(node.slice)
                if name:
                    found.append(EnvRead(name, node))
        for call in self.nodes(ast.Call):
            getter = isinstance(call.func, ast.Attribute) and call.func.attr in ("get", "pop")
            if call.args and (
                self.path(call.func) == "os.getenv" or (getter and self._is_environment(call.func.value))
            ):
                name = self.string(call.args[0])
                if name:
                    found.append(EnvRead(name, call))
        for compare in self.nodes(ast.Compare):
            if isinstance(compare.ops[0], (ast.In, ast.NotIn)) and self._is_environment(compare.comparators[0]):
                name = self.string(compare.left)
                if name:
                    found.append(EnvRead(name, compare))
        return found

    @cached_property
    def commands(self) -> list[Command]:
        found: list[Command] = []
        for call, first in self._processes():
            first = _first_words(self.value_of(_unsplit(self.value_of(first))))
            if isinstance(first, (ast.List, ast.Tuple)):
                words = tuple(Word(self.string(item) or "{}", item) for item in first.elts)
                found.append(Command(words, call))
            else:
                text = self.string(first)
                if text:
                    found += [Command(tuple(Word(w, first) for w in words_), call) for words_ in split_command(text)]
        return found

    def _processes(self) -> Iterator[tuple[ast.Call, ast.expr]]:
        """Calls that start a process, with the command: of the standard library, and of functions here that hand one on."""
        wrappers: dict[str, tuple[int, ast.Call]] = {}
        for _, call in self.calls(*_PROCESS_CALLS):
            if not call.args:
                continue
            yield call, call.args[0]
            function = self.enclosing(call, ast.FunctionDef, ast.AsyncFunctionDef)
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                used = {node.id for node in ast.walk(call.args[0]) if isinstance(node, ast.Name)}
                parameters = [parameter.arg for parameter in (*function.args.posonlyargs, *function.args.args)]
                passed_on = [place for place, name in enumerate(parameters) if name in used]
                if passed_on:
                    wrappers[function.name] = passed_on[0] - (parameters[0] in ("self", "cls")), call
        for call in self.nodes(ast.Call) if wrappers else ():
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            own = isinstance(call.func, ast.Name) or self.raw(call.func) in (f"self.{name}", f"cls.{name}")
            place, inner = wrappers.get(name, (-1, call))
            if own and 0 <= place < len(call.args):
                self._started_in[call] = inner
                yield call, call.args[place]

    @cached_property
    def _started_in(self) -> dict[ast.Call, ast.Call]:
        return {}

    def started_in(self, call: ast.Call) -> ast.Call:
        """The call that starts the process: another one where a function here hands the command on."""
        return self._started_in.get(call, call)

    @cached_property
    def requirements(self) -> list[Requirement]:
        found = pip_requirements(self.commands) if b"pip" in self.source.data else []
        if b"setup" not in self.source.data:
            return found
        for keyword in self.nodes(ast.keyword):
            if keyword.arg in ("install_requires", "setup_requires", "extras_require", "tests_require"):
                found += self._requirements_in(keyword.value, "")
        for assign in self.nodes(ast.Assign):
            name = assign.targets[0]
            if isinstance(name, ast.Name) and _REQUIREMENT_NAMES.fullmatch(name.id):
                found += self._requirements_in(assign.value, "")
        return found

    def _requirements_in(self, node: ast.expr, group: str) -> Iterator[Requirement]:
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                yield from self._requirements_in(value, self.string(key) or group)
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            for item in node.elts:
                text = self.string(item)
                parsed = requirement(text, item, group) if text else None
                if parsed:
                    yield parsed
        elif isinstance(node, ast.BinOp):
            yield from self._requirements_in(node.left, group)
            yield from self._requirements_in(node.right, group)


def _unsplit(node: ast.expr) -> ast.expr:
    """The text of which ``TEXT.split()`` or ``shlex.split(TEXT)`` makes words."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "shlex":
            return node.args[0] if node.args else node
        return node.func.value if not node.args and not node.keywords else node
    return node


def _first_words(node: ast.expr) -> ast.expr:
    """Of lists that are put together, the one that begins."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and isinstance(node.left, (ast.List, ast.BinOp)):
        node = node.left
    return node
