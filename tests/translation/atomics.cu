__global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  atomicAdd(i, 1);
  atomicAdd(f, 1.0f);
  atomicAdd(d, 1.0);
  atomicSub(i, 1);
  atomicExch(f, 2.0f);
  atomicMin(i, 3);
  atomicMax(u, 4u);
  atomicInc(u, 5u);
  atomicDec(u, 6u);
  atomicCAS(l, 7ull, 8ull);
  atomicAnd(u, 9u);
  atomicOr(u, 10u);
  atomicXor(u, 11u);
  atomicAdd_block(i, 12);
  atomicAdd_system(i, 13);
}
// ---- HIP ----
#include "rewarp_hip.h"
__global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  atomicAdd(i, 1);
  atomicAdd(f, 1.0f);
  atomicAdd(d, 1.0);
  atomicSub(i, 1);
  atomicExch(f, 2.0f);
  atomicMin(i, 3);
  atomicMax(u, 4u);
  atomicInc(u, 5u);
  atomicDec(u, 6u);
  atomicCAS(l, 7ull, 8ull);
  atomicAnd(u, 9u);
  atomicOr(u, 10u);
  atomicXor(u, 11u);
  atomicAdd_block(i, 12);
  atomicAdd_system(i, 13);
}
