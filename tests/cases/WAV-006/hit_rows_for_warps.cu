template <int nWarps> __global__ void keys(int *x) {
  __shared__ int row[nWarps][32];
  row[threadIdx.x / warpSize][x[0]] = __shfl_down_sync(~0ull, x[1], 1);
}
# output
2 info: __shared__ int row[nWarps][32]
