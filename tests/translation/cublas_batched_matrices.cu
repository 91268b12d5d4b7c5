#include <cublas_v2.h>

void solve(cublasHandle_t handle, int n, float** matrices, double** wide, int* pivots, float** right, int* info) {
  cublasSgetrsBatched(handle, CUBLAS_OP_N, n, n, (const float**)matrices, n, pivots, right, n, info, 4);
  cublasDgetriBatched(handle, n, (const double**)wide, n, pivots, wide, n, info, 4);
  cublasSgetriBatched(handle, n, matrices, n, pivots, right, n, info, 4);
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hipblas/hipblas.h>

void solve(hipblasHandle_t handle, int n, float** matrices, double** wide, int* pivots, float** right, int* info) {
  hipblasSgetrsBatched(handle, HIPBLAS_OP_N, n, n, const_cast<float* const*>((const float**)matrices), n, pivots, right, n, info, 4);
  hipblasDgetriBatched(handle, n, const_cast<double* const*>((const double**)wide), n, pivots, wide, n, info, 4);
  hipblasSgetriBatched(handle, n, const_cast<float* const*>(matrices), n, pivots, right, n, info, 4);
}
