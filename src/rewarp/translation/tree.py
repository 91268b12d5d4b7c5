"""Many files at once: read them all, learn what they tell about one another, translate each. Nothing is written."""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Union

from rewarp.errors import UnreadableSource, UsageError
from rewarp.findings import Failed, Skipped
from rewarp.lang.cpp.file import CodeFile, check_depth
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.source import SourceFile
from rewarp.translation.changes import DEFAULTS, SUPPORT_HEADER, Counts, Options, Project, Translation
from rewarp.translation.facts import read_project
from rewarp.translation.lexing import Lexed, lex
from rewarp.translation.supplied_forms import includes_in_namespace
from rewarp.translation.translator import translate
from rewarp.translation.workers import Piece, translated

if TYPE_CHECKING:
    from rewarp.workspace import FileEntry, Listing

_NEIGHBOURS = 500
Outcome = Union[Translation, Skipped, Failed]
Progress = Callable[[int, int], None]


class Naming(NamedTuple):
    """What files are called after translation."""

    rename: Callable[[str], str]
    stays: Callable[[str], bool] = lambda path: False
    """Whether a file that needs no change keeps its name."""
    gives_way: bool = False
    """Whether a source whose new name another file has, its version for HIP by somebody else, gets ``x.cu.hip``."""


@dataclass(frozen=True)
class TranslatedFile:
    """One file of a tree and what became of it."""

    path: str
    new_path: str
    outcome: Outcome

    @property
    def translation(self) -> Translation | None:
        return self.outcome if isinstance(self.outcome, Translation) else None


@dataclass(frozen=True)
class TranslatedTree:
    """A folder, a single file, or text from nowhere, after translation."""

    root: Path
    files: tuple[TranslatedFile, ...]
    others: tuple[tuple[str, Path], ...] = ()
    """Files that are no C++ at all: path in the tree, path on disk."""
    project: Project = field(default_factory=Project)
    names: Counter[bytes] = field(default_factory=Counter)
    """CUDA-looking names in code, with their uses in the whole tree."""
    whole_support: bool = False
    """Whether the support header is written whole, not as far as it is used."""

    @property
    def translations(self) -> list[Translation]:
        return [file.outcome for file in self.files if isinstance(file.outcome, Translation)]

    @property
    def failed(self) -> list[Failed]:
        return [file.outcome for file in self.files if isinstance(file.outcome, Failed)]

    @property
    def changed(self) -> list[TranslatedFile]:
        """The files whose text or name differs afterwards."""
        return [
            file
            for file in self.files
            if isinstance(file.outcome, Translation) and (file.outcome.changed or file.new_path != file.path)
        ]

    @property
    def counts(self) -> Counts:
        return sum((translation.counts for translation in self.translations), Counts())

    @property
    def needs_support(self) -> bool:
        return any(translation.needs_support for translation in self.translations)

    def place(self, path: str) -> Path:
        """Where a file of the tree is on disk."""
        return self.root / path if self.root.is_dir() else self.root.parent / path


def keep_name(path: str) -> str:
    return path


KEEP_NAMES = Naming(keep_name)
"""Translation in place."""


def with_suffix(suffix: str) -> Naming:
    """``.cu`` gets another suffix, ``.hip`` is what HIP's build tools look for; headers keep their names."""
    return Naming(lambda path: path[:-3] + suffix if path.endswith(".cu") else path, gives_way=True)


def beside(suffix: str) -> Naming:
    """New names for the files that change, next to the old ones: ``x.hip`` for ``x.cu``, ``x_hip.h`` for ``x.h``."""

    def rename(path: str) -> str:
        stem, old = posixpath.splitext(path)
        return stem + suffix if old == ".cu" and suffix != ".cu" else f"{stem}_hip{old}"

    return Naming(rename, stays=lambda path: True)


def translate_text(data: bytes, options: Options = DEFAULTS, path: str = "") -> TranslatedTree:
    """One file that comes from nowhere, such as standard input. Raises UnreadableSource for what is not text."""
    source = SourceFile(path, data)
    check_depth(source)
    return translate_sources(Path(path or "-"), [(source, lex(source.view))], options)


def translate_file(file: Path, options: Options = DEFAULTS, naming: Naming = KEEP_NAMES) -> TranslatedTree:
    """One file. The files beside it that it includes are read for what they tell, and not translated."""
    if kind_of_path(file.name) not in CPP_KINDS and file.suffix != ".hip":
        raise UsageError(
            f"{file}: not a C++ or CUDA file by its name; give it on standard input to translate it anyway"
        )
    source = read_source(file.name, file)
    if isinstance(source, Failed):
        return TranslatedTree(file, (TranslatedFile(file.name, file.name, source),))
    lexed = lex(source.view)
    around = _neighbours(file.parent, source, lexed)
    return translate_sources(file, [(source, lexed)], options, naming, neighbours=around)


def translate_tree(
    root: Path,
    options: Options = DEFAULTS,
    naming: Naming = KEEP_NAMES,
    exclude: Sequence[str] = (),
    progress: Progress | None = None,
) -> TranslatedTree:
    """Every CUDA and C++ file below a folder, or one file."""
    if not root.is_dir():
        return translate_file(root, options, naming)
    # Late: what scans folders knows every language, and a single file must not wait for that.
    from rewarp.workspace import find_files

    listing = find_files(root, exclude)
    sources: list[tuple[SourceFile, Lexed]] = []
    left_out = [item for item in listing.left_out if isinstance(item, (Skipped, Failed))]
    for entry in listing.files:
        if _is_translated(entry):
            source = read_source(entry.path, Path(entry.file))
            if isinstance(source, Failed):
                left_out.append(source)
            else:
                sources.append((source, lex(source.view)))
    return translate_sources(
        root, sources, options, naming, others=_others(root, listing), left_out=left_out, progress=progress
    )


def translate_sources(
    root: Path,
    sources: Sequence[tuple[SourceFile, Lexed]],
    options: Options = DEFAULTS,
    naming: Naming = KEEP_NAMES,
    *,
    neighbours: Sequence[tuple[SourceFile, Lexed]] = (),
    others: Sequence[tuple[str, Path]] = (),
    left_out: Iterable[Skipped | Failed] = (),
    progress: Progress | None = None,
) -> TranslatedTree:
    """Files that were read already; ``neighbours`` only tell about them. See TranslatedTree for ``others``."""
    project = read_project(sources, neighbours=neighbours)
    project = replace(project, files=project.files | {path for path, _ in others})
    renamed = _moved(root, sources, options, project, naming)
    project = replace(project, renamed=renamed)
    files = [TranslatedFile(item.path, item.path, item) for item in left_out]
    names: Counter[bytes] = Counter()
    pieces = [
        Piece(source, _options_for(root, renamed.get(source.path, source.path), options, project), lexed)
        for source, lexed in sources
    ]
    done: dict[int, Translation] = {}
    for number, translation in translated(pieces):
        done[number] = translation
        if progress:
            progress(len(done), len(sources))
    for number, (source, lexed) in enumerate(sources):
        files.append(TranslatedFile(source.path, renamed.get(source.path, source.path), done[number]))
        names.update({name: len(places) for name, places in lexed.names.items()})
    _include_support_early(root, sources, files, replace(options, project=project, include_support=True))
    files.sort(key=lambda file: file.path)
    return TranslatedTree(root, tuple(files), tuple(others), project, names, options.whole_support)


def _include_support_early(
    root: Path, sources: Sequence[tuple[SourceFile, Lexed]], files: list[TranslatedFile], options: Options
) -> None:
    """What a file includes in a namespace may include the support header there: then the file has to do it before."""
    if not any(file.translation and file.translation.needs_support for file in files):
        return
    places = {file.path: index for index, file in enumerate(files)}
    for source, lexed in sources:
        index = places[source.path]
        before = files[index].translation
        if not before or not before.changed or before.needs_support:
            continue
        if includes_in_namespace(CodeFile(source, Kind.CUDA, lexed.hiding), lexed):
            own = _options_for(root, files[index].new_path, options, options.project)
            files[index] = replace(files[index], outcome=translate(source, own, lexed))


def _options_for(root: Path, path: str, options: Options, project: Project) -> Options:
    """A file's own options: it includes the support header from the root of the tree."""
    if path.startswith("../"):
        support = (root / SUPPORT_HEADER).as_posix()
    else:
        support = posixpath.relpath(SUPPORT_HEADER, posixpath.dirname(path) or ".")
    return replace(options, project=project, support=support)


def _moved(
    root: Path, sources: Sequence[tuple[SourceFile, Lexed]], options: Options, project: Project, naming: Naming
) -> dict[str, str]:
    """The files that get another name. Some only change, and so move, because what they include moves."""
    names = {source.path: _new_name(source.path, naming, project) for source, _ in sources}
    renamed = {old: new for old, new in names.items() if old != new and not naming.stays(old)}
    same = [item for item in sources if names[item[0].path] != item[0].path and item[0].path not in renamed]
    while True:
        now = replace(project, renamed=renamed)
        changed = {s.path for s, lexed in same if translate(s, _options_for(root, s.path, options, now), lexed).changed}
        if not changed:
            return renamed
        renamed = renamed | {path: names[path] for path in changed}
        same = [item for item in same if item[0].path not in changed]


def _new_name(path: str, naming: Naming, project: Project) -> str:
    new = naming.rename(path)
    is_taken = new in project.files and path.endswith(".cu") and new.endswith(".hip")
    return f"{path}.hip" if is_taken and naming.gives_way else new


def read_source(path: str, file: Path) -> SourceFile | Failed:
    """A file's text, or why there is none."""
    try:
        source = SourceFile(path, file.read_bytes())
        check_depth(source)
    except OSError as error:
        return Failed(path, f"cannot be read: {error.strerror}")
    except UnreadableSource as error:
        return Failed(path, error.reason, error.line)
    return source


def _neighbours(folder: Path, source: SourceFile, lexed: Lexed) -> list[tuple[SourceFile, Lexed]]:
    """The files that a file includes in quotes, and those that they do, as far as they lie where it says."""
    found: dict[str, tuple[SourceFile, Lexed]] = {source.path: (source, lexed)}
    pending = [source.path]
    while pending and len(found) < _NEIGHBOURS:
        path = pending.pop()
        source, lexed = found[path]
        for line in lexed.lines:
            if line.path and source.view[line.path.start : line.path.start + 1] == b'"':
                include = os.fsdecode(source.view[line.path.start + 1 : line.path.end - 1])
                target = posixpath.normpath(posixpath.join(posixpath.dirname(path), include))
                if target in found or "\0" in target or posixpath.basename(target) == SUPPORT_HEADER:
                    continue
                if (folder / target).is_file():
                    header = read_source(target, folder / target)
                    if isinstance(header, SourceFile):
                        found[target] = header, lex(header.view)
                        pending.append(target)
    return list(found.values())[1:]


def _is_translated(entry: FileEntry) -> bool:
    """C++ and CUDA; not the support header of an earlier run, whose declarations are not the project's."""
    return entry.kind in CPP_KINDS and posixpath.basename(entry.path) != SUPPORT_HEADER


def _others(root: Path, listing: Listing) -> list[tuple[str, Path]]:
    read = [entry.path for entry in listing.files if not _is_translated(entry)]
    return sorted((path, root / path) for path in (*read, *listing.unread))
