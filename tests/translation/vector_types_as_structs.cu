#include <cuda_runtime.h>

struct float5 {
  float x[5];
};

struct Mine;

__global__ void kernel(void* memory, struct float5* five) {
  struct float2* pairs = (struct float2*)memory;
  struct float2 first = pairs[0];
  struct dim3 size = blockDim;
  const struct uint4 none = make_uint4(0, 0, 0, size.x);
  pairs[1].x = first.y + five->x[0] + none.w;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

struct float5 {
  float x[5];
};

struct Mine;

__global__ void kernel(void* memory, struct float5* five) {
  float2* pairs = (float2*)memory;
  float2 first = pairs[0];
  struct dim3 size = blockDim;
  const uint4 none = make_uint4(0, 0, 0, size.x);
  pairs[1].x = first.y + five->x[0] + none.w;
}
