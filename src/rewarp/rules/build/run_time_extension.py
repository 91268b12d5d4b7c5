"""BLD-016: an extension compiled when the program runs."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import Items, PythonFix, ScriptFix
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import EXTENSION, builds_at_run_time
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.build._run_time_options import nvcc_option
from rewarp.rules.shapes.build import gpu_flags
from rewarp.targets import Context


@rule(
    id="BLD-016",
    title="A CUDA extension is compiled at run time",
    kinds=PYTHON_KINDS,
    anchors=["load cpp_extension", "load_inline"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="On ROCm load and load_inline translate the sources and call hipcc with extra_cuda_cflags as they are; "
        "the first use stops at an option clang does not know.",
        fix="Give nvcc's own options only when torch.version.hip is None.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="Gaudi does not run CUDA C++, and load and load_inline raise where there is no CUDA toolkit. Kernels for Gaudi are "
        "written in TPC-C.",
        fix="Express the operation in PyTorch on Gaudi, or write a TPC kernel.",
        safety=Safety.NONE,
        effort=Effort.REWRITE,
    ),
    example='load_inline("ops", cuda_sources=src, extra_cuda_cflags=["--use_fast_math"])',
    source="https://github.com/pytorch/pytorch/blob/main/torch/utils/cpp_extension.py",
    fix=(PythonFix(nvcc_option), ScriptFix(Items.OPTIONS)),
    traits=[Trait.RUN_TIME_EXTENSION],
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for nvcc options in files that compile through load or load_inline, where the calls themselves work; on Gaudi,
    for calls that compile CUDA sources."""
    if not builds_at_run_time(document):
        return
    if context.target.name == "gaudi":
        for path, call in document.calls(f"{EXTENSION}.load", f"{EXTENSION}.load_inline"):
            if _has_cuda_sources(document, call) and not document.caught(call, "Exception", "RuntimeError", "OSError"):
                name = path.rpartition(".")[2]
                yield Hit(call.func, f"{name} compiles CUDA sources when it is called", name)
        return
    for option, flag in gpu_flags(document):
        yield Hit(option.node, flag.says, flag.option, severity=flag.severity)
    for path, call in document.calls(f"{EXTENSION}.load", f"{EXTENSION}.load_inline"):
        if _has_cuda_sources(document, call):
            name = path.rpartition(".")[2]
            yield Hit(call.func, f"{name} translates these CUDA sources for AMD by itself", name, Severity.WORKS)


def _has_cuda_sources(document: PythonFile, call: ast.Call) -> bool:
    if document.argument(call, None, "cuda_sources") is not None:
        return True
    sources = document.argument(call, 1, "sources")
    if isinstance(sources, ast.Name):
        values = document.given(sources)
        sources = values[0] if len(values) == 1 else sources
    return sources is not None and any(
        isinstance(part, ast.Constant) and str(part.value).endswith(".cu") for part in ast.walk(sources)
    )
