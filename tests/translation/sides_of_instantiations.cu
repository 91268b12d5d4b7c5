#define BOTH __host__ __device__

template <typename T>
__host__ __device__ bool less(const T& a, const T& b) {
  return a < b;
}
template <typename T>
BOTH T* next(T* p) {
  return p + 1;
}
template <typename T>
__device__ __forceinline__ T twice(T v) {
  return v + v;
}
template <typename T>
T half_of(T v) {
  return v / 2;
}
template <typename T>
__global__ void fill(T* p, T v) {
  p[threadIdx.x] = less(v, T(0)) ? twice(v) : *next(p);
}
template <typename T>
struct Box {
  __host__ __device__ T first(T v) { return v; }
};

// nvcc takes the sides from the template, HIP's compiler wants them said.
template bool less<float>(const float& a, const float& b);
template bool less(const double& a, const double& b);
template float* next<float>(float* p);
extern template float twice<float>(float v);
template float twice<float>(float v);
// These say them, or have none.
template __host__ __device__ bool less<int>(const int& a, const int& b);
template BOTH int* next<int>(int* p);
template float half_of<float>(float v);
template __global__ void fill<float>(float* p, float v);
template struct Box<float>;
// ---- HIP ----
#include "rewarp_hip.h"
#define BOTH __host__ __device__

template <typename T>
__host__ __device__ bool less(const T& a, const T& b) {
  return a < b;
}
template <typename T>
BOTH T* next(T* p) {
  return p + 1;
}
template <typename T>
__device__ __forceinline__ T twice(T v) {
  return v + v;
}
template <typename T>
T half_of(T v) {
  return v / 2;
}
template <typename T>
__global__ void fill(T* p, T v) {
  p[threadIdx.x] = less(v, T(0)) ? twice(v) : *next(p);
}
template <typename T>
struct Box {
  __host__ __device__ T first(T v) { return v; }
};

// nvcc takes the sides from the template, HIP's compiler wants them said.
template __host__ __device__ bool less<float>(const float& a, const float& b);
template __host__ __device__ bool less(const double& a, const double& b);
template BOTH float* next<float>(float* p);
extern template __device__ float twice<float>(float v);
template __device__ float twice<float>(float v);
// These say them, or have none.
template __host__ __device__ bool less<int>(const int& a, const int& b);
template BOTH int* next<int>(int* p);
template float half_of<float>(float v);
template __global__ void fill<float>(float* p, float v);
template struct Box<float>;
