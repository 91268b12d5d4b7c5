__global__ void kernel(int* x) { x[0] = 1; }
void f() { cudaDeviceSynchronize(); }
// ---- HIP ----
﻿#include <hip/hip_runtime.h>
__global__ void kernel(int* x) { x[0] = 1; }
void f() { hipDeviceSynchronize(); }
