// More dynamic shared memory than a compute unit has.
// kind: CU-010
// run: launch(out: int[64])
// gives: out = list(range(64))
// at 64: launch failure
// ---- original
__global__ void through(int* out) {
  extern __shared__ int space[];
  space[threadIdx.x * 300] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = space[threadIdx.x * 300];
}
void launch(int* out) {
#if !defined(__HIP_PLATFORM_AMD__)
  cudaFuncSetAttribute(through, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 300 * 4);
#endif
  through<<<1, 64, 64 * 300 * 4>>>(out);
}
// ---- fixed
__global__ void through(int* out, int stride) {
  extern __shared__ int space[];
  space[threadIdx.x * stride] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = space[threadIdx.x * stride];
}
void launch(int* out) { through<<<1, 64, 64 * 200 * 4>>>(out, 200); }
