"""What a project tells that none of its files tells alone.

A code base that supports HIP often says so in one header: ``#define cudaMalloc hipMalloc``
stands there, or a macro such as ``TURING_MMA_AVAILABLE`` that is defined for NVIDIA only.
``read`` goes over the C++ files once, before the scan, and finds

- macros that the project defines only where the target's compiler does not look, or only in comments, and that no
  build file mentions: they are not defined on the target;
- CUDA names that a header supplies on the target, and the files which that header reaches;
- macros that are defined only where ``__CUDA_ARCH__`` is, and names such as ``cudaCheck`` that are the project's own;
- names for a warp's size and for masks of lanes that a header fixes at 32 (see ``rewarp.waves``);
- the Python packages that the project itself consists of;
- Dockerfiles and requirement lists that have a sibling for the target;
- functions that compare the GPU's compute capability on every platform;
- sources that torch's extension build translates, and packages that the project asks for in their build for the target.

In doubt a macro may be defined and a name is not supplied, so that a finding stays. A file that
cannot be read is left out here and reported by the scan.
"""

from __future__ import annotations

import ast
import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from rewarp.errors import UnreadableSource
from rewarp.lang.cpp.file import Branch, CodeFile, check_depth, is_declaration
from rewarp.lang.cpp.includes import Headers, IncludeMap
from rewarp.lang.kinds import CPP_KINDS, Kind
from rewarp.project.build.losses import Losses
from rewarp.source import SourceFile
from rewarp.tables import cuda
from rewarp.targets.base import ProjectFacts, Target
from rewarp.waves.reading import facts as lanes
from rewarp.workspace import FileEntry

_ROUNDS = 3
_FOR_TARGET = {
    "rocm": re.compile(r"(?i)(^|[._-])(rocm|hip|amd)\d*([._-]|$)"),
    "gaudi": re.compile(r"(?i)(^|[._-])(hpu|gaudi\d?|habana)([._-]|$)"),
}
_CUDA_NAMED = re.compile(r"(?<![a-z])(?:cuda|nvidia|cu(?=_?file))(?![0-9])")
_TARGET_WORDS = {"rocm": ("rocm", "hip", "amd"), "gaudi": ("hpu", "gaudi", "habana")}
_PACKAGE = re.compile(r"(?:(?:src|python|lib)/)?(\w+)/__init__\.pyi?|(?:\w+/){0,3}(\w+)/(?:\2|python)/__init__\.pyi?")
_OUTLINE = re.compile(
    rb"#[ \t]*(?:define[ \t]+([A-Za-z_]\w*)([^\r\n]*)|include[ \t]*[<\"]([^>\"\r\n]+)"
    rb"|(?:el)?if((?:n?def)?\b(?:\\\r?\n|[^\r\n])*))"
)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_HIP = re.compile(rb"\b(?:__)?(?:hip|HIP|roc)\w*")
_HIP_HEADER = re.compile(r"(?:hip|roc)\w*/.*")
_CUDA = re.compile(
    rb"(?:cu[A-Z]|cuda|cu(?:blas|dnn|fft|rand|sparse|solver)|CU|nccl|NCCL|nv[A-Z_])\w*|__\w+_sync|__syncwarp|__CUDA_ARCH__"
)
_CUDA_LIKE = re.compile(rb"(?i)cu|nccl|nv")
_DEFINE = re.compile(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)")
_SUPPLY = re.compile(
    _DEFINE.pattern + rb"((?:\\\r?\n|[^\r\n])*)"
    rb"|\btypedef\s(?P<type>[^;{}()]{1,200})\b(?P<typedef>\w+)\s*;|\busing\s+(?P<using>\w+)\s*=(?P<same>[^;]*)"
    rb"|\b(?P<function>(?:__|cu|nv)\w*)\s*\([^;{}()]*\)\s*\{"
)
_ARCH = "__CUDA_ARCH__"
_CALL = re.compile(rb"cu(?:da|blas(?:Lt)?|fft|rand|sparse|solver)?[A-Z]\w{0,200}(?!\w)(?=[ \t]*\()")
_PLATFORM_NAMED = re.compile(r"(?i)hip|rocm|amd|_*(is|on)_(cuda|nvidia)(_\w+)?")
_OUTSIDE = re.compile(r"_\w*|\w*_VERSION")
_PROGRAMS = frozenset({Kind.PYTHON, Kind.RUST, Kind.NOTEBOOK})
"""Kinds that build scripts are written in, and a lot else."""
_EXTENSION_BUILD = (b"CUDAExtension", b"cpp_extension", b"hipify_python")
_SOURCE_NAMED = re.compile(rb"[\"']([\w./-]+\.(?:cu|cpp|cc|cxx|c))[\"']")
_GONE_FROM_TORCH = frozenset({b"AT_CHECK", b"THCudaCheck", b"THCCeilDiv", b"THCudaMalloc", b"THCudaFree"})
_MACROS_GIVEN = (b"-D", b"#define", b"define_macros", b".define(")


def read(
    files: Iterable[FileEntry],
    target: Target,
    max_size: int,
    losses: Losses | None = None,
    asked_for: frozenset[str] = frozenset(),
    gate_names: frozenset[tuple[str, str, bool]] = frozenset(),
) -> ProjectFacts:
    """What the project's files together say about the target. ``losses``: of its build scripts there; ``asked_for``: modules that
    nothing imports without a condition; ``gate_names``: what such names are on the target."""
    losses = losses or Losses()
    found = _read(list(files), target, max_size, losses)
    packages = found.packages | losses.extensions
    return replace(
        found,
        left_out=losses.left_out,
        refused=losses.refused,
        packages=packages,
        device_extensions=losses.device_extensions,
        asked_for=asked_for,
        gate_names=gate_names,
    )


def _read(files: list[FileEntry], target: Target, max_size: int, losses: Losses) -> ProjectFacts:
    packages = frozenset(match[1] or match[2] for entry in files if (match := _PACKAGE.fullmatch(entry.path)))
    doubled = _doubled(files, target)
    if not target.has_macros:
        return ProjectFacts(packages=packages, doubled=doubled)
    project = _Project([entry for entry in files if entry.size <= max_size], target, losses.put_before)
    undefined = project.undefined_macros(losses.undefined)
    aliases = project.aliases(replace(target, undefined_macros=undefined))
    includers = project.includers({header for _, header in aliases})
    reaching = {header for _, header in includers}
    supplied = frozenset(alias for alias in aliases if alias[1] in reaching)
    arch = frozenset[str]() if any(name == _ARCH for name, _ in supplied) else project.arch_macros(undefined)
    macros, functions = project.own_names()
    widths, masks = project.lane_names(replace(target, undefined_macros=undefined))
    return ProjectFacts(
        undefined,
        supplied,
        includers,
        arch,
        macros,
        functions,
        packages,
        doubled,
        widths,
        masks,
        project.fixed_width(),
        project.hipified(losses.hipified),
        _capability_helpers(files, max_size),
        torch_names=project.torch_names(),
    )


def _capability_helpers(files: Iterable[FileEntry], max_size: int) -> frozenset[str]:
    """Functions of the project's Python that compare the compute capability, whatever the platform."""
    found: set[str] = set()
    for entry in files:
        data = _data(entry) if entry.kind is Kind.PYTHON and entry.size <= max_size else b""
        if b"get_device_capability" not in data:
            continue
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError, RecursionError):
            continue
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        found.update(function.name for function in functions if _compares_capability(function))
    return frozenset(found)


def _compares_capability(function: ast.FunctionDef) -> bool:
    inside = list(ast.walk(function))
    names = {node.attr for node in inside if isinstance(node, ast.Attribute)}
    names |= {node.id for node in inside if isinstance(node, ast.Name)}
    compares = any(isinstance(node, ast.Compare) for node in inside)
    asks = any(map(_PLATFORM_NAMED.search, names)) or any(map(_is_version_of_cuda, inside))
    return compares and "get_device_capability" in names and not asks


def _is_version_of_cuda(node: ast.AST) -> bool:
    """``torch.version.cuda``, which only NVIDIA's build has."""
    return isinstance(node, ast.Attribute) and node.attr == "cuda" and getattr(node.value, "attr", "") == "version"


def _doubled(files: Iterable[FileEntry], target: Target) -> frozenset[str]:
    """Dockerfiles and the like in a folder that also has one for the target, ``Dockerfile.rocm`` say."""
    for_target = _FOR_TARGET[target.name]
    by_place: dict[tuple[str, Kind], list[str]] = defaultdict(list)
    for entry in files:
        if entry.kind in (Kind.DOCKERFILE, Kind.REQUIREMENTS, Kind.COMPOSE):
            by_place[posixpath.dirname(entry.path), entry.kind].append(entry.path)
    sided = frozenset(
        path
        for paths in by_place.values()
        if any(for_target.search(posixpath.basename(path)) for path in paths)
        for path in paths
        if not for_target.search(posixpath.basename(path))
    )
    return sided | _twins([entry.path for entry in files if entry.kind in (Kind.PYTHON, Kind.YAML)], target)


def _twins(paths: list[str], target: Target) -> frozenset[str]:
    """Modules and manifests that have one of the same name for the target beside them: ``cuda.py`` and ``rocm.py``,
    ``engine.yaml`` and ``engine_amd.yaml``."""
    known = frozenset(paths)
    found: set[str] = set()
    for path in paths:
        folder, name = posixpath.split(path)
        stem, suffix = posixpath.splitext(name)
        for word in _TARGET_WORDS[target.name]:
            names = [_CUDA_NAMED.sub(word, name)] if _CUDA_NAMED.search(name) else []
            names += [f"{stem}{joint}{word}{suffix}" for joint in "_-."] if suffix != ".py" else []
            if any(posixpath.join(folder, other) in known for other in names):
                found.add(path)
    return frozenset(found)


@dataclass
class _Outline:
    """What the preprocessor lines of a file show at a glance, comments included."""

    entry: FileEntry
    defines: set[bytes] = field(default_factory=set)
    commented: set[bytes] = field(default_factory=set)
    """Macros whose definition stands behind ``//``."""
    tests: set[bytes] = field(default_factory=set)
    """The words in its conditions."""
    includes: set[str] = field(default_factory=set)
    functions: set[bytes] = field(default_factory=set)
    """CUDA-looking functions that no table lists and it seems to declare."""
    aliases: bool = False
    """Whether it defines a CUDA name as one of HIP's."""
    gives_lanes: bool = False
    """Whether it seems to give a number to a name for a warp's size or a mask of lanes."""
    asks_width: bool = False
    """Whether it speaks of the hardware's own width."""
    exchanges: bool = False
    """Whether lanes seem to exchange values in it."""

    @classmethod
    def of(cls, entry: FileEntry) -> _Outline:
        self = cls(entry)
        try:
            text = SourceFile(entry.path, _data(entry)).view
        except UnreadableSource:
            text = b""
        for match in _OUTLINE.finditer(text):
            name, body, include, test = match.groups(default=b"")
            if name and b"//" in text[text.rfind(b"\n", 0, match.start()) + 1 : match.start()]:
                self.commented.add(name)
            elif name:
                self.defines.add(name)
                is_alias = _HIP.search(body) or name.endswith(b"_sync")
                self.aliases = self.aliases or bool(is_alias and _is_cuda(name))
            elif include:
                self.includes.add(include.decode("utf-8", "replace").strip())
            else:
                self.tests.update(_WORD.findall(test))
        known = cuda.names()
        for match in _CALL.finditer(text):
            if match[0] not in known and match[0] not in self.functions and is_declaration(text, match.start()):
                self.functions.add(match[0])
        self.gives_lanes = lanes.GIVES_LANES.search(text) is not None
        self.asks_width, self.exchanges = b"warpSize" in text, b"__shfl_" in text
        return self

    @cached_property
    def document(self) -> CodeFile | None:
        try:
            document = CodeFile(SourceFile(self.entry.path, _data(self.entry)), self.entry.kind)
            check_depth(document.source, self.entry.kind)
            _ = document.directives
        except UnreadableSource:
            return None
        return document


def _data(entry: FileEntry) -> bytes:
    try:
        return entry.read()
    except OSError:
        return b""


class _Project:
    def __init__(
        self, files: list[FileEntry], target: Target, put_before: frozenset[tuple[str, str]] = frozenset()
    ) -> None:
        self.files = files
        self.target = target
        self.outlines = [_Outline.of(entry) for entry in files if entry.kind in CPP_KINDS]
        for outline in self.outlines if put_before else ():
            # To the preprocessor it is the first include of the source.
            outline.includes |= {header for source, header in put_before if source == outline.entry.path}

        @cache
        def means_target(word: bytes) -> bool:
            return bool(target.true_macros.fullmatch(word.decode()))

        self._hidden: dict[str, set[bytes]] = {}
        """By file, the macros that the target does not see defined there."""
        self.aware = [outline for outline in self.outlines if any(map(means_target, outline.tests))]
        """The files that tell the target from other platforms."""

    def torch_names(self) -> frozenset[tuple[str, str]]:
        """By file, the names that torch has no more and a header of the project defines, which the file includes."""
        headers = {
            outline.entry.path: outline.defines & _GONE_FROM_TORCH - self._hidden.get(outline.entry.path, set())
            for outline in self.outlines
            if not outline.defines.isdisjoint(_GONE_FROM_TORCH)
        }
        return frozenset(
            (file, name.decode()) for file, header in self.includers(set(headers)) for name in headers[header]
        )

    # --- macros ---------------------------------------------------------------------

    def undefined_macros(self, lost: frozenset[str]) -> frozenset[str]:
        """Macros defined only where the target does not look, or only in comments; one such macro may hide the definition of
        another. ``lost``: those that the build gives elsewhere, and not there."""
        defined = set[bytes]().union(*(outline.defines for outline in self.outlines)) if lost else set[bytes]()
        names = {name.encode() for name in lost} - defined | {name.encode() for name in self._commented_out}
        asking = [outline for outline in self.outlines if names and not names.isdisjoint(outline.tests)]
        return self._undefined(frozenset(name.decode() for name in names), [*self.aware, *asking])

    @cached_property
    def _commented_out(self) -> frozenset[str]:
        """Macros whose definition is commented out, and that nothing else defines."""
        names = set[bytes]().union(*(outline.commented for outline in self.outlines)) & self._tested
        names -= set[bytes]().union(*(outline.defines for outline in self.outlines)) if names else set()
        return frozenset(name.decode() for name in names if not self._has_other_source(name))

    def arch_macros(self, undefined: frozenset[str]) -> frozenset[str]:
        """Macros that are undefined where ``__CUDA_ARCH__`` is."""
        known = undefined | {_ARCH}
        return self._undefined(known, [outline for outline in self.outlines if _ARCH.encode() in outline.tests]) - known

    def _undefined(self, undefined: frozenset[str], affected: list[_Outline]) -> frozenset[str]:
        hidden = self._hidden
        for _ in range(_ROUNDS):
            target = replace(self.target, undefined_macros=undefined)
            for outline in affected:
                if outline.defines and outline.document:
                    hidden[outline.entry.path] = _hidden(outline.document, target)
            names = set[bytes]().union(*hidden.values()) & self._tested
            for outline in self.outlines if names else ():
                names -= outline.defines - hidden.get(outline.entry.path, set())
            new = {name for name in names if name.decode() not in undefined and not self._has_other_source(name)}
            if not new:
                break
            undefined |= {name.decode() for name in new}
            affected = [outline for outline in self.outlines if not new.isdisjoint(outline.tests)]
        return undefined

    @cached_property
    def _tested(self) -> set[bytes]:
        """The words in all conditions: what a macro that is none of them is, nobody asks."""
        return set[bytes]().union(*(outline.tests for outline in self.outlines))

    def _has_other_source(self, name: bytes) -> bool:
        """Whether the compiler, a toolkit header or the build may define a macro as well."""
        text = name.decode()
        if _OUTSIDE.fullmatch(text) or self.target.macro(text) is not None or name in cuda.names():
            return True
        return name in self._build_words

    @cached_property
    def _build_words(self) -> frozenset[bytes]:
        """Every word of the files that can hand macros to a compiler."""
        found: set[bytes] = set()
        for entry in self.files:
            if entry.kind not in CPP_KINDS:
                data = _data(entry)
                if entry.kind not in _PROGRAMS or any(text in data for text in _MACROS_GIVEN):
                    found.update(_WORD.findall(data.replace(b"-D", b"-D ")))
        return frozenset(found)

    # --- own names ------------------------------------------------------------------

    def own_names(self) -> tuple[frozenset[str], frozenset[str]]:
        """CUDA-looking macros and functions that the project defines and NVIDIA does not."""
        macros = set[bytes]().union(*(outline.defines for outline in self.outlines))
        macros = {name for name in macros if _CUDA_LIKE.match(name) and name not in cuda.names()}
        functions = {
            name
            for outline in self.outlines
            if outline.functions and (document := outline.document)
            for name in outline.functions - macros
            if any(is_declaration(document.code, at) for at in document.words.get(name, ()))
        }
        return frozenset(name.decode() for name in macros), frozenset(name.decode() for name in functions)

    # --- lanes ----------------------------------------------------------------------

    def lane_names(self, target: Target) -> tuple[frozenset[str], frozenset[str]]:
        """Names for a warp's size that is 32 wherever it is set, and for masks of 32 lanes."""
        if not any(outline.entry.kind is Kind.CUDA for outline in self.outlines):
            return frozenset(), frozenset()
        telling = (outline.document for outline in self.outlines if outline.gives_lanes)
        found = lanes.read((document for document in telling if document), target)
        widths = found.widths
        for outline in self.outlines:
            defined = {name for name in widths if name.encode() in outline.defines}
            if defined and outline.document:
                widths -= lanes.sets_otherwise(outline.document, defined, target)
        return widths, found.masks

    def fixed_width(self) -> frozenset[str]:
        """Files that exchange values between lanes; none where some file asks for ``warpSize``."""
        if any(outline.asks_width for outline in self.outlines):
            return frozenset()
        return frozenset(outline.entry.path for outline in self.outlines if outline.exchanges)

    # --- translated by torch ----------------------------------------------------------

    def hipified(self, built: frozenset[str]) -> frozenset[str]:
        """The sources of torch's extensions, and the headers they reach: on ROCm the build compiles translated copies of all of
        them. ``built`` are those that the build model knows; where it could not follow a script, those that Python code lists."""
        if self.target.name != "rocm":
            return frozenset()
        return self._include_map.reached(built | self._listed_for_torch())

    def _listed_for_torch(self) -> frozenset[str]:
        """None, where another build compiles one of them as it is."""
        texts = [_data(entry) for entry in self.files if entry.kind is Kind.PYTHON]
        # A function of the project may hand the sources that others name on to torch.
        words = (
            (*_EXTENSION_BUILD, b"sources=") if any(b"cpp_extension" in text for text in texts) else _EXTENSION_BUILD
        )
        named = {
            posixpath.normpath(name.decode())
            for text in texts
            if any(word in text for word in words)
            for name in _SOURCE_NAMED.findall(text)
        }
        built = [_data(entry) for entry in self.files if entry.kind in (Kind.CMAKE, Kind.MAKE)] if named else []
        if not named or any(os.fsencode(posixpath.basename(name)) in text for text in built for name in named):
            return frozenset()
        headers = Headers(self._includes)
        return frozenset(
            path
            for name in named
            for path in headers.ending_with(name)
            if "/" in name or len(headers.ending_with(name)) == 1
        )

    @cached_property
    def _includes(self) -> dict[str, set[str]]:
        return {outline.entry.path: outline.includes for outline in self.outlines}

    @cached_property
    def _include_map(self) -> IncludeMap:
        return IncludeMap(self._includes)

    # --- aliases --------------------------------------------------------------------

    def aliases(self, target: Target) -> frozenset[tuple[str, str]]:
        """(name, header): CUDA names that a header supplies on the target."""
        included = {path.rpartition("/")[2] for outline in self.outlines for path in outline.includes}
        telling = {id(outline) for outline in self.aware}
        found: set[tuple[str, str]] = set()
        for outline in self.outlines:
            path = outline.entry.path
            if path.rpartition("/")[2] in included and (outline.aliases or id(outline) in telling) and outline.document:
                found.update((name.decode(), path) for name in _supplied(outline.document, target))
        return frozenset(found)

    def includers(self, headers: set[str]) -> frozenset[tuple[str, str]]:
        """(file, header): the files that these headers reach through includes."""
        if not headers:
            return frozenset()
        direct = self._include_map.includers
        return frozenset((file, header) for header in headers for file in _reached(header, direct))


def _reached(header: str, direct: dict[str, set[str]]) -> set[str]:
    """The files that include a header, by way of others too, and those that are only ever included after it.
    ``direct`` are the includers of each file."""
    reached, pending = {header}, {header}
    while pending:
        new = set[str]().union(*(direct.get(file, ()) for file in pending))
        new |= {file for file, includers in direct.items() if includers <= reached}
        pending = new - reached
        reached |= pending
    return reached - {header}


def _is_cuda(name: bytes) -> bool:
    return bool(_CUDA.fullmatch(name)) or name in cuda.names()


def _around(at: int, branches: list[Branch]) -> Iterator[Branch]:
    return (branch for branch in branches if branch.where.start <= at < branch.where.end)


def _hidden(document: CodeFile, target: Target) -> set[bytes]:
    """Macros that the target's compiler does not see defined in this file."""
    branches = document.branches(target)
    dead = [branch for branch in branches if branch.compiled is False]
    hidden: set[bytes] = set()
    visible: set[bytes] = set()
    for match in _DEFINE.finditer(document.code):
        name, at = match[1], match.start()
        is_dead = any(_around(at, dead)) and not _is_default(name, _around(at, branches))
        (hidden if is_dead else visible).add(name)
    return hidden - visible


def _is_default(name: bytes, around: Iterable[Branch]) -> bool:
    """Whether a definition stands under ``#ifndef`` of its own name: something else may define it."""
    return any(name in _WORD.findall(branch.test.condition.encode()) for branch in around)


def _supplied(document: CodeFile, target: Target) -> set[bytes]:
    """CUDA names that a file defines where the target's compiler sees it, as something else than themselves."""
    branches = [branch for branch in document.branches(target) if not branch.test.include_guard]
    found: set[bytes] = set()
    unsure: set[bytes] = set()
    for match in _SUPPLY.finditer(document.code):
        name = match[1] or match["typedef"] or match["using"] or match["function"]
        meaning = match[2] or match["type"] or match["same"] or b""
        if not _is_cuda(name):
            continue
        around = [branch.compiled for branch in _around(match.start(match.lastindex or 0), branches)]
        if False in around or name in _WORD.findall(meaning):
            continue
        (found if True in around or _HIP.search(meaning) else unsure).add(name)
    return found | unsure if _is_for_target(document, branches, len(found) > len(unsure)) else found


def _is_for_target(document: CodeFile, branches: list[Branch], mostly_aliases: bool) -> bool:
    """Whether only a build for HIP can include the file: it needs HIP's headers, or is mostly aliases to HIP."""
    needs_hip = any(
        _HIP_HEADER.fullmatch(include.path) and not any(_around(include.where.start, branches))
        for include in document.includes
    )
    return needs_hip or mostly_aliases
