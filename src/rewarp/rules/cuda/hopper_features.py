"""CU-013: features of Hopper and Blackwell."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.cuda import HOPPER_NAMES, KINDS, counted, declares, listed, own_names, uses
from rewarp.targets import Context

_PDL = (
    "cudaLaunchAttributeProgrammatic",
    "cudaGridDependency",
    "cudaTrigger",
    "programmatic",
    "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC",
)


@rule(
    id="CU-013",
    title="Clusters, TMA or programmatic launch of Hopper and later",
    kinds=KINDS,
    anchors=[
        *(
            "__cluster_dims__",
            "__cluster_size__",
            "CUtensorMap",
            "CU_*",
            "cuda*",
            "programmaticStreamSerializationAllowed",
        ),
        *("cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col", "cuTensorMapReplaceAddress"),
    ],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.BUILD,
        why="Thread block clusters, the tensor memory accelerator and programmatic dependent launch are NVIDIA hardware "
        "features; neither HIP nor AMD GPUs have them under these names.",
        fix="Keep the path for NVIDIA behind a macro and give ROCm a kernel without it: workgroups that stand alone, tiles "
        "copied by the threads, a plain launch.",
        safety=Safety.NONE,
        effort=Effort.REWRITE,
    ),
    example="cuTensorMapEncodeTiled(&map, type, rank, address, sizes, strides, box, steps, il, sw, l2, oob);",
    source="https://docs.nvidia.com/cuda/hopper-tuning-guide/",
    traits=[Trait.REWRITE],
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for cluster, tensor map and programmatic launch names; one finding for a file and feature."""
    own = own_names(document)
    names = [
        n
        for n in document.words
        if HOPPER_NAMES.fullmatch(n) and n not in own and (n.startswith(b"__") or not declares(document, n))
    ]
    launch = [name for name in names if name.decode().startswith(_PDL)]
    tensor = [name for name in names if b"ensor" in name or b"TENSOR" in name]
    cluster = [name for name in names if name not in launch and name not in tensor]
    for feature, effort, words in (
        ("programmatic dependent launch", Effort.HOURS, launch),
        ("tensor maps for the TMA unit", Effort.REWRITE, tensor),
        ("thread block clusters", Effort.REWRITE, cluster),
    ):
        found = uses(document, context, words, device=True, hints=words is launch)
        if found:
            message = f"{feature}: {listed(found.names)} ({counted(found.total, 'use')})"
            severity = Severity.INFO if found.header else None
            message += f"; {found.note}" if found.note else ""
            yield Hit(found.first, message, feature, severity=severity, effort=effort)
