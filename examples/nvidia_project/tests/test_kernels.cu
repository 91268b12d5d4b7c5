// Every kernel against the CPU. Prints one line per kernel, then PASS or FAIL.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../csrc/kernels.cuh"

#define CUDA_CHECK(call)                                                                \
  do {                                                                                  \
    const cudaError_t status = (call);                                                  \
    if (status != cudaSuccess) {                                                        \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(2);                                                                     \
    }                                                                                   \
  } while (0)

namespace {

bool all_passed = true;

void report(const char *name, double error, double limit) {
  const bool good = error <= limit;
  all_passed = all_passed && good;
  std::printf("%-12s max error %.3g (limit %.3g) %s\n", name, error, limit, good ? "ok" : "WRONG");
}

template <typename T>
T *to_device(const std::vector<T> &host) {
  T *device = nullptr;
  CUDA_CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

template <typename T>
std::vector<T> to_host(const T *device, size_t count) {
  std::vector<T> host(count);
  CUDA_CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

double max_error(const std::vector<float> &got, const std::vector<float> &want) {
  double worst = 0.0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double error = std::fabs(static_cast<double>(got[i]) - want[i]);
    if (!(error <= worst)) worst = error;  // a NaN counts as the worst
  }
  return worst;
}

// The same values everywhere, in [-4, 4): no library generator, no seed to agree on.
std::vector<float> values(size_t count) {
  std::vector<float> result(count);
  unsigned state = 12345;
  for (float &value : result) {
    state = state * 1664525u + 1013904223u;
    value = (state >> 8) * (8.0f / 16777216.0f) - 4.0f;
  }
  return result;
}

void test_layer_norm(int rows, int cols) {
  const std::vector<float> x = values(size_t(rows) * cols), gamma = values(cols), beta = values(cols);
  std::vector<float> want(x.size());
  for (int r = 0; r < rows; ++r) {
    double mean = 0.0, variance = 0.0;
    for (int c = 0; c < cols; ++c) mean += x[r * cols + c];
    mean /= cols;
    for (int c = 0; c < cols; ++c) variance += (x[r * cols + c] - mean) * (x[r * cols + c] - mean);
    const double scale = 1.0 / std::sqrt(variance / cols + 1e-5);
    for (int c = 0; c < cols; ++c) want[r * cols + c] = (x[r * cols + c] - mean) * scale * gamma[c] + beta[c];
  }
  float *y = to_device(std::vector<float>(x.size()));
  CUDA_CHECK(warpnorm::layer_norm(to_device(x), to_device(gamma), to_device(beta), y, rows, cols, 1e-5f, nullptr));
  report("layer_norm", max_error(to_host(y, x.size()), want), 1e-4);
}

void test_softmax(int rows, int cols) {
  const std::vector<float> x = values(size_t(rows) * cols);
  std::vector<float> want(x.size());
  for (int r = 0; r < rows; ++r) {
    const float *row = &x[size_t(r) * cols];
    const double highest = *std::max_element(row, row + cols);
    double sum = 0.0;
    for (int c = 0; c < cols; ++c) sum += std::exp(row[c] - highest);
    for (int c = 0; c < cols; ++c) want[size_t(r) * cols + c] = std::exp(row[c] - highest) / sum;
  }
  float *y = to_device(std::vector<float>(x.size()));
  CUDA_CHECK(warpnorm::softmax(to_device(x), y, rows, cols, nullptr));
  report("softmax", max_error(to_host(y, x.size()), want), 1e-5);
}

void test_histogram(int count) {
  std::vector<float> x = values(count);
  x[3] = NAN;
  x[count - 1] = INFINITY;
  std::vector<int> want(warpnorm::kHistogramBins);
  for (float value : x) {
    const float position = std::floor((value + 3.0f) * (warpnorm::kHistogramBins / 6.0f));
    if (position >= 0 && position < warpnorm::kHistogramBins) ++want[static_cast<int>(position)];
  }
  int *bins = to_device(std::vector<int>(want.size())), *finite = to_device(std::vector<int>(1));
  CUDA_CHECK(warpnorm::histogram(to_device(x), count, -3.0f, 3.0f, bins, finite, nullptr));
  const std::vector<int> got = to_host(bins, want.size());
  int wrong = std::abs(to_host(finite, 1)[0] - (count - 2));
  for (size_t i = 0; i < want.size(); ++i) wrong += std::abs(got[i] - want[i]);
  report("histogram", wrong, 0);
}

void test_gelu_table(int count) {
  const std::vector<float> x = values(count);
  std::vector<float> want(x.size());
  for (int i = 0; i < count; ++i) want[i] = 0.5 * x[i] * (1.0 + std::erf(x[i] / std::sqrt(2.0)));
  float *y = to_device(std::vector<float>(x.size()));
  CUDA_CHECK(warpnorm::gelu_table(to_device(x), y, count, nullptr));
  report("gelu_table", max_error(to_host(y, x.size()), want), 1e-3);
}

void test_matmul(int m, int n, int k) {
  const std::vector<float> a = values(size_t(m) * k), b = values(size_t(k) * n);
  std::vector<float> want(size_t(m) * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0.0;
      for (int p = 0; p < k; ++p) sum += double(a[i * k + p]) * b[p * n + j];
      want[i * n + j] = sum;
    }
  float *c = to_device(std::vector<float>(want.size()));
  if (!warpnorm::matmul(to_device(a), to_device(b), c, m, n, k, nullptr)) {
    std::printf("%-12s not built in\n", "matmul");
    return;
  }
  report("matmul", max_error(to_host(c, want.size()), want), 1e-3);
}

}  // namespace

int main() {
  cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s, sm_%d%d, %d SMs, warp size %d\n", properties.name, properties.major, properties.minor,
              properties.multiProcessorCount, properties.warpSize);
  test_layer_norm(67, 1000);
  test_softmax(33, 1025);
  test_histogram(100003);
  test_gelu_table(4097);
  test_matmul(48, 72, 96);
  test_softmax(3, 20000);  // more than 48 KiB of shared memory
  CUDA_CHECK(cudaDeviceSynchronize());
  std::puts(all_passed ? "PASS" : "FAIL");
  return all_passed ? 0 : 1;
}
