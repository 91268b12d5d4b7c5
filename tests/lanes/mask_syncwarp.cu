// A barrier of the warp with a 32-bit mask.
// kind: MASK_32
// run: neighbours<<<1, 64>>>(in: int[64] = i, out: int[64])
// gives: out = [i // 32 * 32 + (i + 1) % 32 for i in range(64)]
// at 64: compile error
// ---- original
__global__ void neighbours(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncwarp(0xffffffff);
  out[threadIdx.x] = s[threadIdx.x / 32 * 32 + (threadIdx.x + 1) % 32];
}
// ---- fixed
__global__ void neighbours(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = s[threadIdx.x / 32 * 32 + (threadIdx.x + 1) % 32];
}
