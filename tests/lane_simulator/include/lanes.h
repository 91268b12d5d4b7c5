// CUDA and HIP kernels on the CPU, lane by lane: what device code names, in terms of the scheduler in scheduler.cpp.
// LANES_AMD (0 or 1), LANES_WAVE (32 or 64) and LANES_REFUSE_AT_ONCE (narrow masks end the compilation, not the run)
// come from the command line.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

#define __host__
#define __device__
#define __global__
#define __constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __align__(BYTES) __attribute__((aligned(BYTES)))
#define __launch_bounds__(...)  // the driver writes them as a first statement
// A page of its own: what follows a shared object is then no other object, and its alignment tells it in the symbols.
#define __shared__ static __attribute__((aligned(4096), used))
#define LANES_INLINE __attribute__((always_inline)) inline

#if LANES_AMD
#define __HIP__ 1
#define __HIPCC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define HIP_VERSION 70100000
#define USE_ROCM 1
#define __AMDGCN__ 1
#define __AMDGCN_WAVEFRONT_SIZE LANES_WAVE
#define __AMDGCN_WAVEFRONT_SIZE__ LANES_WAVE
#if LANES_WAVE == 64
#define __GFX9__ 1
#define __gfx942__ 1
#else
#define __GFX11__ 1
#define __gfx1100__ 1
#endif
#else
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900
#endif

#define LANES_VECTOR(TYPE, NAME)                                                                       \
  struct NAME##2 { TYPE x, y; };                                                                       \
  struct NAME##3 { TYPE x, y, z; };                                                                    \
  struct NAME##4 { TYPE x, y, z, w; };                                                                 \
  inline NAME##2 make_##NAME##2(TYPE x, TYPE y) { return {x, y}; }                                     \
  inline NAME##3 make_##NAME##3(TYPE x, TYPE y, TYPE z) { return {x, y, z}; }                          \
  inline NAME##4 make_##NAME##4(TYPE x, TYPE y, TYPE z, TYPE w) { return {x, y, z, w}; }
LANES_VECTOR(int, int)
LANES_VECTOR(unsigned, uint)
LANES_VECTOR(float, float)
LANES_VECTOR(double, double)
#undef LANES_VECTOR

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
typedef unsigned int uint;

// Set by the scheduler each time that a lane goes on.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
extern const int warpSize;

namespace lanes {
const int widest_wave = 64;
const int widest_value = 16;
#if LANES_AMD
typedef unsigned long long LaneBits;
#else
typedef unsigned LaneBits;
#endif

// What the lanes of a wave brought to one function; lanes that did not come have no value.
struct Meeting {
  unsigned long long present;
  unsigned char values[widest_wave][widest_value];
};

// Each of these stops its lane until the scheduler lets it go on. The place of the call, which the scheduler goes by,
// is where it returns to: callers are always inlined, so that is the user's own code. A barrier gives the sum of the
// predicates.
Meeting meet(const char* what, const void* value, size_t size);
Meeting meet_masked(const char* what, unsigned long long mask, const void* value, size_t size);
int barrier(const char* what, int predicate);
void stop_before_atomic(const char* what, void* address, size_t size);

// Memory accesses that are not seen by the scheduler.
void load(void* to, const void* from, size_t size);
void store(void* to, const void* from, size_t size);

int lane();
// What a lane brought: of one that did not come, 0 on AMD, and on NVIDIA what is undefined there.
void copy_value(void* to, size_t size, const Meeting& met, int from);
unsigned long long ballot_of(const Meeting& met);
unsigned long long equal_lanes(const Meeting& met, const void* value, size_t size);
unsigned long long reversed_bits(unsigned long long bits);
unsigned nth_set_bit(unsigned bits, unsigned base, int offset);
[[noreturn]] void refuse(const char* what);
bool masks_are_checked();
void* dynamic_shared();
void launch(dim3 grid, dim3 block, size_t shared_bytes, void (*kernel)(const void*), const void* arguments);
template <typename Kernel>
void launch(dim3 grid, dim3 block, size_t shared_bytes, const Kernel& kernel) {
  launch(grid, block, shared_bytes, [](const void* called) { (*static_cast<const Kernel*>(called))(); }, &kernel);
}
void require_launch_bound(unsigned most);

template <typename T>
LANES_INLINE T value_of(const Meeting& met, int from) {
  T value;
  copy_value(&value, sizeof(T), met, from);
  return value;
}

// HIP takes 64-bit masks only; what came narrow is widened as C++ does it where that check is switched off.
template <typename Mask>
LANES_INLINE unsigned long long checked_mask(Mask mask, const char* what) {
  static_assert(std::is_integral<Mask>::value, "the mask must be an integer");
#if LANES_AMD
#if LANES_REFUSE_AT_ONCE
  static_assert(sizeof(Mask) == 8, "The mask must be a 64-bit integer.");
#endif
  if (sizeof(Mask) != 8 && masks_are_checked()) refuse(what);
  const unsigned long long wide = static_cast<unsigned long long>(mask);
  return LANES_WAVE == 32 ? wide & 0xffffffffull : wide;
#else
  (void)what;
  return static_cast<unsigned>(mask);
#endif
}

inline int source_of_shfl(int from, int width) {
  const int self = lane();
  return (from & (width - 1)) + (self & ~(width - 1));
}
inline int source_of_shfl_up(unsigned delta, int width) {
  const int self = lane(), source = self - static_cast<int>(delta);
  return source < (self & ~(width - 1)) ? self : source;
}
inline int source_of_shfl_down(unsigned delta, int width) {
  const int self = lane(), distance = static_cast<int>(delta);
  return (self & (width - 1)) + distance >= width ? self : self + distance;
}
inline int source_of_shfl_xor(int bits, int width) {
  const int self = lane(), source = self ^ bits;
  return source >= ((self + width) & ~(width - 1)) ? self : source & (widest_wave - 1);
}
template <typename T, typename Operation>
LANES_INLINE T reduced(const Meeting& met, Operation operation) {
  T result{};
  bool first = true;
  for (int i = 0; i < widest_wave; ++i) {
    if (!(met.present >> i & 1)) continue;
    T value;
    std::memcpy(&value, met.values[i], sizeof(T));
    result = first ? value : operation(result, value);
    first = false;
  }
  return result;
}
}  // namespace lanes

// ------------------------------------------------------------ across the lanes of a wave
#define LANES_SHUFFLE(NAME, OPERAND)                                                                           \
  template <typename T>                                                                                        \
  LANES_INLINE T __##NAME(T value, OPERAND operand, int width = warpSize) {                                    \
    static_assert(sizeof(T) <= lanes::widest_value, "too wide for a shuffle");                                 \
    const lanes::Meeting met = lanes::meet("__" #NAME, &value, sizeof(T));                                    \
    return lanes::value_of<T>(met, lanes::source_of_##NAME(operand, width));\
  }                                                                                                            \
  template <typename Mask, typename T>                                                                         \
  LANES_INLINE T __##NAME##_sync(Mask mask, T value, OPERAND operand, int width = warpSize) {                  \
    static_assert(sizeof(T) <= lanes::widest_value, "too wide for a shuffle");                                 \
    const unsigned long long wide = lanes::checked_mask(mask, "__" #NAME "_sync");                             \
    const lanes::Meeting met = lanes::meet_masked("__" #NAME "_sync", wide, &value, sizeof(T));               \
    return lanes::value_of<T>(met, lanes::source_of_##NAME(operand, width));               \
  }
LANES_SHUFFLE(shfl, int)
LANES_SHUFFLE(shfl_up, unsigned)
LANES_SHUFFLE(shfl_down, unsigned)
LANES_SHUFFLE(shfl_xor, int)
#undef LANES_SHUFFLE

LANES_INLINE lanes::LaneBits __ballot(int predicate) {
  const unsigned char value = predicate != 0;
  return static_cast<lanes::LaneBits>(lanes::ballot_of(lanes::meet("__ballot", &value, 1)));
}
LANES_INLINE int __any(int predicate) {
  const unsigned char value = predicate != 0;
  return lanes::ballot_of(lanes::meet("__any", &value, 1)) != 0;
}
LANES_INLINE int __all(int predicate) {
  const unsigned char value = predicate != 0;
  const lanes::Meeting met = lanes::meet("__all", &value, 1);
  return lanes::ballot_of(met) == met.present;
}
LANES_INLINE lanes::LaneBits __activemask() {
  return static_cast<lanes::LaneBits>(lanes::meet("__activemask", "", 1).present);
}
template <typename Mask>
LANES_INLINE lanes::LaneBits __ballot_sync(Mask mask, int predicate) {
  const unsigned char value = predicate != 0;
  const unsigned long long wide = lanes::checked_mask(mask, "__ballot_sync");
  return static_cast<lanes::LaneBits>(lanes::ballot_of(lanes::meet_masked("__ballot_sync", wide, &value, 1)) & wide);
}
template <typename Mask>
LANES_INLINE int __any_sync(Mask mask, int predicate) {
  const unsigned char value = predicate != 0;
  const unsigned long long wide = lanes::checked_mask(mask, "__any_sync");
  return (lanes::ballot_of(lanes::meet_masked("__any_sync", wide, &value, 1)) & wide) != 0;
}
template <typename Mask>
LANES_INLINE int __all_sync(Mask mask, int predicate) {
  const unsigned char value = predicate != 0;
  const unsigned long long wide = lanes::checked_mask(mask, "__all_sync");
  const lanes::Meeting met = lanes::meet_masked("__all_sync", wide, &value, 1);
  // HIP compares with the mask itself, so a lane of the mask that has ended counts as false there.
  return (lanes::ballot_of(met) & wide) == (LANES_AMD ? wide : met.present & wide);
}
template <typename Mask, typename T>
LANES_INLINE lanes::LaneBits __match_any_sync(Mask mask, T value) {
  const unsigned long long wide = lanes::checked_mask(mask, "__match_any_sync");
  const lanes::Meeting met = lanes::meet_masked("__match_any_sync", wide, &value, sizeof(T));
  return static_cast<lanes::LaneBits>(lanes::equal_lanes(met, &value, sizeof(T)) & wide);
}
template <typename Mask, typename T>
LANES_INLINE lanes::LaneBits __match_all_sync(Mask mask, T value, int* predicate) {
  const unsigned long long wide = lanes::checked_mask(mask, "__match_all_sync");
  const lanes::Meeting met = lanes::meet_masked("__match_all_sync", wide, &value, sizeof(T));
  *predicate = lanes::equal_lanes(met, &value, sizeof(T)) == met.present;
  return static_cast<lanes::LaneBits>(*predicate ? met.present & wide : 0);
}
#define LANES_REDUCE(NAME, EXPRESSION)                                                                          \
  template <typename Mask, typename T>                                                                          \
  LANES_INLINE T __reduce_##NAME##_sync(Mask mask, T value) {                                                   \
    const unsigned long long wide = lanes::checked_mask(mask, "__reduce_" #NAME "_sync");                       \
    const lanes::Meeting met = lanes::meet_masked("__reduce_" #NAME "_sync", wide, &value, sizeof(T));         \
    return lanes::reduced<T>(met, [](T a, T b) -> T { return EXPRESSION; });                                    \
  }
LANES_REDUCE(add, a + b)
LANES_REDUCE(min, a < b ? a : b)
LANES_REDUCE(max, a < b ? b : a)
LANES_REDUCE(and, a & b)
LANES_REDUCE(or, a | b)
LANES_REDUCE(xor, a ^ b)
#undef LANES_REDUCE

template <typename Mask>
LANES_INLINE void __syncwarp(Mask mask) {
  lanes::meet_masked("__syncwarp", lanes::checked_mask(mask, "__syncwarp"), "", 1);
}
LANES_INLINE void __syncwarp() {
#if LANES_AMD
  lanes::meet("__syncwarp", "", 1);
#else
  lanes::meet_masked("__syncwarp", 0xffffffffu, "", 1);
#endif
}

#if LANES_AMD
inline unsigned __lane_id() { return static_cast<unsigned>(lanes::lane()); }
#endif

// ------------------------------------------------------------ across the threads of a block
LANES_INLINE void __syncthreads() { lanes::barrier("__syncthreads", 0); }
LANES_INLINE int __syncthreads_count(int predicate) { return lanes::barrier("__syncthreads_count", predicate != 0); }
LANES_INLINE int __syncthreads_or(int predicate) { return lanes::barrier("__syncthreads_or", predicate != 0) != 0; }
LANES_INLINE int __syncthreads_and(int predicate) { return lanes::barrier("__syncthreads_and", predicate == 0) == 0; }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) {}
inline void __trap() { __builtin_trap(); }

// ------------------------------------------------------------ atomics
namespace lanes {
template <typename T>
struct Same {
  typedef T type;
};
template <typename T, typename Operation>
LANES_INLINE T atomic(const char* what, T* address, Operation operation) {
  stop_before_atomic(what, const_cast<typename std::remove_volatile<T>::type*>(address), sizeof(T));
  T old;
  load(&old, address, sizeof(T));
  const T now = operation(old);
  store(address, &now, sizeof(T));
  return old;
}
}  // namespace lanes
#define LANES_ATOMIC(NAME, EXPRESSION)                                                        \
  template <typename T>                                                                       \
  LANES_INLINE T NAME(T* address, typename lanes::Same<T>::type value) {                      \
    return lanes::atomic(#NAME, address, [=](T old) -> T { return EXPRESSION; });             \
  }
LANES_ATOMIC(atomicAdd, old + value)
LANES_ATOMIC(atomicSub, old - value)
LANES_ATOMIC(atomicExch, ((void)old, value))
LANES_ATOMIC(atomicMin, old < value ? old : value)
LANES_ATOMIC(atomicMax, old < value ? value : old)
LANES_ATOMIC(atomicAnd, old & value)
LANES_ATOMIC(atomicOr, old | value)
LANES_ATOMIC(atomicXor, old ^ value)
LANES_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
LANES_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
#undef LANES_ATOMIC
template <typename T>
LANES_INLINE T atomicCAS(T* address, typename lanes::Same<T>::type compare, typename lanes::Same<T>::type value) {
  return lanes::atomic("atomicCAS", address, [=](T old) -> T { return old == compare ? value : old; });
}

// ------------------------------------------------------------ one lane on its own
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
inline unsigned long long __brevll(unsigned long long x) { return lanes::reversed_bits(x); }
inline unsigned __brev(unsigned x) { return static_cast<unsigned>(lanes::reversed_bits(x) >> 32); }
#if !LANES_AMD
// HIP names these __fns32 and __fns64.
inline unsigned __fns(unsigned mask, unsigned base, int offset) { return lanes::nth_set_bit(mask, base, offset); }
#endif
template <typename T>
LANES_INLINE T __ldg(const T* address) { return *address; }
inline float __int_as_float(int x) { float y; std::memcpy(&y, &x, 4); return y; }
inline int __float_as_int(float x) { int y; std::memcpy(&y, &x, 4); return y; }
inline unsigned __float_as_uint(float x) { unsigned y; std::memcpy(&y, &x, 4); return y; }
inline float __uint_as_float(unsigned x) { float y; std::memcpy(&y, &x, 4); return y; }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __fdividef(float x, float y) { return x / y; }
template <typename A, typename B>
LANES_INLINE constexpr typename std::common_type<A, B>::type min(A a, B b) {
  typedef typename std::common_type<A, B>::type T;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <typename A, typename B>
LANES_INLINE constexpr typename std::common_type<A, B>::type max(A a, B b) {
  typedef typename std::common_type<A, B>::type T;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

// What the driver writes in the place of `mov.u32 %0, %laneid` and its kin.
namespace lanes {
template <typename T>
LANES_INLINE void special_register(const char* name, T& result) {
#if LANES_AMD
  (void)result;
  refuse(name);
#else
  const unsigned bit = 1u << lane();
  if (!std::strcmp(name, "laneid")) result = static_cast<T>(lane());
  if (!std::strcmp(name, "lanemask_eq")) result = static_cast<T>(bit);
  if (!std::strcmp(name, "lanemask_lt")) result = static_cast<T>(bit - 1);
  if (!std::strcmp(name, "lanemask_le")) result = static_cast<T>(bit | (bit - 1));
  if (!std::strcmp(name, "lanemask_gt")) result = static_cast<T>(~(bit | (bit - 1)));
  if (!std::strcmp(name, "lanemask_ge")) result = static_cast<T>(~(bit - 1));
  if (!std::strcmp(name, "warpid"))
    result = static_cast<T>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32);
#endif
}
}  // namespace lanes

// ------------------------------------------------------------ the little of a runtime that launch code asks for
struct lanes_properties {
  int warpSize = LANES_WAVE, maxThreadsPerBlock = 1024, multiProcessorCount = 1;
  size_t sharedMemPerBlock = LANES_AMD ? 65536 : 49152;
};
#define LANES_RUNTIME(PREFIX)                                                                           \
  typedef int PREFIX##Error_t;                                                                          \
  typedef void* PREFIX##Stream_t;                                                                       \
  typedef lanes_properties PREFIX##DeviceProp;                                                          \
  const int PREFIX##Success = 0;                                                                        \
  enum PREFIX##DeviceAttribute_t { PREFIX##DeviceAttributeWarpSize };                                   \
  inline int PREFIX##DeviceSynchronize() { return 0; }                                                  \
  enum PREFIX##FuncAttribute { PREFIX##FuncAttributeMaxDynamicSharedMemorySize };                       \
  template <typename Kernel>                                                                            \
  inline int PREFIX##FuncSetAttribute(Kernel, PREFIX##FuncAttribute, int) { return 0; }                 \
  inline int PREFIX##GetLastError() { return 0; }                                                       \
  inline int PREFIX##GetDevice(int* device) { return *device = 0; }                                     \
  inline int PREFIX##GetDeviceProperties(lanes_properties* to, int) { return *to = lanes_properties(), 0; } \
  inline int PREFIX##DeviceGetAttribute(int* to, PREFIX##DeviceAttribute_t, int) { return *to = LANES_WAVE, 0; }
LANES_RUNTIME(cuda)
LANES_RUNTIME(hip)
#undef LANES_RUNTIME
#define cudaDevAttrWarpSize cudaDeviceAttributeWarpSize
typedef lanes_properties hipDeviceProp_t;
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(TYPE, NAME) TYPE* NAME = static_cast<TYPE*>(lanes::dynamic_shared());
#define hipLaunchKernelGGL(KERNEL, GRID, BLOCK, SHARED, STREAM, ...) \
  lanes::launch(GRID, BLOCK, SHARED, [=] { KERNEL(__VA_ARGS__); })
