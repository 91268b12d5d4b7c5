#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ float a(float v) { for (int o = 16; o; o >>= 1) v += __shfl_xor(v, o, 32); return v; }
__device__ float b(float v, float *s) { int lane = threadIdx.x & 31, wid = threadIdx.x >> 5; v = a(v); if (lane == 0) s[wid] = v; return v; }
__device__ float c(float v) { int lane = threadIdx.x % 32; return lane ? __shfl_up(v, 1, 32) : v; }
__device__ float d(float v) { return __shfl_down(v, 16, 32) + (threadIdx.x < 32); }
__global__ void e(float *x) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int lane = threadIdx.x % 32;
  x[threadIdx.x / 32] = tile.shfl_down(x[lane], 16);
}
__device__ float f(cg::thread_block_tile<32> tile, float v) { for (int o = 16; o; o /= 2) v += tile.shfl_xor(v, o); return tile.thread_rank() == 31 ? v : 0; }
__device__ float g(float v, int width) { return __shfl_xor(v, 1, width) + threadIdx.x % 32; }
__global__ void h(float *x) { auto t = cg::tiled_partition(cg::this_thread_block(), 16); x[threadIdx.x / 32] = t.shfl(x[0], 0); }
# output
