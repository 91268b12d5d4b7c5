__device__ float a(float v) { for (int o = warpSize / 2; o > 0; o >>= 1) v += __shfl_down(v, o); return v; }
__device__ float b(float v) { for (int o = 16; o > 0; o >>= 1) v += __shfl_xor(v, o, 32); return v; }
__device__ float c(float v) { for (int o = 8; o > 0; o >>= 1) v += __shfl_xor(v, o); return v; }
__device__ float e(float *x) { float s = 0; for (int i = 16; i > 0; i >>= 1) s += x[i]; return s; }
__device__ int f(unsigned w) { int n = 0; for (int i = 0; i < 32; i++) n += w >> i & 1; return n; }
__device__ float g(const float *x) { float s = 0; for (int i = 0; i < 32; i++) s += x[i] * __shfl(s, 0); return s; }
__device__ float h(float v) { for (int i = 0; i < 5; i++) v = v * v + 1; return __shfl(v, 0); }
__device__ float i(float v, int n) { for (int d = 1; d < n; d <<= 1) v += __shfl_up(v, d); return v; }
__device__ unsigned j(unsigned h) { for (int s = 16; s > 0; s >>= 1) h ^= h >> s; return h; }
__global__ void k(float *s) { for (int i = 16; i > 0; i >>= 1) { if (threadIdx.x < i) s[threadIdx.x] += s[threadIdx.x + i]; __syncthreads(); } }
template <int W> __device__ float l(float v) { for (int o = W / 2; o > 0; o >>= 1) v += __shfl_xor(v, o, W); return v; }
__device__ float m(float v) { for (int d = 1; d < 16; d <<= 1) v += __shfl_up(v, d, 16); return v; }
__device__ float n(float v) { for (int d = 1; d < 8; d *= 2) v += __shfl_xor(v, d); return v; }
__device__ float o(float v) { v += __shfl_xor(v, 2); return v + __shfl_xor(v, 1); }
__device__ float p(float v) { v += __shfl_down(v, 32, 64); return v + __shfl_down(v, 16, 64); }
# output
