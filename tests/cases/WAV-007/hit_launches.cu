__global__ void rows(float *x) { float v = x[threadIdx.x]; for (int o = warpSize / 2; o; o >>= 1) v += __shfl_down(v, o); if (threadIdx.x == 0) x[blockIdx.x] = v; }
__global__ void votes(int *x) { x[threadIdx.y] = __popcll(__ballot(x[threadIdx.x])); }
void a(float *x, int n) { rows<<<n, 32>>>(x); /* one warp a row */ }
void b(int *x, int n) { dim3 block(32, 4); /* warps */ votes<<<n, block>>>(x); }
void c(float *x, int n) { int warps = 4; int threads = warps * 32; rows<<<n, threads>>>(x); }
void d(float *x, int n) { const int threads_per_warp = 32, block = 128; rows<<<n / (block / threads_per_warp), block>>>(x); }
void e(float *x, int n) { rows<<<(n + 31) / 32, dim3(32)>>>(x); }
void f(int *x, int n) { dim3 warp_block = dim3(32, 8); votes<<<n, warp_block>>>(x); }
# output
3 wrong-result: n, 32
4 wrong-result: block(32, 4)
5 wrong-result: threads = warps * 32
6 wrong-result: threads_per_warp = 32, block = 128
7 wrong-result: (n + 31) / 32, dim3(32)
8 wrong-result: warp_block = dim3(32, 8)
