"""HPU-008: mixed precision for "cuda"."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.gaudi._shapes import AUTOCAST, DEVICE_STRING, in_annotation, judged_for_gaudi
from rewarp.targets import Context


@rule(
    id="HPU-008",
    title='Mixed precision is set up for "cuda"',
    kinds=PYTHON_KINDS,
    anchors=["autocast", "amp", "GradScaler", "custom_fwd", "custom_bwd"],
    phase=Phase.LIBRARIES,
    gaudi=Impact(
        Severity.WRONG,
        why='Gaudi has its own autocast device, "hpu". Without CUDA torch.cuda.amp and device_type="cuda" switch themselves '
        "off with a warning, and the model runs in full precision.",
        fix='Use torch.autocast(device_type="hpu", dtype=torch.bfloat16) on Gaudi; bfloat16 needs no GradScaler.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='with torch.autocast("cuda", dtype=torch.bfloat16): ...',
    source="https://docs.habana.ai/en/latest/PyTorch/PyTorch_Mixed_Precision/Autocast.html",
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for names of torch.cuda.amp, and for torch.autocast and torch.amp given "cuda" as their device."""
    for path, node in document.refs("torch.cuda.amp.*"):
        if "(" not in path and not in_annotation(document, node):
            custom = path.rpartition(".")[2] in ("custom_fwd", "custom_bwd")
            what = "knows no autocast but CUDA's" if custom else "does nothing on Gaudi"
            yield Hit(node, f"{path} {what}", path)
    for path, call in document.calls(*sorted(AUTOCAST)):
        keyword = "device" if path.endswith("GradScaler") else "device_type"
        device = document.argument(call, 0, keyword)
        text = document.string(device) if device is not None else None
        if device is not None and text and DEVICE_STRING.fullmatch(text):
            enabled = document.argument(call, None, "enabled")
            off = isinstance(enabled, ast.Constant) and enabled.value is False
            what = f'is switched off for "{text}" and stays on for "hpu"' if off else f'is set up for "{text}"'
            yield Hit(call, f"{path} {what}", path)
