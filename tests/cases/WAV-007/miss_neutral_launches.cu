__global__ void rows(float *x) { float v = x[threadIdx.x]; for (int o = warpSize / 2; o; o >>= 1) v += __shfl_down(v, o); if (threadIdx.x == 0) x[blockIdx.x] = v; }
void a(float *x, int n, const cudaDeviceProp &prop) { rows<<<n, prop.warpSize>>>(x); }
void b(float *x, int n) { int warp_size = at::cuda::warp_size(); dim3 block(warp_size, 4); rows<<<n, block>>>(x); }
void c(float *x, int n) { int width; cudaDeviceGetAttribute(&width, cudaDevAttrWarpSize, 0); rows<<<n, width>>>(x); }
void d(float *x, int n) { rows<<<n, 256>>>(x); }
void e(float *x, int n) { const int threads = 64; rows<<<n, threads>>>(x); }
# output
