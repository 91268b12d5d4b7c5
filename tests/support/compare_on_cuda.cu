// Compares the plain functions of rewarp_hip.h with NVIDIA's own, on an NVIDIA GPU: every pair of edge values, then
// millions of random inputs. Prints PASS or FAIL per function; exits 1 if one failed.
//   nvcc --extended-lambda -arch=native -I src/rewarp/translation/support tests/support/compare_on_cuda.cu -o compare
//   && ./compare
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define REWARP_HIP_PORTABLE_ONLY
#include "rewarp_hip.h"

struct Mismatch {
  unsigned long long count;
  unsigned a, b, c;
  unsigned long long theirs, ours;
};
static Mismatch* mismatch;  // in managed memory
static int failures = 0;
static const unsigned long long random_inputs = 1ull << 24;

__device__ const unsigned edges[] = {0u,          1u,          2u,          0x7fu,       0x80u,       0x81u,
                                     0xffu,       0x7fffu,     0x8000u,     0x8001u,     0xffffu,     0x10000u,
                                     0x7f7f7f7fu, 0x80808080u, 0x7fff7fffu, 0x80008000u, 0x00ff00ffu, 0xff00ff00u,
                                     0x7f800000u, 0xff800000u, 0x7f7fffffu, 0x7fffffffu, 0x80000000u, 0xffffffffu};
constexpr unsigned long long edge_count = sizeof(edges) / sizeof(edges[0]);
constexpr unsigned long long edge_inputs = edge_count * edge_count * edge_count;

__device__ unsigned mixed(unsigned long long x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<unsigned>(x ^ (x >> 31));
}

// Function: gives NVIDIA's result and ours for three words.
template <typename Function>
__global__ void compare(Function function, Mismatch* found) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < edge_inputs + random_inputs; i += stride) {
    const bool at_edge = i < edge_inputs;
    const unsigned a = at_edge ? edges[i % edge_count] : mixed(3 * i);
    const unsigned b = at_edge ? edges[i / edge_count % edge_count] : mixed(3 * i + 1);
    const unsigned c = at_edge ? edges[i / edge_count / edge_count] : mixed(3 * i + 2);
    unsigned long long theirs = 0, ours = 0;
    function(a, b, c, theirs, ours);
    if (theirs != ours && atomicAdd(&found->count, 1ull) == 0) {
      found->a = a, found->b = b, found->c = c;
      found->theirs = theirs, found->ours = ours;
    }
  }
}
static void check_cuda(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(status));
  std::exit(2);
}
static void report(const char* name) {
  check_cuda(cudaGetLastError());
  check_cuda(cudaDeviceSynchronize());
  if (mismatch->count == 0) {
    std::printf("PASS %s\n", name);
  } else {
    ++failures;
    std::printf("FAIL %s: %llu inputs differ, first (%08x, %08x, %08x): NVIDIA %llx, ours %llx\n", name,
                mismatch->count, mismatch->a, mismatch->b, mismatch->c, mismatch->theirs, mismatch->ours);
  }
  *mismatch = Mismatch();
}

#define COMPARE(LABEL, THEIRS, OURS)                                                                            \
  compare<<<256, 256>>>(                                                                                        \
      [] __device__(unsigned a, unsigned b, unsigned c, unsigned long long& theirs, unsigned long long& ours) { \
        (void)a, (void)b, (void)c;                                                                              \
        theirs = static_cast<unsigned long long>(THEIRS);                                                       \
        ours = static_cast<unsigned long long>(OURS);                                                           \
      },                                                                                                        \
      mismatch);                                                                                                \
  report(LABEL);

void simd() {
#define UNARY(NAME) COMPARE(#NAME, ::NAME(a), rewarp::NAME(a))
#define BINARY(NAME) COMPARE(#NAME, ::NAME(a, b), rewarp::NAME(a, b))
#define TERNARY(NAME) COMPARE(#NAME, ::NAME(a, b, c), rewarp::NAME(a, b, c))
#include "portable_functions.inc"
}

template <typename Function>
__device__ unsigned long long with_flag(Function function) {
  bool first = false;
  const unsigned chosen = static_cast<unsigned>(function(&first));
  return static_cast<unsigned long long>(first) << 32 | chosen;
}
template <typename Function>
__device__ unsigned long long with_flags(Function function) {
  bool high = false, low = false;
  const unsigned chosen = function(&high, &low);
  return static_cast<unsigned long long>(high) << 33 | static_cast<unsigned long long>(low) << 32 | chosen;
}
void minmax_that_says_which() {
#define WITH_FLAG(NAME)                                               \
  COMPARE(#NAME, with_flag([=](bool* p) { return ::NAME(a, b, p); }), \
          with_flag([=](bool* p) { return rewarp::NAME(a, b, p); }))
#define WITH_FLAGS(NAME)                                                           \
  COMPARE(#NAME, with_flags([=](bool* p, bool* q) { return ::NAME(a, b, p, q); }), \
          with_flags([=](bool* p, bool* q) { return rewarp::NAME(a, b, p, q); }))
  WITH_FLAG(__vibmax_s32)
  WITH_FLAG(__vibmax_u32)
  WITH_FLAG(__vibmin_s32)
  WITH_FLAG(__vibmin_u32)
  WITH_FLAGS(__vibmax_s16x2)
  WITH_FLAGS(__vibmax_u16x2)
  WITH_FLAGS(__vibmin_s16x2)
  WITH_FLAGS(__vibmin_u16x2)
}

void dot_products_and_bits(){
#define BOTH_SIGNS(NAME)                                                                         \
  COMPARE(#NAME " signed", ::NAME(int(a), int(b), int(c)), rewarp::NAME(int(a), int(b), int(c))) \
  COMPARE(#NAME " unsigned", ::NAME(a, b, c), rewarp::NAME(a, b, c))
    BOTH_SIGNS(__dp4a) BOTH_SIGNS(__dp2a_lo) BOTH_SIGNS(__dp2a_hi)
        COMPARE("__fns", ::__fns(a, b % 32, int(c % 65) - 32), rewarp::__fns(a, b % 32, int(c % 65) - 32))}

__device__ unsigned short bits(__nv_bfloat16 x) {
  return __bfloat16_as_ushort(x);
}
__device__ float float_of_bf16(unsigned a) {
  return __bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(a)));
}
__device__ unsigned long long wide(unsigned a, unsigned b) { return static_cast<unsigned long long>(a) << 32 | b; }

void bf16_conversions() {
#define FROM_BF16(KIND, TYPE, SUFFIX, MODE)                                                                       \
  COMPARE("__bfloat162" #KIND "_" #SUFFIX, __bfloat162##KIND##_##SUFFIX(__ushort_as_bfloat16((unsigned short)a)), \
          rewarp::float_to_integer<TYPE>(float_of_bf16(a), rewarp::Rounding::MODE))
#define TO_BF16(KIND, VALUE, SUFFIX, MODE)                                            \
  COMPARE("__" #KIND "2bfloat16_" #SUFFIX, bits(__##KIND##2bfloat16_##SUFFIX(VALUE)), \
          rewarp::integer_to_bf16(VALUE, rewarp::Rounding::MODE))
#define ROUNDING(SUFFIX, MODE)                                                              \
  FROM_BF16(short, short, SUFFIX, MODE)                                                     \
  FROM_BF16(ushort, unsigned short, SUFFIX, MODE)                                           \
  FROM_BF16(int, int, SUFFIX, MODE)                                                         \
  FROM_BF16(uint, unsigned, SUFFIX, MODE)                                                   \
  FROM_BF16(ll, long long, SUFFIX, MODE)                                                    \
  FROM_BF16(ull, unsigned long long, SUFFIX, MODE)                                          \
  TO_BF16(short, short(a), SUFFIX, MODE)                                                    \
  TO_BF16(ushort, (unsigned short)(a), SUFFIX, MODE)                                        \
  TO_BF16(int, int(a), SUFFIX, MODE)                                                        \
  TO_BF16(uint, a, SUFFIX, MODE)                                                            \
  TO_BF16(ll, (long long)(wide(a, b)), SUFFIX, MODE)                                        \
  TO_BF16(ull, wide(a, b), SUFFIX, MODE)                                                    \
  COMPARE("__float2bfloat16_" #SUFFIX, bits(__float2bfloat16_##SUFFIX(__uint_as_float(a))), \
          rewarp::float_bits_to_bf16(a, rewarp::Rounding::MODE))
  ROUNDING(rn, nearest)
  ROUNDING(rz, toward_zero)
  ROUNDING(rd, down)
  ROUNDING(ru, up)
  FROM_BF16(char, signed char, rz, toward_zero)
  FROM_BF16(uchar, unsigned char, rz, toward_zero)
}

// The random words, many times more than there are 16-bit numbers, reach all of these and all codes. Floats in and
// around the formats' range get runs of their own, with few low bits set: many lie half way between two numbers.
__device__ float near_range(unsigned a, unsigned b) {
  const unsigned low_bits = b % 3 == 0 ? 0u : b % 3 == 1 ? a & 0x7fffu : a & 1u;
  return __uint_as_float((a & 0x80000000u) | (95u + b % 50u) << 23 | (a & 0x7f8000u) | low_bits);
}
__device__ double near_range_double(unsigned a, unsigned b) {
  return __hiloint2double(__double2hiint(static_cast<double>(near_range(a, b))),
                          __double2loint(static_cast<double>(near_range(a, b))) | (b >> 8 & 1u));
}
__device__ double as_double(unsigned a, unsigned b) {
  return __hiloint2double(static_cast<int>(a), static_cast<int>(b));
}
__device__ __half_raw half_raw(unsigned a) { return __half_raw{static_cast<unsigned short>(a)}; }
__device__ __nv_bfloat16_raw bf16_raw(unsigned a) { return __nv_bfloat16_raw{static_cast<unsigned short>(a)}; }
__device__ unsigned char as_code(unsigned a) { return static_cast<unsigned char>(a); }
template <typename Fp8>
__device__ Fp8 fp8_from_code(unsigned a) {
  Fp8 x;
  x.__x = as_code(a);
  return x;
}

void fp8_conversions() {
#define TO_FP8(FORMAT, SATURATION)                                                                 \
  COMPARE("__nv_cvt_float_to_fp8 " #FORMAT " " #SATURATION,                                        \
          __nv_cvt_float_to_fp8(__uint_as_float(a), __NV_##SATURATION, __NV_##FORMAT),             \
          rewarp_cvt_float_to_fp8(__uint_as_float(a), REWARP_##SATURATION, REWARP_##FORMAT))       \
  COMPARE("__nv_cvt_float_to_fp8 in range " #FORMAT " " #SATURATION,                               \
          __nv_cvt_float_to_fp8(near_range(a, b), __NV_##SATURATION, __NV_##FORMAT),               \
          rewarp_cvt_float_to_fp8(near_range(a, b), REWARP_##SATURATION, REWARP_##FORMAT))         \
  COMPARE("__nv_cvt_double_to_fp8 " #FORMAT " " #SATURATION,                                       \
          __nv_cvt_double_to_fp8(as_double(a, b), __NV_##SATURATION, __NV_##FORMAT),               \
          rewarp_cvt_double_to_fp8(as_double(a, b), REWARP_##SATURATION, REWARP_##FORMAT))         \
  COMPARE("__nv_cvt_double_to_fp8 in range " #FORMAT " " #SATURATION,                              \
          __nv_cvt_double_to_fp8(near_range_double(a, b), __NV_##SATURATION, __NV_##FORMAT),       \
          rewarp_cvt_double_to_fp8(near_range_double(a, b), REWARP_##SATURATION, REWARP_##FORMAT)) \
  COMPARE("__nv_cvt_halfraw_to_fp8 " #FORMAT " " #SATURATION,                                      \
          __nv_cvt_halfraw_to_fp8(half_raw(a), __NV_##SATURATION, __NV_##FORMAT),                  \
          rewarp::to_fp8<5>(half_raw(a).x, REWARP_##SATURATION, REWARP_##FORMAT))                  \
  COMPARE("__nv_cvt_bfloat16raw_to_fp8 " #FORMAT " " #SATURATION,                                  \
          __nv_cvt_bfloat16raw_to_fp8(bf16_raw(a), __NV_##SATURATION, __NV_##FORMAT),              \
          rewarp::to_fp8<8>(bf16_raw(a).x, REWARP_##SATURATION, REWARP_##FORMAT))
#define FP8_AS(THEIRS, OURS, TYPE) \
  COMPARE(#TYPE " of " #THEIRS, static_cast<TYPE>(fp8_from_code<THEIRS>(a)), static_cast<TYPE>(fp8_from_code<OURS>(a)))
#define FROM_FP8(FORMAT, THEIRS, OURS)                                                                     \
  COMPARE("__nv_cvt_fp8_to_halfraw " #FORMAT, __nv_cvt_fp8_to_halfraw(as_code(a), __NV_##FORMAT).x,        \
          rewarp::fp8_to_half_bits(as_code(a), REWARP_##FORMAT))                                           \
  COMPARE("float of " #THEIRS, __float_as_uint(static_cast<float>(fp8_from_code<THEIRS>(a))),              \
          __float_as_uint(static_cast<float>(fp8_from_code<OURS>(a))))                                     \
  COMPARE("bf16 of " #THEIRS, bits(static_cast<__nv_bfloat16>(fp8_from_code<THEIRS>(a))),                  \
          rewarp::fp8_to_bf16_bits(as_code(a), REWARP_##FORMAT))                                           \
  COMPARE(#THEIRS " of int", THEIRS(int(a)).__x, OURS(int(a)).__x)                                         \
  COMPARE(#THEIRS " of small int", THEIRS(int(a % 2048) - 1024).__x, OURS(int(a % 2048) - 1024).__x)       \
  COMPARE(#THEIRS " of long long", THEIRS((long long)(wide(a, b))).__x, OURS((long long)(wide(a, b))).__x) \
  FP8_AS(THEIRS, OURS, bool)                                                                               \
  FP8_AS(THEIRS, OURS, char)                                                                               \
  FP8_AS(THEIRS, OURS, signed char)                                                                        \
  FP8_AS(THEIRS, OURS, unsigned char)                                                                      \
  FP8_AS(THEIRS, OURS, short)                                                                              \
  FP8_AS(THEIRS, OURS, unsigned short)                                                                     \
  FP8_AS(THEIRS, OURS, int)                                                                                \
  FP8_AS(THEIRS, OURS, unsigned)                                                                           \
  FP8_AS(THEIRS, OURS, long)                                                                               \
  FP8_AS(THEIRS, OURS, unsigned long)                                                                      \
  FP8_AS(THEIRS, OURS, long long)                                                                          \
  FP8_AS(THEIRS, OURS, unsigned long long)
  TO_FP8(E4M3, NOSAT)
  TO_FP8(E4M3, SATFINITE)
  TO_FP8(E5M2, NOSAT)
  TO_FP8(E5M2, SATFINITE)
  FROM_FP8(E4M3, __nv_fp8_e4m3, rewarp_fp8_e4m3)
  FROM_FP8(E5M2, __nv_fp8_e5m2, rewarp_fp8_e5m2)
}
void powers_of_two() {
#define TO_E8M0(SATURATION, THEIRS, OURS)                                                \
  COMPARE("__nv_cvt_float_to_e8m0 " #SATURATION " " #THEIRS,                             \
          __nv_cvt_float_to_e8m0(__uint_as_float(a), __NV_##SATURATION, THEIRS),         \
          rewarp_cvt_float_to_e8m0(__uint_as_float(a), REWARP_##SATURATION, OURS))       \
  COMPARE("__nv_cvt_double_to_e8m0 " #SATURATION " " #THEIRS,                            \
          __nv_cvt_double_to_e8m0(as_double(a, b), __NV_##SATURATION, THEIRS),           \
          rewarp_cvt_double_to_e8m0(as_double(a, b), REWARP_##SATURATION, OURS))         \
  COMPARE("__nv_cvt_double_to_e8m0 in range " #SATURATION " " #THEIRS,                   \
          __nv_cvt_double_to_e8m0(near_range_double(a, b), __NV_##SATURATION, THEIRS),   \
          rewarp_cvt_double_to_e8m0(near_range_double(a, b), REWARP_##SATURATION, OURS)) \
  COMPARE("__nv_cvt_bfloat16raw_to_e8m0 " #SATURATION " " #THEIRS,                       \
          __nv_cvt_bfloat16raw_to_e8m0(bf16_raw(a), __NV_##SATURATION, THEIRS),          \
          rewarp::bf16_bits_to_e8m0(bf16_raw(a).x, REWARP_##SATURATION, OURS))
  TO_E8M0(NOSAT, cudaRoundZero, REWARP_ROUND_ZERO)
  TO_E8M0(NOSAT, cudaRoundPosInf, REWARP_ROUND_POS_INF)
  TO_E8M0(SATFINITE, cudaRoundZero, REWARP_ROUND_ZERO)
  TO_E8M0(SATFINITE, cudaRoundPosInf, REWARP_ROUND_POS_INF)
  COMPARE("__nv_cvt_e8m0_to_bf16raw", __nv_cvt_e8m0_to_bf16raw(as_code(a)).x, rewarp::e8m0_to_bf16_bits(as_code(a)))
}

// Each lane offers its own number, so a shuffle gives the lane that it read from.
template <typename Function>
__global__ void compare_lanes(Function function, Mismatch* found) {
  const int lane = static_cast<int>(threadIdx.x);
  for (int width = 1; width <= 32; width *= 2) {
    for (int operand = -70; operand <= 70; ++operand) {
      int theirs = 0, ours = 0;
      function(lane, operand, width, theirs, ours);
      if (theirs != ours && atomicAdd(&found->count, 1ull) == 0) {
        found->a = lane, found->b = operand, found->c = width;
        found->theirs = theirs, found->ours = ours;
      }
    }
  }
}
void shuffles() {
#define COMPARE_LANES(NAME, LANE_OF)                                            \
  compare_lanes<<<1, 32>>>(                                                     \
      [] __device__(int lane, int operand, int width, int& theirs, int& ours) { \
        theirs = NAME(0xffffffffu, lane, operand, width);                       \
        ours = LANE_OF(lane, operand, width);                                   \
      },                                                                        \
      mismatch);                                                                \
  report(#NAME);
  COMPARE_LANES(__shfl_sync, rewarp::shfl_lane)
  COMPARE_LANES(__shfl_up_sync, rewarp::shfl_up_lane)
  COMPARE_LANES(__shfl_down_sync, rewarp::shfl_down_lane)
  COMPARE_LANES(__shfl_xor_sync, rewarp::shfl_xor_lane)
}

int main() {
  check_cuda(cudaMallocManaged(&mismatch, sizeof(Mismatch)));
  *mismatch = Mismatch();
  simd();
  minmax_that_says_which();
  dot_products_and_bits();
  bf16_conversions();
  fp8_conversions();
  powers_of_two();
  shuffles();
  std::printf(failures ? "%d functions differ\n" : "all functions agree\n", failures);
  return failures != 0;
}
