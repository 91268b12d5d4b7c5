"""RS-002: cargo features for NVIDIA only."""

import re
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import FileFix
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.project.crates import has_amd_feature
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.rust import CRATES, declared, dependency
from rewarp.targets import Context

_FEATURES = ("cuda", "cudnn", "nccl", "flash-attn", "flash-attn-v1", "flash-attn-v3", "cublas", "cublaslt")
_FORWARDED = re.compile(rf"[\w-]+\??/(?:{'|'.join(_FEATURES)})")
_GROUPS = ("default", "full", "all")
"""Features that only collect others."""


@rule(
    id="RS-002",
    title="A cargo feature for NVIDIA has no AMD sibling",
    kinds=Kind.CARGO,
    anchors=["cuda", "cudnn", "nccl", "flash", "cublas", "cublaslt", "cudarc", "cust"],
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
    fix=FileFix(
        Kind.CARGO, "The feature rocm stands beside cuda and builds the kernels for AMD; nobody gets it without asking."
    ),
)
def match(document: TomlFile, context: Context) -> Iterator[Hit]:
    """Looks for cuda, cudnn, nccl and flash-attn features that a crate declares, or asks of a dependency, where no
    rocm or hip feature stands beside them."""
    if has_amd_feature(document):
        return
    nvidia = list(_for_nvidia(document))
    for key in document.keys:
        if nvidia and key.path == ("features", nvidia[0]):
            which = f"the feature {nvidia[0]} is" if len(nvidia) == 1 else f"the features {', '.join(nvidia)} are"
            yield Hit(key.span, f"{which} for NVIDIA, and this crate has none for AMD", nvidia[0])
    for item in document.strings:
        if item.path[-1:] == ("features",) and len(item.path) >= 3 and "dependencies" in item.path[-3]:
            crate = item.path[-2]
            if item.value in _FEATURES and crate != "cudarc":
                yield Hit(item.span, f"{crate} is asked for its {item.value} feature in every build", item.value)


def _for_nvidia(document: TomlFile) -> Iterator[str]:
    """The features that are CUDA's by their name, or by what they turn on."""
    bindings = {f"dep:{name}" for key, crate, _ in declared(document) if crate in CRATES for name in _names(key.path)}
    features = dependency(document, ("features",))
    for name, parts in features.items() if isinstance(features, dict) else ():
        parts = [part for part in parts if isinstance(part, str)] if isinstance(parts, list) else []
        turned_on = any(part in _FEATURES or part in bindings or _FORWARDED.fullmatch(part) for part in parts)
        if name in _FEATURES or (turned_on and name not in _GROUPS):
            yield name


def _names(path: tuple[str, ...]) -> Iterator[str]:
    """The name a dependency's key goes by: the part after its table."""
    return (path[at + 1] for at, part in enumerate(path[:-1]) if part.endswith("dependencies"))
