"""BLD-020: a Makefile or script built on nvcc."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import FileFix
from rewarp.lang.document import Command
from rewarp.lang.kinds import Kind
from rewarp.lang.makefile import Makefile
from rewarp.lang.shell import ShellFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules._files import by_side
from rewarp.rules.shapes.build import HIPCC, MAKEFILE, mild_in_make
from rewarp.source import Span
from rewarp.tables.libraries import LINK_NAMES, advice, linked
from rewarp.targets import Context

_NVCC = re.compile(r"(?<![\w.-])(?:[^\s()]{0,400}/)?nvcc(?![\w.-])")
_CALLED = re.compile(r"\$[({](NVCC|CUDACC|CUDA_COMPILER)[)}]")
_SOURCE = re.compile(r"\.(cu|cpp|cc|cxx|c)$")


@rule(
    id="BLD-020",
    title="A Makefile or script compiles with nvcc or links CUDA libraries",
    kinds=(Kind.MAKE, Kind.SHELL, Kind.DOCKERFILE, Kind.ACTIONS, Kind.YAML, Kind.COMPOSE),
    anchors=["nvcc", "NVCC", "CUDACC", *(f"l{name}" for name in LINK_NAMES)],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="There is no nvcc on an AMD machine, and the CUDA libraries are not there to link.",
        fix="Add a HIP branch: hipcc as the compiler, --offload-arch for the architecture, and the hip libraries "
        "(-lhipblas for -lcublas, -lamdhip64 for -lcudart).",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.BUILD,
        why="There is no nvcc on a Gaudi machine, and no compiler takes CUDA sources to Gaudi.",
        fix="Leave what is compiled with nvcc out of the build there.",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example="NVCC := nvcc\nLDLIBS := -lcudart -lcublas",
    source="https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/hip_porting_guide.html",
    fix=FileFix(Kind.MAKE, MAKEFILE),
    traits=[Trait.BUILDS_FOR_CUDA],
)
def match(document: ShellFile, context: Context) -> Iterator[Hit]:
    """Looks for nvcc in the variables and recipes of a Makefile, for -l options that name CUDA libraries, and for
    scripts that compile with nvcc."""
    if isinstance(document, Makefile):
        yield from _in_make(document, context)
    else:
        milder = Severity.INFO if HIPCC.search(document.source.view) else None
        yield from by_side(document, _in_script(document, milder))


def _in_script(document: ShellFile, milder: Severity | None) -> Iterator[Hit]:
    compilers = {f"${item.name}" for item in document.env_sets if _NVCC.fullmatch(item.value or "")}
    compilers |= {f"${{{name[1:]}}}" for name in compilers}
    for command in document.commands:
        first = command.words[0]
        if not (_NVCC.fullmatch(first.text) or first.text in compilers):
            continue
        if any(_SOURCE.search(text) or text in ("-c", "-o", "-shared", "--shared") for text in command.texts[1:]):
            severity = Severity.INFO if document.failure_is_handled(command) else milder
            yield Hit(first, "this script compiles with nvcc", "nvcc", severity)


def _compiles(command: Command) -> bool:
    """Whether a recipe is NVIDIA's by its compiler."""
    first = command.words[0].text
    return bool(_NVCC.fullmatch(first) or _CALLED.fullmatch(first))


def _in_make(document: Makefile, context: Context) -> Iterator[Hit]:
    compiler_set = False
    for variable in document.variables:
        milder = mild_in_make(document, context, variable.span, variable.name)
        if _NVCC.search(variable.value):
            compiler_set = True
            yield Hit(variable.span, f"{variable.name} is nvcc", variable.name, milder)
        for name, library in linked(variable.value):
            found = re.search(rf"-l{re.escape(name)}(?![\w-])", variable.value)
            at = variable.span.start + len(variable.value[: found.start() if found else 0].encode())
            span = Span(at, at + len(name) + 2)
            yield Hit(span, f"-l{name} is linked; {advice(library)}", name, milder)
    for command in document.commands:
        first = command.words[0]
        milder = mild_in_make(document, context, document.span(first), "nvcc" if _compiles(command) else "")
        called = _CALLED.fullmatch(first.text)
        if _NVCC.fullmatch(first.text):
            yield Hit(first, "this recipe calls nvcc", "nvcc", milder)
        elif called and not compiler_set:
            compiler_set = True
            yield Hit(first, f"this recipe calls {called[1]}, which is set elsewhere", called[1], milder)
        for word in command.words[1:]:
            for name, library in linked(word.text):
                yield Hit(word, f"-l{name} is linked; {advice(library)}", name, milder)
