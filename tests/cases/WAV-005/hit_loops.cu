__device__ float a(float v) { for (int o = 16; o > 0; o >>= 1) v += __shfl_down(v, o); return v; }
__device__ float b(float v) { for (int o = 16; o; o /= 2) v += __shfl_xor(v, o); return v; }
__device__ float c(float v) { for (unsigned o = 16u; o >= 1; o = o >> 1) v += __shfl_down_sync(~0ull, v, o); return v; }
__device__ float d(float v) { for (int d = 1; d < 32; d *= 2) v += __shfl_up(v, d); return v; }
__device__ float e(float v) { for (int d = 1; d <= 16; d <<= 1) v += __shfl_up(v, d); return v; }
__device__ float f(float v) { for (int i = 0; i < 5; ++i) v += __shfl_xor(v, 1 << i); return v; }
__device__ float g(float v) { for (int l = 0; l <= 4; l++) { v += __shfl_down(v, 1 << l); } return v; }
__device__ int h(int p) { int n = 0; auto b = __ballot(p); for (int i = 0; i < 32; i++) if (b >> i & 1) n++; return n; }
__device__ int i(int v) { int t = 0; for (int i = 0; i < 32; i++) t += __shfl(v, i); return t; }
__device__ float j(float v) { v += __shfl_down(v, 16); v += __shfl_down(v, 8); v += __shfl_down(v, 4); v += __shfl_down(v, 2); return v + __shfl_down(v, 1); }
template <typename T, typename Op> __device__ T k(T v, Op op) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) {
    const T other = __shfl_xor_sync(0xffffffffffffffffull, v, mask);
    v = op(v, other);
  }
  return v;
}
__device__ float l(float v) { for (int o = 16; o > 0; o /= 2) v = max(v, my_shfl_down(v, o)); return v; }
__device__ float m(float v, int lane) { for (int d = 1; d < 32; d += d) { float t = __shfl_up(v, d); if (lane >= d) v += t; } return v; }
#define WARP_SIZE 32
__device__ float n(float v) { for (int o = WARP_SIZE / 2; o > 0; o >>= 1) v += __shfl_down(v, o); return v; }
__device__ float o(float v) { for (int d = 1; d < WARP_SIZE; d <<= 1) v += __shfl_up(v, d); return v; }
# output
1 wrong-result: for (int o = 16; o > 0; o >>= 1)
2 wrong-result: for (int o = 16; o; o /= 2)
3 wrong-result: for (unsigned o = 16u; o >= 1; o = o >> 1)
4 wrong-result: for (int d = 1; d < 32; d *= 2)
5 wrong-result: for (int d = 1; d <= 16; d <<= 1)
6 wrong-result: for (int i = 0; i < 5; ++i)
7 wrong-result: for (int l = 0; l <= 4; l++)
8 wrong-result: for (int i = 0; i < 32; i++)
9 wrong-result: for (int i = 0; i < 32; i++)
10 wrong-result: __shfl_down(v, 16)
13 wrong-result: for (int mask = 16; mask > 0; mask >>= 1)
19 wrong-result: for (int o = 16; o > 0; o /= 2)
20 wrong-result: for (int d = 1; d < 32; d += d)
22 wrong-result: for (int o = WARP_SIZE / 2; o > 0; o >>= 1)
23 wrong-result: for (int d = 1; d < WARP_SIZE; d <<= 1)
