// Each half passes the mask of its own 32 lanes.
// kind: none
// run: counts<<<1, 64>>>(in: int[64] = i % 3 == 0, out: int[2])
// gives: out = [11, 11]
// at 64: same
// ---- original
__global__ void counts(const int* in, int* out) {
  unsigned long long half = 0xffffffffull << (threadIdx.x % warpSize / 32 * 32);
  int n = __popcll(__ballot_sync(half, in[threadIdx.x]));
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = n;
}
