constexpr int kStages = 4;
constexpr int kBytes = kStages * 128 * 64 * sizeof(half);
__global__ void tile(float *p) { extern __shared__ char raw[]; }
void run(float *p, cudaStream_t stream) {
  tile<<<dim3(1, 2), 128, 96 * 1024>>>(p);
  tile<<<dim3(1, 2), 128, kBytes + 4096, stream>>>(p);
  cudaFuncSetAttribute(tile, cudaFuncAttributeMaxDynamicSharedMemorySize, int(80 * 1024));
}
# output
5 crash: 96 * 1024
6 crash: kBytes + 4096
7 crash: cudaFuncSetAttribute
