"""PY-RT-015: private functions of torch.cuda."""

import ast
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.gaudi import judged_for_gaudi
from rewarp.rules.shapes.torch_runtime import cuda_uses, is_private
from rewarp.tables import find_torch_cuda
from rewarp.targets import Context

_BROKEN = {
    "_extract_arch_version": "cannot read gfx names and raises IndexError",
    "_raw_device_count_nvml": "opens NVIDIA's NVML and raises OSError",
    "_raw_device_uuid_nvml": "opens NVIDIA's NVML and raises OSError",
    "_get_pynvml_handler": "needs NVIDIA's NVML and raises",
    "_get_nvml_device_index": "needs NVIDIA's NVML and raises",
    "_utils._get_nvrtc_library": "reads torch.version.cuda, which is None, and raises",
    "_utils._get_cuda_library": "opens libcuda.so.1 and raises OSError",
}
_WRONG = {"_device_count_nvml": "asks NVIDIA's NVML and gives -1"}
_ELSEWHERE = ("_compile_kernel",)
_WITHOUT_CUDA = frozenset({"_is_in_bad_fork", "_is_compiled", "_lazy_call", "_device_t"})
"""Names that also work in a build without CUDA."""


@rule(
    id="PY-RT-015",
    title="A private function of torch.cuda is used",
    kinds=PYTHON_KINDS,
    anchors=["cuda", "_C torch"],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.CRASH,
        why="Names with an underscore are torch's own business: most exist in a ROCm build, none is promised, and "
        "those written for NVIDIA's library names or sm_ numbers fail there.",
        fix="Use the public function, or call it only where torch.version.hip is None.",
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="A build without CUDA lacks torch._C._cuda_* and refuses to initialise torch.cuda.",
        fix="Call it only where torch.cuda.is_available().",
        effort=Effort.HOURS,
    ),
    example='torch.cuda._extract_arch_version("sm_90")',
    source="https://github.com/pytorch/pytorch/blob/main/torch/cuda/__init__.py",
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for names with a leading underscore below torch.cuda and for torch._C._cuda_*."""
    for use in cuda_uses(document):
        if context.target.name == "gaudi" and use.name in _WITHOUT_CUDA:
            continue
        if isinstance(use.node, ast.Name) or use.name in _ELSEWHERE:
            continue  # a name is reported where it was imported or assigned
        if is_private(use.name) and find_torch_cuda(use.name) is None:
            yield _hit(context, f"torch.cuda.{use.name}", use.name, use.node)
    internals: list[tuple[str, ast.AST]]
    internals = [(path, node) for path, node in document.refs("torch._C.*") if isinstance(node, ast.Attribute)]
    internals += [(item.full, item.node) for item in document.imports if item.module == "torch._C" and item.name]
    for path, node in internals:
        name = path.removeprefix("torch._C.")
        if name.startswith(("_cuda_", "_nccl_")) and "(" not in name and "[" not in name:
            yield _hit(context, path, name, node)


def _hit(context: Context, path: str, name: str, node: object) -> Hit:
    if context.target.name != "rocm":
        return Hit(node, f"{path} is private to torch and not there on {context.target.title}", path)
    if name in _BROKEN:
        return Hit(node, f"{path} {_BROKEN[name]}", path)
    if name in _WRONG:
        return Hit(node, f"{path} {_WRONG[name]}", path, severity=Severity.WRONG)
    return Hit(node, f"{path} is private to torch: nothing is promised for ROCm", path, severity=Severity.INFO)
