"""Commands about the project as a whole, and those whose answers only a machine has."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from rewarp.lang.cmake.conditions import constant
from rewarp.lang.cmake.evaluator import Arguments, Evaluator, command
from rewarp.lang.cmake.modules import QUIET
from rewarp.lang.cmake.paths import absolute, module
from rewarp.lang.cmake.state import Exit
from rewarp.lang.cmake.values import has_choice, is_known, spoken, unknown

_PROJECT_WORDS = frozenset("VERSION DESCRIPTION HOMEPAGE_URL LANGUAGES COMPAT_VERSION SPDX_LICENSE".split())
_GLOBAL = "\0property "
"""Global properties are kept beside the cache's variables, under names that no variable has."""
_RESULTS = re.compile(r"(?:OUTPUT|RESULT|RESULTS|ERROR|RUN_OUTPUT|COMPILE_OUTPUT)_VARIABLE")


@command(*QUIET, aware=True)
def _quiet(machine: Evaluator, arguments: Arguments) -> None:
    return None


@command("cmake_minimum_required")
def _minimum(machine: Evaluator, arguments: Arguments) -> None:
    texts = arguments.texts
    if texts[:1] == ["VERSION"] and len(texts) > 1 and is_known(texts[1]):
        low, _, high = texts[1].partition("...")
        machine.minimum = high or low
        machine.scopes.set("CMAKE_MINIMUM_REQUIRED_VERSION", low)


@command("cmake_policy")
def _policy(machine: Evaluator, arguments: Arguments) -> None:
    texts = arguments.texts
    if texts[:1] == ["SET"] and len(texts) > 2:
        machine.policies[texts[1]] = texts[2]
    elif texts[:1] == ["VERSION"] and len(texts) > 1 and is_known(texts[1]):
        low, _, high = texts[1].partition("...")
        machine.minimum = high or low


@command("project")
def _project(machine: Evaluator, arguments: Arguments) -> Exit | None:
    if not arguments.texts:
        return machine.stop(arguments.call, "project() needs a name")
    name, *words = arguments.texts
    given: dict[str, list[str]] = {"": []}
    section = ""
    for word in words:
        if word in _PROJECT_WORDS:
            section = word
            given[section] = []
        else:
            given[section].append(word)
    where = machine.directory
    is_top = where.parent is None
    values = {"SOURCE_DIR": where.path, "BINARY_DIR": where.binary, "VERSION": "".join(given.get("VERSION", [])[:1])}
    numbers = values["VERSION"].split(".") if is_known(values["VERSION"]) else []
    for at, part in enumerate(("MAJOR", "MINOR", "PATCH", "TWEAK")):
        values[f"VERSION_{part}"] = numbers[at] if at < len(numbers) else ""
    values["DESCRIPTION"] = "".join(given.get("DESCRIPTION", [])[:1])
    for prefix in ("PROJECT", name, *(["CMAKE_PROJECT"] if is_top else [])):
        for key, value in values.items():
            machine.scopes.set(f"{prefix}_{key}", value)
    machine.scopes.set("PROJECT_NAME", name)
    machine.scopes.set("PROJECT_IS_TOP_LEVEL", "ON" if is_top else "OFF")
    if is_top:
        machine.scopes.set("CMAKE_PROJECT_NAME", name)
    languages = given[""] + given.get("LANGUAGES", [])
    return _enable_all(machine, arguments, languages or ["C", "CXX"])


@command("enable_language")
def _enable(machine: Evaluator, arguments: Arguments) -> Exit | None:
    return _enable_all(machine, arguments, [word for word in arguments.texts if word != "OPTIONAL"])


def _enable_all(machine: Evaluator, arguments: Arguments, languages: Sequence[str]) -> Exit | None:
    for language in languages:
        if machine.setting.compilers.get(language) is False:
            return machine.stop(arguments.call, f"there is no compiler for {language}")
        enable(machine, arguments, language)
    return None


def enable(machine: Evaluator, arguments: Arguments, language: str) -> None:
    if language == "NONE":
        return
    machine.languages.setdefault(language, []).append(tuple(machine.path))
    names = {f"CMAKE_{language}_COMPILER_LOADED": "1", f"CMAKE_{language}_COMPILER_WORKS": "TRUE"}
    for name, value in names.items():
        machine.scopes.set(name, value)
    if machine.setting.compilers.get(language) and not machine.scopes.get(f"CMAKE_{language}_COMPILER"):
        machine.scopes.set_cached(f"CMAKE_{language}_COMPILER", f"/compilers/{language.lower()}")


@command("check_language")
def _check_language(machine: Evaluator, arguments: Arguments) -> None:
    for language in arguments.texts:
        name = f"CMAKE_{language}_COMPILER"
        if machine.scopes.cached(name) is not None:
            continue
        there = machine.setting.compilers.get(language)
        value = unknown(name) if there is None else f"/compilers/{language.lower()}" if there else "NOTFOUND"
        machine.scopes.set_cached(name, value)


# --- packages -------------------------------------------------------------------------------


@command("find_package", "find_dependency")
def _find_package(machine: Evaluator, arguments: Arguments) -> Exit | None:
    if not arguments.texts:
        return None
    name, *words = arguments.texts
    required = "REQUIRED" in words or arguments.call.name == "find_dependency"
    own = None if not is_known(name) or name in machine.setting.packages else module(machine, f"Find{name}")
    if own is not None:
        machine.scopes.set(f"{name}_FIND_REQUIRED", "1" if required else "0")
        machine.scopes.set("CMAKE_FIND_PACKAGE_NAME", name)
        end = machine.run_file(own, arguments.call)
        if required and not is_known(machine.scopes.get(f"{name}_FOUND") or ""):
            machine.scopes.set(f"{name}_FOUND", "TRUE")  # or the build would have ended here
        return end
    found = machine.setting.packages.get(name)
    if found is False and required:
        return machine.stop(arguments.call, f"the package {name} is not found")
    if found is not False:
        machine.may_bring(spoken(name), f"find_package({spoken(name)})")
        if name in machine.setting.brought:
            for variable, value in machine.setting.brought[name].items():
                before = (machine.scopes.get(variable) or "") + " " if variable.endswith("_FLAGS") else ""
                machine.scopes.set(variable, before + value)
            if name in machine.setting.enabled_by:
                enable(machine, arguments, machine.setting.enabled_by[name])
        else:
            machine.note(arguments.call, f"what the package {spoken(name)} brings is not known")
    for prefix in dict.fromkeys((name, name.upper())):
        if found is False:
            value = "FALSE"
        elif found or required:
            value = "TRUE"
        else:
            value = unknown(f"{name}_FOUND")
        if prefix == name or machine.scopes.get(f"{prefix}_FOUND") is None:
            machine.scopes.set(f"{prefix}_FOUND", value)
    return None


@command("find_package_handle_standard_args")
def _handle(machine: Evaluator, arguments: Arguments) -> None:
    name = arguments.texts[0] if arguments.texts else ""
    for prefix in (name, name.upper()):
        machine.scopes.set(f"{prefix}_FOUND", unknown(f"{name}_FOUND"))


@command("pkg_check_modules", "pkg_search_module")
def _modules(machine: Evaluator, arguments: Arguments) -> None:
    prefix = arguments.texts[0] if arguments.texts else ""
    machine.scopes.origins.append((re.compile(rf"{re.escape(prefix)}_\w+"), f"pkg_check_modules({prefix})"))


@command("fetchcontent_makeavailable", "fetchcontent_populate", "fetchcontent_getproperties", aware=True)
def _fetched(machine: Evaluator, arguments: Arguments) -> None:
    names = arguments.texts if arguments.call.name.endswith("makeavailable") else arguments.texts[:1]
    for name in map(spoken, names):
        machine.note(arguments.call, f"{name} is fetched: what it brings is not known")
        machine.missing = machine.missing or name
        for start in (name, "FETCHCONTENT"):
            machine.may_bring(start, f"FetchContent {name}")


# --- what only a machine can answer ---------------------------------------------------------


@command("find_program", "find_path", "find_file", "find_library", aware=True)
def _find(machine: Evaluator, arguments: Arguments) -> None:
    name, *words = [*arguments.texts, ""]
    if machine.scopes.get(name) is not None:
        return
    programs = machine.setting.programs if arguments.call.name == "find_program" else {}
    known = [programs[word] for word in words if word in programs]
    # One that is not there decides nothing where another name may be found.
    there = next(filter(None, known), None)
    absent = known and "NAMES" not in words and not there
    machine.scopes.set_cached(name, there or (f"{name}-NOTFOUND" if absent else unknown(name)))


@command("execute_process", "exec_program", "try_compile", "try_run", aware=True)
def _process(machine: Evaluator, arguments: Arguments) -> None:
    texts = arguments.texts
    names = [name for word, name in zip(texts, texts[1:]) if _RESULTS.fullmatch(word)]
    if arguments.call.name.startswith("try_"):
        names += texts[: 2 if arguments.call.name == "try_run" else 1]
    for name in names:
        machine.scopes.set(name, unknown(f"{name} of {arguments.call.name}()"))


_CHECKS = (
    "check_c_compiler_flag check_cxx_compiler_flag check_cuda_compiler_flag check_c_source_compiles "
    "check_cxx_source_compiles check_c_source_runs check_cxx_source_runs check_compiler_flag check_source_compiles "
    "check_source_runs check_include_file check_include_file_cxx check_include_files check_symbol_exists "
    "check_cxx_symbol_exists check_function_exists check_library_exists check_linker_flag check_type_size "
    "check_struct_has_member check_variable_exists check_fortran_compiler_flag check_fortran_source_compiles check_fortran_source_runs "
    "check_fortran_function_exists check_objc_source_compiles check_pie_supported test_big_endian "
    "processorcount site_name cmake_host_system_information check_ipo_supported"
).split()


@command(*_CHECKS, aware=True)
def _check(machine: Evaluator, arguments: Arguments) -> None:
    """Something is tried with the compiler: which of the words is the variable differs, and only one is a new name."""
    texts = arguments.texts
    first = arguments.call.name in ("processorcount", "site_name", "test_big_endian")
    names = [name for word, name in zip(texts, texts[1:]) if word in ("RESULT", "OUTPUT", "OUTPUT_VARIABLE")]
    if "_source_" in arguments.call.name:  # after the variable come more words
        at = 2 if arguments.call.name.startswith("check_source_") else 1
        texts = texts[: at + 1]
    for name in names or (texts[:1] if first else texts[-1:]):
        if machine.scopes.get(name) is None or names or first:
            machine.scopes.set(name, unknown(name))


@command(
    "get_property", "get_cmake_property", "get_directory_property", "get_source_file_property", "get_test_property"
)
def _property(machine: Evaluator, arguments: Arguments) -> None:
    texts = arguments.texts
    if not texts:
        return
    if texts[1:] == ["GLOBAL", "PROPERTY", "ENABLED_LANGUAGES"] or texts[1:] == ["ENABLED_LANGUAGES"]:
        machine.scopes.set(texts[0], ";".join(machine.languages))
    elif texts[1:] == ["DIRECTORY", "PROPERTY", "BUILDSYSTEM_TARGETS"]:
        kinds = ("INTERFACE", "UNKNOWN", "IMPORTED")
        here = [t.name for t in machine.targets.values() if t.directory is machine.directory and t.kind not in kinds]
        machine.scopes.set(texts[0], ";".join(here))
    elif texts[1:2] == ["GLOBAL"] and texts[2:3] == ["PROPERTY"] and len(texts) == 4:
        machine.scopes.set(texts[0], machine.scopes.cached(_GLOBAL + texts[3]) or "")
    else:
        machine.scopes.set(texts[0], unknown(f"{arguments.call.name}({' '.join(texts[1:])})", maybe_undefined=True))


@command("set_property")
def _set_property(machine: Evaluator, arguments: Arguments) -> None:
    texts = arguments.texts
    if "PROPERTY" not in texts[:-1]:
        return
    at = texts.index("PROPERTY")
    name, values = texts[at + 1], texts[at + 2 :]
    kind, *words = texts[:at]
    how = next((word for word in words if word in ("APPEND", "APPEND_STRING")), "")
    names = [word for word in words if word not in ("APPEND", "APPEND_STRING", "DIRECTORY", "TARGET_DIRECTORY")]
    value = ";".join(values)
    if kind == "GLOBAL":
        old = machine.scopes.cached(_GLOBAL + name) or "" if how else ""
        joint = ";" if old and value and how == "APPEND" else ""
        machine.scopes.set_cached(_GLOBAL + name, old + joint + value)
    elif kind == "CACHE" and name == "STRINGS":
        for word in names:
            if word in machine.options:
                machine.options[word].values = tuple(map(spoken, values))
    elif kind == "CACHE" and name == "VALUE":
        for word in names:
            machine.scopes.set_cached(word, value)
    elif kind in ("TARGET", "SOURCE"):
        from rewarp.lang.cmake.targets import set_source, set_target

        for word in names:
            (set_target if kind == "TARGET" else set_source)(machine, arguments, word, name, value, append=bool(how))
    elif kind == "DIRECTORY":
        machine.note(arguments.call, "set_property(DIRECTORY) is not followed")


@command("separate_arguments")
def _separate(machine: Evaluator, arguments: Arguments) -> None:
    name, *rest = [*arguments.texts, ""]
    if rest[0]:
        value = rest[-2] if len(rest) > 2 else ""
        machine.scopes.set(name, ";".join(value.split()) if is_known(value) else unknown(f"words of {spoken(value)}"))
    else:
        machine.scopes.set(name, (machine.scopes.get(name) or "").replace(" ", ";"))


_CMAKEDEFINE = re.compile(rb"(?m)^[ \t]*#[ \t]*cmakedefine(?:01)?[ \t]+([A-Za-z_]\w*)")


@command("configure_file")
def _configure_file(machine: Evaluator, arguments: Arguments) -> None:
    """Of the header that is written: the macros that it defines, or not."""
    place = machine.inside(absolute(machine, arguments.texts[0])) if arguments.is_known and arguments.texts else None
    for match in _CMAKEDEFINE.finditer((machine.files.read(place) if place else None) or b""):
        name = match[1].decode()
        value = machine.scopes.get(name) or ""
        sure = not machine.path and is_known(value) and not has_choice(value)
        machine.configured.setdefault(name, set()).add(constant(value) is not False if sure else None)


@command("aux_source_directory")
def _sources_of(machine: Evaluator, arguments: Arguments) -> None:
    if len(arguments.texts) < 2:
        return
    folder, name = arguments.texts[:2]
    place = machine.inside(posixpath.join(machine.directory.path, folder)) if is_known(folder) else None
    if place is None:
        machine.scopes.set(name, unknown(f"sources of {spoken(folder)}"))
        return
    found = [
        posixpath.join(folder, posixpath.basename(path))
        for path in machine.files.entries
        if posixpath.dirname(path) == place and path.endswith((".c", ".cc", ".cpp", ".cxx", ".cu", ".hip"))
    ]
    machine.scopes.set(name, ";".join(found))
