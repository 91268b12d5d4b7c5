"""RS-002: cargo features for NVIDIA only."""

from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.rust._shapes import has_amd_feature
from rewarp.targets import Context

_FEATURES = ("cuda", "cudnn", "nccl", "flash-attn", "flash-attn-v1", "flash-attn-v3", "cublas", "cublaslt")


@rule(
    id="RS-002",
    title="A cargo feature for NVIDIA has no AMD sibling",
    kinds=Kind.CARGO,
    anchors=["cuda", "cudnn", "nccl", "flash", "cublas", "cublaslt"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="The feature pulls in CUDA bindings and kernels compiled by nvcc, so it does not build on an AMD machine; "
        "without it only the CPU is left.",
        fix="Add a rocm feature beside it that selects an AMD backend. For candle see the ROCm pull request.",
        effort=Effort.HOURS,
    ),
    example='[features]\ncuda = ["candle-core/cuda"]',
    source="https://github.com/huggingface/candle/pull/3801",
)
def match(document: TomlFile, context: Context) -> Iterator[Hit]:
    """Looks for cuda, cudnn, nccl and flash-attn features that a crate declares, or asks of a dependency, where no
    rocm or hip feature stands beside them."""
    declared = document.data.get("features")
    names = list(declared) if isinstance(declared, dict) else []
    if has_amd_feature(document):
        return
    nvidia = [name for name in names if name in _FEATURES]
    for key in document.keys:
        if nvidia and key.path == ("features", nvidia[0]):
            which = f"the feature {nvidia[0]} is" if len(nvidia) == 1 else f"the features {', '.join(nvidia)} are"
            yield Hit(key.span, f"{which} for NVIDIA, and this crate has none for AMD", nvidia[0])
    for item in document.strings:
        if item.path[-1:] == ("features",) and len(item.path) >= 3 and "dependencies" in item.path[-3]:
            crate = item.path[-2]
            if item.value in _FEATURES and crate != "cudarc":
                yield Hit(item.span, f"{crate} is asked for its {item.value} feature in every build", item.value)
