"""CMake: an option that is off by default, and behind it HIP where the files say CUDA."""

from __future__ import annotations

import os
import posixpath
import re
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
from rewarp.port.build.sources import HipSources
from rewarp.port.model import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.tree import Tree
from rewarp.project.build_files import knows_hip
from rewarp.registry import Trait, fixes_for, is_about
from rewarp.source import SourceFile
from rewarp.targets import Target
from rewarp.translation.model import SUPPORT_HEADER
from rewarp.verdict import blocking

_SWITCHES = ("USE_HIP", "ENABLE_HIP", "WITH_HIP", "BUILD_HIP")
_TARGETS = frozenset(
    {"add_library", "add_executable", "pybind11_add_module", "python_add_library", "nanobind_add_module"}
)
_OLD_TARGETS = frozenset({"cuda_add_library", "cuda_add_executable"})
_WHY = "CMake builds for AMD GPUs when {} is asked for; without it the same commands run as before."
_TORCH = (
    "CMake builds the extension for NVIDIA only",
    "setup.py has torch translate the sources as it builds them; CMake needs them translated (--sources beside)",
)
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
        elif project.findings and not project.has_hip and any(blocking(f) for f in project.findings):
            switch = switch or _free_switch(tree)
            _port(project, switch, sources, context.target, result)
    return result


def hip_roots(tree: Tree) -> list[str]:
    """The folders of the projects that build for HIP already."""
    return [root for root, project in _projects(tree, []).items() if project.has_hip]


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


def _port(project: _Project, switch: str, sources: HipSources, target: Target, result: PhaseResult) -> None:
    wanted = Wanted.of(project.files.values(), target)
    fixes = dict(fixes_for(target.name, CMakeFix))
    edits: dict[str, list[tuple[int, int, str]]] = {}
    blocks: dict[str, list[str]] = {}
    for path, document in project.files.items():
        places = {rule: CMakePlace(document, wanted) for rule in fixes}
        for call in document.calls:
            if document.unreachable(call, target) or _asks_for(call, switch):
                continue
            given = (fix.mend(call, places[rule]) for rule, fix in fixes.items())
            instead, also = next((answer for answer in given if answer is not None), (None, []))
            if instead is not None:
                edits.setdefault(path, []).extend(wrapped(document, call, switch, instead))
            if also:
                edits.setdefault(path, []).extend(after(document, call, switch, also))
        left = sorted((line, what, why, rule) for rule, place in places.items() for line, what, why in place.left)
        result.manual += [Manual(path, line, PortPhase.BUILD, what, why, rule) for line, what, why, rule in left]
        owner = _owner(path, project)
        if owner and owner not in blocks and (lines := _source_block(owner, document, sources, switch)):
            blocks[owner] = lines
    for path, lines in blocks.items():
        edits.setdefault(path, []).append(_at_end(project.files[path], lines))
    for path, document in project.files.items():
        if path.endswith("CMakeLists.txt") and document.named("project") and _has_below(path, edits):
            edits.setdefault(path, []).insert(0, _option(document, switch, sources, path))
    for path, replacements in edits.items():
        rules = tuple(sorted({f.rule for f in project.findings if f.path == path}))
        data = edited(project.files[path].source, replacements)
        result.changes.append(Change(path, data, PortPhase.BUILD, _WHY.format(switch), rules))


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


def _has_below(path: str, edits: dict[str, list[tuple[int, int, str]]]) -> bool:
    folder = posixpath.dirname(path)
    return any(is_below(other, folder) for other in edits)


def _option(document: CMakeFile, switch: str, sources: HipSources, path: str) -> tuple[int, int, str]:
    minimum = next((call for call in document.named("cmake_minimum_required") if not call.conditions), None)
    lines = [f'option({switch} "Build for AMD GPUs with HIP instead of CUDA" OFF)']
    if (
        minimum
        and (found := _VERSION.search(" ".join(minimum.texts)))
        and (int(found[1]), int(found[2])) < _NEWEST_NEEDED
    ):
        lines += [
            f"if({switch})",
            "  cmake_minimum_required(VERSION 3.21)  # the first with HIP as a language",
            "endif()",
        ]
    if sources.shim:
        up = posixpath.relpath(sources.shim, posixpath.dirname(path) or ".")
        folder = f"${{CMAKE_CURRENT_SOURCE_DIR}}/{up}"
        lines += [
            f"if({switch})",
            "  # Headers under CUDA's names that lead to HIP's.",
            f'  include_directories(BEFORE "{folder}")',
            f'  add_compile_options("SHELL:-include \\"{folder}/cuda_to_hip.h\\"")',
            "endif()",
        ]
    if minimum:
        return ahead(document, minimum, lines, behind=True)
    return ahead(document, document.named("project")[0], lines, behind=False)


def _source_block(owner: str, document: CMakeFile, sources: HipSources, switch: str) -> list[str]:
    """Commands at the end of a file that make its targets compile their CUDA sources as HIP."""
    made = [call for call in document.calls if call.name in _TARGETS | _OLD_TARGETS and "IMPORTED" not in call.texts]
    folder = posixpath.dirname(owner)
    copied = [source for source in sources.twins if is_below(source, folder)]
    named = any(os.fsencode(posixpath.basename(source)) in document.source.view for source in copied)
    if not made or not (named or any(_may_have_cuda(call, document) for call in made)):
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
        '    list(FILTER hip_sources INCLUDE REGEX "\\\\.cu$")',
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


def _may_have_cuda(call: CMakeCommand, document: CMakeFile) -> bool:
    texts = call.texts[1:]
    return any(text.endswith(".cu") for text in texts) or (
        b".cu" in document.source.view and any("${" in text for text in texts)
    )


def _at_end(document: CMakeFile, lines: list[str]) -> tuple[int, int, str]:
    source = document.source
    size = len(source.view)
    end = newline_of(source)
    first = "" if source.view.endswith(b"\n") or not size else end
    return size, size, first + end + block(lines, source)
