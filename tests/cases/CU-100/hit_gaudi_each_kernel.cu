#include "own.h"
__global__ void declared(float *x);
__device__ float twice(float x) { return 2.f * x; }
template <typename T>
__global__ void scale(T *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
__global__ void shift(float *x)
{
  x[threadIdx.x] += 1.f;
}
void run(float *x) { scale<<<1, 256>>>(x); }
# output
target: gaudi
2 build-fail: __global__ void declared(float *x);
5 build-fail: __global__ void scale(T *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
6 build-fail: __global__ void shift(float *x)
