#define WARP_SIZE 32
__device__ int lane() { const int lane = threadIdx.x & 31; return lane; }
# output
arch: gfx1201
