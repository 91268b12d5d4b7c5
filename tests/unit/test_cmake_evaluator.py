"""The CMake evaluator against CMake itself: scripts made at random, small projects through the File API; and what stays
unknown where only a machine could tell."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cmake_programs import Program

from rewarp.lang.cmake.build import evaluate
from rewarp.lang.cmake.outcome import CMakeBuild, CMakeUnit
from rewarp.lang.cmake.setting import Setting
from rewarp.workspace import Folder


class Files:
    def __init__(self, files: Mapping[str, str]) -> None:
        self.entries: Mapping[str, Any] = dict.fromkeys(files)
        self._files = files

    def read(self, path: str) -> bytes | None:
        text = self._files.get(path)
        return None if text is None else text.encode()


def run(text: str, setting: Setting | None = None, **files: str) -> CMakeBuild:
    return evaluate(Files({"CMakeLists.txt": text, **files}), setting)


def said_by_cmake(scripts: list[str], folder: Path) -> list[str]:
    """What CMake prints of each script, each in a scope of its own."""
    lines = ["cmake_minimum_required(VERSION 3.25)\n"]
    for number, script in enumerate(scripts):
        (folder / f"{number}.cmake").write_text(script)
        lines.append(f'message("== next ==")\nblock()\ninclude({folder.as_posix()}/{number}.cmake)\nendblock()\n')
    (folder / "all.cmake").write_text("".join(lines))
    done = subprocess.run(
        [sys.executable, "-c", "import cmake; raise SystemExit(cmake.cmake())", "-P", str(folder / "all.cmake")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr.split("== next ==\n")[1:]


# --- against CMake: scripts -----------------------------------------------------------------


def test_random_programs_print_what_cmake_prints(tmp_path: Path) -> None:
    scripts = [Program(seed).text() for seed in range(1000, 1300)]
    for seed, script, expected in zip(range(1000, 1300), scripts, said_by_cmake(scripts, tmp_path)):
        build = evaluate(Files({"script.cmake": script}), top="script.cmake")
        assert not build.stopped, f"seed {seed}"
        assert "".join(f"{line}\n" for line in build.messages) == expected, f"seed {seed}"
        assert not build.unread, f"seed {seed}"


def test_and_or_chains_are_decided_as_cmake_does(tmp_path: Path) -> None:
    chooser = random.Random(7)
    chains = [
        " ".join(
            [chooser.choice("01")] + [f"{chooser.choice(['AND', 'OR'])} {chooser.choice('01')}" for _ in range(length)]
        )
        for length in range(1, 14)
        for _ in range(30)
    ]
    chains.append("1 OR 0 AND 0")
    script = "".join(f"if({chain})\nmessage(yes)\nelse()\nmessage(no)\nendif()\n" for chain in chains)
    build = evaluate(Files({"script.cmake": script}), top="script.cmake")
    assert build.messages == said_by_cmake([script], tmp_path)[0].split()
    assert build.messages[-1] == "no"


SCRIPTS = [
    'set(A "x;y" z)\nlist(LENGTH A N)\nmessage("${A} ${N}")',
    'set(A a\\;b c)\nforeach(I ${A})\nmessage("<${I}>")\nendforeach()',
    'set(N A)\nset(A 5)\nmessage("${${N}} [[x]] \\"q\\" \\${N}")\nmessage([=[${N} ]] \\n]=])',
    'set(YES no)\nif("YES")\nmessage(1)\nendif()\nif(YES)\nmessage(2)\nendif()\nset(V YES)\nif(V STREQUAL "YES")\nmessage(3)\nendif()',
    'set(V x)\nset(x y)\nif("${V}" STREQUAL x)\nmessage(a)\nelse()\nmessage(b)\nendif()\nif(${V} STREQUAL y)\nmessage(c)\nendif()',
    'function(f)\nset(A in PARENT_SCOPE)\nmessage("${A}|${ARGC}|${ARGV1}")\nendfunction()\nset(A out)\nf(1 2 3)\nmessage("${A}")',
    'macro(m X)\nset(${X} ${ARGN})\nif(DEFINED ARGN)\nmessage(variable)\nendif()\nendmacro()\nm(B 1 2)\nmessage("${B}")',
    'set(I 0)\nwhile(I LESS 5)\nmath(EXPR I "${I} + 2")\nif(I EQUAL 4)\nbreak()\nendif()\nendwhile()\nmessage("${I}")',
    'function(f)\ncmake_parse_arguments(P "FLAG;OTHER" "ONE;TWO" "MANY" ${ARGN})\n'
    'message("${P_FLAG} ${P_OTHER} ${P_ONE} ${P_MANY} ${P_UNPARSED_ARGUMENTS}")\nendfunction()\n'
    "f(x FLAG ONE 1 MANY a b c)\nf(MANY a ONE 1 2)\nf()",
    'set(L a b c d)\nlist(SUBLIST L 1 2 M)\nlist(GET L 0 -1 G)\nlist(INSERT L 1 x)\nlist(REMOVE_AT L 0)\nmessage("${L} ${M} ${G}")',
    'set(L b10 b9 a)\nlist(SORT L COMPARE NATURAL)\nmessage("${L}")\nlist(SORT L ORDER DESCENDING)\nmessage("${L}")',
    'set(L a.cu b.cpp)\nlist(TRANSFORM L REPLACE "(.+)[.]cu$" "\\\\1.hip")\nmessage("${L}")\nlist(TRANSFORM L PREPEND s/ AT 0)\nmessage("${L}")',
    'foreach(X Y IN ZIP_LISTS A B)\nendforeach()\nset(A 1 2)\nset(B x y)\nforeach(P Q IN ZIP_LISTS A B)\nmessage("${P}${Q}")\nendforeach()',
    'string(REGEX MATCH "([0-9]+)[.]([0-9]+)" M "v12.4.1")\nmessage("${M} ${CMAKE_MATCH_1} ${CMAKE_MATCH_2} ${CMAKE_MATCH_COUNT}")',
    'if("v12.4" MATCHES "v([0-9]+)")\nmessage("${CMAKE_MATCH_1}")\nendif()\nif("{a}" MATCHES "{a}")\nmessage(braces)\nendif()',
    'block(SCOPE_FOR VARIABLES PROPAGATE A)\nset(A 1)\nset(B 2)\nendblock()\nmessage("${A}${B}")',
    'string(SUBSTRING abcdef 2 3 S)\nstring(CONCAT C a b c)\nstring(JOIN - J a b)\nstring(REPEAT ab 3 R)\nmessage("${S} ${C} ${J} ${R}")',
    'string(SHA256 H "x")\nstring(MD5 M "x")\nstring(COMPARE LESS a b L)\nmessage("${H} ${M} ${L}")',
    'set(P /a/b.tar.gz)\ncmake_path(GET P STEM S)\ncmake_path(GET P EXTENSION LAST_ONLY E)\nmessage("${S} ${E}")',
    'option(O "text" ON)\nmessage("${O}")\nset(O OFF)\nmessage("${O}$CACHE{O}")\nset(C 1 CACHE STRING "")\nset(C 2 CACHE STRING "")\nmessage("${C}")',
    'set(A "")\nif(NOT A AND DEFINED A)\nmessage(ok)\nendif()\nif("" STREQUAL A)\nmessage(empty)\nendif()\nif(A IN_LIST A)\nmessage(in)\nendif()',
    "if(2.10 VERSION_GREATER 2.9 AND 1.0 VERSION_EQUAL 1 AND NOT abc VERSION_LESS 0)\nmessage(versions)\nendif()",
    "if(0x LESS 1 OR 1e3 GREATER 999)\nmessage(numbers)\nendif()\nif(-1)\nmessage(minus)\nendif()\nif(0.0)\nmessage(zero)\nendif()",
    "set(A 1)\nif(NOT A STREQUAL 2 AND NOT (A EQUAL 3))\nmessage(not)\nendif()",
]


def test_scripts_print_what_cmake_prints(tmp_path: Path) -> None:
    for script, expected in zip(SCRIPTS, said_by_cmake(SCRIPTS, tmp_path)):
        build = evaluate(Files({"script.cmake": "cmake_minimum_required(VERSION 3.25)\n" + script}), top="script.cmake")
        assert "".join(f"{line}\n" for line in build.messages) == expected, script
        assert not build.stopped, script


# --- against CMake: projects ----------------------------------------------------------------

PROJECTS = {
    "folders": {
        "CMakeLists.txt": """cmake_minimum_required(VERSION 3.20)
project(top LANGUAGES C CXX)
include_directories(before)
add_compile_definitions(ALL=1)
file(GLOB PARTS src/*.cpp)
list(REMOVE_ITEM PARTS ${CMAKE_CURRENT_SOURCE_DIR}/src/skipped.cpp)
add_library(parts STATIC ${PARTS})
target_include_directories(parts PUBLIC include PRIVATE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/own>)
target_compile_definitions(parts PUBLIC API=2 PRIVATE $<$<COMPILE_LANGUAGE:CXX>:CXX_ONLY> -DDASH)
add_subdirectory(app)
""",
        "src/a.cpp": "",
        "src/b.cpp": "",
        "src/skipped.cpp": "",
        "app/CMakeLists.txt": """add_definitions(-DAPP -fno-math-errno)
add_executable(app main.cpp util.c)
target_link_libraries(app PRIVATE parts)
set_source_files_properties(util.c PROPERTIES COMPILE_DEFINITIONS ONE_FILE LANGUAGE CXX)
""",
        "app/main.cpp": "",
        "app/util.c": "",
    },
    "functions": {
        "CMakeLists.txt": """cmake_minimum_required(VERSION 3.20)
project(top LANGUAGES CXX)
option(WITH_EXTRA "more" ON)
option(WITH_LESS "less" OFF)
include(cmake/helpers.cmake)
make_library(one SOURCES one.cpp DEFINES A B=3)
if(WITH_LESS OR WITH_EXTRA AND NOT WITH_LESS)
  make_library(two SOURCES two.cpp sub/three.cpp)
  target_sources(two PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/sub/four.cpp)
endif()
foreach(NAME IN ITEMS x y)
  add_executable(run_${NAME} run.cpp)
  target_compile_definitions(run_${NAME} PRIVATE NAME_${NAME} $<IF:$<BOOL:${WITH_LESS}>,LESS,MORE>)
  target_link_libraries(run_${NAME} PRIVATE one)
endforeach()
add_library(face INTERFACE)
target_compile_definitions(face INTERFACE FACE)
target_link_libraries(run_x PUBLIC face)
add_library(also::one ALIAS one)
target_link_libraries(run_y PRIVATE also::one)
""",
        "cmake/helpers.cmake": """function(make_library NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEFINES" ${ARGN})
  add_library(${NAME} OBJECT ${ARG_SOURCES})
  if(ARG_DEFINES)
    target_compile_definitions(${NAME} PUBLIC ${ARG_DEFINES})
  endif()
  target_include_directories(${NAME} PRIVATE sub)
endfunction()
""",
        "one.cpp": "",
        "two.cpp": "",
        "run.cpp": "",
        "sub/three.cpp": "",
        "sub/four.cpp": "",
    },
}


def configured(folder: Path, tmp: Path) -> dict[tuple[str, str], tuple[str | None, set[str], set[str]]]:
    """Of each target's sources, as CMake's File API tells: language, definitions, include folders."""
    compiler = tmp / "compiler"
    compiler.write_text("#!/bin/sh\nexit 0\n")
    compiler.chmod(0o755)
    build = tmp / "build"
    query = build / ".cmake/api/v1/query"
    query.mkdir(parents=True)
    (query / "codemodel-v2").touch()
    stubs = [f"-DCMAKE_{lang}_COMPILER={compiler.as_posix()}" for lang in ("C", "CXX")]
    stubs += [f"-DCMAKE_{lang}_COMPILER_FORCED=ON" for lang in ("C", "CXX")]
    program = [sys.executable, "-c", "import cmake; raise SystemExit(cmake.cmake())"]
    ninja = subprocess.run(
        [sys.executable, "-c", "import ninja; print(ninja.BIN_DIR)"], capture_output=True, text=True, check=True
    ).stdout.strip()
    done = subprocess.run(
        [*program, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}/ninja", *stubs, "-S", str(folder), "-B", str(build)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[tuple[str, str], tuple[str | None, set[str], set[str]]] = {}
    for file in (build / ".cmake/api/v1/reply").glob("target-*.json"):
        target = json.loads(file.read_text())
        groups = target.get("compileGroups", [])
        for source in target.get("sources", []):
            if source.get("isGenerated") or source["path"].endswith(".o"):
                continue
            group = groups[source["compileGroupIndex"]] if "compileGroupIndex" in source else {}
            found[target["name"], source["path"]] = (
                group.get("language"),
                {define["define"] for define in group.get("defines", [])},
                {include["path"] for include in group.get("includes", [])},
            )
    return found


@pytest.mark.parametrize("name", sorted(PROJECTS))
def test_projects_are_built_as_cmake_builds_them(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    for path, text in PROJECTS[name].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    setting = Setting(root=folder.as_posix(), build=(tmp_path / "build").as_posix())
    build = evaluate(Folder(folder), setting)
    ours = {
        (unit.target, Path(unit.source).relative_to(folder).as_posix()): (
            unit.language,
            {define.text for define in unit.defines},
            {include.text for include in unit.includes},
        )
        for unit in build.units
    }
    assert ours == configured(folder, tmp_path)
    assert all(unit.conditions == () for unit in build.units)
    assert not build.stopped


# --- what is not known ----------------------------------------------------------------------

TOP = "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES CXX)\n"


def units(text: str, setting: Setting | None = None) -> dict[str, CMakeUnit]:
    return {Path(unit.source).name: unit for unit in run(TOP + text, setting).units}


def test_a_branch_under_an_unknown_condition_is_kept_with_it() -> None:
    found = units(
        "find_package(Foo)\nset(S a.cpp)\nif(Foo_FOUND)\n list(APPEND S b.cpp)\nelse()\n list(APPEND S c.cpp)\nendif()\n"
        "add_library(l ${S})\nif(Foo_FOUND)\n target_compile_definitions(l PRIVATE HAVE_FOO)\nendif()"
    )
    assert found["a.cpp"].conditions == ()
    assert found["b.cpp"].conditions == ("Foo_FOUND",)
    assert found["c.cpp"].conditions == ("NOT Foo_FOUND",)
    assert [tuple(define) for define in found["a.cpp"].defines] == [("HAVE_FOO", ("Foo_FOUND",))]
    assert found["b.cpp"].reason == ("CMakeLists.txt", 10)


@pytest.mark.parametrize(("found_it", "expected"), [(True, {"a.cpp", "b.cpp"}), (False, {"a.cpp", "c.cpp"})])
def test_a_table_of_packages_decides(found_it: bool, expected: set[str]) -> None:
    text = "find_package(Foo)\nadd_library(l a.cpp)\nif(Foo_FOUND)\ntarget_sources(l PRIVATE b.cpp)\nelse()\ntarget_sources(l PRIVATE c.cpp)\nendif()"
    found = units(text, Setting(packages={"Foo": found_it}))
    assert set(found) == expected
    assert all(unit.conditions == () for unit in found.values())


def test_an_error_under_a_condition_means_that_it_does_not_hold() -> None:
    found = units(
        "find_package(Foo)\nif(NOT Foo_FOUND)\nmessage(FATAL_ERROR no)\nendif()\nif(Foo_FOUND)\nadd_library(l a.cpp)\nendif()"
    )
    assert found["a.cpp"].conditions == ()
    assert run(TOP + "message(FATAL_ERROR no)\nadd_library(l a.cpp)").stopped == "CMakeLists.txt:3: no"


@pytest.mark.parametrize("words", ["FIND NAMES ${EMPTY} found", "JOIN NAMES text", "LENGTH NAMES", "SUBLIST NAMES 0 1"])
def test_a_list_operation_that_lacks_an_argument_is_an_error(words: str) -> None:
    assert (run(TOP + f"set(NAMES a b)\nlist({words})").stopped or "").endswith("an argument is lacking")


def test_a_value_that_depends_on_a_condition_is_followed() -> None:
    found = units(
        'execute_process(COMMAND x OUTPUT_VARIABLE O)\nif(O STREQUAL "1")\nset(GPU HIP)\nelse()\nset(GPU CUDA)\nendif()\n'
        'if(GPU STREQUAL "HIP")\nadd_library(l hip.cpp)\nelse()\nadd_library(l cuda.cpp)\nendif()'
    )
    assert found["hip.cpp"].conditions == ('O STREQUAL "1"',)
    assert found["cuda.cpp"].conditions == ('NOT (O STREQUAL "1")',)


def test_a_return_under_a_condition_leaves_the_rest_to_the_other_way() -> None:
    found = units("if($ENV{X})\nreturn()\nendif()\nadd_library(l a.cpp)")
    assert len(found["a.cpp"].conditions) == 1
    assert found["a.cpp"].conditions[0].startswith("NOT ")


def test_languages_that_are_not_enabled_compile_nothing() -> None:
    assert units("add_library(l a.cu)")["a.cu"].language is None
    assert units("enable_language(CUDA)\nadd_library(l a.cu)")["a.cu"].language == "CUDA"
    found = units("check_language(CUDA)\nif(CMAKE_CUDA_COMPILER)\nenable_language(CUDA)\nendif()\nadd_library(l a.cu)")
    assert (found["a.cu"].language, found["a.cu"].conditions) == ("CUDA", ("CMAKE_CUDA_COMPILER",))


@pytest.mark.parametrize(
    "text",
    [
        "while(1)\nendwhile()",
        "function(f)\nf()\nendfunction()\nf()",
        "macro(m)\nm()\nendmacro()\nm()",
        "include(CMakeLists.txt)",
        "set(A xxxxxxxxxx)\nforeach(I RANGE 60)\nset(A ${A}${A})\nendforeach()",
        "foreach(I RANGE 1000)\nforeach(J RANGE 1000)\nset(A 1)\nendforeach()\nendforeach()",
        "foreach(I RANGE 100000000)\nendforeach()",
    ],
)
def test_what_would_never_end_is_stopped(text: str) -> None:
    assert run(text).stopped


def test_unknown_commands_and_files_are_noted() -> None:
    build = run(TOP + "do_something(OUT)\nif(OUT)\nadd_library(l a.cpp)\nendif()\nadd_subdirectory(gone)")
    assert [reason.line for reason, _ in build.unread] == [3, 7]
    (unit,) = build.units
    assert unit.conditions == ("OUT",)


@pytest.mark.parametrize(
    ("package", "variable"),
    [
        ("Foo", "FOO_WITH_GPU"),
        ("Foo", "Foo_LIBRARIES"),
        ("Foo3", "FOOVERSION"),
        ("CUDAToolkit", "CUDA_VERSION"),
        ("Torch", "TORCH_CUDA_ARCH_LIST"),
        ("Torch", "HIP_FOUND"),
        ("pybind11", "PYTHON_MODULE_EXTENSION"),
    ],
)
def test_what_a_package_may_set_is_not_known(package: str, variable: str) -> None:
    text = f"if({variable})\nadd_library(l a.cpp)\nendif()\nif(DEFINED {variable})\nadd_library(m b.cpp)\nendif()\n"
    found = units(f"find_package({package} REQUIRED)\n{text}")
    assert found["a.cpp"].conditions == (variable,)
    assert found["b.cpp"].conditions == (f"DEFINED {variable}",)
    assert units(f"find_package({package})\n{text}", Setting(packages={package: False})) == {}
    assert units(f"find_package(Other)\n{text}") == {}
    known = units(f"find_package({package})\n{text}", Setting(brought={package: {variable: "ON"}}))
    assert all(unit.conditions == () for unit in known.values())
    assert set(known) == {"a.cpp", "b.cpp"}


def test_a_function_of_a_branch_that_may_not_be_taken_may_not_be_there() -> None:
    found = units(
        "function(make N)\nadd_library(${N} plain.cpp)\nendfunction()\n"
        "if($ENV{GPU})\nfunction(make N)\nadd_library(${N} gpu.cpp)\nendfunction()\nendif()\nmake(l)\n"
        "if(NOT COMMAND make)\nadd_library(never never.cpp)\nendif()\n"
    )
    assert found["gpu.cpp"].conditions == ("$ENV{GPU}",)
    assert found["plain.cpp"].conditions == ("NOT $ENV{GPU}",)
    assert "never.cpp" not in found
    asked = units("if($ENV{GPU})\nmacro(make N)\nendmacro()\nendif()\nif(COMMAND make)\nadd_library(l a.cpp)\nendif()")
    assert asked["a.cpp"].conditions == ("COMMAND make",)


def test_a_global_property_of_a_branch_that_may_not_be_taken_is_a_choice() -> None:
    found = units(
        "set_property(GLOBAL PROPERTY S a.cpp)\nif($ENV{GPU})\nset_property(GLOBAL APPEND PROPERTY S b.cpp)\nendif()\n"
        "get_property(ALL GLOBAL PROPERTY S)\nadd_library(l ${ALL})"
    )
    assert found["a.cpp"].conditions == ()
    assert found["b.cpp"].conditions == ("$ENV{GPU}",)


def test_a_submodule_that_is_not_fetched_may_be_there() -> None:
    text = (
        TOP
        + "if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/deps/fmt/CMakeLists.txt)\nmessage(FATAL_ERROR fetch)\nendif()\nadd_library(l a.cpp)"
    )
    assert run(text).stopped
    modules = {".gitmodules": '[submodule "fmt"]\n\tpath = deps/fmt\n\turl = x\n'}
    build = run(text, None, **modules)
    assert not build.stopped
    assert [unit.conditions for unit in build.units] == [()]


def test_what_a_command_that_is_not_known_made_may_be_there() -> None:
    found = units(
        'setup_version(1.2)\nmath(EXPR N "${p_VERSION_MAJOR} * 100")\nif(TARGET x)\nadd_library(l a.cpp)\nendif()\n'
        "target_link_libraries(made_there a)\n"
    )
    assert found["a.cpp"].conditions == ("TARGET x",)
    assert run(TOP + 'math(EXPR N " * 100")').stopped


def test_a_list_in_quotes_keeps_the_conditions_of_its_elements() -> None:
    found = units(
        "set(S a.cpp b.cpp)\nif($ENV{GPU})\nlist(APPEND S c.cpp d.cpp)\nendif()\n"
        'add_library(l "${S}")\ntarget_compile_definitions(l PRIVATE "${S}")\n'
    )
    conditions = {"a.cpp": (), "b.cpp": (), "c.cpp": ("$ENV{GPU}",), "d.cpp": ("$ENV{GPU}",)}
    assert {name: unit.conditions for name, unit in found.items()} == conditions
    assert dict(found["a.cpp"].defines) == conditions


def test_a_list_of_many_undecided_parts_is_not_looked_through_case_by_case() -> None:
    """Each condition doubles the cases: with thirty of them nobody would see the end."""
    parts = "".join(f"if(DEFINED ENV{{PART_{n}}})\n  list(APPEND parts p{n}.cpp)\nendif()\n" for n in range(30))
    text = (
        f"project(a CXX)\n{parts}list(FILTER parts INCLUDE REGEX cpp)\nlist(LENGTH parts count)\nadd_library(a b.cpp)\n"
    )
    assert "b.cpp" in units(text)


def test_a_feature_asks_for_a_newer_standard() -> None:
    text = (
        "add_library(d INTERFACE)\ntarget_compile_features(d INTERFACE cxx_std_20)\n"
        "add_library(a a.cpp a.cu)\ntarget_link_libraries(a d)\n"
        "add_library(b b.cpp b.cu)\nset_target_properties(b PROPERTIES CUDA_STANDARD 14)\n"
        "target_compile_features(b PRIVATE cxx_std_11 cuda_std_17 d)\n"
        "add_library(c c.cpp)\nset_target_properties(c PROPERTIES CXX_STANDARD 23)\ntarget_link_libraries(c d)\n"
    )
    found = units(f"project(p LANGUAGES CXX CUDA)\n{text}")
    flags = {path: [flag.text for flag in unit.flags] for path, unit in found.items()}
    assert flags["a.cpp"] == flags["a.cu"] == ["-std=c++20"]
    assert (flags["b.cpp"], flags["b.cu"]) == (["-std=c++11"], ["-std=c++17"])
    assert flags["c.cpp"] == ["-std=c++23"]
