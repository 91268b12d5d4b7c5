// The second warp waits for the first; in one wave of 64 the waiting lanes keep the others from going on.
// kind: IMPLICIT_SYNC
// run: handed_over<<<1, 64>>>(out: int[64])
// gives: out = [0] * 32 + [7] * 32
// at 64: hang
// ---- original
__global__ void handed_over(int* out) {
  __shared__ volatile int ready, value;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x >= 32) {
    while (!ready) {
    }
    out[threadIdx.x] = value;
  } else {
    if (threadIdx.x == 0) {
      value = 7;
      __threadfence_block();
      ready = 1;
    }
  }
}
// ---- fixed
__global__ void handed_over(int* out) {
  __shared__ volatile int value;
  if (threadIdx.x == 0) value = 7;
  __syncthreads();
  if (threadIdx.x >= 32) out[threadIdx.x] = value;
}
