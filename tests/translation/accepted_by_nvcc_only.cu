#include <cuda_runtime.h>

template <typename T>
void configure<T>(dim3& grid, int n) {
  grid.x = n * sizeof(T);
}
template <typename T, int n = 4>
__global__ void fill<T, n>(T* out) {
  out[threadIdx.x] = T(n);
}
template <>
void configure<double>(dim3& grid, int n) {
  grid.x = n;
}
template void configure<float>(dim3& grid, int n);
template <typename T>
struct Box {
  T* data;
  T* get(int n);
};
template <typename T>
T* Box<T>::get(int n) {
  return data + n;
}

#define NO_WARNING \
#pragma nv_exec_check_disable
#define EVERY(count) \
  #pragma unroll 4   \
  for (int i = 0; i < count; ++i)

struct Scaler {
  NO_WARNING
  __host__ __device__ float operator()(float x) const { return x * 2; }
};

__global__ void scale(float* x, int n) {
  EVERY(n) x[i] = Scaler()(x[i]);
}
// ---- HIP ----
#include <hip/hip_runtime.h>

template <typename T>
void configure(dim3& grid, int n) {
  grid.x = n * sizeof(T);
}
template <typename T, int n = 4>
__global__ void fill(T* out) {
  out[threadIdx.x] = T(n);
}
template <>
void configure<double>(dim3& grid, int n) {
  grid.x = n;
}
template void configure<float>(dim3& grid, int n);
template <typename T>
struct Box {
  T* data;
  T* get(int n);
};
template <typename T>
T* Box<T>::get(int n) {
  return data + n;
}

#define NO_WARNING \
_Pragma("nv_exec_check_disable")
#define EVERY(count) \
  _Pragma("unroll 4")   \
  for (int i = 0; i < count; ++i)

struct Scaler {
  NO_WARNING
  __host__ __device__ float operator()(float x) const { return x * 2; }
};

__global__ void scale(float* x, int n) {
  EVERY(n) x[i] = Scaler()(x[i]);
}
