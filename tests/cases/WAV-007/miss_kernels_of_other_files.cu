__global__ void plain(float *x) { x[threadIdx.x] = 0; }
__global__ void sums(float *x) { x[0] = __shfl_down_sync(~0ull, x[threadIdx.x], 1); }
void one_each(float *x, int n, cudaStream_t stream) { plain<<<n, 32, 0, stream>>>(x); }
void rounded(float *x, int n) {
  int threads = (n + 31) / 32 * 32;
  plain<<<1, threads>>>(x);
}
void padded(float *x, int n) {
  int padded_columns = (n + 31) / 32 * 32;
  sums<<<padded_columns, 256>>>(x);
}
void wide(float *x, int n) { quantize_rows<<<n, 320>>>(x); }
# output
