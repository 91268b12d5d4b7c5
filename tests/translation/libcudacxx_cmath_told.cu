// compile: no, HIP has no cuda::isqrt
#include <cuda/cmath>

__global__ void root(unsigned* out, unsigned n) { out[0] = cuda::isqrt(n) + ::cuda::ipow(n, 3); }

using namespace cuda;
namespace whole = ::cuda;
__global__ void steps(unsigned* out, unsigned n) { out[0] = ceil_div(n, 3u) + whole::round_up(n, 4u); }
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <cmath>

__global__ void root(unsigned* out, unsigned n) { out[0] = cuda::isqrt(n) + ::cuda::ipow(n, 3); }

using namespace cuda;
namespace whole = ::cuda;
__global__ void steps(unsigned* out, unsigned n) { out[0] = ceil_div(n, 3u) + whole::round_up(n, 4u); }
// ---- findings ----
// 1 noted cuda/cmath
// 3 unsupported cuda
// 3 unsupported cuda
// 5 unsupported cuda
// 6 unsupported cuda
