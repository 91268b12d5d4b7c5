__global__ void a(float *x) { __shared__ float tile[32][33]; tile[threadIdx.y][threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[0] = tile[0][0]; }
__global__ void b(int *x) { __shared__ int bins[32]; bins[x[threadIdx.x] & 31] = 1; __syncthreads(); x[0] = bins[0]; }
__device__ float c(float v, int lane) { __shared__ float s[64]; s[lane] = __shfl_xor(v, 1); return s[0]; }
__device__ float d(float v, int lane) { extern __shared__ float s[]; s[lane] = __shfl_xor(v, 1); return s[0]; }
__global__ void e(float *x) { __shared__ float s[256]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[0] = s[1]; }
__device__ float f(float v, int lane) { __shared__ float s[128]; s[threadIdx.x] = __shfl_xor(v, 1); return s[0]; }
__global__ void g(float *x) { float regs[32]; for (int i = 0; i < 32; i++) regs[i] = x[i]; x[0] = regs[3]; }
__global__ void h(const float *lut, float *y) { __shared__ float s[32]; if (threadIdx.x < 32) s[threadIdx.x] = lut[threadIdx.x]; __syncthreads(); y[threadIdx.x] = s[threadIdx.x & 31]; }
__global__ void i(float *x) { __shared__ float a[32][32], b[32][32]; a[threadIdx.y][threadIdx.x] = b[threadIdx.x][threadIdx.y] = x[0]; }
__constant__ float weights[32];
__global__ void j(float *x) { x[threadIdx.x] *= weights[threadIdx.x % 32]; }
# output
