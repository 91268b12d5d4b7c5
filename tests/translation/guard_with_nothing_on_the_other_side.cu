#include <cuda_runtime.h>

// Without the tensor cores' instruction nothing computes d.
__global__ void lost(const unsigned* in, float* out) {
  float d[4] = {};
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(in[0]), "r"(in[1]), "r"(in[2]));
#else
  // nothing for older GPUs
#endif
  out[threadIdx.x] = d[0];
}

// A branch for other GPUs is taken.
__global__ void kept(const unsigned* in, float* out) {
  float d[4] = {};
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(in[0]), "r"(in[1]), "r"(in[2]));
#else
  d[0] = in[0] * in[2];
#endif
  out[threadIdx.x] = d[0];
}

// What only makes it faster is no loss.
__global__ void hint(float* out) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  out[threadIdx.x] = 1;
}

// Nor does a kernel for newer GPUs than the closest do anything.
__global__ void whole(float* out) {
#if __CUDA_ARCH__ >= 900
  asm volatile("wgmma.fence.sync.aligned;");
  out[threadIdx.x] = 1;
#endif
}

// Elsewhere the code around it goes on without.
__global__ void part(float* out) {
  out[threadIdx.x] = 1;
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async;");
#endif
}
// ---- HIP ----
#include <hip/hip_runtime.h>

// Without the tensor cores' instruction nothing computes d.
__global__ void lost(const unsigned* in, float* out) {
  float d[4] = {};
#if 0 /* __CUDA_ARCH__ >= 800 */
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(in[0]), "r"(in[1]), "r"(in[2]));
#else
  // nothing for older GPUs
#endif
  out[threadIdx.x] = d[0];
}

// A branch for other GPUs is taken.
__global__ void kept(const unsigned* in, float* out) {
  float d[4] = {};
#if 0 /* __CUDA_ARCH__ >= 800 */
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(in[0]), "r"(in[1]), "r"(in[2]));
#else
  d[0] = in[0] * in[2];
#endif
  out[threadIdx.x] = d[0];
}

// What only makes it faster is no loss.
__global__ void hint(float* out) {
#if 0 /* __CUDA_ARCH__ >= 900 */
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  out[threadIdx.x] = 1;
}

// Nor does a kernel for newer GPUs than the closest do anything.
__global__ void whole(float* out) {
#if 0 /* __CUDA_ARCH__ >= 900 */
  asm volatile("wgmma.fence.sync.aligned;");
  out[threadIdx.x] = 1;
#endif
}

// Elsewhere the code around it goes on without.
__global__ void part(float* out) {
  out[threadIdx.x] = 1;
#if 0 /* __CUDA_ARCH__ >= 900 */
  asm volatile("fence.proxy.async;");
#endif
}
// ---- findings ----
// 6 unsupported
// 20 decision
// 41 unsupported
