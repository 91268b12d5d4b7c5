"""LIB-010: kernel libraries that exist for NVIDIA only."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.import_fixes import NOT_ON_GAUDI, WHERE_INSTALLED
from rewarp.rules.shapes.libraries import import_hit, imports_of, noted
from rewarp.targets import Context

_PACKAGES = (
    "cutlass",
    "nvidia_cutlass_dsl",
    "cutlass_library",
    "cute",
    "deep_gemm",
    "flashinfer",
    "sgl_kernel",
    "nvshmem",
    "torchac_cuda",
    "deep_ep",
    "tinycudann",
    "nvdiffrast",
    "spconv",
    "torchsparse",
    "MinkowskiEngine",
    "nunchaku",
)
_BUILT_FOR_ROCM = {
    "spconv": "https://github.com/Pointcept/PointTransformerV3/issues/181",
    "sgl_kernel": "https://github.com/sgl-project/sglang/blob/main/sgl-kernel/setup_rocm.py",
}
"""Packages that somebody builds for ROCm under the same name, with where that is told: what is imported there is a matter of
installing."""
_COMPILED = re.compile(r"(?!test_)[A-Za-z]\w*_cuda")
_ELSEWHERE = {
    "torchac_cuda",
    "flash_attn_2_cuda",
    "flash_attn_3_cuda",
    "flashattn_hopper_cuda",
    "dask_cuda",
    "numba_cuda",
}


@rule(
    id="LIB-010",
    title="A kernel library for NVIDIA is imported",
    kinds=PYTHON_KINDS,
    anchors=[
        *_PACKAGES,
        "~_cuda import",
        "~_cuda\n",
        "~_cuda\r",
        "~_cuda as ",
        "~_cuda #",
        "~_cuda  #",
        "~_cuda;",
        "~_cuda,",
        '~_cuda"',
    ],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="The package is not built for AMD GPUs, so the import fails, and with it every module that imports this one.",
        fix="Import it only when torch.version.hip is None, or inside the function that needs it.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="The package is not built for Gaudi, so the import fails, and with it every module that imports this one.",
        fix="Import it only on NVIDIA, or inside the function that needs it.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="import deep_gemm",
    source="https://github.com/sgl-project/sglang/pull/21428",
    fix=WHERE_INSTALLED,
    gaudi_fix=NOT_ON_GAUDI,
    traits=[Trait.NOTHING_INSTEAD],
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of cutlass, deep_gemm, flashinfer, sgl_kernel, nvshmem, tinycudann, nvdiffrast, spconv and
    their kin, and of compiled modules named *_cuda."""
    for hit in imports_of(document, *_PACKAGES, deferred=Severity.INFO, folders=True):
        told = _BUILT_FOR_ROCM.get(hit.symbol.partition(".")[0])
        yield from noted([hit], context, f"a build for ROCm: {told}") if told else [hit]
    for item in document.imports:
        if not _COMPILED.fullmatch(item.module) or item.module in _ELSEWHERE:
            continue
        if context.target.name == "rocm":
            message = (
                f"{item.module} looks like a compiled CUDA extension; on ROCm it must be built through hipify first"
            )
            yield Hit(item.node, message, item.module, severity=Severity.INFO)
        else:
            yield import_hit(document, item, what="a compiled CUDA extension", deferred=Severity.INFO, folders=True)
