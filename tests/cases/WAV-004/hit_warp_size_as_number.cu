__global__ void a(float *x) { __shared__ float s[warpSize]; s[threadIdx.x % warpSize] = x[0]; }
__device__ int b() { constexpr int half = warpSize / 2; return half; }
__device__ int c(int v) { return reduce<warpSize>(v); }
# output
rocm: 7.1
1 build-fail: __shared__ float s[warpSize]
2 build-fail: constexpr int half = warpSize
3 build-fail: <warpSize>
