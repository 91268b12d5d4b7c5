"""Rules and log dialects from other packages, which declare them as entry points.

A package is looked for where Python's packages are installed, never in the folder that rewarp runs in: that may be the
very repository that is looked at, and nothing of it is run. ``REWARP_NO_PLUGINS`` in the environment leaves all of them
out, here and in the processes that are started.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from rewarp.errors import RegistryError

RULES = "rewarp.rules"
DIALECTS = "rewarp.dialects"
NO_PLUGINS = "REWARP_NO_PLUGINS"


@dataclass(frozen=True, order=True)
class Plugin:
    """A package that declares something for rewarp."""

    package: str
    version: str
    group: str
    module: str
    """What the entry point names: a module, or a package of modules."""

    def __str__(self) -> str:
        return f"{self.package} {self.version}"

    def modules(self) -> Iterator[ModuleType]:
        """Its modules, imported. Raises ``RegistryError``, which names the plugin."""
        try:
            yield from _imported(self.module)
        except Exception as error:
            raise self.broken(f"cannot be loaded: {type(error).__name__}: {error}") from error

    def broken(self, why: str) -> RegistryError:
        return RegistryError(f"the plugin {self} ({self.group}: {self.module}) {why}; --no-plugins leaves plugins out")


def switch_off() -> None:
    """Leaves plugins out from now on. What was loaded before stays."""
    os.environ[NO_PLUGINS] = "1"


def installed(group: str) -> tuple[Plugin, ...]:
    """The plugins that declare something under a group; none where they are left out."""
    return () if os.environ.get(NO_PLUGINS) else _installed(group)


@lru_cache(maxsize=4)
def _installed(group: str) -> tuple[Plugin, ...]:
    here = Path.cwd()
    folders = [folder for folder in sys.path if folder and Path(folder).resolve() != here]
    if not any(_mentions(group, folder) for folder in folders):
        return ()
    from importlib import metadata  # slow to load, and most have no plugin

    found: set[Plugin] = set()
    for distribution in metadata.distributions(path=folders):
        for point in distribution.entry_points:
            if point.group == group:
                found.add(Plugin(distribution.metadata["Name"], distribution.version, group, point.value))
    return tuple(sorted(found))


def _mentions(group: str, folder: str) -> bool:
    """Whether a package that is installed in a folder has entry points of the group."""
    section = f"[{group}]".encode()
    for points in Path(folder).glob("*.*-info/entry_points.txt"):
        with contextlib.suppress(OSError):
            if section in points.read_bytes():
                return True
    return False


def names(group: str) -> list[str]:
    """The plugins that take part, for reports."""
    return sorted({str(plugin) for plugin in installed(group)})


def code(group: str) -> bytes:
    """A digest of what the plugins of a group are made of."""
    import hashlib  # late: most have no plugin

    digest = hashlib.blake2b()
    for plugin in installed(group):
        digest.update(repr(plugin).encode())
        for module in plugin.modules():
            file = getattr(module, "__file__", None)
            digest.update(module.__name__.encode() + (Path(file).read_bytes() if file else b""))
    return digest.digest()


def _imported(name: str) -> Iterator[ModuleType]:
    module = importlib.import_module(name)
    yield module
    for info in pkgutil.iter_modules(getattr(module, "__path__", ()), name + "."):
        yield from _imported(info.name)
