// A later HIP may gain the names that rewarp_hip.h supplies; a project may define them itself. Then theirs are used.
#include "rewarp_hip.h"

struct Theirs {};
__host__ __device__ Theirs __vadd4(unsigned, unsigned) { return Theirs(); }
__device__ Theirs __dp4a(int, int, int) { return Theirs(); }
__device__ Theirs __trap() { return Theirs(); }
__device__ Theirs __nanosleep(unsigned) { return Theirs(); }
__device__ Theirs __ldcs(const float*) { return Theirs(); }
__device__ Theirs __stcs(float*, float) { return Theirs(); }
__device__ Theirs __hmax2(__half2, __half2) { return Theirs(); }
__device__ Theirs __hmax_nan(__hip_bfloat16, __hip_bfloat16) { return Theirs(); }
__device__ Theirs atomicAdd(__half*, __half) { return Theirs(); }
__device__ Theirs __float2bfloat16_rn(float) { return Theirs(); }
template <typename T>
Theirs hipFuncSetCacheConfig(T, hipFuncCache_t) {
  return Theirs();
}
template <typename T>
Theirs hipMallocHost(T**, size_t) {
  return Theirs();
}

template <typename T>
__device__ void is_theirs(T) {
  static_assert(std::is_same<T, Theirs>::value, "the plain function goes before the template");
}
__global__ void kernel(float* f, __half* h, __half2* h2, __hip_bfloat16* b) {
  is_theirs(__vadd4(1u, 2u));
  is_theirs(__vadd4(1, 2));
  is_theirs(__dp4a(1, 2, 3));
  is_theirs(__trap());
  is_theirs(__nanosleep(1));
  is_theirs(__ldcs(f));
  is_theirs(__stcs(f, 1.0f));
  is_theirs(__hmax2(h2[0], h2[1]));
  is_theirs(__hmax_nan(b[0], b[1]));
  is_theirs(atomicAdd(h, h[1]));
  is_theirs(__float2bfloat16_rn(f[0]));
}
void host() {
  hipFuncSetCacheConfig(kernel, hipFuncCachePreferL1);  // not ambiguous
  float* pointer;
  static_assert(std::is_same<decltype(hipMallocHost(&pointer, 4)), Theirs>::value, "their template is more special");
}
