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
  {
    using cuda::std::swap;
    swap(pairs[2].left, pairs[3].left);
  }
  *last = cuda::std::move(pairs[1].left);
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <utility>

struct Pair {
  int left, right;
  __device__ void swap(Pair& other) noexcept {
    rewarp::of_std::swap(left, other.left);
    ::rewarp::of_std::swap(*(unsigned*)&right, *(unsigned*)(&other.right));
  }
};

__global__ void turned(Pair* pairs, int* last) {
  pairs[0].swap(pairs[1]);
  *last = rewarp::of_std::exchange(pairs[0].left, 0);
  {
    using rewarp::of_std::swap;
    swap(pairs[2].left, pairs[3].left);
  }
  *last = std::move(pairs[1].left);
}
// ---- findings ----
// 1 noted cuda/std/utility
// 18 noted cuda::std
