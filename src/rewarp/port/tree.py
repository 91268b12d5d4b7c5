"""The repository as the port sees it: its files under the changes made so far. Nothing is written to it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

from rewarp import cache as caches
from rewarp import runner
from rewarp.config import Config, load
from rewarp.files import cache_folder
from rewarp.findings import Finding, Outcome, ScanResult
from rewarp.port.changes import Change
from rewarp.project import facts
from rewarp.project.build.losses import find_losses
from rewarp.project.gates import platform_for
from rewarp.targets import Context, Target, Versions
from rewarp.workspace import Folder, Overlay, list_tree
from rewarp.workspace import Tree as Files
from rewarp.workspace.identity import STATE_FOLDER


class _Outcomes(caches.Cache):
    """Outcomes by content, kept in memory too: the states of a tree differ in a few files only."""

    def __init__(self, folder: Path | None) -> None:
        super().__init__(folder)
        self._known: dict[bytes, Outcome] = {}

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Outcome]:
        keys = list(keys)
        self._known |= super().get(key for key in keys if key not in self._known)
        return {key: self._known[key] for key in keys if key in self._known}

    def put(self, outcomes: Mapping[bytes, Outcome]) -> None:
        self._known |= outcomes
        super().put(outcomes)


class Tree:
    """A project's files, its settings, and what a scan finds in them."""

    def __init__(
        self,
        root: Path,
        config: Config | None = None,
        *,
        jobs: int = 1,
        use_cache: bool = False,
        like: tuple[Files, _Outcomes] | None = None,
    ) -> None:
        """``like``: another state of the same project, whose files and outcomes this one shares."""
        self.root = root
        self.config = config or load(root)
        self.jobs, self.use_cache = jobs, use_cache
        self._scans: dict[str, ScanResult] = {}
        if like is None:
            files = Folder(root, exclude=(*self.config.exclude, STATE_FOLDER))
            like = files, _Outcomes(cache_folder() if use_cache else None)
        self.files, self._outcomes = like

    def with_changes(self, changes: Iterable[Change]) -> Tree:
        """This tree after more changes; the later ones count."""
        return self.holding({change.path: change.after for change in changes})

    def holding(self, new: Mapping[str, bytes | None]) -> Tree:
        """This tree with other contents of some files."""
        if not new:
            return self
        state = self.files.holding(new), self._outcomes
        return Tree(self.root, self.config, jobs=self.jobs, use_cache=self.use_cache, like=state)

    # --- files ------------------------------------------------------------------------

    def paths(self) -> list[str]:
        """What git tracks or does not ignore (links left out), with what was added and without what was deleted."""
        return list(self._paths)

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    @cached_property
    def _paths(self) -> dict[str, None]:
        return dict.fromkeys(self.files.files())

    def read(self, path: str) -> bytes | None:
        """What a file holds; None where the tree has no such file, or it cannot be read."""
        return self.files.read(path) if path in self._paths else None

    def on_disk(self, path: str) -> bytes | None:
        """What a file holds that is not changed yet."""
        base = self._base
        entry = base.entries.get(path)
        return base.read(path) if entry and entry.nature == "file" else None

    @property
    def _base(self) -> Files:
        return self.files.base if isinstance(self.files, Overlay) else self.files

    def mode(self, path: str) -> int:
        """The permissions of a file as git keeps them."""
        entry = self._base.entries.get(path)
        return 0o755 if entry and entry.executable else 0o644

    def changes(self) -> dict[str, bytes | None]:
        """What differs from the disk: new content by path, None for a file that goes."""
        return self.files.changes() if isinstance(self.files, Overlay) else {}

    # --- looking at it ------------------------------------------------------------------

    def findings(self, target: Target) -> list[Finding]:
        """What the scan of this state finds."""
        return [finding for finding in self.scan(target).findings if finding.rule not in self.config.ignore]

    def scan(self, target: Target) -> ScanResult:
        if target.name not in self._scans:
            self._scans[target.name] = self._scan(target)
        return self._scans[target.name]

    def _scan(self, target: Target) -> ScanResult:
        versions = Versions(self.config.torch, self.config.rocm, self.config.arch)
        limit = int(self.config.max_size * 1_000_000)
        listing = list_tree(self.files, loaded=True)
        losses = find_losses(self.files, platform_for(target))
        context = Context(target, versions, facts.read(listing.files, target, limit, losses))
        outcomes = runner.scan_files(listing, context, jobs=self.jobs, cache=self._outcomes, max_size=limit)
        return ScanResult(str(self.root), target.name, tuple(outcomes), asdict(versions))

    @contextmanager
    def as_folder(self) -> Iterator[Path]:
        """A copy of this state in a folder of its own, for compilers, which read files."""
        with tempfile.TemporaryDirectory(prefix="rewarp-") as name:
            folder = Path(name)
            for path in self.paths():
                data = self.read(path)
                if data is not None:
                    file = folder / path
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(data)
                    file.chmod(self.mode(path))
            yield folder
