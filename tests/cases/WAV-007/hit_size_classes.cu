template <int N> __global__ void select(float *x) { x[0] = __shfl_down(x[0], 1); }
void run(float *x, int n) {
  int lanes = min(next_power(n), 32);
  if (n <= 32) {
    select<32><<<1, lanes>>>(x);
  } else if (n <= 64) {
    select<64><<<1, 128>>>(x);
  }
}
void passed(float *x) { LAUNCH((select<8>), dim3(1), dim3(kWarpSize, 4), x); }
# output
3 wrong-result: lanes = min(next_power(n), 32)
4 info: if (n <= 32)
10 info: dim3(kWarpSize, 4)
