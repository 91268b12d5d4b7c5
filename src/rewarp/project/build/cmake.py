"""The units of CMake builds, one build for each file that begins a project, under the switches of a platform."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from rewarp.errors import UnreadableSource
from rewarp.lang.cmake.blocks import calls_in, read_blocks
from rewarp.lang.cmake.build import LANGUAGE_OF, evaluate
from rewarp.lang.cmake.conditions import constant
from rewarp.lang.cmake.file import CMakeFile
from rewarp.lang.cmake.outcome import CMakeBuild, CMakeUnit, Conditional
from rewarp.lang.cmake.setting import Setting
from rewarp.lang.kinds import Kind
from rewarp.project.build.settings import BUILD, ROOT, setting_of, with_hipcc
from rewarp.project.build.switches import platform_of, switches_for
from rewarp.project.build.units import BuildUnit, Given, Part, Reason, Switch
from rewarp.project.gates import ROCM, Platform
from rewarp.source import SourceFile
from rewarp.workspace import Tree

_NAME = "CMakeLists.txt"
_ROUNDS = 4
"""A switch may bring others to light: how often that is followed."""
_MOST_TOPS = 400
_COMPARED = re.compile(r"""\b([A-Za-z]\w{0,80})\}?"?\s{1,20}STREQUAL\s{1,20}"?(\w{1,40})""")
_TRANSLATED = re.compile(r"_hip(?=\.\w+$)|(?<=\.)hip$")
_tops: WeakKeyDictionary[Tree, list[str]] = WeakKeyDictionary()
_parts: WeakKeyDictionary[Tree, dict[tuple[str, str], Part]] = WeakKeyDictionary()


def read_cmake(tree: Tree, platform: Platform) -> Part:
    """What every CMake project of a tree compiles on a platform."""
    return Part.joined(read_top(tree, platform, top) for top in tops(tree))


def tops(tree: Tree) -> list[str]:
    """The files that a user runs CMake on: with project(), and in a folder that no other of them adds. Asked once for each
    tree."""
    if tree not in _tops:
        _tops[tree] = _find_tops(tree)
    return _tops[tree]


def _find_tops(tree: Tree) -> list[str]:
    files = sorted(
        (path for path in tree.entries if path.endswith(_NAME) and posixpath.basename(path) == _NAME),
        key=lambda path: (path.count("/"), path),
    )
    begins: list[str] = []
    added: list[tuple[str, str]] = []
    for path in files:
        names, folders = _outline(tree, path)
        if "project" in names or path == _NAME:  # at the top CMake takes it as said
            begins.append(path)
        added += [(posixpath.dirname(path), folder) for folder in folders]
    found = [path for path in begins if not _is_added(posixpath.dirname(path), added)]
    return found[:_MOST_TOPS]


def _outline(tree: Tree, path: str) -> tuple[set[str], list[str]]:
    """The commands of a file, and the folders that it adds, as they are written."""
    try:
        calls = CMakeFile(SourceFile(path, tree.read(path) or b""), Kind.CMAKE).calls
    except UnreadableSource:
        return set(), []
    folders = [call.texts[0] for call in calls if call.name == "add_subdirectory" and call.texts]
    return {call.name for call in calls}, folders


def _is_added(folder: str, added: Iterable[tuple[str, str]]) -> bool:
    for where, text in added:
        plain = re.sub(r"^\$\{(?:CMAKE_CURRENT_SOURCE_DIR|CMAKE_CURRENT_LIST_DIR)\}/", "", text)
        if "$" not in plain:
            if folder and posixpath.normpath(posixpath.join(where, plain)) == folder:
                return True
        # What a variable stands for is not asked: the end of the path is telling enough.
        elif (end := plain.rpartition("}")[2].strip("/")) and f"/{folder}".endswith(f"/{end}"):
            return True
        elif not end and folder and posixpath.dirname(folder) == where:
            return True  # add_subdirectory(${name}) in a loop
    return False


@dataclass(frozen=True)
class _Configured:
    build: CMakeBuild
    switches: tuple[Switch, ...]
    given: frozenset[str] = frozenset()


def read_top(tree: Tree, platform: Platform, top: str) -> Part:
    """What one CMake project compiles on a platform. Evaluated once for each tree."""
    known = _parts.setdefault(tree, {})
    key = platform.name, top
    if key not in known:
        known[key] = _read_top(tree, platform, top)
    return known[key]


def _read_top(tree: Tree, platform: Platform, top: str) -> Part:
    configured = _configured(tree, platform, top)
    build = configured.build
    refusals = tuple((Reason(*reason), why) for reason, why in build.refusals)
    units = () if refusals else tuple(_units(tree, build))
    unread = tuple((Reason(*reason), why) for reason, why in build.unread)
    given = tuple(sorted(configured.given))
    ran = [(path, frozenset(lines)) for path, lines in build.ran.items()]
    if build.stopped and not refusals:
        ran.append(("", frozenset()))
    off = dict.fromkeys([*_off(build, configured.switches), *_not_given(tree, build)], False)
    macros = tuple(sorted({**off, **build.configured}.items()))
    return Part(units, (top,), configured.switches, unread, refusals, given, macros, tuple(ran))


_DEFINITION = re.compile(r"-D([A-Za-z_]\w*)")
_WORD = re.compile(r"(?<![\w$<:])[A-Za-z_]\w*|(?<=:)[A-Za-z_]\w*")


def _off(build: CMakeBuild, switches: Iterable[Switch]) -> Iterator[str]:
    """The project's own options that are off unless a user asks; those for a platform are not asked about."""
    asked = {switch.name for switch in switches}
    for name, option in build.options.items():
        if option.is_switch and constant(option.default) is False and name not in asked and platform_of(name) is None:
            yield name


def _not_given(tree: Tree, build: CMakeBuild) -> Iterator[str]:
    """Macros that calls would give that are not run, and that generator expressions may give."""
    for path, lines in build.ran.items():
        try:
            nodes = read_blocks(path, tree.read(path) or b"")
        except UnreadableSource:
            continue
        for call in calls_in(nodes):
            texts = [argument.text for argument in call.arguments]
            found = [name for text in texts for name in _DEFINITION.findall(text)] if call.line not in lines else []
            if call.name in ("target_compile_definitions", "add_compile_definitions"):
                expressions = "$<" in " ".join(texts)
                found += _WORD.findall(" ".join(texts)) if expressions or call.line not in lines else []
            yield from (name for name in found if platform_of(name) is None and name not in ("DEBUG", "NDEBUG"))


def _configured(tree: Tree, platform: Platform, top: str) -> _Configured:
    """The project under the switches of a platform. Where that ends with an error or compiles nothing for the GPU, the other
    ways in which projects are built for ROCm are tried: HIP as a kind of CUDA, hipcc as the C++ compiler."""
    setting = setting_of(platform)
    first = _with_switches(tree, platform, top, setting, keep_other=False)
    if platform is not ROCM or _is_for_gpu(first):
        return first
    own = [switch for switch in first.switches if platform_of(switch.name) == ROCM.name]
    ways = [(setting, True), (with_hipcc(setting), False), (with_hipcc(setting), True)] if own else []
    if not own and first.build.refusals:
        ways = [(with_hipcc(setting), False)]
    for other, keep in ways:
        found = _with_switches(tree, platform, top, other, keep_other=keep)
        if _is_for_gpu(found):
            return found
    return first


def _is_for_gpu(configured: _Configured) -> bool:
    return not configured.build.refusals and any(unit.language in ("CUDA", "HIP") for unit in configured.build.units)


def _with_switches(tree: Tree, platform: Platform, top: str, setting: Setting, *, keep_other: bool) -> _Configured:
    """``keep_other``: the switches of the other platform keep their defaults, or are on too."""
    switches: tuple[Switch, ...] = ()
    build = evaluate(tree, setting, top)
    for _ in range(_ROUNDS):
        if build.refusals and build.wanted - setting.given:
            # It is to be called with variables that it does not set itself: a setup.py does that, or a person.
            setting = replace(setting, given=setting.given | build.wanted)
            build = evaluate(tree, setting, top)
        wanted = switches_for(platform, build.options, _compared(tree, build))
        if keep_other:
            wanted = tuple(switch._replace(value="ON") if switch.value == "OFF" else switch for switch in wanted)
        new = {switch.name for switch in wanted} - {switch.name for switch in switches}
        if not new:
            break
        switches += tuple(switch for switch in wanted if switch.name in new)
        setting = replace(setting, switches={switch.name: switch.value for switch in switches})
        build = evaluate(tree, setting, top)
    return _Configured(build, switches, setting.given)


def _compared(tree: Tree, build: CMakeBuild) -> dict[str, list[str]]:
    """The texts that the files of a build compare their variables with."""
    found: dict[str, list[str]] = {}
    for path in build.files:
        for name, text in _COMPARED.findall((tree.read(path) or b"").decode("utf-8", "replace")):
            found.setdefault(name, []).append(text)
    return found


# --- units ----------------------------------------------------------------------------------


def _units(tree: Tree, build: CMakeBuild) -> Iterator[BuildUnit]:
    for unit in build.units:
        source = _in_tree(unit.source)
        translated = original(tree, source)
        if translated is not None:
            yield _unit(unit, translated, hipified=True)
        elif unit.language or posixpath.splitext(source)[1] in LANGUAGE_OF:
            yield _unit(unit, source)


def _unit(unit: CMakeUnit, source: str, *, hipified: bool = False) -> BuildUnit:
    return BuildUnit(
        source,
        unit.target,
        "cmake",
        unit.language,
        Reason(*unit.reason),
        unit.conditions,
        hipified,
        _given(unit.defines),
        _given(unit.flags),
        tuple(Given(_in_tree(text), conditions) for text, conditions in unit.includes),
    )


def _given(items: Sequence[Conditional]) -> tuple[Given, ...]:
    return tuple(Given(text, conditions) for text, conditions in items)


def _in_tree(path: str) -> str:
    if path == ROOT:
        return "."
    return path[len(ROOT) + 1 :] if path.startswith(ROOT + "/") else path


def original(tree: Tree, source: str) -> str | None:
    """The CUDA source that a file in the build's folder is the translation of."""
    if source in tree.entries or not _TRANSLATED.search(source):
        return None
    is_built = source.startswith(BUILD + "/")
    path = source[len(BUILD) + 1 :] if is_built else source
    stem = posixpath.splitext(_TRANSLATED.sub("", path) if "_hip." in path else path)[0]
    parts = stem.split("/")
    ends = ["/".join(parts[at:]) for at in range(len(parts))] if is_built else [stem]
    ends += [end.replace("hip", "cuda") for end in ends]  # torch renames the files too
    return next(
        (f"{end}{suffix}" for end in ends for suffix in (".cu", ".cpp") if f"{end}{suffix}" in tree.entries), None
    )
