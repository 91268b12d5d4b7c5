#include <cublas_v2.h>
#include <cuda_fp16.h>

cublasStatus_t mixed(cublasHandle_t handle, const half* a, const half* b, float* c, int n) {
  float one = 1.0f, zero = 0.0f;
  cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH);
  return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, CUDA_R_16F, n, b, CUDA_R_16F, n, &zero, c,
                      CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP);
}

cublasStatus_t half_precision(cublasHandle_t handle, const __half* a, const __half* b, __half* c, int n) {
  __half one = __float2half(1.0f), zero = __float2half(0.0f);
  return cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hipblas/hipblas.h>
#include <hip/hip_fp16.h>

hipblasStatus_t mixed(hipblasHandle_t handle, const half* a, const half* b, float* c, int n) {
  float one = 1.0f, zero = 0.0f;
  hipblasSetMathMode(handle, HIPBLAS_DEFAULT_MATH);
  return hipblasGemmEx(handle, HIPBLAS_OP_N, HIPBLAS_OP_N, n, n, n, &one, a, HIP_R_16F, n, b, HIP_R_16F, n, &zero, c,
                      HIP_R_32F, n, HIPBLAS_COMPUTE_32F, HIPBLAS_GEMM_DEFAULT);
}

hipblasStatus_t half_precision(hipblasHandle_t handle, const __half* a, const __half* b, __half* c, int n) {
  __half one = __float2half(1.0f), zero = __float2half(0.0f);
  return hipblasHgemm(handle, HIPBLAS_OP_N, HIPBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
}
// ---- findings ----
// 8 noted CUBLAS_GEMM_DEFAULT_TENSOR_OP
