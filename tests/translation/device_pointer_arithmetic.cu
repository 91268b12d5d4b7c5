#include <cuda.h>

struct Arena {
  CUdeviceptr base = 0;
  size_t used = 0;
  CUdeviceptr at(size_t bytes) const { return base + bytes; }
  CUdeviceptr after(size_t bytes) const { return bytes + this->base; }
  bool aligned() const { return base % 256 == 0; }
  bool empty() const { return base == 0; }
};

void clear(Arena& arena, CUdeviceptr first, CUdeviceptr last, size_t n) {
  cuMemsetD8(first + n * 4, 0, n);
  cuMemsetD8(arena.base - 4, 0, last - first);
  first += n / 2;
  const float* x = (const float*)first + 1;
  cuMemcpyDtoH((void*)x, last, n);
}

// A pointer to floats in one function, and a member that is declared after it is used.
float* next(float* data) { return data + 1; }
void store(CUdeviceptr data, size_t n) { cuMemsetD8(data + n, 0, 4 * n); }

class Slice {
  CUdeviceptr end() const { return start + bytes; }
  CUdeviceptr start;
  size_t bytes;
};
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>

struct Arena {
  hipDeviceptr_t base = 0;
  size_t used = 0;
  hipDeviceptr_t at(size_t bytes) const { return rewarp_bytes(base) + bytes; }
  hipDeviceptr_t after(size_t bytes) const { return bytes + rewarp_bytes(this->base); }
  bool aligned() const { return rewarp_address(base) % 256 == 0; }
  bool empty() const { return base == 0; }
};

void clear(Arena& arena, hipDeviceptr_t first, hipDeviceptr_t last, size_t n) {
  hipMemsetD8(rewarp_bytes(first) + n * 4, 0, n);
  hipMemsetD8(rewarp_bytes(arena.base) - 4, 0, rewarp_bytes(last) - rewarp_bytes(first));
  first = rewarp_bytes(first) + n / 2;
  const float* x = (const float*)first + 1;
  hipMemcpyDtoH((void*)x, last, n);
}

// A pointer to floats in one function, and a member that is declared after it is used.
float* next(float* data) { return rewarp_bytes(data) + 1; }
void store(hipDeviceptr_t data, size_t n) { hipMemsetD8(rewarp_bytes(data) + n, 0, 4 * n); }

class Slice {
  hipDeviceptr_t end() const { return rewarp_bytes(start) + bytes; }
  hipDeviceptr_t start;
  size_t bytes;
};
