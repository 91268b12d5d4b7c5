"""Make: a ``Makefile.rocm`` beside the Makefile, which takes the same targets and gives them hipcc. The Makefile itself
stays as it is."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rewarp.errors import UnreadableSource
from rewarp.files import is_below
from rewarp.findings import Finding
from rewarp.fixes.options import Option, read_options
from rewarp.lang.kinds import Kind
from rewarp.lang.makefile import Makefile, Variable
from rewarp.port.build.sources import HipSources, relative
from rewarp.port.model import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.tree import Tree
from rewarp.registry import fixed_in
from rewarp.source import SourceFile
from rewarp.translation.shim_text import SHIM_HEADER
from rewarp.verdict import blocking

SUFFIX = ".rocm"
_NAMES = frozenset({"Makefile", "makefile", "GNUmakefile"})
_NVCC = re.compile(r"(?<![\w-])nvcc(?![\w.-])")
_REFERENCE = re.compile(r"\$[({](\w+)[)}]")
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


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    by_path: dict[str, list[Finding]] = defaultdict(list)
    rules = fixed_in(context.target.name, Kind.MAKE)
    for finding in tree.findings(context.target):
        if finding.rule in rules and posixpath.basename(finding.path) in _NAMES and blocking(finding):
            by_path[finding.path].append(finding)
    sources = HipSources.of(tree) if by_path else None
    for path, findings in by_path.items():
        new_path = posixpath.join(posixpath.dirname(path), posixpath.basename(path) + SUFFIX)
        if tree.read(new_path) is not None:
            continue
        try:
            document = Makefile(SourceFile(path, tree.read(path) or b""), Kind.MAKE)
            variables = document.variables
        except UnreadableSource:
            continue
        result.manual += _in_recipes(document, findings)
        text = overlay(path, new_path, variables, sources)
        if text is None:
            result.manual += [
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


def overlay(path: str, new_path: str, variables: list[Variable], sources: HipSources | None) -> str | None:
    """The file; None where the Makefile has no variable for the compiler."""
    compilers = list(dict.fromkeys(v.name for v in variables if _NVCC.search(v.value) and not _is_test(v)))
    if not compilers:
        return None
    folder, name = posixpath.split(path)
    more = ""
    if sources and sources.shim:
        more = f" -I{relative(sources.shim, folder)} -include {SHIM_HEADER}"
    beside = sources and any(is_below(twin, folder) for twin in sources.twins.values())
    text = _HEAD.format(name=name, new=posixpath.basename(new_path))
    text += (_BESIDE if beside else _PLAIN).format(more=more)
    text += "".join(f"override {compiler} = $(HIPCC)\n" for compiler in compilers)
    text += f"\ninclude {name}\n"
    changed = _changed(variables, set(compilers))
    if changed:
        text += "\n# What only nvcc understands is taken out of what was put together above.\n"
    return text + "".join(line + "\n" for name, words in changed.items() for line in words.lines(name))


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
            if word not in option.hip:  # a host option goes on without the word that introduces it
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


def _manual(finding: Finding, why: str) -> Manual:
    return Manual(finding.path, finding.line, PortPhase.BUILD, finding.message, why, finding.rule)
