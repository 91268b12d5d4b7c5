// compile: no, the device runs what is the host's
#include <cuda_runtime.h>

#define BOTH __host__ __device__

float distance(float x, float y) { return x - y; }
BOTH float area(float x, float y) { return x * y; }
constexpr float twice(float x) { return x * 2; }
template <typename T>
T thrice(T x) { return x * 3; }
struct Box {
  BOTH float distance() const { return 1; }
};

template <typename F>
__global__ void each(float* x, F f) { x[threadIdx.x] = f(x[threadIdx.x]); }

void run(float* x) {
  Box box;
  each<<<1, 32>>>(x, [=] __host__ __device__(float v) { return distance(v, v) + distance(v, 1); });
  each<<<1, 32>>>(x, [=] __host__ __device__(float v) { return area(v, v) + twice(v) + box.distance(); });
  auto here = [=](float v) { return distance(v, v); };
  here(1);
}
// ---- HIP ----
#include <hip/hip_runtime.h>

#define BOTH __host__ __device__

float distance(float x, float y) { return x - y; }
BOTH float area(float x, float y) { return x * y; }
constexpr float twice(float x) { return x * 2; }
template <typename T>
T thrice(T x) { return x * 3; }
struct Box {
  BOTH float distance() const { return 1; }
};

template <typename F>
__global__ void each(float* x, F f) { x[threadIdx.x] = f(x[threadIdx.x]); }

void run(float* x) {
  Box box;
  each<<<1, 32>>>(x, [=] __host__ __device__(float v) { return distance(v, v) + distance(v, 1); });
  each<<<1, 32>>>(x, [=] __host__ __device__(float v) { return area(v, v) + twice(v) + box.distance(); });
  auto here = [=](float v) { return distance(v, v); };
  here(1);
}
// ---- findings ----
// 19 unsupported distance
