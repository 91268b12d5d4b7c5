#include <mma.h>
using namespace nvcuda;

__global__ void products(float* c, const half* a, const half* b) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  wmma::load_matrix_sync(left, a + row * 256, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sums, left, right, sums);
  wmma::store_matrix_sync(c + row * 256, sums, 16, wmma::mem_row_major);
}
// ---- HIP ----
#include "rewarp_hip.h"
using namespace nvcuda;

__global__ void products(float* c, const half* a, const half* b) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / rewarp_warp_size;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  wmma::load_matrix_sync(left, a + row * 256, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sums, left, right, sums);
  wmma::store_matrix_sync(c + row * 256, sums, 16, wmma::mem_row_major);
}
// ---- findings ----
// 2 noted nvcuda
