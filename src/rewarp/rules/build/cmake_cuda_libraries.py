"""BLD-022: CUDA libraries linked by CMake."""

import itertools
import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import CMakeFix
from rewarp.fixes.cmake import CUDA_TARGET, LINKS, OLD_LINKS, CMakePlace, Instead, Wanted, plain_library
from rewarp.fixes.options import hip_words
from rewarp.lang.cmake import CMakeCommand, CMakeFile
from rewarp.lang.kinds import Kind
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.build import milder
from rewarp.source import Span
from rewarp.tables.libraries import LINK_NAMES, advice, twin
from rewarp.targets import Context

_TARGET = re.compile(r"\bCUDA::(\w+)")
_VARIABLE = re.compile(r"\$\{(CUDA_(?:(\w+?)_)?(?:LIBRARY|LIBRARIES))\}")
_NAMED = re.compile(r"CUDA_(?:\w+_)?(?:LIBRARY|LIBRARIES)")
_BY_VARIABLE = {
    "CUBLAS": "cublas",
    "CUFFT": "cufft",
    "CURAND": "curand",
    "CUSPARSE": "cusparse",
    "CUSOLVER": "cusolver",
}
_OLD = {"cuda_add_library": "add_library", "cuda_add_executable": "add_executable"}
_FIND_OPTIONS = ("HINTS", "PATHS", "PATH_SUFFIXES", "DOC", "REQUIRED")
_LINKERS = (
    "target_link_libraries",
    "link_libraries",
    "list",
    "set",
    "set_target_properties",
    "define_extension_target",
)

_PLAIN = {**_OLD, "cuda_include_directories": "include_directories"}
"""CMake's own commands for those of FindCUDA; include folders alone keep no build from AMD."""
_OBJECTS = ("cuda_compile", "cuda_wrap_srcs")
"""FindCUDA's commands that make object files, whose names they put into a variable."""
_MENDED = LINKS | _PLAIN.keys() | OLD_LINKS.keys() | {*_OBJECTS}
"""Commands that a port writes for HIP, and whose libraries it finds."""
_NOT_NEEDED = frozenset({"cuda_select_nvcc_arch_flags", "cuda_build_clean_target"})
"""FindCUDA's, for nvcc and what it leaves behind alone."""
_NO_TWIN = frozenset({"cuda_compile_ptx", "cuda_compile_cubin", "cuda_compile_fatbin", *_OBJECTS})
_SECTIONS = ("OPTIONS", "RELEASE", "DEBUG", "RELWITHDEBINFO", "MINSIZEREL")
_NO_SOURCES = ("STATIC", "SHARED", "MODULE")


def _rocms_instead(call: CMakeCommand, place: CMakePlace) -> Instead | None:
    """ROCm's libraries, and plain commands for those of FindCUDA."""
    if call.name in LINKS:
        return _links_instead(call, place)
    if call.name in _PLAIN:
        return Instead([place.written(call, {}, _PLAIN[call.name])])
    if call.name in OLD_LINKS:
        library = twin(OLD_LINKS[call.name])
        return Instead([f"target_link_libraries({call.texts[0]} {library.target})" if library else ""])
    if (objects := _sources_instead(call)) is not None:
        return objects
    if call.name in _NOT_NEEDED:
        return Instead([])
    if call.name in _NO_TWIN:
        place.leave(call, f"{call.name} has no twin in CMake's HIP support", "FindCUDA alone makes such files")
    return None


def _sources_instead(call: CMakeCommand) -> Instead | None:
    """The sources themselves, in the variable that FindCUDA fills with objects; the target that takes it compiles them."""
    words = call.texts
    if call.name == "cuda_wrap_srcs" and words[1:2] == ["OBJ"]:
        words = words[2:]
    elif call.name != "cuda_compile":
        return None
    end = next((at for at, word in enumerate(words) if word in _SECTIONS), len(words))
    sources = [word for word in words[1:end] if word not in _NO_SOURCES]
    if not sources:
        return None
    common = words[end + 1 :] if words[end : end + 1] == ["OPTIONS"] else []
    options = hip_words(itertools.takewhile(lambda word: word not in _SECTIONS, common))
    listed = " ".join(f'"{source}"' if " " in source else source for source in sources)
    commands = [f"set({words[0]} {listed})"]
    if options:
        commands.append(f'set_source_files_properties({listed} PROPERTIES COMPILE_OPTIONS "{";".join(options)}")')
    return Instead(commands)


def _links_instead(call: CMakeCommand, place: CMakePlace) -> Instead | None:
    new = {a.text: lib.target for a in call.arguments[1:] if (lib := plain_library(a)) and lib.target}
    for argument in call.arguments[1:]:
        library = plain_library(argument)
        names = [match[1] for match in CUDA_TARGET.finditer(argument.text)]
        if (library and not library.target) or any(not (t := twin(name)) or not t.target for name in names):
            what = f"{argument.text} is linked, and ROCm has no twin of it"
            place.leave(call, what, "what uses it has to be left out")
    return Instead([place.written(call, new)]) if new else None


@rule(
    id="BLD-022",
    title="CMake links CUDA libraries",
    kinds=Kind.CMAKE,
    anchors=["CUDA", "CUDA_LIBRARIES", *_OLD, *OLD_LINKS, "target_link_libraries", "find_library"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="The CUDA:: targets and CUDA_* variables exist only where the CUDA toolkit was found.",
        fix="In the HIP branch find_package(hip), find_package(hipblas) and so on, and link hip::host (hip::device for "
        "device code), roc::hipblas and their kin.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="target_link_libraries(kernels PRIVATE CUDA::cudart CUDA::cublas)",
    source="https://rocm.docs.amd.com/en/docs-6.0.0/conceptual/cmake-packages.html",
    fix=CMakeFix(_rocms_instead),
)
def match(document: CMakeFile, context: Context) -> Iterator[Hit]:
    """Looks for CUDA:: targets, CUDA_LIBRARIES and its kin, CUDA libraries by name in target_link_libraries and find_library, and the
    old cuda_add_* commands."""
    place = CMakePlace(document, Wanted.of([document], context.target))
    for call in document.calls:
        before = len(place.left)
        _rocms_instead(call, place)
        is_mended = call.name in _MENDED and len(place.left) == before
        for hit in _hits(document, call):
            yield replace(hit, safety=Safety.SAFE) if is_mended else hit


_HIPS = re.compile(r"(?i)(?:\w*_)?(?:hip|rocm)(?:_\w+)?|\$\{?\w*(?:hip|rocm)\w*\}?")


def _milder(document: CMakeFile, call: CMakeCommand) -> Severity | None:
    """In a branch for HIP a library of CUDA's stops the build, whatever else the file has."""
    inside = any(holds and _HIPS.fullmatch(condition.strip()) for condition, holds in call.conditions)
    return None if inside else milder(document, call)


def _hits(document: CMakeFile, call: CMakeCommand) -> Iterator[Hit]:
    if call.name in _OLD:
        yield Hit(
            call.where, f"{call.name} is FindCUDA's; HIP has {_OLD[call.name]}", call.name, milder(document, call)
        )
    elif call.name in OLD_LINKS:
        library = twin(OLD_LINKS[call.name])
        assert library is not None
        yield Hit(
            call.where,
            f"{call.name} links CUDA's; {advice(library, cmake=True)}",
            call.name,
            milder(document, call),
        )
    elif call.name == "find_library":
        for where, name in _looked_for(call):
            library = twin(name)
            assert library is not None
            # A find module is there for whoever asks for it, which is another finding.
            is_module = posixpath.basename(document.source.path).startswith("Find")
            severity = Severity.INFO if is_module else milder(document, call)
            yield Hit(where, f"{name} is looked for; {advice(library, cmake=True)}", name, severity)
    elif call.name in _LINKERS:
        for where, text, name in _libraries(call):
            library = twin(name)
            if _NAMED.fullmatch(text):
                # Without CUDA the variable is empty, and nothing is linked.
                said = advice(library, cmake=True) if library is not None else "only CUDA has it"
                yield Hit(where, f"{text} is linked; {said}", text, Severity.INFO)
            elif library is not None:
                yield Hit(where, f"{text} is linked; {advice(library, cmake=True)}", text, _milder(document, call))
            else:
                yield Hit(where, f"{text} is linked, and only CUDA has it", text, milder(document, call))


def _looked_for(call: CMakeCommand) -> Iterator[tuple[Span, str]]:
    """The first CUDA library among the names that find_library tries."""
    for argument in call.arguments[1:]:
        name = argument.text.removeprefix("lib")
        if argument.text in _FIND_OPTIONS or twin(name):
            if argument.text not in _FIND_OPTIONS:
                yield argument.where, name
            return


def _libraries(call: CMakeCommand) -> Iterator[tuple[Span, str, str]]:
    """The CUDA libraries among a command's arguments: where, as written, and the library's plain name."""
    linking = call.name in ("target_link_libraries", "link_libraries")
    for index, argument in enumerate(call.arguments):
        for found in _TARGET.finditer(argument.text):
            yield argument.where, found[0], found[1]
        for found in _VARIABLE.finditer(argument.text):
            yield argument.where, found[1], _BY_VARIABLE.get((found[2] or "").upper(), "cudart")
        if linking and index and argument.text.removeprefix("-l") in LINK_NAMES:
            name = argument.text.removeprefix("-l")
            if name not in ("toolkit", "cuda_driver"):
                yield argument.where, argument.text, name
