// compile: no, MIOpen has no multi-head attention of this kind
#include <cudnn.h>

void attention(cudnnHandle_t handle) {
  cudnnAttnDescriptor_t descriptor;
  cudnnCreateAttnDescriptor(&descriptor);
  cudnnSpatialTransformerDescriptor_t transformer;
  cudnnCreateSpatialTransformerDescriptor(&transformer);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <miopen/miopen.h>

void attention(miopenHandle_t handle) {
  cudnnAttnDescriptor_t descriptor;
  cudnnCreateAttnDescriptor(&descriptor);
  cudnnSpatialTransformerDescriptor_t transformer;
  cudnnCreateSpatialTransformerDescriptor(&transformer);
}
// ---- findings ----
// 1 noted cudnn.h
// 4 unsupported cudnnAttnDescriptor_t
// 5 unsupported cudnnCreateAttnDescriptor
// 6 unsupported cudnnSpatialTransformerDescriptor_t
// 7 unsupported cudnnCreateSpatialTransformerDescriptor
