// compile: no, it names what is declared nowhere
#include <cuda_runtime.h>

#include <cfloat>
#include <climits>

#define SCALE (FACTOR * 2)

template <typename T>
T late(T x);

struct Limits {
  int most;
};

template <int N>
__global__ void nobody_calls(float* x, int n) {
  float local = x[threadIdx.x] - FLT_MAX / INT_MAX;
  for (int i = 0; i < N; i++) local += late(x[i]);
  if (n < DIM_MAX_OF_NOBODY / 2) x[0] = tile[n] * local;
}

template <typename T>
__global__ void others(T* x, Limits limits) {
  const int count = limits.most, FACTOR = 3;
  T sum = x[count] * SCALE;
  const typename T::value_type most = T::most();
  x[0] = sum + given + most;
}

template <int N, unsigned M>
__global__ void rounds_up(float* x, int n) {
  const int tiles = CEIL_DIV_OF_NOBODY(n, N);
  const int rounds = ROUNDS(n);
  x[tiles] = UINT32_C(3) + rounds;
}

template <typename T>
__global__ void may_find_it_by_its_types(T* x, T n) {
  x[0] = 2 * DIV_UP_OF_NOBODY(n, 3);
}

__global__ void not_a_template(float* x) { x[0] = 1.0f / given; }
// ---- HIP ----
#include <hip/hip_runtime.h>

#include <cfloat>
#include <climits>

#define SCALE (FACTOR * 2)

template <typename T>
T late(T x);

struct Limits {
  int most;
};

template <int N>
__global__ void nobody_calls(float* x, int n) {
  float local = x[threadIdx.x] - FLT_MAX / INT_MAX;
  for (int i = 0; i < N; i++) local += late(x[i]);
  if (n < DIM_MAX_OF_NOBODY / 2) x[0] = tile[n] * local;
}

template <typename T>
__global__ void others(T* x, Limits limits) {
  const int count = limits.most, FACTOR = 3;
  T sum = x[count] * SCALE;
  const typename T::value_type most = T::most();
  x[0] = sum + given + most;
}

template <int N, unsigned M>
__global__ void rounds_up(float* x, int n) {
  const int tiles = CEIL_DIV_OF_NOBODY(n, N);
  const int rounds = ROUNDS(n);
  x[tiles] = UINT32_C(3) + rounds;
}

template <typename T>
__global__ void may_find_it_by_its_types(T* x, T n) {
  x[0] = 2 * DIV_UP_OF_NOBODY(n, 3);
}

__global__ void not_a_template(float* x) { x[0] = 1.0f / given; }
// ---- findings ----
// 19 unsupported DIM_MAX_OF_NOBODY
// 19 unsupported tile
// 32 unsupported CEIL_DIV_OF_NOBODY
