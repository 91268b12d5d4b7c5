"""Extensions of torch whose kernels run as AMD code on this CPU: built by rewarp, over tensors of the CPU.

>>> with rewarp.run.torch_extension("gfx942"):
...     ops = torch.utils.cpp_extension.load("ops", ["ops.cpp", "ops_kernel.cu"])
...     ops.scale(torch.ones(1000), 2.0)

sources      what is CUDA's about a tensor, said of the CPU's
building     an extension's sources as one shared library
memory       tensors in memory that the machine knows
session      torch's own ways to build an extension lead here
"""

from __future__ import annotations

from rewarp.run.torch.session import launches, torch_extension

__all__ = ["launches", "torch_extension"]
