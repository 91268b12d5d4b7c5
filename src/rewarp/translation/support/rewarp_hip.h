// rewarp_hip.h: what CUDA code uses and HIP does not have, for translated sources.
//
// - It acts only when compiling for AMD; on NVIDIA it is an empty file.
// - It works with HIP 6.2 and later, from device code and from host-only C++11.
// - Names are CUDA's own. Where HIP has the name with another meaning, ours begins with rewarp_.
// - It stands back: almost every function is a template, and C++ prefers a plain function to a
//   template, so whatever a newer HIP declares under the same name is used and nothing clashes.

// With REWARP_HIP_PORTABLE_ONLY defined, only the plain C++ parts are declared, inside
// namespace rewarp, so that any compiler can test them against NVIDIA's functions.

#ifndef REWARP_HIP_H
#define REWARP_HIP_H
#if defined(__HIP_PLATFORM_AMD__) || defined(REWARP_HIP_PORTABLE_ONLY)

// What code that computes with __CUDA_ARCH__ or CUDART_VERSION gets to see: the NVIDIA GPU and toolkit that
// AMD's come closest to. The host's compiler reads kernels too, and gets a zero.
#define REWARP_CUDA_VERSION 12080
#if defined(__HIP_DEVICE_COMPILE__)
#define REWARP_CUDA_ARCH 899
#else
#define REWARP_CUDA_ARCH 0
#endif

#if !defined(REWARP_HIP_PORTABLE_ONLY)
// Calling conventions, which say nothing on a 64-bit system.
#if !defined(CUDART_CB)
#define CUDART_CB
#endif
#if !defined(CUDARTAPI)
#define CUDARTAPI
#endif
#if !defined(CUDA_CB)
#define CUDA_CB
#endif
#if !defined(CUDAAPI)
#define CUDAAPI
#endif

// It keeps a kernel from copying a parameter that somebody takes the address of.
#if !defined(__grid_constant__)
#define __grid_constant__
#endif

// Words that NVIDIA's own headers mark declarations with.
#if !defined(__device_builtin__)
#define __device_builtin__
#endif
#if !defined(__cudart_builtin__)
#define __cudart_builtin__
#endif
#if !defined(__inline_hint__)
#define __inline_hint__
#endif
#if !defined(__nv_pure__)
#define __nv_pure__ __attribute__((pure))
#endif
#if !defined(__no_return__)
#define __no_return__ __attribute__((noreturn))
#endif
#if !defined(__builtin_align__)
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#endif

// Errors that HIP and its libraries never return: with these, a switch over all of CUDA's compiles.
#define cudaErrorNotPermitted static_cast<hipError_t>(800)
#define CUDA_ERROR_NOT_PERMITTED static_cast<hipError_t>(800)
#define cudaErrorTooManyPeers static_cast<hipError_t>(711)
#define CUDA_ERROR_TOO_MANY_PEERS static_cast<hipError_t>(711)
#define cudaErrorLaunchIncompatibleTexturing static_cast<hipError_t>(703)
#define CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING static_cast<hipError_t>(703)
#define cudaErrorNvlinkUncorrectable static_cast<hipError_t>(220)
#define CUDA_ERROR_NVLINK_UNCORRECTABLE static_cast<hipError_t>(220)
#define cudaErrorMisalignedAddress static_cast<hipError_t>(716)
#define CUDA_ERROR_MISALIGNED_ADDRESS static_cast<hipError_t>(716)
#define cudaErrorJitCompilerNotFound static_cast<hipError_t>(221)
#define CUDA_ERROR_JIT_COMPILER_NOT_FOUND static_cast<hipError_t>(221)
#define cudaErrorInvalidPc static_cast<hipError_t>(718)
#define CUDA_ERROR_INVALID_PC static_cast<hipError_t>(718)
#define cudaErrorInvalidAddressSpace static_cast<hipError_t>(717)
#define CUDA_ERROR_INVALID_ADDRESS_SPACE static_cast<hipError_t>(717)
#define cudaErrorIllegalInstruction static_cast<hipError_t>(715)
#define CUDA_ERROR_ILLEGAL_INSTRUCTION static_cast<hipError_t>(715)
#define cudaErrorHardwareStackError static_cast<hipError_t>(714)
#define CUDA_ERROR_HARDWARE_STACK_ERROR static_cast<hipError_t>(714)
#define cudaErrorSystemNotReady static_cast<hipError_t>(802)
#define CUDA_ERROR_SYSTEM_NOT_READY static_cast<hipError_t>(802)
#define cudaErrorSystemDriverMismatch static_cast<hipError_t>(803)
#define CUDA_ERROR_SYSTEM_DRIVER_MISMATCH static_cast<hipError_t>(803)
#define cudaErrorStubLibrary static_cast<hipError_t>(34)
#define CUDA_ERROR_STUB_LIBRARY static_cast<hipError_t>(34)
#define cudaErrorDevicesUnavailable static_cast<hipError_t>(46)
#define CUDA_ERROR_DEVICE_UNAVAILABLE static_cast<hipError_t>(46)
#define cudaErrorUnsupportedPtxVersion static_cast<hipError_t>(222)
#define CUDA_ERROR_UNSUPPORTED_PTX_VERSION static_cast<hipError_t>(222)
#define cudaErrorInvalidHostPointer static_cast<hipError_t>(16)
#define cudaErrorInvalidTextureBinding static_cast<hipError_t>(19)
#define cudaErrorAddressOfConstant static_cast<hipError_t>(22)
#define cudaErrorTextureFetchFailed static_cast<hipError_t>(23)
#define cudaErrorTextureNotBound static_cast<hipError_t>(24)
#define cudaErrorSynchronizationError static_cast<hipError_t>(25)
#define cudaErrorInvalidFilterSetting static_cast<hipError_t>(26)
#define cudaErrorInvalidNormSetting static_cast<hipError_t>(27)
#define cudaErrorMixedDeviceExecution static_cast<hipError_t>(28)
#define cudaErrorNotYetImplemented static_cast<hipError_t>(31)
#define cudaErrorMemoryValueTooLarge static_cast<hipError_t>(32)
#define cudaErrorCallRequiresNewerDriver static_cast<hipError_t>(36)
#define CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER static_cast<hipError_t>(36)
#define cudaErrorInvalidSurface static_cast<hipError_t>(37)
#define cudaErrorDuplicateVariableName static_cast<hipError_t>(43)
#define cudaErrorDuplicateTextureName static_cast<hipError_t>(44)
#define cudaErrorDuplicateSurfaceName static_cast<hipError_t>(45)
#define cudaErrorIncompatibleDriverContext static_cast<hipError_t>(49)
#define cudaErrorLaunchMaxDepthExceeded static_cast<hipError_t>(65)
#define cudaErrorLaunchFileScopedTex static_cast<hipError_t>(66)
#define cudaErrorLaunchFileScopedSurf static_cast<hipError_t>(67)
#define cudaErrorSyncDepthExceeded static_cast<hipError_t>(68)
#define cudaErrorLaunchPendingCountExceeded static_cast<hipError_t>(69)
#define cudaErrorDeviceNotLicensed static_cast<hipError_t>(102)
#define CUDA_ERROR_DEVICE_NOT_LICENSED static_cast<hipError_t>(102)
#define cudaErrorSoftwareValidityNotEstablished static_cast<hipError_t>(103)
#define cudaErrorStartupFailure static_cast<hipError_t>(127)
#define cudaErrorJitCompilationDisabled static_cast<hipError_t>(223)
#define CUDA_ERROR_JIT_COMPILATION_DISABLED static_cast<hipError_t>(223)
#define cudaErrorUnsupportedExecAffinity static_cast<hipError_t>(224)
#define CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY static_cast<hipError_t>(224)
#define cudaErrorUnsupportedDevSideSync static_cast<hipError_t>(225)
#define CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC static_cast<hipError_t>(225)
#define cudaErrorContained static_cast<hipError_t>(226)
#define CUDA_ERROR_CONTAINED static_cast<hipError_t>(226)
#define cudaErrorLossyQuery static_cast<hipError_t>(402)
#define CUDA_ERROR_LOSSY_QUERY static_cast<hipError_t>(402)
#define cudaErrorTensorMemoryLeak static_cast<hipError_t>(721)
#define CUDA_ERROR_TENSOR_MEMORY_LEAK static_cast<hipError_t>(721)
#define cudaErrorCompatNotSupportedOnDevice static_cast<hipError_t>(804)
#define CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE static_cast<hipError_t>(804)
#define cudaErrorMpsConnectionFailed static_cast<hipError_t>(805)
#define CUDA_ERROR_MPS_CONNECTION_FAILED static_cast<hipError_t>(805)
#define cudaErrorMpsRpcFailure static_cast<hipError_t>(806)
#define CUDA_ERROR_MPS_RPC_FAILURE static_cast<hipError_t>(806)
#define cudaErrorMpsServerNotReady static_cast<hipError_t>(807)
#define CUDA_ERROR_MPS_SERVER_NOT_READY static_cast<hipError_t>(807)
#define cudaErrorMpsMaxClientsReached static_cast<hipError_t>(808)
#define CUDA_ERROR_MPS_MAX_CLIENTS_REACHED static_cast<hipError_t>(808)
#define cudaErrorMpsMaxConnectionsReached static_cast<hipError_t>(809)
#define CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED static_cast<hipError_t>(809)
#define cudaErrorMpsClientTerminated static_cast<hipError_t>(810)
#define CUDA_ERROR_MPS_CLIENT_TERMINATED static_cast<hipError_t>(810)
#define cudaErrorCdpNotSupported static_cast<hipError_t>(811)
#define CUDA_ERROR_CDP_NOT_SUPPORTED static_cast<hipError_t>(811)
#define cudaErrorCdpVersionMismatch static_cast<hipError_t>(812)
#define CUDA_ERROR_CDP_VERSION_MISMATCH static_cast<hipError_t>(812)
#define cudaErrorTimeout static_cast<hipError_t>(909)
#define CUDA_ERROR_TIMEOUT static_cast<hipError_t>(909)
#define cudaErrorExternalDevice static_cast<hipError_t>(911)
#define CUDA_ERROR_EXTERNAL_DEVICE static_cast<hipError_t>(911)
#define cudaErrorInvalidClusterSize static_cast<hipError_t>(912)
#define CUDA_ERROR_INVALID_CLUSTER_SIZE static_cast<hipError_t>(912)
#define cudaErrorFunctionNotLoaded static_cast<hipError_t>(913)
#define CUDA_ERROR_FUNCTION_NOT_LOADED static_cast<hipError_t>(913)
#define cudaErrorInvalidResourceType static_cast<hipError_t>(914)
#define CUDA_ERROR_INVALID_RESOURCE_TYPE static_cast<hipError_t>(914)
#define cudaErrorInvalidResourceConfiguration static_cast<hipError_t>(915)
#define CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION static_cast<hipError_t>(915)
#define CUDA_ERROR_KEY_ROTATION static_cast<hipError_t>(916)
// CUDA's number, 10000, is more than HIP's enumeration can hold: this is the most.
#define cudaErrorApiFailureBase static_cast<hipError_t>(2047)
// HIP has these since 6.4.
#if defined(HIP_VERSION) && HIP_VERSION < 60400000
#define hipErrorInvalidTexture static_cast<hipError_t>(18)
#define hipErrorInvalidChannelDescriptor static_cast<hipError_t>(20)
#endif
#define CUFFT_LICENSE_ERROR static_cast<hipfftResult>(15)
#define CUFFT_MISSING_DEPENDENCY static_cast<hipfftResult>(17)
#define CUFFT_NVRTC_FAILURE static_cast<hipfftResult>(18)
#define CUFFT_NVJITLINK_FAILURE static_cast<hipfftResult>(19)
#define CUFFT_NVSHMEM_FAILURE static_cast<hipfftResult>(20)
// hipBLAS 2 has cuBLAS's types (hipDataType, __half) only on request; hipBLAS 3 always. Before its header, hence here.
#if !defined(HIPBLAS_V2)
#define HIPBLAS_V2
#endif
#if !defined(HIPBLAS_USE_HIP_HALF)
#define HIPBLAS_USE_HIP_HALF
#endif
// HIP 6 hides __shfl_sync and its family (64-bit masks) behind this macro; HIP 7 shows them always.
#if !defined(HIP_ENABLE_WARP_SYNC_BUILTINS)
#if defined(HIP_INCLUDE_HIP_AMD_DETAIL_WARP_FUNCTIONS_H)
#define REWARP_HIP_CAME_FIRST 1
#else
#define HIP_ENABLE_WARP_SYNC_BUILTINS
#endif
#endif
#if !defined(__HIPCC_RTC__)
#include <hip/hip_runtime.h>
#if defined(__HIP__)
#if __has_include(<hip/hip_fp16.h>)
#include <hip/hip_fp16.h>
#define REWARP_HAS_FP16 1
#endif
#if __has_include(<hip/hip_bf16.h>)
#include <hip/hip_bf16.h>
#define REWARP_HAS_BF16 1
#endif
#if __has_include(<hip/hip_cooperative_groups.h>)
#include <hip/hip_cooperative_groups.h>
#define REWARP_HAS_COOPERATIVE_GROUPS 1
#endif
#endif
#endif
#if defined(HIP_VERSION) && \
    (HIP_VERSION >= 70000000 ? defined(HIP_DISABLE_WARP_SYNC_BUILTINS) : defined(REWARP_HIP_CAME_FIRST))
#define REWARP_NO_WIDE_MASKS 1
#endif
#endif

#if defined(__HIP__) || defined(__CUDACC__)
#define REWARP_HOST_DEVICE __host__ __device__ inline
#else
#define REWARP_HOST_DEVICE inline
#endif
#define REWARP_DEVICE __device__ inline

// Prefix of the functions that stand back for HIP's own: see the top of the file.
#define REWARP_PLAIN            \
  template <int StandsBack = 0> \
  REWARP_HOST_DEVICE
#define REWARP_PLAIN_DEVICE     \
  template <int StandsBack = 0> \
  REWARP_DEVICE

// ============================================================ helpers in plain C++
namespace rewarp {

// CUDA's warp. On a 64-wide AMD wave each half plays one warp: CUDA's warps are 32 consecutive
// threads of the block, waves are 64 consecutive threads, so the halves are exactly CUDA's warps.
constexpr int warp_size = 32;

REWARP_HOST_DEVICE unsigned own_warp(unsigned long long wave_bits, unsigned wave_lane) {
  return static_cast<unsigned>(wave_bits >> (wave_lane & 32u));
}

// Which lane a shuffle reads from: PTX's rule for shfl.sync (lanes are 0..31; an operand counts
// modulo 32; out of the segment means one's own lane).
REWARP_HOST_DEVICE int segment_bits(int width) { return (warp_size - width) & 31; }
REWARP_HOST_DEVICE int segment_last(int lane, int width) { return lane | (31 & ~segment_bits(width)); }
REWARP_HOST_DEVICE int shfl_lane(int lane, int source, int width) {
  return (lane & segment_bits(width)) | (source & 31 & ~segment_bits(width));
}
REWARP_HOST_DEVICE int shfl_up_lane(int lane, unsigned delta, int width) {
  const int source = lane - static_cast<int>(delta & 31u);
  return source >= (lane & segment_bits(width)) ? source : lane;
}
REWARP_HOST_DEVICE int shfl_down_lane(int lane, unsigned delta, int width) {
  const int source = lane + static_cast<int>(delta & 31u);
  return source <= segment_last(lane, width) ? source : lane;
}
REWARP_HOST_DEVICE int shfl_xor_lane(int lane, int lane_mask, int width) {
  const int source = lane ^ (lane_mask & 31);
  return source <= segment_last(lane, width) ? source : lane;
}

// Applies op to each 8- or 16-bit lane of the words; the results are cut to the lane's width.
template <typename Lane, typename Op>
REWARP_HOST_DEVICE unsigned each_lane(unsigned a, unsigned b, unsigned c, Op op) {
  constexpr int bits = 8 * sizeof(Lane);
  constexpr unsigned lane_mask = (1u << bits) - 1u;
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += bits) {
    const int x = static_cast<Lane>(a >> shift), y = static_cast<Lane>(b >> shift), z = static_cast<Lane>(c >> shift);
    result |= (static_cast<unsigned>(op(x, y, z)) & lane_mask) << shift;
  }
  return result;
}
template <typename Lane>
REWARP_HOST_DEVICE unsigned sum_of_differences(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int shift = 0; shift < 32; shift += 8 * static_cast<int>(sizeof(Lane))) {
    const int x = static_cast<Lane>(a >> shift), y = static_cast<Lane>(b >> shift);
    sum += static_cast<unsigned>(x > y ? x - y : y - x);
  }
  return sum;
}
template <typename T>
REWARP_HOST_DEVICE T larger(T x, T y) {
  return x < y ? y : x;
}
template <typename T>
REWARP_HOST_DEVICE T smaller(T x, T y) {
  return y < x ? y : x;
}
// Copies the first bytes and makes the others zero, a word at a time: what is not copied is not read either.
REWARP_HOST_DEVICE void copy_and_fill(void* target, const void* source, unsigned bytes, unsigned copied) {
  typedef unsigned __attribute__((may_alias)) Word;
  for (unsigned i = 0; i < bytes; i += 4) {
    Word word = 0;
    if (i + 4 <= copied)
      word = static_cast<const Word*>(source)[i / 4];
    else
      for (unsigned j = i; j < copied; ++j)
        word |= static_cast<Word>(static_cast<const unsigned char*>(source)[j]) << 8 * (j - i);
    static_cast<Word*>(target)[i / 4] = word;
  }
}
// cuda::ceil_div. Nothing overflows, as with the sum of both.
template <typename T, typename Divisor>
REWARP_HOST_DEVICE constexpr auto ceil_div(T x, Divisor divisor) -> decltype(x / divisor) {
  return x / divisor + (x % divisor != 0);
}
// More of cuda/cmath: for integers that are not negative, of 64 bits at most.
template <typename T, typename Step>
REWARP_HOST_DEVICE constexpr auto round_up(T x, Step step) -> decltype(x / step) {
  return ceil_div(x, step) * step;
}
template <typename T, typename Step>
REWARP_HOST_DEVICE constexpr auto round_down(T x, Step step) -> decltype(x / step) {
  return x / step * step;
}
template <typename T>
REWARP_HOST_DEVICE constexpr bool is_power_of_two(T x) {
  return x != 0 && (x & (x - 1)) == 0;
}
template <typename T>
REWARP_HOST_DEVICE constexpr int ilog2(T x) {
  return 63 - __builtin_clzll(static_cast<unsigned long long>(x));
}
template <typename T>
REWARP_HOST_DEVICE constexpr int ceil_ilog2(T x) {
  return ilog2(x) + !is_power_of_two(x);
}
template <typename T>
REWARP_HOST_DEVICE constexpr T next_power_of_two(T x) {
  return static_cast<T>(x < 2 ? 1ull : 1ull << ceil_ilog2(x));
}
template <typename T>
REWARP_HOST_DEVICE constexpr T prev_power_of_two(T x) {
  return static_cast<T>(x == 0 ? 0ull : 1ull << ilog2(x));
}
// cuda::std::swap and exchange: the standard library's run in kernels since C++20 alone. In a namespace of their own: nothing
// finds them by its arguments beside std::swap.
namespace of_std {
template <typename T>
REWARP_HOST_DEVICE void swap(T& x, T& y) {
  T kept = static_cast<T&&>(x);
  x = static_cast<T&&>(y);
  y = static_cast<T&&>(kept);
}
template <typename T, typename New = T>
REWARP_HOST_DEVICE T exchange(T& x, New&& value) {
  T kept = static_cast<T&&>(x);
  x = static_cast<New&&>(value);
  return kept;
}
}  // namespace of_std
REWARP_HOST_DEVICE int clamp(int x, int low, int high) { return smaller(larger(x, low), high); }
template <typename Lane>
REWARP_HOST_DEVICE int saturate(int x) {
  constexpr int bits = 8 * sizeof(Lane);
  return static_cast<Lane>(-1) < 0 ? clamp(x, -(1 << (bits - 1)), (1 << (bits - 1)) - 1) : clamp(x, 0, (1 << bits) - 1);
}
// CUDA's integers wrap; signed overflow in C++ is undefined, so add as unsigned.
REWARP_HOST_DEVICE int wrapping_add(int x, int y) {
  return static_cast<int>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
}
template <typename Result, typename Lane>
REWARP_HOST_DEVICE Result dot4(Result a, Result b, Result c) {
  unsigned sum = static_cast<unsigned>(c);
  for (int shift = 0; shift < 32; shift += 8)
    sum += static_cast<unsigned>(static_cast<Lane>(a >> shift) * static_cast<Lane>(b >> shift));
  return static_cast<Result>(sum);
}
template <typename Result, typename Half, typename Byte>
REWARP_HOST_DEVICE Result dot2(Result a, Result b, Result c) {
  return static_cast<Result>(static_cast<unsigned>(c) +
                             static_cast<unsigned>(static_cast<Half>(a) * static_cast<Byte>(b)) +
                             static_cast<unsigned>(static_cast<Half>(a >> 16) * static_cast<Byte>(b >> 8)));
}

// bf16 is the upper half of a float; the mode says what happens to the lower half.
enum class Rounding { nearest, toward_zero, down, up };
REWARP_HOST_DEVICE bool rounds_away(Rounding mode, bool negative, bool odd, bool above_half, bool half, bool inexact) {
  switch (mode) {
    case Rounding::nearest: return above_half || (half && odd);
    case Rounding::down: return negative && inexact;
    case Rounding::up: return !negative && inexact;
    default: return false;
  }
}
REWARP_HOST_DEVICE unsigned short float_bits_to_bf16(unsigned bits, Rounding mode) {
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;  // CUDA's one NaN
  const unsigned rest = bits & 0xffffu;
  const bool away = rounds_away(mode, bits >> 31, bits >> 16 & 1u, rest > 0x8000u, rest == 0x8000u, rest != 0);
  return static_cast<unsigned short>((bits >> 16) + (away ? 1u : 0u));
}
// Rounds once, straight from the integer: going through float would round twice.
REWARP_HOST_DEVICE unsigned short magnitude_to_bf16(unsigned long long magnitude, bool negative, Rounding mode) {
  if (magnitude == 0) return 0;
  int top = 63;
  while (!(magnitude >> top & 1u)) --top;
  // The 8 leading bits become exponent and fraction, the others decide the rounding.
  const unsigned long long aligned = magnitude << (63 - top), rest = aligned << 8, half = 1ull << 63;
  const unsigned leading = static_cast<unsigned>(aligned >> 56);
  const bool away = rounds_away(mode, negative, leading & 1u, rest > half, rest == half, rest != 0);
  const unsigned bits = (static_cast<unsigned>(top + 127) << 7) + (leading & 0x7fu) + (away ? 1u : 0u);
  return static_cast<unsigned short>(bits | (negative ? 0x8000u : 0u));
}
template <typename Integer>
REWARP_HOST_DEVICE unsigned short integer_to_bf16(Integer value, Rounding mode) {
  const bool negative = value < Integer(1) && value != Integer(0);  // without a warning for unsigned
  const unsigned long long bits = static_cast<unsigned long long>(value);
  return magnitude_to_bf16(negative ? 0ull - bits : bits, negative, mode);
}
// CUDA's conversion saturates; C++ leaves it undefined. NaN gives 0, or the top bit alone in 64 bits.
template <typename Integer>
REWARP_HOST_DEVICE Integer float_to_integer(float x, Rounding mode) {
  constexpr bool is_signed = static_cast<Integer>(-1) < static_cast<Integer>(0);
  constexpr int value_bits = 8 * sizeof(Integer) - (is_signed ? 1 : 0);
  constexpr Integer lowest = is_signed ? static_cast<Integer>(1ull << (8 * sizeof(Integer) - 1)) : Integer(0);
  constexpr Integer highest = static_cast<Integer>(~0ull >> (64 - value_bits));
  constexpr float limit = 2.0f * static_cast<float>(1ull << (value_bits - 1));
  if (x != x) return sizeof(Integer) == 8 ? static_cast<Integer>(1ull << 63) : Integer(0);
  switch (mode) {
    case Rounding::nearest: x = __builtin_rintf(x); break;
    case Rounding::down: x = __builtin_floorf(x); break;
    case Rounding::up: x = __builtin_ceilf(x); break;
    default: x = __builtin_truncf(x);
  }
  if (x >= limit) return highest;
  if (x < (is_signed ? -limit : 0.0f)) return lowest;
  return static_cast<Integer>(x);
}
}  // namespace rewarp

// ============================================================ 8-bit floats
// CUDA's (OCP) formats as types of our own. HIP 6.2 has only MI300's FNUZ formats, and later HIPs declare
// the OCP types for the host alone where the GPU converts the other formats; these are the same types in
// every file, on every GPU and on the host. E4M3 has no infinity, E5M2 has.
typedef unsigned char rewarp_fp8_storage_t;
typedef unsigned short rewarp_fp8x2_storage_t;
typedef unsigned rewarp_fp8x4_storage_t;
enum rewarp_saturation_t { REWARP_NOSAT, REWARP_SATFINITE };
enum rewarp_fp8_interpretation_t { REWARP_E4M3, REWARP_E5M2 };
enum rewarp_round_mode { REWARP_ROUND_NEAREST, REWARP_ROUND_ZERO, REWARP_ROUND_POS_INF, REWARP_ROUND_MIN_INF };

#if defined(__gfx950__) || defined(__GFX12__)
#define REWARP_CONVERTS_OCP 1
#endif

namespace rewarp {
template <typename To, typename From>
REWARP_HOST_DEVICE To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  __builtin_memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof(To));
  return to;
}

// The nearest number of the 8-bit format, ties to even, from the bits of any IEEE-like binary format.
template <int exponent_bits, typename Bits>
REWARP_HOST_DEVICE unsigned char to_fp8(Bits bits, rewarp_saturation_t saturation, rewarp_fp8_interpretation_t format) {
  constexpr int width = 8 * sizeof(Bits), fraction_bits = width - 1 - exponent_bits;
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr Bits sign_bit = static_cast<Bits>(Bits(1) << (width - 1)), leading_bit = Bits(1) << fraction_bits;
  constexpr Bits infinity = sign_bit - leading_bit;
  const bool e4m3 = format == REWARP_E4M3;
  const int kept_bits = e4m3 ? 3 : 2, smallest_normal = bias - (e4m3 ? 6 : 14), largest = e4m3 ? 0x7e : 0x7b;

  const Bits magnitude = bits & (sign_bit - 1);
  if (magnitude > infinity) return 0x7f;  // CUDA's one NaN
  const bool subnormal = magnitude < leading_bit;
  const int exponent = subnormal ? 1 : static_cast<int>(magnitude >> fraction_bits);
  const Bits significand = (magnitude & (leading_bit - 1)) | (subnormal ? Bits(0) : leading_bit);
  // Below the smallest normal number fewer bits are left; with all dropped, and one more, the result is 0.
  const int dropped = smaller(fraction_bits - kept_bits + larger(smallest_normal - exponent, 0), fraction_bits + 2);
  const Bits below_half = static_cast<Bits>((Bits(1) << (dropped - 1)) - 1), odd = significand >> dropped & 1;
  // A carry out of the fraction moves on into the exponent, as it should.
  int code = static_cast<int>((significand + below_half + odd) >> dropped);
  code += larger(exponent - smallest_normal, 0) << kept_bits;
  if (code > largest) code = saturation == REWARP_SATFINITE ? largest : e4m3 ? 0x7f : 0x7c;
  return static_cast<unsigned char>(code | (bits & sign_bit ? 0x80 : 0));
}

REWARP_HOST_DEVICE bool is_fp8_nan(unsigned char code, rewarp_fp8_interpretation_t format) {
  return (code & 0x7fu) > (format == REWARP_E4M3 ? 0x7eu : 0x7cu);
}
// Exact. No step goes through a subnormal float, which a compiler may flush to 0.
REWARP_HOST_DEVICE float fp8_to_float(unsigned char code, rewarp_fp8_interpretation_t format) {
  const bool e4m3 = format == REWARP_E4M3;
  if (is_fp8_nan(code, format)) return bits_as<float>(0x7fffffffu);
#if defined(REWARP_CONVERTS_OCP)
  return e4m3 ? __builtin_amdgcn_cvt_f32_fp8(code, 0) : __builtin_amdgcn_cvt_f32_bf8(code, 0);
#else
  const unsigned magnitude = code & 0x7fu, sign = (code & 0x80u) << 24;
  const bool subnormal = magnitude < (e4m3 ? 8u : 4u);
  const float multiple = static_cast<float>(magnitude) * (e4m3 ? 1.0f / 512.0f : 1.0f / 65536.0f);
  unsigned bits = e4m3 ? (magnitude << 20) + (120u << 23) : (magnitude << 21) + (112u << 23);
  if (subnormal) bits = bits_as<unsigned>(multiple);
  if (!e4m3 && magnitude == 0x7cu) bits = 0x7f800000u;
  return bits_as<float>(bits | sign);
#endif
}
REWARP_HOST_DEVICE unsigned short fp8_to_half_bits(unsigned char code, rewarp_fp8_interpretation_t format) {
  if (is_fp8_nan(code, format)) return 0x7fff;
  if (format == REWARP_E5M2 || (code & 0x7fu) == 0) return static_cast<unsigned short>(code << 8);
  // Every number of E4M3 is a normal half: a float with 13 bits less of fraction and another bias.
  const unsigned magnitude = bits_as<unsigned>(fp8_to_float(code & 0x7f, format));
  return static_cast<unsigned short>(((magnitude >> 13) - (112u << 10)) | (code & 0x80u) << 8);
}
REWARP_HOST_DEVICE unsigned short fp8_to_bf16_bits(unsigned char code, rewarp_fp8_interpretation_t format) {
  return static_cast<unsigned short>(bits_as<unsigned>(fp8_to_float(code, format)) >> 16);
}

// E8M0 is a power of two from 2^-127 to 2^127, without a sign; 0xff is NaN.
REWARP_HOST_DEVICE unsigned char to_e8m0(double x, rewarp_saturation_t saturation, rewarp_round_mode mode) {
  const unsigned long long bits = bits_as<unsigned long long>(x) & ~0ull >> 1, infinity = 0x7ffull << 52;
  if (bits > infinity) return 0xff;
  const bool up = mode == REWARP_ROUND_POS_INF, inexact = bits << 12 != 0;
  const int code = static_cast<int>(bits >> 52) - 1023 + 127 + (up && inexact);
  if (code > 0xfe) return saturation == REWARP_SATFINITE || (!up && bits != infinity) ? 0xfe : 0xff;
  return static_cast<unsigned char>(larger(code, 0));
}
REWARP_HOST_DEVICE unsigned char bf16_bits_to_e8m0(unsigned short bits, rewarp_saturation_t saturation,
                                                   rewarp_round_mode mode) {
  return to_e8m0(static_cast<double>(bits_as<float>(static_cast<unsigned>(bits) << 16)), saturation, mode);
}
REWARP_HOST_DEVICE unsigned short e8m0_to_bf16_bits(unsigned char code) {
  return code == 0xff ? 0x7fff : code == 0 ? 0x0040 : static_cast<unsigned short>(code << 7);
}

template <typename Two, typename One>
REWARP_HOST_DEVICE Two packed(One low, One high) {
  return static_cast<Two>(low | static_cast<Two>(high) << 8 * sizeof(One));
}
}  // namespace rewarp

REWARP_HOST_DEVICE rewarp_fp8_storage_t rewarp_cvt_double_to_fp8(double x, rewarp_saturation_t saturation,
                                                                 rewarp_fp8_interpretation_t format) {
  const unsigned long long bits = rewarp::bits_as<unsigned long long>(x);
  // Unlike the others, this conversion keeps a NaN's sign and, in E5M2, its leading fraction bits.
  if (bits << 1 > 0x7ffull << 53) {
    const unsigned code = format == REWARP_E4M3 ? 0x7fu : 0x7eu | static_cast<unsigned>(bits >> 50 & 3u);
    return static_cast<rewarp_fp8_storage_t>(code | static_cast<unsigned>(bits >> 63) << 7);
  }
  return rewarp::to_fp8<11>(bits, saturation, format);
}
REWARP_HOST_DEVICE rewarp_fp8_storage_t rewarp_cvt_float_to_fp8(float x, rewarp_saturation_t saturation,
                                                                rewarp_fp8_interpretation_t format) {
  const unsigned bits = rewarp::bits_as<unsigned>(x);
#if defined(REWARP_CONVERTS_OCP)
  if (saturation == REWARP_SATFINITE) {
    if (bits << 1 > 0xffu << 24) return 0x7f;
    const float limit = format == REWARP_E4M3 ? 448.0f : 57344.0f, inside = __builtin_amdgcn_fmed3f(x, limit, -limit);
    return static_cast<rewarp_fp8_storage_t>(format == REWARP_E4M3
                                                 ? __builtin_amdgcn_cvt_pk_fp8_f32(inside, inside, 0, false)
                                                 : __builtin_amdgcn_cvt_pk_bf8_f32(inside, inside, 0, false));
  }
#endif
  return rewarp::to_fp8<8>(bits, saturation, format);
}
REWARP_HOST_DEVICE rewarp_fp8_storage_t rewarp_cvt_double_to_e8m0(double x, rewarp_saturation_t saturation,
                                                                  rewarp_round_mode mode) {
  return rewarp::to_e8m0(x, saturation, mode);
}
REWARP_HOST_DEVICE rewarp_fp8_storage_t rewarp_cvt_float_to_e8m0(float x, rewarp_saturation_t saturation,
                                                                 rewarp_round_mode mode) {
  return rewarp::to_e8m0(x, saturation, mode);
}

#if !defined(REWARP_HIP_PORTABLE_ONLY)
// NAME converts each half of a pair with CONVERT.
#define REWARP_CVT_PAIR(NAME, PAIR, CONVERT, OPTION)                                                                   \
  REWARP_HOST_DEVICE rewarp_fp8x2_storage_t NAME(PAIR x, rewarp_saturation_t saturation, OPTION option) {              \
    return rewarp::packed<rewarp_fp8x2_storage_t>(CONVERT(x.x, saturation, option), CONVERT(x.y, saturation, option)); \
  }
REWARP_CVT_PAIR(rewarp_cvt_float2_to_fp8x2, float2, rewarp_cvt_float_to_fp8, rewarp_fp8_interpretation_t)
REWARP_CVT_PAIR(rewarp_cvt_double2_to_fp8x2, double2, rewarp_cvt_double_to_fp8, rewarp_fp8_interpretation_t)
REWARP_CVT_PAIR(rewarp_cvt_float2_to_e8m0x2, float2, rewarp::to_e8m0, rewarp_round_mode)
REWARP_CVT_PAIR(rewarp_cvt_double2_to_e8m0x2, double2, rewarp::to_e8m0, rewarp_round_mode)
#endif
#if defined(REWARP_HAS_FP16)
REWARP_HOST_DEVICE rewarp_fp8_storage_t rewarp_cvt_halfraw_to_fp8(__half_raw x, rewarp_saturation_t saturation,
                                                                  rewarp_fp8_interpretation_t format) {
  return rewarp::to_fp8<5>(x.x, saturation, format);
}
REWARP_HOST_DEVICE __half_raw rewarp_cvt_fp8_to_halfraw(rewarp_fp8_storage_t x, rewarp_fp8_interpretation_t format) {
  return rewarp::bits_as<__half_raw>(rewarp::fp8_to_half_bits(x, format));
}
REWARP_CVT_PAIR(rewarp_cvt_halfraw2_to_fp8x2, __half2_raw, rewarp_cvt_halfraw_to_fp8, rewarp_fp8_interpretation_t)
REWARP_HOST_DEVICE __half2_raw rewarp_cvt_fp8x2_to_halfraw2(rewarp_fp8x2_storage_t x,
                                                            rewarp_fp8_interpretation_t format) {
  return rewarp::bits_as<__half2_raw>(
      rewarp::packed<unsigned>(rewarp::fp8_to_half_bits(static_cast<unsigned char>(x), format),
                               rewarp::fp8_to_half_bits(static_cast<unsigned char>(x >> 8), format)));
}
#endif
#if defined(REWARP_HAS_BF16)
REWARP_HOST_DEVICE rewarp_fp8_storage_t rewarp_cvt_bfloat16raw_to_fp8(__hip_bfloat16_raw x,
                                                                      rewarp_saturation_t saturation,
                                                                      rewarp_fp8_interpretation_t format) {
  return rewarp::to_fp8<8>(x.x, saturation, format);
}
REWARP_CVT_PAIR(rewarp_cvt_bfloat16raw2_to_fp8x2, __hip_bfloat162_raw, rewarp::to_fp8<8>, rewarp_fp8_interpretation_t)
REWARP_HOST_DEVICE rewarp_fp8_storage_t rewarp_cvt_bfloat16raw_to_e8m0(__hip_bfloat16_raw x,
                                                                       rewarp_saturation_t saturation,
                                                                       rewarp_round_mode mode) {
  return rewarp::bf16_bits_to_e8m0(x.x, saturation, mode);
}
REWARP_CVT_PAIR(rewarp_cvt_bfloat162raw_to_e8m0x2, __hip_bfloat162_raw, rewarp::bf16_bits_to_e8m0, rewarp_round_mode)
REWARP_HOST_DEVICE __hip_bfloat16_raw rewarp_cvt_e8m0_to_bf16raw(rewarp_fp8_storage_t x) {
  return rewarp::bits_as<__hip_bfloat16_raw>(rewarp::e8m0_to_bf16_bits(x));
}
REWARP_HOST_DEVICE __hip_bfloat162_raw rewarp_cvt_e8m0x2_to_bf162raw(rewarp_fp8x2_storage_t x) {
  return rewarp::bits_as<__hip_bfloat162_raw>(
      rewarp::packed<unsigned>(rewarp::e8m0_to_bf16_bits(static_cast<unsigned char>(x)),
                               rewarp::e8m0_to_bf16_bits(static_cast<unsigned char>(x >> 8))));
}
#endif

namespace rewarp {
template <rewarp_fp8_interpretation_t format>
struct Fp8 {
  rewarp_fp8_storage_t __x;

  Fp8() = default;
  explicit REWARP_HOST_DEVICE Fp8(float x) : __x(rewarp_cvt_float_to_fp8(x, REWARP_SATFINITE, format)) {}
  explicit REWARP_HOST_DEVICE Fp8(double x) : __x(rewarp_cvt_double_to_fp8(x, REWARP_SATFINITE, format)) {}
  explicit REWARP_HOST_DEVICE operator float() const { return fp8_to_float(__x, format); }
  explicit REWARP_HOST_DEVICE operator double() const { return static_cast<double>(fp8_to_float(__x, format)); }
  explicit REWARP_HOST_DEVICE operator bool() const { return (__x & 0x7fu) != 0; }
#define REWARP_FP8_FROM_INTEGER(T) \
  explicit REWARP_HOST_DEVICE Fp8(T x) : __x(Fp8(static_cast<float>(x)).__x) {}
#define REWARP_FP8_TO_INTEGER(T)                                                  \
  explicit REWARP_HOST_DEVICE operator T() const {                                \
    return float_to_integer<T>(fp8_to_float(__x, format), Rounding::toward_zero); \
  }
#define REWARP_FP8_INTEGER(T) \
  REWARP_FP8_FROM_INTEGER(T)  \
  REWARP_FP8_TO_INTEGER(T)
  REWARP_FP8_INTEGER(short)
  REWARP_FP8_INTEGER(unsigned short)
  REWARP_FP8_INTEGER(int)
  REWARP_FP8_INTEGER(unsigned)
  REWARP_FP8_INTEGER(long)
  REWARP_FP8_INTEGER(unsigned long)
  REWARP_FP8_INTEGER(long long)
  REWARP_FP8_INTEGER(unsigned long long)
  REWARP_FP8_TO_INTEGER(char)
  REWARP_FP8_TO_INTEGER(signed char)
  REWARP_FP8_TO_INTEGER(unsigned char)
#if defined(REWARP_HAS_FP16)
  explicit REWARP_HOST_DEVICE Fp8(__half x) : __x(rewarp_cvt_halfraw_to_fp8(x, REWARP_SATFINITE, format)) {}
  explicit REWARP_HOST_DEVICE operator __half() const { return rewarp_cvt_fp8_to_halfraw(__x, format); }
#endif
#if defined(REWARP_HAS_BF16)
  explicit REWARP_HOST_DEVICE Fp8(__hip_bfloat16 x) : __x(rewarp_cvt_bfloat16raw_to_fp8(x, REWARP_SATFINITE, format)) {}
  explicit REWARP_HOST_DEVICE operator __hip_bfloat16() const {
    return bits_as<__hip_bfloat16>(fp8_to_bf16_bits(__x, format));
  }
#endif
};
#if !defined(REWARP_HIP_PORTABLE_ONLY)
template <rewarp_fp8_interpretation_t format>
struct Fp8x2 {
  rewarp_fp8x2_storage_t __x;

  Fp8x2() = default;
  explicit REWARP_HOST_DEVICE Fp8x2(float2 x) : __x(rewarp_cvt_float2_to_fp8x2(x, REWARP_SATFINITE, format)) {}
  explicit REWARP_HOST_DEVICE Fp8x2(double2 x) : __x(rewarp_cvt_double2_to_fp8x2(x, REWARP_SATFINITE, format)) {}
  explicit REWARP_HOST_DEVICE operator float2() const {
    return make_float2(fp8_to_float(static_cast<unsigned char>(__x), format),
                       fp8_to_float(static_cast<unsigned char>(__x >> 8), format));
  }
#if defined(REWARP_HAS_FP16)
  explicit REWARP_HOST_DEVICE Fp8x2(__half2 x) : __x(rewarp_cvt_halfraw2_to_fp8x2(x, REWARP_SATFINITE, format)) {}
  explicit REWARP_HOST_DEVICE operator __half2() const { return rewarp_cvt_fp8x2_to_halfraw2(__x, format); }
#endif
#if defined(REWARP_HAS_BF16)
  explicit REWARP_HOST_DEVICE Fp8x2(__hip_bfloat162 x)
      : __x(rewarp_cvt_bfloat16raw2_to_fp8x2(x, REWARP_SATFINITE, format)) {}
#endif
};
template <rewarp_fp8_interpretation_t format>
struct Fp8x4 {
  typedef Fp8x2<format> Pair;
  rewarp_fp8x4_storage_t __x;

  Fp8x4() = default;
  explicit REWARP_HOST_DEVICE Fp8x4(float4 x) : Fp8x4(Pair(make_float2(x.x, x.y)), Pair(make_float2(x.z, x.w))) {}
  explicit REWARP_HOST_DEVICE Fp8x4(double4 x) : Fp8x4(Pair(make_double2(x.x, x.y)), Pair(make_double2(x.z, x.w))) {}
  explicit REWARP_HOST_DEVICE operator float4() const {
    Pair low, high;
    low.__x = static_cast<rewarp_fp8x2_storage_t>(__x), high.__x = static_cast<rewarp_fp8x2_storage_t>(__x >> 16);
    const float2 x = static_cast<float2>(low), y = static_cast<float2>(high);
    return make_float4(x.x, x.y, y.x, y.y);
  }
#if defined(REWARP_HAS_FP16)
  explicit REWARP_HOST_DEVICE Fp8x4(__half2 low, __half2 high) : Fp8x4(Pair(low), Pair(high)) {}
#endif
#if defined(REWARP_HAS_BF16)
  explicit REWARP_HOST_DEVICE Fp8x4(__hip_bfloat162 low, __hip_bfloat162 high) : Fp8x4(Pair(low), Pair(high)) {}
#endif

 private:
  REWARP_HOST_DEVICE Fp8x4(Pair low, Pair high) : __x(packed<rewarp_fp8x4_storage_t>(low.__x, high.__x)) {}
};
#endif
}  // namespace rewarp
typedef rewarp::Fp8<REWARP_E4M3> rewarp_fp8_e4m3;
typedef rewarp::Fp8<REWARP_E5M2> rewarp_fp8_e5m2;
#if !defined(REWARP_HIP_PORTABLE_ONLY)
typedef rewarp::Fp8x2<REWARP_E4M3> rewarp_fp8x2_e4m3;
typedef rewarp::Fp8x2<REWARP_E5M2> rewarp_fp8x2_e5m2;
typedef rewarp::Fp8x4<REWARP_E4M3> rewarp_fp8x4_e4m3;
typedef rewarp::Fp8x4<REWARP_E5M2> rewarp_fp8x4_e5m2;
#endif

#if defined(REWARP_HIP_PORTABLE_ONLY)
namespace rewarp {
#endif

// What warpSize was in CUDA; see "warps of 32 lanes".
constexpr int rewarp_warp_size = rewarp::warp_size;

// ============================================================ bits
// The position of the offset-th set bit, counted from base (downwards if negative); -1 if there is none.
REWARP_PLAIN unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return mask >> (base & 31u) & 1u ? base : 0xffffffffu;
  const int step = offset < 0 ? -1 : 1;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step)
    if (mask >> bit & 1u && (offset -= step) == 0) return static_cast<unsigned>(bit);
  return 0xffffffffu;
}

// ============================================================ SIMD in a word
// x, y and z stand for one lane of the first, second and third word, as int; Lane is the lane's own type.
#define REWARP_SIMD1(NAME, LANE, EXPRESSION)                                                               \
  REWARP_PLAIN unsigned NAME(unsigned a) {                                                                 \
    typedef LANE Lane;                                                                                     \
    return rewarp::each_lane<Lane>(a, 0, 0, [](int x, int, int) { return static_cast<int>(EXPRESSION); }); \
  }
#define REWARP_SIMD2(NAME, LANE, EXPRESSION)                                                                 \
  REWARP_PLAIN unsigned NAME(unsigned a, unsigned b) {                                                       \
    typedef LANE Lane;                                                                                       \
    return rewarp::each_lane<Lane>(a, b, 0, [](int x, int y, int) { return static_cast<int>(EXPRESSION); }); \
  }
#define REWARP_SIMD3(NAME, LANE, EXPRESSION)                                                                   \
  REWARP_PLAIN unsigned NAME(unsigned a, unsigned b, unsigned c) {                                             \
    typedef LANE Lane;                                                                                         \
    return rewarp::each_lane<Lane>(a, b, c, [](int x, int y, int z) { return static_cast<int>(EXPRESSION); }); \
  }

// NAME2 works on two 16-bit lanes, NAME4 on four 8-bit lanes.
#define REWARP_SIMD_UNARY(NAME, EXPRESSION) \
  REWARP_SIMD1(NAME##2, short, EXPRESSION)  \
  REWARP_SIMD1(NAME##4, signed char, EXPRESSION)
#define REWARP_SIMD_SIGNED(NAME, EXPRESSION) \
  REWARP_SIMD2(NAME##2, short, EXPRESSION)   \
  REWARP_SIMD2(NAME##4, signed char, EXPRESSION)
#define REWARP_SIMD_UNSIGNED(NAME, EXPRESSION)      \
  REWARP_SIMD2(NAME##2, unsigned short, EXPRESSION) \
  REWARP_SIMD2(NAME##4, unsigned char, EXPRESSION)

REWARP_SIMD_UNARY(__vabs, x < 0 ? -x : x)
REWARP_SIMD_UNARY(__vabsss, rewarp::saturate<Lane>(x < 0 ? -x : x))
REWARP_SIMD_UNARY(__vneg, -x)
REWARP_SIMD_UNARY(__vnegss, rewarp::saturate<Lane>(-x))
REWARP_SIMD_UNSIGNED(__vadd, x + y)
REWARP_SIMD_UNSIGNED(__vsub, x - y)
REWARP_SIMD_SIGNED(__vaddss, rewarp::saturate<Lane>(x + y))
REWARP_SIMD_UNSIGNED(__vaddus, rewarp::saturate<Lane>(x + y))
REWARP_SIMD_SIGNED(__vsubss, rewarp::saturate<Lane>(x - y))
REWARP_SIMD_UNSIGNED(__vsubus, rewarp::saturate<Lane>(x - y))
REWARP_SIMD_SIGNED(__vabsdiffs, x > y ? x - y : y - x)
REWARP_SIMD_UNSIGNED(__vabsdiffu, x > y ? x - y : y - x)
// The signed average rounds a half away from zero, the unsigned one up, __vhaddu down.
REWARP_SIMD_SIGNED(__vavgs, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)
REWARP_SIMD_UNSIGNED(__vavgu, (x + y + 1) >> 1)
REWARP_SIMD_UNSIGNED(__vhaddu, (x + y) >> 1)
REWARP_SIMD_SIGNED(__vmaxs, x > y ? x : y)
REWARP_SIMD_SIGNED(__vmins, x < y ? x : y)
REWARP_SIMD_UNSIGNED(__vmaxu, x > y ? x : y)
REWARP_SIMD_UNSIGNED(__vminu, x < y ? x : y)

// __vcmp* give a lane of ones where the comparison holds, __vset* the number 1.
#define REWARP_SIMD_COMPARE(SIGNEDNESS, NAME, COMPARISON)       \
  REWARP_SIMD_##SIGNEDNESS(__vcmp##NAME, (COMPARISON) ? -1 : 0) \
      REWARP_SIMD_##SIGNEDNESS(__vset##NAME, (COMPARISON) ? 1 : 0)
REWARP_SIMD_COMPARE(UNSIGNED, eq, x == y)
REWARP_SIMD_COMPARE(UNSIGNED, ne, x != y)
REWARP_SIMD_COMPARE(SIGNED, ges, x >= y)
REWARP_SIMD_COMPARE(SIGNED, gts, x > y)
REWARP_SIMD_COMPARE(SIGNED, les, x <= y)
REWARP_SIMD_COMPARE(SIGNED, lts, x < y)
REWARP_SIMD_COMPARE(UNSIGNED, geu, x >= y)
REWARP_SIMD_COMPARE(UNSIGNED, gtu, x > y)
REWARP_SIMD_COMPARE(UNSIGNED, leu, x <= y)
REWARP_SIMD_COMPARE(UNSIGNED, ltu, x < y)

REWARP_PLAIN unsigned __vsads2(unsigned a, unsigned b) { return rewarp::sum_of_differences<short>(a, b); }
REWARP_PLAIN unsigned __vsads4(unsigned a, unsigned b) { return rewarp::sum_of_differences<signed char>(a, b); }
REWARP_PLAIN unsigned __vsadu2(unsigned a, unsigned b) { return rewarp::sum_of_differences<unsigned short>(a, b); }
REWARP_PLAIN unsigned __vsadu4(unsigned a, unsigned b) { return rewarp::sum_of_differences<unsigned char>(a, b); }

// Minimum and maximum of two or three, or of a (wrapping) sum; _relu also raises negatives to 0.
#define REWARP_MINMAX(NAME, PICK)                                                                                     \
  REWARP_PLAIN int __vi##NAME##_s32_relu(int a, int b) { return rewarp::larger(rewarp::PICK(a, b), 0); }              \
  REWARP_PLAIN int __vi##NAME##3_s32(int a, int b, int c) { return rewarp::PICK(rewarp::PICK(a, b), c); }             \
  REWARP_PLAIN int __vi##NAME##3_s32_relu(int a, int b, int c) {                                                      \
    return rewarp::larger(__vi##NAME##3_s32(a, b, c), 0);                                                             \
  }                                                                                                                   \
  REWARP_PLAIN unsigned __vi##NAME##3_u32(unsigned a, unsigned b, unsigned c) {                                       \
    return rewarp::PICK(rewarp::PICK(a, b), c);                                                                       \
  }                                                                                                                   \
  REWARP_PLAIN int __viadd##NAME##_s32(int a, int b, int c) { return rewarp::PICK(rewarp::wrapping_add(a, b), c); }   \
  REWARP_PLAIN int __viadd##NAME##_s32_relu(int a, int b, int c) {                                                    \
    return rewarp::larger(__viadd##NAME##_s32(a, b, c), 0);                                                           \
  }                                                                                                                   \
  REWARP_PLAIN unsigned __viadd##NAME##_u32(unsigned a, unsigned b, unsigned c) { return rewarp::PICK(a + b, c); }    \
  REWARP_SIMD2(__vi##NAME##_s16x2_relu, short, rewarp::larger(rewarp::PICK(x, y), 0))                                 \
  REWARP_SIMD3(__vi##NAME##3_s16x2, short, rewarp::PICK(rewarp::PICK(x, y), z))                                       \
  REWARP_SIMD3(__vi##NAME##3_s16x2_relu, short, rewarp::larger(rewarp::PICK(rewarp::PICK(x, y), z), 0))               \
  REWARP_SIMD3(__vi##NAME##3_u16x2, unsigned short, rewarp::PICK(rewarp::PICK(x, y), z))                              \
  REWARP_SIMD3(__viadd##NAME##_s16x2, short, rewarp::PICK<int>(static_cast<short>(x + y), z))                         \
  REWARP_SIMD3(__viadd##NAME##_s16x2_relu, short, rewarp::larger(rewarp::PICK<int>(static_cast<short>(x + y), z), 0)) \
  REWARP_SIMD3(__viadd##NAME##_u16x2, unsigned short, rewarp::PICK<int>(static_cast<unsigned short>(x + y), z))
REWARP_MINMAX(max, larger)
REWARP_MINMAX(min, smaller)

// The __vib forms also tell whether the first argument was the one chosen (it wins a tie).
#define REWARP_MINMAX_WHICH(NAME, OPERATOR)                                                                 \
  REWARP_PLAIN int __vib##NAME##_s32(int a, int b, bool* first) { return (*first = a OPERATOR b) ? a : b; } \
  REWARP_PLAIN unsigned __vib##NAME##_u32(unsigned a, unsigned b, bool* first) {                            \
    return (*first = a OPERATOR b) ? a : b;                                                                 \
  }                                                                                                         \
  REWARP_PLAIN unsigned __vib##NAME##_s16x2(unsigned a, unsigned b, bool* first_high, bool* first_low) {    \
    *first_high = static_cast<short>(a >> 16) OPERATOR static_cast<short>(b >> 16);                         \
    *first_low = static_cast<short>(a) OPERATOR static_cast<short>(b);                                      \
    return ((*first_high ? a : b) & 0xffff0000u) | ((*first_low ? a : b) & 0xffffu);                        \
  }                                                                                                         \
  REWARP_PLAIN unsigned __vib##NAME##_u16x2(unsigned a, unsigned b, bool* first_high, bool* first_low) {    \
    *first_high = (a >> 16) OPERATOR(b >> 16);                                                              \
    *first_low = (a & 0xffffu) OPERATOR(b & 0xffffu);                                                       \
    return ((*first_high ? a : b) & 0xffff0000u) | ((*first_low ? a : b) & 0xffffu);                        \
  }
REWARP_MINMAX_WHICH(max, >=)
REWARP_MINMAX_WHICH(min, <=)

// ============================================================ means and distances of integers
// HIP's own lose the carry, or overflow, which its compiler takes as never.
REWARP_PLAIN int rewarp_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
REWARP_PLAIN unsigned rewarp_uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
REWARP_PLAIN unsigned rewarp_urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }
REWARP_PLAIN unsigned rewarp_sad(int a, int b, unsigned c) {
  const unsigned x = static_cast<unsigned>(a), y = static_cast<unsigned>(b);
  return (a > b ? x - y : y - x) + c;
}

// ============================================================ dot products of small integers
// The loops are what the instructions do, where the target has them.
#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define REWARP_SIGNED_DOT4(A, B, C) __builtin_amdgcn_sdot4(A, B, C, false)
#elif defined(__GFX11__) || defined(__GFX12__)
#define REWARP_SIGNED_DOT4(A, B, C) __builtin_amdgcn_sudot4(true, A, true, B, C, false)
#endif
#if defined(REWARP_SIGNED_DOT4)
#define REWARP_UNSIGNED_DOT4(A, B, C) __builtin_amdgcn_udot4(A, B, C, false)
#else
#define REWARP_SIGNED_DOT4(A, B, C) (rewarp::dot4<int, signed char>(A, B, C))
#define REWARP_UNSIGNED_DOT4(A, B, C) (rewarp::dot4<unsigned, unsigned char>(A, B, C))
#endif
REWARP_PLAIN int __dp4a(int a, int b, int c) { return REWARP_SIGNED_DOT4(a, b, c); }
REWARP_PLAIN unsigned __dp4a(unsigned a, unsigned b, unsigned c) { return REWARP_UNSIGNED_DOT4(a, b, c); }
// Two 16-bit numbers of a with the two low (or high) bytes of b.
REWARP_PLAIN int __dp2a_lo(int a, int b, int c) { return rewarp::dot2<int, short, signed char>(a, b, c); }
REWARP_PLAIN int __dp2a_hi(int a, int b, int c) { return rewarp::dot2<int, short, signed char>(a, b >> 16, c); }
REWARP_PLAIN unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return rewarp::dot2<unsigned, unsigned short, unsigned char>(a, b, c);
}
REWARP_PLAIN unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
  return rewarp::dot2<unsigned, unsigned short, unsigned char>(a, b >> 16, c);
}

#if defined(REWARP_HIP_PORTABLE_ONLY)
}  // namespace rewarp
#endif

// ============================================================ device code
#if defined(__HIP__) && !defined(REWARP_HIP_PORTABLE_ONLY)

// ------------------------------------------------------------ warps of 32 lanes
// CUDA passes 32-bit masks and means warps of 32; HIP's own functions take 64-bit masks and mean
// whole waves. The overloads below take the 32-bit masks and keep CUDA's meaning on either width;
// 64-bit masks still go to HIP. A file that uses them must say rewarp_warp_size where it said
// warpSize (64 on CDNA): then lane and warp numbers, shared arrays per warp, shuffle widths and
// masks all speak of the same 32 lanes. What cannot be kept: the two warps of one 64-wide wave
// run in lock step, so one may not spin waiting for the other.
//
// HIP 6's own __ballot asks through a comparison that clang 22 takes for another where the predicate is `isfinite(x)`:
// NaN counts as finite then.
#if __has_builtin(__builtin_amdgcn_ballot_w64)
#define REWARP_BALLOT(predicate) __builtin_amdgcn_ballot_w64((predicate) != 0)
#else
#define REWARP_BALLOT(predicate) __ballot(predicate)
#endif
REWARP_DEVICE unsigned rewarp_lane_id() { return __lane_id() & 31u; }
REWARP_DEVICE unsigned rewarp_ballot(int predicate) { return rewarp::own_warp(REWARP_BALLOT(predicate), __lane_id()); }
REWARP_DEVICE unsigned rewarp_activemask() { return rewarp_ballot(1); }
REWARP_DEVICE int rewarp_any(int predicate) { return rewarp_ballot(predicate) != 0; }
REWARP_DEVICE int rewarp_all(int predicate) { return rewarp_ballot(!predicate) == 0; }
REWARP_DEVICE unsigned rewarp_lanemask_eq() { return 1u << rewarp_lane_id(); }
REWARP_DEVICE unsigned rewarp_lanemask_lt() { return rewarp_lanemask_eq() - 1u; }
REWARP_DEVICE unsigned rewarp_lanemask_le() { return rewarp_lanemask_lt() | rewarp_lanemask_eq(); }
REWARP_DEVICE unsigned rewarp_lanemask_ge() { return ~rewarp_lanemask_lt(); }
REWARP_DEVICE unsigned rewarp_lanemask_gt() { return ~rewarp_lanemask_le(); }

namespace rewarp {
// A value of any size as the 32-bit words that the hardware moves between lanes.
template <typename T>
struct Words {
  static constexpr int count = (sizeof(T) + 3) / 4;
  unsigned word[count];
  __device__ explicit Words(const T& value) : word{} {
    __builtin_memcpy(word, static_cast<const void*>(&value), sizeof(T));
  }
  __device__ T value(T result) const {
    __builtin_memcpy(static_cast<void*>(&result), word, sizeof(T));
    return result;
  }
};
template <typename T, typename Move>
REWARP_DEVICE T by_words(const T& value, Move move) {
  Words<T> words(value);
  for (int i = 0; i < Words<T>::count; ++i) words.word[i] = move(words.word[i]);
  return words.value(value);
}
// The value that a lane (0..31) of the caller's own warp holds.
template <typename T>
REWARP_DEVICE T from_lane(const T& value, int lane) {
  const int address = static_cast<int>((__lane_id() & ~31u) | static_cast<unsigned>(lane)) * 4;
  return by_words(value, [=](unsigned word) {
    return static_cast<unsigned>(__builtin_amdgcn_ds_bpermute(address, static_cast<int>(word)));
  });
}
template <typename T>
REWARP_DEVICE unsigned lanes_with_same_bits(const T& value) {
  const Words<T> mine(value);
  unsigned same = 0;
  bool done = false;
  // Each turn serves every lane that holds what the first waiting lane holds.
  while (__any(!done)) {
    if (!done) {
      bool equal = true;
      for (int i = 0; i < Words<T>::count; ++i)
        equal &= mine.word[i] == static_cast<unsigned>(__builtin_amdgcn_readfirstlane(static_cast<int>(mine.word[i])));
      if (equal) {
        same = rewarp_activemask();
        done = true;
      }
    }
  }
  return same;
}
template <typename T, typename Op>
REWARP_DEVICE T reduce_lanes(unsigned mask, T value, Op op) {
  const unsigned members = mask & rewarp_activemask();
  if (__all(members == 0xffffffffu)) {
    for (int distance = 16; distance > 0; distance /= 2)
      value = op(value, from_lane(value, static_cast<int>(rewarp_lane_id()) ^ distance));
    return value;
  }
  // Every lane takes part in each of the 32 steps: a lane that has left cannot be read from.
  T result = value;
#pragma clang loop unroll(disable)
  for (int lane = 0; lane < warp_size; ++lane) {
    const T other = from_lane(value, lane);
    if ((members >> lane & 1u) && lane != static_cast<int>(rewarp_lane_id())) result = op(result, other);
  }
  return result;
}
}  // namespace rewarp

template <typename T>
REWARP_DEVICE T rewarp_shfl(T value, int source, int width = rewarp_warp_size) {
  return rewarp::from_lane(value, rewarp::shfl_lane(rewarp_lane_id(), source, width));
}
template <typename T>
REWARP_DEVICE T rewarp_shfl_up(T value, unsigned delta, int width = rewarp_warp_size) {
  return rewarp::from_lane(value, rewarp::shfl_up_lane(rewarp_lane_id(), delta, width));
}
template <typename T>
REWARP_DEVICE T rewarp_shfl_down(T value, unsigned delta, int width = rewarp_warp_size) {
  return rewarp::from_lane(value, rewarp::shfl_down_lane(rewarp_lane_id(), delta, width));
}
template <typename T>
REWARP_DEVICE T rewarp_shfl_xor(T value, int lane_mask, int width = rewarp_warp_size) {
  return rewarp::from_lane(value, rewarp::shfl_xor_lane(rewarp_lane_id(), lane_mask, width));
}
REWARP_DEVICE void rewarp_syncwarp() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
REWARP_PLAIN_DEVICE void __syncwarp() { rewarp_syncwarp(); }

// Masks are written as unsigned (0xffffffff) or as int (-1); each needs an exact overload, because
// HIP's templates take any mask type and refuse 32-bit ones only afterwards.
#define REWARP_SHUFFLE(MASK, NAME, OURS, OPERAND)                                      \
  template <typename T>                                                                \
  REWARP_DEVICE T NAME(MASK, T value, OPERAND operand, int width = rewarp_warp_size) { \
    return OURS(value, operand, width);                                                \
  }
REWARP_SHUFFLE(unsigned, __shfl_sync, rewarp_shfl, int)
REWARP_SHUFFLE(int, __shfl_sync, rewarp_shfl, int)
REWARP_SHUFFLE(unsigned, __shfl_up_sync, rewarp_shfl_up, unsigned)
REWARP_SHUFFLE(int, __shfl_up_sync, rewarp_shfl_up, unsigned)
REWARP_SHUFFLE(unsigned, __shfl_down_sync, rewarp_shfl_down, unsigned)
REWARP_SHUFFLE(int, __shfl_down_sync, rewarp_shfl_down, unsigned)
REWARP_SHUFFLE(unsigned, __shfl_xor_sync, rewarp_shfl_xor, int)
REWARP_SHUFFLE(int, __shfl_xor_sync, rewarp_shfl_xor, int)
#define REWARP_SYNCWARP(MASK)                                \
  REWARP_DEVICE void __syncwarp(MASK) { rewarp_syncwarp(); }
REWARP_SYNCWARP(unsigned)
REWARP_SYNCWARP(int)
#define REWARP_VOTES(MASK)                                                                                \
  REWARP_DEVICE unsigned __ballot_sync(MASK mask, int predicate) {                                        \
    return rewarp_ballot(predicate) & static_cast<unsigned>(mask);                                        \
  }                                                                                                       \
  REWARP_DEVICE int __any_sync(MASK mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }  \
  REWARP_DEVICE int __all_sync(MASK mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
REWARP_VOTES(unsigned)
REWARP_VOTES(int)
#define REWARP_MATCHES(MASK)                                                   \
  template <typename T>                                                        \
  REWARP_DEVICE unsigned __match_any_sync(MASK mask, T value) {                \
    return rewarp::lanes_with_same_bits(value) & static_cast<unsigned>(mask);  \
  }                                                                            \
  template <typename T>                                                        \
  REWARP_DEVICE unsigned __match_all_sync(MASK mask, T value, int* all_same) { \
    const unsigned same = __match_any_sync(mask, value);                       \
    *all_same = same == __ballot_sync(mask, 1);                                \
    return *all_same ? same : 0u;                                              \
  }
REWARP_MATCHES(unsigned)
REWARP_MATCHES(int)

// Where HIP keeps its own functions hidden, 64-bit masks (whole waves) are served here.
#if defined(REWARP_NO_WIDE_MASKS)
#define REWARP_WAVE_SHUFFLE(NAME, OPERAND)                                            \
  template <typename Mask, typename T>                                                \
  REWARP_DEVICE T NAME##_sync(Mask, T value, OPERAND operand, int width = warpSize) { \
    static_assert(sizeof(Mask) == 8, "a mask has 32 bits for a warp, 64 for a wave"); \
    return NAME(value, operand, width);                                               \
  }
REWARP_WAVE_SHUFFLE(__shfl, int)
REWARP_WAVE_SHUFFLE(__shfl_up, unsigned)
REWARP_WAVE_SHUFFLE(__shfl_down, unsigned)
REWARP_WAVE_SHUFFLE(__shfl_xor, int)
template <typename Mask>
REWARP_DEVICE Mask __ballot_sync(Mask mask, int predicate) {
  static_assert(sizeof(Mask) == 8, "a mask has 32 bits for a warp, 64 for a wave");
  return REWARP_BALLOT(predicate) & mask;
}
template <typename Mask>
REWARP_DEVICE int __any_sync(Mask mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
template <typename Mask>
REWARP_DEVICE int __all_sync(Mask mask, int predicate) {
  return __ballot_sync(mask, !predicate) == 0;
}
#endif
#if defined(HIP_VERSION) && HIP_VERSION < 70000000
template <typename Mask>
REWARP_DEVICE void __syncwarp(Mask) {
  rewarp_syncwarp();
}
#endif

#define REWARP_REDUCE_SYNC(NAME, MASK, T, EXPRESSION)                                 \
  REWARP_DEVICE T __reduce_##NAME##_sync(MASK mask, T value) {                        \
    return rewarp::reduce_lanes(static_cast<unsigned>(mask), value,                   \
                                [](T x, T y) { return static_cast<T>(EXPRESSION); }); \
  }
#define REWARP_REDUCE_SYNC_ALL(MASK)                             \
  REWARP_REDUCE_SYNC(add, MASK, unsigned, x + y)                 \
  REWARP_REDUCE_SYNC(add, MASK, int, rewarp::wrapping_add(x, y)) \
  REWARP_REDUCE_SYNC(min, MASK, unsigned, rewarp::smaller(x, y)) \
  REWARP_REDUCE_SYNC(min, MASK, int, rewarp::smaller(x, y))      \
  REWARP_REDUCE_SYNC(max, MASK, unsigned, rewarp::larger(x, y))  \
  REWARP_REDUCE_SYNC(max, MASK, int, rewarp::larger(x, y))       \
  REWARP_REDUCE_SYNC(and, MASK, unsigned, x& y)                  \
  REWARP_REDUCE_SYNC(or, MASK, unsigned, x | y)                  \
  REWARP_REDUCE_SYNC(xor, MASK, unsigned, x ^ y)
REWARP_REDUCE_SYNC_ALL(unsigned)
REWARP_REDUCE_SYNC_ALL(int)

// ------------------------------------------------------------ traps, waits, clocks, address spaces
REWARP_PLAIN void __trap() { __builtin_trap(); }
REWARP_PLAIN_DEVICE void __brkpt() { __builtin_debugtrap(); }
REWARP_PLAIN_DEVICE void __prof_trigger(int) {}
// s_sleep counts units of 64 clocks, about 32 ns. The time is a hint, as it is on NVIDIA.
REWARP_PLAIN_DEVICE void __nanosleep(unsigned nanoseconds) {
  for (unsigned units = nanoseconds / 32 + 1; units > 0; --units) __builtin_amdgcn_s_sleep(1);
}
// PTX's %globaltimer, in nanoseconds: AMD's constant clock ticks at 100 MHz.
REWARP_DEVICE unsigned long long rewarp_globaltimer() { return static_cast<unsigned long long>(wall_clock64()) * 10u; }

#define REWARP_SHARED_POINTER __attribute__((address_space(3))) void*
REWARP_PLAIN_DEVICE size_t __cvta_generic_to_shared(const void* pointer) {
  return reinterpret_cast<size_t>((REWARP_SHARED_POINTER) const_cast<void*>(pointer));
}
REWARP_PLAIN_DEVICE void* __cvta_shared_to_generic(size_t address) { return (void*)(REWARP_SHARED_POINTER)address; }
REWARP_PLAIN_DEVICE size_t __cvta_generic_to_global(const void* pointer) { return reinterpret_cast<size_t>(pointer); }
REWARP_PLAIN_DEVICE void* __cvta_global_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
#define REWARP_FLAT(POINTER) ((const __attribute__((address_space(0))) void*)(POINTER))
REWARP_PLAIN_DEVICE unsigned __isShared(const void* pointer) {
  return __builtin_amdgcn_is_shared(REWARP_FLAT(pointer));
}
REWARP_PLAIN_DEVICE unsigned __isLocal(const void* pointer) {
  return __builtin_amdgcn_is_private(REWARP_FLAT(pointer));
}
REWARP_PLAIN_DEVICE unsigned __isGlobal(const void* pointer) { return !__isShared(pointer) && !__isLocal(pointer); }

// ------------------------------------------------------------ cache hints
// "Streaming" and "last use" become nontemporal accesses, "volatile" a volatile one; the other
// hints name NVIDIA's cache levels and are plain accesses here.
namespace rewarp {
// An integer or vector as large as the value, because the builtins do not take structs such as float4.
template <size_t Bytes>
struct Raw;
#define REWARP_RAW(BYTES, ...) \
  template <>                  \
  struct Raw<BYTES> {          \
    typedef __VA_ARGS__ type;  \
  };
REWARP_RAW(1, unsigned char __attribute__((may_alias)))
REWARP_RAW(2, unsigned short __attribute__((may_alias)))
REWARP_RAW(4, unsigned __attribute__((may_alias)))
REWARP_RAW(8, unsigned long long __attribute__((may_alias)))
REWARP_RAW(16, unsigned __attribute__((ext_vector_type(4), may_alias)))

template <typename T>
struct Same {
  typedef T type;
};

}  // namespace rewarp

REWARP_PLAIN_DEVICE int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(rewarp::bits_as<int>(a), rewarp::bits_as<int>(b), c);
}
REWARP_PLAIN_DEVICE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return __dp4a(rewarp::bits_as<unsigned>(a), rewarp::bits_as<unsigned>(b), c);
}

#define REWARP_LOAD(NAME, ACCESS)                                                             \
  template <typename T>                                                                       \
  REWARP_DEVICE T NAME(const T* address) {                                                    \
    const auto raw = reinterpret_cast<const typename rewarp::Raw<sizeof(T)>::type*>(address); \
    return rewarp::bits_as<T>(ACCESS);                                                        \
  }
REWARP_LOAD(__ldg, *raw)
REWARP_LOAD(__ldca, *raw)
REWARP_LOAD(__ldcg, *raw)
REWARP_LOAD(__ldcs, __builtin_nontemporal_load(raw))
REWARP_LOAD(__ldlu, __builtin_nontemporal_load(raw))
template <typename T>
REWARP_DEVICE T __ldcv(const T* address) {
  typedef typename rewarp::Raw<sizeof(T)>::type Bits;
  const Bits bits = *reinterpret_cast<const volatile Bits*>(address);
  return rewarp::bits_as<T>(bits);
}
#define REWARP_STORE(NAME, ACCESS)                                            \
  template <typename T>                                                       \
  REWARP_DEVICE void NAME(T* address, typename rewarp::Same<T>::type value) { \
    typedef typename rewarp::Raw<sizeof(T)>::type Bits;                       \
    const auto raw = reinterpret_cast<Bits*>(address);                        \
    const Bits bits = rewarp::bits_as<Bits>(value);                           \
    ACCESS;                                                                   \
  }
REWARP_STORE(__stwb, *raw = bits)
REWARP_STORE(__stcg, *raw = bits)
REWARP_STORE(__stwt, *raw = bits)
REWARP_STORE(__stcs, __builtin_nontemporal_store(bits, raw))

// ------------------------------------------------------------ programmatic dependent launch
// A kernel begins when the ones before it have ended, so there is nothing to wait for and nothing to trigger.
REWARP_PLAIN_DEVICE void cudaGridDependencySynchronize() {}
REWARP_PLAIN_DEVICE void cudaTriggerProgrammaticLaunchCompletion() {}

// ------------------------------------------------------------ asynchronous copies
// The copy is done when the call returns, so there is nothing to commit or to wait for.
REWARP_PLAIN_DEVICE void __pipeline_memcpy_async(void* target, const void* source, size_t bytes, size_t zeros = 0) {
  rewarp::copy_and_fill(target, source, static_cast<unsigned>(bytes), static_cast<unsigned>(bytes - zeros));
}
REWARP_PLAIN_DEVICE void __pipeline_commit() {}
REWARP_PLAIN_DEVICE void __pipeline_wait_prior(size_t) {}

// ------------------------------------------------------------ arithmetic in a given rounding mode
// The compiler's headers declare these only under a macro that must be set before the first include.
#define REWARP_DIRECTED(NAME, OCML, T, PARAMETERS, ARGUMENTS, SUFFIX)                           \
  extern "C" __device__ __attribute__((const)) T __ocml_##OCML##_rtn_##SUFFIX PARAMETERS;       \
  extern "C" __device__ __attribute__((const)) T __ocml_##OCML##_rtp_##SUFFIX PARAMETERS;       \
  extern "C" __device__ __attribute__((const)) T __ocml_##OCML##_rtz_##SUFFIX PARAMETERS;       \
  REWARP_PLAIN_DEVICE T NAME##_rd PARAMETERS { return __ocml_##OCML##_rtn_##SUFFIX ARGUMENTS; } \
  REWARP_PLAIN_DEVICE T NAME##_ru PARAMETERS { return __ocml_##OCML##_rtp_##SUFFIX ARGUMENTS; } \
  REWARP_PLAIN_DEVICE T NAME##_rz PARAMETERS { return __ocml_##OCML##_rtz_##SUFFIX ARGUMENTS; }
REWARP_DIRECTED(__fadd, add, float, (float x, float y), (x, y), f32)
REWARP_DIRECTED(__fsub, sub, float, (float x, float y), (x, y), f32)
REWARP_DIRECTED(__fmul, mul, float, (float x, float y), (x, y), f32)
REWARP_DIRECTED(__fmaf, fma, float, (float x, float y, float z), (x, y, z), f32)
REWARP_DIRECTED(__dadd, add, double, (double x, double y), (x, y), f64)
REWARP_DIRECTED(__dsub, sub, double, (double x, double y), (x, y), f64)
REWARP_DIRECTED(__dmul, mul, double, (double x, double y), (x, y), f64)
REWARP_DIRECTED(__fma, fma, double, (double x, double y, double z), (x, y, z), f64)
REWARP_PLAIN_DEVICE float __fmaf_ieee_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
REWARP_PLAIN_DEVICE float __tanhf(float x) { return tanhf(x); }
REWARP_PLAIN_DEVICE double fdivide(double x, double y) { return x / y; }

// ------------------------------------------------------------ errors
// HIP has the texts of errors on the host only.
template <typename Error>
REWARP_DEVICE const char* rewarp_error_text(Error error) {
  return error == Error() ? "no error" : "an error; call hipGetErrorString on the host for its text";
}

// ------------------------------------------------------------ bits of a long
// HIP has __ffsll for long long with and without a sign, and a long could become either.
namespace rewarp {
template <typename T>
struct IfLong {};
template <>
struct IfLong<long> {
  typedef int type;
};
template <>
struct IfLong<unsigned long> {
  typedef int type;
};
}  // namespace rewarp
template <typename T>
REWARP_DEVICE typename rewarp::IfLong<T>::type __ffsll(T x) {
  return __builtin_ffsll(static_cast<long long>(x));
}

// ------------------------------------------------------------ minimum and maximum by type
// Of a signed and an unsigned integer CUDA gives an unsigned one, HIP's templates a double.
namespace rewarp {
template <typename T, typename Wanted, typename Result>
struct IfSame {};
template <typename T, typename Result>
struct IfSame<T, T, Result> {
  typedef Result type;
};
}  // namespace rewarp
#define REWARP_MIXED_SIGNS(NAME, CHOICE, SIGNED, UNSIGNED)                                 \
  template <typename T>                                                                    \
  REWARP_DEVICE typename rewarp::IfSame<T, SIGNED, UNSIGNED>::type NAME(T x, UNSIGNED y) { \
    return rewarp::CHOICE(static_cast<UNSIGNED>(x), y);                                    \
  }                                                                                        \
  template <typename T>                                                                    \
  REWARP_DEVICE typename rewarp::IfSame<T, SIGNED, UNSIGNED>::type NAME(UNSIGNED x, T y) { \
    return rewarp::CHOICE(x, static_cast<UNSIGNED>(y));                                    \
  }
REWARP_MIXED_SIGNS(min, smaller, int, unsigned)
REWARP_MIXED_SIGNS(max, larger, int, unsigned)
REWARP_MIXED_SIGNS(min, smaller, long, unsigned long)
REWARP_MIXED_SIGNS(max, larger, long, unsigned long)
REWARP_MIXED_SIGNS(min, smaller, long long, unsigned long long)
REWARP_MIXED_SIGNS(max, larger, long long, unsigned long long)
REWARP_PLAIN unsigned umin(unsigned x, unsigned y) { return rewarp::smaller(x, y); }
REWARP_PLAIN unsigned umax(unsigned x, unsigned y) { return rewarp::larger(x, y); }
REWARP_PLAIN long long llmin(long long x, long long y) { return rewarp::smaller(x, y); }
REWARP_PLAIN long long llmax(long long x, long long y) { return rewarp::larger(x, y); }
REWARP_PLAIN unsigned long long ullmin(unsigned long long x, unsigned long long y) { return rewarp::smaller(x, y); }
REWARP_PLAIN unsigned long long ullmax(unsigned long long x, unsigned long long y) { return rewarp::larger(x, y); }

// ------------------------------------------------------------ atomics
// CUDA's _block atomics are ordered for the block only.
#define REWARP_ATOMIC_BLOCK(NAME, OPERATION)                                                         \
  template <typename T>                                                                              \
  REWARP_DEVICE T NAME##_block(T* address, typename rewarp::Same<T>::type value) {                   \
    return __hip_atomic_##OPERATION(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); \
  }
REWARP_ATOMIC_BLOCK(atomicAdd, fetch_add)
REWARP_ATOMIC_BLOCK(atomicAnd, fetch_and)
REWARP_ATOMIC_BLOCK(atomicOr, fetch_or)
REWARP_ATOMIC_BLOCK(atomicXor, fetch_xor)
REWARP_ATOMIC_BLOCK(atomicMin, fetch_min)
REWARP_ATOMIC_BLOCK(atomicMax, fetch_max)
REWARP_ATOMIC_BLOCK(atomicExch, exchange)
template <typename T>
REWARP_DEVICE T atomicSub_block(T* address, typename rewarp::Same<T>::type value) {
  return atomicAdd_block(address, static_cast<T>(T(0) - value));
}
template <typename T>
REWARP_DEVICE T atomicCAS_block(T* address, typename rewarp::Same<T>::type expected,
                                typename rewarp::Same<T>::type desired) {
  __hip_atomic_compare_exchange_strong(address, &expected, desired, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_WORKGROUP);
  return expected;
}
// Counters that wrap round at a limit. LLVM's name for the scope of the whole system is the empty one.
#define REWARP_ATOMIC_WRAPPING(NAME, OPERATION)                                                \
  template <typename T>                                                                        \
  REWARP_DEVICE T NAME##_block(T* address, typename rewarp::Same<T>::type limit) {             \
    return __builtin_amdgcn_atomic_##OPERATION(address, limit, __ATOMIC_RELAXED, "workgroup"); \
  }                                                                                            \
  template <typename T>                                                                        \
  REWARP_DEVICE T NAME##_system(T* address, typename rewarp::Same<T>::type limit) {            \
    return __builtin_amdgcn_atomic_##OPERATION(address, limit, __ATOMIC_RELAXED, "");          \
  }
REWARP_ATOMIC_WRAPPING(atomicInc, inc32)
REWARP_ATOMIC_WRAPPING(atomicDec, dec32)
// The family of CUDA 12.8 that names an order and a scope.
#if !defined(__NV_ATOMIC_RELAXED)
#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD __HIP_MEMORY_SCOPE_SINGLETHREAD
#define __NV_THREAD_SCOPE_BLOCK __HIP_MEMORY_SCOPE_WORKGROUP
#define __NV_THREAD_SCOPE_CLUSTER __HIP_MEMORY_SCOPE_AGENT
#define __NV_THREAD_SCOPE_DEVICE __HIP_MEMORY_SCOPE_AGENT
#define __NV_THREAD_SCOPE_SYSTEM __HIP_MEMORY_SCOPE_SYSTEM
#endif
template <typename T>
REWARP_DEVICE T __nv_atomic_load_n(const T* address, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __hip_atomic_load(address, order, scope);
}
template <typename T>
REWARP_DEVICE void __nv_atomic_load(const T* address, T* result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __hip_atomic_load(address, order, scope);
}
template <typename T>
REWARP_DEVICE void __nv_atomic_store_n(T* address, typename rewarp::Same<T>::type value, int order,
                                       int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __hip_atomic_store(address, value, order, scope);
}
template <typename T>
REWARP_DEVICE void __nv_atomic_store(T* address, const T* value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __hip_atomic_store(address, *value, order, scope);
}
template <typename T>
REWARP_DEVICE T __nv_atomic_exchange_n(T* address, typename rewarp::Same<T>::type value, int order,
                                       int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __hip_atomic_exchange(address, value, order, scope);
}
template <typename T>
REWARP_DEVICE void __nv_atomic_exchange(T* address, const T* value, T* result, int order,
                                        int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __hip_atomic_exchange(address, *value, order, scope);
}
template <typename T>
REWARP_DEVICE bool __nv_atomic_compare_exchange_n(T* address, T* expected, typename rewarp::Same<T>::type desired, bool,
                                                  int success, int failure, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __hip_atomic_compare_exchange_strong(address, expected, desired, success, failure, scope);
}
template <typename T>
REWARP_DEVICE bool __nv_atomic_compare_exchange(T* address, T* expected, const T* desired, bool weak, int success,
                                                int failure, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(address, expected, *desired, weak, success, failure, scope);
}
#define REWARP_ATOMIC_ORDERED(FETCH, NAME, OPERATION)                                  \
  template <typename T>                                                                \
  REWARP_DEVICE T FETCH(T* address, typename rewarp::Same<T>::type value, int order,   \
                        int scope = __NV_THREAD_SCOPE_SYSTEM) {                        \
    return __hip_atomic_##OPERATION(address, value, order, scope);                     \
  }                                                                                    \
  template <typename T>                                                                \
  REWARP_DEVICE void NAME(T* address, typename rewarp::Same<T>::type value, int order, \
                          int scope = __NV_THREAD_SCOPE_SYSTEM) {                      \
    __hip_atomic_##OPERATION(address, value, order, scope);                            \
  }
REWARP_ATOMIC_ORDERED(__nv_atomic_fetch_add, __nv_atomic_add, fetch_add)
REWARP_ATOMIC_ORDERED(__nv_atomic_fetch_and, __nv_atomic_and, fetch_and)
REWARP_ATOMIC_ORDERED(__nv_atomic_fetch_or, __nv_atomic_or, fetch_or)
REWARP_ATOMIC_ORDERED(__nv_atomic_fetch_xor, __nv_atomic_xor, fetch_xor)
REWARP_ATOMIC_ORDERED(__nv_atomic_fetch_min, __nv_atomic_min, fetch_min)
REWARP_ATOMIC_ORDERED(__nv_atomic_fetch_max, __nv_atomic_max, fetch_max)
template <typename T>
REWARP_DEVICE T __nv_atomic_fetch_sub(T* address, typename rewarp::Same<T>::type value, int order,
                                      int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_fetch_add(address, static_cast<T>(T(0) - value), order, scope);
}
template <typename T>
REWARP_DEVICE void __nv_atomic_sub(T* address, typename rewarp::Same<T>::type value, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_fetch_sub(address, value, order, scope);
}
// The widest fence does for all of them.
REWARP_PLAIN_DEVICE void __nv_atomic_thread_fence(int, int = __NV_THREAD_SCOPE_SYSTEM) { __threadfence_system(); }

REWARP_PLAIN_DEVICE unsigned short atomicCAS(unsigned short* address, unsigned short expected, unsigned short desired) {
  __hip_atomic_compare_exchange_strong(address, &expected, desired, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_AGENT);
  return expected;
}
namespace rewarp {
// A compare-and-swap loop: right on every memory kind, where the packed hardware add is not.
template <typename T, typename Add>
REWARP_DEVICE T atomic_add_by_swap(T* address, Add add) {
  typedef typename Raw<sizeof(T)>::type Bits;
  Bits* const raw = reinterpret_cast<Bits*>(address);
  Bits seen = __hip_atomic_load(raw, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while (!__hip_atomic_compare_exchange_strong(raw, &seen, bits_as<Bits>(add(bits_as<T>(seen))), __ATOMIC_RELAXED,
                                               __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
  }
  return bits_as<T>(seen);
}
}  // namespace rewarp

// ------------------------------------------------------------ half and bf16
#if defined(REWARP_HAS_FP16)
namespace rewarp {
REWARP_HOST_DEVICE float to_float(__half x) { return __half2float(x); }
REWARP_HOST_DEVICE bool is_nan(float x) { return x != x; }
REWARP_HOST_DEVICE float unit_interval(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
}  // namespace rewarp

// What CUDA has for both types and HIP for neither, or for one only. The float in between never
// shows: sums and products of two such numbers round to the same result through it.
#define REWARP_BOTH_ROUNDED(T, PAIR, FROM_FLOAT, MAKE_PAIR, LOW, HIGH)                                        \
  REWARP_PLAIN_DEVICE T __hadd_rn(T a, T b) { return FROM_FLOAT(rewarp::to_float(a) + rewarp::to_float(b)); } \
  REWARP_PLAIN_DEVICE T __hsub_rn(T a, T b) { return FROM_FLOAT(rewarp::to_float(a) - rewarp::to_float(b)); } \
  REWARP_PLAIN_DEVICE T __hmul_rn(T a, T b) { return FROM_FLOAT(rewarp::to_float(a) * rewarp::to_float(b)); } \
  REWARP_PAIRWISE2(PAIR, __hadd2_rn, __hadd_rn, MAKE_PAIR, LOW, HIGH)                                         \
  REWARP_PAIRWISE2(PAIR, __hsub2_rn, __hsub_rn, MAKE_PAIR, LOW, HIGH)                                         \
  REWARP_PAIRWISE2(PAIR, __hmul2_rn, __hmul_rn, MAKE_PAIR, LOW, HIGH)
#define REWARP_BOTH_RELU(T, PAIR, FROM_FLOAT, MAKE_PAIR, LOW, HIGH)                                  \
  REWARP_PLAIN_DEVICE T __hfma_relu(T a, T b, T c) {                                                 \
    const T r = __hfma(a, b, c);                                                                     \
    return rewarp::to_float(r) > 0.0f || rewarp::is_nan(rewarp::to_float(r)) ? r : FROM_FLOAT(0.0f); \
  }                                                                                                  \
  REWARP_PLAIN_DEVICE PAIR __hfma2_relu(PAIR a, PAIR b, PAIR c) {                                    \
    return MAKE_PAIR(__hfma_relu(LOW(a), LOW(b), LOW(c)), __hfma_relu(HIGH(a), HIGH(b), HIGH(c)));   \
  }
#define REWARP_BOTH_EXTREMES(T, PAIR, FROM_FLOAT, MAKE_PAIR, LOW, HIGH) \
  REWARP_PAIRWISE2(PAIR, __hmax2, __hmax, MAKE_PAIR, LOW, HIGH)         \
  REWARP_PAIRWISE2(PAIR, __hmin2, __hmin, MAKE_PAIR, LOW, HIGH)
#define REWARP_BOTH_EXTREMES_NAN(T, PAIR, FROM_FLOAT, MAKE_PAIR, LOW, HIGH) \
  REWARP_PLAIN_DEVICE T __hmax_nan(T a, T b) {                              \
    const float x = rewarp::to_float(a), y = rewarp::to_float(b);           \
    return rewarp::is_nan(x) || (!rewarp::is_nan(y) && x > y) ? a : b;      \
  }                                                                         \
  REWARP_PLAIN_DEVICE T __hmin_nan(T a, T b) {                              \
    const float x = rewarp::to_float(a), y = rewarp::to_float(b);           \
    return rewarp::is_nan(x) || (!rewarp::is_nan(y) && x < y) ? a : b;      \
  }                                                                         \
  REWARP_PAIRWISE2(PAIR, __hmax2_nan, __hmax_nan, MAKE_PAIR, LOW, HIGH)     \
  REWARP_PAIRWISE2(PAIR, __hmin2_nan, __hmin_nan, MAKE_PAIR, LOW, HIGH)
#define REWARP_BOTH_TANH(T, PAIR, FROM_FLOAT, MAKE_PAIR, LOW, HIGH)                            \
  REWARP_PLAIN_DEVICE T htanh(T a) { return FROM_FLOAT(tanhf(rewarp::to_float(a))); }          \
  REWARP_PLAIN_DEVICE T htanh_approx(T a) { return htanh(a); }                                 \
  REWARP_PLAIN_DEVICE PAIR h2tanh(PAIR a) { return MAKE_PAIR(htanh(LOW(a)), htanh(HIGH(a))); } \
  REWARP_PLAIN_DEVICE PAIR h2tanh_approx(PAIR a) { return h2tanh(a); }
#define REWARP_BOTH_SATURATED(T, PAIR, FROM_FLOAT, MAKE_PAIR, LOW, HIGH)                         \
  REWARP_PLAIN_DEVICE T __hadd_sat(T a, T b) {                                                   \
    return FROM_FLOAT(rewarp::unit_interval(rewarp::to_float(__hadd_rn(a, b))));                 \
  }                                                                                              \
  REWARP_PLAIN_DEVICE T __hsub_sat(T a, T b) {                                                   \
    return FROM_FLOAT(rewarp::unit_interval(rewarp::to_float(__hsub_rn(a, b))));                 \
  }                                                                                              \
  REWARP_PLAIN_DEVICE T __hmul_sat(T a, T b) {                                                   \
    return FROM_FLOAT(rewarp::unit_interval(rewarp::to_float(__hmul_rn(a, b))));                 \
  }                                                                                              \
  REWARP_PLAIN_DEVICE T __hfma_sat(T a, T b, T c) {                                              \
    return FROM_FLOAT(rewarp::unit_interval(rewarp::to_float(__hfma(a, b, c))));                 \
  }                                                                                              \
  REWARP_PAIRWISE2(PAIR, __hadd2_sat, __hadd_sat, MAKE_PAIR, LOW, HIGH)                          \
  REWARP_PAIRWISE2(PAIR, __hsub2_sat, __hsub_sat, MAKE_PAIR, LOW, HIGH)                          \
  REWARP_PAIRWISE2(PAIR, __hmul2_sat, __hmul_sat, MAKE_PAIR, LOW, HIGH)                          \
  REWARP_PLAIN_DEVICE PAIR __hfma2_sat(PAIR a, PAIR b, PAIR c) {                                 \
    return MAKE_PAIR(__hfma_sat(LOW(a), LOW(b), LOW(c)), __hfma_sat(HIGH(a), HIGH(b), HIGH(c))); \
  }
// a * b + c on complex numbers (low: real, high: imaginary)
#define REWARP_BOTH_COMPLEX(T, PAIR, FROM_FLOAT, MAKE_PAIR, LOW, HIGH)                 \
  REWARP_PLAIN_DEVICE PAIR __hcmadd(PAIR a, PAIR b, PAIR c) {                          \
    return MAKE_PAIR(__hfma(__hneg(HIGH(a)), HIGH(b), __hfma(LOW(a), LOW(b), LOW(c))), \
                     __hfma(HIGH(a), LOW(b), __hfma(LOW(a), HIGH(b), HIGH(c))));       \
  }
#define REWARP_BOTH_ATOMIC(T, PAIR, FROM_FLOAT, MAKE_PAIR, LOW, HIGH)                          \
  REWARP_PLAIN_DEVICE T atomicAdd(T* address, T value) {                                       \
    return rewarp::atomic_add_by_swap(address, [=](T old) { return __hadd(old, value); });     \
  }                                                                                            \
  REWARP_PLAIN_DEVICE PAIR atomicAdd(PAIR* address, PAIR value) {                              \
    return rewarp::atomic_add_by_swap(address, [=](PAIR old) { return __hadd2(old, value); }); \
  }
#define REWARP_BOTH_COMPARED(T, PAIR, FROM_FLOAT, MAKE_PAIR, LOW, HIGH)    \
  REWARP_COMPARE_PAIR(PAIR, FROM_FLOAT, MAKE_PAIR, eq, x == y)             \
  REWARP_COMPARE_PAIR(PAIR, FROM_FLOAT, MAKE_PAIR, ne, x<y || x> y)        \
  REWARP_COMPARE_PAIR(PAIR, FROM_FLOAT, MAKE_PAIR, le, x <= y)             \
  REWARP_COMPARE_PAIR(PAIR, FROM_FLOAT, MAKE_PAIR, ge, x >= y)             \
  REWARP_COMPARE_PAIR(PAIR, FROM_FLOAT, MAKE_PAIR, lt, x < y)              \
  REWARP_COMPARE_PAIR(PAIR, FROM_FLOAT, MAKE_PAIR, gt, x > y)              \
  REWARP_COMPARE_PAIR(PAIR, FROM_FLOAT, MAKE_PAIR, equ, !(x < y || x > y)) \
  REWARP_COMPARE_PAIR(PAIR, FROM_FLOAT, MAKE_PAIR, neu, !(x == y))         \
  REWARP_COMPARE_PAIR(PAIR, FROM_FLOAT, MAKE_PAIR, leu, !(x > y))          \
  REWARP_COMPARE_PAIR(PAIR, FROM_FLOAT, MAKE_PAIR, geu, !(x < y))          \
  REWARP_COMPARE_PAIR(PAIR, FROM_FLOAT, MAKE_PAIR, ltu, !(x >= y))         \
  REWARP_COMPARE_PAIR(PAIR, FROM_FLOAT, MAKE_PAIR, gtu, !(x <= y))

#define REWARP_PAIRWISE2(PAIR, NAME, SINGLE, MAKE_PAIR, LOW, HIGH) \
  REWARP_PLAIN_DEVICE PAIR NAME(PAIR a, PAIR b) { return MAKE_PAIR(SINGLE(LOW(a), LOW(b)), SINGLE(HIGH(a), HIGH(b))); }
// __heq2_mask and so on give 16 ones where the comparison holds, __heq2 the number 1. With a NaN
// the names ending in u are true and the others false.
#define REWARP_COMPARE_PAIR(PAIR, FROM_FLOAT, MAKE_PAIR, NAME, COMPARISON)                       \
  REWARP_PLAIN_DEVICE unsigned __h##NAME##2_mask(PAIR a, PAIR b) {                               \
    const auto holds = [](float x, float y) { return COMPARISON; };                              \
    return (holds(__low2float(a), __low2float(b)) ? 0x0000ffffu : 0u) |                          \
           (holds(__high2float(a), __high2float(b)) ? 0xffff0000u : 0u);                         \
  }                                                                                              \
  REWARP_PLAIN_DEVICE PAIR __h##NAME##2(PAIR a, PAIR b) {                                        \
    const unsigned mask = __h##NAME##2_mask(a, b);                                               \
    return MAKE_PAIR(FROM_FLOAT(mask & 1u ? 1.0f : 0.0f), FROM_FLOAT(mask >> 31 ? 1.0f : 0.0f)); \
  }

#define REWARP_FOR_HALF(MACRO) MACRO(__half, __half2, __float2half_rn, __halves2half2, __low2half, __high2half)
REWARP_FOR_HALF(REWARP_BOTH_ROUNDED)
REWARP_FOR_HALF(REWARP_BOTH_RELU)
REWARP_FOR_HALF(REWARP_BOTH_EXTREMES)
REWARP_FOR_HALF(REWARP_BOTH_EXTREMES_NAN)
REWARP_FOR_HALF(REWARP_BOTH_TANH)
REWARP_FOR_HALF(REWARP_BOTH_SATURATED)
REWARP_FOR_HALF(REWARP_BOTH_COMPLEX)
REWARP_FOR_HALF(REWARP_BOTH_ATOMIC)
REWARP_FOR_HALF(REWARP_BOTH_COMPARED)
REWARP_PLAIN_DEVICE __half __double2half(double x) { return rewarp::bits_as<__half>(static_cast<_Float16>(x)); }
REWARP_PLAIN_DEVICE signed char __half2char_rz(__half x) {
  return rewarp::float_to_integer<signed char>(__half2float(x), rewarp::Rounding::toward_zero);
}
REWARP_PLAIN_DEVICE unsigned char __half2uchar_rz(__half x) {
  return rewarp::float_to_integer<unsigned char>(__half2float(x), rewarp::Rounding::toward_zero);
}
#endif  // half

#if defined(REWARP_HAS_BF16)
namespace rewarp {
REWARP_HOST_DEVICE float to_float(__hip_bfloat16 x) { return __bfloat162float(x); }
REWARP_HOST_DEVICE __hip_bfloat16 bf16_from_bits(unsigned short bits) {
  __hip_bfloat16_raw raw;
  raw.x = bits;
  return __hip_bfloat16(raw);
}
REWARP_HOST_DEVICE __hip_bfloat16 bf16_rounded(float x, Rounding mode) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bf16_from_bits(float_bits_to_bf16(bits, mode));
}
}  // namespace rewarp
#define REWARP_FOR_BF16(MACRO) \
  MACRO(__hip_bfloat16, __hip_bfloat162, __float2bfloat16, __halves2bfloat162, __low2bfloat16, __high2bfloat16)
REWARP_FOR_BF16(REWARP_BOTH_ROUNDED)
REWARP_FOR_BF16(REWARP_BOTH_RELU)
REWARP_FOR_BF16(REWARP_BOTH_EXTREMES)
REWARP_FOR_BF16(REWARP_BOTH_EXTREMES_NAN)
REWARP_FOR_BF16(REWARP_BOTH_TANH)
REWARP_FOR_BF16(REWARP_BOTH_SATURATED)
REWARP_FOR_BF16(REWARP_BOTH_COMPLEX)
REWARP_FOR_BF16(REWARP_BOTH_ATOMIC)
REWARP_FOR_BF16(REWARP_BOTH_COMPARED)

REWARP_PLAIN __hip_bfloat162 make_bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) { return __hip_bfloat162(x, y); }
REWARP_PLAIN __hip_bfloat162 __float2bfloat162_rn(float x) { return __bfloat162bfloat162(__float2bfloat16(x)); }
REWARP_PLAIN __hip_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return __hip_bfloat162(__float2bfloat16(x), __float2bfloat16(y));
}
REWARP_PLAIN __hip_bfloat16 __float2bfloat16_rn(float x) { return __float2bfloat16(x); }

#define REWARP_BF16_INTEGER(NAME, INTEGER, SUFFIX, MODE)                                   \
  REWARP_PLAIN INTEGER __bfloat162##NAME##_##SUFFIX(__hip_bfloat16 x) {                    \
    return rewarp::float_to_integer<INTEGER>(__bfloat162float(x), rewarp::Rounding::MODE); \
  }                                                                                        \
  REWARP_PLAIN __hip_bfloat16 __##NAME##2bfloat16_##SUFFIX(INTEGER x) {                    \
    return rewarp::bf16_from_bits(rewarp::integer_to_bf16(x, rewarp::Rounding::MODE));     \
  }
#define REWARP_BF16_ROUNDING(SUFFIX, MODE)                  \
  REWARP_BF16_INTEGER(short, short, SUFFIX, MODE)           \
  REWARP_BF16_INTEGER(ushort, unsigned short, SUFFIX, MODE) \
  REWARP_BF16_INTEGER(int, int, SUFFIX, MODE)               \
  REWARP_BF16_INTEGER(uint, unsigned, SUFFIX, MODE)         \
  REWARP_BF16_INTEGER(ll, long long, SUFFIX, MODE)          \
  REWARP_BF16_INTEGER(ull, unsigned long long, SUFFIX, MODE)
REWARP_BF16_ROUNDING(rn, nearest)
REWARP_BF16_ROUNDING(rz, toward_zero)
REWARP_BF16_ROUNDING(rd, down)
REWARP_BF16_ROUNDING(ru, up)
REWARP_PLAIN __hip_bfloat16 __float2bfloat16_rz(float x) {
  return rewarp::bf16_rounded(x, rewarp::Rounding::toward_zero);
}
REWARP_PLAIN __hip_bfloat16 __float2bfloat16_rd(float x) { return rewarp::bf16_rounded(x, rewarp::Rounding::down); }
REWARP_PLAIN __hip_bfloat16 __float2bfloat16_ru(float x) { return rewarp::bf16_rounded(x, rewarp::Rounding::up); }
REWARP_PLAIN signed char __bfloat162char_rz(__hip_bfloat16 x) {
  return rewarp::float_to_integer<signed char>(__bfloat162float(x), rewarp::Rounding::toward_zero);
}
REWARP_PLAIN unsigned char __bfloat162uchar_rz(__hip_bfloat16 x) {
  return rewarp::float_to_integer<unsigned char>(__bfloat162float(x), rewarp::Rounding::toward_zero);
}
#endif  // bf16

// ------------------------------------------------------------ cooperative groups
#if defined(REWARP_HAS_COOPERATIVE_GROUPS)
// Newer HIP has these in headers of their own; then those are taken.
#if __has_include(<hip/amd_detail/amd_hip_cooperative_groups_reduce.h>)
#include <hip/amd_detail/amd_hip_cooperative_groups_reduce.h>
#define REWARP_HIP_HAS_GROUP_REDUCE 1
#endif
#if __has_include(<hip/amd_detail/amd_hip_cooperative_groups_memcpy.h>)
#include <hip/amd_detail/amd_hip_cooperative_groups_memcpy.h>
#define REWARP_HIP_HAS_GROUP_MEMCPY 1
#endif
namespace rewarp {
// The result type of a function on groups, and no function at all for anything else: with `using
// namespace cooperative_groups`, names such as reduce and wait must not catch a project's own calls.
template <typename Group>
const Group& some();
template <typename Group, typename Result, typename Sync = void>
struct OnGroup {};
template <typename Group, typename Result>
struct OnGroup<Group, Result, decltype(some<Group>().sync())> {
  typedef Result type;
};

// The groups' own shuffles take numbers only; CUDA's take any value that can be copied.
template <typename Group, typename T>
REWARP_DEVICE T group_shfl(const Group& group, const T& value, int rank) {
  return by_words(value, [&](unsigned word) { return group.shfl(word, rank); });
}
template <typename Group, typename T>
REWARP_DEVICE T group_shfl_up(const Group& group, const T& value, unsigned distance) {
  return by_words(value, [&](unsigned word) { return group.shfl_up(word, distance); });
}
// Groups that share a wave may differ in size; each thread reads from members of its own group only.
template <typename Group, typename T, typename Op>
REWARP_DEVICE T group_reduce(const Group& group, T value, Op op) {
  T result = group_shfl(group, value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank)
    result = op(result, group_shfl(group, value, static_cast<int>(rank)));
  return result;
}
// In a tile the size is a power of two, and halving distances need few steps.
template <unsigned Size, typename Parent, typename T, typename Op>
REWARP_DEVICE T group_reduce(const cooperative_groups::thread_block_tile<Size, Parent>& tile, T value, Op op) {
  for (unsigned distance = Size / 2; distance > 0; distance /= 2)
    value = op(value, by_words(value, [&](unsigned word) { return tile.shfl_xor(word, distance); }));
  return value;
}
template <typename Group>
struct OfOneWarp : Group {
  REWARP_DEVICE explicit OfOneWarp(unsigned long long lanes) : Group(lanes) {}
};
}  // namespace rewarp

// The threads of a coalesced group that are of one warp.
template <typename Group>
REWARP_DEVICE Group rewarp_warp_group(const Group&) {
  return rewarp::OfOneWarp<Group>(__ballot(1) & (0xffffffffull << (__lane_id() & 32u)));
}

namespace cooperative_groups {
#if !defined(REWARP_HIP_HAS_GROUP_REDUCE)
#define REWARP_GROUP_OPERATION(NAME, EXPRESSION)                                                 \
  template <typename T>                                                                          \
  struct NAME {                                                                                  \
    __device__ T operator()(const T& x, const T& y) const { return static_cast<T>(EXPRESSION); } \
  };
REWARP_GROUP_OPERATION(plus, x + y)
REWARP_GROUP_OPERATION(less, y < x ? y : x)
REWARP_GROUP_OPERATION(greater, x < y ? y : x)
REWARP_GROUP_OPERATION(bit_and, (x) & (y))
REWARP_GROUP_OPERATION(bit_or, x | y)
REWARP_GROUP_OPERATION(bit_xor, x ^ y)
template <typename Group, typename T, typename Op>
REWARP_DEVICE typename rewarp::OnGroup<Group, T>::type reduce(const Group& group, T value, Op op) {
  return rewarp::group_reduce(group, value, op);
}
#endif

template <typename Group, typename T, typename Op>
REWARP_DEVICE typename rewarp::OnGroup<Group, T>::type inclusive_scan(const Group& group, T value, Op op) {
  for (unsigned distance = 1; distance < group.size(); distance *= 2) {
    const T before = rewarp::group_shfl_up(group, value, distance);
    if (group.thread_rank() >= distance) value = op(before, value);
  }
  return value;
}
template <typename Group, typename T>
REWARP_DEVICE typename rewarp::OnGroup<Group, T>::type inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <typename Group, typename T, typename Op>
REWARP_DEVICE typename rewarp::OnGroup<Group, T>::type exclusive_scan(const Group& group, T value, Op op) {
  const T before = rewarp::group_shfl_up(group, inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T{} : before;
}
template <typename Group, typename T>
REWARP_DEVICE typename rewarp::OnGroup<Group, T>::type exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

// Threads of the group with the same label. Each turn serves the label of the first waiting thread;
// the leader's lane keeps apart groups that share a wave.
template <typename Group, typename Label>
REWARP_DEVICE typename rewarp::OnGroup<Group, coalesced_group>::type labeled_partition(const Group& group,
                                                                                       Label label) {
  const int leader = static_cast<int>(rewarp::group_shfl(group, __lane_id(), 0));
  coalesced_group part = coalesced_threads();
  bool done = false;
  while (__any(!done)) {
    if (!done && leader == __builtin_amdgcn_readfirstlane(leader) &&
        static_cast<int>(label) == __builtin_amdgcn_readfirstlane(static_cast<int>(label))) {
      part = coalesced_threads();
      done = true;
    }
  }
  return part;
}
// HIP 6.4 has its own, more specialised.
template <typename Group>
REWARP_DEVICE typename rewarp::OnGroup<Group, coalesced_group>::type binary_partition(const Group& group,
                                                                                      bool predicate) {
  return labeled_partition(group, static_cast<int>(predicate));
}
template <typename Group, typename Function, typename... Arguments>
REWARP_DEVICE typename rewarp::OnGroup<Group, void>::type invoke_one(const Group& group, Function&& function,
                                                                     Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}

#if !defined(REWARP_HIP_HAS_GROUP_MEMCPY)
// A plain copy by all threads of the group; wait() makes it visible to all of them.
template <typename Group, typename T>
REWARP_DEVICE typename rewarp::OnGroup<Group, void>::type memcpy_async(const Group& group, T* target, const T* source,
                                                                       size_t bytes) {
  const size_t count = bytes / sizeof(T);
  for (size_t i = group.thread_rank(); i < count; i += group.size()) target[i] = source[i];
}
template <typename Group, typename T>
REWARP_DEVICE typename rewarp::OnGroup<Group, void>::type memcpy_async(const Group& group, T* target,
                                                                       size_t target_count, const T* source,
                                                                       size_t source_count) {
  memcpy_async(group, target, source, rewarp::smaller(target_count, source_count) * sizeof(T));
}
template <typename Group>
REWARP_DEVICE typename rewarp::OnGroup<Group, void>::type wait(const Group& group) {
  group.sync();
}
template <unsigned Stages, typename Group>
REWARP_DEVICE typename rewarp::OnGroup<Group, void>::type wait_prior(const Group& group) {
  group.sync();
}
#endif
}  // namespace cooperative_groups
#endif  // cooperative groups

// ------------------------------------------------------------ matrix fragments
namespace nvcuda {}

// nvcuda::wmma for warps of 32, in plain arithmetic and shuffles: right on waves of either width and where only some
// of the warps come by. AMD's matrix instructions, and rocWMMA with them, take whole waves: faster, another algorithm.
//
// A register of the accumulator covers 32 / n rows of n columns. Those of a and b are laid out so that which register
// holds an element never depends on the lane, only which lane does.
namespace nvcuda {
namespace wmma {
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision
}  // namespace wmma
}  // namespace nvcuda

namespace rewarp {
namespace fragments {
using namespace nvcuda::wmma;

// What an element is kept as, what it is summed up as, and the way there and back.
template <typename T>
struct Element {
  using Kept = T;
  using Sum = float;
  REWARP_DEVICE static float widen(T x) { return to_float(x); }
  REWARP_DEVICE static T narrow(float x) { return T(x); }
};
template <>
struct Element<float> {
  using Kept = float;
  using Sum = float;
  REWARP_DEVICE static float widen(float x) { return x; }
  REWARP_DEVICE static float narrow(float x) { return x; }
};
template <>
struct Element<precision::tf32> : Element<float> {
  // The matrix units read the upper 19 bits.
  REWARP_DEVICE static float widen(float x) { return bits_as<float>(bits_as<unsigned>(x) & 0xffffe000u); }
};
template <typename T, typename Summed>
struct Plain {
  using Kept = T;
  using Sum = Summed;
  REWARP_DEVICE static Sum widen(T x) { return static_cast<Sum>(x); }
  REWARP_DEVICE static T narrow(Sum x) { return static_cast<T>(x); }
};
template <>
struct Element<double> : Plain<double, double> {};
template <>
struct Element<int> : Plain<int, int> {};
template <>
struct Element<signed char> : Plain<signed char, int> {};
template <>
struct Element<unsigned char> : Plain<unsigned char, int> {};

template <typename T>
REWARP_DEVICE T added(T to, T sum, bool) {
  return to + sum;
}
REWARP_DEVICE int added(int to, int sum, bool saturate) {
  const long long all = static_cast<long long>(to) + sum;
  if (!saturate) return static_cast<int>(static_cast<unsigned>(to) + static_cast<unsigned>(sum));
  return all > 0x7fffffffLL ? 0x7fffffff : all < -0x80000000LL ? -0x7fffffff - 1 : static_cast<int>(all);
}

template <typename Layout>
struct ByRows;
template <>
struct ByRows<row_major> {
  static constexpr bool value = true;
};
template <>
struct ByRows<col_major> {
  static constexpr bool value = false;
};

// The row and column of its matrix that a register holds in a lane, and how many registers there are.
template <int m, int n, int k>
struct Shape {
  static_assert(32 % n == 0 && m % (32 / n) == 0 && (k % n == 0 || n % k == 0) && k % (32 / n) == 0,
                "not a shape of wmma");
  static constexpr int rows = 32 / n, sums = m / rows, per_row = k > n ? k / n : 1;
};
template <typename Use, int m, int n, int k>
struct Spread;
template <int m, int n, int k>
struct Spread<matrix_a, m, n, k> : Shape<m, n, k> {
  using S = Shape<m, n, k>;
  static constexpr int count = S::sums * S::per_row;
  REWARP_DEVICE static int row(int at, int lane) { return at / S::per_row * S::rows + lane / n; }
  REWARP_DEVICE static int column(int at, int lane) { return (at % S::per_row * n + lane % n) % k; }
};
template <int m, int n, int k>
struct Spread<matrix_b, m, n, k> : Shape<m, n, k> {
  static constexpr int count = k / Shape<m, n, k>::rows;
  REWARP_DEVICE static int row(int at, int lane) { return at * Shape<m, n, k>::rows + lane / n; }
  REWARP_DEVICE static int column(int, int lane) { return lane % n; }
};
template <int m, int n, int k>
struct Spread<accumulator, m, n, k> : Shape<m, n, k> {
  static constexpr int count = Shape<m, n, k>::sums;
  REWARP_DEVICE static int row(int at, int lane) { return at * Shape<m, n, k>::rows + lane / n; }
  REWARP_DEVICE static int column(int, int lane) { return lane % n; }
};
}  // namespace fragments
}  // namespace rewarp

namespace nvcuda {
namespace wmma {
template <typename Use, int m, int n, int k, typename T, typename Layout = void>
struct fragment {
  using element_type = T;
  using storage_element_type = typename rewarp::fragments::Element<T>::Kept;
  static constexpr int num_elements = rewarp::fragments::Spread<Use, m, n, k>::count;
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];
};

template <typename Use, int m, int n, int k, typename T, typename Layout>
REWARP_DEVICE void fill_fragment(fragment<Use, m, n, k, T, Layout>& all,
                                 const typename fragment<Use, m, n, k, T, Layout>::storage_element_type& value) {
#pragma unroll
  for (int at = 0; at < all.num_elements; ++at) all.x[at] = value;
}
template <typename Use, int m, int n, int k, typename T, typename Layout>
REWARP_DEVICE void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& all,
                                    const typename fragment<Use, m, n, k, T, Layout>::storage_element_type* from,
                                    unsigned stride) {
  using Spread = rewarp::fragments::Spread<Use, m, n, k>;
  const int lane = rewarp_lane_id();
  constexpr bool by_rows = rewarp::fragments::ByRows<Layout>::value;
#pragma unroll
  for (int at = 0; at < all.num_elements; ++at) {
    const unsigned row = Spread::row(at, lane), column = Spread::column(at, lane);
    all.x[at] = from[by_rows ? row * stride + column : column * stride + row];
  }
}
template <int m, int n, int k, typename T>
REWARP_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T>& all, const T* from, unsigned stride,
                                    layout_t layout) {
  using Spread = rewarp::fragments::Spread<accumulator, m, n, k>;
  const int lane = rewarp_lane_id();
#pragma unroll
  for (int at = 0; at < all.num_elements; ++at) {
    const unsigned row = Spread::row(at, lane), column = Spread::column(at, lane);
    all.x[at] = from[layout == mem_row_major ? row * stride + column : column * stride + row];
  }
}
template <int m, int n, int k, typename T>
REWARP_DEVICE void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& all, unsigned stride,
                                     layout_t layout) {
  using Spread = rewarp::fragments::Spread<accumulator, m, n, k>;
  const int lane = rewarp_lane_id();
#pragma unroll
  for (int at = 0; at < all.num_elements; ++at) {
    const unsigned row = Spread::row(at, lane), column = Spread::column(at, lane);
    to[layout == mem_row_major ? row * stride + column : column * stride + row] = all.x[at];
  }
  rewarp_syncwarp();
}
template <int m, int n, int k, typename D, typename T, typename LayoutA, typename LayoutB, typename C>
REWARP_DEVICE void mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                            const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                            const fragment<accumulator, m, n, k, C>& c, bool saturate = false) {
  using Factor = rewarp::fragments::Element<T>;
  using Sum = typename Factor::Sum;
  using Shape = rewarp::fragments::Shape<m, n, k>;
  const int lane = rewarp_lane_id(), first_in_row = lane / n * n, column = lane % n;
  Sum sums[Shape::sums] = {};
#pragma unroll
  for (int step = 0; step < k; ++step) {
    const Sum right = rewarp::from_lane(Factor::widen(b.x[step / Shape::rows]), step % Shape::rows * n + column);
#pragma unroll
    for (int at = 0; at < Shape::sums; ++at) {
      const Sum left = Factor::widen(a.x[at * Shape::per_row + step / n]);
      sums[at] += rewarp::from_lane(left, first_in_row + step % n) * right;
    }
  }
#pragma unroll
  for (int at = 0; at < Shape::sums; ++at) {
    const Sum before = rewarp::fragments::Element<C>::widen(c.x[at]);
    d.x[at] = rewarp::fragments::Element<D>::narrow(rewarp::fragments::added(before, sums[at], saturate));
  }
}
// To the nearest of tf32's values, halves away from zero.
REWARP_DEVICE float __float_to_tf32(float x) {
  const unsigned bits = rewarp::bits_as<unsigned>(x);
  return (bits & 0x7f800000u) == 0x7f800000u ? x : rewarp::bits_as<float>((bits + 0x1000u) & 0xffffe000u);
}
}  // namespace wmma
}  // namespace nvcuda

#endif  // device code

// ============================================================ host calls
#if !defined(REWARP_HIP_PORTABLE_ONLY) && !defined(__HIPCC_RTC__)
#include <math.h>
#include <string.h>

#include <type_traits>

// CUDA takes a kernel as it is, HIP wants const void*. A template that HIP may gain for T, and the
// plain function for const void*, both go before these.
namespace rewarp {
template <typename Kernel>
using IfKernel = typename std::enable_if<std::is_function<Kernel>::value, hipError_t>::type;
}  // namespace rewarp
template <typename Kernel>
inline rewarp::IfKernel<Kernel> hipFuncSetAttribute(Kernel* kernel, hipFuncAttribute attribute, int value) {
  return hipFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <typename Kernel>
inline rewarp::IfKernel<Kernel> hipFuncSetCacheConfig(Kernel* kernel, hipFuncCache_t config) {
  return hipFuncSetCacheConfig(reinterpret_cast<const void*>(kernel), config);
}
template <typename Kernel>
inline rewarp::IfKernel<Kernel> hipFuncSetSharedMemConfig(Kernel* kernel, hipSharedMemConfig config) {
  return hipFuncSetSharedMemConfig(reinterpret_cast<const void*>(kernel), config);
}
template <typename Kernel>
inline rewarp::IfKernel<Kernel> hipFuncGetAttributes(hipFuncAttributes* attributes, Kernel* kernel) {
  return hipFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}

// Mathematics that CUDA has on the host too.
#if defined(__HIP__)
#define REWARP_PLAIN_HOST       \
  template <int StandsBack = 0> \
  __host__ inline
REWARP_PLAIN_HOST float rsqrtf(float x) { return 1.0f / ::sqrtf(x); }
REWARP_PLAIN_HOST double rsqrt(double x) { return 1.0 / ::sqrt(x); }
REWARP_PLAIN_HOST float rcbrtf(float x) { return 1.0f / ::cbrtf(x); }
REWARP_PLAIN_HOST double rcbrt(double x) { return 1.0 / ::cbrt(x); }
REWARP_PLAIN_HOST float normcdff(float x) { return 0.5f * ::erfcf(x * -0.70710678118654752f); }
REWARP_PLAIN_HOST double normcdf(double x) { return 0.5 * ::erfc(x * -0.70710678118654752); }
#if defined(REWARP_HAS_FP16)
// Arithmetic of half, which HIP has in kernels only. Through float it rounds to the same result.
#define REWARP_HOST_HALF(NAME, RESULT, MAKE, EXPRESSION)  \
  REWARP_PLAIN_HOST RESULT NAME(__half a, __half b) {     \
    const float x = __half2float(a), y = __half2float(b); \
    return MAKE(EXPRESSION);                              \
  }
REWARP_HOST_HALF(__hadd, __half, __float2half, x + y)
REWARP_HOST_HALF(__hsub, __half, __float2half, x - y)
REWARP_HOST_HALF(__hmul, __half, __float2half, x * y)
REWARP_HOST_HALF(__hdiv, __half, __float2half, x / y)
REWARP_HOST_HALF(__hmax, __half, __float2half, ::fmaxf(x, y))
REWARP_HOST_HALF(__hmin, __half, __float2half, ::fminf(x, y))
REWARP_HOST_HALF(__heq, bool, bool, x == y)
REWARP_HOST_HALF(__hne, bool, bool, x < y || x > y)
REWARP_HOST_HALF(__hlt, bool, bool, x < y)
REWARP_HOST_HALF(__hle, bool, bool, x <= y)
REWARP_HOST_HALF(__hgt, bool, bool, x > y)
REWARP_HOST_HALF(__hge, bool, bool, x >= y)
#define REWARP_HOST_HALF_SIGN(SIGN)                                          \
  REWARP_PLAIN_HOST __half operator SIGN(const __half& a, const __half& b) { \
    return __float2half(__half2float(a) SIGN __half2float(b));               \
  }                                                                          \
  REWARP_PLAIN_HOST __half& operator SIGN##=(__half& a, const __half& b) { return a = a SIGN b; }
#define REWARP_HOST_HALF2_SIGN(SIGN)                                              \
  REWARP_PLAIN_HOST __half2 operator SIGN(const __half2& a, const __half2& b) {   \
    return __half2(__half(a.x) SIGN __half(b.x), __half(a.y) SIGN __half(b.y));   \
  }                                                                               \
  REWARP_PLAIN_HOST __half2& operator SIGN##=(__half2& a, const __half2& b) { return a = a SIGN b; }
#define REWARP_HOST_HALF_COMPARISON(SIGN) \
  REWARP_PLAIN_HOST bool operator SIGN(const __half& a, const __half& b) { return __half2float(a) SIGN __half2float(b); }
REWARP_HOST_HALF_SIGN(+)
REWARP_HOST_HALF_SIGN(-)
REWARP_HOST_HALF_SIGN(*)
REWARP_HOST_HALF_SIGN(/)
REWARP_HOST_HALF2_SIGN(+)
REWARP_HOST_HALF2_SIGN(-)
REWARP_HOST_HALF2_SIGN(*)
REWARP_HOST_HALF2_SIGN(/)
REWARP_HOST_HALF_COMPARISON(==)
REWARP_HOST_HALF_COMPARISON(!=)
REWARP_HOST_HALF_COMPARISON(<)
REWARP_HOST_HALF_COMPARISON(<=)
REWARP_HOST_HALF_COMPARISON(>)
REWARP_HOST_HALF_COMPARISON(>=)
REWARP_PLAIN_HOST __half operator-(const __half& a) { return __float2half(-__half2float(a)); }
#endif
#endif

// hipCUB has the macro that reports an error, not the one that then ends the program.
#if !defined(CubDebugExit)
#define CubDebugExit(ERROR)   \
  if (HipcubDebug((ERROR))) { \
    exit(1);                  \
  }
#endif

// CUDA 13 says where memory goes with a location; before HIP 7 it is a device number.
#if HIP_VERSION < 70000000
#define hipMemLocationTypeHost static_cast<hipMemLocationType>(2)
#endif
namespace rewarp {
inline int device_of(hipMemLocation location) {
  return location.type == hipMemLocationTypeDevice ? location.id : static_cast<int>(hipCpuDeviceId);
}
}  // namespace rewarp
inline hipError_t hipMemPrefetchAsync(const void* address, size_t bytes, hipMemLocation location, unsigned,
                                      hipStream_t stream = nullptr) {
  return hipMemPrefetchAsync(address, bytes, rewarp::device_of(location), stream);
}
inline hipError_t hipMemAdvise(const void* address, size_t bytes, hipMemoryAdvise advice, hipMemLocation location) {
  return hipMemAdvise(address, bytes, advice, rewarp::device_of(location));
}

// Parameters of a context, which HIP's contexts have not: hipCtxCreate is called without them.
struct CUctxCreateParams {
  void* execAffinityParams;
  int numExecAffinityParams;
  void* cigParams;
};

// nvrtc's options as hiprtc takes them. It compiles for the current device, so an architecture of NVIDIA's is left out, and so
// is what only its compiler knows; what clang calls otherwise gets clang's name.
namespace rewarp {
class RtcOptions {
 public:
  RtcOptions(int count, const char* const* options) : words_(new const char*[count + 1]) {
    for (int at = 0; at < count; ++at) {
      if (is(options[at], "-arch") || is(options[at], "--gpu-architecture")) {
        ++at;  // the value is a word of its own
      } else if (!left_out(options[at])) {
        words_[size_++] = spelt(options[at]);
      }
    }
  }
  ~RtcOptions() {
    while (size_) delete[] words_[--size_];
    delete[] words_;
  }
  RtcOptions(const RtcOptions&) = delete;
  RtcOptions& operator=(const RtcOptions&) = delete;
  int size() const { return size_; }
  const char** words() { return words_; }

 private:
  static bool is(const char* option, const char* name) { return strcmp(option, name) == 0; }
  static bool left_out(const char* option) {
    static const char* const names[] = {"-arch=", "--gpu-architecture=", "-maxrregcount", "--maxrregcount", "-lineinfo",
                                        "--generate-line-info", "-G", "--device-debug", "-Xptxas", "--ptxas-options",
                                        "-extra-device-vectorization", "--extra-device-vectorization", "-restrict",
                                        "--restrict", "-dopt", "--dopt"};
    for (const char* name : names) {
      if (strncmp(option, name, strlen(name)) == 0) return true;
    }
    return false;
  }
  static const char* spelt(const char* option) {
    static const char* const names[][2] = {
        {"--use_fast_math", "-ffast-math"},      {"-use_fast_math", "-ffast-math"},      {"--include-path=", "-I"},
        {"--fmad=false", "-ffp-contract=off"},   {"-fmad=false", "-ffp-contract=off"},   {"--define-macro=", "-D"},
        {"--fmad=true", "-ffp-contract=fast"},   {"-fmad=true", "-ffp-contract=fast"},   {"--undefine-macro=", "-U"},
        {"--pre-include=", "--include="},
    };
    const char* before = "";
    for (const auto& name : names) {
      if (strncmp(option, name[0], strlen(name[0])) == 0) {
        before = name[1];
        option += strlen(name[0]);
        break;
      }
    }
    char* made = new char[strlen(before) + strlen(option) + 1];
    return strcat(strcpy(made, before), option);
  }

  const char** words_;
  int size_ = 0;
};
}  // namespace rewarp
// A template, because hiprtc's header comes later or not at all.
template <typename Program>
inline auto rewarp_rtc_compile(Program program, int count, const char* const* options)
    -> decltype(hiprtcCompileProgram(program, count, nullptr)) {
  rewarp::RtcOptions taken(count, options);
  return hiprtcCompileProgram(program, taken.size(), taken.words());
}

// CUdeviceptr is a number in CUDA and a void* in HIP: it is counted in bytes, and all else left as it is.
template <typename T>
REWARP_HOST_DEVICE T rewarp_bytes(T other) {
  return other;
}
REWARP_HOST_DEVICE char* rewarp_bytes(void* pointer) { return static_cast<char*>(pointer); }
template <typename T>
REWARP_HOST_DEVICE T rewarp_address(T other) {
  return other;
}
REWARP_HOST_DEVICE size_t rewarp_address(void* pointer) { return reinterpret_cast<size_t>(pointer); }

// Typed pointers, as CUDA's C++ overloads take them. HIP's own templates are for T**, more special.
namespace rewarp {
template <typename Pointer>
using IfTypedOut = typename std::enable_if<std::is_pointer<typename std::remove_pointer<Pointer>::type>::value &&
                                               !std::is_same<Pointer, void**>::value,
                                           hipError_t>::type;
}  // namespace rewarp
template <typename Pointer>
inline rewarp::IfTypedOut<Pointer> hipHostAlloc(Pointer out, size_t bytes, unsigned flags) {
  return hipHostAlloc(reinterpret_cast<void**>(out), bytes, flags);
}
template <typename Pointer>
inline rewarp::IfTypedOut<Pointer> hipMallocHost(Pointer out, size_t bytes) {
  return hipHostMalloc(reinterpret_cast<void**>(out), bytes, hipHostMallocDefault);
}
template <typename Pointer>
inline rewarp::IfTypedOut<Pointer> hipMallocPitch(Pointer out, size_t* pitch, size_t width, size_t height) {
  return hipMallocPitch(reinterpret_cast<void**>(out), pitch, width, height);
}
template <typename Pointer>
inline rewarp::IfTypedOut<Pointer> hipHostGetDevicePointer(Pointer out, void* host, unsigned flags) {
  return hipHostGetDevicePointer(reinterpret_cast<void**>(out), host, flags);
}
#endif  // host calls

// ============================================================ texture references
// CUDA had them until version 12. Here a reference is two variables: one on the host, with the fields of CUDA's, and one
// on the device that kernels read. Binding fills the second in, and first waits for the kernels that still read it.
#if defined(__HIP__) && !defined(REWARP_HIP_PORTABLE_ONLY) && !defined(__HIPCC_RTC__)
#include <limits.h>

// What a reference to linear memory is on the device: every GPU reads it, texture units or not. Values beyond the
// end, and before the beginning, are zero, as in a texture.
template <typename T>
struct rewarp_texels {
  const T* data;
  size_t count;
};
template <typename T>
REWARP_DEVICE T tex1Dfetch(const rewarp_texels<T>& texels, int index) {
  return static_cast<unsigned>(index) < texels.count ? texels.data[index] : T{};
}

namespace rewarp {
struct TextureFields {
  int normalized;
  hipTextureFilterMode filterMode;
  hipTextureAddressMode addressMode[3];
  hipChannelFormatDesc channelDesc;
  int sRGB = 0;
  unsigned maxAnisotropy = 0;
  hipTextureFilterMode mipmapFilterMode = hipFilterModePoint;
  float mipmapLevelBias = 0;
  float minMipmapLevelClamp = 0;
  float maxMipmapLevelClamp = 0;

  TextureFields(int norm, hipTextureFilterMode filter, hipTextureAddressMode address, hipChannelFormatDesc channel)
      : normalized(norm), filterMode(filter), addressMode{address, address, address}, channelDesc(channel) {}
};
inline hipError_t set_symbol(const void* symbol, const void* value, size_t bytes) {
  const hipError_t error = hipDeviceSynchronize();
  if (error != hipSuccess) return error;
  return hipMemcpyToSymbol(symbol, value, bytes, size_t{0}, hipMemcpyHostToDevice);
}
// UINT_MAX is CUDA's word for all that follows.
inline size_t bytes_bound(const void* data, size_t bytes) {
  hipDeviceptr_t begin = nullptr;
  size_t size = 0;
  if (bytes != UINT_MAX) return bytes;
  if (hipMemGetAddressRange(&begin, &size, const_cast<void*>(data)) != hipSuccess) return bytes;
  return size - static_cast<size_t>(static_cast<const char*>(data) - static_cast<const char*>(begin));
}
// Takes off a pointer what its alignment has too much, and says how much; an error if nobody wants to know.
inline hipError_t align(const void*& data, size_t* offset) {
  int device = 0, alignment = 1;
  hipError_t error = hipGetDevice(&device);
  if (error == hipSuccess) error = hipDeviceGetAttribute(&alignment, hipDeviceAttributeTextureAlignment, device);
  if (error != hipSuccess) return error;
  const size_t extra = reinterpret_cast<size_t>(data) % static_cast<size_t>(alignment);
  if (extra && !offset) return hipErrorInvalidValue;
  if (offset) *offset = extra;
  data = static_cast<const char*>(data) - extra;
  return hipSuccess;
}
}  // namespace rewarp

template <typename T, int Type = hipTextureType1D, hipTextureReadMode Mode = hipReadModeElementType>
class rewarp_linear_texture : public rewarp::TextureFields {
 public:
  explicit rewarp_linear_texture(const rewarp_texels<T>& on_device, int norm = 0,
                                 hipTextureFilterMode filter = hipFilterModePoint,
                                 hipTextureAddressMode address = hipAddressModeClamp,
                                 hipChannelFormatDesc channel = hipCreateChannelDesc<T>())
      : rewarp::TextureFields(norm, filter, address, channel), symbol(&on_device) {}
  hipError_t bind(size_t* offset, const void* data, const hipChannelFormatDesc&, size_t bytes) const {
    if (offset) *offset = 0;
    const rewarp_texels<T> bound = {static_cast<const T*>(data), rewarp::bytes_bound(data, bytes) / sizeof(T)};
    return rewarp::set_symbol(symbol, &bound, sizeof(bound));
  }
  hipError_t unbind() const {
    const rewarp_texels<T> nothing = {};
    return rewarp::set_symbol(symbol, &nothing, sizeof(nothing));
  }

 private:
  const void* symbol;
};

template <typename T, int Type = hipTextureType1D, hipTextureReadMode Mode = hipReadModeElementType>
class rewarp_texture : public rewarp::TextureFields {
 public:
  explicit rewarp_texture(const hipTextureObject_t& on_device, int norm = 0,
                          hipTextureFilterMode filter = hipFilterModePoint,
                          hipTextureAddressMode address = hipAddressModeClamp,
                          hipChannelFormatDesc channel = hipCreateChannelDesc<T>())
      : rewarp::TextureFields(norm, filter, address, channel), symbol(&on_device) {}
  hipError_t bind(size_t* offset, const void* data, const hipChannelFormatDesc& channel, size_t bytes) const {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.sizeInBytes = rewarp::bytes_bound(data, bytes);
    const void* aligned = data;
    const hipError_t error = rewarp::align(aligned, offset);
    if (error != hipSuccess) return error;
    resource.res.linear.devPtr = const_cast<void*>(aligned);
    resource.res.linear.sizeInBytes +=
        static_cast<size_t>(static_cast<const char*>(data) - static_cast<const char*>(aligned));
    resource.res.linear.desc = channel;
    return bind(resource);
  }
  hipError_t bind(size_t* offset, const void* data, const hipChannelFormatDesc& channel, size_t width, size_t height,
                  size_t pitch) const {
    hipResourceDesc resource = {};
    const hipError_t error = rewarp::align(data, offset);
    if (error != hipSuccess) return error;
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D.devPtr = const_cast<void*>(data);
    resource.res.pitch2D.desc = channel;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return bind(resource);
  }
  hipError_t bind(hipArray_const_t array) const {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = const_cast<hipArray_t>(array);
    return bind(resource);
  }
  hipError_t bind_mipmapped(hipMipmappedArray_const_t array) const {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = const_cast<hipMipmappedArray_t>(array);
    return bind(resource);
  }
  hipError_t unbind() const { return put(nullptr); }

 private:
  const void* symbol;

  hipError_t bind(const hipResourceDesc& resource) const {
    hipTextureDesc description = {};
    for (int i = 0; i < 3; ++i) description.addressMode[i] = addressMode[i];
    description.filterMode = filterMode;
    description.readMode = Mode;
    description.sRGB = sRGB;
    description.normalizedCoords = normalized;
    description.maxAnisotropy = maxAnisotropy;
    description.mipmapFilterMode = mipmapFilterMode;
    description.mipmapLevelBias = mipmapLevelBias;
    description.minMipmapLevelClamp = minMipmapLevelClamp;
    description.maxMipmapLevelClamp = maxMipmapLevelClamp;
    hipTextureObject_t made = nullptr;
    const hipError_t error = hipCreateTextureObject(&made, &resource, &description, nullptr);
    return error == hipSuccess ? put(made) : error;
  }
  // Which object a device has is asked of the device: each has its own.
  hipError_t put(hipTextureObject_t made) const {
    hipTextureObject_t old = nullptr;
    hipError_t error = hipMemcpyFromSymbol(&old, symbol, sizeof(old), size_t{0}, hipMemcpyDeviceToHost);
    if (error == hipSuccess) error = rewarp::set_symbol(symbol, &made, sizeof(made));
    hipTextureObject_t unused = error == hipSuccess ? old : made;
    if (unused) static_cast<void>(hipDestroyTextureObject(unused));
    return error;
  }
};

// CUDA's functions for both: of a reference, or of a pointer to one.
#define REWARP_TEXTURE_FUNCTIONS(CLASS)                                                                                \
  template <typename T, int Type, hipTextureReadMode Mode>                                                             \
  inline hipError_t hipBindTexture(size_t* offset, const CLASS<T, Type, Mode>& reference, const void* data,            \
                                   const hipChannelFormatDesc& channel, size_t bytes = UINT_MAX) {                     \
    return reference.bind(offset, data, channel, bytes);                                                               \
  }                                                                                                                    \
  template <typename T, int Type, hipTextureReadMode Mode>                                                             \
  inline hipError_t hipBindTexture(size_t* offset, const CLASS<T, Type, Mode>& reference, const void* data,            \
                                   size_t bytes = UINT_MAX) {                                                          \
    return reference.bind(offset, data, reference.channelDesc, bytes);                                                 \
  }                                                                                                                    \
  template <typename T, int Type, hipTextureReadMode Mode>                                                             \
  inline hipError_t hipBindTexture(size_t* offset, const CLASS<T, Type, Mode>* reference, const void* data,            \
                                   const hipChannelFormatDesc* channel, size_t bytes = UINT_MAX) {                     \
    return reference->bind(offset, data, *channel, bytes);                                                             \
  }                                                                                                                    \
  template <typename T, int Type, hipTextureReadMode Mode>                                                             \
  inline hipError_t hipUnbindTexture(const CLASS<T, Type, Mode>& reference) {                                          \
    return reference.unbind();                                                                                         \
  }                                                                                                                    \
  template <typename T, int Type, hipTextureReadMode Mode>                                                             \
  inline hipError_t hipUnbindTexture(const CLASS<T, Type, Mode>* reference) {                                          \
    return reference->unbind();                                                                                        \
  }
REWARP_TEXTURE_FUNCTIONS(rewarp_linear_texture)
REWARP_TEXTURE_FUNCTIONS(rewarp_texture)
#undef REWARP_TEXTURE_FUNCTIONS

template <typename T, int Type, hipTextureReadMode Mode>
inline hipError_t hipBindTexture2D(size_t* offset, const rewarp_texture<T, Type, Mode>& reference, const void* data,
                                   const hipChannelFormatDesc& channel, size_t width, size_t height, size_t pitch) {
  return reference.bind(offset, data, channel, width, height, pitch);
}
template <typename T, int Type, hipTextureReadMode Mode>
inline hipError_t hipBindTexture2D(size_t* offset, const rewarp_texture<T, Type, Mode>& reference, const void* data,
                                   size_t width, size_t height, size_t pitch) {
  return reference.bind(offset, data, reference.channelDesc, width, height, pitch);
}
template <typename T, int Type, hipTextureReadMode Mode>
inline hipError_t hipBindTexture2D(size_t* offset, const rewarp_texture<T, Type, Mode>* reference, const void* data,
                                   const hipChannelFormatDesc* channel, size_t width, size_t height, size_t pitch) {
  return reference->bind(offset, data, *channel, width, height, pitch);
}
// The array knows its channels itself.
template <typename T, int Type, hipTextureReadMode Mode>
inline hipError_t hipBindTextureToArray(const rewarp_texture<T, Type, Mode>& reference, hipArray_const_t array) {
  return reference.bind(array);
}
template <typename T, int Type, hipTextureReadMode Mode>
inline hipError_t hipBindTextureToArray(const rewarp_texture<T, Type, Mode>& reference, hipArray_const_t array,
                                        const hipChannelFormatDesc&) {
  return reference.bind(array);
}
template <typename T, int Type, hipTextureReadMode Mode>
inline hipError_t hipBindTextureToArray(const rewarp_texture<T, Type, Mode>* reference, hipArray_const_t array,
                                        const hipChannelFormatDesc*) {
  return reference->bind(array);
}
template <typename T, int Type, hipTextureReadMode Mode>
inline hipError_t hipBindTextureToMipmappedArray(const rewarp_texture<T, Type, Mode>& reference,
                                                 hipMipmappedArray_const_t array) {
  return reference.bind_mipmapped(array);
}
template <typename T, int Type, hipTextureReadMode Mode>
inline hipError_t hipBindTextureToMipmappedArray(const rewarp_texture<T, Type, Mode>& reference,
                                                 hipMipmappedArray_const_t array, const hipChannelFormatDesc&) {
  return reference.bind_mipmapped(array);
}
#endif  // texture references

// ============================================================ PTX's instructions
// What inline PTX becomes: functions with PTX's meaning at the edges too (shifts by 32 and more, fields that
// reach over the top, NaN, subnormals, rounding). The upper part is plain C++.
namespace rewarp_ptx {
using Carry = bool;  // by a name that no macro of a project's can mean: C code defines bool as int
// A register's value as another type: its bits where the sizes agree, else its number.
template <bool SameSize>
struct As {
  template <typename To, typename From>
  static REWARP_HOST_DEVICE To get(const From& from) {
    return rewarp::bits_as<To>(from);
  }
};
template <>
struct As<false> {
  template <typename To, typename From>
  static REWARP_HOST_DEVICE To get(const From& from) {
    return static_cast<To>(from);
  }
};
template <typename To, typename From>
REWARP_HOST_DEVICE To as(const From& from) {
  return As<sizeof(To) == sizeof(From)>::template get<To>(from);
}

// ------------------------------------------------------------ integers
template <typename T>
struct Integer;
#define REWARP_PTX_INTEGER(TYPE, UNSIGNED, WIDE) \
  template <>                                    \
  struct Integer<TYPE> {                         \
    typedef UNSIGNED Bits;                       \
    typedef WIDE Wide;                           \
  };
REWARP_PTX_INTEGER(unsigned char, unsigned char, unsigned)
REWARP_PTX_INTEGER(signed char, unsigned char, int)
REWARP_PTX_INTEGER(unsigned short, unsigned short, unsigned)
REWARP_PTX_INTEGER(short, unsigned short, int)
REWARP_PTX_INTEGER(unsigned, unsigned, unsigned long long)
REWARP_PTX_INTEGER(int, unsigned, long long)
REWARP_PTX_INTEGER(unsigned long long, unsigned long long, unsigned __int128)
REWARP_PTX_INTEGER(long long, unsigned long long, __int128)

template <typename T>
REWARP_HOST_DEVICE constexpr unsigned bits_of() {
  return 8 * sizeof(T);
}
template <typename T>
REWARP_HOST_DEVICE constexpr bool has_sign() {
  return static_cast<T>(-1) < static_cast<T>(1);
}
// Signed overflow wraps in PTX and is undefined in C++.
template <typename T>
REWARP_HOST_DEVICE T add(T a, T b) {
  typedef typename Integer<T>::Bits Bits;
  return static_cast<T>(static_cast<Bits>(static_cast<Bits>(a) + static_cast<Bits>(b)));
}
template <typename T>
REWARP_HOST_DEVICE T sub(T a, T b) {
  typedef typename Integer<T>::Bits Bits;
  return static_cast<T>(static_cast<Bits>(static_cast<Bits>(a) - static_cast<Bits>(b)));
}
template <typename T>
REWARP_HOST_DEVICE typename Integer<T>::Wide mul_wide(T a, T b) {
  typedef typename Integer<T>::Wide Wide;
  return static_cast<Wide>(static_cast<Wide>(a) * static_cast<Wide>(b));
}
template <typename T>
REWARP_HOST_DEVICE T mul_lo(T a, T b) {
  return static_cast<T>(mul_wide(a, b));
}
template <typename T>
REWARP_HOST_DEVICE T mul_hi(T a, T b) {
  return static_cast<T>(mul_wide(a, b) >> bits_of<T>());
}
// The flag of add.cc and sub.cc: a carry, or a borrow.
template <typename T>
REWARP_HOST_DEVICE T addc(T a, T b, bool& carry) {
  typedef typename Integer<T>::Bits Bits;
  const Bits sum = static_cast<Bits>(a) + static_cast<Bits>(b), result = sum + (carry ? 1u : 0u);
  carry = sum < static_cast<Bits>(a) || result < sum;
  return static_cast<T>(result);
}
template <typename T>
REWARP_HOST_DEVICE T subc(T a, T b, bool& borrow) {
  typedef typename Integer<T>::Bits Bits;
  const Bits x = static_cast<Bits>(a), y = static_cast<Bits>(b), difference = x - y;
  const Bits result = difference - (borrow ? 1u : 0u);
  borrow = x < y || difference < (borrow ? 1u : 0u);
  return static_cast<T>(result);
}
template <typename T>
REWARP_HOST_DEVICE T add_cc(T a, T b, bool& carry) {
  carry = false;
  return addc<T>(a, b, carry);
}
template <typename T>
REWARP_HOST_DEVICE T sub_cc(T a, T b, bool& borrow) {
  borrow = false;
  return subc<T>(a, b, borrow);
}
template <typename T>
REWARP_HOST_DEVICE T minimum(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
REWARP_HOST_DEVICE T maximum(T a, T b) {
  return a < b ? b : a;
}
template <typename T>
REWARP_HOST_DEVICE T absolute(T a) {
  return a < 0 ? sub<T>(0, a) : a;
}
template <typename T>
REWARP_HOST_DEVICE T sad(T a, T b, T c) {
  return add<T>(c, a < b ? sub<T>(b, a) : sub<T>(a, b));
}
// PTX's shifts by the width or more leave nothing, or the sign.
template <typename T>
REWARP_HOST_DEVICE T shl(T a, unsigned b) {
  return b < bits_of<T>() ? static_cast<T>(a << b) : T(0);
}
template <typename T>
REWARP_HOST_DEVICE T shr(T a, unsigned b) {
  if (b < bits_of<T>()) return static_cast<T>(a >> b);
  return a < T(1) && a != T(0) ? static_cast<T>(-1) : T(0);
}
REWARP_HOST_DEVICE unsigned shf_l_clamp(unsigned low, unsigned high, unsigned c) {
  const unsigned n = minimum(c, 32u);
  return n == 32u ? low : n == 0u ? high : high << n | low >> (32u - n);
}
REWARP_HOST_DEVICE unsigned shf_r_clamp(unsigned low, unsigned high, unsigned c) {
  const unsigned n = minimum(c, 32u);
  return n == 32u ? high : n == 0u ? low : low >> n | high << (32u - n);
}
REWARP_HOST_DEVICE unsigned shf_l_wrap(unsigned low, unsigned high, unsigned c) {
  return shf_l_clamp(low, high, c & 31u);
}
REWARP_HOST_DEVICE unsigned shf_r_wrap(unsigned low, unsigned high, unsigned c) {
  return shf_r_clamp(low, high, c & 31u);
}
// A field that reaches over the top is filled with the sign, or with zeros; its place and length count modulo 256.
template <typename T>
REWARP_HOST_DEVICE T bfe(T a, unsigned start, unsigned length) {
  const unsigned width = bits_of<T>(), first = start & 255u, count = length & 255u;
  if (count == 0u) return T(0);
  const T field = shr<T>(a, first);
  if (count >= width) return field;
  const unsigned last = first + count - 1u < width - 1u ? first + count - 1u : width - 1u;
  const bool negative = has_sign<T>() && (a >> last & T(1)) != 0;
  typedef typename Integer<T>::Bits Bits;
  const Bits mask = static_cast<Bits>((Bits(1) << count) - 1u);
  return static_cast<T>((static_cast<Bits>(field) & mask) | (negative ? static_cast<Bits>(~mask) : Bits(0)));
}
template <typename T>
REWARP_HOST_DEVICE T bfi(T a, T b, unsigned start, unsigned length) {
  const unsigned width = bits_of<T>(), first = start & 255u, count = length & 255u;
  const T field = count >= width ? static_cast<T>(~T(0)) : static_cast<T>((T(1) << count) - 1u);
  const T mask = shl<T>(field, first);
  return static_cast<T>((shl<T>(a, first) & mask) | (b & ~mask));
}
// The place of the highest bit that is not the sign; all ones where there is none.
template <typename T>
REWARP_HOST_DEVICE unsigned bfind(T a) {
  typedef typename Integer<T>::Bits Bits;
  const Bits magnitude = a < T(1) && a != T(0) && has_sign<T>() ? static_cast<Bits>(~a) : static_cast<Bits>(a);
  if (magnitude == 0) return ~0u;
  unsigned place = 0;
  for (unsigned step = bits_of<T>() / 2; step > 0; step /= 2)
    if (magnitude >> place >> step) place += step;
  return place;
}
template <typename T>
REWARP_HOST_DEVICE unsigned bfind_shift(T a) {
  const unsigned place = bfind<T>(a);
  return place == ~0u ? place : bits_of<T>() - 1u - place;
}
REWARP_HOST_DEVICE unsigned bmsk_clamp(unsigned start, unsigned length) {
  return shl<unsigned>(length < 32u ? (1u << length) - 1u : ~0u, start);
}
REWARP_HOST_DEVICE unsigned bmsk_wrap(unsigned start, unsigned length) {
  return bmsk_clamp(start & 31u, length & 31u);
}
template <typename T>
REWARP_HOST_DEVICE T mul24(T a, T b) {
  return mul_lo<T>(bfe<T>(a, 0, 24), bfe<T>(b, 0, 24));
}
// Bit i of table is the result for the three inputs' bits read as the number i, a's the highest.
template <unsigned table>
REWARP_HOST_DEVICE unsigned lop3(unsigned a, unsigned b, unsigned c) {
  unsigned result = 0;
  if (table & 0x01u) result |= ~a & ~b & ~c;
  if (table & 0x02u) result |= ~a & ~b & c;
  if (table & 0x04u) result |= ~a & b & ~c;
  if (table & 0x08u) result |= ~a & b & c;
  if (table & 0x10u) result |= a & ~b & ~c;
  if (table & 0x20u) result |= a & ~b & c;
  if (table & 0x40u) result |= a & b & ~c;
  if (table & 0x80u) result |= a & b & c;
  return result;
}
// Each nibble of the selector picks a byte of a (0 to 3) or b (4 to 7); with 8 added, only its sign, eight times.
REWARP_HOST_DEVICE unsigned prmt(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long both = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned pick = selector >> 4 * i & 15u, byte = static_cast<unsigned>(both >> 8 * (pick & 7u)) & 255u;
    result |= (pick & 8u ? (byte & 128u ? 255u : 0u) : byte) << 8 * i;
  }
  return result;
}
// The modes choose one of four selectors by the last two bits.
REWARP_HOST_DEVICE unsigned prmt_f4e(unsigned a, unsigned b, unsigned c) {
  return prmt(a, b, 0x3210u + 0x1111u * (c & 3u));
}
REWARP_HOST_DEVICE unsigned prmt_b4e(unsigned a, unsigned b, unsigned c) {
  const unsigned table[4] = {0x5670u, 0x6701u, 0x7012u, 0x0123u};
  return prmt(a, b, table[c & 3u]);
}
REWARP_HOST_DEVICE unsigned prmt_rc8(unsigned a, unsigned b, unsigned c) { return prmt(a, b, 0x1111u * (c & 3u)); }
REWARP_HOST_DEVICE unsigned prmt_ecl(unsigned a, unsigned b, unsigned c) {
  const unsigned table[4] = {0x3210u, 0x3211u, 0x3222u, 0x3333u};
  return prmt(a, b, table[c & 3u]);
}
REWARP_HOST_DEVICE unsigned prmt_ecr(unsigned a, unsigned b, unsigned c) {
  const unsigned table[4] = {0x0000u, 0x1110u, 0x2210u, 0x3210u};
  return prmt(a, b, table[c & 3u]);
}
REWARP_HOST_DEVICE unsigned prmt_rc16(unsigned a, unsigned b, unsigned c) {
  return prmt(a, b, c & 1u ? 0x3232u : 0x1010u);
}
template <typename Word>
REWARP_HOST_DEVICE int part_of(Word word, unsigned index, unsigned bits) {
  return static_cast<int>(has_sign<Word>() ? static_cast<Word>(bfe<Word>(word, index * bits, bits))
                                           : static_cast<Word>(word >> index * bits & ((1u << bits) - 1u)));
}
template <typename A, typename B, typename C>
REWARP_HOST_DEVICE C dp4a(A a, B b, C c) {
  unsigned sum = static_cast<unsigned>(c);
  for (unsigned i = 0; i < 4; ++i) sum += static_cast<unsigned>(part_of(a, i, 8) * part_of(b, i, 8));
  return static_cast<C>(sum);
}
template <typename A, typename B, typename C>
REWARP_HOST_DEVICE C dp2a_lo(A a, B b, C c) {
  unsigned sum = static_cast<unsigned>(c);
  for (unsigned i = 0; i < 2; ++i) sum += static_cast<unsigned>(part_of(a, i, 16) * part_of(b, i, 8));
  return static_cast<C>(sum);
}
template <typename A, typename B, typename C>
REWARP_HOST_DEVICE C dp2a_hi(A a, B b, C c) {
  return dp2a_lo<A, B, C>(a, static_cast<B>(b >> 16), c);
}
// The nearest number that the type has.
template <typename To, typename From>
REWARP_HOST_DEVICE To saturated(From value) {
  typedef typename Integer<To>::Bits Bits;
  const Bits highest = static_cast<Bits>(static_cast<Bits>(~Bits(0)) >> (has_sign<To>() ? 1 : 0));
  if (value < From(1) && value != From(0) && has_sign<From>()) {
    if (!has_sign<To>()) return To(0);
    const long long lowest = -static_cast<long long>(highest) - 1;
    return static_cast<long long>(value) < lowest ? static_cast<To>(lowest) : static_cast<To>(value);
  }
  const unsigned long long magnitude = static_cast<unsigned long long>(value);
  return magnitude > highest ? static_cast<To>(highest) : static_cast<To>(magnitude);
}
template <typename Part>
REWARP_HOST_DEVICE unsigned packed(int high, int low, unsigned others) {
  const unsigned bits = bits_of<Part>(), mask = (1u << bits) - 1u;
  const unsigned both = (static_cast<unsigned>(saturated<Part>(high)) & mask) << bits |
                        (static_cast<unsigned>(saturated<Part>(low)) & mask);
  return bits == 16u ? both : both | others << 2u * bits;
}
// mov between a wide register and the parts it is made of, the lowest first.
template <typename Whole, typename... Parts>
REWARP_HOST_DEVICE Whole joined(Parts... parts) {
  const unsigned char size[] = {sizeof(parts)...};
  const void* const from[] = {&parts...};
  Whole whole = 0;
  unsigned at = 0;
  for (unsigned i = 0; i < sizeof...(parts); at += size[i], ++i)
    __builtin_memcpy(reinterpret_cast<char*>(&whole) + at, from[i], size[i]);
  return whole;
}
template <typename Whole, typename From, typename... Parts>
REWARP_HOST_DEVICE void split(From value, Parts&... parts) {
  const Whole whole = as<Whole>(value);
  const unsigned char size[] = {sizeof(parts)...};
  void* const to[] = {&parts...};
  unsigned at = 0;
  for (unsigned i = 0; i < sizeof...(parts); at += size[i], ++i)
    __builtin_memcpy(to[i], reinterpret_cast<const char*>(&whole) + at, size[i]);
}

// ------------------------------------------------------------ floats
#if defined(__clang__)
#define REWARP_PTX_UNFUSED _Pragma("clang fp contract(off)")
#else
#define REWARP_PTX_UNFUSED
#endif
template <typename T>
REWARP_HOST_DEVICE T fadd(T a, T b) {
  REWARP_PTX_UNFUSED
  return a + b;
}
template <typename T>
REWARP_HOST_DEVICE T fsub(T a, T b) {
  REWARP_PTX_UNFUSED
  return a - b;
}
template <typename T>
REWARP_HOST_DEVICE T fmul(T a, T b) {
  REWARP_PTX_UNFUSED
  return a * b;
}
template <typename T>
REWARP_HOST_DEVICE T fma(T a, T b, T c);
template <>
REWARP_HOST_DEVICE float fma<float>(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
template <>
REWARP_HOST_DEVICE double fma<double>(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
template <typename T>
REWARP_HOST_DEVICE bool is_notanumber(T a) {
  return a != a;
}
template <typename T>
REWARP_HOST_DEVICE bool is_number(T a) {
  return a == a;
}
template <typename T>
struct Float;
template <>
struct Float<float> {
  typedef unsigned Bits;
  static constexpr Bits infinity = 0x7f800000u, sign = 0x80000000u, smallest_normal = 0x00800000u, nan = 0x7fffffffu;
};
template <>
struct Float<double> {
  typedef unsigned long long Bits;
  static constexpr Bits infinity = 0x7ffull << 52, sign = 1ull << 63, smallest_normal = 1ull << 52;
  static constexpr Bits nan = infinity | 1ull << 51;
};
template <typename T>
REWARP_HOST_DEVICE T not_a_number() {
  return rewarp::bits_as<T>(static_cast<typename Float<T>::Bits>(Float<T>::nan));
}
template <typename T>
REWARP_HOST_DEVICE typename Float<T>::Bits magnitude_bits(T a) {
  return rewarp::bits_as<typename Float<T>::Bits>(a) & ~Float<T>::sign;
}
template <typename T>
REWARP_HOST_DEVICE bool is_infinite(T a) {
  return magnitude_bits(a) == Float<T>::infinity;
}
template <typename T>
REWARP_HOST_DEVICE bool is_finite(T a) {
  return magnitude_bits(a) < Float<T>::infinity;
}
template <typename T>
REWARP_HOST_DEVICE bool is_subnormal(T a) {
  return magnitude_bits(a) != 0 && magnitude_bits(a) < Float<T>::smallest_normal;
}
template <typename T>
REWARP_HOST_DEVICE bool is_normal(T a) {
  return is_finite(a) && !is_subnormal(a);  // a zero counts as normal
}
template <typename T>
REWARP_HOST_DEVICE T copysign(T magnitude, T sign) {
  typedef typename Float<T>::Bits Bits;
  const Bits bits = magnitude_bits(magnitude) | (rewarp::bits_as<Bits>(sign) & Float<T>::sign);
  return rewarp::bits_as<T>(bits);
}
template <typename T>
REWARP_HOST_DEVICE T fabs(T a) {
  return rewarp::bits_as<T>(magnitude_bits(a));
}
// A subnormal becomes a zero of its sign.
REWARP_HOST_DEVICE float ftz(float a) { return is_subnormal(a) ? copysign(0.0f, a) : a; }
REWARP_HOST_DEVICE float sat(float a) { return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f; }
template <typename T>
REWARP_HOST_DEVICE bool unordered(T a, T b) {
  return a != a || b != b;
}
template <typename T>
REWARP_HOST_DEVICE bool differ(T a, T b) {
  return a < b || a > b;
}
// The other one where one is NaN; the negative one of two zeros is the lower.
template <typename T>
REWARP_HOST_DEVICE T fmin(T a, T b) {
  if (unordered(a, b)) return a == a ? a : b == b ? b : not_a_number<T>();
  return a < b || (a == b && rewarp::bits_as<typename Float<T>::Bits>(a) & Float<T>::sign) ? a : b;
}
template <typename T>
REWARP_HOST_DEVICE T fmax(T a, T b) {
  if (unordered(a, b)) return a == a ? a : b == b ? b : not_a_number<T>();
  return a > b || (a == b && !(rewarp::bits_as<typename Float<T>::Bits>(a) & Float<T>::sign)) ? a : b;
}
REWARP_HOST_DEVICE float fmin_nan(float a, float b) {
  return unordered(a, b) ? not_a_number<float>() : fmin<float>(a, b);
}
REWARP_HOST_DEVICE float fmax_nan(float a, float b) {
  return unordered(a, b) ? not_a_number<float>() : fmax<float>(a, b);
}
struct Add {
  REWARP_HOST_DEVICE float operator()(float a, float b, float) const { return fadd<float>(a, b); }
};
struct Sub {
  REWARP_HOST_DEVICE float operator()(float a, float b, float) const { return fsub<float>(a, b); }
};
struct Mul {
  REWARP_HOST_DEVICE float operator()(float a, float b, float) const { return fmul<float>(a, b); }
};
struct Fma {
  REWARP_HOST_DEVICE float operator()(float a, float b, float c) const { return fma<float>(a, b, c); }
};
template <typename Op>
REWARP_HOST_DEVICE unsigned long long each_float(unsigned long long a, unsigned long long b, unsigned long long c,
                                                 Op op) {
  unsigned part[2];
  for (unsigned i = 0; i < 2; ++i)
    part[i] = rewarp::bits_as<unsigned>(op(rewarp::bits_as<float>(static_cast<unsigned>(a >> 32 * i)),
                                           rewarp::bits_as<float>(static_cast<unsigned>(b >> 32 * i)),
                                           rewarp::bits_as<float>(static_cast<unsigned>(c >> 32 * i))));
  return static_cast<unsigned long long>(part[1]) << 32 | part[0];
}
template <typename T>
REWARP_HOST_DEVICE T rounded(T a, rewarp::Rounding mode) {
  switch (mode) {
    case rewarp::Rounding::nearest: return static_cast<T>(__builtin_rint(a));
    case rewarp::Rounding::down: return static_cast<T>(__builtin_floor(a));
    case rewarp::Rounding::up: return static_cast<T>(__builtin_ceil(a));
    default: return static_cast<T>(__builtin_trunc(a));
  }
}
// Too large a number gives the nearest one of the type, NaN a zero (or the top bit, where 64 bits are wanted).
template <typename To, typename From>
REWARP_HOST_DEVICE To to_integer(From a, rewarp::Rounding mode) {
  typedef typename Integer<To>::Bits Bits;
  const Bits highest = static_cast<Bits>(static_cast<Bits>(~Bits(0)) >> (has_sign<To>() ? 1 : 0));
  const Bits lowest = has_sign<To>() ? static_cast<Bits>(highest + 1u) : Bits(0);
  const From limit = static_cast<From>(highest / 2 + 1) * From(2);
  if (a != a) return sizeof(To) == 8 || sizeof(From) == 8 ? static_cast<To>(Bits(1) << (bits_of<To>() - 1)) : To(0);
  const From whole = rounded<From>(a, mode);
  if (whole >= limit) return static_cast<To>(highest);
  if (whole < (has_sign<To>() ? -limit : From(0))) return static_cast<To>(lowest);
  return static_cast<To>(whole);
}
// Ties go away from zero; infinity and NaN only lose the bits that TF32 has not.
REWARP_HOST_DEVICE unsigned to_tf32(float a) {
  return (rewarp::bits_as<unsigned>(a) + (is_finite(a) ? 0x1000u : 0u)) & ~0x1fffu;
}

// ------------------------------------------------------------ halves
// The bits of a number with few bits of exponent and fraction, rounded once.
template <int exponent_bits, int fraction_bits>
REWARP_HOST_DEVICE unsigned short rounded_bits(double x, rewarp::Rounding mode) {
  const unsigned long long bits = rewarp::bits_as<unsigned long long>(x), one = 1;
  const bool negative = bits >> 63 != 0;
  const int bias = (1 << (exponent_bits - 1)) - 1, lowest = 1 - bias;
  const unsigned infinity = ((1u << exponent_bits) - 1u) << fraction_bits, sign = negative ? 0x8000u : 0u;
  if (x != x) return 0x7fff;  // NVIDIA's one NaN
  const int stored = static_cast<int>(bits >> 52 & 0x7ffu), exponent = (stored ? stored : 1) - 1023;
  if (stored == 0x7ff) return static_cast<unsigned short>(infinity | sign);
  const unsigned long long significand = (bits & ((one << 52) - 1)) | (stored ? one << 52 : 0);
  const int below = lowest - exponent > 0 ? lowest - exponent : 0, wanted = 52 - fraction_bits + below;
  const int shift = wanted < 60 ? wanted : 60;
  const unsigned long long rest = significand & ((one << shift) - 1), half = one << (shift - 1);
  unsigned result = static_cast<unsigned>(significand >> shift);
  if (rewarp::rounds_away(mode, negative, result & 1u, rest > half, rest == half, rest != 0)) ++result;
  if (!below) result += static_cast<unsigned>(exponent + bias - 1) << fraction_bits;
  if (exponent > bias || result >= infinity) {
    const rewarp::Rounding outward = negative ? rewarp::Rounding::down : rewarp::Rounding::up;
    result = mode == rewarp::Rounding::nearest || mode == outward ? infinity : infinity - 1u;
  }
  return static_cast<unsigned short>(result | sign);
}
struct F16 {
  typedef unsigned short Bits;
  typedef F16 One;
  static constexpr Bits signs = 0x8000u;
  static REWARP_HOST_DEVICE unsigned short bits(double x, rewarp::Rounding mode) {
    return rounded_bits<5, 10>(x, mode);
  }
  static REWARP_HOST_DEVICE unsigned short bits(float x, rewarp::Rounding mode) {
#if defined(__HIP__) && defined(__clang__)
    if (mode == rewarp::Rounding::nearest) return rewarp::bits_as<unsigned short>(static_cast<_Float16>(x));
#endif
    return rounded_bits<5, 10>(x, mode);
  }
  static REWARP_HOST_DEVICE float number(unsigned short bits) {
#if defined(__HIP__) && defined(__clang__)
    return static_cast<float>(rewarp::bits_as<_Float16>(bits));
#else
    const unsigned magnitude = bits & 0x7fffu, sign = (bits & 0x8000u) << 16;
    float result = static_cast<float>(magnitude) * (1.0f / 16777216.0f);
    if (magnitude >= 0x400u) result = rewarp::bits_as<float>((magnitude << 13) + (112u << 23));
    if (magnitude >= 0x7c00u) result = rewarp::bits_as<float>(magnitude > 0x7c00u ? 0x7fffffffu : 0x7f800000u);
    return rewarp::bits_as<float>(rewarp::bits_as<unsigned>(result) | sign);
#endif
  }
};
struct BF16 {
  typedef unsigned short Bits;
  typedef BF16 One;
  static constexpr Bits signs = 0x8000u;
  static REWARP_HOST_DEVICE unsigned short bits(double x, rewarp::Rounding mode) {
    return rounded_bits<8, 7>(x, mode);
  }
  static REWARP_HOST_DEVICE unsigned short bits(float x, rewarp::Rounding mode) {
    return rewarp::float_bits_to_bf16(rewarp::bits_as<unsigned>(x), mode);
  }
  static REWARP_HOST_DEVICE float number(unsigned short bits) {
    return rewarp::bits_as<float>(static_cast<unsigned>(bits) << 16);
  }
};
struct F16x2 {
  typedef unsigned Bits;
  typedef F16 One;
  static constexpr Bits signs = 0x80008000u;
};
struct BF16x2 {
  typedef unsigned Bits;
  typedef BF16 One;
  static constexpr Bits signs = 0x80008000u;
};
template <typename Half>
REWARP_HOST_DEVICE float to_float(unsigned short bits) {
  return Half::number(bits);
}
template <typename Half, typename Number>
REWARP_HOST_DEVICE unsigned short from_number(Number x, rewarp::Rounding mode = rewarp::Rounding::nearest) {
  return Half::bits(x, mode);
}
template <typename Half>
REWARP_HOST_DEVICE unsigned pair(float high, float low, rewarp::Rounding mode) {
  return static_cast<unsigned>(from_number<Half>(high, mode)) << 16 | from_number<Half>(low, mode);
}
// Applies op to each half; it gets numbers, and gives bits.
template <typename Half, typename Op>
REWARP_HOST_DEVICE typename Half::Bits each_half(typename Half::Bits a, typename Half::Bits b, typename Half::Bits c,
                                                 Op op) {
  typedef typename Half::Bits Bits;
  Bits result = 0;
  for (unsigned shift = 0; shift < bits_of<Bits>(); shift += 16)
    result |= static_cast<Bits>(static_cast<Bits>(op(Half::One::number(static_cast<unsigned short>(a >> shift)),
                                                    Half::One::number(static_cast<unsigned short>(b >> shift)),
                                                    Half::One::number(static_cast<unsigned short>(c >> shift))))
                                << shift);
  return result;
}
// a * b + c of halves, exact but for its last bit, which is odd where more would follow: rounding it then is right.
REWARP_HOST_DEVICE double fused(float a, float b, float c) {
  REWARP_PTX_UNFUSED
  const double product = static_cast<double>(a) * b, sum = product + c, part = sum - product;
  const double lost = (product - (sum - part)) + (c - part);
  const unsigned long long bits = rewarp::bits_as<unsigned long long>(sum);
  if (!(lost < 0.0 || lost > 0.0) || !is_finite(sum) || (bits & 1u)) return sum;
  return rewarp::bits_as<double>((lost < 0.0) == (sum < 0.0) ? bits + 1u : bits - 1u);
}
// Sums and products of halves are exact enough as floats to be rounded once more.
#define REWARP_PTX_HALF(NAME, NUMBER)                                                                      \
  template <typename Half>                                                                                 \
  struct NAME {                                                                                            \
    REWARP_HOST_DEVICE unsigned short operator()(float a, float b, float c) const {                        \
      (void)a, (void)b, (void)c;                                                                           \
      return from_number<Half>(NUMBER);                                                                    \
    }                                                                                                      \
  };
REWARP_PTX_HALF(HalfAdd, fadd<float>(a, b))
REWARP_PTX_HALF(HalfSub, fsub<float>(a, b))
REWARP_PTX_HALF(HalfMul, fmul<float>(a, b))
REWARP_PTX_HALF(HalfFma, fused(a, b, c))
REWARP_PTX_HALF(HalfMin, fmin<float>(a, b))
REWARP_PTX_HALF(HalfMax, fmax<float>(a, b))
REWARP_PTX_HALF(HalfMinNan, fmin_nan(a, b))
REWARP_PTX_HALF(HalfMaxNan, fmax_nan(a, b))
REWARP_PTX_HALF(HalfRelu, a > 0.0f || is_notanumber(a) ? a : 0.0f)
#define REWARP_PTX_HALF_FUNCTION(NAME, OP)                                                            \
  template <typename Half>                                                                            \
  REWARP_HOST_DEVICE typename Half::Bits NAME(typename Half::Bits a, typename Half::Bits b = 0,       \
                                              typename Half::Bits c = 0) {                            \
    return each_half<Half>(a, b, c, OP<typename Half::One>());                                        \
  }
REWARP_PTX_HALF_FUNCTION(half_add, HalfAdd)
REWARP_PTX_HALF_FUNCTION(half_sub, HalfSub)
REWARP_PTX_HALF_FUNCTION(half_mul, HalfMul)
REWARP_PTX_HALF_FUNCTION(half_fma, HalfFma)
REWARP_PTX_HALF_FUNCTION(half_min, HalfMin)
REWARP_PTX_HALF_FUNCTION(half_max, HalfMax)
REWARP_PTX_HALF_FUNCTION(half_min_nan, HalfMinNan)
REWARP_PTX_HALF_FUNCTION(half_max_nan, HalfMaxNan)
REWARP_PTX_HALF_FUNCTION(half_relu, HalfRelu)
#if defined(__HIP__) && !defined(REWARP_HIP_PORTABLE_ONLY)
REWARP_PTX_HALF(HalfExp2, __builtin_exp2f(a))
REWARP_PTX_HALF(HalfTanh, ::tanhf(a))
REWARP_PTX_HALF_FUNCTION(half_exp2, HalfExp2)
REWARP_PTX_HALF_FUNCTION(half_tanh, HalfTanh)
#endif
#if defined(__HIP__) && defined(__clang__)
// AMD computes with halves itself, and with two at a time.
typedef _Float16 HalfPair __attribute__((ext_vector_type(2)));
#define REWARP_PTX_NATIVE_HALF(NAME, HALF, VALUE, RESULT)                                                      \
  template <>                                                                                                  \
  REWARP_HOST_DEVICE HALF::Bits NAME<HALF>(HALF::Bits a_bits, HALF::Bits b_bits, HALF::Bits c_bits) {          \
    REWARP_PTX_UNFUSED                                                                                         \
    const VALUE a = rewarp::bits_as<VALUE>(a_bits), b = rewarp::bits_as<VALUE>(b_bits),                        \
                c = rewarp::bits_as<VALUE>(c_bits);                                                            \
    (void)c;                                                                                                   \
    return rewarp::bits_as<HALF::Bits>(static_cast<VALUE>(RESULT));                                            \
  }
#define REWARP_PTX_NATIVE_HALVES(NAME, RESULT)                 \
  REWARP_PTX_NATIVE_HALF(NAME, F16, _Float16, RESULT)          \
  REWARP_PTX_NATIVE_HALF(NAME, F16x2, HalfPair, RESULT)
REWARP_PTX_NATIVE_HALVES(half_add, a + b)
REWARP_PTX_NATIVE_HALVES(half_sub, a - b)
REWARP_PTX_NATIVE_HALVES(half_mul, a* b)
REWARP_PTX_NATIVE_HALVES(half_fma, __builtin_elementwise_fma(a, b, c))
#endif
// Each half of the result is all ones where the comparison holds.
#define REWARP_PTX_SET(NAME, TEST)                                                                                   \
  struct Set##NAME {                                                                                                 \
    REWARP_HOST_DEVICE unsigned short operator()(float a, float b, float) const { return TEST ? 0xffffu : 0u; }      \
  };                                                                                                                 \
  template <typename Half>                                                                                           \
  REWARP_HOST_DEVICE typename Half::Bits set_##NAME(typename Half::Bits a, typename Half::Bits b) {                  \
    return each_half<Half>(a, b, 0, Set##NAME());                                                                    \
  }
REWARP_PTX_SET(eq, a == b)
REWARP_PTX_SET(ne, differ<float>(a, b))
REWARP_PTX_SET(lt, a < b)
REWARP_PTX_SET(le, a <= b)
REWARP_PTX_SET(gt, a > b)
REWARP_PTX_SET(ge, a >= b)

// ------------------------------------------------------------ 8- and 4-bit floats
REWARP_HOST_DEVICE unsigned short pair_of_fp8(float high, float low, rewarp_fp8_interpretation_t format) {
  return rewarp::packed<unsigned short>(rewarp_cvt_float_to_fp8(low, REWARP_SATFINITE, format),
                                        rewarp_cvt_float_to_fp8(high, REWARP_SATFINITE, format));
}
REWARP_HOST_DEVICE unsigned short fp8_of_halves(unsigned halves, rewarp_fp8_interpretation_t format) {
  return rewarp::packed<unsigned short>(
      rewarp::to_fp8<5>(static_cast<unsigned short>(halves), REWARP_SATFINITE, format),
      rewarp::to_fp8<5>(static_cast<unsigned short>(halves >> 16), REWARP_SATFINITE, format));
}
REWARP_HOST_DEVICE unsigned halves_of_fp8(unsigned short both, rewarp_fp8_interpretation_t format) {
  return rewarp::packed<unsigned>(rewarp::fp8_to_half_bits(static_cast<unsigned char>(both), format),
                                  rewarp::fp8_to_half_bits(static_cast<unsigned char>(both >> 8), format));
}
// E2M1 has 0, 0.5, 1, 1.5, 2, 3, 4 and 6; ties go to the even code, NaN to 6.
REWARP_HOST_DEVICE unsigned fp4_of(float x) {
  if (x != x) return 7u;
  const float size = fabs<float>(x);
  const unsigned code = size <= 0.25f ? 0u : size < 0.75f ? 1u : size <= 1.25f ? 2u : size < 1.75f ? 3u
                        : size <= 2.5f ? 4u : size < 3.5f ? 5u : size <= 5.0f ? 6u : 7u;
  return code | (rewarp::bits_as<unsigned>(x) >> 31) << 3;
}
REWARP_HOST_DEVICE unsigned char pair_of_fp4(float high, float low) {
  return static_cast<unsigned char>(fp4_of(high) << 4 | fp4_of(low));
}

#if defined(__HIP__) && !defined(REWARP_HIP_PORTABLE_ONLY)
// ------------------------------------------------------------ memory
template <typename Pointer>
REWARP_DEVICE void* generic(Pointer address, long long offset = 0) {
  return (char*)(address) + offset;
}
// PTX's shared addresses have 32 bits, as AMD's addresses in LDS.
template <typename Address>
REWARP_DEVICE void* shared(Address address, long long offset = 0) {
  const unsigned place = static_cast<unsigned>((size_t)(address) + static_cast<size_t>(offset));
  return (void*)(REWARP_SHARED_POINTER)(size_t)place;
}
REWARP_DEVICE unsigned long long address(const void* pointer) { return reinterpret_cast<unsigned long long>(pointer); }
// How memory is touched.
struct Plain {
  template <typename T>
  static REWARP_DEVICE T load(const T* at) {
    return *at;
  }
  template <typename T>
  static REWARP_DEVICE void store(T* at, T value) {
    *at = value;
  }
};
struct Streaming {
  template <typename T>
  static REWARP_DEVICE T load(const T* at) {
    return __builtin_nontemporal_load(at);
  }
  template <typename T>
  static REWARP_DEVICE void store(T* at, T value) {
    __builtin_nontemporal_store(value, at);
  }
};
struct Volatile {
  template <typename T>
  static REWARP_DEVICE T load(const T* at) {
    return *static_cast<const volatile T*>(at);
  }
  template <typename T>
  static REWARP_DEVICE void store(T* at, T value) {
    *static_cast<volatile T*>(at) = value;
  }
};
// Not from the nearest cache, which other compute units do not write to.
struct Coherent {
  template <typename T>
  static REWARP_DEVICE T load(const T* at) {
    return *static_cast<const volatile T*>(at);
  }
  template <typename T>
  static REWARP_DEVICE void store(T* at, T value) {
    *at = value;
  }
};
template <int order, int scope>
struct Atomic {
  template <typename T>
  static REWARP_DEVICE T load(const T* at) {
    return __hip_atomic_load(at, order, scope);
  }
  template <typename T>
  static REWARP_DEVICE void store(T* at, T value) {
    __hip_atomic_store(at, value, order, scope);
  }
};
// The largest piece that may be moved at once: an atomic access has the size of one element.
template <typename Access, size_t One, size_t All>
struct Piece {
  static constexpr size_t size = All > 16 ? 16 : All;
};
template <int order, int scope, size_t One, size_t All>
struct Piece<Atomic<order, scope>, One, All> {
  static constexpr size_t size = One;
};
template <typename T, typename Access>
REWARP_DEVICE T load(const void* at) {
  typedef typename rewarp::Raw<sizeof(T)>::type Raw;
  return rewarp::bits_as<T>(static_cast<Raw>(Access::template load<Raw>(static_cast<const Raw*>(at))));
}
template <typename T, typename Access, typename... Targets>
REWARP_DEVICE void load_into(const void* at, Targets&... targets) {
  constexpr size_t size = sizeof(T) * sizeof...(targets);
  constexpr size_t step = Piece<Access, sizeof(T), size>::size;
  typedef typename rewarp::Raw<step>::type Raw;
  T value[sizeof...(targets)];
  for (size_t i = 0; i < size; i += step) {
    const Raw raw = Access::template load<Raw>(reinterpret_cast<const Raw*>(static_cast<const char*>(at) + i));
    __builtin_memcpy(reinterpret_cast<char*>(value) + i, &raw, step);
  }
  const T* from = value;
  const int done[] = {(targets = as<Targets>(*from), ++from, 0)...};
  (void)done;
}
template <typename T, typename Access, typename... Values>
REWARP_DEVICE void store(void* at, Values... values) {
  constexpr size_t size = sizeof(T) * sizeof...(values);
  constexpr size_t step = Piece<Access, sizeof(T), size>::size;
  typedef typename rewarp::Raw<step>::type Raw;
  const T value[] = {as<T>(values)...};
  for (size_t i = 0; i < size; i += step) {
    Raw raw;
    __builtin_memcpy(&raw, reinterpret_cast<const char*>(value) + i, step);
    Access::template store<Raw>(reinterpret_cast<Raw*>(static_cast<char*>(at) + i), raw);
  }
}
// cp.async, at once: what the source lacks is filled with zeros.
template <size_t size>
REWARP_DEVICE void copy(void* to, const void* from, unsigned bytes = size) {
  if (bytes >= size) {
    store<typename rewarp::Raw<size>::type, Plain>(to, load<typename rewarp::Raw<size>::type, Plain>(from));
    return;
  }
  for (size_t i = 0; i < size; ++i)
    static_cast<unsigned char*>(to)[i] = i < bytes ? static_cast<const unsigned char*>(from)[i] : 0;
}
#define REWARP_PTX_ATOMIC(NAME, BUILTIN)                                                \
  template <typename T, int order, int scope>                                           \
  REWARP_DEVICE T NAME(void* at, T value) {                                             \
    return __hip_atomic_##BUILTIN(static_cast<T*>(at), value, order, scope);            \
  }
REWARP_PTX_ATOMIC(fetch_add, fetch_add)
REWARP_PTX_ATOMIC(fetch_min, fetch_min)
REWARP_PTX_ATOMIC(fetch_max, fetch_max)
REWARP_PTX_ATOMIC(fetch_and, fetch_and)
REWARP_PTX_ATOMIC(fetch_or, fetch_or)
REWARP_PTX_ATOMIC(fetch_xor, fetch_xor)
REWARP_PTX_ATOMIC(exchange, exchange)
// A failed exchange is only a load, which releases nothing.
constexpr int load_order(int order) {
  return order == __ATOMIC_RELEASE ? __ATOMIC_RELAXED : order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE : order;
}
template <typename T, int order, int scope>
REWARP_DEVICE T compare_and_swap(void* at, T expected, T wanted) {
  __hip_atomic_compare_exchange_strong(static_cast<T*>(at), &expected, wanted, order, load_order(order), scope);
  return expected;
}
template <typename T, int order, int scope, typename Op>
REWARP_DEVICE T fetch_by(void* at, Op op) {
  T* const place = static_cast<T*>(at);
  T old = __hip_atomic_load(place, __ATOMIC_RELAXED, scope);
  while (!__hip_atomic_compare_exchange_strong(place, &old, op(old), order, load_order(order), scope)) {
  }
  return old;
}
template <typename T, int order, int scope>
REWARP_DEVICE T fetch_inc(void* at, T limit) {
  return fetch_by<T, order, scope>(at, [=](T old) { return old >= limit ? T(0) : old + 1; });
}
template <typename T, int order, int scope>
REWARP_DEVICE T fetch_dec(void* at, T limit) {
  return fetch_by<T, order, scope>(at, [=](T old) { return old == 0 || old > limit ? limit : old - 1; });
}
template <typename Half, int order, int scope>
REWARP_DEVICE typename Half::Bits fetch_add_halves(void* at, typename Half::Bits value) {
  typedef typename Half::Bits Bits;
  // Memory is exchanged by words: a single half takes the word around it along.
  const size_t inside = sizeof(Bits) == 2 ? reinterpret_cast<size_t>(at) & 2u : 0u;
  const unsigned shift = static_cast<unsigned>(inside) * 8u, mask = sizeof(Bits) == 2 ? 0xffffu << shift : ~0u;
  const unsigned old = fetch_by<unsigned, order, scope>(static_cast<char*>(at) - inside, [=](unsigned word) {
    return (word & ~mask) | static_cast<unsigned>(half_add<Half>(static_cast<Bits>(word >> shift), value)) << shift;
  });
  return static_cast<Bits>(old >> shift);
}
template <typename T, int order, int scope, typename... Values>
REWARP_DEVICE void add_each(void* at, Values... values) {
  T* place = static_cast<T*>(at);
  const int done[] = {(fetch_add<T, order, scope>(place++, as<T>(values)), 0)...};
  (void)done;
}
template <typename Half, int order, int scope, typename... Values>
REWARP_DEVICE void add_each_half(void* at, Values... values) {
  typename Half::Bits* place = static_cast<typename Half::Bits*>(at);
  const int done[] = {(fetch_add_halves<Half, order, scope>(place++, as<typename Half::Bits>(values)), 0)...};
  (void)done;
}

// ------------------------------------------------------------ warps
// The lane read from, and whether it lies inside: c holds the last lane and, eight bits up, the segment's mask.
#define REWARP_PTX_SHFL(MODE, LANE, INSIDE)                                                                \
  REWARP_DEVICE unsigned shfl_##MODE(unsigned value, unsigned operand, unsigned c, bool& inside) {         \
    const unsigned lane = rewarp_lane_id(), b = operand & 31u, segment = c >> 8 & 31u;                     \
    const unsigned first = lane & segment, last = first | (c & 31u & ~segment);                            \
    const int from = static_cast<int>(LANE);                                                               \
    (void)first, (void)b;                                                                                  \
    inside = INSIDE;                                                                                       \
    return rewarp::from_lane(value, inside ? from : static_cast<int>(lane));                               \
  }                                                                                                        \
  REWARP_DEVICE unsigned shfl_##MODE(unsigned value, unsigned operand, unsigned c) {                       \
    bool inside;                                                                                           \
    return shfl_##MODE(value, operand, c, inside);                                                         \
  }
REWARP_PTX_SHFL(up, lane - b, from >= static_cast<int>(last))
REWARP_PTX_SHFL(down, lane + b, from <= static_cast<int>(last))
REWARP_PTX_SHFL(bfly, lane ^ b, from <= static_cast<int>(last))
REWARP_PTX_SHFL(idx, first | (b & ~segment), from <= static_cast<int>(last))
REWARP_DEVICE bool uniform(unsigned mask, bool value) {
  const unsigned votes = __ballot_sync(mask, value);
  return votes == 0u || votes == __ballot_sync(mask, 1);
}
template <typename T>
REWARP_DEVICE unsigned match_all(unsigned mask, T value, bool& same) {
  int all = 0;
  const unsigned lanes = __match_all_sync(mask, value, &all);
  same = all != 0;
  return lanes;
}
template <typename T>
REWARP_DEVICE unsigned match_all(unsigned mask, T value) {
  bool same;
  return match_all(mask, value, same);
}
// The lowest lane of the mask is the chosen one.
REWARP_DEVICE unsigned elect(unsigned mask, bool& chosen) {
  const unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
  chosen = lane == rewarp_lane_id();
  return lane;
}
#endif
}  // namespace rewarp_ptx

#endif  // AMD
#endif  // REWARP_HIP_H
