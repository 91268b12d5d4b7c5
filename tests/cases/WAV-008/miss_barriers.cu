__global__ void a(volatile float *s) { int tid = threadIdx.x; if (tid < 64) s[tid] += s[tid + 64]; __syncthreads(); if (tid < 32) s[tid] += s[tid + 32]; __syncthreads(); if (tid < 16) s[tid] += s[tid + 16]; __syncthreads(); }
__global__ void stencil(float *y, const float *x) { int i = threadIdx.x; y[i] = x[i] + x[i + 32]; } // no warp
__global__ void strided(float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] += x[i + 32]; }
__global__ void flag(volatile int *f) { while (f[0] == 0) {} }
__device__ float pairs(const float *a, int i) { return a[i] * a[i + 16]; }
# output
