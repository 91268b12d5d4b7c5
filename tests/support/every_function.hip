// Uses every function that rewarp_hip.h supplies, as CUDA code calls it. Compiled, not run.
// HIP_FIRST: HIP's headers come before ours, as they do in a source that got the include later.
#if defined(HIP_FIRST)
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <hip/hip_bf16.h>
#include <hip/hip_cooperative_groups.h>
#endif
#include "rewarp_hip.h"
#include "rewarp_hip.h"
#include <stdint.h>

namespace cg = cooperative_groups;

typedef __device_builtin__ struct __builtin_align__(32) Eight { float x[8]; } Eight;
static_assert(alignof(Eight) == 32, "");
extern __cudart_builtin__ __device__ __nv_pure__ __inline_hint__ int same(int x);
__device__ __no_return__ void ends() {
  __trap();
  for (;;) {}
}

__host__ __device__ unsigned every_simd(unsigned a, unsigned b, unsigned c) {
  unsigned sum = 0;
  bool p, q;
#define UNARY(NAME) sum += NAME(a);
#define BINARY(NAME) sum += NAME(a, b);
#define TERNARY(NAME) sum += NAME(a, b, c);
#include "portable_functions.inc"
  sum += __vibmax_s32(a, b, &p) + __vibmin_s32(a, b, &q) + p + q;
  sum += __vibmax_u32(a, b, &p) + __vibmin_u32(a, b, &q) + p + q;
  sum += __vibmax_s16x2(a, b, &p, &q) + __vibmin_s16x2(a, b, &q, &p) + p + q;
  sum += __vibmax_u16x2(a, b, &p, &q) + __vibmin_u16x2(a, b, &q, &p) + p + q;
  return sum;
}
__global__ void simd(unsigned* out) { out[threadIdx.x] = every_simd(out[1], out[2], out[3]); }

__global__ void dot_products(int* i, unsigned* u) {
  i[6] = rewarp_rhadd(i[1], i[2]);
  u[6] = rewarp_uhadd(u[1], u[2]) + rewarp_urhadd(u[1], u[2]) + rewarp_sad(i[1], i[2], u[3]);
  i[0] = __dp4a(i[1], i[2], i[3]) + __dp2a_lo(i[1], i[2], i[3]) + __dp2a_hi(i[1], i[2], i[3]);
  u[0] = __dp4a(u[1], u[2], u[3]) + __dp2a_lo(u[1], u[2], u[3]) + __dp2a_hi(u[1], u[2], u[3]);
  const char4 bytes = make_char4(1, 2, 3, 4);
  const uchar4 unsigned_bytes = make_uchar4(1, 2, 3, 4);
  i[4] = __dp4a(bytes, bytes, i[5]) + __dp4a(unsigned_bytes, unsigned_bytes, u[5]);
  u[4] = __fns(u[0], 3, -2) + __ffsll(static_cast<long>(u[1])) + __ffsll(sizeof(int)) + __ffsll(1ull);
}

template <typename T, typename Mask>
__device__ void shuffles(T* data, Mask mask) {
  const unsigned lane = rewarp_lane_id();
  T value = data[lane];
  value = __shfl_sync(mask, value, 3);
  value = __shfl_sync(mask, value, lane + 1, 16);
  value = __shfl_up_sync(mask, value, 1);
  value = __shfl_up_sync(mask, value, 1, 8);
  value = __shfl_down_sync(mask, value, 1u);
  value = __shfl_down_sync(mask, value, 1, rewarp_warp_size);
  value = __shfl_xor_sync(mask, value, 16);
  value = __shfl_xor_sync(mask, value, 2, 4);
  data[lane] = value;
}
struct Pair {
  float value;
  int index;
};
__global__ void all_shuffles(int* i, unsigned* u, long* l, unsigned long* ul, long long* ll, unsigned long long* ull,
                             float* f, double* d, __half* h, __half2* h2, __hip_bfloat16* b, __hip_bfloat162* b2,
                             short* s, unsigned char* c, Pair* p) {
  shuffles(i, 0xffffffff);
  shuffles(u, -1);
  shuffles(l, ~0u);
  shuffles(l, ul[3]);
  shuffles(ul, u[3]);
  shuffles(ll, 0xffffffffu);
  shuffles(ull, 0xffffffff);
  shuffles(f, 0xffffffff);
  shuffles(d, 0xffffffff);
  shuffles(h, 0xffffffff);
  shuffles(h2, 0xffffffff);
  shuffles(b, 0xffffffff);
  shuffles(b2, 0xffffffff);
  shuffles(s, 0xffffffff);
  shuffles(c, 0xffffffff);
  shuffles(p, 0xffffffff);
  f[0] = rewarp_shfl(f[1], 3) + rewarp_shfl_up(f[2], 1) + rewarp_shfl_down(f[3], 1) + rewarp_shfl_xor(f[4], 1, 8);
  // 64-bit masks mean whole waves and are HIP's.
  f[1] = __shfl_sync(0xffffffffffffffffull, f[1], 3) + __shfl_xor_sync(~0ull, f[1], 32);
  f[2] = __shfl_up_sync(~0ull, f[1], 3) + __shfl_down_sync(~0ull, f[1], 32);
}

__global__ void votes(unsigned* u, float* f, double* d, long long* ll) {
  const unsigned mask = 0xffffffff;
  static_assert(sizeof(__ballot_sync(mask, 1)) == 4, "CUDA's ballot has 32 bits");
  static_assert(sizeof(__ballot_sync(~0ull, 1)) == 8, "HIP's has 64");
  u[0] = __popc(__ballot_sync(mask, u[0] > 3)) + __ffs(__ballot_sync(-1, u[0]));
  u[1] = __any_sync(mask, u[0]) + __all_sync(mask, u[0]) + __any_sync(-1, u[0]) + __all_sync(-1, u[0]);
  u[1] += __any_sync(~0ull, u[0]) + __all_sync(~0ull, u[0]);
  u[2] = __match_any_sync(mask, u[1]) + __match_any_sync(mask, f[1]) + __match_any_sync(-1, d[1]);
  int same;
  u[3] = __match_all_sync(mask, ll[1], &same) + same + __match_all_sync(-1, u[1], &same) + same;
  u[4] = rewarp_activemask() + rewarp_ballot(u[1]) + rewarp_any(u[1]) + rewarp_all(u[2]);
  u[5] =
      rewarp_lanemask_eq() + rewarp_lanemask_lt() + rewarp_lanemask_le() + rewarp_lanemask_gt() + rewarp_lanemask_ge();
  __syncwarp();
  __syncwarp(mask);
  __syncwarp(-1);
  __syncwarp(~0ull);
  const int value = u[6];
  u[7] = __reduce_add_sync(mask, u[6]) + __reduce_min_sync(mask, u[6]) + __reduce_max_sync(mask, u[6]);
  u[8] = __reduce_add_sync(mask, value) + __reduce_min_sync(-1, value) + __reduce_max_sync(mask, value);
  u[9] = __reduce_and_sync(mask, u[6]) + __reduce_or_sync(mask, u[6]) + __reduce_xor_sync(-1, u[6]);
}

__global__ void traps_and_clocks(unsigned long long* t) {
  t[0] = rewarp_globaltimer();
  __nanosleep(100);
  __prof_trigger(1);
  if (t[0] == 1) __trap();
  if (t[0] == 2) __brkpt();
}

__global__ void address_spaces(unsigned long long* out, int* pointer) {
  __shared__ int shared[4];
  shared[threadIdx.x & 3] = 1;
  out[0] = __cvta_generic_to_shared(shared) + __cvta_generic_to_global(pointer);
  out[1] = *static_cast<int*>(__cvta_shared_to_generic(out[0]));
  out[2] = *static_cast<int*>(__cvta_global_to_generic(out[0]));
  out[3] = __isShared(pointer) + __isGlobal(pointer) + __isLocal(pointer);
}

template <typename T>
__device__ void cache_hints(T* p) {
  __stcs(p, __ldcs(p + 1));
  __stcg(p + 2, __ldcg(p + 3));
  __stwb(p + 4, __ldca(p + 5));
  __stwt(p + 6, __ldcv(p + 7));
  __stcs(p + 8, __ldlu(p + 9));
  __stcs(p + 10, __ldg(p + 11));
}
__global__ void all_cache_hints(char* c, short* s, float* f, float2* f2, float4* f4, double2* d2, long long* ll,
                                __half* h, __half2* h2, __hip_bfloat16* b, __hip_bfloat162* b2, uint4* u4, int* i) {
  cache_hints(c), cache_hints(s), cache_hints(f), cache_hints(f2), cache_hints(f4), cache_hints(d2), cache_hints(ll);
  cache_hints(h), cache_hints(h2), cache_hints(b), cache_hints(b2), cache_hints(u4);
  __stcs(f, 1);
  const int* constant = i;
  i[0] = __ldcs(constant + 1) + __ldg(constant + 2);
}

__global__ void asynchronous_copies(float4* p) {
  __pipeline_memcpy_async(p, p + 1, 16);
  __pipeline_memcpy_async(p, p + 1, 16, 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

__global__ void directed_rounding(float* f, double* d) {
  const float x = f[0], y = f[1], z = f[2];
  f[3] = __fadd_rd(x, y) + __fadd_ru(x, y) + __fadd_rz(x, y) + __fsub_rd(x, y) + __fsub_ru(x, y) + __fsub_rz(x, y);
  f[4] = __fmul_rd(x, y) + __fmul_ru(x, y) + __fmul_rz(x, y) + __fmaf_rd(x, y, z) + __fmaf_ru(x, y, z);
  f[5] = __fmaf_rz(x, y, z) + __fmaf_ieee_rn(x, y, z) + __tanhf(x) + __fadd_rn(x, y) + __fmaf_rn(x, y, z);
  const double a = d[0], b = d[1], c = d[2];
  d[3] = __dadd_rd(a, b) + __dadd_ru(a, b) + __dadd_rz(a, b) + __dsub_rd(a, b) + __dsub_ru(a, b) + __dsub_rz(a, b);
  d[4] =
      __dmul_rd(a, b) + __dmul_ru(a, b) + __dmul_rz(a, b) + __fma_rd(a, b, c) + __fma_ru(a, b, c) + __fma_rz(a, b, c);
  d[5] = fdivide(a, b) + __dadd_rn(a, b);
}

__global__ void minimum_and_maximum(__grid_constant__ const int n, unsigned* u, long long* ll,
                                    unsigned long long* ull) {
  rewarp::of_std::swap(u[4], u[5]);
  u[6] = rewarp::of_std::exchange(u[7], 1u);
  u[0] = umin(u[1], n) + umax(u[2], n) + rewarp::ceil_div(n, 3u) + ::rewarp::ceil_div<unsigned>(u[3], n);
  u[1] = rewarp::round_up(u[1], n) + rewarp::round_down(u[2], 3u) + rewarp::is_power_of_two(u[3]);
  u[2] = rewarp::ilog2(n) + rewarp::ceil_ilog2(u[4]) + rewarp::next_power_of_two(u[5]) + rewarp::prev_power_of_two(ll[3]);
  cudaGridDependencySynchronize();
  u[min(n, threadIdx.x)] = u[max(3u, n)] + u[min(3l, 4ul)] + u[max(4ull, 3ll)] + u[min(n, 3)] + u[max(3u, 4u)];
  ll[0] = llmin(ll[1], n) + llmax(ll[2], n);
  cudaTriggerProgrammaticLaunchCompletion();
  ull[0] = ullmin(ull[1], n) + ullmax(ull[2], n);
}

template <typename T>
__device__ void integer_block_atomics(T* p) {
  p[1] = atomicAdd_block(p, 1) + atomicSub_block(p, 1) + atomicMin_block(p, 1) + atomicMax_block(p, 1);
  p[2] = atomicAnd_block(p, 1) + atomicOr_block(p, 1) + atomicXor_block(p, 1) + atomicExch_block(p, 1);
  p[3] = atomicCAS_block(p, 1, 2);
}
__global__ void errors(hipError_t error, const char** text) { *text = rewarp_error_text(error); }
template <typename T>
__device__ void ordered_atomics(T* p) {
  T seen = __nv_atomic_load_n(p, __NV_ATOMIC_ACQUIRE), next = 2;
  __nv_atomic_load(p, &seen, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_THREAD);
  __nv_atomic_store_n(p, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_store(p, &seen, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_CLUSTER);
  p[1] = __nv_atomic_exchange_n(p, 1, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_exchange(p, &next, &seen, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
  __nv_atomic_compare_exchange_n(p, &seen, 3, true, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED);
  __nv_atomic_compare_exchange(p, &seen, &next, false, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_CONSUME);
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
}
template <typename T>
__device__ void ordered_arithmetic(T* p) {
  p[2] = __nv_atomic_fetch_add(p, 1, __NV_ATOMIC_RELAXED) + __nv_atomic_fetch_sub(p, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_add(p, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_sub(p, 1, __NV_ATOMIC_RELAXED);
}
template <typename T>
__device__ void ordered_integer_arithmetic(T* p) {
  p[3] = __nv_atomic_fetch_and(p, 1, __NV_ATOMIC_RELAXED) + __nv_atomic_fetch_or(p, 1, __NV_ATOMIC_RELAXED);
  p[4] = __nv_atomic_fetch_min(p, 1, __NV_ATOMIC_RELAXED) + __nv_atomic_fetch_max(p, 1, __NV_ATOMIC_RELAXED);
  p[5] = __nv_atomic_fetch_xor(p, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_and(p, 1, __NV_ATOMIC_RELAXED), __nv_atomic_or(p, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_xor(p, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_min(p, 1, __NV_ATOMIC_RELAXED), __nv_atomic_max(p, 1, __NV_ATOMIC_RELAXED);
}
__global__ void atomics(int* i, unsigned* u, unsigned long long* ull, float* f, double* d, unsigned short* s, __half* h,
                        __half2* h2, __hip_bfloat16* b, __hip_bfloat162* b2) {
  integer_block_atomics(i), integer_block_atomics(u), integer_block_atomics(ull);
  ordered_atomics(i), ordered_atomics(ull), ordered_atomics(f);
  ordered_arithmetic(i), ordered_arithmetic(ull), ordered_arithmetic(f), ordered_arithmetic(d);
  ordered_integer_arithmetic(i), ordered_integer_arithmetic(ull);
  u[4] = atomicInc_block(u, 7) + atomicDec_block(u, 7) + atomicInc_system(u, 7) + atomicDec_system(u, 7);
  f[1] = atomicAdd_block(f, 1.0f) + atomicExch_block(f, 2.0f) + atomicAdd(f, 1.0f);
  d[1] = atomicAdd_block(d, 1.0) + atomicAdd(d, 1.0);
  s[1] = atomicCAS(s, static_cast<unsigned short>(1), static_cast<unsigned short>(2));
  h[1] = atomicAdd(h, h[2]);
  h2[1] = atomicAdd(h2, h2[2]);
  b[1] = atomicAdd(b, b[2]);
  b2[1] = atomicAdd(b2, b2[2]);
}

template <typename T, typename T2>
__device__ unsigned both_types(T* p, T2* q) {
  const T a = p[0], b = p[1], c = p[2];
  p[3] = __hadd_rn(a, b), p[4] = __hsub_rn(a, b), p[5] = __hmul_rn(a, b), p[6] = __hfma_relu(a, b, c);
  p[7] = __hmax_nan(a, b), p[8] = __hmin_nan(a, b), p[9] = htanh(a), p[10] = htanh_approx(a);
  p[11] = __hadd_sat(a, b), p[12] = __hsub_sat(a, b), p[13] = __hmul_sat(a, b), p[14] = __hfma_sat(a, b, c);
  const T2 x = q[0], y = q[1], z = q[2];
  q[3] = __hadd2_rn(x, y), q[4] = __hsub2_rn(x, y), q[5] = __hmul2_rn(x, y), q[6] = __hfma2_relu(x, y, z);
  q[7] = __hadd2_sat(x, y), q[8] = __hsub2_sat(x, y), q[9] = __hmul2_sat(x, y), q[10] = __hfma2_sat(x, y, z);
  q[11] = __hmax2(x, y), q[12] = __hmin2(x, y), q[13] = __hmax2_nan(x, y), q[14] = __hmin2_nan(x, y);
  q[15] = __hcmadd(x, y, z), q[16] = h2tanh(x), q[17] = h2tanh_approx(x);
#define COMPARE(NAME) sum += __h##NAME##2_mask(x, y), q[18] = __h##NAME##2(x, y);
  unsigned sum = 0;
  COMPARE(eq)
  COMPARE(ne)
  COMPARE(le) COMPARE(ge) COMPARE(lt) COMPARE(gt) COMPARE(equ) COMPARE(neu) COMPARE(leu) COMPARE(geu) COMPARE(ltu)
      COMPARE(gtu) return sum;
}
__global__ void halves(__half* h, __half2* h2, __hip_bfloat16* b, __hip_bfloat162* b2, unsigned* u, double* d) {
  u[0] = both_types(h, h2) + both_types(b, b2);
  h[20] = __double2half(d[0]);
  u[1] = __half2char_rz(h[0]) + __half2uchar_rz(h[1]);
}

__host__ __device__ unsigned long long bf16_conversions(float f, __hip_bfloat16* b, __hip_bfloat162* b2) {
  b[0] = __float2bfloat16_rn(f), b[1] = __float2bfloat16_rz(f), b[2] = __float2bfloat16_rd(f),
  b[3] = __float2bfloat16_ru(f);
  b2[0] = __float2bfloat162_rn(f), b2[1] = __floats2bfloat162_rn(f, f), b2[2] = make_bfloat162(b[0], b[1]);
  unsigned long long sum = __bfloat162char_rz(b[0]) + __bfloat162uchar_rz(b[0]);
#define CONVERT(NAME, SUFFIX) sum += __bfloat162##NAME##_##SUFFIX(b[0]), b[4] = __##NAME##2bfloat16_##SUFFIX(sum);
#define CONVERT_ALL(SUFFIX) \
  CONVERT(short, SUFFIX)    \
  CONVERT(ushort, SUFFIX) CONVERT(int, SUFFIX) CONVERT(uint, SUFFIX) CONVERT(ll, SUFFIX) CONVERT(ull, SUFFIX)
  CONVERT_ALL(rn) CONVERT_ALL(rz) CONVERT_ALL(rd) CONVERT_ALL(ru) return sum;
}
__global__ void bf16(float* f, __hip_bfloat16* b, __hip_bfloat162* b2, unsigned long long* out) {
  out[0] = bf16_conversions(f[0], b, b2);
}

template <typename Fp8, typename Fp8x2, typename Fp8x4>
__host__ __device__ float fp8_types(float* f, __half h, __half2 h2, __hip_bfloat16 b, __hip_bfloat162 b2) {
  Fp8 x = Fp8(f[0]);
  x = Fp8(1.0), x = Fp8(1), x = Fp8(1u), x = Fp8(1l), x = Fp8(1ul), x = Fp8(1ll), x = Fp8(1ull), x = Fp8(h), x = Fp8(b);
  x = Fp8(static_cast<short>(1)), x = Fp8(static_cast<unsigned short>(1)), x = Fp8('a'), x = Fp8(true);
  f[1] = static_cast<float>(x) + static_cast<double>(x) + static_cast<int>(x) + static_cast<unsigned>(x);
  f[2] = static_cast<short>(x) + static_cast<unsigned short>(x) + static_cast<char>(x) + static_cast<unsigned char>(x);
  f[3] = static_cast<long>(x) + static_cast<unsigned long>(x) + static_cast<long long>(x) + static_cast<signed char>(x);
  f[4] = static_cast<unsigned long long>(x) + (x ? 1 : 0) + __half2float(static_cast<__half>(x));
  f[5] = __half2float(__half(x)) + __bfloat162float(static_cast<__hip_bfloat16>(x)) + x.__x;
  Fp8x2 pair = Fp8x2(make_float2(f[0], f[1]));
  pair = Fp8x2(make_double2(1, 2)), pair = Fp8x2(h2), pair = Fp8x2(b2);
  const float2 two = static_cast<float2>(pair);
  const __half2 halves = static_cast<__half2>(pair);
  Fp8x4 four = Fp8x4(make_float4(f[0], f[1], f[2], f[3]));
  four = Fp8x4(make_double4(1, 2, 3, 4)), four = Fp8x4(h2, halves), four = Fp8x4(b2, b2);
  const float4 all = static_cast<float4>(four);
  static_assert(sizeof(Fp8) == 1 && sizeof(Fp8x2) == 2 && alignof(Fp8x2) == 2, "laid out like CUDA's");
  static_assert(sizeof(Fp8x4) == 4 && alignof(Fp8x4) == 4, "laid out like CUDA's");
  static_assert(__is_trivially_copyable(Fp8) && __is_trivially_copyable(Fp8x4), "copied by memcpy");
  static_assert(!__is_convertible(float, Fp8) && !__is_convertible(Fp8, float), "explicit, as in CUDA");
  return two.x + two.y + all.x + all.w + pair.__x + four.__x;
}
__host__ __device__ unsigned fp8_functions(float f, __half h, __half2 h2, __hip_bfloat16 b, __hip_bfloat162 b2,
                                           rewarp_saturation_t sat, rewarp_fp8_interpretation_t format) {
  rewarp_fp8_storage_t code = rewarp_cvt_float_to_fp8(f, REWARP_SATFINITE, REWARP_E4M3);
  code += rewarp_cvt_float_to_fp8(f, REWARP_NOSAT, REWARP_E5M2) + rewarp_cvt_double_to_fp8(f, sat, format);
  code += rewarp_cvt_halfraw_to_fp8(h, sat, format) + rewarp_cvt_bfloat16raw_to_fp8(b, sat, format);
  rewarp_fp8x2_storage_t pair = rewarp_cvt_float2_to_fp8x2(make_float2(f, f), sat, format);
  pair += rewarp_cvt_double2_to_fp8x2(make_double2(f, f), sat, format) + rewarp_cvt_halfraw2_to_fp8x2(h2, sat, format);
  pair += rewarp_cvt_bfloat16raw2_to_fp8x2(b2, sat, format);
  const __half_raw half_raw = rewarp_cvt_fp8_to_halfraw(code, format);
  const __half2 halves = rewarp_cvt_fp8x2_to_halfraw2(pair, format);
  const rewarp_round_mode up = REWARP_ROUND_POS_INF;
  code += rewarp_cvt_float_to_e8m0(f, sat, up) + rewarp_cvt_double_to_e8m0(f, sat, REWARP_ROUND_ZERO);
  code += rewarp_cvt_bfloat16raw_to_e8m0(b, sat, up);
  pair += rewarp_cvt_float2_to_e8m0x2(make_float2(f, f), sat, up) + rewarp_cvt_bfloat162raw_to_e8m0x2(b2, sat, up);
  pair += rewarp_cvt_double2_to_e8m0x2(make_double2(f, f), sat, up);
  const __hip_bfloat16 power = rewarp_cvt_e8m0_to_bf16raw(code);
  const __hip_bfloat162 powers = rewarp_cvt_e8m0x2_to_bf162raw(pair);
  return code + pair + half_raw.x + static_cast<__half_raw>(__low2half(halves)).x + (__bfloat162float(power) > 1) +
         (__low2float(powers) > 1);
}
__global__ void fp8(float* f, __half* h, __half2* h2, __hip_bfloat16* b, __hip_bfloat162* b2, rewarp_fp8_e4m3* x,
                    unsigned* u) {
  f[6] = fp8_types<rewarp_fp8_e4m3, rewarp_fp8x2_e4m3, rewarp_fp8x4_e4m3>(f, h[0], h2[0], b[0], b2[0]);
  f[7] = fp8_types<rewarp_fp8_e5m2, rewarp_fp8x2_e5m2, rewarp_fp8x4_e5m2>(f, h[0], h2[0], b[0], b2[0]);
  u[0] = fp8_functions(f[0], h[0], h2[0], b[0], b2[0], u[1] ? REWARP_SATFINITE : REWARP_NOSAT, REWARP_E5M2);
  __shared__ rewarp_fp8_e4m3 shared[64];
  shared[threadIdx.x] = x[threadIdx.x];
  __stcs(x, rewarp_shfl_xor(shared[3], 1));
}

template <typename Group>
__device__ void group_functions(const Group& group, int* i, float* f, double* d, Pair* p) {
  f[0] = cg::reduce(group, f[1], cg::plus<float>());
  d[0] = cg::reduce(group, d[1], cg::greater<double>());
  i[0] = cg::reduce(group, i[1], cg::less<int>()) + cg::reduce(group, i[1], cg::bit_and<int>());
  i[2] = cg::reduce(group, i[1], cg::bit_or<int>()) + cg::reduce(group, i[1], cg::bit_xor<int>());
  p[0] = cg::reduce(group, p[1], [](Pair x, Pair y) { return x.value > y.value ? x : y; });
  i[3] = cg::inclusive_scan(group, i[1]) + cg::exclusive_scan(group, i[1]);
  f[3] = cg::inclusive_scan(group, f[1], cg::plus<float>()) + cg::exclusive_scan(group, f[1], cg::plus<float>());
  auto part = cg::labeled_partition(group, i[4]);
  i[5] = part.size() + part.thread_rank() + cg::binary_partition(group, i[4] > 3).size();
}
__global__ void groups(int* i, float* f, double* d, Pair* p) {
  __shared__ float buffer[64];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, buffer, f, sizeof(float) * 64);
  cg::memcpy_async(block, buffer, 64, f, 32);
  cg::wait(block);
  cg::wait_prior<1>(block);
  cg::invoke_one(block, [=]() { f[9] = buffer[3]; });
  auto tile = cg::tiled_partition<32>(block);
  group_functions(tile, i, f, d, p);
  group_functions(cg::tiled_partition<8>(block), i, f, d, p);
  if (i[7] > 3) group_functions(cg::coalesced_threads(), i, f, d, p);
  if (i[7] > 4) group_functions(rewarp_warp_group(cg::coalesced_threads()), i, f, d, p);
  i[8] = tile.meta_group_rank() + tile.meta_group_size();
}

namespace project {
using namespace cooperative_groups;
__device__ float reduce(const float* values, size_t count, double start) { return values[count - 1] + start; }
__device__ int wait(unsigned turns) { return turns; }
__global__ void keeps_its_own_names(float* f) { f[0] = reduce(f, 3, 1) + wait(2); }
}  // namespace project

template <typename T>
__global__ void kernel(T* p) {
  *p = T(1);
}

#if !defined(__HIPCC_RTC__)
hipError_t host_calls(float* pointer, hipStream_t stream) {
  hipFuncAttributes attributes;
  hipMemLocation here;
  here.type = hipMemLocationTypeHost;
  here.id = 0;
  int count = 0;
  count += hipFuncSetAttribute(kernel<float>, hipFuncAttributeMaxDynamicSharedMemorySize, 65536);
  count += hipFuncSetAttribute(groups, hipFuncAttributeMaxDynamicSharedMemorySize, 65536);
  count +=
      hipFuncSetAttribute(reinterpret_cast<const void*>(groups), hipFuncAttributeMaxDynamicSharedMemorySize, 65536);
  count += hipFuncSetCacheConfig(kernel<int>, hipFuncCachePreferL1);
  count += hipFuncSetSharedMemConfig(groups, hipSharedMemBankSizeEightByte);
  count += hipFuncGetAttributes(&attributes, kernel<double>);
  count += hipMemPrefetchAsync(pointer, 4, here, 0, stream) + hipMemPrefetchAsync(pointer, 4, 0, stream);
  count += hipMemAdvise(pointer, 4, hipMemAdviseSetReadMostly, here) +
           hipMemAdvise(pointer, 4, hipMemAdviseSetReadMostly, 0);
  float* out = nullptr;
  void* untyped;
  size_t pitch;
  hipDeviceptr_t device_pointer = nullptr;
  device_pointer = rewarp_bytes(device_pointer) + 4;
  count += rewarp_address(device_pointer) % 256 + rewarp_address(5) % 2 + (rewarp_bytes(pointer) + 1 - pointer);
  count += hipHostAlloc(&out, 4, hipHostMallocMapped) + hipMallocHost(&out, 4) + hipMallocPitch(&out, &pitch, 4, 4);
  count += hipHostAlloc(&untyped, 4, hipHostMallocMapped) + hipMallocHost(&untyped, 4);
  count += hipHostGetDevicePointer(&out, pointer, 0) + hipHostGetDevicePointer(&untyped, pointer, 0);
  return static_cast<hipError_t>(count);
}

template <typename T, typename Sum, int m, int n, int depth>
__global__ void matrices(const T* a, const T* b, Sum* c) {
  namespace wmma = nvcuda::wmma;
  wmma::fragment<wmma::matrix_a, m, n, depth, T, wmma::col_major> left;
  wmma::fragment<wmma::matrix_b, m, n, depth, T, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, m, n, depth, Sum> sum;
  wmma::load_matrix_sync(left, a, m);
  wmma::load_matrix_sync(right, b, n);
  wmma::load_matrix_sync(sum, c, n, wmma::mem_row_major);
  wmma::mma_sync(sum, left, right, sum);
  wmma::fill_fragment(left, 0.0f);
  wmma::store_matrix_sync(c, sum, n, wmma::mem_row_major);
}
template __global__ void matrices<__half, float, 16, 16, 16>(const __half*, const __half*, float*);
template __global__ void matrices<__half, __half, 32, 8, 16>(const __half*, const __half*, __half*);
template __global__ void matrices<__hip_bfloat16, float, 8, 32, 16>(const __hip_bfloat16*, const __hip_bfloat16*, float*);
__global__ void as_tf32(float* x) { *x = nvcuda::wmma::__float_to_tf32(*x); }

__host__ __device__ float on_both_sides(int x) { return rsqrtf(x) + rsqrt(2.0) + rcbrtf(x) + rcbrt(2.0); }
double on_the_host(float x) { return normcdff(x) + normcdf(2.0) + on_both_sides(3); }

void CUDART_CB callback(void*) {}
const char* name_of(hipError_t error) {
  switch (error) {
    case hipSuccess: return "success";
    case cudaErrorMisalignedAddress: return "misaligned address";
    case CUDA_ERROR_NOT_PERMITTED: return "not permitted";
    default: return "another";
  }
}
#endif

// Arithmetic of half on the host, where HIP has none of it.
__host__ int half_on_the_host(__half a, __half b) {
  const __half c = __hdiv(a, b);
  return __heq(c, b) + __hne(c, b) + __hlt(c, b) + __hle(c, b) + __hgt(c, b) + __hge(c, b);
}
