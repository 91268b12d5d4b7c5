"""CU-002: the CUDA driver API."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import SourceFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.cuda import KINDS, counted, known_names, listed, milder, uses
from rewarp.targets import Context

_DRIVER = re.compile(rb"cu[A-Z]\w*|CU[a-z]\w*|CU_\w+|CUDA_\w+")


@rule(
    id="CU-002",
    title="The CUDA driver API is used",
    kinds=KINDS,
    anchors=[
        *(
            "cuInit",
            "cuDriverGetVersion",
            "cuDevice*",
            "cuCtx*",
            "cuModule*",
            "cuFunc*",
            "cuMem*",
            "cuLaunch*",
            "cuStream*",
        ),
        *(
            "cuEvent*",
            "cuGraph*",
            "cuArray*",
            "cuLink*",
            "cuGet*",
            "CU_*",
            "CUdevice",
            "CUdeviceptr",
            "CUcontext",
            "CUmodule",
        ),
        *(
            "CUfunction",
            "CUstream",
            "CUevent",
            "CUresult",
            "CUgraph",
            "CUarray",
            "CUlibrary",
            "CUkernel",
            "CUDA_SUCCESS",
        ),
        *("CUmemGenericAllocationHandle", "CUmemAllocationProp", "CUmemAccessDesc", "CUjit_option"),
    ],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.BUILD,
        why="HIP has one API for what CUDA splits into runtime and driver: cuFoo becomes hipFoo, often with a module "
        "or context flavour in its name, and contexts exist for compatibility only.",
        fix="Rename to the HIP twins and load code objects built for the AMD GPU: a PTX string or cubin cannot be loaded.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="cuModuleLoadData(&module, image);",
    source="https://rocm.docs.amd.com/projects/HIPIFY/en/latest/tables/CUDA_Driver_API_functions_supported_by_HIP.html",
    traits=[Trait.TORCH_TRANSLATES],
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for driver functions, types and constants that have a HIP twin; one finding for a file."""
    names = [name for name in known_names(document, "driver") if _DRIVER.fullmatch(name)]
    found = uses(document, context, names)
    if found:
        severity, note = milder(document, context, found)
        yield Hit(
            found.first,
            f"{counted(found.total, 'use')} of {counted(len(found.names), 'CUDA driver name')}"
            f" with a HIP twin: {listed(found.names)}{note}",
            "CUDA driver API",
            severity=severity,
        )
