"""LIB-019: packages with device code of their own, which have to be got in their build for ROCm."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.targets import Context

_CTRANSLATE2 = "CTranslate2's wheel on PyPI is built for CUDA; from 4.7 on its releases have one for ROCm"
_PYG = "the wheels of data.pyg.org are for CUDA and the CPU; pip install --no-binary builds it with the torch for ROCm that is there"
_SOURCE = "it is built from its CUDA sources, which torch's build translates: install it after the torch for ROCm"
_PACKAGES = {
    "ctranslate2": _CTRANSLATE2,
    "faster_whisper": _CTRANSLATE2,
    "whisperx": _CTRANSLATE2,
    "llama_cpp": 'the build on PyPI is for the CPU; CMAKE_ARGS="-DGGML_HIP=on" pip install llama-cpp-python makes one for ROCm',
    **dict.fromkeys(("torch_scatter", "torch_sparse", "torch_cluster", "torch_spline_conv", "pyg_lib"), _PYG),
    **dict.fromkeys(("diff_gaussian_rasterization", "simple_knn", "fused_ssim", "pytorch3d", "detectron2"), _SOURCE),
    "mmcv": "OpenMMLab's wheels are for CUDA and the CPU; MMCV_WITH_OPS=1 builds its operators for ROCm from source",
}
_ON_CPU = frozenset({"llama_cpp"})
_NAMES_DEVICE = frozenset({"ctranslate2", "faster_whisper", "whisperx"})


@rule(
    id="LIB-019",
    title="A package has to be got in its build for ROCm",
    kinds=PYTHON_KINDS,
    anchors=list(_PACKAGES),
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.INFO,
        why="The package has device code of its own. What pip installs by default is built for CUDA or for the CPU; there is a "
        "build for ROCm, or a way to make one, under the same name.",
        fix="Say in the installation for ROCm where the package comes from.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='from faster_whisper import WhisperModel\n\nmodel = WhisperModel("small", device="cuda")',
    source="https://github.com/OpenNMT/CTranslate2/releases",
    traits=[Trait.INSTALL],
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of CTranslate2 and what runs on it, llama-cpp-python, PyG's extensions, mmcv.ops, and others that are built from
    CUDA sources. Where CTranslate2 is told to use the device "cuda", its build for CUDA raises."""
    seen: set[str] = set()
    for item in sorted(document.imports_of(*_PACKAGES), key=lambda item: document.span(item.node)):
        package = item.module.partition(".")[0]
        if package in seen or (package == "mmcv" and not item.full.startswith("mmcv.ops")):
            continue
        seen.add(package)
        yield Hit(item.node, f"{package}: {_PACKAGES[package]}", package, _severity(document, package, item.optional))


def _severity(document: PythonFile, package: str, optional: bool) -> Severity | None:
    if optional:
        return None
    if package in _ON_CPU:
        return Severity.ON_CPU
    return Severity.CRASH if package in _NAMES_DEVICE and _gives_cuda(document) else None


def _gives_cuda(document: PythonFile) -> bool:
    """Whether a call, a default or a choice in the file says that the device is "cuda"."""
    return any(
        document.string(node) == "cuda" and isinstance(document.parent(node), (ast.keyword, ast.arguments, ast.IfExp))
        for node in document.strings
    )
