#include <cuda_runtime.h>
#include <iostream>
#include <vector>

__global__ void plain(int* x) { x[0] = 1; }
template <typename T, int n>
__global__ void templated(T* x) { x[n] = T(1); }
template <typename T>
int blocks(int n) { return n / int(sizeof(T)); }

#define LAUNCH(kernel, ...) kernel<< <1, 32>> >(__VA_ARGS__)

void launch(int* x, float* y, cudaStream_t stream) {
  plain << <1, 64 >> > (x);
  plain<<<dim3(2, 2), dim3(8, 8), 1 << 4, stream >> >(x);
  templated<float, 3> << < blocks<std::vector<std::vector<int>> >(64), 64, 0, stream >> >
      (y);
  LAUNCH(plain, x);
  std::vector<std::vector<std::vector<int>> > nested(1 << 2);
  if (nested.size() >> 1 > 1) std::cout << "<< <" << (4 >> 1) << nested.size();
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <iostream>
#include <vector>

__global__ void plain(int* x) { x[0] = 1; }
template <typename T, int n>
__global__ void templated(T* x) { x[n] = T(1); }
template <typename T>
int blocks(int n) { return n / int(sizeof(T)); }

#define LAUNCH(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)

void launch(int* x, float* y, hipStream_t stream) {
  plain <<<1, 64 >>> (x);
  plain<<<dim3(2, 2), dim3(8, 8), 1 << 4, stream >>>(x);
  templated<float, 3> <<< blocks<std::vector<std::vector<int>> >(64), 64, 0, stream >>>
      (y);
  LAUNCH(plain, x);
  std::vector<std::vector<std::vector<int>> > nested(1 << 2);
  if (nested.size() >> 1 > 1) std::cout << "<< <" << (4 >> 1) << nested.size();
}
