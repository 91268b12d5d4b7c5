"""What a HIP build runs in the stead of each CMake command that speaks of CUDA."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rewarp.lang.cmake import Argument, CMakeCommand, CMakeFile
from rewarp.port.build.options import has_nvcc_words, hip_words
from rewarp.rules.build._libraries import LINK_NAMES, Library, twin
from rewarp.targets import Target

Instead = tuple["list[str] | None", "list[str]"]
"""Commands in the stead of the one (None: it stays), and commands beside it."""
_NOTHING: Instead = (None, [])
_TARGET = re.compile(r"CUDA::(\w+)")
_VARIABLE = re.compile(r"\$\{(CUDA_(?:(\w+?)_)?LIBRAR(?:Y|IES)|CUDA_\w+_LIBRARIES)\}")
_LINKS = frozenset({"target_link_libraries", "link_libraries"})
_OPTIONS = frozenset({"add_compile_options", "target_compile_options", "add_definitions", "add_link_options"})
_OLD = {
    "cuda_add_library": "add_library",
    "cuda_add_executable": "add_executable",
    "cuda_include_directories": "include_directories",
}
_OLD_LINKS = {
    "cuda_add_cublas_to_target": "cublas",
    "cuda_add_cufft_to_target": "cufft",
}
_NO_TWIN = frozenset(
    {"cuda_compile_ptx", "cuda_compile_cubin", "cuda_compile_fatbin", "cuda_compile", "cuda_wrap_srcs"}
)
_COMPANIONS = frozenset({"cudnn", "cutensor", "tensorrt", "cusparselt", "nccl"})
_LANGUAGE = re.compile(r"COMPILE_LANGUAGE:CUDA\b|COMPILE_LANG_AND_ID:CUDA,NVIDIA\b")
_CUDA_STANDARD = re.compile(r"\bcuda_std_(\d+)\b")
_FLAGS = re.compile(r"CMAKE_CUDA_FLAGS(_\w+)?")


@dataclass
class Wanted:
    """What a HIP build of the whole project looks for."""

    targets: dict[str, Library] = field(default_factory=dict)
    """CUDA's imported targets that the files link, and their twins."""
    variables: dict[str, Library] = field(default_factory=dict)
    libraries: set[Library] = field(default_factory=set)
    """Twins of libraries that are linked by their plain names."""
    finds_toolkit: bool = False
    has_language: bool = False
    """Whether CUDA is a language of the project; FindCUDA compiles without."""
    placed: bool = False
    """Whether a command has looked for them already."""

    @classmethod
    def of(cls, documents: Iterable[CMakeFile], target: Target) -> Wanted:
        self = cls()
        for document in documents:
            for call in document.calls:
                if document.unreachable(call, target):
                    continue
                if call.name == "find_package" and call.texts[:1] and call.texts[0] in ("CUDA", "CUDAToolkit"):
                    self.finds_toolkit = True
                if call.name in ("project", "enable_language") and "CUDA" in call.texts:
                    self.has_language = True
                self._read(call)
        return self

    def _read(self, call: CMakeCommand) -> None:
        for argument in call.arguments:
            for match in _TARGET.finditer(argument.text):
                if (library := twin(match[1])) and library.target:
                    self.targets[match[0]] = library
            for match in _VARIABLE.finditer(argument.text):
                if library := twin((match[2] or "cudart").lower()) or twin("cudart"):
                    self.variables[match[1]] = library
        if call.name in _LINKS:
            self.libraries |= {lib for a in call.arguments[1:] if (lib := _plain_library(a)) and lib.target}
        if call.name in _OLD_LINKS and (library := twin(_OLD_LINKS[call.name])):
            self.libraries.add(library)

    @property
    def anything(self) -> bool:
        return bool(self.targets or self.variables or self.libraries)

    def lines(self) -> list[str]:
        """The commands that find ROCm's libraries, and give CUDA's names to them where the files link those."""
        libraries = {*self.targets.values(), *self.variables.values(), *self.libraries}
        packages = sorted({p for lib in libraries if (p := _package(lib.target))} | {"hip"})
        packages.sort(key=lambda name: name != "hip")
        lines = [f"find_package({name} REQUIRED)" for name in packages]
        if self.targets:
            lines.append("# What the files link by CUDA's names is ROCm's.")
        for name, library in sorted(self.targets.items()):
            lines += [
                f"if(NOT TARGET {name})",
                f"  add_library({name} INTERFACE IMPORTED)",
                f"  target_link_libraries({name} INTERFACE {library.target})",
                "endif()",
            ]
        return lines + [f"set({name} {library.target})" for name, library in sorted(self.variables.items())]


def _package(target: str) -> str:
    _, colons, name = target.partition("::")
    return "hip" if target == "hip::host" else (name if colons else "")


def _plain_library(argument: Argument) -> Library | None:
    name = argument.text.removeprefix("-l")
    return twin(name) if name in LINK_NAMES and name not in ("toolkit", "cuda_driver") else None


class Commands:
    """Goes through the commands of one file."""

    def __init__(self, document: CMakeFile, wanted: Wanted, switch: str) -> None:
        self._document, self._wanted, self._switch = document, wanted, switch
        self.left: list[tuple[int, str, str, str]] = []
        """What a person has to look at: line, what, why, rule."""

    def for_hip(self, call: CMakeCommand) -> Instead:
        if any(re.search(rf"\b{self._switch}\b", condition) for condition, _ in call.conditions):
            return _NOTHING
        if call.name == "project" and "CUDA" in call.texts[1:]:
            return [self._written(call, {"CUDA": "HIP"}), *self._libraries(not self._wanted.finds_toolkit)], []
        if call.name == "enable_language" and "CUDA" in call.texts:
            return [self._written(call, {"CUDA": "HIP"}), *self._libraries(not self._wanted.finds_toolkit)], []
        if call.name == "find_package":
            return self._find_package(call)
        if call.name in _LINKS:
            return self._links(call)
        if call.name in _OLD:
            return [self._written(call, {}, _OLD[call.name])], []
        if call.name in _OLD_LINKS:
            library = twin(_OLD_LINKS[call.name])
            return [f"target_link_libraries({call.texts[0]} {library.target})" if library else ""], []
        if call.name in _NO_TWIN:
            self._leave(
                call, f"{call.name} has no twin in CMake's HIP support", "FindCUDA alone makes such files", "BLD-022"
            )
        if call.name == "target_compile_features" and _CUDA_STANDARD.search(" ".join(call.texts)):
            standards = {text: _CUDA_STANDARD.sub(r"hip_std_\1", text) for text in call.texts}
            return [self._written(call, standards)], []
        return self._options(call)

    def _libraries(self, here: bool) -> list[str]:
        """Looked for once in a file tree that never asks for CUDA's toolkit, and wherever it does."""
        if not here or self._wanted.placed or not self._wanted.anything:
            return []
        self._wanted.placed = True
        return self._wanted.lines()

    def _find_package(self, call: CMakeCommand) -> Instead:
        name = call.texts[0] if call.texts else ""
        if name in ("CUDA", "CUDAToolkit"):
            language = [] if self._wanted.has_language or name == "CUDAToolkit" else ["enable_language(HIP)"]
            return [*language, *self._wanted.lines()], []
        if name.lower() in _COMPANIONS and "REQUIRED" in call.texts:
            library = twin({"nccl": "nccl", "cutensor": "cutensor", "cudnn": "cudnn"}.get(name.lower(), "nvinfer"))
            if name.lower() == "nccl":
                return ["find_package(rccl REQUIRED)"], []
            advice = (
                f"its nearest kin is {library.target}, with another API"
                if library and library.target
                else "ROCm has none"
            )
            self._leave(call, f"find_package({name}) must find {name}, which AMD does not have", advice, "BLD-018")
        return _NOTHING

    def _links(self, call: CMakeCommand) -> Instead:
        new = {a.text: lib.target for a in call.arguments[1:] if (lib := _plain_library(a)) and lib.target}
        for argument in call.arguments[1:]:
            library = _plain_library(argument)
            names = [match[1] for match in _TARGET.finditer(argument.text)]
            if (library and not library.target) or any(not (t := twin(name)) or not t.target for name in names):
                self._leave(
                    call,
                    f"{argument.text} is linked, and ROCm has no twin of it",
                    "what uses it has to be left out",
                    "BLD-022",
                )
        return ([self._written(call, new)], []) if new else _NOTHING

    def _options(self, call: CMakeCommand) -> Instead:
        if call.name == "set" and call.texts and _FLAGS.fullmatch(call.texts[0]) and "CACHE" not in call.texts:
            return None, self._flags_line(call)
        if call.name not in _OPTIONS:
            return _NOTHING
        text = " ".join(call.texts)
        if _LANGUAGE.search(text):
            return None, self._for_language(call)
        if has_nvcc_words(call.texts):
            kept = hip_words(call.texts)
            scope = {"PRIVATE", "PUBLIC", "INTERFACE", *(call.texts[:1] if call.name.startswith("target_") else ())}
            bare = not [word for word in kept if word not in scope]
            return ([] if bare else [f"{call.name}({' '.join(map(_quoted, kept))})"]), []
        return _NOTHING

    def _flags_line(self, call: CMakeCommand) -> list[str]:
        name = call.texts[0].replace("CUDA", "HIP")
        words = " ".join(call.texts[1:]).split()
        kept = [word.replace("CMAKE_CUDA_FLAGS", "CMAKE_HIP_FLAGS") for word in hip_words(words)]
        return [f'set({name} "{" ".join(kept)}")'] if [w for w in kept if not w.startswith("${CMAKE_HIP_FLAGS")] else []

    def _for_language(self, call: CMakeCommand) -> list[str]:
        """The options that a generator expression gives to CUDA, given to HIP."""
        texts = []
        found = False
        scoped = call.name.startswith("target_")
        for argument in _expressions(call.texts[1:] if scoped else call.texts):
            if argument in ("PRIVATE", "PUBLIC", "INTERFACE"):
                texts.append(argument)
            match = re.fullmatch(r"\$<\$<COMPILE_LANGUAGE:CUDA>:(.*)>", argument, re.S)
            if match and "$<" not in match[1]:
                kept = hip_words(match[1].replace(";", " ").split())
                if kept:
                    texts.append(f'"$<$<COMPILE_LANGUAGE:HIP>:{";".join(kept)}>"')
                    found = True
            elif _LANGUAGE.search(argument):
                self._leave(
                    call,
                    "options for CUDA alone are not given to HIP",
                    "the generator expression is not read",
                    "BLD-021",
                )
        return [f"{call.name}({' '.join([*call.texts[:1], *texts] if scoped else texts)})"] if found else []

    def _written(self, call: CMakeCommand, new: dict[str, str], name: str = "") -> str:
        """The command as it is written, on one line, with other words for some arguments."""
        view = self._document.source.view
        texts = [
            new.get(argument.text) or view[argument.where.start : argument.where.end].decode("utf-8", "replace")
            for argument in call.arguments
        ]
        written = view[call.where.start : call.where.start + len(call.name)].decode()
        return f"{name or written}({' '.join(texts)})".replace("( ", "(").replace(" )", ")")

    def _leave(self, call: CMakeCommand, what: str, why: str, rule: str) -> None:
        self.left.append((self._document.source.line_at(call.where.start), what, why, rule))


def _quoted(word: str) -> str:
    return f'"{word}"' if re.search(r"[\s;]", word) and not word.startswith('"') else word


def _expressions(texts: list[str]) -> Iterator[str]:
    """Arguments, with a generator expression that runs over several of them as one."""
    open_text: list[str] = []
    for text in texts:
        open_text.append(text)
        joined = " ".join(open_text)
        if joined.count("$<") <= joined.count(">"):
            yield joined
            open_text = []
    if open_text:
        yield " ".join(open_text)
