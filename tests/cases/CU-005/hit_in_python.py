from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <torch/extension.h>
__global__ void lanes(int* out) {
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    out[threadIdx.x] = lane;
}
"""
module = load_inline(name="lanes", cpp_sources=[""], cuda_sources=[SOURCE])
# output
7 build-fail: asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane))
