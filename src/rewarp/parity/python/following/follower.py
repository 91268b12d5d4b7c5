"""Bodies followed through the helpers that they call: a method that only calls what only raises, only raises."""

from __future__ import annotations

from dataclasses import replace

from rewarp.parity.python.following.hierarchy import Hierarchy
from rewarp.parity.python.reading.bodies import Body
from rewarp.parity.python.reading.facts import ClassFacts
from rewarp.parity.units import Status

_FAR = 5
_NOTHING = (Status.STUB, Status.ERROR)
_PASSED_UP = (Status.NO_OP, Status.CPU_ONLY, Status.CONDITIONAL_CPU)


class Follower:
    def __init__(self, tree: Hierarchy) -> None:
        self.tree = tree

    def followed(self, path: str, leaf: ClassFacts | None, body: Body, far: int = _FAR) -> Body:
        """What a body in a file amounts to, for the class that it is called on."""
        if body.status not in (Status.IMPLEMENTED, Status.PARTIAL):
            return body
        for need, line in body.needs:
            module, _, name = need.rpartition(":")
            lack = self._lack(path, module, name)
            if lack is not None:
                return replace(body, status=lack[0], why=lack[1], line=line)
        for name, line in body.calls if far else ():
            found = self._called(path, leaf, name)
            if found is None or found[1] is body:
                continue
            inner = self.followed(found[0], leaf, found[1], far - 1)
            if inner.status in _NOTHING or (body.only_calls and inner.status in _PASSED_UP):
                return replace(body, status=inner.status, why=f"calls {name}, which {inner.why}", line=line)
        return body

    def called(self, path: str, name: str) -> Body | None:
        """What a function of the project that a call means amounts to; None for one of somebody else's."""
        found = self._called(path, None, name)
        return found and self.followed(found[0], None, found[1])

    def entry(self, path: str, text: str) -> tuple[Status, str] | None:
        """What is wrong with an entry of a registry, if anything."""
        name = text.strip("'\"")
        if name != text and "." in name:
            module, _, last = name.replace(":", ".").rpartition(".")
            lack = self._lack(path, module, last) if name.replace(".", "").isidentifier() else None
            return lack and (lack[0], f"registered: {lack[1]}")
        found = self._called(path, None, text) if text.isidentifier() else None
        inner = self.followed(*found[:1], None, found[1]) if found else None
        if inner is not None and inner.status in (*_NOTHING, *_PASSED_UP):
            return inner.status, f"registered: {text}, which {inner.why}"
        return None

    def _called(self, path: str, leaf: ClassFacts | None, name: str) -> tuple[str, Body] | None:
        """The function of the project that a call means, with its file."""
        before, _, last = name.rpartition(".")
        if before in ("self", "cls"):
            found = self.tree.lookup(leaf, last) if leaf is not None else None
            return (found[0].path, found[1].body) if found else None
        module = self.tree.modules.get(path)
        if module is None:
            return None
        if not before and last in module.functions:
            return path, module.functions[last]
        imported = module.imports.get(before or last)
        if imported is None:
            return None
        source, _, original = imported.partition(":")
        for file in self.tree.files(path, source, original):
            function = self.tree.modules[file].functions.get(last if before else original)
            if function is not None:
                return file, function
        return None

    def _lack(self, path: str, module: str, name: str) -> tuple[Status, str] | None:
        """Why a name cannot be had from a module of the project; None where it can, or is not the project's."""
        if not module:
            module, _, name = name.rpartition(".")
        files = self.tree.files(path, module, name)
        if any(file.removesuffix(".py").removesuffix("/__init__").endswith("/" + name) for file in files):
            return None
        if files:
            if any({name, "*"} & self.tree.modules[file].names or self.tree.modules[file].error for file in files):
                return None
            return Status.ERROR, f"needs {name} of {module}, which does not define it"
        if self.tree.is_own_package(path, module):
            return Status.UNKNOWN, f"needs {module}, which is not in the tree"
        return None
