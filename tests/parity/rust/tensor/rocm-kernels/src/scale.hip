#include <hip/hip_runtime.h>
extern "C" __global__ void scale_f32(float *x, float by) { x[threadIdx.x] *= by; }
extern "C" __global__ void sort_f32(float *x) {}
