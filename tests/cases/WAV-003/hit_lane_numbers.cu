__device__ int a(int v) { return __shfl_up(v, 1) + (threadIdx.x & 31); }
__device__ int b(int v) { int l = threadIdx.x % 32; return __shfl(v, l); }
__device__ int c(int v, int *s) { s[threadIdx.x >> 5] = __shfl_down(v, 1); return s[0]; }
__device__ int d(int v, int *s) { const int wid = threadIdx.x / 32; s[wid] = __any(v); return wid; }
__device__ int e(int v) { const int tid = threadIdx.y * blockDim.x + threadIdx.x; int lane = tid & 0x1f; return __shfl(v, lane); }
__device__ int f(int p) { const unsigned tid = threadIdx.x; return __ballot(p) >> (tid & 31u) & 1; }
__device__ int g(int v, int *s) { int warps = blockDim.x / 32; return __shfl(s[warps - 1], 0); }
__device__ int h(int v) { if (threadIdx.x < 32) v += __shfl_down(v, 1); return v; }
__device__ int i(int v) { const int lane = threadIdx.x % warpSize; if (lane == 31) v = 0; return __shfl_up(v, 1); }
__device__ int j(int v) { return __shfl_sync(~0ull, v, 31); }
__device__ int k(int v) { if (blockDim.x <= 32) return __shfl_down(v, 1); return v; }
__device__ int l(int v, int *x) { int warp_id = threadIdx.x / warpSize; return __shfl(x[warp_id * 32], 0); }
__device__ float m(float v, float *s, int lane) { return threadIdx.x < blockDim.x / 32.f ? __shfl_xor(s[lane], 1) : 0; }
__device__ int n(int v) { const int lane = __lane_id(); if (lane < 16) v = __shfl_down(v, 16, 32); return __any(v); }
__device__ int o(int p, int lane) { return lane > 31 ? 0 : __all(p); }
__device__ int p(int v) { int i = threadIdx.x; int j = i; return __shfl(v, j % 32); }
# output
1 wrong-result: threadIdx.x & 31
2 wrong-result: threadIdx.x % 32
3 wrong-result: threadIdx.x >> 5
4 wrong-result: threadIdx.x / 32
5 wrong-result: tid & 0x1f
6 wrong-result: tid & 31u
7 wrong-result: blockDim.x / 32
8 wrong-result: threadIdx.x < 32
9 wrong-result: lane == 31
10 wrong-result: __shfl_sync(~0ull, v, 31)
11 wrong-result: blockDim.x <= 32
12 wrong-result: * 32
13 wrong-result: blockDim.x / 32.f
14 info: lane < 16
15 wrong-result: lane > 31
16 wrong-result: j % 32
