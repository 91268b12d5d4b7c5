#include <cuda_runtime.h>

#if __CUDA_ARCH__ >= 800
__device__ inline void multiply(float (&d)[4], const unsigned (&a)[2], unsigned b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
}
__device__ inline float scale(float x) { return x * 2; }
__device__ inline int both(int x) { return x; }
#endif
__device__ inline float both(float x) { return x; }

// Never asked for on AMD, so that nothing is missing in it.
template <typename T>
struct Tile {
  __device__ void run(T (&d)[4], const unsigned (&a)[2]) { multiply(d, a, 1u); }
};

__global__ void kernel(const unsigned* in, float* out, float scale) {
#if __CUDA_ARCH__ >= 800
  const unsigned a[2] = {in[0], in[1]};
  float d[4] = {};
  Tile<float>().run(d, a);
  out[threadIdx.x] = d[0];
#else
  out[threadIdx.x] = float(in[0]) * in[1];
#endif
#if __CUDA_ARCH__ >= 800
  out[0] = scale * both(out[1]);
#else
  out[0] = 0;
#endif
}
// ---- HIP ----
#include <hip/hip_runtime.h>

#if 0 /* __CUDA_ARCH__ >= 800 */
__device__ inline void multiply(float (&d)[4], const unsigned (&a)[2], unsigned b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
}
__device__ inline float scale(float x) { return x * 2; }
__device__ inline int both(int x) { return x; }
#endif
__device__ inline float both(float x) { return x; }

// Never asked for on AMD, so that nothing is missing in it.
template <typename T>
struct Tile {
  __device__ void run(T (&d)[4], const unsigned (&a)[2]) { multiply(d, a, 1u); }
};

__global__ void kernel(const unsigned* in, float* out, float scale) {
#if 0 /* __CUDA_ARCH__ >= 800 */
  const unsigned a[2] = {in[0], in[1]};
  float d[4] = {};
  Tile<float>().run(d, a);
  out[threadIdx.x] = d[0];
#else
  out[threadIdx.x] = float(in[0]) * in[1];
#endif
#if defined(__HIP_DEVICE_COMPILE__) /* __CUDA_ARCH__ >= 800 */
  out[0] = scale * both(out[1]);
#else
  out[0] = 0;
#endif
}
// ---- findings ----
// 3 decision
// 22 decision
