"""Which library a kernel belongs to, by its name; which attention ran, by its operator."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_ATTENTION = {
    "flash": re.compile(r"_scaled_dot_product_flash_attention"),
    "efficient": re.compile(r"_scaled_dot_product_efficient_attention"),
    "cudnn": re.compile(r"_scaled_dot_product_cudnn_attention"),
    "math": re.compile(r"_scaled_dot_product_attention_math|_scaled_dot_product_math"),
}
_KERNELS = {
    # Attention before matrix products: some of its kernels carry the name of the library they are built with.
    "flash": r"flash_(fwd|bwd)|pytorch_flash|\bflash::|FlashAttn(Fwd|Bwd)|device_kernel.*flash",
    "efficient": r"fmha_cutlass|AttentionKernel|attention_kernel_batched",
    "cudnn": r"cudnn.*sdpa|cudnn.*fort_native|sm90.*sdpa",
    "aotriton": r"aotriton|^(attn_fwd|attn_bwd|bwd_kernel_d|bwd_preprocess)",
    "aiter": r"\baiter\b|aiter::|_ZN5aiter|^fmha_(fwd|bwd)_hd",
    "tensile": r"^Cijk_",
    "rocblas": r"rocblas",
    "hipblaslt": r"hipblaslt",
    "ck": r"\bck::|ck_tile|^_ZN2ck|^_ZN7ck_tile|kernel_gemm_xdl|kernel_grouped_conv",
    "miopen": r"miopen|MIOpen|^igemm_(fwd|bwd|wrw)|^gfx\d+.*conv|naive_conv",
    "cutlass": r"cutlass",
    "cublas": r"^(ampere|volta|turing|hopper|maxwell|sm\d\d+)_.*gemm|^sm\d+_xmma_gemm|nvjet_|cublas|gemv|gemmSN|splitKreduce",
    "cudnn conv": r"cudnn|implicit_(con|gemm)|xmma_(fprop|dgrad|wgrad)|winograd",
    "nccl": r"^nccl|ncclDevKernel|rcclGenericKernel|mscclKernel",
    "inductor": r"^triton_(poi|red|per|mm|tem|for|helion)",
    "torch": r"at::native|at_cuda_detail|_ZN2at6native|c10::",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _KERNELS.items()}
NAMES = tuple(_KERNELS)
MATRIX = ("tensile", "rocblas", "hipblaslt", "ck", "cutlass", "cublas")
"""The back ends of matrix products."""
_FOR_CPU = "_for_cpu"


def attention_backends(operators: Mapping[str, int]) -> dict[str, int]:
    """Calls by back end. Torch's own attention on the CPU is called flash, too; it is kept apart."""
    calls: dict[str, int] = {}
    for operator, count in operators.items():
        name = next((name for name, pattern in _ATTENTION.items() if pattern.search(operator)), "other")
        if _FOR_CPU in operator:
            name = f"{name} (CPU)"
        calls[name] = calls.get(name, 0) + count
    return calls


def backend_of_kernel(name: str) -> str | None:
    """None: a kernel of the program's own, or of a library that is not known here."""
    return next((backend for backend, pattern in _PATTERNS.items() if pattern.search(name)), None)


def backends_of_kernels(names: Iterable[str]) -> frozenset[str]:
    return frozenset(filter(None, map(backend_of_kernel, names)))
