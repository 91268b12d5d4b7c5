// compile: no, AMD's assembler does not take PTX
__device__ float multiply_tiles(const unsigned* a, unsigned b) {
  float d;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0}, {%1}, {%2}, {%0};"
               : "+f"(d)
               : "r"(a[0]), "r"(b));
  return d;
}

__global__ void kernel(unsigned* a, float* out) { out[0] = multiply_tiles(a, a[1]); }
// ---- HIP ----
#include <hip/hip_runtime.h>
__device__ float multiply_tiles(const unsigned* a, unsigned b) {
  float d;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0}, {%1}, {%2}, {%0};"
               : "+f"(d)
               : "r"(a[0]), "r"(b));
  return d;
}

__global__ void kernel(unsigned* a, float* out) { out[0] = multiply_tiles(a, a[1]); }
// ---- findings ----
// 3 unsupported mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
