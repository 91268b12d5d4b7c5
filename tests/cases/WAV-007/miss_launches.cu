__global__ void add(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void tiles(float *x) { __shared__ float t[32][33]; t[threadIdx.y][threadIdx.x] = *x; __syncthreads(); *x = t[threadIdx.x][threadIdx.y]; }
__global__ void __launch_bounds__(256) a(float *x) { add_one(x); }
__global__ void __launch_bounds__(32 * 32) b(float *x) { add_one(x); }
void c(float *x, int n) { add<<<(n + 31) / 32, 32>>>(x); }
void d(float *x, int n) { dim3 block(32, 32); tiles<<<n, block>>>(x); }
void e(float *x, int n) { const int block_size = 32; add<<<n, block_size>>>(x); }
void f(float *x, int n) { dim3 grid(n / 32, n / 32), block(32, 8); tiles<<<grid, block>>>(x); }
void g(float *x, int n) { int threads = 1024 / 32; add<<<n, threads>>>(x); }
void h(float *x, int n) { add<<<n, 256, 32 * sizeof(float)>>>(x); }
void i(int n) { int thread_pool = 32; launch_cpu(thread_pool, n); }
# output
