// options: launch=ggl
// A macro ends with its line: what stands in the next is another launch.
#define CALL axpy<float><<<1, n>>>
#define WHOLE axpy<float><<<1, n>>>(1, x, y)
#define MORE(kernel) \
  kernel<<<1, n>>>(1, \
    x, y)

template <class T> __global__ void axpy(T a, T *x, T *y) { y[threadIdx.x] += a * x[threadIdx.x]; }

void run(int n, float *x, float *y) {
  CALL(2, x, y);
  WHOLE;
  MORE(axpy<float>);
}
// ---- HIP ----
// A macro ends with its line: what stands in the next is another launch.
#include <hip/hip_runtime.h>
#define CALL axpy<float><<<1, n>>>
#define WHOLE hipLaunchKernelGGL(HIP_KERNEL_NAME(axpy<float>), dim3(1), dim3(n), 0, 0, 1, x, y)
#define MORE(kernel) \
  hipLaunchKernelGGL(kernel, dim3(1), dim3(n), 0, 0, 1, \
    x, y)

template <class T> __global__ void axpy(T a, T *x, T *y) { y[threadIdx.x] += a * x[threadIdx.x]; }

void run(int n, float *x, float *y) {
  CALL(2, x, y);
  WHOLE;
  MORE(axpy<float>);
}
// ---- findings ----
// 2 noted
