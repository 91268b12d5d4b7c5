inline __device__ int getWordId(int bit) { return bit / 32; }
inline __device__ int warp_of(int thread, int width) { return thread / width; }
__global__ void sum(const float *x, float *y, int first) {
  float v = x[threadIdx.x];
  v += __shfl_down_sync(~0ull, v, 1);
  y[first / 32] = v;
}
#define COPY_ROW(FIRST, N, DST, SRC) \
  for (int i = (FIRST); i < (N); ++i) DST[i * 32] = SRC[i * 32];
# output
