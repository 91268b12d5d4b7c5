"""Statements of a build script that only make sense with CUDA: gated together with all that depends on them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rewarp.errors import GaveUp
from rewarp.fixes.script import ScriptGate
from rewarp.fixes.text import indent_at, newline_of, starts_line
from rewarp.lang.python import PythonFile

Replacement = tuple[int, int, str]
_GATEABLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.If, ast.For, ast.Assert, ast.Try, ast.With)
_BUILDS = frozenset({"setup", "CUDAExtension", "CppExtension", "Extension", "load", "load_inline", "cythonize"})


class CannotGate(GaveUp):
    """Why statements cannot be kept off ROCm."""


def suite_of(document: PythonFile, statement: ast.stmt) -> list[ast.stmt]:
    parent = document.parent(statement)
    for name in ("body", "orelse", "finalbody"):
        suite = getattr(parent, name, None)
        if isinstance(suite, list) and statement in suite:
            return suite
    return []


def with_dependents(document: PythonFile, seed: ast.stmt) -> list[ast.stmt]:
    """The statements of one suite that go with the seed: what reads a name that would not be there."""
    suite = suite_of(document, seed)
    gated = {seed}
    while True:
        for statement in gated:
            _check(document, statement)
            _check_line(document, statement)
        missing = _names(gated) - _bound_before(suite, gated)
        start = min(document.span(statement).start for statement in gated)
        more = {
            _in_suite(document, use, suite)
            for use in _reads(document, missing, start)
            if not _inside(document, use, gated)
        }
        if None in more:
            raise CannotGate("what it computes is used elsewhere")
        new = {statement for statement in more if statement is not None} - gated
        if not new:
            return [statement for statement in suite if statement in gated]
        gated |= new


_GOES_ON = re.compile(r"\\\r?\n")
"""A text that goes on in the next line, which an indent would get into; texts that stand one below the other do not."""


def _check(document: PythonFile, statement: ast.stmt) -> None:
    if not isinstance(statement, _GATEABLE):
        raise CannotGate("a definition rests on it")
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and document.raw(node.func).rpartition(".")[2] in _BUILDS:
            raise CannotGate("the build itself rests on it")
        if isinstance(node, (ast.Return, ast.Yield, ast.Break, ast.Continue, ast.Global, ast.Nonlocal)):
            raise CannotGate("it decides what its function does next")
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and _is_broken(document.source.text(document.span(node))):
            raise CannotGate("it holds a text of several lines")


def _is_broken(text: str) -> bool:
    """Whether strings go on in another line: behind three quotes, or behind a backslash."""
    quotes = [at for at in map(text.find, ('"""', "'''")) if at >= 0]
    return bool(quotes and "\n" in text[min(quotes) :]) or _GOES_ON.search(text) is not None


def _check_line(document: PythonFile, statement: ast.stmt) -> None:
    source, (start, end) = document.source, document.span(statement)
    rest = source.view[end : source.line_span(source.line_at(end)).end].strip()
    if not starts_line(source, start) or rest.startswith(b";"):
        raise CannotGate("it shares its line with another statement")


def _names(statements: set[ast.stmt]) -> set[str]:
    """What the statements bind. A list that they only add to is not bound by them."""
    return {
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and not _augmented(statement, node)
    }


def _augmented(statement: ast.stmt, name: ast.Name) -> bool:
    return any(isinstance(node, ast.AugAssign) and node.target is name for node in ast.walk(statement))


def _bound_before(suite: list[ast.stmt], gated: set[ast.stmt]) -> set[str]:
    """Names that plain statements ahead of the gated ones bind in any case."""
    first = min(suite.index(statement) for statement in gated if statement in suite)
    return {
        node.id
        for statement in suite[:first]
        if isinstance(statement, (ast.Assign, ast.AnnAssign))
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _reads(document: PythonFile, names: set[str], start: int) -> Iterator[ast.Name]:
    """Where the names are read once the gated statements should have run."""
    for node in document.nodes(ast.Name):
        if node.id not in names or not isinstance(node.ctx, (ast.Load, ast.Del)):
            continue
        function = document.enclosing(node, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        if function is not None and _is_local(function, node.id):
            if document.span(node).start > start and start > document.span(function).start:
                yield node  # the gated statements are in the same function
        elif function is not None or document.span(node).start > start:
            yield node


def _is_local(function: ast.AST, name: str) -> bool:
    arguments = getattr(function, "args", None)
    given = {argument.arg for argument in ast.walk(arguments) if isinstance(argument, ast.arg)} if arguments else set()
    return name in given or any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in ast.walk(function)
    )


def _inside(document: PythonFile, node: ast.AST, statements: set[ast.stmt]) -> bool:
    return any(ancestor in statements for ancestor in document.ancestors(node))


def _in_suite(document: PythonFile, node: ast.AST, suite: list[ast.stmt]) -> ast.stmt | None:
    return next((a for a in document.ancestors(node) if isinstance(a, ast.stmt) and a in suite), None)


def gated(document: PythonFile, statements: list[ast.stmt], gate: ScriptGate) -> Iterator[Replacement]:
    """``if`` on NVIDIA around each run of neighbours."""
    source = document.source
    suite = suite_of(document, statements[0])
    runs: list[list[ast.stmt]] = []
    for statement in statements:
        if runs and suite.index(runs[-1][-1]) + 1 == suite.index(statement):
            runs[-1].append(statement)
        else:
            runs.append([statement])
    for run in runs:
        start, end = document.span(run[0]).start, document.span(run[-1]).end
        indent, newline = indent_at(source, start), newline_of(source)
        step = "\t" if indent.startswith("\t") else "    "
        yield start, start, f"if {gate.nvidia}:{newline}{indent}{step}"
        for line in range(source.line_at(start) + 1, source.line_at(end) + 1):
            if source.line_text(line).strip():
                at = source.line_starts[line - 1]
                yield at, at, step
