// What extensions ask of c10/cuda and ATen/cuda, for tensors that lie in memory of the host: one device, HIP's streams.
// It stands in the place of torch's headers of that name, which describe a torch that was built for GPUs.
#pragma once
#include <ATen/ceil_div.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Exception.h>
#include <c10/util/Half.h>
#include <hip/hip_runtime.h>

#define C10_CUDA_CHECK(EXPRESSION)                                                      \
  do {                                                                                  \
    const hipError_t rewarp_error = (EXPRESSION);                                       \
    if (rewarp_error != hipSuccess) {                                                   \
      (void)hipGetLastError();                                                          \
      TORCH_CHECK(false, "HIP error: ", hipGetErrorString(rewarp_error));               \
    }                                                                                   \
  } while (0)
#define C10_CUDA_CHECK_WARN(EXPRESSION)                                                 \
  do {                                                                                  \
    const hipError_t rewarp_error = (EXPRESSION);                                       \
    if (rewarp_error != hipSuccess) {                                                   \
      (void)hipGetLastError();                                                          \
      TORCH_WARN("HIP warning: ", hipGetErrorString(rewarp_error));                     \
    }                                                                                   \
  } while (0)
#define C10_CUDA_ERROR_HANDLED(EXPRESSION) (EXPRESSION)
#define C10_CUDA_IGNORE_ERROR(EXPRESSION) ((void)(EXPRESSION))
#define C10_CUDA_CLEAR_ERROR() ((void)hipGetLastError())
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(hipGetLastError())
#define TORCH_CUDA_KERNEL_LAUNCH_CHECK C10_CUDA_KERNEL_LAUNCH_CHECK
#define AT_CUDA_CHECK(EXPRESSION) C10_CUDA_CHECK(EXPRESSION)
#define C10_HIP_CHECK(EXPRESSION) C10_CUDA_CHECK(EXPRESSION)
#define C10_HIP_KERNEL_LAUNCH_CHECK() C10_CUDA_KERNEL_LAUNCH_CHECK()
#define THCudaCheck(EXPRESSION) C10_CUDA_CHECK(EXPRESSION)

namespace c10::cuda {

class CUDAStream {
 public:
  enum Unchecked { UNCHECKED };
  CUDAStream(hipStream_t stream = nullptr) : stream_(stream) {}
  explicit CUDAStream(Stream stream) : stream_(reinterpret_cast<hipStream_t>(stream.id())) {}
  operator hipStream_t() const { return stream_; }
  hipStream_t stream() const { return stream_; }
  StreamId id() const { return reinterpret_cast<StreamId>(stream_); }
  Stream unwrap() const { return Stream(Stream::UNSAFE, device(), id()); }
  operator Stream() const { return unwrap(); }
  DeviceIndex device_index() const { return 0; }
  DeviceType device_type() const { return DeviceType::CPU; }
  Device device() const { return Device(DeviceType::CPU); }
  bool query() const { return hipStreamQuery(stream_) == hipSuccess; }
  void synchronize() const { C10_CUDA_CHECK(hipStreamSynchronize(stream_)); }
  bool operator==(const CUDAStream& other) const { return stream_ == other.stream_; }
  bool operator!=(const CUDAStream& other) const { return stream_ != other.stream_; }

 private:
  hipStream_t stream_;
};

namespace rewarp {
inline CUDAStream& current_stream() {
  static thread_local CUDAStream stream;
  return stream;
}
}  // namespace rewarp
inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) { return rewarp::current_stream(); }
inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) { return CUDAStream(); }
inline CUDAStream getStreamFromExternal(hipStream_t stream, DeviceIndex) { return CUDAStream(stream); }
inline void setCurrentCUDAStream(CUDAStream stream) { rewarp::current_stream() = stream; }
inline CUDAStream getStreamFromPool(const bool = false, DeviceIndex = -1) {
  hipStream_t made;
  C10_CUDA_CHECK(hipStreamCreateWithFlags(&made, hipStreamNonBlocking));
  return CUDAStream(made);
}

inline DeviceIndex device_count() noexcept { return 1; }
inline DeviceIndex device_count_ensure_non_zero() { return 1; }
inline DeviceIndex current_device() { return 0; }
inline void set_device(DeviceIndex) {}
inline void device_synchronize() { C10_CUDA_CHECK(hipDeviceSynchronize()); }

// There is one device to be on: a guard has nothing to put back.
struct CUDAGuard {
  explicit CUDAGuard(DeviceIndex) {}
  explicit CUDAGuard(Device) {}
  void set_device(Device) {}
  void reset_device(Device) {}
  void set_index(DeviceIndex) {}
  Device original_device() const { return Device(DeviceType::CPU); }
  Device current_device() const { return Device(DeviceType::CPU); }
};
struct OptionalCUDAGuard {
  OptionalCUDAGuard() = default;
  template <class Given>
  explicit OptionalCUDAGuard(Given) {}
  void set_device(Device) {}
  void reset_device(Device) {}
  void set_index(DeviceIndex) {}
  void reset() {}
};
struct CUDAStreamGuard {
  explicit CUDAStreamGuard(CUDAStream stream) : before_(getCurrentCUDAStream()) { setCurrentCUDAStream(stream); }
  explicit CUDAStreamGuard(Stream stream) : CUDAStreamGuard(CUDAStream(stream)) {}
  ~CUDAStreamGuard() { setCurrentCUDAStream(before_); }
  CUDAStreamGuard(const CUDAStreamGuard&) = delete;
  CUDAStreamGuard& operator=(const CUDAStreamGuard&) = delete;
  void reset_stream(CUDAStream stream) { setCurrentCUDAStream(stream); }
  CUDAStream original_stream() const { return before_; }
  CUDAStream current_stream() const { return getCurrentCUDAStream(); }

 private:
  CUDAStream before_;
};

}  // namespace c10::cuda

namespace at::cuda {
using namespace c10::cuda;

inline hipDeviceProp_t* getDeviceProperties(DeviceIndex) {
  static hipDeviceProp_t* const known = [] {
    auto* made = new hipDeviceProp_t;
    C10_CUDA_CHECK(hipGetDeviceProperties(made, 0));
    return made;
  }();
  return known;
}
inline hipDeviceProp_t* getCurrentDeviceProperties() { return getDeviceProperties(0); }
inline int warp_size() { return getCurrentDeviceProperties()->warpSize; }
inline bool is_available() { return true; }
inline int64_t getNumGPUs() { return 1; }
template <class Integer>
constexpr Integer ATenCeilDiv(Integer a, Integer b) { return at::ceil_div(a, b); }

namespace detail {
constexpr int CUDA_NUM_THREADS = 1024;
inline int GET_BLOCKS(const int64_t count, const int64_t threads = CUDA_NUM_THREADS) {
  TORCH_INTERNAL_ASSERT(count > 0, "CUDA kernel launch blocks must be positive, but got N=", count);
  return static_cast<int>((count + threads - 1) / threads);
}
}  // namespace detail
}  // namespace at::cuda

#define CUDA_KERNEL_LOOP_TYPE(i, count, type)                                                                       \
  for (int64_t rewarp_##i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, rewarp_go_##i = 1; rewarp_go_##i;        \
       rewarp_go_##i = 0)                                                                                            \
    for (type i = static_cast<type>(rewarp_##i); rewarp_##i < (count);                                               \
         rewarp_##i += int64_t(blockDim.x) * gridDim.x, i = static_cast<type>(rewarp_##i))
#define CUDA_KERNEL_LOOP(i, count) CUDA_KERNEL_LOOP_TYPE(i, count, int)

#ifdef __HIPCC__
// Additions that a card has for some types only; the others compare and swap the word that the value lies in.
template <class Word, class Value, class Combine>
__device__ inline Value rewarp_atomic_by_words(Value* place, Value given, Combine combine) {
  auto address = reinterpret_cast<uintptr_t>(place);
  auto* word = reinterpret_cast<Word*>(address & ~uintptr_t(sizeof(Word) - 1));
  const unsigned shift = 8 * unsigned(address & (sizeof(Word) - 1));
  const Word mask = (sizeof(Value) < sizeof(Word) ? (Word(1) << (8 * sizeof(Value) % (8 * sizeof(Word)))) - 1 : ~Word(0));
  Word seen = *word, assumed;
  Value old;
  do {
    assumed = seen;
    Word bits = (assumed >> shift) & mask;
    __builtin_memcpy(&old, &bits, sizeof old);
    Value sum = combine(old, given);
    Word next = 0;
    __builtin_memcpy(&next, &sum, sizeof sum);
    seen = atomicCAS(word, assumed, (assumed & ~(mask << shift)) | (next << shift));
  } while (seen != assumed);
  return old;
}
template <class Value>
__device__ inline Value gpuAtomicAdd(Value* place, Value given) {
  if constexpr (requires { atomicAdd(place, given); }) {
    return atomicAdd(place, given);
  } else if constexpr (sizeof(Value) == 8) {
    return rewarp_atomic_by_words<unsigned long long>(place, given, [](Value a, Value b) { return Value(a + b); });
  } else {
    return rewarp_atomic_by_words<unsigned>(place, given, [](Value a, Value b) { return Value(a + b); });
  }
}
template <class Value>
__device__ inline void gpuAtomicAddNoReturn(Value* place, Value given) { (void)gpuAtomicAdd(place, given); }
template <class Value>
__device__ inline Value gpuAtomicMul(Value* place, Value given) {
  auto times = [](Value a, Value b) { return Value(a * b); };
  if constexpr (sizeof(Value) == 8) return rewarp_atomic_by_words<unsigned long long>(place, given, times);
  else return rewarp_atomic_by_words<unsigned>(place, given, times);
}
template <class Value>
__device__ inline Value gpuAtomicMax(Value* place, Value given) {
  auto larger = [](Value a, Value b) { return a != a || a > b ? a : b; };
  if constexpr (sizeof(Value) == 8) return rewarp_atomic_by_words<unsigned long long>(place, given, larger);
  else return rewarp_atomic_by_words<unsigned>(place, given, larger);
}
template <class Value>
__device__ inline Value gpuAtomicMin(Value* place, Value given) {
  auto smaller = [](Value a, Value b) { return a != a || a < b ? a : b; };
  if constexpr (sizeof(Value) == 8) return rewarp_atomic_by_words<unsigned long long>(place, given, smaller);
  else return rewarp_atomic_by_words<unsigned>(place, given, smaller);
}
// Extensions call these by HIP's name, on torch's own types.
__device__ inline c10::Half atomicAdd(c10::Half* place, c10::Half given) { return gpuAtomicAdd(place, given); }
__device__ inline c10::BFloat16 atomicAdd(c10::BFloat16* place, c10::BFloat16 given) { return gpuAtomicAdd(place, given); }

template <class Value>
__device__ __forceinline__ Value WARP_SHFL(Value value, int lane, int width = warpSize, unsigned = 0xffffffffu) {
  return __shfl(value, lane, width);
}
template <class Value>
__device__ __forceinline__ Value WARP_SHFL_XOR(Value value, int mask, int width = warpSize, unsigned = 0xffffffffu) {
  return __shfl_xor(value, mask, width);
}
template <class Value>
__device__ __forceinline__ Value WARP_SHFL_UP(Value value, unsigned delta, int width = warpSize, unsigned = 0xffffffffu) {
  return __shfl_up(value, delta, width);
}
template <class Value>
__device__ __forceinline__ Value WARP_SHFL_DOWN(Value value, unsigned delta, int width = warpSize, unsigned = 0xffffffffu) {
  return __shfl_down(value, delta, width);
}
#endif
