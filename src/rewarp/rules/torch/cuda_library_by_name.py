"""PY-RT-009: a library of CUDA opened by its file name."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.torch._runtime_shapes import library_loads, survives
from rewarp.targets import Context

_LIBRARY = re.compile(
    r"(?:.*[/\\\\])?(?:lib)?(cudart|cuda|nvrtc|nvidia-ml|nvcuda|nvml|nvtoolsext|cublas|cublaslt|cudnn|cufft|curand"
    r"|cusolver|cusparse|cufile|nvjitlink|cupti)(?:64)?(?:[._-].*|\d.*|\{\}.*)?",
    re.I,
)
_AMD = re.compile(r"(?i)amdhip|hiprtc|amd_smi|rocm_smi|hipblas|rocblas|miopen|hipfft|hiprand|hipsolver|hipsparse")


@rule(
    id="PY-RT-009",
    title="A CUDA library is opened by its file name",
    kinds=PYTHON_KINDS,
    anchors=["CDLL", "PyDLL", "WinDLL", "LoadLibrary", "find_library", "dlopen", "load_library"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="There is no such file on an AMD machine: OSError. The run time is libamdhip64.so, the run-time compiler "
        "libhiprtc.so, the management library libamd_smi.so.",
        fix='Choose the name by platform, for example "libamdhip64.so" if torch.version.hip else "libcudart.so", and '
        "call the functions by their hip names there.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="There is no such file on a Gaudi machine: OSError.",
        fix="Open it only on NVIDIA.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='cudart = ctypes.CDLL("libcudart.so")',
    source="https://github.com/LMCache/LMCache",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for ctypes and cffi loading cudart, cuda, nvrtc, nvidia-ml and the like with no AMD name tried beside."""
    for load in library_loads(document):
        found = [name for name in load.names if _LIBRARY.fullmatch(name)]
        if not found or any(_AMD.search(name) for name in load.names):
            continue
        if document.raw(load.call.func).endswith("find_library"):
            message = f"{found[0]} is searched for, and nothing is found"
            yield Hit(load.call, message, found[0], severity=Severity.INFO)
        elif survives(document, load.call, "OSError", "Exception", "BaseException"):
            message = f"{found[0]} is opened inside a try that catches OSError: the fallback runs"
            yield Hit(load.call, message, found[0], severity=Severity.INFO)
        else:
            yield Hit(load.call, f"{found[0]} is opened by name", found[0])
