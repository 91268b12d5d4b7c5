// files: cuda_runtime.h cuda/cublas_v2.h util/helpers.cuh
#include "cuda_runtime.h"
#include "cuda/cublas_v2.h"
#include "util/helpers.cuh"
#include <cuda_runtime.h>

void nothing(cudaStream_t stream) {}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include "cuda_runtime.h"
#include "cuda/cublas_v2.h"
#include "util/helpers.cuh"
#include <hip/hip_runtime.h>

void nothing(hipStream_t stream) {}
