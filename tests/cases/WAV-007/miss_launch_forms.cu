__global__ void rows(float *x) { x[threadIdx.x] = warpSize; }
__global__ void plain(float *x) { x[threadIdx.x] = 0; }
const int kRow = 32;
void member(float *x, dim3 block) { block.x = 32; plain<<<1, block>>>(x); }
void alias(float *x) { auto kernel = plain; kernel<<<1, 32>>>(x); }
void named(float *x) { int threads = kRow; plain<<<1, threads>>>(x); }
__global__ void __launch_bounds__(32) one(float *x) { x[threadIdx.x] = 0; }
# output
