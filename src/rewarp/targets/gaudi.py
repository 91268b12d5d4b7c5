"""Intel Gaudi: a different torch device, so every CUDA name needs a twin."""

import re

from rewarp.targets.base import Target

GAUDI = Target(
    name="gaudi",
    title="Intel Gaudi",
    device="hpu",
    visible_devices="HABANA_VISIBLE_DEVICES",
    true_names=re.compile(
        r"(?i)_*((is|has|use|using|on|with|running_on|build|enable)_*)*(hpu|gaudi|habana)"
        r"(_*(available|build|platform|env|device|backend|enabled))*_*"
    ),
    false_names=re.compile(
        r"(?i)_*((is|has|use|using|on|with|running_on|torch|build|enable|for)_*)*"
        r"(rocm|hip|amd|amdgpu|nvidia|nvidia_gpu|cuda_available|cuda_alike|xpu|npu|musa|mps|tpu|neuron)"
        r"(_*(available|build|platform|gpu|env|device|backend))*_*"
        r"|cuda_capability_geq"
    ),
    # Nothing is compiled by CUDA's compiler there, nor by HIP's.
    false_macros=re.compile(
        r"__CUDACC__|__NVCC__|GOOGLE_CUDA|__CUDA_ARCH__|__HIP\w*__|(\w+_)?(USE|WITH|ENABLE|HAVE)_(CUDA|ROCM|HIP)"
    ),
)
