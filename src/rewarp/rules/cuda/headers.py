"""CU-014: CUDA headers HIP has no twin for."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import SourceFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.cuda import KINDS
from rewarp.tables import cuda
from rewarp.targets import Context

_DELETE = "nothing of it is needed under HIP: leave the include out"
# Headers the table of names does not list, with what to do instead.
_OTHERS = {
    **dict.fromkeys(("sm_20_intrinsics.h", "sm_30_intrinsics.h", "sm_32_intrinsics.h", "sm_35_intrinsics.h"), _DELETE),
    **dict.fromkeys(("sm_60_atomic_functions.h", "sm_61_intrinsics.h", "sm_20_atomic_functions.h"), _DELETE),
    **dict.fromkeys(("device_atomic_functions.h", "device_double_functions.h", "cuda_device_runtime_api.h"), _DELETE),
    **dict.fromkeys(("host_defines.h", "host_config.h", "builtin_types.h", "vector_functions.h"), _DELETE),
    **dict.fromkeys(("crt/host_defines.h", "crt/device_functions.h", "common_functions.h"), _DELETE),
    "cudaTypedefs.h": "it types driver entry points; take hipGetProcAddress with types of your own",
    "cuda_fp4.h": "HIP's 4-bit types are declared in other headers under other names",
    "cuda_fp6.h": "HIP's 6-bit types are declared in other headers under other names",
    "helper_cuda.h": "it belongs to NVIDIA's samples; write the error check yourself",
    "helper_functions.h": "it belongs to NVIDIA's samples",
    "nvfunctional": "nvstd::function has no counterpart on the device: pass a functor or a template argument",
    "nvJitLink.h": "hipRTC's linker functions do this job",
    "nvPTXCompiler.h": "there is no PTX to compile; use hipRTC or comgr",
    "cudaEGL.h": "there is no EGL interoperation",
    "cuda_egl_interop.h": "there is no EGL interoperation",
    "cuda_d3d11_interop.h": "import the resource as external memory",
    "cuda_vdpau_interop.h": "there is no VDPAU interoperation",
}

_STEMS = sorted({path.rpartition("/")[2].removesuffix(".h") for path in _OTHERS})


@rule(
    id="CU-014",
    title="A CUDA header without a HIP twin is included",
    kinds=KINDS,
    anchors=["device_launch_parameters", "texture_fetch_functions", *_STEMS],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.BUILD,
        why="The header comes with CUDA only, so the include is not found.",
        fix="Put the include behind a platform macro.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="#include <device_launch_parameters.h>",
    source="https://rocm.docs.amd.com/projects/HIPIFY/en/latest/supported_apis.html",
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for includes of CUDA headers that have no counterpart in HIP."""
    for include in document.includes:
        advice = _OTHERS.get(include.path)
        twin = cuda.header(include.path.encode())
        needless = twin is not None and twin.supported and not twin.hip
        if advice is None and not needless:
            continue
        advice = advice or _DELETE
        easy = advice is _DELETE
        yield Hit(
            include.where,
            f"{include.path} has no HIP twin; {advice}",
            include.path,
            effort=Effort.MINUTES if easy else Effort.HOURS,
            safety=Safety.SAFE if easy else Safety.NONE,
        )
