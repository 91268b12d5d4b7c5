#include <mma.h>

using namespace nvcuda;

__global__ void k(float *x) { x[0] = 1; }
// ---- HIP ----
#include "rewarp_hip.h"

using namespace nvcuda;

__global__ void k(float *x) { x[0] = 1; }
// ---- findings ----
// 3 noted nvcuda
