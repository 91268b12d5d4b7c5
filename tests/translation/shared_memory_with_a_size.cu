#include <cuda_runtime.h>

#define THREADS 256

__global__ void kernel(double* x, int n) {
  extern __shared__ volatile double sized[THREADS];
  extern __shared__ double2 pairs[8][4];
  __shared__ extern int counts[4], last;
  extern __shared__ double dynamic[];
  extern volatile __shared__ float rows[][4];
  sized[threadIdx.x] = x[threadIdx.x] + dynamic[n] + pairs[1][2].x + counts[1] + last + rows[0][1];
  x[0] = sized[n];
}

extern int outside[4];
// ---- HIP ----
#include <hip/hip_runtime.h>

#define THREADS 256

__global__ void kernel(double* x, int n) {
  __shared__ volatile double sized[THREADS];
  __shared__ double2 pairs[8][4];
  __shared__ int counts[4], last;
  extern __shared__ double dynamic[];
  extern volatile __shared__ float rows[][4];
  sized[threadIdx.x] = x[threadIdx.x] + dynamic[n] + pairs[1][2].x + counts[1] + last + rows[0][1];
  x[0] = sized[n];
}

extern int outside[4];
