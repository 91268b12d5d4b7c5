"""CMake: an option that is off by default, and behind it HIP where the files say CUDA."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rewarp.errors import UnreadableSource
from rewarp.files import is_below
from rewarp.findings import Finding
from rewarp.fixes import CMakeFix
from rewarp.fixes.cmake import CMakePlace, Wanted
from rewarp.fixes.text import block, edited, newline_of
from rewarp.lang.cmake import CMakeCommand, CMakeFile
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.port.build.cmake_text import after, ahead, wrapped
from rewarp.port.build.relocatable import cmake_block
from rewarp.port.build.sources import HipSources, relative
from rewarp.port.changes import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.tree import Tree
from rewarp.project.build.cmake import read_top
from rewarp.project.build.units import BuildUnit
from rewarp.project.build_files import knows_hip
from rewarp.project.gates import NVIDIA
from rewarp.registry import Trait, fixes_for, is_about
from rewarp.source import SourceFile
from rewarp.targets import Target
from rewarp.translation.changes import SUPPORT_HEADER
from rewarp.verdict import blocking

_SWITCHES = ("USE_HIP", "ENABLE_HIP", "WITH_HIP", "BUILD_HIP")
_PURPOSE = "Build for AMD GPUs with HIP instead of CUDA"
_TARGETS = frozenset(
    {"add_library", "add_executable", "pybind11_add_module", "python_add_library", "nanobind_add_module"}
)
_OLD_TARGETS = frozenset({"cuda_add_library", "cuda_add_executable"})
_WHY = "CMake builds for AMD GPUs when {} is asked for; without it the same commands run as before."
_TORCH = (
    "CMake builds the extension for NVIDIA only",
    "setup.py has torch translate the sources as it builds them; CMake needs them translated (--sources beside)",
)
_FETCHING = frozenset({"externalproject_add", "fetchcontent_declare", "cpmaddpackage"})
_OF_NVIDIA = re.compile(r"github\.com[/:]NVIDIA/(?!NVTX\b)", re.I)
_WITH_CUDA = re.compile(r"-D\w*(WITH|ENABLE|USE|BUILD)_CU(DA|SPARSE|BLAS|SOLVER)(:\w+)?=(ON|TRUE|YES|1)", re.I)
_FETCHED_WHY = "how it is built for AMD, if it can be, is not in the project"
_FEW = 8
"""Sources that are named one by one rather than looked for."""
_NEWEST_NEEDED = (3, 21)
_VERSION = re.compile(r"(?<!\d)(\d+)\.(\d+)")


@dataclass
class _Project:
    """The CMake files below one outermost CMakeLists.txt with project()."""

    files: dict[str, CMakeFile] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def has_hip(self) -> bool:
        return any(knows_hip(document) for document in self.files.values())


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    fixes = dict(fixes_for(context.target.name, CMakeFix))
    findings = [f for f in tree.findings(context.target) if f.rule in fixes and kind_of_path(f.path) is Kind.CMAKE]
    if not findings:
        return result
    sources = HipSources.of(tree)
    switch = ""
    for root, project in _projects(tree, findings).items():
        if project.findings and _is_left_to_torch(root, project, tree, sources, context.target):
            rule = min(finding.rule for finding in project.findings)
            result.manual.append(Manual(posixpath.join(root, "CMakeLists.txt"), None, PortPhase.BUILD, *_TORCH, rule))
        elif project.findings and not project.has_hip:
            compiled = _compiled(tree, project)
            # Without CUDA it may well build: then what is for the GPU is left out.
            if compiled or any(blocking(f) for f in project.findings):
                switch = switch or _free_switch(tree)
                _port(project, switch, sources, context.target, result, compiled)
    return result


def switch_of(data: bytes) -> str | None:
    """The option that a port gave a CMake project to build for AMD; None where there is none."""
    head, found, _ = data.partition(f'"{_PURPOSE}"'.encode())
    return head.rpartition(b"option(")[2].split()[0].decode("ascii", "replace") if found else None


def hip_roots(tree: Tree) -> list[str]:
    """The folders of the projects that built for HIP before this port."""
    ours = tree.changes().keys()
    return [root for root, project in _projects(tree, []).items() if project.has_hip and ours.isdisjoint(project.files)]


def _is_left_to_torch(root: str, project: _Project, tree: Tree, sources: HipSources, target: Target) -> bool:
    """Whether CMake is a second way to build an extension whose sources torch translates when it builds them."""
    links = any(call.texts[:1] == ["Torch"] for d in project.files.values() for call in d.named("find_package"))
    copied = any(is_below(source, root) for source in sources.twins)
    scan = tree.scan(target)
    return links and not copied and any(is_about(f.rule, Trait.TORCH_EXTENSION) for f in (*scan.works, *scan.findings))


def _projects(tree: Tree, findings: list[Finding]) -> dict[str, _Project]:
    documents: dict[str, CMakeFile] = {}
    for path in tree.paths():
        data = tree.read(path) if kind_of_path(path) is Kind.CMAKE else None
        if data is not None:
            try:
                documents[path] = CMakeFile(SourceFile(path, data), Kind.CMAKE)
                _ = documents[path].calls
            except UnreadableSource:
                continue
    roots = sorted(
        posixpath.dirname(path)
        for path, document in documents.items()
        if path.endswith("CMakeLists.txt") and document.named("project")
    )
    found: dict[str, _Project] = {}
    for path, document in documents.items():
        root = next((root for root in roots if is_below(path, root)), posixpath.dirname(path))
        found.setdefault(root, _Project()).files[path] = document
    for project in found.values():
        project.findings = [finding for finding in findings if finding.path in project.files]
    return found


def _free_switch(tree: Tree) -> str:
    """A name that no file speaks of: only then is it certain that nobody turns it on."""
    left = list(_SWITCHES)
    ours = tree.changes().keys()
    for path in tree.paths():
        data = b"" if path in ours or path.endswith(SUPPORT_HEADER) else tree.read(path) or b""
        left = [name for name in left if name.encode() not in data]
    return left[0] if left else "BUILD_FOR_HIP"


def _compiled(tree: Tree, project: _Project) -> list[BuildUnit]:
    """What the project's build for NVIDIA compiles as CUDA."""
    tops = [path for path in project.files if _starts(path, project)]
    return [u for top in tops for u in read_top(tree.files, NVIDIA, top).units if u.language == "CUDA"]


def _port(
    project: _Project,
    switch: str,
    sources: HipSources,
    target: Target,
    result: PhaseResult,
    compiled: Sequence[BuildUnit],
) -> None:
    wanted = Wanted.of(project.files.values(), target)
    wanted.host_speaks_cuda = sources.host_speaks_cuda
    fixes = dict(fixes_for(target.name, CMakeFix))
    edits: dict[str, list[tuple[int, int, str]]] = {}
    stops = False
    for path, document in project.files.items():
        places = {rule: CMakePlace(document, wanted) for rule in fixes}
        for call in document.calls:
            if document.unreachable(call, target) or _asks_for(call, switch):
                continue
            if fetched := _fetched_for_cuda(call):
                line = document.source.line_at(call.where.start)
                rule = min(finding.rule for finding in project.findings)
                result.manual.append(Manual(path, line, PortPhase.BUILD, fetched, _FETCHED_WHY, rule, stops=True))
                stops = True
            given = (fix.mend(call, places[rule]) for rule, fix in fixes.items())
            instead, also = next((answer for answer in given if answer is not None), (None, []))
            if instead is not None:
                edits.setdefault(path, []).extend(wrapped(document, call, switch, instead))
            if also:
                edits.setdefault(path, []).extend(after(document, call, switch, also))
        left = sorted(
            (line, what, why, rule, place.stops) for rule, place in places.items() for line, what, why in place.left
        )
        result.manual += [
            Manual(path, line, PortPhase.BUILD, what, why, rule, stop) for line, what, why, rule, stop in left
        ]
        stops = stops or any(place.stops for place in places.values())
    if stops:
        return  # a build that cannot go through is worse than none
    for owner, documents in _by_owner(project).items():
        here = [unit for unit in compiled if _owner(unit.reason.file, project) == owner]
        if compiled and not here:
            continue  # no CUDA source is compiled in this folder
        if lines := _named_sources(owner, documents, sources, switch, here) or _source_block(
            owner, documents, sources, switch
        ):
            document = project.files[owner]
            linked = cmake_block(document, project.files.values(), switch, here)
            edits.setdefault(owner, []).append(_at_end(document, [*lines, *linked]))
    for path, document in project.files.items():
        if path.endswith("CMakeLists.txt") and document.named("project") and _has_below(path, edits):
            if not any(
                is_below(path, posixpath.dirname(other)) and other != path
                for other in project.files
                if _starts(other, project)
            ):
                edits.setdefault(path, []).insert(0, _option(document, switch, sources, path))
    for path, replacements in edits.items():
        rules = tuple(sorted({f.rule for f in project.findings if f.path == path}))
        data = edited(project.files[path].source, replacements)
        result.changes.append(Change(path, data, PortPhase.BUILD, _WHY.format(switch), rules))


def _fetched_for_cuda(call: CMakeCommand) -> str | None:
    """What is said of a command that brings a project from elsewhere, which is then built for CUDA."""
    if call.name not in _FETCHING or not call.texts:
        return None
    if any(_OF_NVIDIA.search(text) or _WITH_CUDA.fullmatch(text) for text in call.texts[1:]):
        return f"{call.texts[0]} is brought from elsewhere and built for CUDA"
    return None


def _by_owner(project: _Project) -> dict[str, list[CMakeFile]]:
    """By the CMakeLists.txt whose targets they make, the files; in one directory of CMake's they are one."""
    found: dict[str, list[CMakeFile]] = {}
    for path, document in project.files.items():
        if owner := _owner(path, project):
            found.setdefault(owner, []).append(document)
    return found


def _asks_for(call: CMakeCommand, switch: str) -> bool:
    return any(re.search(rf"\b{switch}\b", condition) for condition, _ in call.conditions)


def _owner(path: str, project: _Project) -> str | None:
    """The CMakeLists.txt whose targets a file makes: itself, or the nearest above a module that is included."""
    folder = posixpath.dirname(path)
    while not path.endswith("CMakeLists.txt") or path not in project.files:
        path = posixpath.join(folder, "CMakeLists.txt")
        if not folder and path not in project.files:
            return None
        folder = posixpath.dirname(folder)
    return path


def _starts(path: str, project: _Project) -> bool:
    """Whether a file begins a CMake project: what it declares reaches the folders below it."""
    return path.endswith("CMakeLists.txt") and bool(project.files[path].named("project"))


def _has_below(path: str, edits: dict[str, list[tuple[int, int, str]]]) -> bool:
    folder = posixpath.dirname(path)
    return any(is_below(other, folder) for other in edits)


def _option(document: CMakeFile, switch: str, sources: HipSources, path: str) -> tuple[int, int, str]:
    minimum = next((call for call in document.named("cmake_minimum_required") if not call.conditions), None)
    lines: list[str] = []
    if (
        minimum
        and (found := _VERSION.search(" ".join(minimum.texts)))
        and (int(found[1]), int(found[2])) < _NEWEST_NEEDED
    ):
        lines.append("  cmake_minimum_required(VERSION 3.21)  # the first with HIP as a language")
    if sources.shim:
        up = posixpath.relpath(sources.shim, posixpath.dirname(path) or ".")
        folder = f"${{CMAKE_CURRENT_SOURCE_DIR}}/{up}"
        lines += [
            "  # Headers under CUDA's names that lead to HIP's.",
            f'  include_directories(BEFORE "{folder}")',
            f'  add_compile_options("SHELL:-include \\"{folder}/cuda_to_hip.h\\"")',
        ]
    lines = [f"if({switch})", *lines, "endif()"] if lines else []
    lines.insert(0, f'option({switch} "{_PURPOSE}" OFF)')
    if minimum:
        return ahead(document, minimum, lines, behind=True)
    return ahead(document, document.named("project")[0], lines, behind=False)


def _named_sources(
    owner: str, documents: list[CMakeFile], sources: HipSources, switch: str, compiled: Sequence[BuildUnit]
) -> list[str]:
    """The command that makes CMake compile sources as HIP by their names, where the file itself names each of them."""
    folder = posixpath.dirname(owner)
    names = sorted({relative(unit.source, folder) for unit in compiled})
    text = b"".join(document.source.view for document in documents)
    if not names or len(names) > _FEW or any(unit.source in sources.twins for unit in compiled):
        return []
    if any(os.fsencode(posixpath.basename(name)) not in text or " " in name for name in names):
        return []
    return [f"if({switch})", f"  set_source_files_properties({' '.join(names)} PROPERTIES LANGUAGE HIP)", "endif()"]


def _source_block(owner: str, documents: list[CMakeFile], sources: HipSources, switch: str) -> list[str]:
    """Commands at the end of a file that make its targets compile their CUDA sources as HIP."""
    made = any(
        call.name in _TARGETS | _OLD_TARGETS and "IMPORTED" not in call.texts
        for document in documents
        for call in document.calls
    )
    folder = posixpath.dirname(owner)
    copied = [source for source in sources.twins if is_below(source, folder)]
    names = [b".cu", *(os.fsencode(posixpath.basename(source)) for source in copied)]
    if not made or not any(name in document.source.view for document in documents for name in names):
        return []
    lines = [
        f"if({switch})",
        "  get_property(hip_targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)",
        "  foreach(hip_target IN LISTS hip_targets)",
        "    get_target_property(hip_sources ${hip_target} SOURCES)",
    ]
    if copied:
        lines += _TRANSLATED
    return [
        *lines,
        '    list(FILTER hip_sources INCLUDE REGEX "\\\\.cu>*$")',
        '    list(TRANSFORM hip_sources REPLACE "^.*:([^:]*\\\\.cu)>+$" "\\\\1")  # out of generator expressions',
        "    set_source_files_properties(${hip_sources} PROPERTIES LANGUAGE HIP)",
        "  endforeach()",
        "endif()",
    ]


_TRANSLATED = [
    "    # The translated copy of a source, where there is one.",
    "    set(hip_copies)",
    "    foreach(hip_source IN LISTS hip_sources)",
    '      string(REGEX REPLACE "\\\\.cu$" "" hip_copy "${hip_source}")',
    '      get_filename_component(hip_copy "${hip_copy}.hip" ABSOLUTE)',
    '      if(EXISTS "${hip_copy}")',
    '        list(APPEND hip_copies "${hip_copy}")',
    "      else()",
    '        list(APPEND hip_copies "${hip_source}")',
    "      endif()",
    "    endforeach()",
    "    set(hip_sources ${hip_copies})",
    "    if(hip_sources)",
    '      set_property(TARGET ${hip_target} PROPERTY SOURCES "${hip_sources}")',
    "    endif()",
]


def _at_end(document: CMakeFile, lines: list[str]) -> tuple[int, int, str]:
    source = document.source
    size = len(source.view)
    end = newline_of(source)
    first = "" if source.view.endswith(b"\n") or not size else end
    return size, size, first + end + block(lines, source)
