/* Licence. */
#define max(a, b) ((a) > (b) ? (a) : (b))
#include <cstdio>

__global__ void k(unsigned *out) { out[0] = __vadd2(out[1], max(out[2], 3u)); }
// ---- HIP ----
/* Licence. */
#include "rewarp_hip.h"
#define max(a, b) ((a) > (b) ? (a) : (b))
#include <cstdio>

__global__ void k(unsigned *out) { out[0] = __vadd2(out[1], max(out[2], 3u)); }
