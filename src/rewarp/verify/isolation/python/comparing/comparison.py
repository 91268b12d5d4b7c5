"""Two folded modules side by side: equal but for additions that nothing notices, or where they part."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import PurePosixPath

from rewarp.verify.isolation.file_verdict import IsolationVerdict
from rewarp.verify.isolation.python.comparing.added_names import words_of
from rewarp.verify.isolation.python.comparing.additions import NEW, Additions, modules_of
from rewarp.verify.isolation.python.folding.program import Folder, scope_of, text_of, written
from rewarp.verify.isolation.python.folding.unreached import same_frame, unreached_of
from rewarp.verify.isolation.python.gates.gates import Gates
from rewarp.verify.isolation.python.reading.modules import Module
from rewarp.verify.isolation.python.reading.scopes import Function


@dataclass(frozen=True)
class Parting:
    """Where the two versions part, and what that means."""

    verdict: IsolationVerdict
    why: str
    before: ast.AST | None
    after: ast.AST | None


class Comparison:
    def __init__(self, before: Module, after: Module) -> None:
        self.before, self.after = before, after
        shared = written(before.tree) & written(after.tree)
        self.old = Folder(Gates(before), words_of(after.tree), shared)
        self.new = Folder(Gates(after), words_of(before.tree), shared)
        self.additions = Additions(self.new.gates, before)

    def parting(self) -> Parting | None:
        """The first place where an NVIDIA user's program is not the same; None where there is none."""
        old, new = self.old.module(), self.new.module()
        found = self._align(old, new)
        if found is None:
            found = self._doubt()
        return found

    def _doubt(self) -> Parting | None:
        """What speaks against a proof elsewhere in the project."""
        why = self.before.modules.unreliable() or self.after.modules.unreliable()
        read = None if why else self.new.readers.of_changed(*self._rewritten())
        if read:
            why = f"source that is read is changed: {read}"
        why = why or self.new.readers.of_documentation(self._described_anew())
        return Parting(IsolationVerdict.UNPROVABLE, why, None, None) if why else None

    def _rewritten(self) -> tuple[set[str], set[str]]:
        """Functions, and classes with methods, that both versions have and that are written otherwise."""
        functions: set[str] = set()
        classes: set[str] = set()
        old, new = _definitions(self.before.tree), _definitions(self.after.tree)
        for path in old.keys() & new.keys():
            if [text_of(node) for node in old[path]] != [text_of(node) for node in new[path]]:
                in_class = any(isinstance(node, ast.ClassDef) for node in new[path[:1]])
                (classes if in_class else functions).add(path[0] if in_class else path[-1])
        return functions, classes

    def _described_anew(self) -> set[str]:
        """What both versions have, with another docstring."""
        old, new = _definitions(self.before.tree), _definitions(self.after.tree)
        changed = {path[-1] for path in old.keys() & new.keys() if _docstrings(old[path]) != _docstrings(new[path])}
        if _docstrings([self.before.tree]) != _docstrings([self.after.tree]):
            changed.add(PurePosixPath(self.after.path).stem)
        return changed

    # --- statements in order --------------------------------------------------------

    def _align(self, old: list[ast.stmt], new: list[ast.stmt]) -> Parting | None:
        loaded: set[str] = set()
        number = 0
        for statement in new:
            written = self.new.origins.get(statement, statement)
            expected = old[number] if number < len(old) else None
            if expected is not None and self._matches(expected, statement, loaded):
                loaded |= modules_of(written, self.after)
                number += 1
                continue
            why = self.additions.why_not(written, loaded)
            if why is not None:
                return self._part(expected, statement, why, new)
        return (
            Parting(IsolationVerdict.DIFFERENT, "it is gone for NVIDIA", old[number], None)
            if number < len(old)
            else None
        )

    def _matches(self, old: ast.stmt, new: ast.stmt, loaded: set[str]) -> bool:
        if _same(old, new):
            return True
        if isinstance(old, ast.ImportFrom) and isinstance(new, ast.ImportFrom):
            return self._imports_more(old, new, loaded)
        if isinstance(old, ast.ClassDef) and isinstance(new, ast.ClassDef) and old.name == new.name:
            if self._class_matches(old, new):
                return True
        return same_frame(old, new) and not self._why_called(getattr(old, "name", ""))

    def _why_called(self, name: str) -> str | None:
        """Why NVIDIA may come to a function or class that both versions define."""
        sides = (self.before, self.after)
        return next((why for one in sides if (why := unreached_of(one.modules).why_called(one.path, name))), None)

    def _imports_more(self, old: ast.ImportFrom, new: ast.ImportFrom, loaded: set[str]) -> bool:
        """`from m import a, IS_ROCM` for `from m import a`."""
        if (old.module, old.level) != (new.module, new.level):
            return False
        known = [(alias.name, alias.asname) for alias in old.names]
        kept = [alias for alias in new.names if (alias.name, alias.asname) in known]
        if [(alias.name, alias.asname) for alias in kept] != known:
            return False
        now = loaded | modules_of(old, self.after)
        for alias in new.names:
            if alias not in kept:
                if self.additions.why_not_name(new, alias.name, now) or self.additions.names.why_known(
                    alias.asname or alias.name
                ):
                    return False
        return True

    def _class_matches(self, old: ast.ClassDef, new: ast.ClassDef) -> bool:
        """The same class but for methods that nothing notices."""
        written = self.new.origins.get(new)
        if not isinstance(written, ast.ClassDef) or not _same_head(old, new):
            return False
        if not scope_of(old.body[0]) or not scope_of(new.body[0]):
            return False  # as written: something reads the source
        number, added = 1, set()
        for statement in new.body[1:]:
            if number < len(old.body) and _same(old.body[number], statement):
                number += 1
            elif self.additions.why_not_method(self.new.origins.get(statement, statement), written) is not None:
                return False
            else:
                added.add(f"local {statement.name}")  # type: ignore[attr-defined]
        return number == len(old.body) and scope_of(new.body[0]) - added == scope_of(old.body[0])

    # --- where they part ------------------------------------------------------------

    def _part(self, old: ast.stmt | None, new: ast.stmt, why: str, every: list[ast.stmt]) -> Parting:
        written = self._written(new)
        if old is None or not _about_the_same(old, new) or any(_same(old, other) for other in every):
            return self._added(written, why, old if self._note(written) else None)
        first, second, reason = _innermost(old, new)
        if second is None:
            note = reason or self._note(written)
            verdict = IsolationVerdict.UNPROVABLE if note else IsolationVerdict.DIFFERENT
            return Parting(verdict, note or "it is gone for NVIDIA", first, None)
        inner = self._written(second)
        if first is None:
            method = isinstance(new, ast.ClassDef) and any(second is one for one in new.body)
            owner = written if isinstance(written, ast.ClassDef) and method else None
            return self._added(inner, (self.additions.why_not_method(inner, owner) if owner else None) or NEW, None)
        note = reason or self._note(inner)
        if note:
            return Parting(IsolationVerdict.UNPROVABLE, note, first, inner)
        if isinstance(new, ast.ImportFrom):
            return Parting(IsolationVerdict.UNPROVABLE, "what it imports from there is not the same", first, inner)
        return Parting(IsolationVerdict.DIFFERENT, "NVIDIA's code is not the same", first, inner)

    def _written(self, node: ast.AST) -> ast.AST:
        return self.new.origins.get(node, node)

    def _added(self, written: ast.AST, why: str, instead_of: ast.AST | None) -> Parting:
        note = self._note(written)
        verdict = IsolationVerdict.DIFFERENT if why == NEW and not note else IsolationVerdict.UNPROVABLE
        return Parting(verdict, note or (f"{why} on NVIDIA's path" if why == NEW else why), instead_of, written)

    def _note(self, node: ast.AST) -> str | None:
        """Why something in these lines was not folded."""
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
        return next((self.after.notes[line] for line in sorted(self.after.notes) if first <= line <= last), None)


def _same(old: ast.AST, new: ast.AST) -> bool:
    return old is new or (type(old) is type(new) and text_of(old) == text_of(new))


def _about_the_same(old: ast.AST, new: ast.AST) -> bool:
    """Whether one may be the other, changed: no use to compare two functions of different names."""
    return type(old) is type(new) and getattr(old, "name", None) == getattr(new, "name", None)


def _same_head(old: ast.AST, new: ast.AST) -> bool:
    """Equal but for the statements inside."""
    for (_, first), (_, second) in zip(ast.iter_fields(old), ast.iter_fields(new)):
        if not _is_block(first) and not _is_block(second) and _dump(first) != _dump(second):
            return False
    return True


def _is_block(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, (ast.stmt, ast.ExceptHandler)) for v in value)


def _dump(value: object) -> str:
    if isinstance(value, list):
        return "|".join(map(_dump, value))
    return text_of(value) if isinstance(value, ast.AST) else repr(value)


def _innermost(old: ast.AST, new: ast.AST) -> tuple[ast.AST | None, ast.AST | None, str | None]:
    """The smallest statements that differ, and the reason where it is not a statement but its scope."""
    if type(old) is not type(new) or not _same_head(old, new):
        return old, new, None
    scopes: str | None = None
    for (_, first), (_, second) in zip(ast.iter_fields(old), ast.iter_fields(new)):
        if not _is_block(first) and not _is_block(second):
            continue
        for number in range(max(len(first), len(second))):
            one, other = _at(first, number), _at(second, number)
            if one is None or other is None:
                return one, other, None
            changed = None if _same(one, other) else _scope_change(one, other)
            scopes = scopes or changed
            if changed or _same(one, other):
                continue
            if any(_same(one, later) for later in second[number:]):
                return None, other, None
            if any(_same(other, later) for later in first[number:]):
                return one, None, None
            return _innermost(one, other)
    return old, new, scopes


def _at(block: list[ast.AST], number: int) -> ast.AST | None:
    return block[number] if number < len(block) else None


def _scope_change(old: ast.AST, new: ast.AST) -> str | None:
    first, second = scope_of(old), scope_of(new)
    if not first or not second:
        return None
    changed = ", ".join(sorted(first ^ second - {""}))
    return f"a branch that NVIDIA never takes still changes what is around it: {changed}"


def _docstrings(nodes: list[ast.AST]) -> list[str | None]:
    return [ast.get_docstring(node, clean=False) for node in nodes]  # type: ignore[arg-type]


def _definitions(tree: ast.AST, outer: tuple[str, ...] = ()) -> dict[tuple[str, ...], list[ast.AST]]:
    """Every function and class by its path of names; a name may be defined more than once."""
    found: dict[tuple[str, ...], list[ast.AST]] = {}
    for node in ast.iter_child_nodes(tree):
        path = outer
        if isinstance(node, (*Function, ast.ClassDef)):
            path = (*outer, node.name)
            found.setdefault(path, []).append(node)
        for inner, nodes in _definitions(node, path).items():
            found.setdefault(inner, []).extend(nodes)
    return found
