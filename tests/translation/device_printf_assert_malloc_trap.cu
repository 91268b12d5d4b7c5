#include <cassert>
#include <cstdio>

__global__ void checks(int* x, int n) {
  assert(n > 0);
  if (x == nullptr) {
    printf("cudaMalloc returned nothing in block %d\n", blockIdx.x);
    __trap();
  }
  int* scratch = (int*)malloc(n * sizeof(int));
  scratch[0] = x[0];
  free(scratch);
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <cassert>
#include <cstdio>

__global__ void checks(int* x, int n) {
  assert(n > 0);
  if (x == nullptr) {
    printf("cudaMalloc returned nothing in block %d\n", blockIdx.x);
    __trap();
  }
  int* scratch = (int*)malloc(n * sizeof(int));
  scratch[0] = x[0];
  free(scratch);
}
