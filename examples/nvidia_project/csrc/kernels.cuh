// What the library offers. No torch here: setup.py and CMakeLists.txt build the same sources.
#pragma once

#include <cuda_runtime.h>

namespace warpnorm {

constexpr int kHistogramBins = 256;

cudaError_t layer_norm(const float *x, const float *gamma, const float *beta, float *y,
                       int rows, int cols, float eps, cudaStream_t stream);

cudaError_t softmax(const float *x, float *y, int rows, int cols, cudaStream_t stream);

// Counts values in [low, high) in 256 equal bins; returns how many were finite in *finite.
cudaError_t histogram(const float *x, int count, float low, float high, int *bins, int *finite,
                      cudaStream_t stream);

// GELU read from a table with linear interpolation, over [-8, 8].
cudaError_t gelu_table(const float *x, float *y, int count, cudaStream_t stream);

// Row-major C = A (m x k) * B (k x n); false when built without cuBLAS or when cuBLAS fails.
bool matmul(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream);

}  // namespace warpnorm
