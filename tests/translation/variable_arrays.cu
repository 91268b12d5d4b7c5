// Arrays of a length that only the running program knows: gcc takes an initialiser, HIP's compiler does not.
#include <cuda_runtime.h>

#define WIDTH 8

__global__ void k(float *x) { x[0] = 1; }

template <int Taps>
float filtered(const int taps) {
  float fixed[Taps] = {0};
  double weights[taps][2] = { 0.0 };
  return fixed[0] + weights[0][0];
}

class Signal {
  static const int size = 4;
  int length;

  float first() {
    float all[size] = {0};
    float own[length] = {};
    return all[0] + own[0];
  }
};

int main(int argc, char **argv) {
  int n = argc, m = 4;
  const int twice = n * 2;
  const int four = 4;
  constexpr int padding = 2;
  float signal[n + 2 * m] = {0};  // a comment
  unsigned int counts[twice]{};
  float plain[four + padding] = {0};
  float wide[WIDTH] = {0};
  float later[n];
  later[0] = signal[0] + counts[0] + plain[0] + wide[0];
  return later[0];
}
// ---- HIP ----
// Arrays of a length that only the running program knows: gcc takes an initialiser, HIP's compiler does not.
#include <hip/hip_runtime.h>

#define WIDTH 8

__global__ void k(float *x) { x[0] = 1; }

template <int Taps>
float filtered(const int taps) {
  float fixed[Taps] = {0};
  double weights[taps][2]; memset(weights, 0, sizeof(weights));
  return fixed[0] + weights[0][0];
}

class Signal {
  static const int size = 4;
  int length;

  float first() {
    float all[size] = {0};
    float own[length]; memset(own, 0, sizeof(own));
    return all[0] + own[0];
  }
};

int main(int argc, char **argv) {
  int n = argc, m = 4;
  const int twice = n * 2;
  const int four = 4;
  constexpr int padding = 2;
  float signal[n + 2 * m]; memset(signal, 0, sizeof(signal));  // a comment
  unsigned int counts[twice]; memset(counts, 0, sizeof(counts));
  float plain[four + padding] = {0};
  float wide[WIDTH] = {0};
  float later[n];
  later[0] = signal[0] + counts[0] + plain[0] + wide[0];
  return later[0];
}
