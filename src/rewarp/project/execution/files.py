"""What a script asks its file system, answered from a tree. The tree's root is a folder with a name of its own."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections import defaultdict
from functools import cached_property, lru_cache
from typing import Any

from rewarp.project.execution.values import has_hole, hole
from rewarp.workspace import Tree

ROOT = "/<project>"
_SUBMODULE = re.compile(r"(?m)^\s*path\s*=\s*(\S+?)/*\s*$")
_MOST_DEPTHS = 3
"""Of ``**`` in one pattern: each more multiplies the ways to match."""


class Files:
    """The files of a tree, as a script sees them that runs in one of its folders."""

    def __init__(self, tree: Tree, folder: str) -> None:
        self.tree = tree
        self.folder: str = posixpath.join(ROOT, folder) if folder else ROOT

    def absolute(self, path: str) -> str:
        return path if has_hole(path[:1]) else posixpath.normpath(posixpath.join(self.folder, path))

    def inside(self, path: str) -> str | None:
        """A path of the tree ("" for its root); None for one that leads out of it."""
        full = self.absolute(path)
        if full == ROOT:
            return ""
        return full[len(ROOT) + 1 :] if full.startswith(ROOT + "/") else None

    @cached_property
    def _folders(self) -> dict[str, dict[str, bool]]:
        """What each folder holds: names, and whether they are folders."""
        found: dict[str, dict[str, bool]] = defaultdict(dict)
        found[""] = {}
        for path, entry in self.tree.entries.items():
            is_folder = entry.nature == "submodule"
            while path:
                parent, _, name = path.rpartition("/")
                if found[parent].get(name) is not None:
                    break
                found[parent][name] = is_folder
                path, is_folder = parent, True
        return dict(found)

    @cached_property
    def _elsewhere(self) -> tuple[str, ...]:
        """Folders whose content is another repository's and not in the tree."""
        found = {path for path, entry in self.tree.entries.items() if entry.nature == "submodule"}
        found |= set(_SUBMODULE.findall((self.tree.read(".gitmodules") or b"").decode("utf-8", "replace")))
        return tuple(f"{path}/" for path in sorted(found) if path not in self._folders)

    def nature(self, path: str) -> str | None:
        """``file``, ``folder``, ``nothing``; None where that cannot be known."""
        inside = self.inside(path)
        if (
            inside is None
            or has_hole(path)
            or f"{inside}/".startswith((".git/", *self._elsewhere))
            or "/.git" in inside
        ):
            return "folder" if inside is not None and f"{inside}/" in self._elsewhere else None
        if inside in self._folders or f"{inside}/" in self._elsewhere:
            return "folder"
        return "file" if inside in self.tree else "nothing"

    def read(self, path: str) -> str | None:
        inside = self.inside(path)
        data = self.tree.read(inside) if inside else None
        return None if data is None else data.decode("utf-8", "replace")

    def names(self, path: str) -> list[str] | None:
        """What a folder holds."""
        inside = self.inside(path)
        return None if inside is None or inside not in self._folders else sorted(self._folders[inside])

    def walk(self, path: str) -> list[tuple[str, list[str], list[str]]] | None:
        """As ``os.walk`` gives it."""
        inside = self.inside(path)
        if inside is None or inside not in self._folders:
            return None
        found, waiting = [], [(path, inside)]
        while waiting:
            shown, folder = waiting.pop()
            names = self._folders.get(folder, {})
            folders = sorted(name for name, is_folder in names.items() if is_folder)
            found.append((shown, folders, sorted(name for name, is_folder in names.items() if not is_folder)))
            waiting += [(posixpath.join(shown, name), posixpath.join(folder, name)) for name in reversed(folders)]
        return found

    def glob(self, pattern: str, recursive: bool) -> list[Any]:
        """The paths that a pattern means, written as it is written; an unknown one where its folder is not in the tree."""
        if has_hole(pattern) or pattern.count("**") > _MOST_DEPTHS:
            return [pattern if has_hole(pattern) else hole(pattern)]
        fixed, wild = _divided(pattern)
        base = self.inside(fixed or ".")
        if base is None or base not in self._folders:
            gone = self.nature(fixed or ".") in (None, "nothing") or f"{base}/" in self._elsewhere
            return [hole(pattern)] if gone and wild else [pattern] if not wild and self._is_there(pattern) else []
        if not wild:
            return [pattern] if self._is_there(pattern) else []
        return [posixpath.join(fixed, path) for path in self._matching(base, wild, recursive)]

    def _is_there(self, path: str) -> bool:
        return self.nature(path) in ("file", "folder")

    def _matching(self, base: str, parts: list[str], recursive: bool) -> list[str]:
        part, rest = parts[0], parts[1:]
        found: list[str] = []
        if part == "**" and recursive:
            if rest:
                found += self._matching(base, rest, recursive)
            for name, is_folder in self._folders.get(base, {}).items():
                if name.startswith("."):
                    continue
                if not rest:
                    found.append(name)
                if is_folder:
                    below = self._matching(posixpath.join(base, name), parts, recursive)
                    found += [f"{name}/{path}" for path in below]
            return list(dict.fromkeys(found))
        pattern = _pattern(part)
        for name, is_folder in self._folders.get(base, {}).items():
            if not pattern.match(name) or (name.startswith(".") and not part.startswith(".")):
                continue
            if not rest:
                found.append(name)
            elif is_folder:
                below = self._matching(posixpath.join(base, name), rest, recursive)
                found += [f"{name}/{path}" for path in below]
        return found


@lru_cache(maxsize=256)
def _pattern(part: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(part))


def _divided(pattern: str) -> tuple[str, list[str]]:
    """The folder that a pattern begins with, and the parts from the first wild one on."""
    parts = pattern.split("/")
    at = next((index for index, part in enumerate(parts) if re.search(r"[*?\[]", part)), len(parts))
    fixed = "/".join(parts[:at]) or ("/" if pattern.startswith("/") else "")
    return fixed, [part for part, before in zip(parts[at:], ["", *parts[at:]]) if not part == before == "**"]
