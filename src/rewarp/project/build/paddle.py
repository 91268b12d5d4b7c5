"""Paddle's builder of extensions, where it differs from torch's: on ROCm it hands the sources to hipcc as they are, with macros of
its own and the options that are meant for hipcc. All its sources become one module, which is called as the package is."""

# https://github.com/PaddlePaddle/Paddle/blob/develop/python/paddle/utils/cpp_extension/cpp_extension.py
from __future__ import annotations

from rewarp.project.build.units import Given

_BUILDER = "paddle.utils.cpp_extension."
SETUP = _BUILDER + "setup"
_EVERY = {"rocm": ("__HIP_PLATFORM_HCC__", "__HIP_NO_HALF_CONVERSIONS__=1")}
"""What each source is given."""
_WITH = {"rocm": "PADDLE_WITH_HIP", "nvidia": "PADDLE_WITH_CUDA"}
"""What each source of an extension with device code is given."""
_DEVICE = {"rocm": ("EIGEN_USE_GPU", "EIGEN_USE_HIP"), "nvidia": ("EIGEN_USE_GPU", "NVCC")}
_COMPILER = {"rocm": "hipcc", "nvidia": "nvcc"}


def is_paddles(path: str) -> bool:
    """Whether what makes an extension is Paddle's, by its dotted path."""
    return path.startswith(_BUILDER)


def compiler_key(platform: str) -> tuple[str, ...]:
    """Under which name of ``extra_compile_args`` the options for device code stand."""
    return (_COMPILER[platform],) if platform in _COMPILER else ()


def defines(platform: str, *, device: bool, with_device: bool) -> list[Given]:
    """Macros of a source. ``device``: whether it is device code itself; ``with_device``: whether some source of its extension is."""
    names = [*_EVERY.get(platform, ())]
    if with_device and platform in _WITH:
        names.append(_WITH[platform])
    if device:
        names += _DEVICE.get(platform, ())
    return [Given(name) for name in names]
