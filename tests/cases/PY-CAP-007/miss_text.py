"""WARP_SIZE = 32, threadIdx.x % 32"""

# threads = num_warps * 32
num_warps = 32
BLOCK = 32
SOURCE = "__global__ void f(int *x) { x[threadIdx.x] = threadIdx.x % warpSize; }"
# output
