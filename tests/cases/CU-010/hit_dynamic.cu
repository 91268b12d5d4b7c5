constexpr int kStages = 3;
constexpr int kTileBytes = 32 * 1024;

void prepare() {
  cudaFuncSetAttribute(kernel_a, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304);
  cudaFuncSetAttribute(kernel_b<128>, cudaFuncAttributeMaxDynamicSharedMemorySize, kStages * kTileBytes);
  cudaFuncSetAttribute(kernel_c, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
}
# output
5 crash: cudaFuncSetAttribute
6 crash: cudaFuncSetAttribute
7 crash: cudaFuncSetAttribute
