import cupy

SUM = r"""
extern "C" __global__ void total(const float* in, float* out) {
    float value = in[threadIdx.x];
    for (int offset = 16; offset > 0; offset >>= 1)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (threadIdx.x == 0) out[0] = value;
}
"""
total = cupy.RawKernel(SUM, "total")
# output
7 build-fail: __shfl_down_sync(0xffffffff
