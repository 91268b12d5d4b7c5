template <int O> __device__ float step(float v) { return v + __shfl_down(v, O); }
__device__ float quad(float v) { return step<2>(step<4>(v)); }
__device__ float whiles(float v) { int offset = warpSize / 2; while (offset > 0) { v += __shfl_down(v, offset); offset /= 2; } return v; }
__device__ float data(float v, float *x) { int n = 16; while (n > 0) { x[n] = v; n /= 2; } return __shfl_down(v, 1); }
__device__ float helpers(float v) { v += shfl_down(v, 32); v += shfl_down(v, 16); v += shfl_down(v, 8); v += shfl_down(v, 4); return v; }
__device__ void fill(float *x) { for (int j = 4; j >= 0; j--) x[j] = 0; }
# output
