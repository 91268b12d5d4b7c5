"""BLD-018: CMake asks for CUDA."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import CMakeFix, TextNote
from rewarp.fixes.cmake import CMakePlace, Instead, Wanted
from rewarp.lang.cmake import CMakeCommand, CMakeFile
from rewarp.lang.kinds import Kind
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.build import milder
from rewarp.tables.libraries import twin
from rewarp.targets import Context

_ARCHITECTURES = {"CMAKE_CUDA_ARCHITECTURES", "CUDA_ARCHITECTURES"}

_COMPANIONS = {"cudnn", "cutensor", "tensorrt", "cusparselt", "nccl", "nvshmem", "nvml", "nvtx", "optix"}
"""NVIDIA libraries that come apart from the toolkit, with find modules of a project's own."""
_CHECKS = frozenset({"check_compiler_flag", "check_source_compiles", "check_source_runs"})
"""CMake's own, which take the language first."""
_TRIES = frozenset({"try_compile", "try_run"})
_LINKED_AS = {"cusparselt": "cusparseLt", "nvtx": "nvtx3"}
_MESON = TextNote(
    "meson.build",
    re.compile(rb"^[ \t]*(?:project|add_languages)[ \t]*\([^)]*'cuda'", re.M),
    "the CUDA language is asked for",
    "Meson does not know HIP as a language: the kernels need custom_target() with hipcc, behind an option",
)


def _hip_instead(call: CMakeCommand, place: CMakePlace) -> Instead | None:
    """HIP for the language CUDA, ROCm's packages for the toolkit."""
    if call.name == "find_package":
        return _package_instead(call, place)
    if call.name == "check_language" and call.texts == ["CUDA"]:
        return Instead(["check_language(HIP)", "set(CMAKE_CUDA_COMPILER ${CMAKE_HIP_COMPILER})"])
    if call.name in _CHECKS and call.texts[:1] == ["CUDA"]:
        return Instead([place.written(call, {"CUDA": "HIP"})])
    if call.name in _TRIES and any(text.endswith(".cu") for text in call.texts):
        why = "of a source that is tried CMake takes the language from its name alone, and .cu is not HIP's"
        place.leave(call, f"{call.name} compiles a CUDA source while CMake configures", why)
        return None
    words = call.texts[1:] if call.name == "project" else call.texts
    if call.name in ("project", "enable_language") and "CUDA" in words:
        return Instead([place.written(call, {"CUDA": "HIP"}), *place.libraries()])
    return None


def _package_instead(call: CMakeCommand, place: CMakePlace) -> Instead | None:
    name = call.texts[0] if call.texts else ""
    if name in ("CUDA", "CUDAToolkit"):
        language = [] if place.wanted.has_language or name == "CUDAToolkit" else ["enable_language(HIP)"]
        return Instead([*language, *place.wanted.lines(), *place.wanted.found(name)])
    if name.lower() in _COMPANIONS and "REQUIRED" in call.texts:
        if name.lower() == "nccl":
            return Instead(["find_package(rccl REQUIRED)"])
        kin = twin(_LINKED_AS.get(name.lower(), name.lower()))
        advice = f"its nearest kin is {kin.target}, with another API" if kin and kin.target else "ROCm has none"
        place.leave(call, f"find_package({name}) must find {name}, which AMD does not have", advice)
    return None


@rule(
    id="BLD-018",
    title="CMake asks for the CUDA language or toolkit",
    kinds=Kind.CMAKE,
    anchors=[
        *("CUDA", "CUDAToolkit", "CMAKE_CUDA_ARCHITECTURES", "CUDA_ARCHITECTURES"),
        *("NCCL", "nccl", "NVSHMEM", "NVML", "NVTX", "OptiX"),
        *("CUDNN", "cuDNN", "cudnn", "CUTENSOR", "cuTENSOR", "cutensor", "TensorRT", "cuSPARSELt"),
    ],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="Without nvcc on the machine CMake stops while it configures.",
        fix="Add an option (USE_HIP) with a branch of its own: enable_language(HIP), find_package(hip), the same "
        "sources with LANGUAGE HIP, and CMAKE_HIP_ARCHITECTURES instead of CMAKE_CUDA_ARCHITECTURES.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.BUILD,
        why="There is no CUDA toolkit on a Gaudi machine: CMake stops while it configures.",
        fix="Put what needs CUDA behind an option, and build the rest without it.",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example="project(kernels LANGUAGES CXX CUDA)",
    source="https://rocm.docs.amd.com/en/docs-6.0.0/conceptual/cmake-packages.html",
    fix=(CMakeFix(_hip_instead), _MESON),
)
def match(document: CMakeFile, context: Context) -> Iterator[Hit]:
    """Looks for the CUDA language in project and enable_language, for find_package of CUDA, cuDNN and their
    kin, and for CUDA architectures being set."""
    architectures_set = False
    place = CMakePlace(document, Wanted.of([document], context.target))
    for call in document.calls:
        message, optional = _cuda_request(call)
        if not message or (architectures_set and "is set" in message):
            continue
        architectures_set = architectures_set or "is set" in message
        if context.target.name == "gaudi":
            if "is set" not in message:
                may_be_left_out = optional or bool(call.conditions)
                yield Hit(call.where, message, call.name, Severity.INFO if may_be_left_out else None)
            continue
        safety = Safety.SAFE if place.mends(call, _hip_instead) else None
        yield Hit(call.where, message, call.name, Severity.INFO if optional else milder(document, call), safety=safety)


def _cuda_request(call: CMakeCommand) -> tuple[str, bool]:
    """What a command asks for, and whether it can do without."""
    texts = call.texts
    if call.name == "project" and "CUDA" in texts[1:]:
        return "the project is in the CUDA language", False
    if call.name == "enable_language" and "CUDA" in texts:
        return "the CUDA language is enabled", "OPTIONAL" in texts
    if call.name == "find_package" and texts[:1] and texts[0] in ("CUDA", "CUDAToolkit"):
        required = "REQUIRED" in texts
        return f"{texts[0]} is looked for" + (" and must be there" if required else ""), not required
    if call.name == "find_package" and "REQUIRED" in texts and texts[0].lower() in _COMPANIONS:
        return f"{texts[0]} is looked for and must be there", False
    if call.name in ("set", "list", "set_target_properties", "set_property"):
        named = next((text for text in texts if text in _ARCHITECTURES), None)
        if named and (call.name.startswith("set_") or named in texts[:2]):
            return f"{named} is set; AMD has CMAKE_HIP_ARCHITECTURES", True
    return "", False
