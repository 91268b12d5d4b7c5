// The tail of 32 threads in a wave of 64: a superset runs in lockstep.
// kind: none
// run: total<<<1, 64>>>(in: int[64] = i, out: int[1])
// gives: out = [2016]
// at 64: same
// ---- original
__global__ void total(const int* in, int* out) {
  __shared__ volatile int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
  }
  if (t == 0) out[0] = s[0];
}
