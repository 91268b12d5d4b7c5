"""Which of a project's own switches make its build one for a platform: ``USE_ROCM``, ``GGML_HIP``, ``GPU_BACKEND=hip``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rewarp.lang.cmake.outcome import CMakeOption
from rewarp.project.build.units import Reason, Switch
from rewarp.project.gates import NVIDIA, ROCM, Platform

_AROUND = (
    r"(?:USE|USES|USING|ENABLE|ENABLED|WITH|BUILD|HAVE|SUPPORT|TARGET|COMPILE|GPU|FOR|BACKEND|OPT|OPTION|PLATFORM)"
)
_NAME = r"(?i)(?:[a-z0-9]+_)*?(?:{around}_?)*(?:{words})(?:_(?:{around}|LANGUAGE|LANG|KERNELS|ENABLE|ON))*"
_WORDS = {
    NVIDIA.name: "CUDA|NVIDIA|NVCC|CUBLAS|NVGPU|CUDATOOLKIT",
    ROCM.name: "HIP|ROCM|AMD|AMDGPU|HIPBLAS|HIPCC|AMD_?GPU",
}
_OF = {name: re.compile(_NAME.format(around=_AROUND, words=words)) for name, words in _WORDS.items()}
_ANY_GPU = re.compile(r"(?i)(?:[a-z0-9]+_)*?(?:(?:USE|ENABLE|WITH|BUILD)_?)GPU")
_VALUES = {NVIDIA.name: ("cuda", "nvidia", "nvcc"), ROCM.name: ("hip", "rocm", "amd", "hipcc", "amdgpu")}
FILE_WORDS = {ROCM.name: ("hip", "amd", "rocm", "amdgpu"), NVIDIA.name: ("cuda", "nvidia", "nvcc", "nv")}
"""How build files are called that are for one platform."""
_LONGEST = 100
_ANY = re.compile(rf"(?i)(?<![a-z]){'|'.join(_WORDS.values())}(?![a-z])")
_DENIED = re.compile(r"(?i)(?:^|_)(?:NO|NOT|DISABLE|WITHOUT|SKIP)_")
_HELP = re.compile(r"[A-Za-z_]+")


def platform_of(name: str) -> str | None:
    """The platform that an option is a switch for, by its name; None for what is no such switch."""
    if len(name) > _LONGEST or len(_ANY.findall(name)) != 1 or "FORCE" in name.upper():
        return None
    return next((platform for platform, pattern in _OF.items() if pattern.fullmatch(name)), None)


def switches_for(
    platform: Platform, options: Mapping[str, CMakeOption], compared: Mapping[str, Iterable[str]]
) -> tuple[Switch, ...]:
    """What a user who builds for a platform gives. ``compared``: the texts that the files compare each variable with."""
    found: list[Switch] = []
    names_one = any(option.is_switch and platform_of(name) for name, option in options.items())
    for name, option in options.items():
        reason = Reason(*option.reason)
        if option.is_switch:
            of = platform_of(name)
            if of is not None:
                wanted = (of == platform.name) is not bool(_DENIED.search(name))
                found.append(Switch(name, "ON" if wanted else "OFF", reason))
            elif _ANY_GPU.fullmatch(name) and platform.name in _WORDS and not names_one:
                found.append(Switch(name, "ON", reason))
        elif (value := _value(platform, option, compared.get(name, ()))) is not None:
            found.append(Switch(name, value, reason))
    return tuple(found)


def _value(platform: Platform, option: CMakeOption, compared: Iterable[str]) -> str | None:
    """Of a switch that names one platform of several, the name of this one as the project spells it."""
    words = option.values or (*compared, *_HELP.findall(option.help))
    by_platform = {
        name: next((word for value in values for word in words if word.lower() == value), None)
        for name, values in _VALUES.items()
    }
    # A help that speaks of one platform alone speaks of a switch for something else.
    return by_platform.get(platform.name) if all(by_platform.values()) or option.values else None
