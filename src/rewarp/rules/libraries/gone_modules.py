"""LIB-021: modules that no PyTorch for this hardware has, or that drive another maker's accelerator."""

import re
from collections.abc import Iterator
from dataclasses import replace

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.libraries import imports_of
from rewarp.targets import Context

_GONE = {
    "torch.utils.ffi": "torch has had no torch.utils.ffi since 1.0; its extensions are C++ built by torch.utils.cpp_extension",
    "caffe2": "no torch that has a build for this hardware brings Caffe2's operators and Python modules",
}
_IPU, _TRAINIUM = "Graphcore's IPU", "AWS Trainium and Inferentia"
_OTHER_ACCELERATORS = {
    "poptorch": _IPU,
    "popart": _IPU,
    "optimum.graphcore": _IPU,
    "torch_neuronx": _TRAINIUM,
    "neuronx_distributed": _TRAINIUM,
    "optimum.neuron": _TRAINIUM,
}
_NAMED_FOR_THEM = re.compile(r"(?i)(^|[/_.-])(ipus?|graphcore|pop(torch|art)|neuronx?|trainium|inferentia)([/_.-]|$)")
_WHY = "The module is in no PyTorch that has a build for this hardware, or needs an accelerator of another maker: the import fails."
_FIX = "Write the part that uses it with what today's PyTorch has on every device."


@rule(
    id="LIB-021",
    title="A module is imported that nothing on this hardware provides",
    kinds=PYTHON_KINDS,
    anchors=["ffi", "caffe2", "poptorch", "popart", "graphcore", "torch_neuronx", "neuronx_distributed", "neuron"],
    phase=Phase.LIBRARIES,
    rocm=Impact(Severity.CRASH, why=_WHY, fix=_FIX, effort=Effort.REWRITE),
    gaudi=Impact(Severity.CRASH, why=_WHY, fix=_FIX, effort=Effort.REWRITE),
    example="from torch.utils.ffi import create_extension",
    source="https://github.com/pytorch/pytorch/releases/tag/v1.0.0",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of torch.utils.ffi, Caffe2 and the frameworks of other accelerators. A file that is named for such an
    accelerator is one back end among several, and only informs."""
    for module, why in _GONE.items():
        for hit in imports_of(document, module):
            yield replace(hit, message=f"{hit.message}; {why}")
    for module, hardware in _OTHER_ACCELERATORS.items():
        for hit in imports_of(document, module):
            named = _NAMED_FOR_THEM.search(document.source.path) is not None
            message = f"{hit.message}; it is made for {hardware}"
            yield replace(hit, message=message, severity=Severity.INFO if named else hit.severity)
