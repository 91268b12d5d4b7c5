"""From a project's files to what its build compiles."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from rewarp.errors import RewarpError
from rewarp.lang.cmake import lists, paths, projects, strings, targets, variables  # noqa: F401 - they register commands
from rewarp.lang.cmake.conditions import constant
from rewarp.lang.cmake.evaluator import Evaluator
from rewarp.lang.cmake.generators import Context, evaluated
from rewarp.lang.cmake.modules import OF_CMAKE
from rewarp.lang.cmake.outcome import CMakeBuild, CMakeTarget, CMakeUnit, Conditional, Item, Reason
from rewarp.lang.cmake.setting import Files, Setting
from rewarp.lang.cmake.values import Guards, Literal, cases, has_choice, is_known, split, spoken

LANGUAGE_OF = {
    **dict.fromkeys((".cpp", ".cc", ".cxx", ".c++", ".C", ".CPP", ".mm", ".M", ".cppm", ".ixx"), "CXX"),
    **dict.fromkeys((".c", ".m"), "C"),
    ".cu": "CUDA",
    ".hip": "HIP",
    **dict.fromkeys((".f", ".F", ".f90", ".F90", ".f95", ".F95", ".for"), "Fortran"),
    **dict.fromkeys((".S", ".s", ".asm"), "ASM"),
}
_PACKAGE_FLAGS = {"CUDA": "CUDA_NVCC_FLAGS", "HIP": "HIP_HIPCC_FLAGS"}
_MOST_GUARDS = 64
"""Ways in which one target comes to one source; more are not told apart."""
_OBJECTS = re.compile(r"\$<TARGET_OBJECTS:([^<>]+)>")
_FEATURE = re.compile(r"(cxx|cuda|hip|c)_std_(\d+)")
_MACHINE = {
    "CMAKE_SYSTEM_NAME": "Linux",
    "CMAKE_HOST_SYSTEM_NAME": "Linux",
    "UNIX": "1",
    "LINUX": "1",
    "CMAKE_HOST_UNIX": "1",
    "CMAKE_HOST_LINUX": "1",
    "CMAKE_SHARED_LIBRARY_SUFFIX": ".so",
    "CMAKE_STATIC_LIBRARY_SUFFIX": ".a",
    "CMAKE_SHARED_LIBRARY_PREFIX": "lib",
    "CMAKE_STATIC_LIBRARY_PREFIX": "lib",
    "CMAKE_CFG_INTDIR": ".",
    "CMAKE_FILES_DIRECTORY": "/CMakeFiles",
}


def evaluate(files: Files, setting: Setting | None = None, top: str = "CMakeLists.txt") -> CMakeBuild:
    """Run a project's CMake files. Nothing is started or written; what cannot be known is marked."""
    setting = setting or Setting()
    machine = Evaluator(files, setting)
    folder = posixpath.dirname(top)
    source = posixpath.normpath(posixpath.join(setting.root, folder))
    machine.directory.path = source
    values = dict(_MACHINE)
    for name, value in (("SOURCE_DIR", source), ("BINARY_DIR", setting.build)):
        values[f"CMAKE_{name}"] = values[f"CMAKE_CURRENT_{name}"] = value
        values[f"PROJECT_{name}"] = value
    machine.scopes.stack[0].update({**values, **setting.variables})
    machine.scopes.cache.update(setting.switches)
    for name, there in setting.compilers.items():
        if not there:
            machine.scopes.cache[f"CMAKE_{name}_COMPILER"] = f"CMAKE_{name}_COMPILER-NOTFOUND"
    machine.scopes.origins += [(pattern, "this machine") for pattern in OF_CMAKE]
    machine.scopes.origins += [(re.compile(re.escape(name)), "the command line") for name in setting.given]
    stopped = ""
    try:
        end = machine.run_file(top, None)
        if end and end.kind == "fatal" and not machine.stopped:
            machine.stopped = "every way through it ends with an error"
            machine.refusals.append((Reason(top, 1), machine.stopped))
        stopped = machine.stopped if end else ""
    except (RewarpError, RecursionError) as error:
        stopped = str(error) or "nested too deeply"
        machine.unread.append((Reason(top, 1), stopped))
    machine.directories[0].variables = {name: machine.scopes.get(name) for name in paths.flag_names(machine)}
    values_left = {name: machine.scopes.get(name) for scope in machine.scopes.stack[:1] for name in scope}
    units = list(_Assembly(machine).units())
    return CMakeBuild(
        machine.targets,
        units,
        machine.messages,
        values_left,
        machine.unread,
        stopped or machine.stopped,
        tuple(machine.languages),
        machine.options,
        machine.files_run,
        machine.refusals,
        machine.wanted,
        {path: machine.ran.get(path, set()) for path in machine.files_run},
        {name: values != {False} for name, values in machine.configured.items()},
    )


class _Assembly:
    """Sources with what their targets, folders and the targets that they link give them."""

    def __init__(self, machine: Evaluator) -> None:
        self.machine = machine
        self.conditions = machine.conditions
        self._contexts: dict[str | None, Context] = {}
        self._reached: dict[str, list[tuple[CMakeTarget, Guards]]] = {}

    def units(self) -> Iterator[CMakeUnit]:
        for target in self.machine.targets.values():
            if target.kind in ("CUSTOM", "IMPORTED"):
                continue
            items = list(target.own.sources) + [
                item for other, guards in self._linked(target) for item in _under(other.interface.sources, guards)
            ]
            named: dict[str, list[Item]] = {}
            for item in items:
                if not _OBJECTS.fullmatch(item.text):
                    for text in split(evaluated(item.text, self._context(None))):
                        named.setdefault(text, []).append(item)
            for text, found in named.items():
                for guards, item in _merged(found):
                    yield from self._unit(target, item._replace(guards=guards), text)

    def _unit(self, target: CMakeTarget, item: Item, source: str) -> Iterator[CMakeUnit]:
        source = source if source.startswith(("/", "\x05")) else posixpath.join(target.directory.path, source)
        conditions = self._texts((*target.guards, *item.guards))
        if conditions is None:
            return
        language, more = self._language(target, source)
        context = self._context(language)
        directory = target.directory
        defines = [*target.own.definitions, *self._given(target, "definitions"), *directory.given.definitions]
        options = [*target.own.options, *self._given(target, "options")]
        if directory.given.options:
            options += [option for option in directory.given.options if option not in options]
        includes = [*target.own.includes, *self._given(target, "includes")]
        if language:
            defines += directory.source_definitions.get(source, [])
            options += directory.source_options.get(source, [])
            includes = [*directory.source_includes.get(source, []), *includes]
        flags = [*self._flag_words(target, source, language), *self._conditionals(options, context)]
        yield CMakeUnit(
            target.name,
            spoken(source),
            language,
            (*self._conditionals(defines, context), *(_exports(target) if language else ())),
            tuple(dict.fromkeys(flags)),
            tuple(self._conditionals(includes, context)),
            item.reason,
            (*conditions, *more),
        )

    def _flag_words(self, target: CMakeTarget, source: str, language: str | None) -> Iterator[Conditional]:
        variable = (
            _PACKAGE_FLAGS[language or ""] if source in target.directory.by_package else f"CMAKE_{language}_FLAGS"
        )
        value = target.directory.variables.get(variable) or ""
        options = cases(value) or [((), value)]
        for guards, text in options if has_choice(value) else [((), value)]:
            conditions = self._texts(guards)
            if conditions is not None:
                yield from (Conditional(spoken(word), conditions) for word in text.replace(";", " ").split())
        if language == "CUDA" and self._is_relocatable(target, source):
            yield Conditional("-rdc=true")
        standard = target.standards.get(language or "")
        if standard is None and language in ("CUDA", "HIP"):
            standard = target.standards.get("CXX") if language == "HIP" else None
        standard = self._at_least(target, language or "", standard)
        if standard and is_known(standard) and not has_choice(standard):
            yield Conditional(f"-std={'c' if language == 'C' else 'c++'}{standard}")

    def _at_least(self, target: CMakeTarget, language: str, standard: str | None) -> str | None:
        """The standard, or a newer one that a feature asks for: cxx_std_20. What is asked of C++ goes for the languages of
        GPUs, too, where those have none of their own."""
        takes_cxx = language in ("CUDA", "HIP") and not target.standards.get(language)
        asked = (language.lower(), "cxx") if takes_cxx else (language.lower(),)
        found = [
            match[2]
            for item in [*target.own.features, *self._given(target, "features")]
            if (match := _FEATURE.fullmatch(item.text)) and match[1] in asked and self._texts(item.guards) == ()
        ]
        newest = max(found, key=_year, default=None)
        return newest if newest and (not standard or _year(newest) > _year(standard)) else standard

    @staticmethod
    def _is_relocatable(target: CMakeTarget, source: str) -> bool:
        """FindCUDA asks a variable, CUDA as a language the target; HIP's compiler hears of neither."""
        if source in target.directory.by_package:
            asked = target.directory.variables.get("CUDA_SEPARABLE_COMPILATION") or ""
        else:
            asked = target.properties.get("CUDA_SEPARABLE_COMPILATION", "")
        return constant(asked) is True

    def _language(self, target: CMakeTarget, source: str) -> tuple[str | None, tuple[str, ...]]:
        """The language of a source, and the conditions under which it is enabled."""
        if by_package := target.directory.by_package.get(source):
            return by_package, ()
        given = target.directory.languages.get(source)
        if given is not None and not is_known(given):
            return None, (spoken(given).strip("<>"),)
        language = given or LANGUAGE_OF.get(posixpath.splitext(source)[1])
        enabled = self.machine.languages.get(language or "")
        if not language or enabled is None:
            return None, ()
        ways = [self._texts(guards) for guards in enabled]
        if any(way == () for way in ways):
            return language, ()
        known = [way for way in ways if way]
        return (language, known[0]) if known else (None, ())

    def _context(self, language: str | None) -> Context:
        if language not in self._contexts:
            self._contexts[language] = self._new_context(language)
        return self._contexts[language]

    def _new_context(self, language: str | None) -> Context:
        names = self.machine.setting.variables
        compilers = {
            lang: names[key] for lang in ("C", "CXX", "CUDA", "HIP") if (key := f"CMAKE_{lang}_COMPILER_ID") in names
        }
        configuration = self.machine.directories[0].variables.get("CMAKE_BUILD_TYPE") or ""
        known = is_known(configuration) and not has_choice(configuration)
        return Context(language, configuration if known else None, compilers, self._has_target)

    def _has_target(self, name: str) -> bool | None:
        return self.machine.asked("TARGET", name)

    def _given(self, target: CMakeTarget, kind: str) -> list[Item]:
        """What the targets that it links, and those that they link in turn, give to it."""
        return [
            item for other, guards in self._linked(target) for item in _under(getattr(other.interface, kind), guards)
        ]

    def _linked(self, target: CMakeTarget) -> list[tuple[CMakeTarget, Guards]]:
        if target.name not in self._reached:
            self._reached[target.name] = self._find_linked(target)
        return self._reached[target.name]

    def _find_linked(self, target: CMakeTarget) -> list[tuple[CMakeTarget, Guards]]:
        found: list[tuple[CMakeTarget, Guards]] = []
        seen = {target.name}
        waiting = [(item, item.guards) for item in target.own.links]
        while waiting:
            item, guards = waiting.pop(0)
            for word in split(evaluated(item.text, self._context(None))):
                name = self.machine.aliases.get(word, word)
                other = self.machine.targets.get(name)
                if other and name not in seen:
                    seen.add(name)
                    found.append((other, guards))
                    waiting += [(link, (*guards, *link.guards)) for link in other.interface.links]
        return found

    def _conditionals(self, items: Iterable[Item], context: Context) -> Iterator[Conditional]:
        seen: set[Conditional] = set()
        for item in items:
            conditions = self._texts(item.guards)
            if conditions is None:
                continue
            for text in split(evaluated(item.text, context)):
                found = Conditional(spoken(text), conditions)
                if text and found not in seen:
                    seen.add(found)
                    yield found

    def _texts(self, guards: Sequence[Literal]) -> tuple[str, ...] | None:
        """Conditions in words, without those that turned out to hold; None where one turned out not to."""
        found: list[str] = []
        for guard in dict.fromkeys(guards):
            value = self.conditions.value(guard)
            if value is False:
                return None
            if isinstance(value, Literal):
                found.append(self.conditions.text(guard))
        return tuple(found)


def _year(standard: str) -> int:
    """Of a standard: those of the last century are the oldest."""
    number = int(standard) if standard.isdecimal() else 0
    return number + 1900 if number > 50 else number + 2000


def _exports(target: CMakeTarget) -> Iterator[Conditional]:
    """What CMake itself defines for the sources of a library that is loaded."""
    if target.kind in ("SHARED", "MODULE", "LIBRARY"):
        name = target.properties.get("DEFINE_SYMBOL") or f"{re.sub('[^A-Za-z0-9_]', '_', target.name)}_EXPORTS"
        yield Conditional(spoken(name), ("BUILD_SHARED_LIBS",) if target.kind == "LIBRARY" else ())


def _merged(items: Sequence[Item]) -> list[tuple[Guards, Item]]:
    """One source that is given several times: what holds with a condition and without it holds."""
    found: dict[frozenset[Literal], Item] = {}
    for item in items[:_MOST_GUARDS]:
        guards = frozenset(item.guards)
        while other := next(
            (o for o in found if len(o ^ guards) == 2 and len({g.number for g in o ^ guards}) == 1), None
        ):
            item = found.pop(other)
            guards &= other
        if not any(other <= guards for other in found):
            found = {other: kept for other, kept in found.items() if not guards < other}
            found[guards] = item
    return [(tuple(guard for guard in item.guards if guard in guards), item) for guards, item in found.items()]


def _under(items: Iterable[Item], guards: Guards) -> Iterator[Item]:
    return (Item(item.text, (*guards, *item.guards), item.reason) for item in items)
