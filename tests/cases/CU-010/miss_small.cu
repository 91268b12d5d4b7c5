#define ROWS 64
__global__ void product(int smem) {
  __shared__ float a[ROWS][ROWS + 4];
  extern __shared__ char rest[];
  // __shared__ double huge[4096][64];
  __shared__ Tile tiles[4096];
}
void prepare(int bytes) {
  cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncSetAttribute(product, cudaFuncAttributePreferredSharedMemoryCarveout, 100000);
}
# output
