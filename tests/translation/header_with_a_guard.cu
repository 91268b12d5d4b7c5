// path: device_buffer.cuh
#ifndef DEVICE_BUFFER_CUH
#define DEVICE_BUFFER_CUH

#include <cuda_runtime.h>

#include <cstddef>

template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t count) { cudaMalloc(&data_, count * sizeof(T)); }
  ~DeviceBuffer() { cudaFree(data_); }
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

#endif  // DEVICE_BUFFER_CUH
// ---- HIP ----
#ifndef DEVICE_BUFFER_CUH
#define DEVICE_BUFFER_CUH

#include <hip/hip_runtime.h>

#include <cstddef>

template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t count) { hipMalloc(&data_, count * sizeof(T)); }
  ~DeviceBuffer() { hipFree(data_); }
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

#endif  // DEVICE_BUFFER_CUH
