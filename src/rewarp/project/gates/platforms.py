"""The platforms, and what PyTorch, Triton and other people's names say on each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rewarp import targets
from rewarp.project.gates.values import Value
from rewarp.targets.base import Target


@dataclass(frozen=True)
class Platform:
    """One platform, as a Python program can tell it from others."""

    name: str
    title: str
    paths: Mapping[str, Value] = field(compare=False, hash=False)
    """What resolved expressions are there. A call ends in ``()``."""
    true_names: re.Pattern[str]
    """Identifiers that mean "this is that platform", where they cannot be followed to a value."""
    false_names: re.Pattern[str]
    words: frozenset[str]
    """What programs call it in a text that holds the platform; "cuda" may also be the type of a device."""
    foreign: frozenset[str]
    """Texts that no device and no platform is called here."""
    posix: bool = True
    """Whether programs for it run on Linux only."""
    strict: bool = False
    """Whether only ``paths`` are believed: no name, no word, no package, and no attribute that a subclass may set."""

    @property
    def packages(self) -> str:
        """The platform whose packages are meant by an import; empty where nothing is believed of packages."""
        return "" if self.strict else self.name


_TEXT = Value(True, is_text=True, of_platform=True)
_YES, _NO, _NONE = Value.of(True, True), Value.of(False, True), Value.of(None, True)
_EXTENSION = "torch.utils.cpp_extension."
_TRITON = (
    "triton.runtime.driver.active.get_current_target().backend",
    "triton.runtime.driver.get_current_target().backend",
)
_OTHER_DEVICES = frozenset({"xpu", "npu", "musa", "mps", "mlu"})
_EVERYWHERE = {
    "typing.TYPE_CHECKING": _NO,
    "torch.version.xpu": _NONE,
    "torch.xpu.is_available()": _NO,
    "torch.backends.mps.is_available()": _NO,
    "torch.backends.mps.is_built()": _NO,
}
_NEITHER_GPU = {
    "torch.version.cuda": _NONE,
    "torch.version.hip": _NONE,
    _EXTENSION + "CUDA_HOME": _NONE,
    _EXTENSION + "ROCM_HOME": _NONE,
    _EXTENSION + "IS_HIP_EXTENSION": _NO,
    "torch.cuda.is_available()": _NO,
    "torch.cuda.device_count()": Value.of(0, True),
    "torch.backends.cuda.is_built()": _NO,
    "torch.backends.cudnn.is_available()": _NO,
    "torch.distributed.is_nccl_available()": _NO,
}
_CUDA_PATHS = {
    "torch.version.cuda": _TEXT,
    "torch.version.hip": _NONE,
    _EXTENSION + "ROCM_HOME": _NONE,
    _EXTENSION + "IS_HIP_EXTENSION": _NO,
    "torch.hpu.is_available()": _NO,
    "torch.backends.cuda.is_built()": _YES,
    **dict.fromkeys(_TRITON, Value.of("cuda", True)),
}
_ROCM_PATHS = {
    "torch.version.cuda": _NONE,
    "torch.version.hip": _TEXT,
    _EXTENSION + "CUDA_HOME": _NONE,
    _EXTENSION + "ROCM_HOME": _TEXT,
    _EXTENSION + "IS_HIP_EXTENSION": _YES,
    "torch.hpu.is_available()": _NO,
    "torch.backends.cuda.is_built()": _YES,
    **dict.fromkeys(_TRITON, Value.of("hip", True)),
}


def _paths(title: str, own: Mapping[str, Value]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for path, value in {**_EVERYWHERE, **own}.items():
        shown = repr(value.value) if value.known else "a version"
        found[path] = value.through(f"{path} is {shown} on {title}")
    return found


_PREFIX = r"(?i)_*((is|has|use|using|on|with|running_on|torch|build|enable|for|test)_*)*"
_SUFFIX = r"(_*(available|build|platform|gpu|env|system|runtime|backend|wheel|device|py_?torch|torch|installed))*_*"
_LIKE_CUDA = r"_*(is|on)_cuda_(alike|like)_*"

NVIDIA = Platform(
    "nvidia",
    "NVIDIA CUDA",
    _paths("NVIDIA CUDA", _CUDA_PATHS),
    re.compile(rf"{_PREFIX}(nvidia|nvidia_cuda|cuda_nvidia){_SUFFIX}|{_LIKE_CUDA}"),
    re.compile(rf"{_PREFIX}(rocm|hip|amd|amdgpu|xpu|hpu|gaudi|habana|npu|musa|mps|tpu|neuron|cpu_only){_SUFFIX}"),
    frozenset({"cuda", "nvidia"}),
    _OTHER_DEVICES | {"hip", "rocm", "amd", "hpu", "gaudi", "habana"},
    posix=False,
)
ROCM = Platform(
    "rocm",
    "AMD ROCm",
    _paths("AMD ROCm", _ROCM_PATHS),
    re.compile(f"{targets.ROCM.true_names.pattern}|{_LIKE_CUDA}"),
    targets.ROCM.false_names,
    frozenset({"hip", "rocm", "amd"}),
    _OTHER_DEVICES | {"hpu", "gaudi", "habana", "nvidia"},
)
GAUDI = Platform(
    "gaudi",
    "Intel Gaudi",
    _paths("Intel Gaudi", {**_NEITHER_GPU, "torch.hpu.is_available()": _YES}),
    targets.GAUDI.true_names,
    re.compile(f"{targets.GAUDI.false_names.pattern}|{_LIKE_CUDA}"),
    frozenset({"hpu", "gaudi", "habana"}),
    _OTHER_DEVICES | {"hip", "rocm", "amd", "nvidia"},
)
PLATFORMS = (NVIDIA, ROCM, GAUDI)

PACKAGES_OF = {
    "habana_frameworks": "gaudi",
    "optimum.habana": "gaudi",
    "torch_tensorrt": "nvidia",
    "tensorrt": "nvidia",
    "tensorrt_llm": "nvidia",
    "aiter": "rocm",
}
"""Packages that exist for one platform alone; whether they are installed there is another question."""


def other_platform(name: str, words: frozenset[str], known_words: frozenset[str]) -> Platform:
    """A platform that is none of the three: Intel's GPUs, Apple's, NPUs. ``known_words``: what all platforms are called."""
    mine = "|".join(sorted(map(re.escape, words)))
    theirs = "|".join(sorted(map(re.escape, known_words - words - {"cuda", "cpu"})))
    own = {**_NEITHER_GPU, "torch.hpu.is_available()": _NO}
    if name == "xpu":
        own |= {"torch.version.xpu": _TEXT, "torch.xpu.is_available()": _YES}
    return Platform(
        name,
        name,
        _paths(name, own),
        re.compile(f"{_PREFIX}({mine}){_SUFFIX}"),
        re.compile(f"{_PREFIX}({theirs}){_SUFFIX}|{_LIKE_CUDA}"),
        words,
        known_words - words - {"cpu"},
    )


def by_name(platform: Platform, name: str) -> bool | None:
    """Whether an identifier says that this is the platform, or that it is another."""
    if platform.false_names.fullmatch(name):
        return False
    return True if platform.true_names.fullmatch(name) else None


def strict(platform: Platform, paths: Iterable[str]) -> Platform:
    """The platform for a proof, which stands on these paths alone."""
    return replace(platform, paths={path: platform.paths[path] for path in paths}, strict=True)


@lru_cache(maxsize=16)
def platform_for(target: Target) -> Platform:
    """The platform of a target, with the target's own names for it; what is neither NVIDIA's nor Intel's is some of AMD's."""
    platform = {"nvidia": NVIDIA, "gaudi": GAUDI}.get(target.name, ROCM)
    base = {"rocm": targets.ROCM, "gaudi": targets.GAUDI}.get(target.name)
    if base is not None and target.true_names is base.true_names:
        return platform
    return replace(platform, true_names=target.true_names, false_names=target.false_names)
