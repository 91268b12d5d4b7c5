SOURCE = """
extern "C" __global__ void sum(float *x) {
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x >> 5;
}
"""
# output
