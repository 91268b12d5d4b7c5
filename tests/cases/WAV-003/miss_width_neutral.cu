__device__ int lane() { return threadIdx.x % warpSize; }
__device__ int a(int v) { int l = threadIdx.x & (warpSize - 1); return __shfl(v, l); }
__device__ int b(int v, int *s) { s[threadIdx.x / warpSize] = __any(v); return s[0]; }
__device__ int c(int v) { if (threadIdx.x < warpSize) v += __shfl_down(v, 1); return v; }
__device__ int d(int v) { const int lane = __lane_id(); return lane == warpSize - 1 ? __shfl(v, 0) : v; }
template <int WIDTH> __device__ int e(int v) { return __shfl(v, threadIdx.x % WIDTH, WIDTH); }
__device__ int f(int v) { return __shfl(v, 0); }
__device__ int g(int v, int n) { for (int i = threadIdx.x; i < n; i += warpSize) v += __any(i); return v; }
__device__ int h(int v) { return __shfl(v, threadIdx.x % C10_WARP_SIZE); }
# output
