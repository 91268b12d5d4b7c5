"""Values that ROCm needs otherwise: a library's name, a mode, a number of warps. ``other if IS_ROCM else value``."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from rewarp.port.python.model import Mend, Mender, Outcome, Place, Refused
from rewarp.port.python.splices import after, picked
from rewarp.tables import cuda

Twin = Callable[[object], object | None]
"""From a literal to the one for ROCm; None where it stays."""
_GFX = 'torch.cuda.get_device_properties({device}).gcnArchName.split(":")[0]'
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
_NVIDIA_GEMMS = {"CUTLASS", "CUTEDSL", "NVGEMM"}


def literal(twin: Twin, why: str) -> Mender:
    """A mender for the one literal of a place that has a twin."""

    def mend(place: Place) -> Outcome | None:
        found = [(node, other) for node, other in _twins(place, twin)]
        if len(found) != 1:
            return None
        node, other = found[0]
        return Mend(picked(place, node, _written(other)), why)

    return mend


def _twins(place: Place, twin: Twin) -> list[tuple[ast.Constant, object]]:
    outermost = place.nodes[:1]
    constants = [node for top in outermost for node in ast.walk(top) if isinstance(node, ast.Constant)]
    in_text = {
        part for top in outermost for text in ast.walk(top) if isinstance(text, ast.JoinedStr) for part in text.values
    }
    return [(node, other) for node in constants if node not in in_text and (other := twin(node.value)) is not None]


def _written(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)


def _library(value: object) -> object | None:
    found = re.fullmatch(r"(?:lib)?(\w+?)(?:64_\d+)?\.(?:so[\d.]*|dll)", value) if isinstance(value, str) else None
    return _LIBRARIES.get(found[1]) if found else None


def _nccl(value: object) -> object | None:
    if not isinstance(value, str):
        return None
    if value == "nccl":
        return "rccl"
    return "librccl.so.1" if re.fullmatch(r"libnccl\.so[\d.]*", value) else None


def _device(value: object) -> object | None:
    found = re.fullmatch(r"(?:hip|rocm)(:\d+)?", value) if isinstance(value, str) else None
    return f"cuda{found[1] or ''}" if found else None


def _gemms(value: object) -> object | None:
    if not isinstance(value, str):
        return None
    names = [name for name in re.split(r"[,\s]+", value) if name]
    if not _NVIDIA_GEMMS & {name.upper() for name in names}:
        return None
    return ",".join(name for name in names if name.upper() not in _NVIDIA_GEMMS) or "ATEN,TRITON"


def _not_expandable(value: object) -> object | None:
    if not isinstance(value, str) or "expandable_segments" not in value:
        return None
    options = [option for option in value.split(",") if "expandable_segments" not in option]
    return ",".join(options) or "expandable_segments:False"


def _at_most(limit: int) -> Twin:
    def twin(value: object) -> object | None:
        return limit if isinstance(value, int) and not isinstance(value, bool) and value > limit else None

    return twin


def _instead(values: dict[object, object]) -> Twin:
    def twin(value: object) -> object | None:
        found = [other for known, other in values.items() if known == value and type(known) is type(value)]
        return found[0] if found else None

    return twin


# --- whole expressions ----------------------------------------------------------------------


def gencode_flags(place: Place) -> Outcome | None:
    call = place.node(ast.Call)
    return None if call is None else Mend(picked(place, call, '""'), "get_gencode_flags() raises on ROCm.")


def sm_name(place: Place) -> Outcome | None:
    """``sm_90`` has a twin only where all of the text is the name."""
    text = place.node(ast.JoinedStr)
    if text is None or not isinstance(text.values[0], ast.Constant):
        return None
    whole = re.fullmatch(r"(sm|compute)_", str(text.values[0].value))
    if not whole or any(isinstance(part, ast.Constant) for part in text.values[1:]):
        return Refused("the name of the architecture is only part of a text that a compiler reads")
    amd = _GFX.format(device="torch.cuda.current_device()")
    return Mend(picked(place, text, amd), "On ROCm the architecture is called by its gfx name.")


def providers(place: Place) -> Outcome | None:
    node = place.node(ast.List) or place.node(ast.Tuple)
    if node is None:
        return None
    names = '"MIGraphXExecutionProvider", "CPUExecutionProvider"'
    amd = f"[{names}]" if isinstance(node, ast.List) else f"({names})"
    return Mend(picked(place, node, amd), "ONNX Runtime runs on AMD's GPUs through MIGraphX.")


def attention_backends(place: Place) -> Outcome | None:
    call = place.node(ast.Call)
    given = place.document.argument(call, 0, "backends") if call is not None else None
    if given is None or not (place.document.path(call.func) or "").endswith("sdpa_kernel"):  # type: ignore[union-attr]
        return None
    items = given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given]
    owner = place.view.text(items[0]).rpartition(".")[0] if len(items) == 1 else ""
    if not owner.isidentifier() and "." not in owner:
        return None
    names = ", ".join(f"{owner}.{name}" for name in ("FLASH_ATTENTION", "EFFICIENT_ATTENTION", "MATH"))
    return Mend(picked(place, given, f"[{names}]"), "ROCm has no cuDNN attention, but the three others.")


def power_draw(place: Place) -> Outcome | None:
    call = place.node(ast.Call)
    if call is None:
        return None
    return Mend(
        picked(place, call, f"{place.view.text(call)} * 1000"), "power_draw() gives watts on ROCm, not milliwatts."
    )


def library(place: Place) -> Outcome | None:
    """A library by its name; with its function, where that is taken from it at once."""
    call = place.node(ast.Call)
    used = place.document.parent(call) if call is not None else None
    names = _twins(place, _library)
    if call is None or len(names) != 1:
        return None
    name, twin = names[0]
    why = "The library has another name on ROCm."
    if not isinstance(used, ast.Attribute) or used.value is not call:
        return Mend(picked(place, name, _written(twin)), why)
    opened = place.view.text(call).replace(place.view.text(name), _written(twin))
    return Mend(picked(place, used, f"{opened}.{_hip_name(used.attr)}"), why)


def hip_symbol(place: Place) -> Outcome | None:
    """``lib.cudaMalloc`` of a library that may be HIP's."""
    node = place.node(ast.Attribute)
    if node is None:
        return None
    twin = _hip_name(node.attr)
    owner = place.view.text(node.value)
    return Mend(picked(place, node, f"{owner}.{twin}"), "HIP's library has the function by its own name.")


def _hip_name(name: str) -> str:
    known = cuda.renames().get(name.encode())
    return known.decode() if known else re.sub(r"^cuda|^cu(?=[A-Z])", "hip", name)


def deepspeed_collectives(place: Place) -> Outcome | None:
    section = place.node(ast.Dict)
    config = place.document.parent(section) if section is not None else None
    if not isinstance(config, ast.Dict) or section is None:
        return None
    key = config.keys[config.values.index(section)] or section
    own_line = not place.view.source.data[place.view.line_start(key) : place.view.span(key).start].strip()
    gap = place.view.newline + place.view.indent(key) if own_line else " "
    entry = f',{gap}**({{"communication_data_type": "fp32"}} if {place.gate.rocm} else {{}})'
    return Mend(after(place, section, entry), "Collectives in bf16 gave NaN weights on ROCm; they run in fp32 there.")


def capture_mode(place: Place) -> Outcome | None:
    call = place.node(ast.Call)
    if call is None or not (call.args or call.keywords) or any(k.arg == "capture_error_mode" for k in call.keywords):
        return None
    last = [*call.args, *(keyword.value for keyword in call.keywords)][-1]
    entry = f', **({{"capture_error_mode": "thread_local"}} if {place.gate.rocm} else {{}})'
    return Mend(after(place, last, entry), "HIP refuses other threads' work during a capture in global mode.")


def without_keyword(why: str) -> Mender:
    """The call without a keyword that ROCm's side does not know."""

    def mend(place: Place) -> Outcome | None:
        name = place.finding.symbol.rpartition(".")[2]
        node = next((node for node in place.nodes if isinstance(node, (ast.keyword, ast.expr))), None)
        keyword = node if isinstance(node, ast.keyword) else place.document.parent(node) if node else None
        call = place.document.parent(keyword) if isinstance(keyword, ast.keyword) else None
        if not isinstance(keyword, ast.keyword) or not isinstance(call, ast.Call) or name in ("", None):
            return None
        view = place.view
        start, end = view.span(call)
        data = view.source.data
        cut, stop = view.span(keyword)
        rest = data[stop:end].lstrip()
        if rest[:1] == b",":
            stop = data.index(b",", stop) + 1
            while data[stop : stop + 1] == b" ":
                stop += 1
        else:
            cut = data.rindex(b",", start, cut) if b"," in data[start:cut] else cut
        text = (data[start:cut] + data[stop:end]).decode(view.codec)
        if b"\n" in data[start:end]:
            return Refused("the call runs over several lines; write it without this option on ROCm")
        return Mend(picked(place, call, text), why)

    return mend


MENDERS: dict[str, Mender] = {
    "PY-BCK-002": literal(_instead({"bfx9": "ieee"}), "The float32 precision bfx9 is NVIDIA's."),
    "PY-BCK-009": attention_backends,
    "PY-BCK-010": without_keyword("ROCm's flash attention takes no num_splits."),
    "PY-CAP-003": sm_name,
    "PY-CAP-005": gencode_flags,
    "PY-CMP-001": literal(
        _instead({"reduce-overhead": "default"}), "Graphs under torch.compile are not sound on this version of ROCm."
    ),
    "PY-CMP-003": literal(_instead({True: False, "1": "0"}), "Inductor's memory planning is not sound on ROCm."),
    "PY-CMP-004": literal(_instead({True: False}), "Graphs under torch.compile are not sound on this version of ROCm."),
    "PY-CMP-005": literal(_gemms, "These GEMM back ends are NVIDIA's."),
    "PY-CMP-006": literal(
        _instead({"tensorrt": "inductor", "torch_tensorrt": "inductor"}), "There is no TensorRT on ROCm."
    ),
    "PY-DET-007": literal(_device, "PyTorch calls an AMD GPU cuda as well."),
    "PY-GRF-003": capture_mode,
    "PY-LIB-009": literal(_nccl, "ROCm's NCCL is RCCL."),
    "PY-MEM-002": literal(_not_expandable, "Expandable segments can hang on this version of ROCm."),
    "PY-MEM-003": literal(_not_expandable, "The two allocator options together lose memory on ROCm."),
    "PY-RT-003": power_draw,
    "PY-RT-009": library,
    "PY-RT-010": literal(_instead({"fork": "spawn"}), "HIP does not survive a fork."),
    "PY-RT-017": deepspeed_collectives,
    "PY-RT-018": hip_symbol,
    "LIB-012": providers,
    "TRI-001": literal(_at_most(16), "A wave of 64 lanes leaves room for 16 of them in a block."),
    "TRI-002": literal(_at_most(2), "AMD's pipeline has two stages; more only take LDS."),
    "TRI-006": literal(_at_most(1), "Clusters of blocks are NVIDIA's."),
    "TRI-007": without_keyword("The AMD back end of Triton refuses an option that it does not know."),
}
