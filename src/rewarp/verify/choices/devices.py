"""Devices: does a choice that NVIDIA's users get a GPU from leave AMD's users with the CPU?"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from rewarp.verify.choices.view import View

_GPU = re.compile(r"(cuda|gpu|hip|rocm)(:.*)?")
_DEVICE = re.compile(r"(?i)(.*_)?(device|accelerator|dev|map_location)(_?(type|name|str|string|id))?")
_AVAILABLE = re.compile(
    r"(?i)_*((is|has|have|with|use|using|get|num|n|torch|build|enable)_+)*(cuda|gpus?|devices?|accelerators?)"
    r"(_+(is|devices?|support))?_*(avail|available|count|enabled|present|usable|ready|visible)?_*"
    r"|_*is_*avail(able)?_*|_*(device|gpu)_*count_*|_*num_*(cuda_*)?(gpus?|devices?)_*"
)
_NVIDIA_ALONE = re.compile(r"(?i)_*(is|on|torch_is)_*(cuda|nvidia)\w*|.*nvidia.*")
_NVML = re.compile(r"(?:py)?nvml\.|pynvml")
_FALLBACK = "on ROCm this decides for the CPU, on NVIDIA it does not"


def fallbacks(view: View) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    yield from _strings(view)
    yield from _flags(view)
    yield from _lone(view)
    yield from _switched_off(view)
    yield from _lists(view)


def _strings(view: View) -> Iterator[tuple[ast.expr, str]]:
    """Functions and names that give "cuda" nowhere that ROCm comes to, and "cpu" somewhere."""
    groups: dict[tuple[ast.AST, str], list[tuple[str, ast.expr]]] = defaultdict(list)
    for node in view.document.nodes(ast.Constant):
        if isinstance(node.value, str) and (_GPU.fullmatch(node.value) or node.value == "cpu"):
            role = _role(view, node)
            if role is not None:
                groups[view.document.scope(node), role].append((node.value, node))
    for given in groups.values():
        gpus = [node for text, node in given if text != "cpu"]
        cpus = [node for text, node in given if text == "cpu"]
        lost = gpus and any(map(view.on_nvidia, gpus)) and not any(map(view.on_rocm, gpus))
        if lost and any(map(view.on_rocm, cpus)):
            yield gpus[0], _FALLBACK


def _role(view: View, node: ast.expr) -> str | None:
    """What a device's name is for here: what a function returns, or the name that it is given to."""
    child: ast.AST = node
    for parent in view.document.ancestors(node):
        if isinstance(parent, (ast.Compare, ast.Subscript, ast.Dict)):
            return None
        if isinstance(parent, (ast.If, ast.IfExp, ast.While, ast.Assert)) and child is parent.test:
            return None
        if isinstance(parent, ast.Call) and child is not parent.func:
            # torch.device("cuda") is a device; a name that something else is called with need not be one.
            if view.document.raw(parent.func).rpartition(".")[2] not in ("device", "str"):
                return None
        if isinstance(parent, ast.Return):
            return "return"
        if isinstance(parent, ast.Assign):
            names = [view.document.raw(target) for target in parent.targets]
            return next((name for name in names if _DEVICE.fullmatch(name.rpartition(".")[2])), None)
        child = parent
        if isinstance(parent, ast.stmt):
            return None
    return None


def _flags(view: View) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """What says whether there is a GPU, or how many, and says none on ROCm alone."""
    given: dict[tuple[ast.AST, str], list[ast.expr]] = defaultdict(list)
    for assign in view.document.nodes(ast.Assign):
        if len(assign.targets) == 1 and isinstance(assign.targets[0], ast.Name):
            given[view.document.scope(assign), assign.targets[0].id].append(assign.value)
    for function in view.document.nodes(ast.FunctionDef):
        returns = [
            node.value
            for node in ast.walk(function)
            if isinstance(node, ast.Return) and node.value is not None and view.document.scope(node) is function
        ]
        given[function, function.name] += returns
    for (_, name), values in given.items():
        if not _AVAILABLE.fullmatch(name) or _NVIDIA_ALONE.fullmatch(name) or _has_twin(view, name):
            continue
        asking = [value for value in values if _asks_torch(view, value)]
        if asking and all(view.rocm.truth(value) is False for value in asking):
            # Other values are other devices': this one asks whether torch has a GPU, and takes no for an answer from ROCm.
            if any(view.nvidia.truth(value) is not False and view.rocm.value(value).of_platform for value in asking):
                yield asking[0], f"{name} says on ROCm that there is no GPU, and on NVIDIA it does not"
            continue
        if _counts_by_nvml(view, values):
            yield values[0], f"{name} asks NVML, which knows NVIDIA's GPUs alone: on ROCm it finds none"
            continue
        if _looks_for_a_tool(view, values):
            yield values[-1], f"{name} looks for nvidia-smi, which AMD's machines do not have"
            continue
        on_rocm = [value for value in values if view.on_rocm(value)]
        lost = [value for value in on_rocm if view.rocm.value(value).of_platform]
        lost += [value for value in values if value not in on_rocm and view.on_nvidia(value)]
        if all(_is_version(view, value) for value in lost):
            continue  # whose build torch is, and not whether there is a GPU
        if not on_rocm or any(view.rocm.truth(value) is not False for value in on_rocm):
            continue
        if any(view.on_nvidia(value) and view.nvidia.truth(value) is not False for value in values):
            yield lost[0], f"{name} says on ROCm that there is no GPU, and on NVIDIA it does not"


def _is_version(view: View, value: ast.expr) -> bool:
    """``torch.version.cuda is not None``"""
    left = value.left if isinstance(value, ast.Compare) else value
    return (view.document.path(left) or "").startswith("torch.version.")


def _looks_for_a_tool(view: View, values: list[ast.expr]) -> bool:
    """Whether all values ask for nvidia-smi alone, or are nothing."""
    said = [value for value in values if not (isinstance(value, ast.Constant) and not value.value)]
    tools = [
        view.document.string(node.args[0])
        for value in said
        for node in ast.walk(value)
        if isinstance(node, ast.Call) and node.args and view.document.path(node.func) == "shutil.which"
    ]
    return len(tools) == len(said) == 1 and tools[0] == "nvidia-smi" and not isinstance(said[0], ast.BoolOp)


def _counts_by_nvml(view: View, values: list[ast.expr]) -> bool:
    """Whether all values are NVML's, or nothing."""
    said = [value for value in values if not (isinstance(value, ast.Constant) and not value.value)]
    return bool(said) and all(_NVML.match(view.document.path(value) or "") for value in said)


def _asks_torch(view: View, value: ast.expr) -> bool:
    paths = (view.document.path(node) for node in ast.walk(value) if isinstance(node, ast.Call))
    return any(path in ("torch.cuda.is_available()", "torch.cuda.device_count()") for path in paths)


def _has_twin(view: View, name: str) -> bool:
    """Whether the file has the same name for AMD: then this one is meant to be NVIDIA's."""
    swapped = {re.sub("(?i)cuda|gpu", word, name).lower() for word in ("hip", "rocm", "amd")}
    data = view.document.source.data.lower()
    return any(re.search(rb"\b%b\b" % re.escape(twin.encode()), data) for twin in swapped - {name.lower()})


_SWITCH = re.compile(r"(?i)(?:use|with|has|enable|build|is)_?(?:cuda|gpu)")
_LIST = re.compile(r"(?i)(?:.*_)?(?:devices?|accelerators?)(?:_(?:types?|names?))?s?")


def _lone(view: View) -> Iterator[tuple[ast.expr, str]]:
    """``if torch.version.cuda is None and ...: TARGET_DEVICE = "cpu"``, and nothing asked of ROCm."""
    for fork in view.document.nodes(ast.If):
        if not any(view.document.path(node) == "torch.version.cuda" for node in ast.walk(fork.test)):
            continue
        if view.nvidia_gpu.truth(fork.test) is not False or view.rocm_gpu.truth(fork.test) is False:
            continue
        for part in fork.body:
            value = part.value if isinstance(part, ast.Assign) and len(part.targets) == 1 else None
            name = view.document.raw(part.targets[0]) if isinstance(part, ast.Assign) else ""
            if (
                value is not None
                and view.document.string(value) == "cpu"
                and _DEVICE.fullmatch(name.rpartition(".")[2])
            ):
                if view.on_rocm(part):
                    yield fork.test, _FALLBACK


def _switched_off(view: View) -> Iterator[tuple[ast.expr, str]]:
    """``if torch.version.cuda: install(use_cuda=True)`` with ``install(use_cuda=False)`` for all others."""
    if not any(keyword.arg and _SWITCH.fullmatch(keyword.arg) for keyword in view.document.nodes(ast.keyword)):
        return
    for fork in view.document.nodes(ast.If):
        if not fork.orelse or not any(map(bool, _switches(view, fork.body))):
            continue
        rocm = view.rocm_gpu.value(fork.test)
        if rocm.truth is not False or not rocm.of_platform or view.nvidia_gpu.truth(fork.test) is False:
            continue
        on, off = (
            {key for key, value in _switches(view, side) if value is wanted}
            for side, wanted in ((fork.body, True), (fork.orelse, False))
        )
        if on & off and view.on_rocm(fork):
            yield fork.test, f"on ROCm this passes {sorted(on & off)[0][1]}=False, on NVIDIA True"


def _switches(view: View, side: list[ast.stmt]) -> Iterator[tuple[tuple[str, str], object]]:
    for call in (node for part in side for node in ast.walk(part) if isinstance(node, ast.Call)):
        for keyword in call.keywords:
            if keyword.arg and _SWITCH.fullmatch(keyword.arg) and isinstance(keyword.value, ast.Constant):
                yield (view.document.raw(call.func), keyword.arg), keyword.value.value


def _lists(view: View) -> Iterator[tuple[ast.expr, str]]:
    """``devices.append("cuda")`` where torch has a GPU that is NVIDIA's, and nowhere that ROCm comes to."""
    given: dict[tuple[ast.AST, str], list[ast.Call]] = defaultdict(list)
    for call in view.document.nodes(ast.Call):
        name, _, method = view.document.raw(call.func).rpartition(".")
        if method == "append" and call.args and _LIST.fullmatch(name.rpartition(".")[2]):
            if _GPU.fullmatch(view.document.string(call.args[0]) or ""):
                given[view.document.scope(call), name].append(call)
    for calls in given.values():
        tests = [a.test for call in calls for a in view.document.ancestors(call) if isinstance(a, ast.If)]
        lost = [test for test in tests if _asks_torch(view, test) and view.rocm_gpu.truth(test) is False]
        if len(lost) >= len(calls) and all(view.nvidia_gpu.truth(test) is not False for test in lost):
            yield lost[0], _FALLBACK
