#pragma once
class Interval {
  static bool truncate;
 public:
#if !defined(__CUDA_ARCH__)
  static void set_truncation(bool on) { truncate = on; }
#endif
#if !defined(__CUDA_ARCH__)
  static __device__ bool truncates() { return false; }
#endif
  __host__ __device__ float low() const {
#if !defined(__CUDA_ARCH__)
    check(*this);
#endif
    return 0.0f;
  }
};
# output
5 info: #if !defined(__CUDA_ARCH__)
8 wrong-result: #if !defined(__CUDA_ARCH__)
12 wrong-result: #if !defined(__CUDA_ARCH__)
