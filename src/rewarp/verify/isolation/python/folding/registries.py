"""Modules that a table names by a text: an enum whose member for AMD is the path of a module of AMD's.

Such a module is loaded by who takes that member. Nobody does for NVIDIA where what NVIDIA runs compares the member at most, and takes
no member but one that it names or is told: who asks for a member by its name, which says AMD, uses AMD.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from rewarp.verify.isolation.python.reading.project import Project
from rewarp.verify.isolation.python.reading.scopes import Function

_ANNOTATIONS = ("annotation", "returns")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
_ASK = ("isinstance", "issubclass")
Left = Callable[[str], "list[ast.stmt] | None"]
Aside = Callable[[str, ast.stmt], bool]
"""Whether a statement of a file is none that NVIDIA comes to."""


def members_of(statement: ast.stmt, loads: Callable[[ast.AST], bool], says_amd: Callable[[str], bool]) -> set[str]:
    """The members of AMD's through which alone a class names a module; none where it names it otherwise."""
    if not isinstance(statement, ast.ClassDef) or not any(
        ast.unparse(base).endswith("Enum") for base in statement.bases
    ):
        return set()
    found: set[str] = set()
    for inner in (*statement.bases, *statement.keywords, *statement.decorator_list, *statement.body):
        if not any(map(loads, ast.walk(inner))):
            continue
        target = inner.targets[0] if isinstance(inner, ast.Assign) and len(inner.targets) == 1 else None
        if not isinstance(target, ast.Name) or not says_amd(target.id.lower()):
            return set()
        found.add(target.id)
    return found


def why_taken(owner: ast.ClassDef, members: set[str], project: Project, left: Left, aside: Aside) -> str | None:
    """Who takes one of these members, or members that it does not name, for NVIDIA."""
    own = {name for one in owner.body for name in _assigned(one)}
    words = {owner.name, *members}
    files = {path for word in words for path, _ in project.files_with_word(word, tests=False)}
    for path in sorted(files):
        statements = left(path)
        if statements is None:
            return f"{path} may take it"
        for statement in statements:
            if getattr(statement, "name", "") == owner.name and isinstance(statement, ast.ClassDef):
                if _goes_through_itself(statement):
                    return f"{path}:{statement.lineno} goes through all of its members"
                continue
            line = next(_takes(statement, owner.name, members, own), None)
            if line is not None and not aside(path, statement):
                return f"{path}:{line} may take it"
    return None


def _assigned(statement: ast.stmt) -> Iterator[str]:
    for target in statement.targets if isinstance(statement, ast.Assign) else ():
        if isinstance(target, ast.Name):
            yield target.id


def _goes_through_itself(owner: ast.ClassDef) -> bool:
    return any(
        isinstance(node, (ast.For, ast.comprehension))
        or (isinstance(node, ast.Attribute) and node.attr.startswith("_") and "member" in node.attr)
        for node in ast.walk(owner)
    )


def _takes(statement: ast.stmt, owner: str, members: set[str], own: set[str]) -> Iterator[int]:
    """Lines that name a member other than to compare it, or do with the class what may come to any member."""
    waiting: list[tuple[ast.AST, ast.AST | None, bool]] = [(statement, None, False)]
    while waiting:
        node, parent, compared = waiting.pop()
        line = getattr(node, "lineno", 0)
        if isinstance(node, _COMPREHENSIONS) and _only_names(node, owner):
            continue
        taken = not compared and _named(node) in members
        if taken or (_named(node) == owner and not _names_one(node, parent, own)):
            yield line
        inside = compared or isinstance(node, ast.Compare)
        for field, value in ast.iter_fields(node):
            if field in _ANNOTATIONS:
                continue
            # What a call inside of a comparison is given is taken, not compared.
            kept = inside and not isinstance(node, (ast.Call, *Function, ast.Lambda, ast.Subscript))
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    waiting.append((child, node, kept))


def _only_names(node: ast.ListComp | ast.SetComp | ast.GeneratorExp, owner: str) -> bool:
    """`[one.name for one in Backend if one.name != "CUSTOM"]`: the names of members, and nothing of what they hold."""
    loop = node.generators[0]
    if len(node.generators) > 1 or _named(loop.iter) != owner or not isinstance(loop.target, ast.Name):
        return False
    inner = [one for part in (node.elt, *loop.ifs) for one in ast.walk(part)]
    names = sum(
        isinstance(one, ast.Attribute) and one.attr == "name" and _named(one.value) == loop.target.id for one in inner
    )
    return names == sum(isinstance(one, ast.Name) for one in inner)


def _named(node: ast.AST) -> str | None:
    """The name or the text that a node is."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.alias):
        return node.name
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None


def _names_one(node: ast.AST, parent: ast.AST | None, own: set[str]) -> bool:
    """`Backend.CUDA`, `Backend[name]`, `Backend(text)`, `isinstance(x, Backend)`: one member, named or told; or its import."""
    if isinstance(node, ast.alias):
        return node.asname in (None, node.name)
    if isinstance(parent, ast.Attribute):
        return parent.attr in own
    if isinstance(parent, ast.Subscript):
        return parent.value is node or isinstance(parent.value, ast.Name)
    if isinstance(parent, ast.Call):
        return parent.func is node or getattr(parent.func, "id", "") in _ASK
    return isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.BitOr)
