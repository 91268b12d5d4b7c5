template <int X, int Y>
__global__ void tiles(float* out) {
  out[threadIdx.x] = X * Y;
}
__global__ void plain(float* out) {
  out[threadIdx.x] = 1;
}

#define LAUNCH(kernel, x, y, ...) kernel<<<{x, y}, {16, 16, 1}>>>(__VA_ARGS__)

void run(float* out, int width, cudaStream_t stream) {
  constexpr int side = 32;
  dim3 grid{2, 2};
  tiles<side, 8><<<grid, {side, 8, 1}, 0, stream>>>(out);
  tiles<side, 8><<<{(width + side - 1) / side, 2}, { side }>>>(out);
  plain<<<{}, {64}>>>(out);
  plain<<<dim3{4, 1, 1}, dim3({32})>>>(out);
  LAUNCH(plain, width, 2, out);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
template <int X, int Y>
__global__ void tiles(float* out) {
  out[threadIdx.x] = X * Y;
}
__global__ void plain(float* out) {
  out[threadIdx.x] = 1;
}

#define LAUNCH(kernel, x, y, ...) kernel<<<dim3(x, y), dim3(16, 16, 1)>>>(__VA_ARGS__)

void run(float* out, int width, hipStream_t stream) {
  constexpr int side = 32;
  dim3 grid{2, 2};
  tiles<side, 8><<<grid, dim3(side, 8, 1), 0, stream>>>(out);
  tiles<side, 8><<<dim3((width + side - 1) / side, 2), dim3( side )>>>(out);
  plain<<<dim3(), dim3(64)>>>(out);
  plain<<<dim3{4, 1, 1}, dim3({32})>>>(out);
  LAUNCH(plain, width, 2, out);
}
