// compile: no, AMD's assembler does not take PTX
__device__ void multiply_tiles(float (&d)[4], const unsigned (&a)[2], unsigned b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
}

__global__ void kernel(const unsigned* in, float* out) {
  const unsigned a[2] = {in[0], in[1]};
  float d[4] = {};
  multiply_tiles(d, a, in[2]);
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
// ---- HIP ----
#include <hip/hip_runtime.h>
__device__ void multiply_tiles(float (&d)[4], const unsigned (&a)[2], unsigned b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
}

__global__ void kernel(const unsigned* in, float* out) {
  const unsigned a[2] = {in[0], in[1]};
  float d[4] = {};
  multiply_tiles(d, a, in[2]);
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
// ---- findings ----
// 2 unsupported mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
