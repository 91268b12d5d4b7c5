#include <cusolverDn.h>

int factorise(double* a, int n, int* pivots, int* info) {
  cusolverDnHandle_t handle;
  if (cusolverDnCreate(&handle) != CUSOLVER_STATUS_SUCCESS) return 1;
  int size = 0;
  cusolverDnDgetrf_bufferSize(handle, n, n, a, n, &size);
  double* work = nullptr;
  cudaMalloc(&work, size * sizeof(double));
  cusolverStatus_t status = cusolverDnDgetrf(handle, n, n, a, n, work, pivots, info);
  cusolverDnDgetrs(handle, CUBLAS_OP_N, n, 1, a, n, pivots, work, n, info);
  cusolverDnDsyevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, work, &size);
  cusolverDnDestroy(handle);
  return status;
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hipsolver/hipsolver.h>

int factorise(double* a, int n, int* pivots, int* info) {
  hipsolverHandle_t handle;
  if (hipsolverDnCreate(&handle) != HIPSOLVER_STATUS_SUCCESS) return 1;
  int size = 0;
  hipsolverDnDgetrf_bufferSize(handle, n, n, a, n, &size);
  double* work = nullptr;
  hipMalloc(&work, size * sizeof(double));
  hipsolverStatus_t status = hipsolverDnDgetrf(handle, n, n, a, n, work, pivots, info);
  hipsolverDnDgetrs(handle, HIPBLAS_OP_N, n, 1, a, n, pivots, work, n, info);
  hipsolverDnDsyevd_bufferSize(handle, HIPSOLVER_EIG_MODE_VECTOR, HIPBLAS_FILL_MODE_LOWER, n, a, n, work, &size);
  hipsolverDnDestroy(handle);
  return status;
}
