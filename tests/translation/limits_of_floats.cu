#include <thrust/device_ptr.h>

__global__ void least(float* out, double* wide) {
  out[threadIdx.x] = -FLT_MAX;
  wide[threadIdx.x] = DBL_EPSILON;
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <float.h>
#include <thrust/device_ptr.h>

__global__ void least(float* out, double* wide) {
  out[threadIdx.x] = -FLT_MAX;
  wide[threadIdx.x] = DBL_EPSILON;
}
