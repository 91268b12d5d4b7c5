"""AMD ROCm: torch.cuda is HIP underneath, so most names stay."""

import re

from rewarp.targets.base import Target

ROCM = Target(
    name="rocm",
    title="AMD ROCm",
    device="cuda",
    visible_devices="HIP_VISIBLE_DEVICES",
    true_names=re.compile(
        r"(?i)_*((is|has|use|using|on|with|running_on|torch|build|enable|for|test)_*)*"
        r"(rocm|hip|amd|amdgpu|amd_gpu|cuda_alike)"
        r"(_*(available|build|platform|gpu|env|system|runtime|backend|wheel|device|py_?torch|torch|installed))*_*"
    ),
    false_names=re.compile(
        r"(?i)_*((is|has|use|using|on|with|running_on|build|enable)_*)*"
        r"((cuda_)?nvidia|nvidia_gpu|nvidia_cuda|hpu|gaudi|xpu|npu|musa|mps|tpu|neuron|cpu_only)"
        r"(_*(available|build|platform|gpu|env|device|backend))*_*"
        r"|cuda_capability_geq"  # Triton's: false wherever the back end is not CUDA
    ),
    # A switch such as GGML_HIP_NO_VMM says that a feature is off, not which platform this is.
    true_macros=re.compile(
        r"(?!\w*(NO|NOT|DISABLE|DISABLED|WITHOUT)_)(\w*_)?(HIP|HIPCC|ROCM|AMD|AMDGPU|AMDGCN)(_\w*)?"
    ),
    false_macros=re.compile(
        r"__NVCC__|__HIP_PLATFORM_NV(CC|IDIA)__|\w*(SYCL|METAL|VULKAN|MUSA|CANN)\w*|_WIN32|_MSC_VER|__APPLE__|GOOGLE_CUDA"
    ),
)


def capability_of(arch: str) -> tuple[int, int]:
    """What torch.cuda.get_device_capability() says of a GPU of AMD's: the digits of its gfx name.
    https://docs.pytorch.org/docs/stable/notes/hip.html"""
    return int(arch[3:-2]), int(arch[-2], 16)
