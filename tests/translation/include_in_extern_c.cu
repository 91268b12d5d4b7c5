// The first include stands in a block: HIP's headers have templates, and must come before it.
extern "C" {
#include <stdint.h>
}
#define max(a, b) ((a) > (b) ? (a) : (b))

__global__ void top(float *out) { out[threadIdx.x] = __saturatef(max(out[threadIdx.x], 0.5f)); }
__global__ void simd(uint32_t *out) { out[0] = __vadd2(out[1], out[2]); }
// ---- HIP ----
// The first include stands in a block: HIP's headers have templates, and must come before it.
#include "rewarp_hip.h"
extern "C" {
#include <stdint.h>
}
#define max(a, b) ((a) > (b) ? (a) : (b))

__global__ void top(float *out) { out[threadIdx.x] = __saturatef(max(out[threadIdx.x], 0.5f)); }
__global__ void simd(uint32_t *out) { out[0] = __vadd2(out[1], out[2]); }
