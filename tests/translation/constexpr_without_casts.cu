#include <cstdint>

constexpr int size = 4;
__host__ __device__ constexpr uint32_t bits(uint32_t level, uint32_t parent) { return level * size * (parent + 1); }
__device__ uint32_t cast(float* x) { return *(uint32_t*)(x); }

__global__ void first(uint32_t* out) { out[0] = bits(out[1], out[2]) + cast((float*)out); }
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <cstdint>

constexpr int size = 4;
__host__ __device__ constexpr uint32_t bits(uint32_t level, uint32_t parent) { return level * size * (parent + 1); }
__device__ uint32_t cast(float* x) { return *(uint32_t*)(x); }

__global__ void first(uint32_t* out) { out[0] = bits(out[1], out[2]) + cast((float*)out); }
