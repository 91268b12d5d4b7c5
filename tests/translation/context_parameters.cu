#include <cuda.h>

CUcontext make(CUdevice device) {
  CUcontext context;
  CUctxCreateParams parameters = {};
  cuCtxCreate(&context, &parameters, 0, device);
  return context;
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>

hipCtx_t make(hipDevice_t device) {
  hipCtx_t context;
  CUctxCreateParams parameters = {};
  hipCtxCreate(&context, 0, device);
  return context;
}
// ---- findings ----
// 6 noted cuCtxCreate
