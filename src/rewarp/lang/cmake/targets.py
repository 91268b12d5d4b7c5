"""Commands that make targets, and say what they are compiled from and with."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from rewarp.lang.cmake.evaluator import Arguments, Evaluator, command
from rewarp.lang.cmake.outcome import CMakeTarget, Given, Item
from rewarp.lang.cmake.state import Exit
from rewarp.lang.cmake.values import Element, elements, is_known, joined, spoken, unknown

_KINDS = frozenset("STATIC SHARED MODULE OBJECT INTERFACE UNKNOWN".split())
_SKIPPED = frozenset("EXCLUDE_FROM_ALL WIN32 MACOSX_BUNDLE NO_EXTRAS THIN_LTO LTO OPT_SIZE SYSTEM NOMINSIZE".split())
_LANGUAGES = ("C", "CXX", "CUDA", "HIP")
_LISTS = {
    "INCLUDE_DIRECTORIES": "includes",
    "COMPILE_DEFINITIONS": "definitions",
    "COMPILE_OPTIONS": "options",
    "LINK_LIBRARIES": "links",
    "SOURCES": "sources",
}


def make(machine: Evaluator, arguments: Arguments, name: str, kind: str) -> CMakeTarget:
    """A new target; under a condition there may be one of that name already, which is then both."""
    target = machine.targets.get(name)
    if target is None:
        target = machine.targets[name] = CMakeTarget(
            name, kind, machine.directory, tuple(machine.path), arguments.reason
        )
        target.own.includes += machine.directory.given.includes
        target.own.options += machine.directory.given.options
        target.own.links += machine.directory.given.links
        for language in _LANGUAGES:
            value = machine.scopes.get(f"CMAKE_{language}_STANDARD")
            if value:
                target.standards[language] = value
        for variable in ("CUDA_SEPARABLE_COMPILATION", "CUDA_ARCHITECTURES", "HIP_ARCHITECTURES"):
            if (value := machine.scopes.get(f"CMAKE_{variable}")) is not None:
                target.properties[variable] = value
    target.guards = tuple(guard for guard in target.guards if guard in machine.path)
    return target


def _default_kind(machine: Evaluator) -> str:
    value = machine.scopes.get("BUILD_SHARED_LIBS") or ""
    if not is_known(value):
        return "LIBRARY"
    return "SHARED" if value.upper() in ("ON", "1", "TRUE", "YES", "Y") else "STATIC"


@command("add_library", "add_executable", aware=True)
def _add(machine: Evaluator, arguments: Arguments) -> Exit | None:
    if not arguments.elements:
        return machine.stop(arguments.call, f"{arguments.call.name}() needs a name")
    name, *words = arguments.parts
    texts = [word.text for word in words]
    if texts[:1] == ["ALIAS"]:
        machine.aliases[name.text] = texts[1] if len(texts) > 1 else ""
        return None
    if not is_known(name.text):
        machine.note(arguments.call, f"a target without a known name: {spoken(name.text)}")
        name = Element(spoken(name.text))
    is_library = arguments.call.name == "add_library"
    kind = _default_kind(machine) if is_library else "EXECUTABLE"
    while words and (words[0].text in _KINDS | _SKIPPED | {"IMPORTED", "GLOBAL"}) and not words[0].guards:
        word = words.pop(0).text
        kind = word if word in _KINDS and is_library else "IMPORTED" if word == "IMPORTED" else kind
    if "IMPORTED" in texts:
        kind = "IMPORTED"
    target = make(machine, arguments, name.text, kind)
    _take_sources(machine, arguments, target.own, [word for word in words if word.text not in _SKIPPED])
    return None


def _take_sources(machine: Evaluator, arguments: Arguments, given: Given, words: Sequence[Element]) -> None:
    given.sources += [
        machine.item(Element(_placed(machine, word.text), word.guards), arguments.reason) for word in words if word.text
    ]


def _placed(machine: Evaluator, path: str) -> str:
    """A source's path: in the folder of the sources, if it is not absolute or begins with what is not known."""
    if path.startswith(("/", "$<", "\x05")):
        return posixpath.normpath(path) if path.startswith("/") else path
    return posixpath.normpath(posixpath.join(machine.directory.path, path))


@command(
    "cuda_add_library",
    "cuda_add_executable",
    "hip_add_library",
    "hip_add_executable",
    "pybind11_add_module",
    "python_add_library",
    "python3_add_library",
    "nanobind_add_module",
    "torch_library",
    aware=True,
)
def _add_by_package(machine: Evaluator, arguments: Arguments) -> None:
    """What the modules of well-known packages make targets with."""
    if not arguments.elements:
        return
    name, *words = arguments.parts
    kind = "EXECUTABLE" if arguments.call.name.endswith("executable") else "MODULE"
    target = make(machine, arguments, spoken(name.text), kind)
    sources: list[Element] = []
    for word, before in zip(words, ["", *(word.text for word in words)]):
        if word.text in ("OPTIONS", "HIPCC_OPTIONS", "NVCC_OPTIONS", "CLANG_OPTIONS", "LINK"):
            break
        if word.text not in _KINDS | _SKIPPED | {"WITH_SOABI", "USE_SABI"} and before != "USE_SABI":
            sources.append(word)
    _take_sources(machine, arguments, target.own, sources)
    if arguments.call.name.startswith(("cuda_", "hip_")):
        _compiled_by_package(machine, arguments.call.name, sources)


def _compiled_by_package(machine: Evaluator, name: str, sources: Sequence[Element]) -> None:
    language = "CUDA" if name.startswith("cuda_") else "HIP"
    for source in sources:
        if source.text.endswith((".cu", ".hip") if language == "HIP" else ".cu"):
            machine.directory.by_package[_placed(machine, source.text)] = language


@command("cuda_compile", "cuda_compile_ptx", "cuda_compile_cubin", "cuda_compile_fatbin", "cuda_wrap_srcs", aware=True)
def _compile_by_package(machine: Evaluator, arguments: Arguments) -> None:
    """FindCUDA's commands that give objects for a target: they stand for their sources."""
    words = arguments.elements[2:] if arguments.call.name == "cuda_wrap_srcs" else arguments.elements
    if not words:
        return
    at = next((at for at, word in enumerate(words) if word.text == "OPTIONS"), len(words))
    sources = [word for word in words[1:at] if word.text.endswith(".cu") or not is_known(word.text)]
    name = arguments.texts[2] if arguments.call.name == "cuda_wrap_srcs" else words[0].text
    placed = [Element(_placed(machine, source.text), source.guards) for source in sources]
    machine.scopes.set(name, joined(placed))
    _compiled_by_package(machine, "cuda_compile", sources)


@command("add_custom_target", aware=True)
def _custom(machine: Evaluator, arguments: Arguments) -> None:
    if arguments.elements:
        make(machine, arguments, spoken(arguments.texts[0]), "CUSTOM")


# --- what targets are given -----------------------------------------------------------------


@command(
    "target_sources",
    "target_compile_definitions",
    "target_compile_options",
    "target_include_directories",
    "target_link_libraries",
    "target_compile_features",
    aware=True,
)
def _give(machine: Evaluator, arguments: Arguments) -> Exit | None:
    if not arguments.elements:
        return None
    name = machine.aliases.get(arguments.texts[0], arguments.texts[0])
    target = machine.targets.get(name)
    if target is None:
        if not is_known(name) or machine.missing or "::" in name:
            machine.note(arguments.call, f"the target {spoken(name)} is not known")
            return None
        return machine.stop(arguments.call, f"there is no target {name}")
    kind = {
        "target_sources": "sources",
        "target_compile_definitions": "definitions",
        "target_compile_options": "options",
        "target_include_directories": "includes",
        "target_link_libraries": "links",
        "target_compile_features": "features",
    }[arguments.call.name]
    scope, before = ("PUBLIC" if kind == "links" else "PRIVATE"), False
    for word in arguments.parts[1:]:
        if word.text in ("PRIVATE", "PUBLIC", "INTERFACE", "LINK_PUBLIC", "LINK_PRIVATE"):
            scope = word.text.removeprefix("LINK_")
        elif word.text in ("BEFORE", "AFTER", "SYSTEM", "debug", "optimized", "general", "FILE_SET"):
            before = word.text == "BEFORE" or before
        elif word.text:
            item = machine.item(_prepared(machine, kind, word), arguments.reason)
            for given in _receivers(target, scope):
                items: list[Item] = getattr(given, kind)
                items.insert(0, item) if before else items.append(item)
    return None


def _receivers(target: CMakeTarget, scope: str) -> list[Given]:
    return [target.own] * (scope != "INTERFACE") + [target.interface] * (scope != "PRIVATE")


def _prepared(machine: Evaluator, kind: str, word: Element) -> Element:
    if kind in ("sources", "includes"):
        return Element(_placed(machine, word.text), word.guards)
    if kind == "definitions":
        return Element(word.text.removeprefix("-D"), word.guards)
    return word


@command(
    "include_directories",
    "cuda_include_directories",
    "add_definitions",
    "add_compile_definitions",
    "add_compile_options",
    aware=True,
)
def _give_directory(machine: Evaluator, arguments: Arguments) -> None:
    directory = machine.directory
    name = arguments.call.name.removeprefix("cuda_")
    before = arguments.texts[:1] == ["BEFORE"]
    for word in arguments.parts:
        if word.text in ("BEFORE", "AFTER", "SYSTEM") and name == "include_directories":
            continue
        kind = {"include_directories": "includes", "add_compile_definitions": "definitions"}.get(name, "options")
        if name == "add_definitions" and word.text.startswith("-D"):
            kind = "definitions"
        item = machine.item(_prepared(machine, kind, word), arguments.reason)
        _append(getattr(directory.given, kind), item, before)
        if kind == "includes":
            for target in machine.targets.values():
                if target.directory is directory:
                    _append(target.own.includes, item, before)


@command("link_libraries", aware=True)
def _link_all(machine: Evaluator, arguments: Arguments) -> None:
    machine.directory.given.links += [machine.item(word, arguments.reason) for word in arguments.elements]


def _append(items: list[Item], item: Item, before: bool) -> None:
    items.insert(0, item) if before else items.append(item)


# --- properties -----------------------------------------------------------------------------


@command("set_target_properties", "set_source_files_properties", aware=True)
def _set_properties(machine: Evaluator, arguments: Arguments) -> None:
    texts = arguments.texts
    if "PROPERTIES" not in texts:
        return
    cut = texts.index("PROPERTIES")
    skip = ("DIRECTORY", "TARGET_DIRECTORY")
    names = [text for text, before in zip(texts[:cut], ["", *texts]) if text not in skip and before not in skip]
    for name, value in zip(texts[cut + 1 :: 2], texts[cut + 2 :: 2]):
        for word in names:
            set_one = set_target if arguments.call.name == "set_target_properties" else set_source
            set_one(machine, arguments, word, name, value, append=False)


def set_target(machine: Evaluator, arguments: Arguments, word: str, name: str, value: str, *, append: bool) -> None:
    target = machine.targets.get(machine.aliases.get(word, word))
    if target is None:
        return
    plain = name.removeprefix("INTERFACE_")
    given = target.interface if name.startswith("INTERFACE_") else target.own
    if plain in _LISTS:
        kind = _LISTS[plain]
        items: list[Item] = getattr(given, kind)
        if not append and not machine.path:
            items.clear()
        items += [
            machine.item(_prepared(machine, kind, part), arguments.reason) for part in elements(value) if part.text
        ]
    elif name.endswith("_STANDARD"):
        target.standards[name.removesuffix("_STANDARD")] = value
    elif name == "COMPILE_FLAGS":
        target.own.options += [machine.item(Element(part), arguments.reason) for part in value.split()]
    else:
        undecided = bool(machine.path) and target.properties.get(name) != value
        target.properties[name] = unknown(f"{name} of {word}") if undecided else value


def set_source(machine: Evaluator, arguments: Arguments, word: str, name: str, value: str, *, append: bool) -> None:
    path = _placed(machine, word)
    directory = machine.directory
    if name == "LANGUAGE":
        undecided = bool(machine.path) and directory.languages.get(path) != value
        directory.languages[path] = unknown(f"LANGUAGE, set in line {arguments.call.line}") if undecided else value
        return
    if name == "COMPILE_FLAGS":
        value = value.replace(" ", ";")
    kind = _LISTS.get({"COMPILE_FLAGS": "COMPILE_OPTIONS"}.get(name, name), "")
    places = {
        "definitions": directory.source_definitions,
        "options": directory.source_options,
        "includes": directory.source_includes,
    }
    if kind in places:
        items = places[kind].setdefault(path, [])
        if not append and not machine.path:
            items.clear()
        items += [
            machine.item(_prepared(machine, kind, part), arguments.reason) for part in elements(value) if part.text
        ]


@command("get_target_property")
def _get_target_property(machine: Evaluator, arguments: Arguments) -> None:
    if len(arguments.texts) < 3:
        return
    variable, word, name = arguments.texts[:3]
    target = machine.targets.get(machine.aliases.get(word, word))
    plain = name.removeprefix("INTERFACE_")
    if target is None or not is_known(name):
        value = unknown(f"{name} of {spoken(word)}")
    elif plain in _LISTS:
        items: list[Item] = getattr(target.interface if name != plain else target.own, _LISTS[plain])
        sure = all(not item.guards for item in items)
        value = ";".join(item.text for item in items) if sure else unknown(f"{name} of {word}")
        value = value or f"{variable}-NOTFOUND"
    elif name == "TYPE":
        value = {"EXECUTABLE": "EXECUTABLE", "INTERFACE": "INTERFACE_LIBRARY"}.get(
            target.kind, f"{target.kind}_LIBRARY"
        )
    else:
        value = target.properties.get(name, f"{variable}-NOTFOUND")
    machine.scopes.set(variable, value)
