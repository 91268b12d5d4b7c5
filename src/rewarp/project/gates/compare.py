"""Comparisons: of values, and of texts that name a platform or a device."""

from __future__ import annotations

import ast
import re

from rewarp.project.gates.platforms import PLATFORMS, Platform
from rewarp.project.gates.values import UNKNOWN, Value

_OTHER_SYSTEMS = frozenset({"win32", "darwin", "Windows", "Darwin", "nt", "cygwin"})
_ANY_DEVICE = frozenset({"xpu", "npu", "musa", "mps", "mlu"})
"""Devices of other vendors: whatever is compared with one of these words is no such thing on the three platforms."""
_PLATFORM_NAME = re.compile(r"(?i)\w*(device|backend|platform|vendor|accelerator|gpu|target|system)\w*")
_NO_DEVICES = frozenset({"hip", "rocm", "amd", "nvidia"})
"""Words for a platform that no device of PyTorch's is called; "cuda" beside one of them is a platform as well."""
_HOLDS_PLATFORM = re.compile(r"[A-Z0-9_]*(SYSTEM|PLATFORM|VENDOR)[A-Z0-9_]*")
"""Constants that hold the platform, where a device's type would be called DEVICE or BACKEND."""
_SINGLETONS = (None, True, False)


def compared(left: Value, operator: ast.cmpop, right: Value) -> Value:
    """``==``, ``!=``, ``is`` and ``is not`` of two values."""
    positive = isinstance(operator, (ast.Is, ast.Eq))
    if not positive and not isinstance(operator, (ast.IsNot, ast.NotEq)):
        return UNKNOWN
    if right.known and not left.known:
        same = _is_constant(left, right.value)
    elif left.known and not right.known:
        same = _is_constant(right, left.value)
    elif left.known and right.known:
        if isinstance(operator, (ast.Is, ast.IsNot)):
            named = any(right.value is one for one in _SINGLETONS) or any(left.value is one for one in _SINGLETONS)
            same = left.value is right.value if named else None
        else:
            same = left.value == right.value
    else:
        same = None
    return UNKNOWN if same is None else Value.of(same is positive).by(left, right)


def _is_constant(value: Value, constant: object) -> bool | None:
    """Whether what is not known exactly is this constant."""
    if value.truth is None:
        return None
    if constant is None:
        return False if value.truth else None
    if isinstance(constant, bool):
        if value.is_text:
            return False
        # Who compares a name with True or False takes it for one of the two.
        return value.truth is constant if value.by_name else None
    return False if constant == "" and value.is_text else None


def contained(left: Value, operator: ast.cmpop, right: ast.expr) -> Value:
    """``x in ("hip", None)``."""
    if not isinstance(right, (ast.Tuple, ast.List, ast.Set)):
        return UNKNOWN
    if not left.known or not all(isinstance(item, ast.Constant) for item in right.elts):
        return UNKNOWN
    inside = any(isinstance(item, ast.Constant) and item.value == left.value for item in right.elts)
    return Value.of(inside is isinstance(operator, ast.In)).by(left)


def text_of_platform(part: ast.expr, operator: ast.cmpop, platform: Platform) -> Value:
    """``"rocm" in torch.__version__``: so are PyTorch's own builds called."""
    if not isinstance(part, ast.Constant) or part.value not in ("rocm", "+rocm", "hip"):
        return UNKNOWN
    positive = isinstance(operator, ast.In)
    if platform.name != "rocm":
        return Value.of(not positive, True, "torch.__version__ names ROCm in its builds for ROCm only")
    if part.value == "hip":
        return UNKNOWN
    step = Value(of_platform=True, by_name=True, why=("PyTorch's builds for ROCm are called so",))
    return Value.of(positive).by(step)


def unwrapped(node: ast.expr) -> ast.expr:
    """``name`` of ``name.lower()``."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        if node.func.attr not in ("lower", "strip", "casefold"):
            break
        node = node.func.value
    return node


def words_in(node: ast.expr) -> frozenset[str]:
    """The texts of a literal or of a collection of literals; empty for anything else. As they are written: a script that is
    followed has its own values for names."""
    items = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    words = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return frozenset(words) if len(words) == len(items) else frozenset()


def platform_word(platform: Platform, name: str, path: str, right: ast.expr, tells_apart: bool) -> bool | None:
    """Whether something that is called ``name`` equals one of the texts, if it holds a platform or a device.
    ``tells_apart``: the file compares it with the name of a platform elsewhere, so that "cuda" is one, too."""
    words = words_in(right)
    if not words:
        return None
    if path in ("sys.platform", "os.name", "platform.system()"):
        return False if platform.posix and words <= _OTHER_SYSTEMS else None
    if words <= _ANY_DEVICE & platform.foreign:
        return False
    last = name.rpartition(".")[2]
    if not _PLATFORM_NAME.fullmatch(last) and not (last.isupper() and words <= _every_word()):
        return None
    tells_apart = tells_apart or _HOLDS_PLATFORM.fullmatch(last) is not None
    if words & (platform.words - {"cuda"}):
        return True
    if "cuda" in words & platform.words and (tells_apart or words & _every_word() - {"cuda"}):
        return True
    names_one = bool(words & _NO_DEVICES) and words <= platform.foreign | {"cuda"}
    return False if tells_apart or names_one or words <= platform.foreign else None


def _every_word() -> frozenset[str]:
    return frozenset[str]().union(*(platform.words for platform in PLATFORMS))
