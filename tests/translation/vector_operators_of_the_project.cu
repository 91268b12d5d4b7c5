#include <cuda_runtime.h>

inline __host__ __device__ float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
inline __host__ __device__ void operator+=(float4& a, float4 b) {
  a.x += b.x;
  a.y += b.y;
  a.z += b.z;
  a.w += b.w;
}
inline __host__ __device__ float4 operator*(float4 a, float s) { return make_float4(a.x * s, a.y * s, a.z * s, a.w * s); }

__global__ void axpy(float4* y, const float4* x, float a) {
  float4 sum = y[threadIdx.x] + x[threadIdx.x] * a;
  sum += x[0];
  y[threadIdx.x] = sum;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

inline __host__ __device__ float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
#if !defined(__HIP_PLATFORM_AMD__)
inline __host__ __device__ void operator+=(float4& a, float4 b) {
  a.x += b.x;
  a.y += b.y;
  a.z += b.z;
  a.w += b.w;
}
#endif
inline __host__ __device__ float4 operator*(float4 a, float s) { return make_float4(a.x * s, a.y * s, a.z * s, a.w * s); }

__global__ void axpy(float4* y, const float4* x, float a) {
  float4 sum = y[threadIdx.x] + x[threadIdx.x] * a;
  sum += x[0];
  y[threadIdx.x] = sum;
}
