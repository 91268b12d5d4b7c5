"""PY-RT-009: a library of CUDA opened by its file name."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import twins, written
from rewarp.fixes.place import Mend, Outcome, Place
from rewarp.fixes.splices import picked
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_runtime import library_loads, survives
from rewarp.rules.torch._hip_names import hip_name
from rewarp.targets import Context

_LIBRARY = re.compile(
    r"(?:.*[/\\\\])?(?:lib)?(cudart|cuda|nvrtc|nvidia-ml|nvcuda|nvml|nvtoolsext|cublas|cublaslt|cudnn|cufft|curand"
    r"|cusolver|cusparse|cufile|nvjitlink|cupti)(?:64)?(?:[._-].*|\d.*|\{\}.*)?",
    re.I,
)
_AMD = re.compile(r"(?i)amdhip|hiprtc|amd_smi|rocm_smi|hipblas|rocblas|miopen|hipfft|hiprand|hipsolver|hipsparse")


_LIBRARIES = {
    "cudart": "libamdhip64.so",
    "cuda": "libamdhip64.so",
    "nvrtc": "libhiprtc.so",
    "cublas": "libhipblas.so",
    "cublasLt": "libhipblaslt.so",
    "cufft": "libhipfft.so",
    "curand": "libhiprand.so",
    "cusparse": "libhipsparse.so",
    "cusolver": "libhipsolver.so",
    "nvToolsExt": "libroctx64.so",
}


def _hip_library(place: Place) -> Outcome | None:
    """A library by its name; with its function, where that is taken from it at once."""
    call = place.node(ast.Call)
    used = place.document.parent(call) if call is not None else None
    names = twins(place, _twin)
    if call is None or len(names) != 1:
        return None
    name, twin = names[0]
    why = "The library has another name on ROCm."
    if not isinstance(used, ast.Attribute) or used.value is not call:
        return Mend(picked(place, name, written(twin)), why)
    opened = place.view.text(call).replace(place.view.text(name), written(twin))
    return Mend(picked(place, used, f"{opened}.{hip_name(used.attr)}"), why)


def _twin(value: object) -> object | None:
    found = re.fullmatch(r"(?:lib)?(\w+?)(?:64_\d+)?\.(?:so[\d.]*|dll)", value) if isinstance(value, str) else None
    return _LIBRARIES.get(found[1]) if found else None


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
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='cudart = ctypes.CDLL("libcudart.so")',
    source="https://github.com/LMCache/LMCache",
    fix=PythonFix(_hip_library),
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
