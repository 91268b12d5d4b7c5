template <int BLOCK, int ROWS> __global__ void color(int *x) { x[threadIdx.x / ROWS] = __shfl_down_sync(~0ull, x[0], 1); }
template <int WARP_SIZE> __global__ void plain(int *x) { x[threadIdx.x] = 0; }
void host(int *x) { color<256, 32> <<<1, 256>>>(x); plain<32><<<1, 256>>>(x); }
__global__ void others(float *x) { x[0] = warp_reduce_max<float, warpSize>(x[threadIdx.x]) + tile_sum<32>(x[1]); }
__device__ int bits(int v, int each) { for (int offset = 16 / each; offset > 0; offset /= 2) v |= v << offset; return __shfl_down_sync(~0ull, v, 1); }
# output
