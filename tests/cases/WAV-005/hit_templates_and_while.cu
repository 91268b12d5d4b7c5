template <int O> __device__ float step(float v) { static_assert(O <= 16, "half a warp"); return v + __shfl_down(v, O); }
__device__ float all(float v) { return step<8>(step<16>(v)); }
__device__ float whiles(float v) { int offset = 16; while (offset > 0) { v += __shfl_down(v, offset); offset /= 2; } return v; }
__device__ float down(float v) { for (int j = 4; j >= 0; j--) v += __shfl_xor(v, 1 << j); return v; }
__device__ float helpers(float v) { v += shfl_down(v, 16); v += shfl_down(v, 8); v += shfl_down(v, 4); return v; }
const int kFirst = 16;
__device__ float named(float v) { for (int o = kFirst; o > 0; o /= 2) v += __shfl_down(v, o); return v; }
__device__ float halved(float v) { for (int o = 32 / 2; o > 0; o /= 2) v += __shfl_down(v, o); return v; }
# output
1 wrong-result: static_assert(O <= 16
2 wrong-result: step<16>(
3 wrong-result: offset = 16
4 wrong-result: for (int j = 4; j >= 0; j--)
5 wrong-result: shfl_down(v, 16)
7 wrong-result: for (int o = kFirst; o > 0; o /= 2)
8 wrong-result: for (int o = 32 / 2; o > 0; o /= 2)
