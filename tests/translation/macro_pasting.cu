#include <cublas_v2.h>

#define GEMM(T) cublas##T##gemm
#define STATUS(name) CUBLAS_STATUS_##name

cublasStatus_t run(cublasHandle_t handle, int n, const float* a, const float* b, float* c) {
  float one = 1, zero = 0;
  if (GEMM(S)(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n) != STATUS(SUCCESS))
    return STATUS(NOT_INITIALIZED);
  return STATUS(SUCCESS);
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hipblas/hipblas.h>

#define GEMM(T) hipblas##T##gemm
#define STATUS(name) HIPBLAS_STATUS_##name

hipblasStatus_t run(hipblasHandle_t handle, int n, const float* a, const float* b, float* c) {
  float one = 1, zero = 0;
  if (GEMM(S)(handle, HIPBLAS_OP_N, HIPBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n) != STATUS(SUCCESS))
    return STATUS(NOT_INITIALIZED);
  return STATUS(SUCCESS);
}
