// How code shares data between blocks, streams it past the caches, and stages it in shared memory.
__device__ void wait_for(const int* lock, int wanted) {
  int state;
  do {
    asm volatile("ld.global.acquire.gpu.b32 %0, [%1];\n" : "=r"(state) : "l"(lock));
  } while (state != wanted);
  asm volatile("fence.acq_rel.gpu;\n");
}

__device__ void release(int* lock, int step) {
  asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(lock), "r"(step) : "memory");
}

__device__ unsigned next_ticket(unsigned* counter) {
  unsigned old;
  asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(old) : "l"(counter) : "memory");
  return old;
}

__device__ uint4 streamed(const uint4* from) {
  uint4 v;
  asm volatile(
      "ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
      : "l"(from));
  return v;
}

__device__ float4 guarded(const float4* from, bool wanted) {
  float4 v;
  asm volatile(
      "{\n"
      "  .reg .pred p;\n"
      "  setp.ne.b32 p, %5, 0;\n"
      "  mov.f32 %0, 0f00000000;\n"
      "  mov.f32 %1, 0f00000000;\n"
      "  mov.f32 %2, 0f00000000;\n"
      "  mov.f32 %3, 0f00000000;\n"
      "  @p ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4 + 16];\n"
      "}\n"
      : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
      : "l"(from), "r"((int)wanted));
  return v;
}

__device__ void stage(void* tile, const void* from, int bytes) {
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;\n" ::"r"(to), "l"(from), "r"(bytes));
  asm volatile("cp.async.commit_group;\n" ::);
  asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
}

__global__ void kernel(int* lock, unsigned* counter, uint4* u, float4* f) {
  __shared__ uint4 tile[32];
  wait_for(lock, 1);
  stage(&tile[threadIdx.x], &u[threadIdx.x], 12);
  asm volatile("bar.sync 0;");
  unsigned word;
  asm volatile("ld.shared.u32 %0, [%1+4];"
               : "=r"(word)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(tile))));
  u[0] = streamed(&u[next_ticket(counter) + word]);
  f[0] = guarded(f, word != 0);
  asm volatile("st.global.cs.v2.f32 [%0], {%1, %2};" ::"l"(&f[1]), "f"(f[0].x), "f"(f[0].y) : "memory");
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(counter), "r"(word) : "memory");
  asm volatile("prefetch.global.L2 [%0];" ::"l"(f + 64));
  release(lock, 1);
}
// ---- HIP ----
// How code shares data between blocks, streams it past the caches, and stages it in shared memory.
#include "rewarp_hip.h"
__device__ void wait_for(const int* lock, int wanted) {
  int state;
  do {
    state = rewarp_ptx::load<unsigned, rewarp_ptx::Atomic<__ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT>>(rewarp_ptx::generic(lock));
  } while (state != wanted);
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent");
}

__device__ void release(int* lock, int step) {
  rewarp_ptx::fetch_add<int, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT>(rewarp_ptx::generic(lock), step);
}

__device__ unsigned next_ticket(unsigned* counter) {
  unsigned old;
  old = rewarp_ptx::fetch_add<unsigned, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT>(rewarp_ptx::generic(counter), 1u);
  return old;
}

__device__ uint4 streamed(const uint4* from) {
  uint4 v;
  rewarp_ptx::load_into<unsigned, rewarp_ptx::Streaming>(rewarp_ptx::generic(from), v.x, v.y, v.z, v.w);
  return v;
}

__device__ float4 guarded(const float4* from, bool wanted) {
  float4 v;
  do {
    bool ptx_p;
    const auto ptx_4 = from;
    ptx_p = static_cast<unsigned>((int)wanted) != 0u;
    v.x = rewarp_ptx::as<float>(0x00000000u);
    v.y = rewarp_ptx::as<float>(0x00000000u);
    v.z = rewarp_ptx::as<float>(0x00000000u);
    v.w = rewarp_ptx::as<float>(0x00000000u);
    if (ptx_p) rewarp_ptx::load_into<float, rewarp_ptx::Plain>(rewarp_ptx::generic(ptx_4, 16), v.x, v.y, v.z, v.w);
  } while (0);
  return v;
}

__device__ void stage(void* tile, const void* from, int bytes) {
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  rewarp_ptx::copy<16>(rewarp_ptx::shared(to), rewarp_ptx::generic(from), bytes);
  static_cast<void>(0);
  static_cast<void>(0);
}

__global__ void kernel(int* lock, unsigned* counter, uint4* u, float4* f) {
  __shared__ uint4 tile[32];
  wait_for(lock, 1);
  stage(&tile[threadIdx.x], &u[threadIdx.x], 12);
  __syncthreads();
  unsigned word;
  word = rewarp_ptx::load<unsigned, rewarp_ptx::Plain>(rewarp_ptx::shared(static_cast<unsigned>(__cvta_generic_to_shared(tile)), 4));
  u[0] = streamed(&u[next_ticket(counter) + word]);
  f[0] = guarded(f, word != 0);
  rewarp_ptx::store<float, rewarp_ptx::Streaming>(rewarp_ptx::generic(&f[1]), f[0].x, f[0].y);
  rewarp_ptx::fetch_add_halves<rewarp_ptx::F16x2, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>(rewarp_ptx::generic(counter), word);
  __builtin_prefetch(rewarp_ptx::generic(f + 64));
  release(lock, 1);
}
// ---- findings ----
// 48 noted cp.async.cg.shared.global.L2::128B
