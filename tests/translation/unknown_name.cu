// compile: no, nobody knows what these names mean
#include <cuda_runtime.h>

int main() {
  cudaFrobnicate(3);
  cublasQuantumGemm();
  return cudaDeviceSynchronize();
}
// ---- HIP ----
#include <hip/hip_runtime.h>

int main() {
  cudaFrobnicate(3);
  cublasQuantumGemm();
  return hipDeviceSynchronize();
}
// ---- findings ----
// 4 unknown cudaFrobnicate
// 5 unknown cublasQuantumGemm
