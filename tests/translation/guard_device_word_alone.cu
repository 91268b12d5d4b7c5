#include <stdio.h>

template <typename... Args>
#ifdef __CUDA_ARCH__
__device__
#endif
inline void print(const char* format, Args... args) {
  printf(format, args...);
#ifndef __CUDA_ARCH__
  fflush(stdout);
#endif
}

__global__ void kernel() { print("%d\n", threadIdx.x); }

int main() {
  kernel<<<1, 1>>>();
  print("%d\n", cudaDeviceSynchronize());
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <stdio.h>

template <typename... Args>
#ifdef __HIP_DEVICE_COMPILE__
__host__ __device__
#endif
inline void print(const char* format, Args... args) {
  printf(format, args...);
#ifndef __HIP_DEVICE_COMPILE__
  fflush(stdout);
#endif
}

__global__ void kernel() { print("%d\n", threadIdx.x); }

int main() {
  kernel<<<1, 1>>>();
  print("%d\n", hipDeviceSynchronize());
}
