"""What a fix of Python code gets and gives: a place in a file, and the splices that mend it or the reason why not."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar, Union

from rewarp.edits import Edit
from rewarp.findings import Finding
from rewarp.lang.python import PythonFile
from rewarp.source import Span

Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True)
class Spelling:
    """How one file asks whether it runs on ROCm."""

    rocm: str
    """True on ROCm: ``IS_ROCM``."""
    nvidia: str
    """True everywhere else: ``not IS_ROCM``."""
    edits: tuple[Edit, ...] = ()
    """What brings the name into the file."""


@dataclass(frozen=True)
class Mend:
    """Splices that mend one finding, as original bytes."""

    edits: tuple[Edit, ...]
    why: str
    """One sentence for the pull request."""
    finding: Finding | None = None

    def of(self, finding: Finding) -> Mend:
        return replace(self, finding=finding)

    @cached_property
    def extent(self) -> Span:
        spans = [edit.span for edit in self.edits]
        return Span(min(span.start for span in spans), max(span.end for span in spans))


@dataclass(frozen=True)
class Refused:
    """Why a place is left to a person."""

    why: str


Outcome = Union[Mend, Refused]


class Place:
    """A finding in its file."""

    def __init__(self, view: FileView, finding: Finding, gate: Spelling, helper: str | None = None) -> None:
        self.view, self.finding, self.gate = view, finding, gate
        self.helper = helper
        """The module that the vendored helper can be imported from."""

    def asked(self, rocm: str) -> Place:
        """The same place, where ROCm is asked for by a condition of its own."""
        return Place(self.view, self.finding, replace(self.gate, rocm=rocm), self.helper)

    @property
    def document(self) -> PythonFile:
        return self.view.document

    def node(self, kind: type[Node]) -> Node | None:
        """The outermost node of this class that the finding points at."""
        found = (node for node in self.view.nodes_at(self.finding) if isinstance(node, kind))
        return next(found, None)

    @property
    def nodes(self) -> list[ast.AST]:
        return self.view.nodes_at(self.finding)


class FileView:
    """One Python file: its tree, and its bytes by node."""

    def __init__(self, document: PythonFile) -> None:
        self.document = document
        self.source = document.source

    @cached_property
    def _by_span(self) -> dict[Span, list[ast.AST]]:
        found: dict[Span, list[ast.AST]] = {}
        for node in ast.walk(self.document.tree):
            if hasattr(node, "lineno"):
                found.setdefault(self.span(node), []).append(node)
        return found

    def nodes_at(self, finding: Finding) -> list[ast.AST]:
        return self._by_span.get(Span(finding.start, finding.end), [])

    def span(self, node: ast.AST) -> Span:
        """Where a node stands on disk; a definition is its first line."""
        return self.source.original(self.document.span(node))

    def text(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.source.data[start:end].decode(self.codec)

    def encode(self, text: str) -> bytes:
        return text.encode(self.codec)

    @property
    def codec(self) -> str:
        return "latin-1" if self.source.encoding == "latin-1" else "utf-8"

    @cached_property
    def newline(self) -> str:
        first = self.source.data.find(b"\n")
        if first < 0:
            return "\r" if b"\r" in self.source.data else "\n"
        return "\r\n" if self.source.data[first - 1 : first] == b"\r" else "\n"

    @cached_property
    def unit(self) -> str:
        """One step of indentation, as the file has it."""
        for node in ast.walk(self.document.tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and not isinstance(node, ast.Module):
                inner, outer = self.indent(body[0]), self.indent(node)
                if body[0].lineno > node.lineno and inner.startswith(outer) and inner != outer:  # type: ignore[attr-defined]
                    return inner[len(outer) :]
        return "    "

    def indent(self, node: ast.AST) -> str:
        """The blanks before the line a node begins on."""
        start = self.line_start(node)
        data = self.source.data
        end = start
        while data[end : end + 1] in (b" ", b"\t"):
            end += 1
        return data[start:end].decode("ascii")

    def line_start(self, node: ast.AST) -> int:
        return self.line(getattr(node, "lineno", 1)).start

    def line(self, number: int) -> Span:
        """Where a line stands on disk, without its line ending."""
        return self.source.original(self.source.line_span(number))


def torch_name(view: FileView) -> str | None:
    """What the module calls PyTorch."""
    for statement in view.document.tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.name == "torch":
                    return alias.asname or "torch"
                if alias.name.startswith("torch.") and not alias.asname:
                    return "torch"
    return None


Mender = Callable[[Place], Outcome | None]
"""None: the finding is of a shape that this mender has nothing to say about."""
