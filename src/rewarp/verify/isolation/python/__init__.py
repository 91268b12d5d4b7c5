"""Does changed Python code still do exactly what it did, for an NVIDIA user?

In order: the bytes are the same; the syntax tree is the same; or both versions are folded to what NVIDIA runs (every
gate followed to its definition, see `gates`), and what is left is the same but for additions that nothing notices.
Marks around insertions are reported, never trusted. What is not understood is not provable.
"""

from __future__ import annotations

import ast
import hashlib
import sys
import tokenize
from weakref import WeakKeyDictionary

from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict, Place, Side, TreeView
from rewarp.verify.isolation.python.comparing.comparison import Comparison, Parting
from rewarp.verify.isolation.python.folding.added_files import why_found
from rewarp.verify.isolation.python.folding.program import text_of
from rewarp.verify.isolation.python.folding.unreached import says_amd, unreached_of
from rewarp.verify.isolation.python.gates.facts import ASSUMPTIONS
from rewarp.verify.isolation.python.reading.modules import Modules
from rewarp.verify.isolation.python.reading.project import Project, Texts, parse, parses_on
from rewarp.verify.isolation.python.reading.texts import read_as_text, without_marked, working_comments

__all__ = ["ASSUMPTIONS", "compare", "speaks_for_nvidia"]

SAME_BYTES = "same bytes"
SAME_TREE = "same syntax tree (only comments or layout changed; line numbers are no behaviour)"
FOLDED = "gates folded to their NVIDIA value, syntax trees compared"
MARKED = f"marked insertions erased give the old bytes; {FOLDED}"
ADDED = "added file that nothing in the old tree loads"
STUB = "type stub: never run"
UNREACHED = "only code for AMD loads it: importers folded to their NVIDIA value"

_projects: WeakKeyDictionary[TreeView, dict[Side, Modules]] = WeakKeyDictionary()


def compare(path: str, before: bytes | None, after: bytes | None, tree: TreeView) -> FileVerdict:
    """What can be said of one changed Python file. `before` None: added; `after` None: deleted."""
    verdict, method, why, places = _judge(path, before, after, tree)
    if verdict is not IsolationVerdict.IDENTICAL and before is not None and _is_unreached(path, before, after, tree):
        verdict, method, why, places = IsolationVerdict.IDENTICAL, UNREACHED, "", ()
    return FileVerdict(path, verdict, method, why, places, _sha256(before), _sha256(after))


def _is_unreached(path: str, before: bytes | None, after: bytes | None, tree: TreeView) -> bool:
    there: list[tuple[Side, bytes | None]] = [("before", before), ("after", after)]
    for side, data in there:
        if data is None:
            continue
        modules = _modules(tree, side)
        modules.forget()
        try:
            if not says_amd(path) or unreached_of(modules).why_loaded(path) or modules.unreliable():
                return False
        except (RecursionError, MemoryError, ValueError):
            return False
    return True


def speaks_for_nvidia(path: str, words: set[str], tree: TreeView, side: Side) -> bool:
    """Whether a text in what NVIDIA runs of a file holds one of these words, or may."""
    modules = _modules(tree, side)
    modules.forget()
    try:
        left = unreached_of(modules).left(path)
        if left is None or modules.unreliable():
            return True
        texts = [node.value for statement in left for node in ast.walk(statement) if isinstance(node, ast.Constant)]
    except (RecursionError, MemoryError, ValueError):
        return True
    return any(isinstance(text, str) and any(word in text for word in words) for text in texts)


_Judgement = tuple[IsolationVerdict, str, str, tuple[Place, ...]]


def _judge(path: str, before: bytes | None, after: bytes | None, tree: TreeView) -> _Judgement:
    if before == after:
        return IsolationVerdict.IDENTICAL, SAME_BYTES, "", ()
    if path.endswith(".pyi"):
        return IsolationVerdict.IDENTICAL, STUB, "", ()
    if after is None:
        return IsolationVerdict.DIFFERENT, "deleted", "the file is gone", ()
    if before is None:
        why = why_found(path, _modules(tree, "before").project, _modules(tree, "after").project)
        return (IsolationVerdict.UNPROVABLE if why else IsolationVerdict.IDENTICAL), ADDED, why or "", ()
    try:
        return _compare_texts(path, before, after, tree)
    except (RecursionError, MemoryError, ValueError) as error:
        return IsolationVerdict.UNPROVABLE, FOLDED, f"too large or too deep to compare: {type(error).__name__}", ()


def _compare_texts(path: str, before: bytes, after: bytes, tree: TreeView) -> _Judgement:
    old, new = parse(before), parse(after)
    if isinstance(old, str) or isinstance(new, str):
        side, reason = ("before", old) if isinstance(old, str) else ("after", new)
        return IsolationVerdict.UNPROVABLE, "not parsed", f"{side}: {reason}", ()
    try:
        scripted = b"type:" in before + after and _scripts(tree)
        if working_comments(before, scripted) != working_comments(after, scripted):
            why = "a comment that does something (interpreter line, script metadata, compiler directive) changed"
            return IsolationVerdict.UNPROVABLE, SAME_TREE, why, ()
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError) as error:
        return IsolationVerdict.UNPROVABLE, "not parsed", f"comments could not be read: {error}", ()
    befores, afters = _modules(tree, "before"), _modules(tree, "after")
    doubt = read_as_text(path, before, after, befores.project) or _newer_python(before, after, befores.project)
    if doubt:
        return IsolationVerdict.UNPROVABLE, SAME_TREE, doubt, ()
    if text_of(old) == text_of(new):
        return IsolationVerdict.IDENTICAL, SAME_TREE, "", ()
    befores.project.given(path, before)
    afters.project.given(path, after)
    for modules in (befores, afters):
        modules.forget()
    parting = Comparison(befores.put(path, old), afters.put(path, new)).parting()
    erased = without_marked(after) == before
    method = MARKED if erased else FOLDED
    if parting is None:
        return IsolationVerdict.IDENTICAL, method, "", ()
    why = f"a marked insertion is not inert on NVIDIA: {parting.why}" if erased else parting.why
    return parting.verdict, method, why, (_place(parting, before, after),)


def _newer_python(before: bytes, after: bytes, project: Project) -> str | None:
    """An NVIDIA user with an older Python could not even load the file."""
    oldest = next((minor for minor in range(project.floor, 20) if parses_on(before, minor)), 20)
    if oldest < sys.version_info.minor and not parses_on(after, oldest):
        return f"it no longer loads on Python 3.{oldest}"
    return None


def _scripts(tree: TreeView) -> bool:
    """Whether TorchScript is used anywhere: it reads types from comments."""
    readers = (*_modules(tree, "before").source_readers, *_modules(tree, "after").source_readers)
    return any("script" in reads.lower() for _, _, reads in readers)


def _place(parting: Parting, before: bytes, after: bytes) -> Place:
    first, second = _line(parting.before), _line(parting.after)
    texts = [f"{sign} {_text(data, line)}" for sign, data, line in (("-", before, first), ("+", after, second)) if line]
    return Place(first, second, "\n".join(texts))


def _line(node: ast.AST | None) -> int | None:
    return getattr(node, "lineno", None)


def _text(data: bytes, line: int) -> str:
    lines = data.splitlines()
    return lines[line - 1].decode("utf-8", "replace").strip() if 0 < line <= len(lines) else ""


def _modules(tree: TreeView, side: Side) -> Modules:
    """Files around the changed ones are read and parsed once per change, not once per changed file or side."""
    try:
        sides = _projects.setdefault(tree, {})
    except TypeError:  # a tree that cannot be kept by reference
        sides = {}
    if side not in sides:
        texts = next((one.project.texts for one in sides.values()), None) or Texts()
        sides[side] = Modules(Project(tree, side, texts))
    return sides[side]


def _sha256(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()
