"""The classes of a Python project and what they derive from, followed through its own imports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from rewarp.parity.python.reading.facts import ClassFacts, Method, ModuleFacts

_FAR = 40


class Hierarchy:
    def __init__(self, modules: Mapping[str, ModuleFacts]) -> None:
        self.modules = modules
        self.by_name: dict[str, list[ClassFacts]] = defaultdict(list)
        self._by_module: dict[str, list[str]] = defaultdict(list)
        self._folders: set[str] = set()
        for path, module in modules.items():
            for item in module.classes:
                self.by_name[item.name].append(item)
            self._folders.add(path.rpartition("/")[0])
            self._by_module[path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]].append(path)

    def bases(self, item: ClassFacts) -> list[ClassFacts]:
        return [found for name in item.bases if (found := self.resolve(item.path, name)) is not None]

    def resolve(self, path: str, name: str, hops: int = 5) -> ClassFacts | None:
        """The class that a name in a file means: of the file, imported, or the only one of that name."""
        module = self.modules.get(path)
        last = name.rpartition(".")[2]
        if module is None or hops == 0:
            return None
        own = next((item for item in module.classes if item.name == last), None)
        if own is not None and "." not in name:
            return own
        imported = module.imports.get(name.partition(".")[0])
        if imported is not None:
            source, _, original = imported.partition(":")
            for file in self.files(path, source, original):
                found = self.resolve(file, last if "." in name else original, hops - 1)
                if found is not None:
                    return found
        candidates = self.by_name.get(last, [])
        return candidates[0] if len(candidates) == 1 else None

    def files(self, path: str, source: str, name: str) -> list[str]:
        """The files that `from source import name` in a file may mean."""
        level = len(source) - len(source.lstrip("."))
        parts = [part for part in source.lstrip(".").split(".") if part]
        if level:
            folder = path.split("/")[:-level]
            stems = ["/".join([*folder, *parts]), "/".join([*folder, *parts, name])]
            known = [file for stem in stems for file in (f"{stem}.py", f"{stem}/__init__.py")]
            return [file for file in known if file in self.modules]
        found: list[str] = []
        for tail in ([*parts, name], parts):
            wanted = "/".join(tail)
            for file in self._by_module.get(tail[-1] if tail else "", []):
                stem = file.removesuffix(".py").removesuffix("/__init__")
                if stem == wanted or stem.endswith("/" + wanted):
                    found.append(file)
        return found

    def is_own_package(self, path: str, source: str) -> bool:
        """Whether a module that was not found would lie in a package of the tree, among other modules of it."""
        level = len(source) - len(source.lstrip("."))
        parts = [part for part in source.lstrip(".").split(".") if part]
        if not parts or parts[-1].startswith("_") or parts[-1].endswith("_pb2"):
            return False  # compiled or generated, as like as not
        if level:
            return "/".join([*path.split("/")[:-level], *parts[:-1]]) in self._folders
        package = "/".join(parts[:-1])
        return bool(package) and any(folder == package or folder.endswith("/" + package) for folder in self._folders)

    def ancestors(self, item: ClassFacts) -> list[ClassFacts]:
        """Bases in the order in which Python looks, nearly: depth first, each once."""
        found: list[ClassFacts] = []

        def add(current: ClassFacts) -> None:
            for base in self.bases(current):
                if base not in found and base is not item and len(found) < _FAR:
                    found.append(base)
                    add(base)

        add(item)
        return found

    def lookup(self, item: ClassFacts, name: str) -> tuple[ClassFacts, Method] | None:
        """Where a class gets a method from; one that only hands on to the class above is followed."""
        for current in (item, *self.ancestors(item)):
            method = current.method(name)
            if method is not None and not method.body.to_super:
                return current, method
        return None
