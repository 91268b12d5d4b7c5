"""Which shell code is already kept off a target by a test around it.

``if command -v nvidia-smi; then ... fi`` never runs its body on an AMD machine. As in
Python, tests are folded in three values; unknown never rules anything out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rewarp.targets.base import Target

_TOOLS = {
    "nvidia": frozenset({"nvidia-smi", "nvcc", "nsys", "ncu", "nvidia-container-cli", "nvidia-settings"}),
    "rocm": frozenset({"rocm-smi", "amd-smi", "rocminfo", "hipcc", "hipconfig", "rocm_agent_enumerator"}),
    "gaudi": frozenset({"hl-smi", "hl_qual"}),
}
_PATHS = {
    "nvidia": re.compile(r"/usr/local/cuda\b.*|/dev/nvidia.*|/proc/driver/nvidia.*"),
    "rocm": re.compile(r"/opt/rocm\b.*|/dev/kfd"),
    "gaudi": re.compile(r"/dev/accel.*|/usr/bin/hl-smi|/opt/habanalabs.*"),
}
_NAMES = {
    "nvidia": re.compile(r"(?i)(nvidia|cuda)([\d._-].*)?|(nv_?)?(cuda|gpu_nvidia)"),
    "rocm": re.compile(r"(?i)(rocm|hip|amd|amdgpu)([\d._-].*)?|gfx\w+"),
    "gaudi": re.compile(r"(?i)(hpu|gaudi|habana)[\d._-]*"),
    "other": re.compile(r"(?i)cpu|xpu|tpu|npu|neuron|mps|metal|musa|sycl|vulkan"),
}
_FINDERS = re.compile(r"(?:command\s+-v|which|type(?:\s+-[pPt])?|hash)\s+([\w./-]+)")
_SYSTEM = re.compile(r"(?i)darwin\*?|mingw.*|msys.*|cygwin.*|windows.*|win32")
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)(?::?-[^}]*)?\}?")
_TRUTHS = {"1", "true", "on", "yes"}
FALSEHOODS = frozenset({"", "0", "false", "off", "no"})
_NONE: Mapping[str, str] = MappingProxyType({})


class Test(NamedTuple):
    """What an ``if`` asks: commands, each perhaps negated, joined by ``&&`` or ``||`` (None: by both)."""

    parts: tuple[tuple[bool, tuple[str, ...]], ...]
    any_of: bool | None = False


def fold(test: Test, target: Target, off: Mapping[str, str] = _NONE) -> bool | None:
    """The truth of a test on the target; None when it is not decided. ``off``: variables that are known to keep a value of no."""
    if test.any_of is None or not test.parts:
        return None
    values = []
    for negated, words in test.parts:
        value = _fold_off(words, off) if off else None
        value = _fold_words(words, target) if value is None else value
        values.append(value if value is None or not negated else not value)
    if test.any_of in values:
        return test.any_of
    return None if None in values else not test.any_of


def _fold_off(words: tuple[str, ...], off: Mapping[str, str]) -> bool | None:
    """``[ "$USE_GPU" = true ]`` and ``$USE_GPU`` where the variable is off."""
    inner = [word for word in words if word not in ("[", "]", "[[", "]]", "test")]
    variable = _VARIABLE.fullmatch(inner[0]) if inner else None
    if variable is None or variable[1] not in off:
        return None
    if len(inner) == 1:
        return False
    if len(inner) == 3 and inner[1] in ("=", "==", "-eq", "!=", "-ne") and "$" not in inner[2]:
        return (inner[2] == off[variable[1]]) is (inner[1] not in ("!=", "-ne"))
    return None


def _fold_words(words: tuple[str, ...], target: Target) -> bool | None:
    inner = [word for word in words if word not in ("[", "]", "[[", "]]", "test")]
    negated = bool(inner) and inner[0] == "!"
    if negated:
        inner = inner[1:]
    value = _fold_plain(inner, len(inner) < len(words) - negated, target)
    return value if value is None or not negated else not value


def _fold_plain(words: list[str], bracketed: bool, target: Target) -> bool | None:
    text = " ".join(words)
    finder = _FINDERS.search(text)
    if finder and (words[0] != "-z") and len(words) <= 6:
        return _owner(_TOOLS, finder[1].rpartition("/")[2], target)
    if finder and words[0] == "-z":
        found = _owner(_TOOLS, finder[1].rpartition("/")[2], target)
        return None if found is None else not found
    if not bracketed:
        return False if words and words[0].rpartition("/")[2] in _TOOLS["nvidia"] else None
    if len(words) == 2 and words[0] in ("-d", "-e", "-f", "-x", "-L", "-c", "-r"):
        owners = [owner for owner, pattern in _PATHS.items() if pattern.fullmatch(words[1])]
        return owners[0] == target.name if owners else None
    if len(words) == 2 and words[0] in ("-n", "-z"):
        value = _fold_variable(words[1], target)
        return None if value is None else value is (words[0] == "-n")
    if len(words) == 3 and words[1] in ("=", "==", "!=", "=~"):
        value = _fold_equality(words[0], words[2], target)
        return None if value is None else value is (words[1] != "!=")
    return None


def names_a_side(text: str) -> bool:
    """Whether a value names AMD or Gaudi."""
    plain = text.strip("*^$.")
    return any(_NAMES[name].fullmatch(plain) for name in ("rocm", "gaudi"))


def _owner(table: dict[str, frozenset[str]], name: str, target: Target) -> bool | None:
    return next((owner == target.name for owner, names in table.items() if name in names), None)


def _fold_variable(word: str, target: Target) -> bool | None:
    match = _VARIABLE.fullmatch(word)
    if not match:
        return None
    name = re.sub(r"(?i)_(home|path|root|version)$", "", match[1])
    if target.true_names.fullmatch(name):
        return True
    return False if target.false_names.fullmatch(name) else None


def _fold_equality(left: str, right: str, target: Target) -> bool | None:
    if "$" not in left:
        left, right = right, left
    if _SYSTEM.fullmatch(right) and re.search(r"(?i)uname|os_?(type|name)?\b|platform|RUNNER_OS", left):
        return False
    value = _fold_variable(left, target)
    if value is not None and right.lower() in _TRUTHS:
        return value
    if re.search(r"(?i)device\b", left) and right.lower() == "cuda":
        return None  # a torch device string: "cuda" is right on ROCm too
    plain = right.strip("*^$.")
    owners = [owner for owner, pattern in _NAMES.items() if pattern.fullmatch(plain)]
    if owners and _VARIABLE.search(left):
        return owners[0] == target.name
    return None
