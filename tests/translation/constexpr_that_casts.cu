#include <cstdint>

struct __align__(4) Node {
  int16_t index;
  uint8_t parent, level;
  __device__ constexpr uint32_t bits() const noexcept { return *(uint32_t*)(this); }
  __device__ static constexpr Node from(int32_t x) noexcept { return *(Node*)(&x); }
};

__global__ void first(uint32_t* out) { out[0] = Node::from(out[1]).bits(); }
// ---- HIP ----
#include <hip/hip_runtime.h>
#pragma clang diagnostic ignored "-Winvalid-constexpr"
#include <cstdint>

struct __align__(4) Node {
  int16_t index;
  uint8_t parent, level;
  __device__ constexpr uint32_t bits() const noexcept { return *(uint32_t*)(this); }
  __device__ static constexpr Node from(int32_t x) noexcept { return *(Node*)(&x); }
};

__global__ void first(uint32_t* out) { out[0] = Node::from(out[1]).bits(); }
