"""SH-002: NVIDIA's profilers and debuggers are run."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Command, Document
from rewarp.lang.kinds import COMMAND_KINDS
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.rules.shapes.env import failure_is_handled, runs
from rewarp.targets import Context

_TWINS = {
    "nsys": "rocprofv3",
    "ncu": "rocprof-compute",
    "nv-nsight-cu-cli": "rocprof-compute",
    "nvprof": "rocprofv3",
    "compute-sanitizer": "the address sanitizer of ROCm's compiler",
    "cuda-memcheck": "the address sanitizer of ROCm's compiler",
    "cuda-gdb": "rocgdb",
    "dcgmi": "rdci",
}
_NPM = {"-u", "-g", "-i", "--upgrade", "--global", "--interactive"}


def _is_npm(command: Command) -> bool:
    """npm-check-updates is called ncu too."""
    return command.name == "ncu" and set(command.texts[1:]) <= _NPM


@rule(
    id="SH-002",
    title="A profiler or debugger of NVIDIA is run",
    kinds=COMMAND_KINDS,
    anchors=["nsys", "ncu", "nsight", "nvprof", "compute sanitizer", "cuda memcheck", "cuda gdb", "dcgmi"],
    phase=Phase.VERIFICATION,
    rocm=Impact(
        Severity.CRASH,
        why="These tools come with CUDA and NVIDIA's driver. ROCm has rocprofv3 for traces, rocprof-compute for counters "
        "and rocgdb for debugging.",
        fix="Run NVIDIA's tool where it is there and ROCm's twin otherwise.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="These tools are part of the CUDA toolkit. Gaudi is profiled with hl-prof.",
        fix="Run NVIDIA's tool where it is there and hl-prof-config with torch's profiler otherwise.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="nsys profile -o trace python train.py",
    source="https://rocm.docs.amd.com",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for nsys, ncu, nvprof, compute-sanitizer, cuda-memcheck, cuda-gdb and dcgmi being run."""

    def found() -> Iterator[Hit]:
        for command in document.commands:
            word = runs(command, *_TWINS)
            if word and not _is_npm(command):
                name = next(name for name in _TWINS if name in word.text)
                twin = f"; ROCm's is {_TWINS[name]}" if context.target.name == "rocm" else ""
                severity = Severity.INFO if failure_is_handled(document, command) else None
                yield Hit(word, f"{name} is NVIDIA's tool{twin}", name, severity)

    yield from by_side(document, found())
