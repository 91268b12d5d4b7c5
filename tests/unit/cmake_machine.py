"""CMake itself, configuring a project on a machine that is made up: stub compilers, stub packages, nothing fetched."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

_CMAKE = [sys.executable, "-c", "import cmake; raise SystemExit(cmake.cmake())"]
_SUFFIXES = {"C": "c", "CXX": "cc cpp cxx C CPP c++", "CUDA": "cu", "HIP": "hip"}
_PYTHON = {
    "VERSION": "3.12.4",
    "VERSION_MAJOR": "3",
    "VERSION_MINOR": "12",
    "INCLUDE_DIRS": "/usr/include/python3.12",
    "SITELIB": "/usr/lib/python3/dist-packages",
    "SITEARCH": "/usr/lib/python3/dist-packages",
    "SOABI": "cpython-312-x86_64-linux-gnu",
}
_TRIES = 12
_UNKNOWN_COMMAND = re.compile(r'Unknown CMake command\s+"([\w.+-]+)"')
_NO_ARCHITECTURES = re.compile(r"(CUDA|HIP)_ARCHITECTURES is empty|None of the detected ROCm architectures")
_NO_TARGET = re.compile(
    r"links\s+to:\s+([\w.+-]+::[\w.+-]+)\s+but\s+the\s+target\s+was\s+not\s+found|"
    r'could not find\s+TARGET\s+([\w.+-]+)|for\s+target\s+"([\w.+-]+)"\s+which\s+is\s+not\s+built|'
    r'because\s+target\s+"([\w.+-]+)"\s+does\s+not\s+already\s+exist'
)
_NO_MODULE = re.compile(r"include could not find requested file:\s+([\w./+-]+)")
_TARGET_NAME = re.compile(r"(?<![\w:$\"/])([A-Za-z][\w.+-]*::[A-Za-z][\w.+-]*)(?![\w:(])")
_PROVIDER = """
macro(stub_packages method package)
  if("${method}" STREQUAL "FIND_PACKAGE")
    if("${package}" IN_LIST STUB_ABSENT)
      set(${package}_FOUND FALSE)
      if("REQUIRED" IN_LIST STUB_WORDS)
        message(FATAL_ERROR "the package ${package} is not found")
      endif()
    else()
      set(${package}_FOUND TRUE)
      string(TOUPPER "${package}" STUB_UPPER)
      set(${STUB_UPPER}_FOUND TRUE)
      foreach(STUB_END INCLUDE_DIRS INCLUDE_DIR INCLUDE_PATH CXX_INCLUDE_PATH C_INCLUDE_PATH CXX_INCLUDE_DIRS)
        set(${package}_${STUB_END} "${STUB_FOLDER}")
      endforeach()
      if(COMMAND stub_${package})
        cmake_language(CALL stub_${package})
      endif()
    endif()
  else()
    FetchContent_SetPopulated(${package})
  endif()
endmacro()
"""
_COMMANDS = """
macro(stub_add KIND NAME)
  set(STUB_SOURCES ${ARGN})
  list(FILTER STUB_SOURCES EXCLUDE REGEX "^(STATIC|SHARED|MODULE|EXCLUDE_FROM_ALL|NO_EXTRAS|STABLE_ABI|LTO|WITH_SOABI|NB_STATIC)$")
  list(FIND STUB_SOURCES OPTIONS STUB_AT)
  if(NOT STUB_AT EQUAL -1)
    list(SUBLIST STUB_SOURCES 0 ${STUB_AT} STUB_SOURCES)
  endif()
  cmake_language(CALL ${KIND} ${NAME} ${STUB_SOURCES})
endmacro()
function(find_library STUB_NAME)
  if(NOT "${CMAKE_CURRENT_LIST_FILE}" MATCHES "^${CMAKE_SOURCE_DIR}/")
    _find_library(${STUB_NAME} ${ARGN})
  elseif(NOT DEFINED ${STUB_NAME})
    set(${STUB_NAME} "${STUB_FOLDER}" CACHE INTERNAL stub)
  endif()
endfunction()
function(find_path STUB_NAME)
  if(NOT "${CMAKE_CURRENT_LIST_FILE}" MATCHES "^${CMAKE_SOURCE_DIR}/")
    _find_path(${STUB_NAME} ${ARGN})
  elseif(NOT DEFINED ${STUB_NAME})
    set(${STUB_NAME} "${STUB_FOLDER}" CACHE INTERNAL stub)
  endif()
endfunction()
function(find_file STUB_NAME)
  if(NOT "${CMAKE_CURRENT_LIST_FILE}" MATCHES "^${CMAKE_SOURCE_DIR}/")
    _find_file(${STUB_NAME} ${ARGN})
  elseif(NOT DEFINED ${STUB_NAME})
    set(${STUB_NAME} "${STUB_FOLDER}" CACHE INTERNAL stub)
  endif()
endfunction()
function(find_program STUB_NAME)
  if(NOT "${CMAKE_CURRENT_LIST_FILE}" MATCHES "^${CMAKE_SOURCE_DIR}/")
    _find_program(${STUB_NAME} ${ARGN})
  elseif(NOT DEFINED ${STUB_NAME})
    set(${STUB_NAME} "${STUB_FOLDER}" CACHE INTERNAL stub)
  endif()
endfunction()
macro(pybind11_add_module)
  stub_add(add_library ${ARGN})
endmacro()
macro(nanobind_add_module)
  stub_add(add_library ${ARGN})
endmacro()
macro(cuda_add_library)
  stub_add(add_library ${ARGN})
endmacro()
macro(cuda_add_executable)
  stub_add(add_executable ${ARGN})
endmacro()
macro(cuda_include_directories)
  include_directories(${ARGN})
endmacro()
macro(python_add_library NAME)
  set(STUB_SOURCES ${ARGN})
  list(FIND STUB_SOURCES USE_SABI STUB_AT)
  if(NOT STUB_AT EQUAL -1)
    list(REMOVE_AT STUB_SOURCES ${STUB_AT})
    list(REMOVE_AT STUB_SOURCES ${STUB_AT})
  endif()
  stub_add(add_library ${NAME} ${STUB_SOURCES})
endmacro()
macro(python3_add_library)
  python_add_library(${ARGN})
endmacro()
"""
"""What the modules of packages define."""


class Unit(NamedTuple):
    language: str | None
    defines: frozenset[str]
    includes: frozenset[str]


class CMakeFailed(Exception):
    """CMake ended with an error."""


def ninja() -> str:
    done = subprocess.run(
        [sys.executable, "-c", "import ninja; print(ninja.BIN_DIR)"], capture_output=True, text=True, check=True
    )
    return f"{done.stdout.strip()}/ninja"


def version() -> str:
    done = subprocess.run([*_CMAKE, "--version"], capture_output=True, text=True, check=True)
    return re.findall(r"version (\S+)", done.stdout)[0]


def configure(
    source: Path,
    work: Path,
    *,
    languages: Iterable[str] = ("C", "CXX"),
    absent: Iterable[str] = (),
    brought: Mapping[str, Mapping[str, str]] | None = None,
    variables: Mapping[str, str] | None = None,
    switches: Mapping[str, str] | None = None,
    given: Iterable[str] = (),
    timeout: float = 120,
) -> dict[tuple[str, str], Unit]:
    """Of each target's sources, as CMake's File API tells: language, definitions, include folders. Paths are relative to the
    project's folder, or absolute. ``absent``: packages that are not found; every other is, with what ``brought`` says."""
    build = work / "build"
    stubs = {**_write_tools(work, languages), **dict.fromkeys(given, (work / "bin/compiler").as_posix())}
    provider, empty, modules = work / "provider.cmake", work / "empty", work / "modules"
    empty.mkdir()
    modules.mkdir()
    (modules / "nothing.cpp").touch()
    provider.write_text(_provider(source, absent, brought or {}, empty))
    stubs |= {
        "CMAKE_PROJECT_TOP_LEVEL_INCLUDES": provider.as_posix(),
        "CMAKE_MODULE_PATH": modules.as_posix(),
        "CMAKE_MAKE_PROGRAM": ninja(),
        "CMAKE_POLICY_VERSION_MINIMUM": "3.5",
        "CMAKE_EXECUTABLE_FORMAT": "ELF",
        "FETCHCONTENT_FULLY_DISCONNECTED": "ON",
        **{f"FETCHCONTENT_SOURCE_DIR_{name.upper()}": empty.as_posix() for name in _fetched(source)},
    }
    words = [f"-D{name}={value}" for name, value in {**(switches or {}), **stubs}.items()]
    for _ in range(_TRIES):
        shutil.rmtree(build, ignore_errors=True)
        _write_compilers(work, build, languages, variables or {})
        done = subprocess.run(
            [*_CMAKE, "-G", "Ninja", *words, "-S", str(source), "-B", str(build)],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**os.environ, "ROCM_PATH": "/opt/rocm"},
            errors="replace",
        )
        if not done.returncode:
            return _answers(build)
        empty_ones = _NO_ARCHITECTURES.search(done.stderr)
        if empty_ones and "CMAKE_HIP_ARCHITECTURES=" not in " ".join(words):
            words += ["-DCMAKE_HIP_ARCHITECTURES=gfx942", "-DCMAKE_CUDA_ARCHITECTURES=75"]
        elif not _supply(done.stderr, provider, modules):
            break
    errors = re.findall(r"CMake Error(?: at| in|:).*?(?=\n\n\n|\nCMake (?:Error|Warning)|\Z)", done.stderr, re.S)
    raise CMakeFailed("\n".join(errors) or done.stderr.strip())


def _supply(said: str, provider: Path, modules: Path) -> bool:
    """What CMake misses of packages that are not there: commands that do nothing, modules that hold nothing."""
    commands = set(_UNKNOWN_COMMAND.findall(said))
    files = {name for name in _NO_MODULE.findall(said) if "/" not in name}
    targets = {next(filter(None, names)).rstrip(".") for names in _NO_TARGET.findall(said)}
    with provider.open("a") as stream:
        for name in sorted(targets):
            kind = "INTERFACE IMPORTED GLOBAL" if "::" in name else f"STATIC {modules.as_posix()}/nothing.cpp"
            stream.write(f"add_library({name} {kind})\n")
        for name in sorted(commands):
            stream.write(f"macro({name})\nendmacro()\n")
    new = [modules / f"{name}.cmake" for name in files if not (modules / f"{name}.cmake").exists()]
    for file in new:
        file.touch()
    return bool(commands or new or targets)


def _fetched(source: Path) -> set[str]:
    texts = (path.read_text(errors="replace") for path in _files(source))
    return {name for text in texts for name in re.findall(r"(?i)FetchContent_Declare\s*\(\s*([\w.+-]+)", text)}


def _files(source: Path) -> list[Path]:
    patterns = ("CMakeLists.txt", "*.cmake", "*.cmake.in")
    return [path for pattern in patterns for path in source.rglob(pattern) if path.is_file()]


def _answers(build: Path) -> dict[tuple[str, str], Unit]:
    found: dict[tuple[str, str], Unit] = {}
    for file in (build / ".cmake/api/v1/reply").glob("target-*.json"):
        target = json.loads(file.read_text())
        groups = target.get("compileGroups", [])
        for source in target.get("sources", []):
            if source["path"].endswith((".o", ".rule")):
                continue
            group = groups[source["compileGroupIndex"]] if "compileGroupIndex" in source else {}
            found[target["name"], source["path"]] = Unit(
                group.get("language"),
                frozenset(define["define"] for define in group.get("defines", [])),
                frozenset(include["path"] for include in group.get("includes", [])),
            )
    return found


def _write_tools(work: Path, languages: Iterable[str]) -> dict[str, str]:
    """A compiler that compiles nothing; its path for each language."""
    compiler = work / "bin/compiler"
    compiler.parent.mkdir()
    compiler.write_text("#!/bin/sh\necho 13.2.0\nexit 0\n")
    compiler.chmod(0o755)
    config = work / "toolkit/lib/cmake/hip-lang/hip-lang-config.cmake"
    config.parent.mkdir(parents=True)
    target = "hip-lang::device"
    config.write_text(f"set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET {target})\nadd_library({target} INTERFACE IMPORTED)\n")
    return {f"CMAKE_{language}_COMPILER": compiler.as_posix() for language in languages}


def _write_compilers(work: Path, build: Path, languages: Iterable[str], variables: Mapping[str, str]) -> None:
    """What CMake would have found out about each compiler, so that it need not ask; and what is asked of CMake."""
    query = build / ".cmake/api/v1/query"
    query.mkdir(parents=True)
    (query / "codemodel-v2").touch()
    compiler = work / "bin/compiler"
    info = build / "CMakeFiles" / version()
    info.mkdir(parents=True)
    # Without a cache CMake would delete what stands in its folder.
    (build / "CMakeCache.txt").write_text("CMAKE_PLATFORM_INFO_INITIALIZED:INTERNAL=1\n")
    (info / "CMakeSystem.cmake").write_text(
        'set(CMAKE_HOST_SYSTEM_NAME "Linux")\nset(CMAKE_SYSTEM_NAME "Linux")\nset(CMAKE_SYSTEM_PROCESSOR "x86_64")\n'
        'set(CMAKE_HOST_SYSTEM_PROCESSOR "x86_64")\nset(CMAKE_CROSSCOMPILING "FALSE")\nset(CMAKE_SYSTEM_LOADED 1)\n'
    )
    for language in languages:
        own = {
            "COMPILER": compiler.as_posix(),
            "COMPILER_ID": {"CUDA": "NVIDIA", "HIP": "Clang"}.get(language, "GNU"),
            "COMPILER_VERSION": "13.0",
            "COMPILER_LOADED": "1",
            "COMPILER_WORKS": "TRUE",
            "COMPILER_FORCED": "TRUE",
            "COMPILER_ID_RUN": "1",
            "ABI_COMPILED": "TRUE",
            "SIZEOF_DATA_PTR": "8",
            "SOURCE_FILE_EXTENSIONS": _SUFFIXES[language].replace(" ", ";"),
            "LINKER_PREFERENCE": {"C": "10", "CXX": "30", "CUDA": "15", "HIP": "90"}[language],
            "ARCHITECTURES_NATIVE": "75-real",
            "ARCHITECTURES_DEFAULT": {"CUDA": "75", "HIP": "gfx942"}.get(language, ""),
            "COMPILER_ARCHITECTURE_ID": "x86_64",
            "COMPILER_TOOLKIT_ROOT": (work / "toolkit").as_posix(),
            "COMPILER_ROCM_ROOT": (work / "toolkit").as_posix(),
            "COMPILER_ROCM_LIB": (work / "toolkit/lib").as_posix(),
            "PLATFORM": "amd",
        }
        given = {name: value for name, value in variables.items() if name.startswith(f"CMAKE_{language}_")}
        given.pop(f"CMAKE_{language}_COMPILER", None)
        lines = [f'set(CMAKE_{language}_{name} "{value}")' for name, value in own.items()]
        lines += [f'set({name} "{value}")' for name, value in given.items()]
        lines += ['set(CMAKE_SIZEOF_VOID_P "8")', f"set(CMAKE_{language}_COMPILE_FEATURES {_features(language)})"]
        (info / f"CMake{language}Compiler.cmake").write_text("\n".join(lines) + "\n")


def _features(language: str) -> str:
    kind = {"C": "c", "CXX": "cxx", "CUDA": "cuda", "HIP": "hip"}[language]
    years = ("90", "99", "11", "17", "23") if language == "C" else ("98", "11", "14", "17", "20", "23")
    return " ".join(f"{kind}_std_{year}" for year in years)


def _provider(source: Path, absent: Iterable[str], brought: Mapping[str, Mapping[str, str]], empty: Path) -> str:
    """Packages: those that the project looks for, each with the targets that it is asked for."""
    texts = [path.read_text(errors="replace") for path in _files(source)]
    nothing = empty / "nothing.cmake"
    nothing.touch()
    python = {**_PYTHON, "EXECUTABLE": (empty.parent / "bin/compiler").as_posix()}
    known = {f"Python{digit}": {f"Python{digit}_{key}": value for key, value in python.items()} for digit in ("", "3")}
    brought = {**known, "SWIG": {"SWIG_USE_FILE": nothing.as_posix()}, **brought}
    targets = sorted({name for text in texts for name in _TARGET_NAME.findall(text)})
    made = {name for text in texts for name in re.findall(r"(?i)ALIAS|add_library\s*\(\s*([\w:.+-]+)", text)}
    packages = {
        name for text in texts for name in re.findall(r"(?i)find_(?:package|dependency)\s*\(\s*([\w.+-]+)", text)
    }
    lines = [
        "",
        f'set(STUB_FOLDER "{empty.as_posix()}" CACHE INTERNAL stub)\nset(STUB_ABSENT {" ".join(absent)})',
        "set(STUB_WORDS)",
    ]
    for package in sorted(packages | set(brought)):
        lines.append(f"macro(stub_{package})")
        for name, value in brought.get(package, {}).items():
            old = f"${{{name}}} " if name.endswith("_FLAGS") else ""
            lines.append(f'  set({name} "{old}{value}")')
        if (
            package == "CUDA" or brought.get(package, {}).get("CAFFE2_USE_CUDA") == "ON"
        ):  # FindCUDA compiles without enabling the language; so the File API shows what it compiles
            lines.append("  enable_language(CUDA)")
        for target in targets:
            if _is_of(target.partition("::")[0], package) and target not in made:
                lines.append(
                    f"  if(NOT TARGET {target})\n    add_library({target} INTERFACE IMPORTED GLOBAL)\n  endif()"
                )
        lines.append("endmacro()")
    lines.append(_PROVIDER)
    lines.append("cmake_language(SET_DEPENDENCY_PROVIDER stub_provider SUPPORTED_METHODS FIND_PACKAGE")
    lines.append("  FETCHCONTENT_MAKEAVAILABLE_SERIAL)")
    lines[0] = _COMMANDS
    lines.insert(3, "macro(stub_provider)\n  set(STUB_WORDS ${ARGN})\n  stub_packages(${ARGN})\nendmacro()")
    return "\n".join(lines) + "\n"


def _is_of(prefix: str, package: str) -> bool:
    names = {"CUDAToolkit": ("cuda",), "CUDA": ("cuda",), "GTest": ("gtest",), "Python3": ("python3", "python")}
    return prefix.lower() in (package.lower(), *names.get(package, ())) or (
        prefix.lower() in ("roc", "hip") and package.lower().startswith(("roc", "hip"))
    )
