// A barrier after every step.
// kind: none
// run: total<<<1, 256>>>(in: float[256] = 0.5f * i, out: float[1])
// gives: out = [16320]
// at 64: same
// ---- original
__global__ void total(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}
