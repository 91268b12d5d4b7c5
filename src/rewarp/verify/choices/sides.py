"""Sides: does each platform take its own?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from rewarp.project.gates import ROCM
from rewarp.project.gates.platforms import by_name
from rewarp.project.gates.values import Value
from rewarp.verify.choices.view import Side, View, walk

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+\d*|\d+")
_AMD = re.compile(
    r"rocm\d*|hip|amd|amdgpu|aiter|rccl|librccl|gfx\w*|fnuz|miopen|rocblas|hipblas(lt)?|hiprtc|amdsmi|rocminfo"
)
_NVIDIA = re.compile(
    r"cuda\d*|nvidia|nvcc|nccl|libnccl|cudnn|cublas(lt)?|cutlass|flashinfer|nvml|pynvml|nvrtc|tensorrt|sm\d*"
)
_IS = re.compile(r"(?i)_*(?:is|on|running_on)_(?!\w*like)")
_ONLY_AMD = re.compile(
    r"amdsmi|aiter|rocminfo|rocm[-_]smi|rocm_agent_enumerator|amd-smi|hipinfo(\.exe)?|gcnArchName|librccl\.so.*|libamdhip64\.so.*"
)
"""What nobody but AMD's users has."""
_AMDS_MACRO = re.compile(
    r"-D(?!\w*(?:NO|NOT|NON|WITHOUT|DISABLE\w*|SKIP|CUDA|NVIDIA|NV)(?:_|=|$))(?:\w+_)?(?:ROCM|HIP|HIP_PLATFORM_(?:AMD|HCC))_*(?:=(?:1|ON|TRUE))?"
)
"""What a build for AMD is given: ``-DUSE_ROCM``."""
_TOLD = re.compile(r"print|log|warn\w*|debug|info|error|exception|skip\w*|fail|critical|append|add_argument|getLogger")


def contradictions(view: View) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Gates that say the opposite of their name: ``def is_hip(): return torch.version.cuda is not None``."""
    for name, node, value in _gates(view):
        says = by_name(ROCM, name)
        if says is None or not view.on_rocm(node):
            continue
        there, nvidia = view.rocm_gpu.value(value), view.nvidia_gpu.value(value)
        if says and isinstance(value, ast.BoolOp) and isinstance(value.op, ast.And):
            there = next((one for part in value.values if _is_no(one := view.rocm_gpu.value(part))), there)
        if there.truth is (not says) and nvidia.truth is not there.truth and there.of_platform and not there.by_name:
            other = "may be otherwise" if nvidia.truth is None else f"is {nvidia.truth}"
            yield node, f"{name} is {there.truth} on ROCm and {other} on NVIDIA"
        elif says and there.truth and nvidia.truth and nvidia.of_platform and not nvidia.by_name and _IS.match(name):
            yield node, f"{name} holds on NVIDIA as well"


def _is_no(value: Value) -> bool:
    return value.truth is False and value.of_platform and not value.by_name


def shadowed(view: View) -> Iterator[tuple[ast.expr, str]]:
    """Gates that cannot hold: ``torch.version.rocm`` does not exist, and what ``torch.cuda.is_available()`` has answered on ROCm too
    does not come to ``elif torch.version.hip``."""
    for node in (*view.document.nodes(ast.Attribute), *view.document.nodes(ast.Call)):
        if view.document.path(node) in ("torch.version.rocm", "torch.version.amd") or _getattr(view, node):
            yield node, "torch.version has no such name: ROCm's version is torch.version.hip"
    for fork in view.document.nodes(ast.If):
        arm = fork.orelse[0] if len(fork.orelse) == 1 and isinstance(fork.orelse[0], ast.If) else None
        if arm is None or view.document.path(fork.test) != "torch.cuda.is_available()":
            continue
        if view.rocm.truth(arm.test) is True and view.nvidia.truth(arm.test) is False:
            yield arm.test, "torch.cuda.is_available() holds on ROCm too: what is AMD's is never come to"
    named = {function.name: function for function in view.document.nodes(ast.FunctionDef)}
    for name, twin in (("is_cuda", "is_hip"), ("_is_cuda", "_is_hip"), ("is_cuda", "is_rocm"), ("is_nvidia", "is_amd")):
        body = named[name].body if name in named and twin in named else []
        last = body[-1] if body else None
        if isinstance(last, ast.Return) and last.value and _asks_only_for_a_gpu(view, body):
            yield last.value, f"{name} is true on ROCm too, beside {twin}"


_APART = re.compile(r"(?i)version|hip|rocm|nvidia|nvml|capability|device_(?:type|name)|backend|platform")


def _asks_only_for_a_gpu(view: View, body: list[ast.stmt]) -> bool:
    """Whether a gate asks torch.cuda.is_available(), and nothing besides that could tell ROCm from CUDA."""
    nodes = [node for part in body for node in ast.walk(part)]
    calls = {view.document.path(node) or view.document.raw(node.func) for node in nodes if isinstance(node, ast.Call)}
    names = [view.document.raw(node) for node in nodes if isinstance(node, (ast.Name, ast.Attribute))]
    return "torch.cuda.is_available()" in calls and not any(map(_APART.search, filter(str.islower, names)))


def _getattr(view: View, node: ast.AST) -> bool:
    if (
        not isinstance(node, ast.Call)
        or view.document.raw(node.func) not in ("getattr", "hasattr")
        or len(node.args) < 2
    ):
        return False
    return view.document.path(node.args[0]) == "torch.version" and view.document.string(node.args[1]) in ("rocm", "amd")


def foreign_files(view: View) -> Iterator[tuple[ast.expr, str]]:
    """``elif is_hip(): requirements = read("cuda.txt")`` where ``rocm.txt`` lies beside it."""
    files = {path.rpartition("/")[2].lower() for path in view.modules.tree.files()}
    for _, rocms, _ in view.forks:
        for node in walk(rocms):
            text = node.value.lower() if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            name = text.rpartition("/")[2]
            if (
                not re.fullmatch(r"[\w.-]*cuda[\w.-]*\.\w+", name)
                or name not in files
                or not isinstance(node, ast.expr)
            ):
                continue
            twin = next((t for word in ("rocm", "hip", "amd") if (t := name.replace("cuda", word)) in files), None)
            if twin and not view.on_nvidia(node):
                yield node, f"only ROCm comes here, and takes {name} where there is {twin}"


def _gates(view: View) -> Iterator[tuple[str, ast.stmt, ast.expr]]:
    for assign in view.document.nodes(ast.Assign):
        if len(assign.targets) == 1 and isinstance(assign.targets[0], (ast.Name, ast.Attribute)):
            yield view.document.raw(assign.targets[0]).rpartition(".")[2], assign, assign.value
    for function in view.document.nodes(ast.FunctionDef):
        returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
        if len(returns) == 1 and returns[0].value is not None:
            yield function.name, returns[0], returns[0].value


def swapped(view: View) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """``"cuda" if is_hip else "rocm"``: ROCm's branch speaks of NVIDIA alone, NVIDIA's of AMD alone."""
    for node, rocms, nvidias in view.forks:
        of_rocm, of_nvidia = set(_words(view, rocms)), set(_words(view, nvidias))
        amd = sorted(filter(_AMD.fullmatch, of_nvidia))
        nvidia = sorted(filter(_NVIDIA.fullmatch, of_rocm))
        if amd and nvidia and not any(map(_AMD.fullmatch, of_rocm)) and not any(map(_NVIDIA.fullmatch, of_nvidia)):
            yield node.test, f"the sides are swapped: ROCm comes to {nvidia[0]}, NVIDIA to {amd[0]}"


def never_reached(view: View) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """What only AMD's users have, where NVIDIA comes and ROCm does not."""
    places: list[tuple[ast.expr | ast.stmt, str]] = []
    for string in view.document.strings:
        text = string.value if isinstance(string.value, str) else ""
        if (_ONLY_AMD.fullmatch(text) and not _is_told(view, string)) or (
            _AMDS_MACRO.fullmatch(text) and _is_given(view, string)
        ):
            places.append((string, text))
    for attribute in view.document.nodes(ast.Attribute):
        if _ONLY_AMD.fullmatch(attribute.attr):
            places.append((attribute, attribute.attr))
    for name in view.document.imports:
        if isinstance(name.node, ast.stmt) and _ONLY_AMD.fullmatch(name.full.partition(".")[0]):
            places.append((name.node, name.full))
    for node, word in places:
        if not view.on_rocm(node) and view.on_nvidia(node):
            yield node, f"{word} is AMD's, and only NVIDIA comes here"


def _words(view: View, side: Side) -> Iterator[str]:
    """The words of what a branch reads, imports and names, without what it only tells people and what it sets."""
    for node in _spoken(view, side):
        text = ""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            text = node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            text = node.attr
            if view.document.raw(node).startswith(("torch.cuda", "torch.version", "torch.backends.cuda")):
                continue  # torch goes by these names on ROCm too
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 80:
            text = node.value
            if text.partition(":")[0] == "cuda":
                parent = view.document.parent(node)
                if isinstance(parent, (ast.Call, ast.keyword, ast.Compare)):
                    continue  # a device
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            text = " ".join([getattr(node, "module", None) or "", *(alias.name for alias in node.names)])
        for word in _WORD.findall(text):
            yield word.lower()


def _spoken(view: View, side: Iterable[ast.AST]) -> Iterator[ast.AST]:
    waiting = list(side)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Raise, ast.Assert)) or (isinstance(node, ast.Call) and _tells(view, node)):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.keyword):
            waiting.append(node.value)
            continue
        yield node
        waiting += ast.iter_child_nodes(node)


def _tells(view: View, call: ast.Call) -> bool:
    return _TOLD.fullmatch(view.document.raw(call.func).rpartition(".")[2]) is not None


def _is_given(view: View, node: ast.AST) -> bool:
    """Whether a flag is put somewhere, and neither looked for nor taken out."""
    for parent in view.document.ancestors(node):
        if isinstance(parent, (ast.Compare, ast.Raise, ast.Assert)):
            return False
        if isinstance(parent, ast.Call):
            return view.document.raw(parent.func).rpartition(".")[2] in ("append", "extend", "insert", "add")
        if isinstance(parent, ast.stmt):
            return isinstance(parent, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return))
    return False


def _is_told(view: View, node: ast.AST) -> bool:
    for parent in view.document.ancestors(node):
        if isinstance(parent, (ast.Raise, ast.Assert, ast.Compare)) or (
            isinstance(parent, ast.Call) and _tells(view, parent)
        ):
            return True
        if isinstance(parent, ast.stmt):
            return False
    return False
