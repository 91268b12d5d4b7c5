#include <cublas_v2.h>
#include <cuda_runtime.h>

cublasStatus_t multiply(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return CUBLAS_STATUS_NOT_INITIALIZED;
  cublasSetStream(handle, stream);
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
  const float one = 1.0f, zero = 0.0f;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, b, n, &zero, c, n);
  cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, n * n, b, n, n * n, &zero, c, n,
                            n * n, 8);
  cublasSaxpy(handle, n, &one, a, 1, c, 1);
  float norm;
  cublasSnrm2_v2(handle, n, c, 1, &norm);
  cublasStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, n, &one, a, n, c,
              n);
  return cublasDestroy(handle);
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hipblas/hipblas.h>
#include <hip/hip_runtime.h>

hipblasStatus_t multiply(const float* a, const float* b, float* c, int n, hipStream_t stream) {
  hipblasHandle_t handle;
  if (hipblasCreate(&handle) != HIPBLAS_STATUS_SUCCESS) return HIPBLAS_STATUS_NOT_INITIALIZED;
  hipblasSetStream(handle, stream);
  hipblasSetPointerMode(handle, HIPBLAS_POINTER_MODE_HOST);
  const float one = 1.0f, zero = 0.0f;
  hipblasSgemm(handle, HIPBLAS_OP_N, HIPBLAS_OP_T, n, n, n, &one, a, n, b, n, &zero, c, n);
  hipblasSgemmStridedBatched(handle, HIPBLAS_OP_N, HIPBLAS_OP_N, n, n, n, &one, a, n, n * n, b, n, n * n, &zero, c, n,
                            n * n, 8);
  hipblasSaxpy(handle, n, &one, a, 1, c, 1);
  float norm;
  hipblasSnrm2(handle, n, c, 1, &norm);
  hipblasStrsm(handle, HIPBLAS_SIDE_LEFT, HIPBLAS_FILL_MODE_LOWER, HIPBLAS_OP_N, HIPBLAS_DIAG_NON_UNIT, n, n, &one, a, n, c,
              n);
  return hipblasDestroy(handle);
}
