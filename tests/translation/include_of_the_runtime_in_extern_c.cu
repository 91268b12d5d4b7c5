#include <stdio.h>
// nvcc has its runtime's header before the first line.
extern "C"
{
#include "cuda.h"
#include "cuda_runtime.h"
#include "stdlib.h"

__global__ void kernel(int* x) { x[threadIdx.x] = 1; }

void launch(int* x) { kernel<<<1, 32>>>(x); }
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <stdio.h>
// nvcc has its runtime's header before the first line.
extern "C"
{
#include "hip/hip_runtime.h"
#include "stdlib.h"

__global__ void kernel(int* x) { x[threadIdx.x] = 1; }

void launch(int* x) { kernel<<<1, 32>>>(x); }
}
