#include <cuda/cmath>

using cuda::ilog2;
constexpr unsigned padded = cuda::round_up(1000u, 128u);

__global__ void levels(unsigned* out, unsigned n) {
  out[0] = ::cuda::ceil_div(n, blockDim.x) + cuda::round_down(n, 32);
  out[1] = cuda::is_power_of_two(n) ? ilog2(n) : cuda::ceil_ilog2(n);
  out[2] = cuda::next_power_of_two(n) - cuda::prev_power_of_two(n) + padded;
}

struct cuda_like {
  static unsigned round_up(unsigned x);
};
unsigned as_it_is(unsigned x) { return cuda_like::round_up(x); }
// ---- HIP ----
#include "rewarp_hip.h"
#include <cmath>

using rewarp::ilog2;
constexpr unsigned padded = rewarp::round_up(1000u, 128u);

__global__ void levels(unsigned* out, unsigned n) {
  out[0] = ::rewarp::ceil_div(n, blockDim.x) + rewarp::round_down(n, 32);
  out[1] = rewarp::is_power_of_two(n) ? ilog2(n) : rewarp::ceil_ilog2(n);
  out[2] = rewarp::next_power_of_two(n) - rewarp::prev_power_of_two(n) + padded;
}

struct cuda_like {
  static unsigned round_up(unsigned x);
};
unsigned as_it_is(unsigned x) { return cuda_like::round_up(x); }
// ---- findings ----
// 1 noted cuda/cmath
