__global__ void a(float *x) { const int half = warpSize / 2; x[half] = 0; }
__device__ int b(int v) { for (int i = 0; i < warpSize; i++) v += i; return v; }
__device__ bool c(int i, int n) { return i < warpSize && warpSize > n; }
__global__ void d(float *x) { extern __shared__ float s[]; s[threadIdx.x / warpSize] = x[0]; }
# output
