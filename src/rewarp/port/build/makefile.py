"""Make: a ``Makefile.rocm`` beside the Makefile, which takes the same targets and gives them hipcc. The Makefile itself
stays as it is."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from rewarp.errors import UnreadableSource
from rewarp.files import is_below
from rewarp.findings import Finding
from rewarp.fixes.options import Option, has_nvcc_words, read_options
from rewarp.lang.kinds import Kind
from rewarp.lang.makefile import Makefile, Variable
from rewarp.port.build.makefile_text import first_unlike, rewritten
from rewarp.port.build.relocatable import OPTION, asks_for_it
from rewarp.port.build.script_lists import hip_library
from rewarp.port.build.sources import HipSources, relative
from rewarp.port.changes import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.tree import Tree
from rewarp.registry import fixed_in
from rewarp.source import SourceFile
from rewarp.translation.shim_text import SHIM_HEADER
from rewarp.verdict import blocking

SUFFIX = ".rocm"
_MAKEFILE = re.compile(r"(?i)(gnu)?makefile([._-][\w.-]+)?|[\w.-]+\.(mk|make)")
_FOR_AMD = re.compile(r"(?i)(?<![a-z])(hip|rocm|amd|amdgpu)(?![a-z])")
_NAMES = frozenset({"Makefile", "makefile", "GNUmakefile"})
_NVCC = re.compile(r"(?<![\w-])nvcc(?![\w.-])")
_REFERENCE = re.compile(r"\$[({](\w+)[)}]")
_OF_TARGET = re.compile(r"^[^\s#:=][^#:=\n]*:[ \t]*(?:(?:override|export|private)[ \t]+)*\w+[ \t]*[+?:]?=(.*)$", re.M)
_COMPILES_CUDA = re.compile(rb"\.cuh?\b|-x\s*cu\b")
_OPTIMISES = re.compile(r"-O[0-3]?")
_EXACT_LIBRARY = re.compile(r":lib(\w+)\.(so|a)[\d.]*")
"""The word behind ``-l`` where a file is named: ``-l :libcufft.so``."""
_CUDA_FOLDER = re.compile(r"/(?:usr/local|opt)/cuda[\w.-]*((?:/[\w.-]+)*/?)")
_FOLDER = re.compile(r"-[IL]?\S*/usr/local/cuda\S*")
_WHY = "make -f {} builds the same targets for AMD GPUs; the Makefile itself is not touched."
_HEAD = """\
# The targets of {name} for AMD GPUs: make -f {new} [TARGET]
# ROCM_ARCH says for which (ROCM_ARCH="gfx942 gfx1100"); without it the GPUs of this machine are asked.
ROCM_PATH ?= /opt/rocm
ROCM_ARCH ?= $(sort $(filter-out gfx000,$(shell $(ROCM_PATH)/bin/rocm_agent_enumerator)))
"""
_PLAIN = "HIPCC = $(ROCM_PATH)/bin/hipcc $(addprefix --offload-arch=,$(ROCM_ARCH)){more}\n"
_BESIDE = """\
# A source with a translated copy beside it (x.hip for x.cu, x.cpp.hip for x.cpp) is compiled from the copy.
HIPCC = sh -c 'for word do shift; copy="$${{word%.cu}}.hip"; \\
  if [ -e "$$copy" ]; then word="$$copy"; fi; set -- "$$@" "$$word"; done; \\
  exec $(ROCM_PATH)/bin/hipcc $(addprefix --offload-arch=,$(ROCM_ARCH)){more} "$$@"' hipcc
"""
_CHOICE = re.compile(rb"^HIPCC = sh -c 'for word do .*?,\$\(ROCM_ARCH\)\)(.*?) \"\$\$@\"' hipcc\n", re.M | re.S)


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    by_path: dict[str, list[Finding]] = defaultdict(list)
    rules = fixed_in(context.target.name, Kind.MAKE)
    for finding in tree.findings(context.target):
        if finding.rule in rules and posixpath.basename(finding.path) in _NAMES and blocking(finding):
            by_path[finding.path].append(finding)
    sources = HipSources.of(tree) if by_path else None
    for path, findings in by_path.items():
        if not compiles_cuda(tree.read(path) or b""):
            continue  # it only names nvcc
        new_path = posixpath.join(posixpath.dirname(path), posixpath.basename(path) + SUFFIX)
        if tree.read(new_path) is not None:
            continue
        if own := hip_makefile(tree, posixpath.dirname(path)):
            what = f"{own} builds for HIP already"
            why = "it is the place for whatever is still missing: a second build beside it would go its own way"
            result.manual.append(Manual(path, None, PortPhase.BUILD, what, why, min(f.rule for f in findings)))
            continue
        try:
            document = Makefile(SourceFile(path, tree.read(path) or b""), Kind.MAKE)
            variables = document.variables
        except UnreadableSource:
            continue
        left = _in_recipes(document, findings)
        if unlike := first_unlike(_text(document)):
            why = f"{unlike} is nothing that hipcc does in the same way"
            left = [replace(item, why=why) for item in left] or [_manual(findings[0], why)]
        said = left or _recipes_say_more(document, variables) or _targets_say_more(document)
        text = overlay(path, new_path, variables, sources) if not said else None
        if text is None:  # a second Makefile cannot change a recipe of the first: it has to be a whole one
            text = whole(path, new_path, document, sources)
        if text is None:
            result.manual += left or [
                _manual(f, "no variable names the compiler, so none can be given another") for f in findings[:1]
            ]
        else:
            why = _WHY.format(posixpath.basename(new_path))
            result.changes.append(
                Change(
                    new_path, text.encode(), PortPhase.BUILD, why, tuple(sorted({finding.rule for finding in findings}))
                )
            )
    return result


def compiles_cuda(data: bytes) -> bool:
    """Whether a Makefile speaks of CUDA sources, rather than of nvcc alone."""
    return bool(_COMPILES_CUDA.search(data))


def hip_makefile(tree: Tree, folder: str) -> str | None:
    """A Makefile in a folder that is the project's own for HIP, by its name or by the compiler that it calls."""
    for path in tree.paths():
        name = posixpath.basename(path)
        if posixpath.dirname(path) != folder or not _MAKEFILE.fullmatch(name) or path in tree.changes():
            continue
        if _FOR_AMD.search(name) or re.search(rb"(?<![\w-])hipcc(?![\w-])", tree.read(path) or b""):
            return path
    return None


def hip_folders(tree: Tree) -> list[str]:
    """The folders whose Makefile has one for HIP beside it that the project wrote itself."""
    folders = {posixpath.dirname(path) for path in tree.paths() if _MAKEFILE.fullmatch(posixpath.basename(path))}
    return sorted(folder for folder in folders if hip_makefile(tree, folder))


def overlay(path: str, new_path: str, variables: list[Variable], sources: HipSources | None) -> str | None:
    """The file; None where the Makefile has no variable for the compiler."""
    compilers = list(dict.fromkeys(v.name for v in variables if _NVCC.search(v.value) and not _is_test(v)))
    if not compilers:
        return None
    name = posixpath.basename(path)
    text = _head(path, new_path, sources, "\n".join(variable.value for variable in variables))
    text += "".join(f"override {compiler} = $(HIPCC)\n" for compiler in compilers)
    text += "".join(
        f"override {name} = {folder}\n" for name, folder in _folders(variables).items() if name not in compilers
    )
    text += f"\ninclude {name}\n"
    changed = _changed(variables, set(compilers))
    if changed:
        text += "\n# What only nvcc understands is taken out of what was put together above.\n"
    text += "".join(line + "\n" for name, words in changed.items() for line in words.lines(name))
    return text + _for_host(path, sources)


def whole(path: str, new_path: str, document: Makefile, sources: HipSources | None) -> str | None:
    """The file with the Makefile's own text, nvcc's words in it replaced; None where some would be left."""
    try:
        given = document.source.data.decode("utf-8-sig").replace("\r\n", "\n")
        text = rewritten(given)
    except UnicodeDecodeError:
        return None
    if text is None:
        return None
    return f"{_head(path, new_path, sources, given)}\n{text.rstrip()}\n{_for_host(path, sources)}"


def _head(path: str, new_path: str, sources: HipSources | None, written: str) -> str:
    folder, name = posixpath.split(path)
    more = f" {OPTION}" if asks_for_it(written) else ""  # nvcc links such device code unasked
    if sources and sources.shim:
        more += f" -I{relative(sources.shim, folder)} -include {SHIM_HEADER}"
    beside = sources and any(is_below(twin, folder) for twin in sources.twins.values())
    text = _HEAD.format(name=name, new=posixpath.basename(new_path))
    return text + (_BESIDE if beside else _PLAIN).format(more=more)


def _for_host(path: str, sources: HipSources | None) -> str:
    """What C++ that is no device code needs where it includes CUDA's headers, too."""
    if not sources or not sources.shim or not sources.host_speaks_cuda:
        return ""
    shim = relative(sources.shim, posixpath.dirname(path))
    return f"\nCXX := $(CXX) -D__HIP_PLATFORM_AMD__ -I{shim} -I$(ROCM_PATH)/include\n"


def without_choice_of_copies(text: bytes) -> bytes:
    """A Makefile of ours in which the compiler is named plainly, for who reads what it compiles."""
    return _CHOICE.sub(rb"HIPCC = hipcc\1\n", text)


def _folders(variables: Iterable[Variable]) -> dict[str, str]:
    """The variables that hold a folder of CUDA's, with ROCm's in its stead."""
    found: dict[str, str] = {}
    for variable in variables:
        if match := _CUDA_FOLDER.fullmatch(variable.value.strip().strip("\"'")):
            below = (match[1] or "").rstrip("/").replace("lib64", "lib").replace("/targets/x86_64-linux", "")
            found[variable.name] = f"$(ROCM_PATH){below}"
    return found


def _is_test(variable: Variable) -> bool:
    """A variable that only asks nvcc something: its version, say."""
    return bool(re.search(r"nvcc\S{0,100}\s{1,100}(--version|-V|--help)", variable.value))


@dataclass
class _Words:
    """What changes in a variable."""

    renamed: dict[str, str] = field(default_factory=dict)
    gone: dict[str, None] = field(default_factory=dict)
    quoted: bool = False

    def add(self, option: Option) -> None:
        first, *rest = option.words
        name, equals, _ = first.partition("=")
        pattern = f"{name}=%" if equals else first
        hip = [word for word in option.hip if word not in rest and "$" not in word]
        if hip:
            self.renamed[pattern] = " ".join(hip)
        elif "$" not in pattern:
            self.gone[pattern] = None
        for word in rest:
            # A host option goes on without the word that introduces it; -O3 stands there by itself, too, and harms nobody.
            if word not in option.hip and not _OPTIMISES.fullmatch(word):
                head = re.split(r"[$,\d]", word)[0]
                self.gone[f"{head}%" if head and head != word else word] = None

    def merge(self, other: _Words) -> None:
        self.renamed |= other.renamed
        self.gone |= other.gone
        self.quoted = self.quoted or other.quoted

    def lines(self, name: str) -> Iterator[str]:
        if self.quoted:
            yield f'{name} := $(subst ",,$({name}))'
        for old, new in self.renamed.items():
            yield f"{name} := $(patsubst {old},{new},$({name}))"
        if self.gone:
            yield f"{name} := $(filter-out {' '.join(self.gone)},$({name}))"


def _changed(variables: Iterable[Variable], compilers: set[str]) -> dict[str, _Words]:
    """The variables that hold words for nvcc, themselves or by another that does."""
    found: dict[str, _Words] = {}
    for variable in variables:
        if variable.name in compilers:
            continue
        words = variable.value.replace('"', "").replace("\\", " ").split()
        here = _Words(quoted='"' in variable.value)
        for option in read_options(words):
            if option.changes:
                here.add(option)
        here.gone |= dict.fromkeys(word for word in words if _FOLDER.fullmatch(word))
        for word in words:
            exact = _EXACT_LIBRARY.fullmatch(word.removeprefix("-l"))
            if exact and (twin := hip_library(exact[1])):
                here.renamed[word] = word.replace(f"lib{exact[1]}", f"lib{twin[0]}")
        for name in _REFERENCE.findall(variable.value):
            if name in found and name != variable.name:
                here.merge(found[name])
        if here.renamed or here.gone:
            found.setdefault(variable.name, _Words()).merge(here)
    return found


def _in_recipes(document: Makefile, findings: list[Finding]) -> list[Manual]:
    spans = [document.source.original(variable.span) for variable in document.variables]
    return [
        _manual(finding, "it stands in the recipe itself, which a second Makefile cannot change: give it a variable")
        for finding in findings
        if not any(span.start <= finding.start and finding.end <= span.end for span in spans)
        and "which is set elsewhere" not in finding.message
    ]


def _text(document: Makefile) -> str:
    return document.source.data.decode("utf-8-sig", "replace")


def _recipes_say_more(document: Makefile, variables: Iterable[Variable]) -> bool:
    """Whether a recipe hands words that only nvcc understands to the compiler that a variable names."""
    compilers = {variable.name for variable in variables if _NVCC.search(variable.value)}
    lines = (line for line in _text(document).splitlines() if line.startswith("\t"))
    called = (line for line in lines if not compilers.isdisjoint(_REFERENCE.findall(line)))
    return any(has_nvcc_words(_REFERENCE.sub("", line).split()) for line in called)


def _targets_say_more(document: Makefile) -> bool:
    """Whether a target has a value of its own for a variable, with words that only nvcc understands: what is changed for all
    does not reach it."""
    return any(has_nvcc_words(match[1].split()) for match in _OF_TARGET.finditer(_text(document)))


def _manual(finding: Finding, why: str) -> Manual:
    return Manual(finding.path, finding.line, PortPhase.BUILD, finding.message, why, finding.rule)
