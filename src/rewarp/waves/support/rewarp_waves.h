// rewarp_waves.h: one source for waves of 32 and of 64 lanes.
//
// NVIDIA's compiler sees macros only, and each stands for the very tokens that it replaced: nothing changes there.
// On AMD there are two ways to write warp code, and a function keeps to one of them:
//
// - rewarp_warp32_...: CUDA's warps of 32 lanes. On a 64-wide wave each half is one warp, so 32-bit masks, lane numbers,
//   shared arrays and launch shapes stay right as they are. What cannot be kept: the two warps of a wave run in
//   lock step, so one may not spin waiting for the other.
// - REWARP_WAVE_..., rewarp_wave_...: the whole wave, 64 lanes on CDNA and 32 on RDNA, with 64-bit masks.
//
// Written by `rewarp waves`.
#ifndef REWARP_WAVES_H
#define REWARP_WAVES_H

#if defined(__HIP_PLATFORM_AMD__) || defined(__HIP__)
#include <hip/hip_runtime.h>

#if defined(__AMDGCN_WAVEFRONT_SIZE__)
#define REWARP_WAVE_LANES __AMDGCN_WAVEFRONT_SIZE__
#elif defined(__AMDGCN_WAVEFRONT_SIZE)
#define REWARP_WAVE_LANES __AMDGCN_WAVEFRONT_SIZE
#elif defined(__AMDGCN__) && !defined(__GFX8__) && !defined(__GFX9__)
#define REWARP_WAVE_LANES 32
#else
#define REWARP_WAVE_LANES 64  // CDNA; and the host, where it is the most that any device has
#endif

// Each macro is given what NVIDIA's compiler goes on seeing, and is something else here.
#define REWARP_WAVE_SIZE(thirty_two) REWARP_WAVE_LANES
#define REWARP_WAVE_MOST(thirty_two) 64
#define REWARP_WAVE_LAST(thirty_one) (REWARP_WAVE_LANES - 1)
#define REWARP_WAVE_HALF(sixteen) (REWARP_WAVE_LANES / 2)
#define REWARP_WAVE_LOG2(five) (REWARP_WAVE_LANES == 64 ? 6 : 5)
#define REWARP_WAVE_BITS(type) unsigned long long
#define REWARP_WAVE_ONE(one) 1ull
#define REWARP_WAVE_ALL(ones) (~0ull >> (64 - REWARP_WAVE_LANES))
#define rewarp_wave_popc __builtin_popcountll
#define rewarp_wave_ffs __builtin_ffsll

constexpr int rewarp_warp32_lanes = 32;
// A device's property warpSize, on the side of the host.
#define rewarp_warp32_width(device_property) 32
// Behind the arguments of hipCUB's warp classes, which are as wide as the wave unless they are told.
#define REWARP_WARP32_LANES , 32
#define REWARP_WARP32_LOAD , ::hipcub::WARP_LOAD_DIRECT, 32
#define REWARP_WARP32_STORE , ::hipcub::WARP_STORE_DIRECT, 32

#if defined(__HIP__)  // not a host compiler that only sees HIP's runtime
#define REWARP_DEVICE_INLINE __device__ inline __attribute__((always_inline))

// HIP 6's own __ballot asks through a comparison that clang 22 takes for another where the predicate is `isfinite(x)`:
// NaN counts as finite then.
#if __has_builtin(__builtin_amdgcn_ballot_w64)
#define REWARP_BALLOT(predicate) __builtin_amdgcn_ballot_w64((predicate) != 0)
#else
#define REWARP_BALLOT(predicate) __ballot(predicate)
#endif

// Around what is done while a lock is held: one lane of the wave after another, or one warp after the other.
#define REWARP_WARP32_LANES_IN_TURN                                                                   \
  for (unsigned long long rewarp_turns = __ballot(1); rewarp_turns; rewarp_turns &= rewarp_turns - 1) \
    if ((rewarp_turns & (0 - rewarp_turns)) == 1ull << __lane_id()) {
#define REWARP_WARP32_WARPS_IN_TURN                                            \
  for (unsigned rewarp_turn = 0; rewarp_turn < 64; rewarp_turn += 32) \
    if ((__lane_id() & 32u) == rewarp_turn) {
#define REWARP_WARP32_TURN_ENDS }
// Between steps through shared memory that count on lanes in lock step.
#define REWARP_WARP32_STEP rewarp_waves::sync();

namespace rewarp_waves {
// Values of any size move between lanes as 32-bit words.
template <typename T, typename Move>
REWARP_DEVICE_INLINE T by_words(T value, Move move) {
  constexpr int count = (sizeof(T) + 3) / 4;
  int words[count] = {};
  __builtin_memcpy(words, static_cast<const void*>(&value), sizeof(T));
  for (int i = 0; i < count; ++i) words[i] = move(words[i]);
  __builtin_memcpy(static_cast<void*>(&value), words, sizeof(T));
  return value;
}
template <typename T>
REWARP_DEVICE_INLINE T shfl(T value, int source, int width) {
  return by_words(value, [=](int word) { return __shfl(word, source, width); });
}
template <typename T>
REWARP_DEVICE_INLINE T shfl_up(T value, unsigned delta, int width) {
  return by_words(value, [=](int word) { return __shfl_up(word, delta, width); });
}
template <typename T>
REWARP_DEVICE_INLINE T shfl_down(T value, unsigned delta, int width) {
  return by_words(value, [=](int word) { return __shfl_down(word, delta, width); });
}
template <typename T>
REWARP_DEVICE_INLINE T shfl_xor(T value, int lanes, int width) {
  return by_words(value, [=](int word) { return __shfl_xor(word, lanes, width); });
}
template <typename To, typename From>
REWARP_DEVICE_INLINE To as(From value) {
  static_assert(sizeof(To) == sizeof(From), "the bits of a register");
  To bits;
  __builtin_memcpy(&bits, &value, sizeof(To));
  return bits;
}
template <typename T>
REWARP_DEVICE_INLINE T add(T x, T y) {  // of integers, which wrap around
  return static_cast<T>(static_cast<unsigned long long>(x) + static_cast<unsigned long long>(y));
}
template <typename T>
REWARP_DEVICE_INLINE T fadd(T x, T y) {
#if defined(__clang__)
#pragma clang fp contract(off)
#endif
  return x + y;
}
template <typename Group>
struct Warp32 : Group {
  REWARP_DEVICE_INLINE explicit Warp32(unsigned long long lanes) : Group(lanes) {}
};
template <typename T>
REWARP_DEVICE_INLINE bool same_bits(T one, T other) {  // device code has no memcmp to call
  constexpr int count = (sizeof(T) + 3) / 4;
  int left[count] = {}, right[count] = {};
  __builtin_memcpy(left, static_cast<const void*>(&one), sizeof(T));
  __builtin_memcpy(right, static_cast<const void*>(&other), sizeof(T));
  int differing = 0;
  for (int i = 0; i < count; ++i) differing |= left[i] ^ right[i];
  return differing == 0;
}
REWARP_DEVICE_INLINE void sync() {
#if __has_builtin(__builtin_amdgcn_wave_barrier)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#elif defined(__HIP_DEVICE_COMPILE__)
  __syncwarp();
#endif
}
}  // namespace rewarp_waves

// ------------------------------------------------------------ warps of 32 lanes
REWARP_DEVICE_INLINE unsigned rewarp_warp32_ballot(int predicate) {
  const unsigned long long wave = REWARP_BALLOT(predicate);
  return static_cast<unsigned>(wave >> (__lane_id() & 32u));
}
REWARP_DEVICE_INLINE unsigned rewarp_warp32_activemask() { return rewarp_warp32_ballot(1); }
REWARP_DEVICE_INLINE int rewarp_warp32_any(int predicate) { return rewarp_warp32_ballot(predicate) != 0; }
REWARP_DEVICE_INLINE int rewarp_warp32_all(int predicate) { return rewarp_warp32_ballot(!predicate) == 0; }
REWARP_DEVICE_INLINE unsigned rewarp_warp32_ballot_sync(unsigned mask, int predicate) {
  return rewarp_warp32_ballot(predicate) & mask;
}
REWARP_DEVICE_INLINE int rewarp_warp32_any_sync(unsigned mask, int predicate) {
  return rewarp_warp32_ballot_sync(mask, predicate) != 0;
}
REWARP_DEVICE_INLINE int rewarp_warp32_all_sync(unsigned mask, int predicate) {
  return rewarp_warp32_ballot_sync(mask, !predicate) == 0;
}
REWARP_DEVICE_INLINE void rewarp_warp32_syncwarp(unsigned = 0xffffffffu) { rewarp_waves::sync(); }

template <typename T>
REWARP_DEVICE_INLINE T rewarp_warp32_shfl(T value, int source, int width = 32) {
  return rewarp_waves::shfl(value, source, width);
}
template <typename T>
REWARP_DEVICE_INLINE T rewarp_warp32_shfl_up(T value, unsigned delta, int width = 32) {
  return rewarp_waves::shfl_up(value, delta & 31u, width);
}
template <typename T>
REWARP_DEVICE_INLINE T rewarp_warp32_shfl_down(T value, unsigned delta, int width = 32) {
  return rewarp_waves::shfl_down(value, delta & 31u, width);
}
template <typename T>
REWARP_DEVICE_INLINE T rewarp_warp32_shfl_xor(T value, int lanes, int width = 32) {
  return rewarp_waves::shfl_xor(value, lanes & 31, width);
}
template <typename T>
REWARP_DEVICE_INLINE T rewarp_warp32_shfl_sync(unsigned, T value, int source, int width = 32) {
  return rewarp_warp32_shfl(value, source, width);
}
template <typename T>
REWARP_DEVICE_INLINE T rewarp_warp32_shfl_up_sync(unsigned, T value, unsigned delta, int width = 32) {
  return rewarp_warp32_shfl_up(value, delta, width);
}
template <typename T>
REWARP_DEVICE_INLINE T rewarp_warp32_shfl_down_sync(unsigned, T value, unsigned delta, int width = 32) {
  return rewarp_warp32_shfl_down(value, delta, width);
}
template <typename T>
REWARP_DEVICE_INLINE T rewarp_warp32_shfl_xor_sync(unsigned, T value, int lanes, int width = 32) {
  return rewarp_warp32_shfl_xor(value, lanes, width);
}

// Every lane takes part in each of the 32 steps: a lane that has gone on cannot be read from.
template <typename T>
REWARP_DEVICE_INLINE unsigned rewarp_warp32_match_any_sync(unsigned mask, T value) {
  unsigned same = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (rewarp_waves::same_bits(rewarp_waves::shfl(value, lane, 32), value)) same |= 1u << lane;
  return same & rewarp_warp32_ballot_sync(mask, 1);
}
template <typename T>
REWARP_DEVICE_INLINE unsigned rewarp_warp32_match_all_sync(unsigned mask, T value, int* all_same) {
  const unsigned present = rewarp_warp32_ballot_sync(mask, 1);
  *all_same = rewarp_warp32_match_any_sync(mask, value) == present;
  return *all_same ? present : 0u;
}
namespace rewarp_waves {
template <typename T, typename Op>
REWARP_DEVICE_INLINE T reduce32(unsigned mask, T value, Op op) {
  const unsigned present = rewarp_warp32_ballot_sync(mask, 1);
  T result = value;
  const int self = static_cast<int>(__lane_id() & 31u);
  for (int lane = 0; lane < 32; ++lane) {
    const T other = shfl(value, lane, 32);
    if ((present >> lane & 1u) && lane != self) result = op(result, other);
  }
  return result;
}
}  // namespace rewarp_waves
#define REWARP_REDUCE(NAME, T, EXPRESSION)                                                         \
  REWARP_DEVICE_INLINE T rewarp_warp32_reduce_##NAME##_sync(unsigned mask, T value) {                   \
    return rewarp_waves::reduce32(mask, value, [](T x, T y) { return static_cast<T>(EXPRESSION); }); \
  }
REWARP_REDUCE(add, unsigned, x + y)
REWARP_REDUCE(add, int, static_cast<unsigned>(x) + static_cast<unsigned>(y))
REWARP_REDUCE(min, unsigned, y < x ? y : x)
REWARP_REDUCE(min, int, y < x ? y : x)
REWARP_REDUCE(max, unsigned, x < y ? y : x)
REWARP_REDUCE(max, int, x < y ? y : x)
REWARP_REDUCE(and, unsigned, x & y)
REWARP_REDUCE(or, unsigned, x | y)
REWARP_REDUCE(xor, unsigned, x ^ y)
#undef REWARP_REDUCE

// The threads of a coalesced group that are of one warp.
template <typename Group>
REWARP_DEVICE_INLINE Group rewarp_warp32_group(const Group&) {
  return rewarp_waves::Warp32<Group>(__ballot(1) & (0xffffffffull << (__lane_id() & 32u)));
}

// HIP has __ffsll for long long with and without a sign, and the 32 bits of a warp could become either.
namespace rewarp_waves {
template <typename T>
struct IfBitsOfWarp {};
template <>
struct IfBitsOfWarp<unsigned> {
  typedef int type;
};
}  // namespace rewarp_waves
template <typename T>
REWARP_DEVICE_INLINE typename rewarp_waves::IfBitsOfWarp<T>::type __ffsll(T bits) {
  return __builtin_ffs(static_cast<int>(bits));
}

// What inline PTX asks a warp for.
REWARP_DEVICE_INLINE unsigned rewarp_warp32_lane_id() { return __lane_id() & 31u; }
REWARP_DEVICE_INLINE unsigned rewarp_warp32_warp_id() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32u;
}
REWARP_DEVICE_INLINE unsigned rewarp_warp32_lanemask_eq() { return 1u << rewarp_warp32_lane_id(); }
REWARP_DEVICE_INLINE unsigned rewarp_warp32_lanemask_lt() { return rewarp_warp32_lanemask_eq() - 1u; }
REWARP_DEVICE_INLINE unsigned rewarp_warp32_lanemask_le() { return ~0u >> (31u - rewarp_warp32_lane_id()); }
REWARP_DEVICE_INLINE unsigned rewarp_warp32_lanemask_ge() { return ~rewarp_warp32_lanemask_lt(); }
REWARP_DEVICE_INLINE unsigned rewarp_warp32_lanemask_gt() { return ~rewarp_warp32_lanemask_le(); }
// shfl of PTX: c holds the last lane and, eight bits up, the mask of the segment. Out of it, a lane keeps its own value.
#define REWARP_PTX_SHFL(MODE, LANE, INSIDE)                                                                      \
  REWARP_DEVICE_INLINE unsigned rewarp_warp32_ptx_shfl_##MODE(unsigned value, unsigned operand, unsigned c,      \
                                                              bool& inside) {                                    \
    const unsigned self = rewarp_warp32_lane_id(), b = operand & 31u, segment = c >> 8 & 31u;                    \
    const unsigned first = self & segment;                                                                       \
    const int last = static_cast<int>(first | (c & 31u & ~segment)), from = static_cast<int>(LANE);              \
    (void)b;                                                                                                     \
    inside = INSIDE;                                                                                             \
    return rewarp_waves::shfl(value, inside ? from : static_cast<int>(self), 32);                                \
  }                                                                                                              \
  REWARP_DEVICE_INLINE unsigned rewarp_warp32_ptx_shfl_##MODE(unsigned value, unsigned operand, unsigned c) {    \
    bool inside;                                                                                                 \
    return rewarp_warp32_ptx_shfl_##MODE(value, operand, c, inside);                                             \
  }
REWARP_PTX_SHFL(up, self - b, from >= last)
REWARP_PTX_SHFL(down, self + b, from <= last)
REWARP_PTX_SHFL(bfly, self ^ b, from <= last)
REWARP_PTX_SHFL(idx, first | (b & ~segment), from <= last)
#undef REWARP_PTX_SHFL

// ------------------------------------------------------------ whole waves
REWARP_DEVICE_INLINE unsigned long long rewarp_wave_ballot_sync(unsigned long long mask, int predicate) {
  return REWARP_BALLOT(predicate) & mask;
}
REWARP_DEVICE_INLINE unsigned long long rewarp_wave_activemask() { return __ballot(1); }
REWARP_DEVICE_INLINE int rewarp_wave_any_sync(unsigned long long mask, int predicate) {
  return rewarp_wave_ballot_sync(mask, predicate) != 0;
}
REWARP_DEVICE_INLINE int rewarp_wave_all_sync(unsigned long long mask, int predicate) {
  return rewarp_wave_ballot_sync(mask, !predicate) == 0;
}
REWARP_DEVICE_INLINE void rewarp_wave_syncwarp(unsigned long long = ~0ull) { rewarp_waves::sync(); }
template <typename T>
REWARP_DEVICE_INLINE T rewarp_wave_shfl_sync(unsigned long long, T value, int source, int width = REWARP_WAVE_LANES) {
  return rewarp_waves::shfl(value, source, width);
}
template <typename T>
REWARP_DEVICE_INLINE T rewarp_wave_shfl_up_sync(unsigned long long, T value, unsigned delta,
                                                int width = REWARP_WAVE_LANES) {
  return rewarp_waves::shfl_up(value, delta, width);
}
template <typename T>
REWARP_DEVICE_INLINE T rewarp_wave_shfl_down_sync(unsigned long long, T value, unsigned delta,
                                                  int width = REWARP_WAVE_LANES) {
  return rewarp_waves::shfl_down(value, delta, width);
}
template <typename T>
REWARP_DEVICE_INLINE T rewarp_wave_shfl_xor_sync(unsigned long long, T value, int lanes,
                                                 int width = REWARP_WAVE_LANES) {
  return rewarp_waves::shfl_xor(value, lanes, width);
}
#endif  // __HIP__

#else  // NVIDIA

#define rewarp_warp32_lanes warpSize
#define rewarp_warp32_width(device_property) device_property
#define REWARP_WARP32_LANES
#define REWARP_WARP32_LOAD
#define REWARP_WARP32_STORE
#define REWARP_WARP32_LANES_IN_TURN
#define REWARP_WARP32_WARPS_IN_TURN
#define REWARP_WARP32_TURN_ENDS
#define REWARP_WARP32_STEP
#define rewarp_warp32_group(threads) threads
#define rewarp_warp32_ballot __ballot
#define rewarp_warp32_activemask __activemask
#define rewarp_warp32_any __any
#define rewarp_warp32_all __all
#define rewarp_warp32_ballot_sync __ballot_sync
#define rewarp_warp32_any_sync __any_sync
#define rewarp_warp32_all_sync __all_sync
#define rewarp_warp32_syncwarp __syncwarp
#define rewarp_warp32_shfl __shfl
#define rewarp_warp32_shfl_up __shfl_up
#define rewarp_warp32_shfl_down __shfl_down
#define rewarp_warp32_shfl_xor __shfl_xor
#define rewarp_warp32_shfl_sync __shfl_sync
#define rewarp_warp32_shfl_up_sync __shfl_up_sync
#define rewarp_warp32_shfl_down_sync __shfl_down_sync
#define rewarp_warp32_shfl_xor_sync __shfl_xor_sync
#define rewarp_warp32_match_any_sync __match_any_sync
#define rewarp_warp32_match_all_sync __match_all_sync
#define rewarp_warp32_reduce_add_sync __reduce_add_sync
#define rewarp_warp32_reduce_min_sync __reduce_min_sync
#define rewarp_warp32_reduce_max_sync __reduce_max_sync
#define rewarp_warp32_reduce_and_sync __reduce_and_sync
#define rewarp_warp32_reduce_or_sync __reduce_or_sync
#define rewarp_warp32_reduce_xor_sync __reduce_xor_sync

#define REWARP_WAVE_SIZE(thirty_two) thirty_two
#define REWARP_WAVE_MOST(thirty_two) thirty_two
#define REWARP_WAVE_LAST(thirty_one) thirty_one
#define REWARP_WAVE_HALF(sixteen) sixteen
#define REWARP_WAVE_LOG2(five) five
#define REWARP_WAVE_BITS(type) type
#define REWARP_WAVE_ONE(one) one
#define REWARP_WAVE_ALL(ones) ones
#define rewarp_wave_popc __popc
#define rewarp_wave_ffs __ffs
#define rewarp_wave_ballot_sync __ballot_sync
#define rewarp_wave_activemask __activemask
#define rewarp_wave_any_sync __any_sync
#define rewarp_wave_all_sync __all_sync
#define rewarp_wave_syncwarp __syncwarp
#define rewarp_wave_shfl_sync __shfl_sync
#define rewarp_wave_shfl_up_sync __shfl_up_sync
#define rewarp_wave_shfl_down_sync __shfl_down_sync
#define rewarp_wave_shfl_xor_sync __shfl_xor_sync
#endif  // NVIDIA
#endif  // REWARP_WAVES_H
