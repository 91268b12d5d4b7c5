import torch
import triton


def is_hip():
    return triton.runtime.driver.active.get_current_target().backend == "hip"


def run(kernel, a, arch):
    extra = {}
    if is_hip():
        extra = {"waves_per_eu": 2, "kpack": 2}
    kernel[(1,)](a, **extra)
    if arch.startswith("gfx9"):
        kernel[(1,)](a, matrix_instr_nonkdim=16)


def get_hip_configs():
    return [triton.Config({"waves_per_eu": 2})]


def configs():
    if torch.version.hip is None:
        return []
    return [triton.Config({"waves_per_eu": 3})]
# output
