"""The repository as the port sees it: the files on disk under the changes made so far. Nothing is written to it."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

from rewarp import cache as caches
from rewarp import git, project, runner
from rewarp.config import Config, load
from rewarp.files import cache_folder
from rewarp.findings import Finding, Outcome, ScanResult
from rewarp.lang.kinds import kind_of_path, kind_of_shebang, may_have_shebang
from rewarp.port.model import Change
from rewarp.runner import FileEntry, Listing
from rewarp.targets import Context, Target, Versions

STATE_FOLDER = ".rewarp"
"""Where a port keeps its state when there is no git; no part of the project."""


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


class _Disk:
    """What lies on the disk; read once, shared by all states of a tree."""

    def __init__(self, root: Path, config: Config, use_cache: bool) -> None:
        self._root, self._exclude = root, (*config.exclude, STATE_FOLDER)
        self._use_cache = use_cache

    @cached_property
    def cache(self) -> _Outcomes:
        return _Outcomes(cache_folder() if self._use_cache else None)

    @cached_property
    def listing(self) -> Listing:
        found = runner.find_files(self._root, self._exclude)
        others = self._other_repositories()
        if others:
            found.files = [entry for entry in found.files if not entry.path.startswith(others)]
            found.unread = [item for item in found.unread if not item[0].startswith(others)]
            found.left_out = [outcome for outcome in found.left_out if not outcome.path.startswith(others)]
        return found

    def _other_repositories(self) -> tuple[str, ...]:
        """Submodules, and repositories in this one: what they hold is changed there, not here."""
        listed = [path.rstrip("/") for path in git.listed_files(self._root) or ()]
        return tuple(f"{path}/" for path in listed if (self._root / path).is_dir())

    @cached_property
    def files(self) -> dict[str, str]:
        """By path in the tree, where each file is."""
        return {entry.path: entry.file for entry in self.listing.files} | dict(self.listing.unread)

    def read(self, path: str) -> bytes | None:
        file = self.files.get(path)
        try:
            return None if file is None else Path(file).read_bytes()
        except OSError:
            return None


class Tree:
    """Files of a project by path, with changes laid over them."""

    def __init__(self, root: Path, config: Config | None = None, *, jobs: int = 1, use_cache: bool = False) -> None:
        self.root = root
        self.config = config or load(root)
        self.jobs, self.use_cache = jobs, use_cache
        self._laid_over: Mapping[str, bytes | None] = {}
        self._disk = _Disk(root, self.config, use_cache)
        self._scans: dict[str, ScanResult] = {}

    def with_changes(self, changes: Iterable[Change]) -> Tree:
        """This tree after more changes; the later ones count."""
        return self.holding({change.path: change.after for change in changes})

    def holding(self, new: Mapping[str, bytes | None]) -> Tree:
        """This tree with other contents of some files."""
        if not new:
            return self
        other = Tree(self.root, self.config, jobs=self.jobs, use_cache=self.use_cache)
        other._laid_over = {**self._laid_over, **new}
        other._disk = self._disk
        return other

    # --- files ------------------------------------------------------------------------

    def paths(self) -> list[str]:
        """What git tracks or does not ignore (links left out), with what was added and without what was deleted."""
        return sorted(self._paths)

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    @cached_property
    def _paths(self) -> frozenset[str]:
        added = {path for path, data in self._laid_over.items() if data is not None}
        return frozenset((self._disk.files.keys() - self._laid_over.keys()) | added)

    def read(self, path: str) -> bytes | None:
        """What a file holds; None where the tree has no such file, or it cannot be read."""
        if path in self._laid_over:
            return self._laid_over[path]
        return self._disk.read(path)

    def on_disk(self, path: str) -> bytes | None:
        """What a file holds that is not changed yet."""
        return self._disk.read(path)

    def mode(self, path: str) -> int:
        """The permissions of a file as git keeps them."""
        file = self._disk.files.get(path)
        executable = file is not None and os.stat(file).st_mode & stat.S_IXUSR
        return 0o755 if executable else 0o644

    def changes(self) -> dict[str, bytes | None]:
        """What differs from the disk: new content by path, None for a file that goes."""
        return {path: data for path, data in self._laid_over.items() if data != self._disk.read(path)}

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
        with tempfile.TemporaryDirectory(prefix="rewarp-") as folder:
            listing = self._staged(Path(folder))
            context = Context(target, versions, project.read(listing.files, target, limit))
            outcomes = runner.scan_files(listing, context, jobs=self.jobs, cache=self._disk.cache, max_size=limit)
        return ScanResult(str(self.root), target.name, tuple(outcomes), asdict(versions))

    def _staged(self, folder: Path) -> Listing:
        """The files of this state, for those that read files: the changed ones are in ``folder``."""
        found = self._disk.listing
        files = [entry for entry in found.files if entry.path not in self._laid_over]
        for number, (path, data) in enumerate(self._laid_over.items()):
            kind = kind_of_path(path) or (kind_of_shebang((data or b"")[:80]) if may_have_shebang(path) else None)
            if data is not None and kind is not None:
                file = folder / str(number)
                file.write_bytes(data)
                files.append(FileEntry(path, str(file), kind, len(data)))
        return Listing(sorted(files), found.left_out, found.other)

    @contextmanager
    def as_folder(self) -> Iterator[Path]:
        """A copy of this state in a folder of its own, for what works on files."""
        with tempfile.TemporaryDirectory(prefix="rewarp-") as name:
            folder = Path(name)
            for path in self.paths():
                file = folder / path
                file.parent.mkdir(parents=True, exist_ok=True)
                data = self._laid_over.get(path)
                if data is None:
                    shutil.copy(self._disk.files[path], file)
                else:
                    file.write_bytes(data)
                    file.chmod(self.mode(path))
            yield folder
