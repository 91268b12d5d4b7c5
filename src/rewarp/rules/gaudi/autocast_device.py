"""HPU-008: mixed precision for "cuda"."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place, Refused, torch_name
from rewarp.fixes.splices import picked
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.gaudi import AUTOCAST, DEVICE_STRING, in_annotation, judged_for_gaudi
from rewarp.rules.shapes.gaudi_twins import text_argument
from rewarp.targets import Context

_AUTOCAST = ("enabled", "dtype", "cache_enabled")
_SCALER = "it switches itself off on Gaudi, which bfloat16 wants; float16 needs torch.amp.GradScaler for hpu"


def _for_hpu(place: Place) -> Outcome | None:
    """``torch.autocast("cuda")``, ``torch.cuda.amp.autocast()``, ``torch.cuda.amp.custom_fwd``."""
    why = "On Gaudi mixed precision is asked for by the device hpu."
    call = place.node(ast.Call)
    if call is not None:
        device = text_argument(call, "cuda")
        if (place.document.path(call.func) or "").endswith("GradScaler"):
            return Refused(_SCALER)
        return Mend(picked(place, device, '"hpu"'), why) if device is not None else None
    node = place.node(ast.expr)
    torch = torch_name(place.view)
    name = (place.finding.symbol or "").rpartition(".")[2]
    if node is None or torch is None:
        return None
    if name == "GradScaler":
        return Refused(_SCALER)
    used = place.document.parent(node)
    called = used if isinstance(used, ast.Call) and used.func is node else None
    if name == "autocast" and called is not None:
        if any(isinstance(argument, ast.Starred) for argument in called.args):
            return Refused("its arguments are not spelled out")
        given = [f"{key}={place.view.text(value)}" for key, value in zip(_AUTOCAST, called.args)]
        given += [place.view.text(keyword) for keyword in called.keywords]
        listed = ", ".join(['"hpu"', *given])
        return Mend(picked(place, called, f"{torch}.autocast({listed})"), why)
    if name in ("custom_fwd", "custom_bwd"):
        given = [place.view.text(keyword) for keyword in called.keywords] if called is not None else []
        listed = ", ".join([*given, 'device_type="hpu"'])
        new = f"{torch}.amp.{name}({listed})"
        return Mend(picked(place, called or node, new), why) if not (called and called.args) else None
    return Refused("it is handed on, and who calls it is not known here")


@rule(
    id="HPU-008",
    title='Mixed precision is set up for "cuda"',
    kinds=PYTHON_KINDS,
    anchors=["autocast", "amp", "GradScaler", "custom_fwd", "custom_bwd"],
    phase=Phase.LIBRARIES,
    gaudi=Impact(
        Severity.PERF,
        why='Gaudi has its own autocast device, "hpu". Without CUDA torch.cuda.amp and device_type="cuda" switch themselves '
        "off with a warning, and the model runs in full precision.",
        fix='Use torch.autocast(device_type="hpu", dtype=torch.bfloat16) on Gaudi; bfloat16 needs no GradScaler.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='with torch.autocast("cuda", dtype=torch.bfloat16): ...',
    source="https://docs.habana.ai/en/latest/PyTorch/PyTorch_Mixed_Precision/Autocast.html",
    gaudi_fix=PythonFix(_for_hpu, even_if_mild=True),
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for names of torch.cuda.amp, and for torch.autocast and torch.amp given "cuda" as their device."""
    for path, node in document.refs("torch.cuda.amp.*"):
        if "(" not in path and not in_annotation(document, node):
            name = path.rpartition(".")[2]
            custom = name in ("custom_fwd", "custom_bwd")
            what = "knows no autocast but CUDA's" if custom else "does nothing on Gaudi"
            # bfloat16 wants no scaler; what custom_fwd casts for is autocast, which is told where it is switched on.
            mild = Severity.INFO if custom or name == "GradScaler" else None
            yield Hit(node, f"{path} {what}", path, severity=mild)
    for path, call in document.calls(*sorted(AUTOCAST)):
        keyword = "device" if path.endswith("GradScaler") else "device_type"
        device = document.argument(call, 0, keyword)
        text = document.string(device) if device is not None else None
        if device is not None and text and DEVICE_STRING.fullmatch(text):
            enabled = document.argument(call, None, "enabled")
            off = isinstance(enabled, ast.Constant) and enabled.value is False
            what = f'is switched off for "{text}" and stays on for "hpu"' if off else f'is set up for "{text}"'
            yield Hit(call, f"{path} {what}", path)
