#include <cuda/std/utility>

struct Pair {
  int left, right;
  __device__ void swap(Pair& other) noexcept {
    cuda::std::swap(left, other.left);
    ::cuda::std::swap(*(unsigned*)&right, *(unsigned*)(&other.right));
  }
};

__global__ void turned(Pair* pairs, int* last) {
  pairs[0].swap(pairs[1]);
  *last = cuda::std::exchange(pairs[0].left, 0);
  *last = cuda::std::move(pairs[1].left);
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <utility>

struct Pair {
  int left, right;
  __device__ void swap(Pair& other) noexcept {
    rewarp::swap_values(left, other.left);
    ::rewarp::swap_values(*(unsigned*)&right, *(unsigned*)(&other.right));
  }
};

__global__ void turned(Pair* pairs, int* last) {
  pairs[0].swap(pairs[1]);
  *last = rewarp::exchange_value(pairs[0].left, 0);
  *last = std::move(pairs[1].left);
}
// ---- findings ----
// 1 noted cuda/std/utility
// 14 noted cuda::std
